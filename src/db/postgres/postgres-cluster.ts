/**
 * A process joins those that serve a PostgreSQL database, and says once a second that it lives (cluster.sql). The first tick
 * comes when the program knows that this process may serve, and until then nobody else joins.
 */
import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { Unavailable } from "../../api/errors.ts"
import type { NatsConfig, ProcessesConfig } from "../../config/processes-config.ts"
import type { Bus } from "../bus.ts"
import { type About, type Cluster, type ClusterListener, outdated, type Tick } from "../cluster.ts"
import type { DatabaseShape } from "../database.ts"
import { oneLine } from "../one-line.ts"
import { DatabaseHeld, DatabaseUnusable } from "../open-failures.ts"
import { readTrust } from "../server-state.ts"
import { makeDatabaseClock } from "./database-clock.ts"
import { watchLoopStops } from "./loop-stops.ts"
import { makeNotifyBus } from "./notify-bus.ts"
import { openAtStart } from "./postgres.ts"
import { openSession, type Session } from "./postgres-session.ts"

const tickMs = 1000
/** Less than the minute after which the others forget a process, by more than a statement of the database takes. */
const countedMs = 45_000

const Joined = Schema.fromJsonString(Schema.Struct({ name: Schema.String, ran_for: Schema.Number }))
const Ticked = Schema.fromJsonString(
  Schema.Struct({
    ran_for: Schema.Number,
    now: Schema.Number,
    organizations: Schema.String,
    processes: Schema.Array(
      Schema.Struct({
        id: Schema.String,
        address: Schema.String,
        program: Schema.String,
        speaks: Schema.Number,
        secretFingerprint: Schema.String,
      }),
    ),
    heads: Schema.Record(Schema.String, Schema.Number),
    speaks: Schema.Number,
    programs: Schema.Number,
  }),
)
const readJoined = Schema.decodeUnknownSync(Joined)
const readTicked = Schema.decodeUnknownSync(Ticked)

/** The session, before the database is brought to the program's version. */
export interface Joining {
  readonly others: number
  /** Joins, when the tables are there. `version`: of the tables that this program knows. */
  readonly join: (
    database: DatabaseShape,
    version: number,
  ) => Effect.Effect<Cluster, Unavailable | DatabaseUnusable, Scope.Scope>
}

/** Waits until this process may join; the session ends with the scope. */
export const joinPostgres = Effect.fnUntraced(function* (
  url: string,
  { bus, busUrl }: ProcessesConfig,
): Effect.fn.Return<Joining, DatabaseHeld | DatabaseUnusable, Scope.Scope> {
  const address = busUrl ?? url
  const listeners: Array<(text: string) => void> = []
  const onMessage = (text: string) => {
    for (const listener of listeners) listener(text)
  }
  const nats = typeof bus === "object" ? yield* loadNats(bus) : null
  const opened = openAtStart(address, () =>
    openSession({ url: address, ...(bus === "notify" ? { onMessage } : {}) }).catch((error: unknown) => {
      if (error instanceof DatabaseHeld) return error
      throw error
    }),
  ).pipe(
    Effect.flatMap((session) => (session instanceof DatabaseHeld ? Effect.fail(session) : Effect.succeed(session))),
  )
  const session = yield* Effect.acquireRelease(opened, ({ close }) => Effect.promise(close))
  return {
    others: session.others,
    join: (database, version) =>
      join(session, database, version, (names) =>
        nats !== null
          ? nats(names)
          : Effect.succeed(bus === "none" ? null : makeNotifyBus(session, (listener) => void listeners.push(listener))),
      ),
  }
})

interface Names {
  readonly cluster: string
  readonly process: string
}

/** The client is imported only where it is used. Fails where the files that it needs cannot be used; servers may be away. */
const loadNats = Effect.fnUntraced(function* (config: NatsConfig) {
  const [{ openNatsBus }, { findFileFault }] = yield* Effect.promise(() =>
    Promise.all([import("../nats/nats-bus.ts"), import("../nats/nats-connection.ts")]),
  )
  const fault = yield* Effect.promise(() => findFileFault(config))
  if (fault !== null) return yield* new DatabaseUnusable({ message: fault })
  const context = yield* Effect.context<never>()
  const tell = (text: string) => void Effect.runForkWith(context)(Effect.logWarning(text))
  return (names: Names): Effect.Effect<Bus | null, never, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.sync(() => openNatsBus({ config, ...names, tell })),
      ({ close }) => Effect.promise(close),
    )
})

