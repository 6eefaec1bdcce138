/**
 * A connection of an attacker: raw bytes out, and of what comes back only the status of each answer and its end are
 * read, so that attackers cost the machine little beside the server that is measured.
 */
import { connect, type Socket } from "node:net"

export interface WireEvents {
  /** An answer has come whole. `end`: its last bytes, as many as came at once; valid during the call only. */
  readonly answered?: (status: number, end: Buffer) => void
  /** The connection is gone: "cut", or "not connected" at all. */
  readonly closed?: (why: string) => void
}

const chunkedEnd = Buffer.from("0\r\n\r\n")

export class Wire {
  readonly socket: Socket
  readonly #events: WireEvents
  #head = ""
  #left = 0
  #isChunked = false
  #status = 0
  #fault = "cut"

  constructor(port: number, from: string, events: WireEvents) {
    this.#events = events
    this.socket = connect({ port, host: "127.0.0.1", localAddress: from, noDelay: true })
    this.socket.on("data", (chunk) => this.#read(chunk))
    this.socket.on("error", (error) => {
      this.#fault = "code" in error && error.code === "ECONNREFUSED" ? "not connected" : "cut"
    })
    this.socket.on("close", () => this.#events.closed?.(this.#fault))
  }

  write(bytes: Uint8Array): void {
    if (this.socket.writable) this.socket.write(bytes)
  }

  close(): void {
    this.socket.destroy()
  }

  #read(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.#isChunked) {
        // The end of a chunked answer is the end of what was sent, because nothing was asked behind it.
        if (!chunk.subarray(-chunkedEnd.length).equals(chunkedEnd)) return
        this.#isChunked = false
        return this.#done(chunk)
      }
      if (this.#left > 0) {
        const take = Math.min(this.#left, chunk.length - at)
        at += take
        this.#left -= take
        if (this.#left === 0) this.#done(chunk.subarray(0, at))
        continue
      }
      const known = this.#head.length
      this.#head += chunk.toString("latin1", at, at + 16_384)
      const end = this.#head.indexOf("\r\n\r\n")
      if (end < 0) return
      at += end + 4 - known
      const head = this.#head.slice(0, end).toLowerCase()
      this.#head = ""
      this.#status = Number(head.slice(9, 12))
      this.#left = Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? 0)
      this.#isChunked = head.includes("\r\ntransfer-encoding: chunked")
      if (this.#left === 0 && !this.#isChunked) this.#done(chunk.subarray(0, at))
    }
  }

  #done(end: Buffer): void {
    this.#events.answered?.(this.#status, end)
  }
}
