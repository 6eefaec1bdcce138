/**
 * How late the event loop is. It is measured in windows of half a minute that end by themselves, so that several programs may
 * ask without one of them taking what the other has not seen.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

const windowMilliseconds = 30_000
const sampleMilliseconds = 10
const nanosecondsPerSecond = 1e9
const percents = [50, 99, 100]

/** Seconds, by the share of the turns that were at most so late. */
export type LoopDelay = ReadonlyArray<readonly [share: string, seconds: number]>

interface DelayHistogram {
  readonly count: number
  readonly percentile: (percent: number) => number
  readonly reset: () => void
}

/** Two windows of `measured`: `turn` ends the present one. */
export const loopWindows = (measured: DelayHistogram) => {
  const now = (): ReadonlyArray<number> =>
    percents.map((percent) => (measured.count === 0 ? 0 : measured.percentile(percent) / nanosecondsPerSecond))
  let before: ReadonlyArray<number> = percents.map(() => 0)
  return {
    turn: (): void => {
      before = now()
      measured.reset()
    },
    read: (): LoopDelay =>
      now().map((seconds, index) => [String((percents[index] ?? 0) / 100), Math.max(seconds, before[index] ?? 0)]),
  }
}

/** Answers what reads it, until the scope closes. */
export const watchLoop: Effect.Effect<() => LoopDelay, never, Scope.Scope> = Effect.gen(function* () {
  const delay = monitorEventLoopDelay({ resolution: sampleMilliseconds })
  delay.enable()
  const windows = loopWindows(delay)
  const timer = setInterval(windows.turn, windowMilliseconds).unref()
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      clearInterval(timer)
      delay.disable()
    }),
  )
  return windows.read
})
