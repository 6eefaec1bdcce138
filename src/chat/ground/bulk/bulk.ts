/**
 * Commands over many items, such as subscribing 10,000 users. The first commit checks the whole command, does the first
 * chunk and stores the remaining items. They follow in chunks of 500, each judged on the realm as it is then:
 * permissions are not checked again, and items that have become pointless (a deactivated user, an archived channel) are
 * skipped. Between two chunks the log's lock stays free for as long as the last chunk took, or a share of that which the
 * kind of work says. The requester is answered after the last chunk; after a crash or a lost database a job does the
 * remaining chunks, each exactly once. Of several processes one is at a command, as long as its claim in the table is renewed; one
 * that lost it waits until the other has finished. A capability defines its chunks as a `BulkKind`, listed by its definition, and passes its
 * commands to `run`.
 */
import { randomUUID } from "node:crypto"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isForNow, OutcomeUnknown, type RequestFailure, type Unavailable } from "../../../api/errors.ts"
import { Clock } from "../../../clock.ts"
import { Database } from "../../../db/database.ts"
import {
  type ChangeReader,
  type Command,
  change,
  type DoneJudgement,
  done,
  type Judgement,
  type RefusedJudgement,
} from "../../../events/command.ts"
import type { CommandStep, WorkMark } from "../../../events/step.ts"
import type { RealmId } from "../../../ids.ts"
import { periodic } from "../../../jobs/job.ts"
import { reasonOf } from "../../../jobs/job-log.ts"
import { Jobs } from "../../../jobs/jobs.ts"
import { pause, whileRenewing } from "../../../jobs/waits.ts"
import { withoutValues } from "../../../redact-values.ts"
import type { Realm } from "../realm/realm.ts"
import { Realms } from "../realm/realms.ts"
import { BulkKinds, type RemainingWork, type WorkServices } from "./bulk-kind.ts"
import { findProgress, listUnfinished, renewWork, takeWork, type UnfinishedCommand } from "./bulk-store.ts"

const finishMilliseconds = 10_000

/**
 * In milliseconds. The time of a chunk that is known here contains its wait for other commits; no chunk holds the lock for
 * longer than this itself.
 */
const longestRest = 50

/** Milliseconds until another process takes up the work of one that was killed; the claim is renewed meanwhile. */
const claimMilliseconds = 30_000
/** Milliseconds between two looks whether another process has finished, and those without any progress after which nobody waits. */
const othersMilliseconds = 1000
const standstillMilliseconds = 60_000

/** A command's judgement; `Begin`: the steps are only the first chunk, and `rest` is left to do. */
export type BulkJudgement<A> =
  | Judgement<A>
  | {
      readonly _tag: "Begin"
      readonly steps: ReadonlyArray<CommandStep>
      readonly rest: RemainingWork
      readonly given: ChangeReader<A>
    }

const nothing: ChangeReader<void> = { answer: () => undefined }

/**
 * As `change`, with the items left to do after it, or null. If the first chunk is refused under the lock, so is the
 * rest.
 */
export function begin(steps: ReadonlyArray<CommandStep>, rest: RemainingWork | null): BulkJudgement<void>
export function begin<A>(
  steps: ReadonlyArray<CommandStep>,
  rest: RemainingWork | null,
  given: ChangeReader<A>,
): BulkJudgement<A>
export function begin<A>(
  steps: ReadonlyArray<CommandStep>,
  rest: RemainingWork | null,
  given?: ChangeReader<A>,
): BulkJudgement<A> | BulkJudgement<void> {
  if (given === undefined) return rest === null ? change(steps) : { _tag: "Begin", steps, rest, given: nothing }
  return rest === null ? change(steps, given) : { _tag: "Begin", steps, rest, given }
}

export interface BulkCommand<A> {
  readonly judge: (realm: Realm) => BulkJudgement<A>
}

interface BulkShape {
  /** Answers after the last chunk. Fails with OutcomeUnknown if the remaining chunks will be done later. */
  readonly run: <A>(realm: RealmId, command: BulkCommand<A>) => Effect.Effect<A, RequestFailure>
  /** Finds unfinished commands that nobody is working on, and does them one after the other. */
  readonly finish: Effect.Effect<void, Unavailable>
}

