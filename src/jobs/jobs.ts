/**
 * Runs the server's jobs (job.ts), and what is done beside a request. A run that fails or dies is logged with its job's name
 * and tried again at its next time; it ends nothing else. At the end of the server no run begins any more, those under way are
 * waited for a moment, and then interrupted.
 *
 *   asleep ── clock, wake ──> begins ──> runs ──> asleep
 *                               ^          │ woken meanwhile
 *                               └──────────┘
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Clock, type ClockShape, type Timer } from "../clock.ts"
import type { ServerJob } from "./job.ts"
import { JobLog, type JobReport } from "./job-log.ts"

/**
 * Milliseconds that the end of the server waits for jobs that are running. By the machine's time: it bounds the wait
 * for what may never come.
 */
const drainMilliseconds = 2000

/** Milliseconds after that until what was interrupted is left to itself: a decoder ends its picture first. */
const interruptMilliseconds = 2000

/** When a woken job is tried again that has failed. */
const retryMilliseconds = 5000

interface JobsShape {
  /** Runs the jobs until the scope closes. */
  readonly start: <R>(jobs: ReadonlyArray<ServerJob<R>>) => Effect.Effect<void, never, R | Scope.Scope>
  /** Has a woken job run as soon as possible. One that is not started yet runs when it is. */
  readonly wake: (job: { readonly name: string }) => void
  /**
   * Does something beside everything else, once. A failure is dropped, because nobody waits for it; a defect is logged. At the
   * end of the server it is `awaited` as a job is, or `cut`: interrupted at once, for what is lost without harm, or found again
   * by a job.
   */
  readonly inBackground: <R = never>(
    what: string,
    atEnd?: "cut" | "awaited",
  ) => Effect.Effect<(work: Effect.Effect<void, unknown, R>) => void, never, R>
  /** Whether the server ends: a run of many pieces ends after this one. */
  readonly isEnding: () => boolean
  /** By name, in the order in which they were started. */
  readonly report: () => ReadonlyArray<JobReport>
}

/** A job at work: when it runs next. `begin` has a run made. */
class Runner {
  readonly #job: ServerJob<unknown>
  readonly #clock: ClockShape
  readonly #begin: () => void
  #timer: Timer | null = null
  isAwake = false
  /** Woken since the present run has begun. */
  isWoken = false

  constructor(job: ServerJob<unknown>, clock: ClockShape, begin: () => void) {
    this.#job = job
    this.#clock = clock
    this.#begin = begin
    if (!job.isWoken) this.#timer = clock.every(job.everyMilliseconds, () => this.#tryToBegin())
  }

  #tryToBegin(): void {
    if (this.isAwake) return
    this.isAwake = true
    this.#begin()
  }

  wake(): void {
    this.isWoken = true
    this.#tryToBegin()
  }

  /** The run has ended. `wait`: after how many milliseconds it wants to be run again, if it says so. */
  rest(wait: number | null): void {
    this.isAwake = false
    if (!this.#job.isWoken) return
    if (this.isWoken) return this.#tryToBegin()
    this.#timer?.cancel()
    const longest = this.#job.everyMilliseconds
    this.#timer = this.#clock.after(Math.min(Math.max(wait ?? longest, 1), longest), () => this.#tryToBegin())
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = null
  }
}

const make = Effect.gen(function* () {
  const clock = yield* Clock
  const running = yield* FiberSet.make<void>()
  const besides = yield* FiberSet.make<void>()
  const runners = new Map<string, Runner>()
  const logs = new Map<string, JobLog>()
  /** Names of jobs that were woken before they were started. */
  const wokenEarly = new Set<string>()
  let isEnding = false

  const startOne = Effect.fnUntraced(function* <R>(job: ServerJob<R>) {
    if (logs.has(job.name)) return yield* Effect.die(new Error(`there are two jobs of the name ${job.name}`))
    const log = new JobLog(job.name, clock)
    logs.set(job.name, log)
    const fork = yield* FiberSet.runtime(running)<R>()
    const run = Effect.gen(function* () {
      // So that all who wake it in one turn are served by one run.
      yield* Effect.yieldNow
      if (isEnding) return
      runner.isWoken = false
      const exit = yield* Effect.exit(job.run)
      const rest = Effect.sync(() => {
        if (!isEnding) runner.rest(exit._tag === "Success" ? exit.value : retryMilliseconds)
      })
      // Whatever the log does: a job that does not rest never runs again.
      yield* Effect.ensuring(
        Effect.suspend(() => log.end(exit)),
        rest,
      )
    })
    const runner = new Runner(job, clock, () => void fork(run))
    runners.set(job.name, runner)
    if (job.isAtStart || wokenEarly.delete(job.name)) runner.wake()
  })

  const bounded = (wait: Effect.Effect<void>, milliseconds: number) =>
    Effect.timeoutOption(Effect.interruptible(wait), milliseconds)

  const stop = Effect.gen(function* () {
    isEnding = true
    for (const runner of runners.values()) runner.stop()
    yield* bounded(
      Effect.all([FiberSet.clear(besides), FiberSet.awaitEmpty(running)], { concurrency: 2, discard: true }),
      drainMilliseconds,
    )
    yield* bounded(FiberSet.clear(running), interruptMilliseconds)
  })

  return Jobs.of({
    start: (jobs) =>
      Effect.andThen(
        Effect.addFinalizer(() => stop),
        Effect.forEach(jobs, startOne, { discard: true }),
      ),
    wake: ({ name }) => {
      if (isEnding) return
      const runner = runners.get(name)
      if (runner === undefined) wokenEarly.add(name)
      else runner.wake()
    },
    inBackground: <R = never>(what: string, atEnd: "cut" | "awaited" = "cut") =>
      Effect.map(
        FiberSet.runtime(atEnd === "cut" ? besides : running)<R>(),
        (fork) => (work: Effect.Effect<void, unknown, R>) => {
          if (isEnding) return
          fork(
            Effect.catchCause(work, (cause) =>
              Cause.hasDies(cause) ? Effect.logError(`${what} failed`, cause) : Effect.void,
            ),
          )
        },
      ),
    isEnding: () => isEnding,
    report: () => [...logs].map(([name, log]) => ({ ...log.report(), isAwake: runners.get(name)?.isAwake ?? false })),
  })
})

export class Jobs extends Context.Service<Jobs, JobsShape>()("parley/Jobs") {
  static readonly layer = Layer.effect(Jobs, make)
}
