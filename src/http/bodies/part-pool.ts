/**
 * Memory for the parts of bodies, used again and again, and who of the bodies waits for others. Memory that is new with each
 * read of a connection has to be found by the garbage collector, which then stops everybody for 10 to 30 ms, three times
 * for a file of 20 MB; and memory that is new with each body made the process 60 MB larger before it was found.
 */
import type { ClockShape, Timer } from "../../clock.ts"

/** Most bytes that one read of a connection brings. */
export const partBytes = 512 * 1024
/** Most free parts: as many as several clients on the same machine had the server keep. */
const mostFree = 128
/**
 * Bytes that have come of all bodies that have a reader, and were not used by it. Above that no other connection is read:
 * the one that is being read may bring as much as its client sends in a turn of the loop (body-stream.ts). A body that has no
 * reader yet does not count: others would wait for as long as it does.
 */
const mostWaiting = 8 * 1024 * 1024
/** Milliseconds between two looks whether a body that keeps others waiting has ended without a word. */
const lookMilliseconds = 100

/** A body whose parts are kept (body-memory.ts). */
export interface PooledBody {
  /** Its request is answered, or its client has gone away. */
  readonly isOver: boolean
  /** Bytes that have come and wait for its reader. */
  readonly waiting: number
  /** Its connection is not read because of others. */
  readonly isHalted: boolean
  /** Has its connection not be read, if it is. */
  readonly halt: () => void
  /** Ends that. */
  readonly goOn: () => void
}

/** The memory of all bodies of a server, and who of them waits for others. */
export class PartPool {
  readonly #clock: ClockShape
  /** Parts that nobody uses. Held weakly: once one is not used for a while it is collected. */
  readonly #free: Array<WeakRef<Uint8Array>> = []
  readonly #bodies = new Set<PooledBody>()
  #timer: Timer | undefined

  constructor(clock: ClockShape) {
    this.#clock = clock
  }

  enter(body: PooledBody): void {
    this.#bodies.add(body)
  }

  leave(body: PooledBody): void {
    this.#bodies.delete(body)
    this.wake()
  }

  take(): Uint8Array {
    for (let last = this.#free.pop(); last !== undefined; last = this.#free.pop()) {
      const memory = last.deref()
      if (memory !== undefined) return memory
    }
    return new Uint8Array(partBytes)
  }

  give(memory: Uint8Array): void {
    if (this.#free.length < mostFree) this.#free.push(new WeakRef(memory))
  }

  get isFull(): boolean {
    let waiting = 0
    for (const body of this.#bodies) {
      if (body.isOver) this.#bodies.delete(body)
      else waiting += body.waiting
    }
    return waiting >= mostWaiting
  }

  /** Has all wait that are being read. */
  halt(): void {
    for (const body of this.#bodies) body.halt()
    this.#lookAgain()
  }

  /** Number of bodies that have a reader. */
  get size(): number {
    return this.#bodies.size
  }

  /** Lets those who wait be read, if there is room. */
  wake(): void {
    if (!this.isFull) for (const body of this.#bodies) body.goOn()
    this.#lookAgain()
  }

  #lookAgain(): void {
    if (this.#timer !== undefined || ![...this.#bodies].some(({ isHalted }) => isHalted)) return
    this.#timer = this.#clock.after(lookMilliseconds, () => {
      this.#timer = undefined
      this.wake()
    })
  }
}