const mark = (id: string, rest: RemainingWork, from: number | null, next: number | null): WorkMark => ({
  id,
  from,
  next,
  ...(from === null ? { kind: rest.kind, args: rest.args } : {}),
})

interface BegunCommand<A> {
  readonly answer: A
  readonly rest: RemainingWork | null
}

const withRest = <A>(
  judged: DoneJudgement<A> | RefusedJudgement,
  rest: RemainingWork | null,
): DoneJudgement<BegunCommand<A>> | RefusedJudgement =>
  judged._tag === "Done" ? { _tag: "Done", answer: { answer: judged.answer, rest } } : judged

/** The call of the first chunk, which also stores the rest, if there is one. */
const firstJudgement = <A>(
  id: string,
  judgement: BulkJudgement<A>,
  claim: Pick<WorkMark, "claimed_by" | "claimed_until">,
): Judgement<BegunCommand<A>> => {
  switch (judgement._tag) {
    case "Begin": {
      const { steps, rest, given } = judgement
      const words = Object.entries(given.refused ?? {}).map(([word, told]) => [word, withRest(told, null)] as const)
      return change(steps, {
        ...given,
        answer: (positions, outcomes) => ({ answer: given.answer(positions, outcomes), rest }),
        refused: Object.fromEntries(words),
        work: { ...mark(id, rest, null, rest.from), ...claim },
      })
    }
    case "Call":
      return { ...judgement, read: (outcome) => withRest(judgement.read(outcome), null) }
    default:
      return withRest(judgement, null)
  }
}

/** Another process goes on with the command. */
const elsewhere = "elsewhere"
/** What a later try of a chunk may end otherwise than. */
const isPassing = (failure: RequestFailure): boolean =>
  failure._tag === "Unavailable" || (failure._tag === "ApiError" && isForNow(failure.code))

type ChunkEnd = number | null | typeof elsewhere

/** Answers the index that the next chunk begins with; null if there is none. */
const chunkCommand = (id: string, rest: RemainingWork, from: number): Command<Realm, ChunkEnd> => ({
  judge: (realm) => {
    const { steps, next } = rest.chunk(realm, from)
    return change<ChunkEnd>(steps, {
      answer: () => next,
      refused: { done: done(elsewhere) },
      work: mark(id, rest, from, next),
    })
  },
})

