/** Runs the realms of this process: chosen by Host, started when first asked for, stopped when the server stops. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import type { Unavailable } from "../../../api/errors.ts"
import { Clock } from "../../../clock.ts"
import { Config } from "../../../config/config.ts"
import { readOrganizations } from "../../../db/cluster/organizations-store.ts"
import { outdated } from "../../../db/cluster.ts"
import { Database } from "../../../db/database.ts"
import { UserReads } from "../../../db/reads.ts"
import { sharedRead } from "../../../db/shared-read.ts"
import { Uptime } from "../../../db/uptime.ts"
import { makeExchange } from "../../../events/exchange/exchange.ts"
import { makePieceSeal } from "../../../events/exchange/piece-seal.ts"
import { QueueFlusher } from "../../../events/flusher.ts"
import { CatchUpLine } from "../../../events/past/catch-up-line.ts"
import { noNotes } from "../../../events/peers/notes.ts"
import { LargeAnswers } from "../../../fairness/large-answers.ts"
import { Refusals } from "../../../fairness/refusals.ts"
import type { RealmId } from "../../../ids.ts"
import { Jobs } from "../../../jobs/jobs.ts"
import { forEachInSlices, inSlice } from "../../../slices.ts"
import { Catalog } from "../../ground/kinds/catalog.ts"
import { fold } from "../../ground/realm/domain-values.ts"
import { listRealms } from "../../ground/realm/realm-store.ts"
import { type RealmRuntime, Realms } from "../../ground/realm/realms.ts"
import { announceProgram, isServedByThis } from "../../organization/organization/restart-event.ts"
import { type RuntimeOptions, startRealm } from "./realm-runtime.ts"

/** The next start tries again; of several processes each tick. */
const notTold = "clients could not be told that another program serves an organization"

interface Hosts {
  /** The only realm there is, served at every host. */
  readonly lone: RealmId | null
  readonly byHost: ReadonlyMap<string, RealmId>
}

export interface RealmsOptions {
  readonly commitTime: () => number | null
  readonly onForeign: (why: string) => void
  readonly logDefect: (what: string, cause: unknown, organization?: RealmId) => void
}

