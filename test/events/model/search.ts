/** Looks for a schedule that breaks a promise, and says what it was. Used by the queue-model tests, short and deep. */
import { setImmediate } from "node:timers/promises"
import type { Parts } from "./process.ts"
import { type Failure, runSchedule } from "./schedule.ts"
import { Violation } from "./violation.ts"

const stepsEach = 200

export const runOne = (seed: number, parts: Parts): Failure | null => runSchedule(seed, parts, stepsEach)

export interface Search {
  /** The first schedule that broke a promise. */
  readonly failure: Failure | null
  readonly schedules: number
}

/** Runs the schedules from `seed` on, one by one, while `goesOn` of their number so far says so. */
export const findFailure = async (
  parts: Parts,
  seed: number,
  goesOn: (schedules: number) => boolean,
): Promise<Search> => {
  let schedules = 0
  for (; goesOn(schedules); schedules++) {
    // Weak references that were read stay alive until the end of the turn.
    if (schedules % 50 === 0) await setImmediate()
    const failure = runOne(seed + schedules, parts)
    if (failure !== null) return { failure, schedules: schedules + 1 }
  }
  return { failure: null, schedules }
}

const messageOf = (cause: unknown): string =>
  cause instanceof Violation ? cause.message : cause instanceof Error ? String(cause.stack) : String(cause)

/** "nothing" where no promise was broken. */
export const tell = (failure: Failure | null): string =>
  failure === null
    ? "nothing"
    : `PARLEY_SEED=${failure.seed}: ${messageOf(failure.cause)}\nafter ${failure.steps.join(" ")}`
