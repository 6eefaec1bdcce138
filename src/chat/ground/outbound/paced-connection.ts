/**
 * A connection whose bytes are handed on piece by piece, in slices of the loop: whoever reads an answer takes as long for
 * 64 KB of chunks of one byte each as for megabytes that come in one. Counts what came, so that an answer can be refused
 * that is little else than its frame.
 */
import type { Socket } from "node:net"
import { Duplex } from "node:stream"
import { inSlice } from "../../../slices.ts"

/** At worst it takes a parser a fifth of a millisecond. */
const piece = 1024
const sliceMilliseconds = 1

export class PacedConnection extends Duplex {
  readonly #socket: Socket
  #waiting: Buffer = Buffer.alloc(0)
  #isSliceAsked = false
  #isWanted = true
  #isOver = false
  #received = 0

  constructor(socket: Socket) {
    super()
    this.#socket = socket
    // Whoever uses it hears of a fault, too; but at its end nobody may listen any more.
    this.on("error", () => {})
    socket.on("data", (bytes: Buffer) => {
      this.#waiting = bytes
      socket.pause()
      this.#askSlice()
    })
    socket.on("end", () => {
      this.#isOver = true
      this.#askSlice()
    })
    socket.on("error", (fault) => this.destroy(fault))
    socket.on("close", () => {
      if (!this.#isOver) this.destroy()
    })
  }

  /** Bytes that were handed on, whatever they were. */
  get received(): number {
    return this.#received
  }

  #handOn(): void {
    const end = performance.now() + sliceMilliseconds
    while (this.#isWanted && this.#waiting.length > 0 && !this.destroyed && performance.now() < end) {
      const next = this.#waiting.subarray(0, piece)
      this.#waiting = this.#waiting.subarray(piece)
      this.#received += next.length
      this.#isWanted = this.push(next)
    }
    if (this.destroyed) return
    if (this.#waiting.length > 0) {
      if (this.#isWanted) this.#askSlice()
    } else if (this.#isOver) this.push(null)
    else this.#socket.resume()
  }

  #askSlice(): void {
    if (this.#isSliceAsked) return
    this.#isSliceAsked = true
    inSlice(() => {
      this.#isSliceAsked = false
      this.#handOn()
    })
  }

  override _read(): void {
    if (this.#isWanted) return
    this.#isWanted = true
    this.#askSlice()
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (fault?: Error | null) => void): void {
    this.#socket.write(bytes, done)
  }

  override _final(done: () => void): void {
    this.#socket.end(() => done())
  }

  override _destroy(fault: Error | null, done: (fault: Error | null) => void): void {
    this.#socket.destroy()
    done(fault)
  }
}
