/** The unpacked bytes of an archive, as they are asked for, and what is said of one that cannot be read. */
import * as Predicate from "effect/Predicate"
import { oneLine } from "../../db/one-line.ts"
import { fail } from "./archive-format.ts"

export const cutOff = "it ends in the middle: it was cut off, or its backup was not finished"
export const foreign = "it is no backup of this program"

export const refusal = (file: string, why: string) => fail(`${file} cannot be restored: ${why}`)

const reasonOf = (error: unknown): string => {
  const code = Predicate.hasProperty(error, "code") ? String(error.code) : ""
  if (code === "Z_BUF_ERROR") return cutOff
  return code === "Z_DATA_ERROR" ? foreign : oneLine(error)
}

export class ArchiveBytes {
  readonly file: string
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)
  #read = 0

  constructor(file: string, chunks: AsyncIterable<Buffer>) {
    this.file = file
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** So many bytes, in parts. */
  async *parts(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      if (this.#rest.length === 0) {
        const next = await this.#next()
        if (next === undefined) throw refusal(this.file, cutOff)
        this.#rest = next
      }
      const part = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(part.length)
      left -= part.length
      yield part
    }
  }

  async whole(size: number): Promise<Buffer> {
    const parts: Array<Buffer> = []
    for await (const part of this.parts(size)) parts.push(part)
    return Buffer.concat(parts)
  }

  /** Reads on to the end, where gzip has a checksum of its own. True if nothing but zeros came. */
  async end(): Promise<boolean> {
    let isEmpty = this.#rest.every((byte) => byte === 0)
    for (let next = await this.#next(); next !== undefined; next = await this.#next())
      isEmpty = isEmpty && next.every((byte) => byte === 0)
    return isEmpty
  }

  async #next(): Promise<Buffer | undefined> {
    try {
      const next = await this.#chunks.next()
      if (next.done === true) return undefined
      this.#read += next.value.length
      return next.value
    } catch (error) {
      // Bytes that are wrong after some that were right are damage.
      const why = reasonOf(error)
      throw refusal(this.file, why === foreign && this.#read > 0 ? "it is damaged" : why)
    }
  }
}
