/**
 * A gzip file of pieces that know nothing of each other (RFC 1951, 1952). Each piece was deflated by itself and flushed
 * to a byte's end, or is stored as it is; so a piece that many answers share is deflated once, and nothing in one piece
 * tells anything of another.
 */
import { combineCrc32, crc32, shiftOf } from "./crc32.ts"

/** A piece, ready to be a part of any file. */
export interface DeflatedPiece {
  /** Blocks of which none is the last. */
  readonly bytes: Uint8Array
  /** The length of the text, its checksum, and the factor of a checksum before it. */
  readonly length: number
  readonly crc: number
  readonly shift: number
}

export const deflatedAs = (text: Uint8Array, bytes: Uint8Array): DeflatedPiece => ({
  bytes,
  length: text.length,
  crc: crc32(text),
  shift: shiftOf(text.length),
})

/** No name, no time; made on a system that is not told. */
const head = Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
/** An empty block, the last. */
const lastBlock = [3, 0]
/** The most bytes of a block that is stored. */
const longestStored = 65_535
const storedHead = 5

/** Blocks that hold the text as it is. */
export const stored = (text: Uint8Array): Uint8Array => {
  const count = Math.ceil(text.length / longestStored)
  const blocks = Buffer.allocUnsafe(text.length + count * storedHead)
  let at = 0
  for (let from = 0; from < text.length; from += longestStored) {
    const part = text.subarray(from, from + longestStored)
    blocks[at] = 0
    blocks.writeUInt16LE(part.length, at + 1)
    blocks.writeUInt16LE(longestStored - part.length, at + 3)
    blocks.set(part, at + storedHead)
    at += storedHead + part.length
  }
  return blocks
}

export class GzipFile {
  readonly #pieces: Array<Uint8Array> = [head]
  #crc = 0
  #length = 0

  add({ bytes, length, crc, shift }: DeflatedPiece): void {
    this.#pieces.push(bytes)
    this.#crc = combineCrc32(this.#crc, crc, shift)
    this.#length += length
  }

  /** Adds a text as it is. */
  store(text: Uint8Array): void {
    this.#pieces.push(stored(text))
    this.#crc = crc32(text, this.#crc)
    this.#length += text.length
  }

  /** The whole file; nothing can be added afterwards. */
  end(): ReadonlyArray<Uint8Array> {
    const tail = Buffer.from([...lastBlock, 0, 0, 0, 0, 0, 0, 0, 0])
    tail.writeUInt32LE(this.#crc, lastBlock.length)
    tail.writeUInt32LE(this.#length % 2 ** 32, lastBlock.length + 4)
    return [...this.#pieces, tail]
  }
}
