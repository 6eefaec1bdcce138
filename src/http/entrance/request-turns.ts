/**
 * Begins requests, a few milliseconds' worth in each turn of the event loop. The network hands over all that has come
 * since the last turn at once: begun at once, a thousand requests would keep commits, events and everybody else waiting
 * for 100 ms. What does not fit waits, and those that wait are begun in turns by sender, so that one request of somebody
 * goes before the second of somebody else, and who asks seldom goes before those who ask all the time. After an outage
 * all clients return at once, to poll or to register; whoever does something else meanwhile goes before them. The wait
 * is bounded by the connections: each has one request at a time.
 */
import type { RequestSender } from "../senders/request-sender.ts"

/** Milliseconds of a turn of the loop in which requests are begun at once, and for each line of requests after that. */
const atOnceMilliseconds = 4
const turnMilliseconds = 1.5
/** Milliseconds since a sender's last turn after which it counts as one that asks seldom. */
const seldomMilliseconds = 250
/** Senders whose last turn is remembered. */
const mostRemembered = 10_000

export interface RequestTurnsOptions {
  /** Runs a task in the next turn of the loop. */
  readonly defer: (task: () => void) => void
  /** Milliseconds, for the length of a turn. */
  readonly elapsed: () => number
}

/** The body of a request that may have to wait, such as request-bodies.ts hands over. */
interface WaitingBody {
  /** Keeps it until `release`; false where there is no room, and the request has been refused. */
  readonly keep: (sender: RequestSender) => boolean
  /** To be called, kept or not, when the bytes are needed no more. */
  readonly release: () => void
}

/** A request that has come whole. */
export interface ArrivedRequest {
  readonly body: WaitingBody | undefined
  /** The sender, and whether it is a request with which clients return; asked only if it has to wait. */
  readonly sender: () => RequestSender
  readonly isReturn: () => boolean
  /** Must not throw. */
  readonly begin: () => void
  /** Runs a task about it; where that throws, the request is over. */
  readonly guard: (task: () => void) => void
}

/** All who are not signed in are one: addresses and headers cost nothing. */
const strangers = ""

/** Those who wait in it, by sender. */
type WaitingBySender = Map<string, Array<ArrivedRequest>>

export class RequestTurns {
  readonly #options: RequestTurnsOptions
  /** By sender; the sender whose request is begun next is the first. Maps keep the order of insertion. */
  readonly #waiting: WaitingBySender = new Map()
  /** The same of those who ask seldom, and of those of them who return: the former are begun first, then the latter. */
  readonly #seldom: WaitingBySender = new Map()
  readonly #returning: WaitingBySender = new Map()
  /** Returns whose senders are not found out yet: for a thousand that takes 60 ms, more than their turn of the loop has. */
  readonly #unsorted: Array<ArrivedRequest> = []
  /** When a request of each sender that had waited was begun last. */
  readonly #begun = new Map<string, number>()
  /** Milliseconds that this turn of the loop has spent on beginning requests. */
  #spent = 0
  #isArmed = false

  constructor(options: RequestTurnsOptions) {
    this.#options = options
  }

  /** Begins the request, now or in a later turn. One for whose body there is no room has been refused. */
  enter(arrival: ArrivedRequest): void {
    if (this.#isFree && this.#spent < atOnceMilliseconds) this.#begin(arrival)
    else this.#wait(arrival)
    this.#arm()
  }

  #wait(arrival: ArrivedRequest): void {
    const isReturn = arrival.isReturn()
    if (isReturn && arrival.body === undefined) this.#unsorted.push(arrival)
    else arrival.guard(() => this.#sort(arrival, isReturn))
  }

  #sort(arrival: ArrivedRequest, isReturn: boolean): void {
    const sender = arrival.sender()
    if (arrival.body?.keep(sender) === false) return
    const name = sender.isAccount ? sender.who : strangers
    const ahead = isReturn ? this.#returning : this.#seldom
    join(ahead.has(name) || (!this.#waiting.has(name) && this.#isSeldom(name)) ? ahead : this.#waiting, name, [arrival])
  }

  get #isFree(): boolean {
    const waiting = [this.#seldom, this.#returning, this.#waiting].some(({ size }) => size > 0)
    return !waiting && this.#unsorted.length === 0
  }

  #isSeldom(name: string): boolean {
    const last = this.#begun.get(name)
    return name !== strangers && (last === undefined || this.#options.elapsed() - last > seldomMilliseconds)
  }

  #begin(arrival: ArrivedRequest): void {
    const { elapsed } = this.#options
    const began = elapsed()
    arrival.begin()
    arrival.body?.release()
    this.#spent += elapsed() - began
  }

  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    this.#options.defer(() => this.#turn())
  }

  #turn(): void {
    this.#isArmed = false
    let spent = 0
    for (const serve of [
      () => this.#serve(this.#seldom),
      () => this.#serve(this.#waiting),
      () => this.#serveReturns(),
    ]) {
      this.#spent = 0
      serve()
      spent += this.#spent
    }
    // Requests that come in the rest of this turn are begun at once only if little was done in it.
    this.#spent = spent
    if (spent > 0 || !this.#isFree) this.#arm()
  }

  #serveReturns(): void {
    for (let sorted = this.#sortReturns(); sorted > 0; sorted--) this.#unsorted.shift()
    this.#serve(this.#returning)
  }

  /** Answers how many were put into their lines. */
  #sortReturns(): number {
    const began = this.#options.elapsed()
    for (const [n, arrival] of this.#unsorted.entries()) {
      arrival.guard(() => this.#sort(arrival, true))
      this.#spent = this.#options.elapsed() - began
      if (this.#spent >= turnMilliseconds) return n + 1
    }
    return this.#unsorted.length
  }

  #serve(line: WaitingBySender): void {
    for (const [name, waiting] of line) {
      if (this.#spent >= turnMilliseconds) return
      line.delete(name)
      const arrival = waiting.shift()
      // To the end of the line of those who ask often: the loop comes to it again, after all others.
      if (waiting.length > 0) join(this.#waiting, name, waiting)
      if (this.#begun.size >= mostRemembered) this.#begun.clear()
      this.#begun.set(name, this.#options.elapsed())
      if (arrival !== undefined) this.#begin(arrival)
    }
  }
}

const join = (line: WaitingBySender, name: string, arrivals: Array<ArrivedRequest>): void => {
  const before = line.get(name)
  if (before === undefined) line.set(name, arrivals)
  else before.push(...arrivals)
}
