/**
 * Memory for the parts of a body, used again and again. Memory that is new with each read of the connection has to be
 * found by the garbage collector, which then stops everybody for 10 to 30 ms, three times for a file of 20 MB.
 */

/** Smaller ones cost little. */
const smallBytes = 16 * 1024
/** What the reader was given last, and what a parser may still compare with it. */
const heldParts = 2
const mostFree = 2

export class PartMemory {
  #free: Array<Uint8Array> = []
  readonly #held: Array<Uint8Array> = []

  /** A copy, which stays as it is until `release` was called for it. */
  copy(part: Uint8Array): Uint8Array {
    if (part.length < smallBytes) return part.slice()
    const found = this.#free.find(({ length }) => length >= part.length)
    this.#free = this.#free.filter((each) => each !== found)
    const memory = found ?? new Uint8Array(part.length)
    memory.set(part)
    return memory.subarray(0, part.length)
  }

  /** The reader has used this copy; it and the one before stay as they are for now. */
  release(copy: Uint8Array): void {
    if (copy.length < smallBytes) return
    this.#held.push(new Uint8Array(copy.buffer))
    const unused = this.#held.length > heldParts ? this.#held.shift() : undefined
    if (unused !== undefined && this.#free.length < mostFree) this.#free.push(unused)
  }
}
