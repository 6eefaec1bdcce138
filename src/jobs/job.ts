/**
 * Work that the server does by itself, as a value: a feature of chat lists its jobs in its definition, and the service `Jobs`
 * (jobs.ts) runs them all. A periodic job runs by the clock alone. A woken one runs as soon as possible after
 * somebody has called `Jobs.wake` with it, when its last run has asked for it, and by the clock in case that both were missed.
 */
import * as Effect from "effect/Effect"
import { JobRuns } from "./job-runs.ts"

/** `R`: the services that it needs, which `Jobs.start` takes from its context. */
export interface ServerJob<R = never> {
  /** Unique; what the log and the report call it. */
  readonly name: string
  /** Between two beginnings of a periodic job; the longest wait of a woken one for its next run. By the clock's time. */
  readonly everyMilliseconds: number
  /** Whether it also runs once when the server has started. */
  readonly isAtStart: boolean
  readonly isWoken: boolean
  /** Answers after how many milliseconds a woken job wants to run again; null: as soon as somebody wakes it. */
  readonly run: Effect.Effect<number | null, unknown, R>
}

/** The services that some job of a list needs. */
export type JobServices<J> = J extends ServerJob<infer R> ? R : never

export interface PeriodicJob<R> {
  readonly name: string
  readonly everyMilliseconds: number
  readonly isAtStart?: boolean
  readonly run: Effect.Effect<void, unknown, R>
}

/** A run that is still going on when the next is due is not started again. */
export const periodic = <R>({ run, isAtStart = false, ...job }: PeriodicJob<R>): ServerJob<R> => ({
  ...job,
  isAtStart,
  isWoken: false,
  run: Effect.as(run, null),
})

/** For what every process would do alike: no run begins in one of them while another has one. */
export const periodicOnce = <R>({ run, ...job }: PeriodicJob<R>): ServerJob<R | JobRuns> =>
  periodic({ ...job, run: Effect.asVoid(JobRuns.use(({ once }) => once(job.name, run))) })

export interface WokenJob<R> {
  readonly name: string
  readonly fallbackMilliseconds: number
  readonly run: Effect.Effect<number | null, unknown, R>
}

/** Wakes that come before its run has begun are one; those that come while it runs make it run once more. */
export const woken = <R>({ name, fallbackMilliseconds, run }: WokenJob<R>): ServerJob<R> => ({
  name,
  everyMilliseconds: fallbackMilliseconds,
  isAtStart: true,
  isWoken: true,
  run,
})

/** Milliseconds until a woken job looks again whether another process has ended its run. */
const othersMilliseconds = 1000

/** As `woken`, for what every process would do alike. */
export const wokenOnce = <R>({ run, ...job }: WokenJob<R>): ServerJob<R | JobRuns> => {
  const done = Effect.map(run, (wait) => ({ wait }))
  return woken({
    ...job,
    run: Effect.map(
      JobRuns.use(({ once }) => once(job.name, done)),
      (ran) => (ran === null ? othersMilliseconds : ran.wait),
    ),
  })
}
