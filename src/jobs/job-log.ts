/**
 * The record of a job's runs: for the report, and for the log, which names a failing job at once and then once in a
 * minute, however often it is tried. Used by jobs.ts.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import type { ClockShape } from "../clock.ts"
import { withoutValues } from "../redact-values.ts"

/** Milliseconds between two lines of the log about a failure that stays the same. */
const quietMilliseconds = 60_000

export interface JobReport {
  readonly name: string
  /** Runs that have ended. */
  readonly runs: number
  /** Runs that failed or died. */
  readonly failures: number
  /** From when it is woken, or its time comes, until its run has ended and it knows when it runs next. */
  readonly isAwake: boolean
}

/** Why a run failed: failures of this program's own kinds say it in `reason`, everything else in its message. */
export const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  if (Predicate.hasProperty(error, "reason") && typeof error.reason === "string") return error.reason
  if (error instanceof Error && error.message !== "") return error.message
  try {
    return String(error)
  } catch {
    return "something that cannot be told as text"
  }
}

export class JobLog {
  readonly #name: string
  readonly #clock: ClockShape
  #runs = 0
  #failures = 0
  /** The reason that was logged last, and when. */
  #logged: { readonly reason: string; readonly at: number } | null = null

  constructor(name: string, clock: ClockShape) {
    this.#name = name
    this.#clock = clock
  }

  /** Notes how a run has ended. One that the end of the server has interrupted did not fail. */
  end(exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> {
    this.#runs += 1
    if (exit._tag === "Success" || Cause.hasInterruptsOnly(exit.cause)) return Effect.void
    const reason = reasonOf(exit.cause)
    this.#failures += 1
    const at = this.#clock.elapsed()
    const isKnown = this.#logged?.reason === reason && at - this.#logged.at < quietMilliseconds
    if (isKnown) return Effect.void
    this.#logged = { reason, at }
    const text = `the job "${this.#name}" failed and is tried again: ${withoutValues(reason)}`
    // The place of a defect in the program is wanted; a lost database is none.
    return Cause.hasDies(exit.cause) ? Effect.logError(text, exit.cause) : Effect.logWarning(text)
  }

  report(): Omit<JobReport, "isAwake"> {
    return { name: this.#name, runs: this.#runs, failures: this.#failures }
  }
}