const join = Effect.fnUntraced(function* (
  session: Session,
  database: DatabaseShape,
  version: number,
  openBus: (names: Names) => Effect.Effect<Bus | null, never, Scope.Scope>,
) {
  const process = randomUUID()
  const listeners: Array<ClusterListener> = []
  const trust = yield* readTrust(database)
  if (trust !== session.trust)
    return yield* new DatabaseUnusable({ message: "PARLEY_BUS_URL leads to another database than DATABASE_URL" })
  const [row] = yield* database.query("select join_cluster_v1($1, $2) as joined", [randomUUID(), trust])
  const { name, ran_for: ranFor } = readJoined(row?.["joined"])
  let ran = { milliseconds: ranFor, at: performance.now() }
  let highest = ranFor
  const bus = yield* openBus({ cluster: name, process })
  const clock = makeDatabaseClock(() => performance.now())
  const asked = performance.now()
  const [time] = yield* database.query("select extract(epoch from clock_timestamp())::float8 * 1000 as now")
  clock.heard(Number(time?.["now"]), asked, performance.now())
  const stops = watchLoopStops()
  let last: Tick | null = null
  let timer: NodeJS.Timeout | undefined
  let about: About | null = null
  let ended = false

  const tick = async (said: About): Promise<Tick> => {
    const heads = Object.assign({}, ...listeners.map(({ positions }) => positions()))
    const { address, program, secretFingerprint } = said
    const parameters = [process, address, program, String(version), secretFingerprint, JSON.stringify(heads)]
    const asked = performance.now()
    const [answer] = await session.run("select tick_v2($1, $2, $3, $4, $5, $6) as tick", parameters)
    const answered = performance.now()
    const { ran_for, now, ...told } = readTicked(answer?.["tick"])
    clock.heard(now, asked, answered)
    ran = { milliseconds: ran_for, at: performance.now() }
    last = told
    return told
  }

  const next = (): void => {
    if (ended) return
    timer = setTimeout(() => {
      if (about === null) return
      tick(about)
        .then((told) => {
          for (const { onTick } of listeners) if (!ended) onTick(told)
        })
        // The session is opened again by itself.
        .catch(() => {})
        .finally(next)
    }, tickMs).unref()
  }

  const leave = Effect.promise(async () => {
    ended = true
    clearTimeout(timer)
    stops.end()
    if (about === null) return true
    const gone = session.run("delete from process where id = $1", [process])
    return gone.then(
      () => true,
      () => false,
    )
  })
  yield* Effect.addFinalizer(() => leave)

  const begin = async (said: About) => {
    const told = await tick(said)
    about = said
    next()
    return told.processes
  }
  const cluster: Cluster = {
    name,
    process,
    bus,
    othersAtStart: session.others,
    running: () => {
      highest = Math.max(highest, ran.milliseconds + Math.floor(performance.now() - ran.at))
      return highest
    },
    now: clock.now,
    wasStopped: stops.wasStopped,
    version,
    speaks: () => last?.speaks ?? 0,
    isOneProgram: () => last?.programs === 1,
    isCounted: () => performance.now() - ran.at < countedMs,
    sinceTick: () => performance.now() - ran.at,
    lastTick: () => last,
    begin: (said) =>
      Effect.tryPromise({
        try: () => begin(said),
        catch: (error) => new Unavailable({ reason: oneLine(error) }),
      }).pipe(
        Effect.tap((processes) => {
          const other = processes.find((each) => each.secretFingerprint !== said.secretFingerprint)
          return other === undefined
            ? Effect.void
            : Effect.fail(
                new DatabaseUnusable({
                  message: `The process at ${other.address} serves this database with another secret`,
                }),
              )
        }),
        Effect.tap(() =>
          (last?.speaks ?? 0) > version ? Effect.fail(new DatabaseUnusable({ message: outdated })) : Effect.void,
        ),
        Effect.tap(() => Effect.promise(() => session.endJoining().catch(() => {}))),
      ),
    leave,
    listen: (listener) => void listeners.push(listener),
  }
  return cluster
})
