/**
 * What processes that serve one database do of each other's rows in the outbox. Whoever adds a row does it when it is due, and its
 * timer knows of it; of the rows of a process that has ended nobody would know for a minute. So each asks every two seconds of what
 * kinds there is something due, whoever has added it, by one statement: messages between the processes may be lost, and would have
 * to be made up for by such a look all the same. Not run where a process is alone.
 */
import * as Effect from "effect/Effect"
import { Clock } from "../../clock.ts"
import { Database } from "../../db/database.ts"
import { periodic } from "../job.ts"
import { Jobs } from "../jobs.ts"
import { Outbox, outboxJobName } from "./outbox.ts"

const lookMilliseconds = 2000
/**
 * Milliseconds for which a process must have been missing among those that live: when a database comes back that was away for
 * longer than they may be silent, one is the first to say that it lives.
 */
const missingMilliseconds = 2000

/** When processes were last among the living, by the milliseconds that have passed. Those before this one's start are one. */
const seen = new WeakMap<object, Map<string, number>>()
const before = "those before"

const freeClaimsOfEnded = Effect.gen(function* () {
  const tick = (yield* Database).cluster?.lastTick() ?? null
  const outbox = yield* Outbox
  if (tick === null) return
  const now = (yield* Clock).elapsed()
  const last = seen.get(outbox) ?? new Map([[before, now]])
  seen.set(outbox, last)
  for (const { id } of tick.processes) last.set(id, now)
  const ended = [...last].filter(([, at]) => now - at >= missingMilliseconds)
  if (ended.length === 0) return
  yield* outbox.freeClaims
  for (const [id] of ended) last.delete(id)
})

export const othersOutboxJob = periodic({
  name: "outbox of other processes",
  everyMilliseconds: lookMilliseconds,
  isAtStart: true,
  run: Effect.gen(function* () {
    yield* freeClaimsOfEnded
    const jobs = yield* Jobs
    for (const kind of yield* (yield* Outbox).dueKinds) jobs.wake({ name: outboxJobName(kind) })
  }),
})
