/**
 * Sends the pending events of queues, once per turn of the loop: all events that reached a queue within a turn leave
 * together, in one frame or response. It runs from setImmediate, never inside a socket's handler, whose own socket
 * would hold the cork buffer and split the others' sends (88 µs instead of 8-12). Shared by all realms of the process.
 */
import { EventChain } from "./event-chain.ts"
import type { Queue } from "./queue.ts"

/**
 * Milliseconds that a flush may take before requests are served; it goes on in the next turn. A send costs 4-7 µs. With
 * 10 the longest block of the loop was 15-22 ms, collections included; it is to stay below 15.
 */
const turnMilliseconds = 7
/**
 * After a flush as long as `longMilliseconds` that sent a queue two events or more, the next one waits: events that
 * come meanwhile share its frames: nearly all of a send's cost is the system call. With 16 messages in flight to 1,000
 * sockets a frame then carries 10-12 events instead of 8: a delivery costs a fifth less, and events arrive sooner.
 * Below 10 ms it did next to nothing, because the commits of the next events take that long. One event at a time gains
 * nothing by waiting, so it does not wait; nor does anything wait when no commit is under way.
 */
const longMilliseconds = 3
const restMilliseconds = 15
const restStep = 1
/** Queues between two looks at the clock. */
const defaultQueuesPerLook = 16

export interface FlusherOptions {
  /** Runs a task in a later turn of the loop. */
  readonly defer: (task: () => void) => void
  /** Runs it after so many milliseconds. */
  readonly after: (milliseconds: number, task: () => void) => void
  /** Whether more events are under way, which could share the frames of the next flush. */
  readonly expects: () => boolean
  /** Milliseconds, for the length of a turn. */
  readonly elapsed: () => number
  /** Called with the error where serving one queue threw. The other queues are served all the same. */
  readonly onFault: (fault: unknown) => void
  readonly queuesPerLook?: number
}

/** What all flushes of the process have come to since it was started, for its figures. */
export const flushCounts = { turns: 0, queues: 0, milliseconds: 0 }

const report = (fault: unknown, onFault: (fault: unknown) => void): void => {
  try {
    onFault(fault)
  } catch {
    // The logger itself has failed; delivery goes on.
  }
}

/**
 * Reports what was thrown while a queue was served, and ends its connection. Never throws itself, though ending the
 * connection may: other queues go on, and nobody takes it for a row that cannot be applied. The hub calls it too.
 */
export const failQueue = (queue: Queue, fault: unknown, onFault: (fault: unknown) => void): void => {
  report(fault, onFault)
  try {
    queue.fail()
  } catch (another) {
    report(another, onFault)
  }
}

export class QueueFlusher {
  readonly #options: FlusherOptions
  /** Queues to be served in the next flush. */
  #dirty: Array<Queue> = []
  /** Queues of the flush under way, which may take several turns of the loop, and the index of the next one. */
  #serving: ReadonlyArray<Queue> = []
  #at = 0
  #armed = false
  #root = EventChain.root()
  /** Milliseconds that the flush has taken so far, and whether it sent any queue more than one event. */
  #took = 0
  #sharesFrames = false
  #restUntil = 0

  constructor(options: FlusherOptions) {
    this.#options = options
  }

  /** The empty chain that pending lists start from; replaced when everything has been sent. */
  readonly root = (): EventChain => this.#root

  /** Has a queue served at the end of the turn. */
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
      this.#serving = this.#dirty
      this.#dirty = []
      this.#at = 0
      this.#flush()
    }
    const { defer } = this.#options
    if (this.#restUntil === 0) return defer(flush)
    this.#rest(() => {
      this.#restUntil = 0
      defer(flush)
    })
  }

  /** Waits until no more events are expected, or the rest is over. */
  #rest(done: () => void): void {
    const { elapsed, expects, after } = this.#options
    if (expects() && elapsed() < this.#restUntil) after(restStep, () => this.#rest(done))
    else done()
  }

  /** Serves queues for one turn. Queues that are woken meanwhile are served in the next flush. */
  #flush(): void {
    const { queuesPerLook = defaultQueuesPerLook, elapsed } = this.#options
    const serving = this.#serving
    const first = this.#at
    const began = elapsed()
    const end = began + turnMilliseconds
    let left = queuesPerLook
    for (let queue = serving[this.#at]; queue !== undefined; queue = serving[this.#at]) {
      if (left <= 0 && elapsed() < end) left = queuesPerLook
      if (left <= 0) break
      this.#at++
      queue.isAwake = false
      this.#serve(queue)
      left--
    }
    const took = elapsed() - began
    this.#took += took
    flushCounts.turns += 1
    flushCounts.queues += this.#at - first
    flushCounts.milliseconds += took
    if (this.#at < serving.length) this.#options.defer(() => this.#flush())
    else this.#finish()
  }

  #finish(): void {
    if (this.#sharesFrames && this.#took > longMilliseconds)
      this.#restUntil = this.#options.elapsed() + restMilliseconds
    this.#took = 0
    this.#sharesFrames = false
    this.#serving = []
    this.#armed = false
    if (this.#dirty.length > 0) this.#arm()
    // A new root frees the chains that have been sent.
    else this.#root = EventChain.root()
  }

  /** Serves one queue. The others are served too where it throws. */
  #serve(queue: Queue): void {
    if (queue.pendingCount > 1) this.#sharesFrames = true
    try {
      queue.serve()
    } catch (fault) {
      failQueue(queue, fault, this.#options.onFault)
    }
  }
}
