/** Long polls on one connection, one after the other, whose answers are handed on in parts as they come. */

import { EventReader, type EventSink } from "../../src/command-line/bench/wire/event-reader.ts"
import { loopback } from "../../src/command-line/bench/wire/server-address.ts"

const headEnd = Buffer.from("\r\n\r\n")

export class PollStream extends EventReader {
  readonly #request: () => string
  /** An incomplete head, or an answer that is not a success. */
  #text: Buffer | null = null
  #left = 0

  /** `request` makes the whole request for the events after the last one that the client has. */
  constructor(port: number, request: () => string, sink: EventSink, from: string | null = null) {
    super(loopback(port), sink, from)
    this.#request = request
    this.socket.setNoDelay(true)
    this.socket.on("connect", () => this.#ask())
  }

  #ask(): void {
    this.socket.write(this.#request(), "latin1")
  }

  protected read(bytes: Uint8Array, length: number): void {
    if (this.#left > 0) return this.#body(bytes, 0, length)
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, length)
    const all = this.#text === null ? view : Buffer.concat([this.#text, view])
    this.#text = null
    const end = all.indexOf(headEnd)
    const head = end < 0 ? "" : all.toString("latin1", 0, end).toLowerCase()
    const size = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0)
    const body = end + headEnd.length
    const isFailure = head !== "" && !head.startsWith("http/1.1 200")
    if (head === "" || (isFailure && all.length < body + size)) {
      this.#text = Buffer.from(all)
      return
    }
    if (isFailure) return this.sink.onClose(all.toString("utf8", 0, 600))
    this.#left = size
    this.#body(all, body, all.length)
  }

  #body(bytes: Uint8Array, from: number, to: number): void {
    this.#left -= to - from
    this.sink.onBytes?.(bytes, from, to)
    if (this.#left === 0) this.#ask()
  }
}
