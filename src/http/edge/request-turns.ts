/**
 * Begins requests, a few milliseconds' worth in each turn of the event loop. The network hands over all that has come
 * since the last turn at once: begun at once, a thousand requests would keep commits, events and everybody else waiting
 * for 100 ms. What does not fit waits, and those that wait are begun in turns by sender, so that one request of somebody
 * goes before the second of somebody else, and who asks seldom goes before those who ask all the time. The wait is
 * bounded by the connections: each has one request at a time.
 */
import type { WholeBody } from "./bodies.ts"
import type { Sender } from "./body-budget.ts"

/** How long requests may be begun in a turn of the loop. */
const turnMilliseconds = 4
/** Whose last turn was so long ago asks seldom. */
const seldomMilliseconds = 250
/** Senders whose last turn is remembered. */
const mostRemembered = 10_000

export interface RequestTurnsOptions {
  /** Runs a task in the next turn of the loop. */
  readonly defer: (task: () => void) => void
  /** Milliseconds, for the length of a turn. */
  readonly elapsed: () => number
}

/** A request that has come whole. */
export interface Arrival {
  readonly body: WholeBody | undefined
  /** Who sends it, asked only if it has to wait. */
  readonly sender: () => Sender
  /** Must not throw. */
  readonly begin: () => void
}

/** All who are not signed in are one: addresses and headers cost nothing. */
const strangers = ""

export class RequestTurns {
  readonly #options: RequestTurnsOptions
  /** By sender; the sender whose request is begun next is the first. Maps keep the order of insertion. */
  readonly #waiting = new Map<string, Array<Arrival>>()
  /** The same of those who ask seldom: they are begun first. */
  readonly #seldom = new Map<string, Array<Arrival>>()
  /** When a request of each sender that had waited was begun last. */
  readonly #begun = new Map<string, number>()
  /** Milliseconds that this turn of the loop has spent on beginning requests. */
  #spent = 0
  #isArmed = false

  constructor(options: RequestTurnsOptions) {
    this.#options = options
  }

  /** Begins the request, now or in a later turn. One for whose body there is no room has been refused. */
  enter(arrival: Arrival): void {
    if (this.#isFree && this.#spent < turnMilliseconds) this.#begin(arrival)
    else this.#wait(arrival)
    this.#arm()
  }

  #wait(arrival: Arrival): void {
    const sender = arrival.sender()
    if (arrival.body?.keep(sender) === false) return
    const name = sender.isAccount ? sender.who : strangers
    const known = this.#seldom.get(name) ?? this.#waiting.get(name)
    if (known !== undefined) return void known.push(arrival)
    const line = this.#isSeldom(name) ? this.#seldom : this.#waiting
    line.set(name, [arrival])
  }

  get #isFree(): boolean {
    return this.#waiting.size === 0 && this.#seldom.size === 0
  }

  #isSeldom(name: string): boolean {
    const last = this.#begun.get(name)
    return name !== strangers && (last === undefined || this.#options.elapsed() - last > seldomMilliseconds)
  }

  #begin({ begin, body }: Arrival): void {
    const { elapsed } = this.#options
    const began = elapsed()
    begin()
    body?.release()
    this.#spent += elapsed() - began
  }

  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    this.#options.defer(() => this.#turn())
  }

  #turn(): void {
    this.#isArmed = false
    this.#spent = 0
    this.#serve(this.#seldom)
    this.#serve(this.#waiting)
    if (this.#spent > 0 || !this.#isFree) this.#arm()
  }

  #serve(line: Map<string, Array<Arrival>>): void {
    for (const [name, waiting] of line) {
      if (this.#spent >= turnMilliseconds) return
      line.delete(name)
      const arrival = waiting.shift()
      // To the end of the line of those who ask often: the loop comes to it again, after all others.
      if (waiting.length > 0) this.#waiting.set(name, waiting)
      if (this.#begun.size >= mostRemembered) this.#begun.clear()
      this.#begun.set(name, this.#options.elapsed())
      if (arrival !== undefined) this.#begin(arrival)
    }
  }
}
