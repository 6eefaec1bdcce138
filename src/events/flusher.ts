/**
 * One flush per turn of the loop: whatever reached a queue within a turn leaves together, in one frame or response.
 * It runs from setImmediate, never inside a socket's handler, whose own socket would hold the cork buffer and split
 * the others' sends (88 µs instead of 8-12). Shared by all realms of the process.
 */
import { Chain } from "./chain.ts"
import type { Queue } from "./queue.ts"

/** Sends per turn: at 4-7 µs each this blocks the loop for about 10 ms. */
const defaultSendsPerTurn = 1500

export class Flusher {
  readonly #defer: (task: () => void) => void
  readonly #sendsPerTurn: number
  #dirty = new Set<Queue>()
  #armed = false
  #root = Chain.root()

  constructor(defer: (task: () => void) => void = setImmediate, sendsPerTurn = defaultSendsPerTurn) {
    this.#defer = defer
    this.#sendsPerTurn = sendsPerTurn
  }

  /** The empty run from which pending lists grow until everything has been sent. */
  readonly root = (): Chain => this.#root

  /** See to this queue at the end of the turn. */
  readonly wake = (queue: Queue): void => {
    this.#dirty.add(queue)
    this.#arm()
  }

  #arm(): void {
    if (this.#armed) return
    this.#armed = true
    this.#defer(() => {
      this.#armed = false
      this.#flush()
    })
  }

  #flush(): void {
    const dirty = this.#dirty
    this.#dirty = new Set()
    let left = this.#sendsPerTurn
    for (const queue of dirty) {
      if (left-- <= 0) this.#dirty.add(queue)
      else queue.serve()
    }
    if (this.#dirty.size > 0) this.#arm()
    // A fresh root lets go of the runs that everybody has sent.
    else this.#root = Chain.root()
  }
}
