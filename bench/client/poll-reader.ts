/** A long poll that counts: asks, reads the id at the end of the answer, asks again from there, on one connection. */
import { connect, type Socket } from "node:net"
import type { Sink } from "./socket-reader.ts"
import { idAt } from "./tail.ts"

const shared = Buffer.allocUnsafeSlow(512 * 1024)

export class PollReader {
  readonly #sink: Sink
  readonly #socket: Socket
  readonly #request: (last: number) => string
  #opened: (() => void) | null
  #last: number
  #carry: Buffer | null = null

  /** `request` makes the whole request for the events after an id. Open as soon as the first one is written. */
  constructor(port: number, first: number, request: (last: number) => string, sink: Sink, opened: () => void) {
    this.#sink = sink
    this.#request = request
    this.#opened = opened
    this.#last = first
    this.#socket = connect({
      port,
      host: "127.0.0.1",
      onread: {
        buffer: shared,
        callback: (length, buffer) => {
          this.#read(buffer, length)
          return true
        },
      },
    })
    this.#socket.setNoDelay(true)
    this.#socket.on("error", (error) => sink.lost(error.message))
    this.#socket.on("close", () => sink.lost("closed"))
    this.#socket.on("connect", () => {
      this.#ask()
      this.#opened?.()
      this.#opened = null
    })
  }

  stall(): void {
    this.#socket.pause()
  }

  close(): void {
    this.#socket.removeAllListeners("close")
    this.#socket.destroy()
  }

  #ask(): void {
    this.#socket.write(this.#request(this.#last), "latin1")
  }

  #read(bytes: Uint8Array, length: number): void {
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
    if (!head.startsWith("http/1.1 200")) return this.#sink.lost(answer.toString("utf8", 0, 400))
    if (this.#sink.scout) {
      const { events }: { readonly events: unknown } = JSON.parse(answer.toString("utf8", body))
      this.#sink.whole(JSON.stringify(events))
    }
    const id = idAt(answer, body + size)
    if (id > this.#last) {
      this.#last = id
      this.#sink.frame(id, size)
    }
    this.#ask()
  }
}
