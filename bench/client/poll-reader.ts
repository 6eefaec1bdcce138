/** A long poll that counts events: asks, reads the id at the end of the answer, and asks again from there. */

import { EventReader, type EventSink } from "../../src/command-line/bench/wire/event-reader.ts"
import { idAt } from "../../src/command-line/bench/wire/last-event-id.ts"
import { loopback } from "../../src/command-line/bench/wire/server-address.ts"

export class PollReader extends EventReader {
  readonly #request: (last: number) => string
  #opened: (() => void) | null
  #last: number
  #carry: Buffer | null = null

  /** `request` makes the whole request for the events after an id. Open as soon as the first one is written. */
  constructor(port: number, first: number, request: (last: number) => string, sink: EventSink, opened: () => void) {
    super(loopback(port), sink)
    this.#request = request
    this.#opened = opened
    this.#last = first
    this.socket.setNoDelay(true)
    this.socket.on("connect", () => {
      this.#ask()
      this.#opened?.()
      this.#opened = null
    })
  }

  #ask(): void {
    this.socket.write(this.#request(this.#last), "latin1")
  }

  protected read(bytes: Uint8Array, length: number): void {
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, length)
    const answer = this.#carry === null ? view : Buffer.concat([this.#carry, view])
    this.#carry = null
    const body = answer.indexOf("\r\n\r\n") + 4
    const head = body < 4 ? "" : answer.toString("latin1", 0, body).toLowerCase()
    const size = Number(/content-length: (\d+)/.exec(head)?.[1])
    if (head === "" || body + size > answer.length) {
      this.#carry = Buffer.from(answer)
      return
    }
    if (!head.startsWith("http/1.1 200")) return this.sink.onClose(answer.toString("utf8", 0, 400))
    if (this.sink.wantsText) {
      const { events }: { readonly events: unknown } = JSON.parse(answer.toString("utf8", body))
      this.sink.onFrameText(JSON.stringify(events))
    }
    const id = idAt(answer, body + size)
    if (id > this.#last) {
      this.#last = id
      this.sink.onFrame(id, size)
    }
    this.#ask()
  }
}