export class Bulk extends Context.Service<Bulk, BulkShape>()("parley/chat/Bulk") {
  static readonly layer = Layer.effect(
    Bulk,
    Effect.gen(function* () {
      const kinds = yield* BulkKinds
      const realms = yield* Realms
      const clock = yield* Clock
      const database = yield* Database
      const services = yield* Effect.context<WorkServices>()
      const jobs = yield* Jobs
      const inBackground = yield* jobs.inBackground("bulk commands")
      /** Ids of the commands that a request or the job is doing, and of those that this program cannot do. */
      const taken = new Set<string>()
      /** Ids of those that were taken up and failed, which the log says once. */
      const told = new Set<string>()

      const { cluster } = database
      const claimOf = (process: string) => ({ process, now: clock.now(), until: clock.now() + claimMilliseconds })
      const firstClaim = () =>
        cluster === undefined ? {} : { claimed_by: cluster.process, claimed_until: clock.now() + claimMilliseconds }

      const holding = <A, E, R>(realm: RealmId, id: string, work: Effect.Effect<A, E, R>) => {
        if (cluster === undefined) return work
        const renew = Effect.suspend(() => renewWork(database, { realm, id }, claimOf(cluster.process)))
        return whileRenewing(clock, claimMilliseconds, renew, work)
      }

      /** Waits until another process has finished it, and this one has heard of that. */
      const untilFinished = Effect.fnUntraced(function* (realm: RealmId, id: string) {
        // If the other is killed, this one's job may take it up again.
        taken.delete(id)
        let known = { done: -1, at: clock.elapsed() }
        for (;;) {
          const done = yield* findProgress(database, { realm, id })
          if (done === null) return yield* realms.fresh(realm)
          if (done !== known.done) known = { done, at: clock.elapsed() }
          if (jobs.isEnding() || clock.elapsed() - known.at > standstillMilliseconds)
            return yield* new OutcomeUnknown({ reason: "another process does the rest of the command" })
          yield* pause(clock, othersMilliseconds)
        }
      })

      /** Does the chunks that are left; answers whether another process has done some of them. */
      const goOn = Effect.fnUntraced(function* (realm: RealmId, id: string, rest: RemainingWork, took: number) {
        let free = took
        for (let from: number | null = rest.from; from !== null; ) {
          yield* pause(clock, Math.min(free * rest.restShare, longestRest))
          if (jobs.isEnding()) return yield* new OutcomeUnknown({ reason: "the server stops; the rest is done later" })
          const began = clock.elapsed()
          yield* Effect.provideContext(rest.before(realm), services)
          const next: ChunkEnd = yield* realms.submit(realm, chunkCommand(id, rest, from))
          if (next === elsewhere) return true
          from = next
          free = clock.elapsed() - began
        }
        return false
      })

      /** The same until all chunks are done, by whomever. */
      const finishRest = Effect.fnUntraced(function* (realm: RealmId, id: string, rest: RemainingWork, took: number) {
        const isElsewhere = yield* holding(realm, id, goOn(realm, id, rest, took))
        if (isElsewhere && cluster !== undefined) yield* untilFinished(realm, id)
      })

      const run = Effect.fnUntraced(function* <A>(realm: RealmId, command: BulkCommand<A>) {
        const id = randomUUID()
        const first: Command<Realm, BegunCommand<A>> = {
          judge: (realm) => firstJudgement(id, command.judge(realm), firstClaim()),
        }
        const work = Effect.gen(function* () {
          const began = clock.elapsed()
          const begun = yield* realms.submit(realm, first)
          if (begun.rest !== null)
            yield* Effect.catchIf(finishRest(realm, id, begun.rest, clock.elapsed() - began), isPassing, () =>
              // The first chunks are committed, so the answer must not be 503, which says that nothing was done.
              Effect.fail(new OutcomeUnknown({ reason: "the rest of the command is done later" })),
            )
          return begun.answer
        })
        taken.add(id)
        return yield* Effect.ensuring(
          work,
          Effect.sync(() => taken.delete(id)),
        )
      })

      const takeUp = ({ realm, id, kind, args, done }: UnfinishedCommand) => {
        const work = Effect.suspend(() => {
          const known = kinds.find(({ name }) => name === kind)
          if (known === undefined) throw new Error(`there is no work of the kind ${kind}`)
          const goneOn =
            cluster === undefined
              ? goOn(realm, id, known.restore(args, done), 0)
              : Effect.flatMap(takeWork(database, { realm, id }, claimOf(cluster.process)), (from) =>
                  from === null ? Effect.void : holding(realm, id, goOn(realm, id, known.restore(args, from), 0)),
                )
          return Effect.tap(goneOn, () => Effect.sync(() => told.delete(id)))
        })
        const tell = (cause: Cause.Cause<unknown>) => {
          if (told.has(id) || jobs.isEnding() || !Cause.hasFails(cause)) return Effect.void
          told.add(id)
          return Effect.logWarning(
            `the work ${kind} of realm ${realm} failed and is tried again: ${withoutValues(reasonOf(cause))}`,
          )
        }
        return Effect.catchDefect(
          Effect.andThen(
            Effect.ignore(Effect.tapCause(work, tell)),
            Effect.sync(() => taken.delete(id)),
          ),
          // Its row stays in the table; this process does not try it again.
          (defect) => Effect.logError("work that was begun cannot be finished", defect),
        )
      }

      const finish = Effect.gen(function* () {
        const found = (yield* listUnfinished(database)).filter(({ id }) => !taken.has(id))
        for (const { id } of found) taken.add(id)
        if (found.length > 0) inBackground(Effect.forEach(found, takeUp, { discard: true }))
      })

      return Bulk.of({ run, finish })
    }),
  )
}

/** Takes up at the start what a crash interrupted, and afterwards what a lost database did. */
export const bulkJob = periodic({
  name: "unfinished bulk commands",
  everyMilliseconds: finishMilliseconds,
  isAtStart: true,
  run: Bulk.use(({ finish }) => finish),
})
