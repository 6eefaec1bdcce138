/**
 * The slowest that a client may be whose file is read from it or sent to it: it has a while, and a second more for each
 * few thousand bytes. Time in which the server does not read from it does not count. Used by body-stream.ts and
 * serve-downloads.ts.
 */
import type { ClockShape, Timer } from "../../clock.ts"

const graceSeconds = 30
const bytesPerSecond = 4096

export class ClientPace {
  readonly #clock: ClockShape
  readonly #onSlow: () => void
  readonly #began: number
  #bytes = 0
  /** Milliseconds in which the client was kept waiting; since when it is again. */
  #rested = 0
  #restsSince: number | undefined
  #timer: Timer | undefined

  constructor(clock: ClockShape, onSlow: () => void) {
    this.#clock = clock
    this.#onSlow = onSlow
    this.#began = clock.elapsed()
    this.#watch(graceSeconds)
  }

  /** Counts bytes that have come, or left. */
  count(bytes: number): void {
    this.#bytes += bytes
  }

  /** The client is kept waiting, until `goOn`. */
  rest(): void {
    this.#restsSince ??= this.#clock.elapsed()
  }

  goOn(): void {
    this.#rested = this.#restedUntilNow()
    this.#restsSince = undefined
  }

  end(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #restedUntilNow(): number {
    return this.#rested + (this.#restsSince === undefined ? 0 : this.#clock.elapsed() - this.#restsSince)
  }

  #watch(seconds: number): void {
    this.#timer = this.#clock.after(1000 * seconds, () => {
      const passed = (this.#clock.elapsed() - this.#began - this.#restedUntilNow()) / 1000
      const left = graceSeconds + this.#bytes / bytesPerSecond - passed
      if (left > 0) this.#watch(Math.max(1, left))
      else this.#onSlow()
    })
  }
}
