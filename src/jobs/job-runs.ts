/**
 * Work that one of the processes which serve a database does at a time: it has a claim in the database, which ends soon after it
 * was killed. A process that is alone does the work, and the database is asked nothing.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Unavailable } from "../api/errors.ts"
import { Clock } from "../clock.ts"
import { Database } from "../db/database.ts"
import { freeRun, renewRun, takeRun } from "./job-run-store.ts"
import { pause, whileRenewing } from "./waits.ts"

/** Milliseconds after a kill until another process may do it. */
const claimMilliseconds = 30_000
/** Milliseconds between two looks whether it is free. */
const lookMilliseconds = 100
/** Milliseconds that the end of the server waits until its claim is given back, by the machine's time. */
const freeMilliseconds = 1000

interface JobRunsShape {
  /** Does the work unless another process does one of this name; then it answers null. */
  readonly once: <A, E, R>(name: string, work: Effect.Effect<A, E, R>) => Effect.Effect<A | null, E | Unavailable, R>
  /** Does the work when no other process does one of this name any more. Within this process it is called once at a time. */
  readonly inTurn: <A, E, R>(name: string, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Unavailable, R>
}

const alone: JobRunsShape = { once: (_name, work) => work, inTurn: (_name, work) => work }

const make = Effect.gen(function* () {
  const database = yield* Database
  const clock = yield* Clock
  const { cluster } = database
  if (cluster === undefined) return alone
  const { process } = cluster
  const until = () => clock.now() + claimMilliseconds

  const take = (name: string) => Effect.suspend(() => takeRun(database, { name, process }, clock.now(), until()))

  const holding = <A, E, R>(name: string, work: Effect.Effect<A, E, R>) => {
    const claim = { name, process }
    const renew = Effect.suspend(() => renewRun(database, claim, until()))
    const free = Effect.timeoutOption(Effect.interruptible(freeRun(database, claim)), freeMilliseconds)
    return Effect.ensuring(whileRenewing(clock, claimMilliseconds, renew, work), Effect.ignore(free))
  }

  const runs: JobRunsShape = {
    once: (name, work) =>
      Effect.flatMap(take(name), (isTaken) => (isTaken ? holding(name, work) : Effect.succeed(null))),
    inTurn: Effect.fnUntraced(function* (name, work) {
      while (!(yield* take(name))) yield* pause(clock, lookMilliseconds)
      return yield* holding(name, work)
    }),
  }
  return runs
})

export class JobRuns extends Context.Service<JobRuns, JobRunsShape>()("parley/JobRuns") {
  static readonly layer = Layer.effect(JobRuns, make)
}
