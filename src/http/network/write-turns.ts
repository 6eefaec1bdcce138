/**
 * How much of large bodies is written in a turn of the loop, by all answers together: to write is to copy to the system, a
 * third of a millisecond or more for a megabyte, and eight clients that are sent megabytes must not delay everybody else.
 */

/** Of all answers in one turn of the loop. */
const bytesPerTurn = 1024 * 1024

export class WriteTurns {
  readonly #later: (task: () => void) => void
  readonly #waiting: Array<() => void> = []
  #left = bytesPerTurn
  #isArmed = false

  constructor(later: (task: () => void) => void = setImmediate) {
    this.#later = later
  }

  /** Whether more may be written in this turn. */
  get mayWrite(): boolean {
    return this.#left > 0
  }

  /** Counts what was written. */
  wrote(bytes: number): void {
    this.#left -= bytes
    this.#arm()
  }

  /** Runs a task, which writes, in a later turn. */
  next(task: () => void): void {
    this.#waiting.push(task)
    this.#arm()
  }

  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    this.#later(() => this.#begin())
  }

  #begin(): void {
    this.#isArmed = false
    this.#left = bytesPerTurn
    // Those that wait again in this turn come after all others.
    for (let rest = this.#waiting.length; rest > 0 && this.mayWrite; rest--) this.#waiting.shift()?.()
    if (this.#waiting.length > 0) this.#arm()
  }
}

/** Of the process, which has one event loop. */
export const writeTurns = new WriteTurns()
