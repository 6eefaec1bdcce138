/**
 * Finds numbers behind a mark in the bytes of frames and answers as they come, in parts of any size, without parsing them:
 * so a client that gets a gigabyte takes a fraction of the time that the server takes.
 */

const nothing = Buffer.alloc(0)

export class NumberScanner {
  readonly #mark: Buffer
  readonly #take: (number: number) => void
  #rest: Buffer = nothing

  /** Of a number the digits must be followed by something else. */
  constructor(mark: Buffer, take: (number: number) => void) {
    this.#mark = mark
    this.#take = take
  }

  /** A new connection begins: what was cut off is of no use. */
  reset(): void {
    this.#rest = nothing
  }

  /** The bytes from `from` to `to` are the next ones. They are valid during the call only. */
  piece(bytes: Uint8Array, from: number, to: number): void {
    const mark = this.#mark
    const view = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from)
    const all = this.#rest.length === 0 ? view : Buffer.concat([this.#rest, view])
    let at = 0
    for (;;) {
      const found = all.indexOf(mark, at)
      if (found < 0) return this.#keep(all, Math.max(at, all.length - mark.length + 1))
      let end = found + mark.length
      let number = 0
      for (; end < all.length; end++) {
        const digit = (all[end] ?? 0) - 0x30
        if (digit < 0 || digit > 9) break
        number = number * 10 + digit
      }
      if (end === all.length) return this.#keep(all, found)
      this.#take(number)
      at = end
    }
  }

  #keep(all: Buffer, from: number): void {
    this.#rest = from >= all.length ? nothing : Buffer.from(all.subarray(from))
  }
}
