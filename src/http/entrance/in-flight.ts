/**
 * Counts the requests that are being handled, so that a server can wait for them before it ends. A held reply is not
 * counted: its owner ends it. Made by server.ts, which waits for them; the ways into the server count.
 */
export class InFlight {
  #count = 0
  #waiting: Array<() => void> = []

  enter(): void {
    this.#count += 1
  }

  leave(): void {
    this.#count -= 1
    if (this.#count > 0) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const task of waiting) task()
  }

  /** Calls `task` when nothing is in flight, at once if nothing is now. */
  whenIdle(task: () => void): void {
    if (this.#count === 0) task()
    else this.#waiting.push(task)
  }
}
