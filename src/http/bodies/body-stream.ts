/**
 * A request's body that is read as it comes, for files that are larger than what the server keeps of a body. Nothing is
 * read from the connection before the last part has been taken. The native side reads 512 KB at a time and, paused or not,
 * goes on in the same turn of the loop as long as it gets so much: a body takes the memory of what its client can send in a
 * turn, a read or two by a network and up to all of it from the same machine. A client that sends more slowly than it may
 * while it is read is cut. Made by upload-requests.ts.
 */
import type { ClockShape } from "../../clock.ts"
import type { WireResponse } from "../network/uws-response.ts"
import { BodyMemory } from "./body-memory.ts"
import { ClientPace } from "./client-pace.ts"
import type { PartPool } from "./part-pool.ts"

/** The body did not come whole: its client went away, was too slow, or was answered already. */
export class BodyLost extends Error {
  override readonly name = "BodyLost"
}

/** Bytes of a refused body that are still read, and seconds for that, so that its client gets to reading the answer. */
const mostDiscarded = 32 * 1024 * 1024
const discardSeconds = 10

export interface BodyStream {
  /** To be read once. A part is to be used before the second next one is asked for. Throws BodyLost. */
  readonly parts: AsyncIterable<Uint8Array>
  /** To be called once all parts were used: other bodies get their memory. */
  readonly finish: () => void
  /** Reads on to the end, or for a while; what comes is dropped. */
  readonly discard: () => Promise<void>
  /** The client has gone away. */
  readonly end: () => void
}

type Connection = Pick<WireResponse, "open" | "onBody" | "pause" | "resume" | "cut">

class Stream {
  readonly #response: Connection
  readonly #clock: ClockShape
  readonly #onSlow: () => void
  /** Parts that have come and were not taken. */
  readonly #parts: Array<Uint8Array> = []
  readonly #memory: BodyMemory
  #isWhole = false
  #isLost = false
  #received = 0
  #pace: ClientPace | undefined
  #wake: (() => void) | undefined
  #isDiscarded = false

  constructor(response: Connection, clock: ClockShape, pool: PartPool, onSlow: () => void) {
    this.#response = response
    this.#clock = clock
    this.#memory = new BodyMemory(pool, {
      isOver: () => !response.open,
      pause: () => {
        response.pause()
        this.#pace?.rest()
      },
      resume: () => {
        response.resume()
        this.#pace?.goOn()
      },
    })
    this.#onSlow = onSlow
  }

  onPart(part: Uint8Array, isLast: boolean): void {
    // Copied: the native side uses its memory again.
    if (part.length > 0 && !this.#isDiscarded) this.#parts.push(this.#memory.copy(part))
    this.#received += part.length
    this.#pace?.count(part.length)
    this.#isWhole = isLast
    if (isLast) {
      this.#pace?.end()
      // A body may end with a read after which it was paused; the connection's next request comes behind it.
      this.#memory.open()
    } else this.#memory.pause()
    this.#wake?.()
  }

  lose(): void {
    this.#isLost = true
    this.#pace?.end()
    this.#parts.length = 0
    this.#memory.leave()
    this.#wake?.()
  }

  async *read(): AsyncGenerator<Uint8Array, void> {
    if (!this.#isWhole) this.#pace = new ClientPace(this.#clock, () => this.#cut())
    this.#pace?.count(this.#received)
    if (this.#memory.isPaused) this.#pace?.rest()
    this.#memory.begin()
    try {
      for (;;) {
        if (this.#isLost) throw new BodyLost("the body did not come whole")
        const part = this.#parts.shift()
        if (part !== undefined) {
          yield part
          this.#memory.release(part)
        } else if (this.#isWhole) return
        else await this.#more()
      }
    } finally {
      this.#pace?.end()
    }
  }

  finish(): void {
    this.#memory.finish()
  }

  #cut(): void {
    this.#onSlow()
    this.#response.cut()
    this.lose()
  }

  async discard(): Promise<void> {
    this.#isDiscarded = true
    this.#parts.length = 0
    this.#memory.open()
    this.#memory.leave()
    const most = this.#received + mostDiscarded
    let isOver = false
    const timer = this.#clock.after(1000 * discardSeconds, () => {
      isOver = true
      this.#wake?.()
    })
    while (!this.#isWhole && !this.#isLost && !isOver && this.#received < most) await this.#more()
    timer.cancel()
    this.#pace?.end()
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined
        resolve()
      }
      if (!this.#response.open) return this.lose()
      this.#memory.resume()
    })
  }
}

/** To be called in the request's handler. `onSlow`: the client was cut because it was too slow. */
export const streamBody = (response: Connection, clock: ClockShape, pool: PartPool, onSlow: () => void): BodyStream => {
  const stream = new Stream(response, clock, pool, onSlow)
  response.onBody((part, isLast) => stream.onPart(part, isLast))
  return {
    parts: { [Symbol.asyncIterator]: () => stream.read() },
    finish: () => stream.finish(),
    discard: () => stream.discard(),
    end: () => stream.lose(),
  }
}
