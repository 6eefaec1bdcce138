/**
 * The memory of one body that is read as it comes: its parts are copied into memory of the pool, which says too when its
 * connection is read. Used by body-stream.ts.
 */
import { type PartPool, type PooledBody, partBytes } from "./part-pool.ts"

/** Bytes of a part below which it gets memory of its own: smaller ones cost little. */
const smallBytes = 16 * 1024
/** Parts that are kept back: what the reader was given last, and what a parser may still compare with it. */
const heldParts = 2

/** The connection that a body comes by; both functions do nothing where `isOver`. */
export interface BodySource {
  readonly isOver: () => boolean
  readonly pause: () => void
  readonly resume: () => void
}

/** The memory of one body. What its reader never says that it has used is not used again. */
export class BodyMemory implements PooledBody {
  readonly #pool: PartPool
  readonly #source: BodySource
  #held: Array<Uint8Array> = []
  #state: "read" | "resting" | "halted" | "over" = "read"
  #unused = 0

  constructor(pool: PartPool, source: BodySource) {
    this.#pool = pool
    this.#source = source
  }

  get isOver(): boolean {
    return this.#source.isOver()
  }

  get waiting(): number {
    return this.#unused
  }

  /** The reader begins. A body that is refused before that is not known to the pool, which would keep it. */
  begin(): void {
    this.#pool.enter(this)
  }

  get isHalted(): boolean {
    return this.#state === "halted"
  }

  /** Its connection is not read. */
  get isPaused(): boolean {
    return this.#state === "resting" || this.#state === "halted"
  }

  /** A copy, which stays as it is until `release` was called for it. */
  copy(part: Uint8Array): Uint8Array {
    this.#unused += part.length
    if (this.#pool.isFull) this.#pool.halt()
    if (part.length < smallBytes || part.length > partBytes) return part.slice()
    const memory = this.#pool.take()
    memory.set(part)
    return memory.subarray(0, part.length)
  }

  /** The reader has used this copy; it and the one before stay as they are for now. */
  release(copy: Uint8Array): void {
    this.#unused = Math.max(0, this.#unused - copy.length)
    if (copy.buffer.byteLength === partBytes) {
      this.#held.push(new Uint8Array(copy.buffer))
      const unused = this.#held.length > heldParts ? this.#held.shift() : undefined
      if (unused !== undefined) this.#pool.give(unused)
    }
    this.#pool.wake()
  }

  /** Nothing is read until `resume`. */
  pause(): void {
    if (this.#state === "over") return
    if (this.#state === "read") this.#source.pause()
    this.#state = "resting"
  }

  /** The next part is wanted, which is read once there is room. */
  resume(): void {
    if (this.#state !== "resting") return
    this.#state = "halted"
    this.#pool.wake()
  }

  halt(): void {
    if (this.#state !== "read") return
    this.#state = "halted"
    this.#source.pause()
  }

  goOn(): void {
    if (this.#state !== "halted") return
    this.#state = "read"
    this.#source.resume()
  }

  /** The connection is read on, whatever others do: the body has come whole, or is not kept. */
  open(): void {
    if (this.isPaused) this.#source.resume()
    this.#state = "over"
  }

  /** The reader has used all that was released. */
  finish(): void {
    for (const memory of this.#held) this.#pool.give(memory)
    this.#held = []
    this.leave()
  }

  /** Nothing of what has come is used any more, or it is not known what still is. */
  leave(): void {
    this.#unused = 0
    this.#pool.leave(this)
  }
}
