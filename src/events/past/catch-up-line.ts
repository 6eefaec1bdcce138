/**
 * The line of queues that read their past, shared by all realms of the process: a bounded number is under way, in turns
 * by owner, and all together work a millisecond or so in each turn of the event loop. So ten thousand clients that come
 * back at once delay nobody else by more than that. Used by past-reader.ts; made where the flusher is.
 */
import { FairTurns, type TurnRequest } from "../../fairness/fair-turns.ts"
import { failQueue } from "../flusher.ts"
import type { Queue } from "../queue.ts"

/**
 * Milliseconds of a turn of the loop in which all queues together may read. With 2 others' sends took a tenth longer,
 * and no return less.
 */
const sliceMilliseconds = 1.2
/** Rest after such a slice, in its lengths, while a commit is under way: its events take several turns of the loop. */
const restShare = 3
/** Queues under way: each keeps up to a response of events in memory while it waits for a page. */
const queuesAtOnce = 64
/** Most queues of one owner under way. */
const ownQueuesAtOnce = 4
/** Milliseconds between two looks whether there is room for queues whose owner has too much unread. */
const roomMilliseconds = 20

export interface CatchUpLineOptions {
  /** Runs a task in a slice of a later turn of the loop. */
  readonly defer: (task: () => void) => void
  /** Runs it after so many milliseconds. */
  readonly after: (milliseconds: number, task: () => void) => void
  /** Milliseconds, for the length of a slice. */
  readonly elapsed: () => number
  /** Whether a commit is under way, whose events take several turns of the loop. */
  readonly expects: () => boolean
  /** Called with the error where the work for one queue threw. The other queues go on. */
  readonly onFault: (fault: unknown) => void
}

/** A queue in the line. */
export interface CatchUp {
  readonly queue: Queue
  readonly owner: string
  /** Whether a large answer for it has room now. */
  readonly hasRoom: () => boolean
  /** Works until `isOver`. Afterwards it is `again` in the line, has left it, or will do either. */
  readonly work: (isOver: () => boolean) => void
}

export class CatchUpLine {
  readonly #options: CatchUpLineOptions
  readonly #turns = new FairTurns({
    capacity: queuesAtOnce,
    perOwner: ownQueuesAtOnce,
    ownerWaiting: Number.POSITIVE_INFINITY,
    allWaiting: Number.POSITIVE_INFINITY,
  })
  /** Null: it waits until there is room. */
  readonly #entered = new Map<Queue, TurnRequest | null>()
  /** Those whose turn it is and that have something to do. */
  readonly #ready: Array<CatchUp> = []
  #isArmed = false
  /** Those for which there is no room. */
  #parked: Array<CatchUp> = []

  constructor(options: CatchUpLineOptions) {
    this.#options = options
  }

  /** A queue that is in the line already is not entered again. */
  enter(each: CatchUp): void {
    if (this.#entered.has(each.queue)) return
    const turn: TurnRequest = { owner: each.owner, cost: 1, begin: () => this.again(each) }
    this.#entered.set(each.queue, turn)
    this.#turns.enter(turn)
  }

  /** To be worked on again, in the same turn of the line. */
  again(each: CatchUp): void {
    this.#ready.push(each)
    this.#arm()
  }

  leave(queue: Queue): void {
    const turn = this.#entered.get(queue)
    this.#entered.delete(queue)
    if (turn !== undefined && turn !== null) this.#turns.leave(turn)
  }

  #arm(milliseconds = 0): void {
    if (this.#isArmed) return
    this.#isArmed = true
    const { defer, after } = this.#options
    const serve = () => defer(() => this.#serve())
    if (milliseconds < 1) serve()
    else after(milliseconds, serve)
  }

  #serve(): void {
    const { elapsed, expects } = this.#options
    const began = elapsed()
    const isOver = () => elapsed() - began >= sliceMilliseconds
    for (let each = this.#ready.shift(); each !== undefined; each = this.#ready.shift()) {
      if (each.hasRoom()) this.#work(each, isOver)
      else this.#park(each)
      if (isOver()) break
    }
    this.#isArmed = false
    if (this.#ready.length > 0) this.#arm(expects() ? restShare * (elapsed() - began) : 0)
  }

  #work(each: CatchUp, isOver: () => boolean): void {
    try {
      each.work(isOver)
    } catch (fault) {
      this.leave(each.queue)
      failQueue(each.queue, fault, this.#options.onFault)
    }
  }

  /** Gives its turn to others, until there is room. */
  #park(each: CatchUp): void {
    this.leave(each.queue)
    this.#entered.set(each.queue, null)
    if (this.#parked.length === 0) this.#options.after(roomMilliseconds, () => this.#unpark())
    this.#parked.push(each)
  }

  /** Enters as many again as can be under way, if there is room for their owners. */
  #unpark(): void {
    const parked = this.#parked
    const refused = new Set<string>()
    this.#parked = []
    let left = queuesAtOnce
    const waiting = parked.filter((each) => {
      if (left === 0 || refused.has(each.owner)) return true
      if (!each.hasRoom()) {
        refused.add(each.owner)
        return true
      }
      left -= 1
      this.#entered.delete(each.queue)
      this.enter(each)
      return false
    })
    if (waiting.length > 0 && this.#parked.length === 0) this.#options.after(roomMilliseconds, () => this.#unpark())
    this.#parked = [...waiting, ...this.#parked]
  }
}
