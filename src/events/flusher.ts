/**
 * One flush per turn of the loop: whatever reached a queue within a turn leaves together, in one frame or response.
 * It runs from setImmediate, never inside a socket's handler, whose own socket would hold the cork buffer and split
 * the others' sends (88 µs instead of 8-12). Shared by all realms of the process.
 */
import { Chain } from "./chain.ts"
import type { Queue } from "./queue.ts"

/** A flush hands over to requests after so long; the rest goes on in the next turn. A send costs 4-7 µs. */
const turnMilliseconds = 10
/**
 * After a flush as long as `longMilliseconds` the next one begins `restMilliseconds` later: what comes meanwhile shares
 * its frames. With 16 messages in flight to 1,000 sockets each frame carries twice as many.
 */
const longMilliseconds = 3
const restMilliseconds = 5
/** Queues between two looks at the clock. */
const defaultQueuesPerLook = 16

export interface FlusherOptions {
  /** Runs a task in a later turn of the loop. */
  readonly defer: (task: () => void) => void
  /** Runs it after so many milliseconds. */
  readonly after: (milliseconds: number, task: () => void) => void
  /** Milliseconds, for the length of a turn. */
  readonly elapsed: () => number
  /** What a queue threw: a bug, which must not take the others' events with it. */
  readonly onFault: (fault: unknown) => void
  readonly queuesPerLook?: number
}

export class Flusher {
  readonly #options: FlusherOptions
  #dirty: Array<Queue> = []
  #armed = false
  #root = Chain.root()
  /** What this flush has taken so far, in all its turns. */
  #took = 0
  #restUntil = 0

  constructor(options: FlusherOptions) {
    this.#options = options
  }

  /** The empty run from which pending lists grow until everything has been sent. */
  readonly root = (): Chain => this.#root

  /** See to this queue at the end of the turn. */
  readonly wake = (queue: Queue): void => {
    if (queue.isAwake) return
    queue.isAwake = true
    this.#dirty.push(queue)
    this.#arm()
  }

  #arm(): void {
    if (this.#armed) return
    this.#armed = true
    const flush = () => {
      this.#armed = false
      this.#flush()
    }
    const rest = this.#restUntil === 0 ? 0 : this.#restUntil - this.#options.elapsed()
    if (rest > 0) this.#options.after(rest, flush)
    else this.#options.defer(flush)
  }

  #flush(): void {
    const dirty = this.#dirty
    this.#dirty = []
    const { queuesPerLook = defaultQueuesPerLook } = this.#options
    const began = this.#options.elapsed()
    const end = began + turnMilliseconds
    this.#restUntil = 0
    let left = queuesPerLook
    let at = 0
    for (let queue = dirty[at]; queue !== undefined; queue = dirty[++at]) {
      if (left <= 0 && this.#options.elapsed() < end) left = queuesPerLook
      if (left <= 0) break
      queue.isAwake = false
      this.#serve(queue)
      left--
    }
    // First in the next turn, before those that were woken meanwhile.
    if (at < dirty.length) this.#dirty = [...dirty.slice(at), ...this.#dirty]
    const now = this.#options.elapsed()
    this.#took += now - began
    if (this.#dirty.length > 0) return this.#arm()
    if (this.#took > longMilliseconds) this.#restUntil = now + restMilliseconds
    this.#took = 0
    // A fresh root lets go of the runs that everybody has sent.
    this.#root = Chain.root()
  }

  #serve(queue: Queue): void {
    try {
      queue.serve()
    } catch (fault) {
      this.#options.onFault(fault)
      queue.fail()
    }
  }
}
