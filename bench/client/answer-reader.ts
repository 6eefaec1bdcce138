/** One request on a connection of its own, whose answer may be of any size: it is counted as it comes, and its end kept. */

import { EventReader } from "../../src/command-line/bench/wire/event-reader.ts"
import { loopback } from "../../src/command-line/bench/wire/server-address.ts"

export interface WholeAnswer {
  readonly status: number
  /** The Content-Encoding; empty for none. */
  readonly encoding: string
  /** Bytes that came, head included. */
  readonly bytes: number
  /** The whole body, if it was to be kept; else nothing. */
  readonly body: Buffer | null
  /** The last bytes of the body. */
  readonly end: Buffer
}

const headEnd = Buffer.from("\r\n\r\n")
const lineEnd = Buffer.from("\r\n")
const endBytes = 400

export interface AnswerOptions {
  readonly port: number
  readonly from: string
  readonly request: Uint8Array
  readonly keepsBody: boolean
  readonly onAnswer: (answer: WholeAnswer) => void
  /** No whole answer will come. */
  readonly onLost: (why: string) => void
}

export class AnswerReader extends EventReader {
  readonly #options: AnswerOptions
  #head: { readonly status: number; readonly encoding: string; readonly isChunked: boolean } | null = null
  /** A head, or the line before a chunk, that has not come whole. */
  #rest: Buffer | null = null
  /** Bytes left of the body, or of the chunk with the line end behind it; -1: a chunk's length comes next. */
  #left = 0
  #isLastChunk = false
  #bytes = 0
  #end = Buffer.alloc(0)
  readonly #parts: Array<Buffer> = []

  constructor(options: AnswerOptions) {
    const { port, from, request, onLost } = options
    super(loopback(port), { wantsText: false, onFrame: () => {}, onFrameText: () => {}, onClose: onLost }, from)
    this.#options = options
    this.socket.setNoDelay(true)
    this.socket.write(request)
  }

  protected read(bytes: Uint8Array, length: number): void {
    this.#bytes += length
    let all = Buffer.from(bytes.buffer, bytes.byteOffset, length)
    if (this.#rest !== null) all = Buffer.concat([this.#rest, all])
    this.#rest = null
    let at = 0
    if (this.#head === null) {
      const end = all.indexOf(headEnd)
      if (end < 0) {
        this.#rest = Buffer.from(all)
        return
      }
      const text = all.toString("latin1", 0, end).toLowerCase()
      const isChunked = text.includes("\r\ntransfer-encoding: chunked")
      const encoding = /\r\ncontent-encoding: (\S+)/.exec(text)?.[1] ?? ""
      this.#head = { status: Number(text.slice(9, 12)), encoding, isChunked }
      this.#left = isChunked ? -1 : Number(/\r\ncontent-length: (\d+)/.exec(text)?.[1] ?? 0)
      at = end + headEnd.length
      if (this.#left === 0) return this.#finish()
    }
    while (at < all.length) {
      if (this.#left < 0) {
        const end = all.indexOf(lineEnd, at)
        if (end < 0) {
          this.#rest = Buffer.from(all.subarray(at))
          return
        }
        const size = Number.parseInt(all.toString("latin1", at, end), 16)
        this.#isLastChunk = size === 0
        this.#left = size + lineEnd.length
        at = end + lineEnd.length
        continue
      }
      const take = Math.min(this.#left, all.length - at)
      this.#left -= take
      this.#take(all.subarray(at, at + take))
      at += take
      if (this.#left > 0) return
      if (!this.#head.isChunked || this.#isLastChunk) return this.#finish()
      this.#left = -1
    }
  }

  /** Part of the body; of a chunk its line end may be among it. */
  #take(part: Buffer): void {
    const { isChunked } = this.#head ?? { isChunked: false }
    const surplus = isChunked ? Math.max(0, Math.min(part.length, lineEnd.length - this.#left)) : 0
    const own = part.subarray(0, part.length - surplus)
    if (this.#options.keepsBody) this.#parts.push(Buffer.from(own))
    if (own.length === 0) return
    const last = own.subarray(-endBytes)
    this.#end = last.length === endBytes ? Buffer.from(last) : Buffer.concat([this.#end, last]).subarray(-endBytes)
  }

  #finish(): void {
    const { status, encoding } = this.#head ?? { status: 0, encoding: "" }
    const body = this.#options.keepsBody ? Buffer.concat(this.#parts) : null
    this.close()
    this.#options.onAnswer({ status, encoding, bytes: this.#bytes, body, end: this.#end })
  }
}
