/**
 * What was sent and what has come: each message has a number, and each queue must get it once. Also when the middle and the
 * last queue had it. It knows nothing of connections.
 */
import { Delays } from "./delays.ts"

/** What is known of a message: no answer yet, stored, not stored, or nobody knows. */
export type MessageFate = "sent" | "stored" | "refused" | "unknown"

interface SentMessage {
  readonly at: number
  fate: MessageFate
  /** When it was answered; NaN: not yet. */
  answered: number
  /** Number of queues that have it. */
  count: number
  /** When half of the queues had it, and all; NaN: not yet. */
  half: number
  all: number
}

export class DeliveryLedger {
  readonly #queues: number
  readonly #sent: Array<SentMessage> = []
  /** A bit for each message, by queue. */
  readonly #seen: Array<Uint8Array>
  readonly #onComplete: (number: number) => void
  deliveries = 0
  doubled = 0
  /** Delays of the messages from a number on. */
  #timed = { from: Number.POSITIVE_INFINITY, delays: new Delays() }

  /** `onComplete` is called when all queues have a message. */
  constructor(queues: number, onComplete: (number: number) => void) {
    this.#queues = queues
    this.#seen = Array.from({ length: queues }, () => new Uint8Array(64))
    this.#onComplete = onComplete
  }

  get messages(): number {
    return this.#sent.length
  }

  /** A message is sent now; answers its number. */
  send(now: number): number {
    return (
      this.#sent.push({ at: now, fate: "sent", answered: Number.NaN, count: 0, half: Number.NaN, all: Number.NaN }) - 1
    )
  }

  answer(number: number, now: number, fate: MessageFate): void {
    const sent = this.#sent[number]
    if (sent === undefined) return
    sent.fate = fate
    sent.answered = now
  }

  take(queue: number, number: number, now: number): void {
    const sent = this.#sent[number]
    if (sent === undefined || this.#isDouble(queue, number)) {
      this.doubled++
      return
    }
    this.deliveries++
    sent.count++
    if (number >= this.#timed.from) this.#timed.delays.add(now - sent.at)
    if (sent.count === Math.ceil(this.#queues / 2)) sent.half = now
    if (sent.count < this.#queues) return
    sent.all = now
    this.#onComplete(number)
  }

  /** Delays of all messages that are sent from now on, until this is asked again. */
  time(): Delays {
    this.#timed = { from: this.#sent.length, delays: new Delays() }
    return this.#timed.delays
  }

  #isDouble(queue: number, number: number): boolean {
    const [at, bit] = [number >> 3, 1 << (number & 7)]
    let seen = this.#seen[queue] ?? new Uint8Array(64)
    if (at >= seen.length) {
      const wider = new Uint8Array(Math.max(at + 1, 2 * seen.length))
      wider.set(seen)
      seen = wider
      this.#seen[queue] = seen
    }
    const before = seen[at] ?? 0
    seen[at] = before | bit
    return (before & bit) !== 0
  }

  /** Milliseconds until half of the queues and until all had each message of these numbers, and until it was answered. */
  times(from: number, to = this.#sent.length) {
    const some = this.#sent.slice(from, to)
    const complete = some.filter(({ all }) => !Number.isNaN(all))
    return {
      medians: complete.map(({ at, half }) => half - at),
      lasts: complete.map(({ at, all }) => all - at),
      answers: some.filter(({ fate }) => fate === "stored").map(({ at, answered }) => answered - at),
    }
  }

  isComplete(number: number): boolean {
    return !Number.isNaN(this.#sent[number]?.all ?? Number.NaN)
  }

  /** Deliveries of stored messages that have not come. */
  get missing(): number {
    const stored = this.#sent.filter(({ fate }) => fate === "stored")
    return stored.reduce((sum, { count }) => sum + this.#queues - count, 0)
  }

  /** Messages by what became of them. */
  count(fate: MessageFate): number {
    return this.#sent.filter((sent) => sent.fate === fate).length
  }
}
