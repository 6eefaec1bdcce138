/**
 * A WebSocket that counts events, on a bare TCP connection. Of a frame's payload only the id at its end is read, unless
 * its text is wanted. It sends nothing by itself but pongs.
 */

import { EventReader, type EventSink } from "./event-reader.ts"
import { parseAnswer } from "./http-answer.ts"
import { idAt, tailBytes } from "./last-event-id.ts"
import type { ServerAddress } from "./server-address.ts"

/** Bytes of an answer that refuses, head and body. */
const mostRefusal = 4000
const pong = Buffer.from([0x8a, 0x80, 0, 0, 0, 0])
const opcodes = { text: 1, binary: 2, close: 8, ping: 9 } as const
/** A part of a message, a text or bytes. */
const isData = (opcode: number): boolean => opcode <= opcodes.binary

export class SocketReader extends EventReader {
  #opened: (() => void) | null
  /** An incomplete upgrade response or frame head. */
  #carry: Buffer | null = null
  #opcode = 0
  /** The state of the frame that is being read. */
  #size = 0
  #left = 0
  #tail: Buffer | null = null
  readonly #parts: Array<Buffer> = []

  constructor(
    place: ServerAddress,
    path: string,
    headers: ReadonlyArray<string>,
    sink: EventSink,
    opened: () => void,
    from: string | null = null,
  ) {
    super(place, sink, from)
    this.#opened = opened
    const lines = [
      `GET ${path} HTTP/1.1`,
      `Host: ${place.authority}`,
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      ...headers,
    ]
    this.socket.write(`${lines.join("\r\n")}\r\n\r\n`)
  }

  /** Sends a message of at most 125 bytes. The mask is zero, which leaves it as it is. */
  send(text: string, as: "text" | "binary"): void {
    const head = [0x80 | opcodes[as], 0x80 | Buffer.byteLength(text), 0, 0, 0, 0]
    this.socket.write(Buffer.concat([Buffer.from(head), Buffer.from(text)]))
  }

  protected read(bytes: Uint8Array, length: number): void {
    let at = 0
    let from = bytes
    let end = length
    if (this.#carry !== null) {
      from = Buffer.concat([this.#carry, bytes.subarray(0, length)])
      end = from.length
      this.#carry = null
    }
    if (this.#opened !== null) {
      const text = Buffer.from(from.buffer, from.byteOffset, end).toString("latin1")
      const head = text.indexOf("\r\n\r\n")
      if (head === -1) return this.#keep(from, 0, end)
      if (!text.startsWith("HTTP/1.1 101")) {
        // With its body, which says why.
        if (parseAnswer(Buffer.from(text, "latin1")) === null && end < mostRefusal) return this.#keep(from, 0, end)
        return this.sink.onClose(`not upgraded: ${Buffer.from(text.slice(0, mostRefusal), "latin1")}`)
      }
      this.#opened()
      this.#opened = null
      at = head + 4
    }
    while (at < end) {
      if (this.#left === 0) {
        const head = this.#head(from, at, end)
        if (head === 0) return this.#keep(from, at, end)
        at += head
      }
      const take = Math.min(this.#left, end - at)
      at += take
      this.#left -= take
      this.#took(from, at - take, at)
    }
  }

  #keep(bytes: Uint8Array, at: number, end: number): void {
    this.#carry = Buffer.from(bytes.subarray(at, end))
  }

  /** Reads a frame's head; answers the head's length, or 0 if it is incomplete. */
  #head(bytes: Uint8Array, at: number, end: number): number {
    const short = (bytes[at + 1] ?? 0) & 0x7f
    const length = short < 126 ? 2 : short === 126 ? 4 : 10
    if (at + length > end) return 0
    this.#opcode = (bytes[at] ?? 0) & 0x0f
    let size = short
    if (length > 2) {
      size = 0
      for (let index = at + 2; index < at + length; index++) size = size * 256 + (bytes[index] ?? 0)
    }
    this.#size = size
    this.#left = size
    return length
  }

  #took(bytes: Uint8Array, from: number, to: number): void {
    if (this.sink.wantsText) this.#parts.push(Buffer.from(bytes.subarray(from, to)))
    if (isData(this.#opcode)) this.sink.onBytes?.(bytes, from, to)
    if (this.#left > 0 || this.#tail !== null) {
      const end = bytes.subarray(Math.max(from, to - tailBytes), to)
      this.#tail = Buffer.from(this.#tail === null ? end : Buffer.concat([this.#tail, end]).subarray(-tailBytes))
      if (this.#left > 0) return
    }
    const tail = this.#tail
    this.#tail = null
    if (isData(this.#opcode)) {
      if (this.sink.wantsText) this.sink.onFrameText(Buffer.concat(this.#parts.splice(0)).toString())
      this.sink.onFrame(tail === null ? idAt(bytes, to) : idAt(tail, tail.length), this.#size)
    } else {
      this.#parts.length = 0
      if (this.#opcode === opcodes.ping) this.socket.write(pong)
      else if (this.#opcode === opcodes.close)
        this.sink.onClose(`closed by the server: ${Buffer.from(bytes.subarray(from + 2, to))}`)
    }
  }
}
