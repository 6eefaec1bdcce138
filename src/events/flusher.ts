/**
 * One flush per turn of the loop: whatever reached a queue within a turn leaves together, in one frame or response.
 * It runs from setImmediate, never inside a socket's handler, whose own socket would hold the cork buffer and split
 * the others' sends (88 µs instead of 8-12). Shared by all realms of the process.
 */
import { Chain } from "./chain.ts"
import type { Queue } from "./queue.ts"

/**
 * A flush hands over to requests after so long; the rest goes on in the next turn. A send costs 4-7 µs. With 10 ms the
 * longest block of the loop was 15-22 ms, collections included; it is to stay below 15.
 */
const turnMilliseconds = 7
/**
 * After a flush as long as `longMilliseconds` that sent somebody two events or more, the next one waits: what comes
 * meanwhile shares its frames, and nearly all of a send's cost is its system call. With 16 messages in flight to 1,000
 * sockets a frame then carries 10-12 events instead of 8: a delivery costs a fifth less, and events arrive sooner. Below
 * 10 ms it did next to nothing, because the commits of the next events take that long. One event at a time gains nothing by
 * waiting, so it does not wait; nor does anything wait when no commit is under way.
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
  /** What a queue threw: a bug, which must not take the others' events with it. */
  readonly onFault: (fault: unknown) => void
  readonly queuesPerLook?: number
}

export class Flusher {
  readonly #options: FlusherOptions
  /** Woken, to be served in the next flush. */
  #dirty: Array<Queue> = []
  /** Of the flush under way, which may take several turns of the loop. */
  #serving: ReadonlyArray<Queue> = []
  #at = 0
  #armed = false
  #root = Chain.root()
  /** What the flush has taken so far, and whether it has sent somebody more than one event. */
  #took = 0
  #sharesFrames = false
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

  /** Until nothing more is on its way, or the rest is over. */
  #rest(done: () => void): void {
    const { elapsed, expects, after } = this.#options
    if (expects() && elapsed() < this.#restUntil) after(restStep, () => this.#rest(done))
    else done()
  }

  /** One turn's worth of it; what is woken meanwhile, again perhaps, is for the next one. */
  #flush(): void {
    const { queuesPerLook = defaultQueuesPerLook, elapsed } = this.#options
    const serving = this.#serving
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
    this.#took += elapsed() - began
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
    // A fresh root lets go of the runs that everybody has sent.
    else this.#root = Chain.root()
  }

  /** Whatever one queue throws, when it is told that it has failed too, the others are served. */
  #serve(queue: Queue): void {
    if (queue.pendingCount > 1) this.#sharesFrames = true
    try {
      queue.serve()
    } catch (fault) {
      this.#report(fault)
      try {
        queue.fail()
      } catch (another) {
        this.#report(another)
      }
    }
  }

  #report(fault: unknown): void {
    try {
      this.#options.onFault(fault)
    } catch {
      // The logger itself has failed; delivery goes on.
    }
  }
}
