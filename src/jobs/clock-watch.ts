/**
 * Notices when the machine's clock is set: the time then moves further, or less, than the milliseconds that have passed.
 * Each jump is logged. Ages are not to be trusted within an hour of one, nor in the first hour of a server, which may
 * have started before the machine asked a time server. Asked by every job that deletes by age.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Clock, type ClockShape } from "../clock.ts"
import { plainLog } from "../db/statement.ts"
import { periodic } from "./job.ts"

/** Clocks that are slewed drift by milliseconds within a look. A machine that slept shows as a jump, too. */
const tolerated = 10_000
const distrusted = 3600_000
const lookMilliseconds = 10_000

interface ClockWatchShape {
  /** Compares the clock with the time that has passed since the last look. To be called every few seconds. */
  readonly look: () => void
  /** Looks; false within an hour of a jump. */
  readonly isTrusted: () => boolean
}

export const makeClockWatch = (clock: ClockShape, log: (text: string) => void): ClockWatchShape => {
  /** When the milliseconds that have passed began to count, by the clock as it is set now. */
  let beginning = clock.now() - clock.elapsed()
  let jumpedAt = clock.elapsed()
  const look = () => {
    const found = clock.now() - clock.elapsed()
    const jump = found - beginning
    beginning = found
    if (Math.abs(jump) < tolerated) return
    jumpedAt = clock.elapsed()
    const way = jump > 0 ? "ahead" : "back"
    const time = new Date(clock.now()).toISOString()
    log(`the clock jumped ${way} by ${Math.round(Math.abs(jump) / 1000)} s, to ${time}: nothing is pruned for an hour`)
  }
  return {
    look,
    isTrusted: () => {
      look()
      return clock.elapsed() - jumpedAt >= distrusted
    },
  }
}

export class ClockWatch extends Context.Service<ClockWatch, ClockWatchShape>()("parley/ClockWatch") {
  static readonly layer = Layer.effect(
    ClockWatch,
    Effect.gen(function* () {
      return makeClockWatch(yield* Clock, yield* plainLog)
    }),
  )
}

export const watchClock = periodic({
  name: "clock",
  everyMilliseconds: lookMilliseconds,
  run: ClockWatch.useSync(({ look }) => look()),
})
