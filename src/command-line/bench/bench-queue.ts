/**
 * One queue that is read as fast as can be: what comes is not parsed but scanned for the numbers of the bench's messages. It
 * knows the last event that it has, and comes back from there as often as it is opened. Numbers count when their frame or
 * answer is whole, because what was cut off comes again.
 */

import type { EventReader } from "./wire/event-reader.ts"
import { NumberScanner } from "./wire/number-scanner.ts"
import { PollReader } from "./wire/poll-reader.ts"
import type { ServerAddress } from "./wire/server-address.ts"
import { SocketReader } from "./wire/socket-reader.ts"

/**
 * A connection that is gone. `refused`: an answer that is the same whenever one asks again. `retryAfter`: milliseconds that the
 * server asks to wait.
 */
export interface QueueLoss {
  readonly kind: "gone" | "limited" | "refused" | "cut"
  readonly why: string
  readonly retryAfter: number
}

export interface BenchQueueOptions {
  readonly place: ServerAddress
  readonly transport: "socket" | "poll"
  /** The header of its account. */
  readonly authorization: string
  readonly id: string
  /** The last event that it has. */
  readonly last: number
  readonly mark: Buffer
  readonly onNumbers: (numbers: ReadonlyArray<number>) => void
  readonly onOpen: () => void
  readonly onLost: (loss: QueueLoss) => void
}

/** Answers of the 400s after which the same may go well. */
const forNow: ReadonlyArray<number> = [408, 425, 429]

/** What a refusal of the API says; empty where it is none. */
const wordsIn = (text: string): string => {
  const [, quoted] = /"msg"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text) ?? []
  if (quoted === undefined) return ""
  try {
    return `: ${JSON.parse(quoted)}`
  } catch {
    return ""
  }
}

/** What became of a connection, from the text of its end: an answer that was not wanted, a close reason, an error. */
export const lossOf = (text: string): QueueLoss => {
  const status = Number(/^(?:not upgraded: )?HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0)
  const seconds = Number(/\r\nretry-after:\s*([\d.]+)/i.exec(text)?.[1] ?? (status === 429 ? 1 : 0))
  const why = status === 0 ? text : `answered ${status}${wordsIn(text)}`
  if (/bad[_ ]event[_ ]queue[_ ]id/i.test(text)) return { kind: "gone", why: "the queue is gone", retryAfter: 0 }
  const isForGood = status >= 400 && status < 500 && !forNow.includes(status)
  return { kind: status === 429 ? "limited" : isForGood ? "refused" : "cut", why, retryAfter: 1000 * seconds }
}

export class BenchQueue {
  readonly #options: BenchQueueOptions
  readonly #scanner: NumberScanner
  #last: number
  #reader: EventReader | null = null
  #numbers: Array<number> = []

  constructor(options: BenchQueueOptions) {
    this.#options = options
    this.#last = options.last
    this.#scanner = new NumberScanner(options.mark, (number) => void this.#numbers.push(number))
  }

  get id(): string {
    return this.#options.id
  }

  /** Connects, with the last event that it has. */
  open(): void {
    const { place, transport, authorization, id, onNumbers, onOpen, onLost } = this.#options
    this.close()
    this.#scanner.reset()
    this.#numbers = []
    let isLost = false
    const sink = {
      wantsText: false,
      onFrameText: () => {},
      onBytes: (bytes: Uint8Array, from: number, to: number) => this.#scanner.piece(bytes, from, to),
      onFrame: (last: number) => {
        if (last > this.#last) this.#last = last
        if (this.#numbers.length > 0) onNumbers(this.#numbers.splice(0))
      },
      onClose: (why: string) => {
        if (isLost) return
        isLost = true
        this.close()
        onLost(lossOf(why))
      },
    }
    const path = (end: string) => `/api/v1/events${end}?queue_id=${encodeURIComponent(id)}&last_event_id=${this.#last}`
    const poll = () => `GET ${path("")} HTTP/1.1\r\nHost: ${place.authority}\r\n${authorization}\r\n\r\n`
    this.#reader =
      transport === "socket"
        ? new SocketReader(place, path("/ws"), [authorization], sink, onOpen)
        : new PollReader(place, poll, sink, onOpen)
  }

  /** Cuts the connection; the queue stays. */
  close(): void {
    this.#reader?.close()
    this.#reader = null
  }
}