export const realmsLayer = (options: RealmsOptions) =>
  Layer.effect(
    Realms,
    Effect.gen(function* () {
      const database = yield* Database
      const config = yield* Config
      const clock = yield* Clock
      const refusals = yield* Refusals
      const { kinds, parts } = yield* Catalog
      /** Runs a task later. An error in it is logged and does not end the process. */
      const later = (run: (task: () => void) => void) => (task: () => void) =>
        run(() => {
          try {
            task()
          } catch (fault) {
            options.logDefect("a task failed", fault)
          }
        })
      const defer = later((task) => void setImmediate(task))
      const after = (milliseconds: number, task: () => void) => void setTimeout(() => defer(task), milliseconds).unref()
      const onFault = (fault: unknown) => options.logDefect("a queue failed", fault)
      const { running: uptime } = yield* Uptime
      const running = new Map<RealmId, RealmRuntime>()
      const expects = () => {
        for (const { writer } of running.values()) if (writer.busy()) return true
        return false
      }
      const elapsed = () => performance.now()
      const { hasRoom } = yield* LargeAnswers
      const inBackground = yield* (yield* Jobs).inBackground("a task of an organization")
      const { cluster } = database
      const context = yield* Effect.context<never>()
      const warn = (text: string) => void Effect.runForkWith(context)(Effect.logWarning(text))
      const exchange =
        cluster === undefined
          ? null
          : makeExchange({
              cluster,
              database,
              seal: makePieceSeal(config.secret, cluster.name),
              onOutdated: () => options.onForeign(outdated),
              onTick: ({ organizations }) => {
                for (const each of running.values()) announceOnce(each)
                if (listed === null || organizations === listed) return
                inBackground(Effect.catchCause(Effect.asVoid(refresh()), () => Effect.void))
              },
              logDefect: options.logDefect,
              onForged: () => warn("a message between processes cannot be read: somebody else sends by their bus"),
            })
      const runtime: RuntimeOptions = {
        ...options,
        exchange,
        inBackground,
        kinds,
        parts,
        database,
        reads: yield* UserReads,
        config,
        clock,
        refusals,
        flusher: new QueueFlusher({ defer, after, expects, elapsed, onFault }),
        line: new CatchUpLine({ defer: later(inSlice), after, expects, elapsed, onFault }),
        hasRoom,
        defer,
        running: uptime,
      }
      const starting = yield* Semaphore.make(1)
      const watchers: Array<(runtime: RealmRuntime) => void> = []
      let hosts: Hosts | null = null
      /** The text of the list of organizations that `hosts` are of, as ticks tell it. */
      let listed: string | null = null

      const refresh = Effect.fnUntraced(function* () {
        if (exchange !== null) listed = yield* readOrganizations(database)
        const realms = yield* listRealms(database)
        const [first, ...others] = realms
        hosts = {
          lone: first !== undefined && others.length === 0 ? first.id : null,
          byHost: new Map(realms.map((realm) => [fold(realm.host), realm.id])),
        }
        return hosts
      })

      /** Those that are being told. */
      const announcing = new Set<RealmRuntime>()
      /** Clients hear of a new program once, when no process of another one is left that would tell of its own again. */
      const announceOnce = (runtime: RealmRuntime): void => {
        if (isServedByThis(runtime.realm) || announcing.has(runtime) || cluster?.isOneProgram() === false) return
        announcing.add(runtime)
        const told = Effect.catchCause(runtime.writer.submit(announceProgram(clock.now())), (cause) =>
          Effect.logWarning(notTold, cause),
        )
        inBackground(
          Effect.ensuring(
            told,
            Effect.sync(() => void announcing.delete(runtime)),
          ),
        )
      }

      const start = Effect.fnUntraced(function* (id: RealmId) {
        const started = yield* startRealm(id, runtime)
        if (started === null) return yield* Effect.die(new Error(`there is no realm ${id}`))
        running.set(id, started)
        for (const look of watchers) look(started)
        announceOnce(started)
        return started
      })

      type Started = Effect.Effect<RealmRuntime, Unavailable>
      /** Those who wait for a realm that is being started. Ten thousand may, so they go on in slices. */
      const waiting = new Map<RealmId, Array<(started: Started) => void>>()
      const startFor = Effect.fnUntraced(function* (id: RealmId) {
        const started = yield* Effect.exit(starting.withPermits(1)(start(id)))
        const resumes = waiting.get(id) ?? []
        waiting.delete(id)
        yield* forEachInSlices(resumes, (resume) => resume(started), 1)
      })

      const get = (id: RealmId): Started => {
        const known = running.get(id)
        if (known !== undefined) return Effect.succeed(known)
        return Effect.callback((resume) => {
          const others = waiting.get(id)
          if (others !== undefined) return void others.push(resume)
          waiting.set(id, [resume])
          inBackground(startFor(id))
        })
      }

      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          for (const realm of running.values()) realm.stop()
        }),
      )

      const chosen = ({ lone, byHost }: Hosts, host: string): RealmId | null => lone ?? byHost.get(fold(host)) ?? null

      /**
       * The list that this process has, if it is right for a host: another process may have made an organization. One that is
       * there is never renamed, so only a host that is no organization's own is asked for.
       */
      const known = (host: string): Hosts | null =>
        hosts === null || exchange === null || hosts.byHost.has(fold(host)) ? hosts : null

      const organizations = sharedRead(Effect.suspend(() => readOrganizations(database)))
      const look = Effect.fnUntraced(function* () {
        if (hosts === null || exchange === null) return yield* refresh()
        return (yield* organizations) === listed ? hosts : yield* refresh()
      })

      return Realms.of({
        databaseTime: options.commitTime,
        find: (host) => {
          const found = known(host)
          return found === null
            ? Effect.map(look(), (looked) => chosen(looked, host))
            : Effect.succeed(chosen(found, host))
        },
        isAlone: exchange === null,
        everywhere: exchange?.everywhere ?? noNotes,
        own: exchange?.own ?? null,
        busCounts: () => exchange?.counts ?? null,
        rowsBehind: () => exchange?.rowsBehind() ?? 0,
        fresh: (id) => (exchange === null ? Effect.void : Effect.flatMap(get(id), ({ peers }) => peers.fresh)),
        atWork: (host) => {
          const found = known(host)
          const id = found === null ? null : chosen(found, host)
          const runtime = id === null ? undefined : running.get(id)
          return id === null || runtime === undefined ? undefined : { id, runtime }
        },
        isOneOfSeveral: (host) => hosts !== null && hosts.lone === null && hosts.byHost.has(fold(host)),
        hasNone: () => hosts?.byHost.size === 0,
        running: (id) => running.get(id),
        get,
        submit: (id, command) => Effect.flatMap(get(id), ({ writer }) => writer.submit(command)),
        loaded: () => [...running.values()],
        whenLoaded: (look) => {
          watchers.push(look)
          for (const realm of running.values()) look(realm)
        },
        refresh: () => Effect.asVoid(refresh()),
      })
    }),
  )
