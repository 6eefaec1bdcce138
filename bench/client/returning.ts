/**
 * A client that comes back to its queue, by WebSocket or by long poll, as often as it must: it knows the last event that
 * it has. What it gets is scanned, not parsed.
 */

import type { EventReader } from "../../src/command-line/bench/wire/event-reader.ts"
import { NumberScanner } from "../../src/command-line/bench/wire/number-scanner.ts"
import { loopback } from "../../src/command-line/bench/wire/server-address.ts"
import { SocketReader } from "../../src/command-line/bench/wire/socket-reader.ts"
import { type Account, host } from "../siege/target.ts"
import { authorization } from "./http.ts"
import { PollStream } from "./poll-stream.ts"

/** The end of a message event: its flags, then its id. Quotes in a message's text are escaped. */
const mark = Buffer.from('],"id":')

export const transports = ["socket", "poll"] as const
type Transport = (typeof transports)[number]

export interface ReturningOptions {
  readonly port: number
  readonly transport: Transport
  readonly account: Account
  readonly queue: string
  /** The last event that it has. */
  readonly last: number
  /** The loopback address that it comes from. */
  readonly from: string
  readonly onEvent: (id: number) => void
  readonly onBytes: (bytes: number) => void
  /** Its connection is gone, or was refused; it comes back when `open` is called again. */
  readonly onLost: (why: string) => void
}

export class Returning {
  readonly #options: ReturningOptions
  readonly #scanner: NumberScanner
  readonly #head: string
  #reader: EventReader | null = null
  last: number

  constructor(options: ReturningOptions) {
    this.#options = options
    this.last = options.last
    this.#head = authorization(options.account)
    this.#scanner = new NumberScanner(mark, (id) => {
      options.onEvent(id)
      this.last = id
    })
  }

  /** Connects, with the last event that it has. */
  open(): void {
    const { port, transport, queue, from, onBytes, onLost } = this.#options
    this.#scanner.reset()
    let isLost = false
    const sink = {
      wantsText: false,
      onFrame: () => {},
      onFrameText: () => {},
      onBytes: (bytes: Uint8Array, start: number, end: number) => {
        onBytes(end - start)
        this.#scanner.piece(bytes, start, end)
      },
      onClose: (why: string) => {
        if (isLost) return
        isLost = true
        this.close()
        onLost(why)
      },
    }
    const query = () => `queue_id=${queue}&last_event_id=${this.last}`
    const poll = () => `GET /api/v1/events?${query()} HTTP/1.1\r\nHost: ${host}\r\n${this.#head}\r\n\r\n`
    this.#reader =
      transport === "socket"
        ? new SocketReader(loopback(port), `/api/v1/events/ws?${query()}`, [this.#head], sink, () => {}, from)
        : new PollStream(port, poll, sink, from)
  }

  close(): void {
    this.#reader?.close()
    this.#reader = null
  }
}

/** Each address has its own ports, so that thousands may come and go. */
export const addressOf = (index: number): string => `127.0.0.${2 + (index % 16)}`
