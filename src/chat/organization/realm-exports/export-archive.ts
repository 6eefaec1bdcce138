/**
 * A compressed archive (tar, gzip) that is read while it is written: only what its reader has not taken yet is in memory.
 * Names of entries have at most 100 plain characters.
 */
import { createGzip } from "node:zlib"
import { Header } from "tar/header"
import { writeToStream } from "../../../db/archive/write-to-stream.ts"

const blockBytes = 512
/** Faster than zlib's own 6, and hardly larger. */
const level = 4

/** Zeros that fill the last block of an entry. */
const fillingOf = (size: number): number => (blockBytes - (size % blockBytes)) % blockBytes

export class ExportArchive {
  readonly #gzip = createGzip({ level, chunkSize: 64 * 1024 })
  readonly #madeAt: Date

  /** `madeAt`: milliseconds since the Unix epoch. */
  constructor(madeAt: number) {
    this.#madeAt = new Date(madeAt)
    // Whoever writes next, or reads, is told.
    this.#gzip.on("error", () => {})
  }

  /** To be read once. Ends after `end`, and fails after `abandon`. */
  get bytes(): AsyncIterable<Uint8Array> {
    return this.#gzip
  }

  async add(path: string, pieces: ReadonlyArray<Uint8Array>): Promise<void> {
    const size = pieces.reduce((sum, { length }) => sum + length, 0)
    await this.addParts(path, size, pieces)
  }

  /** An entry whose parts have so many bytes in all. */
  async addParts(path: string, size: number, parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
    const header = new Header({ path, size, type: "File", mode: 0o600, uid: 0, gid: 0, mtime: this.#madeAt })
    const block = Buffer.alloc(blockBytes)
    if (header.encode(block)) throw new Error(`${path} needs more than a plain header`)
    await this.#write(block)
    let written = 0
    for await (const part of parts) {
      written += part.length
      await this.#write(part)
    }
    if (written !== size) throw new Error(`${path} has ${written} bytes in place of ${size}`)
    await this.#write(Buffer.alloc(fillingOf(size)))
  }

  async end(): Promise<void> {
    // Two empty blocks end a tar file.
    await this.#write(Buffer.alloc(2 * blockBytes))
    this.#gzip.end()
  }

  /** Nothing more comes: its reader fails, unless it has read all. */
  abandon(): void {
    this.#gzip.destroy(new Error("the archive was not written to its end"))
  }

  /** Ends when the bytes are taken: no more than a buffer of them waits for the reader. */
  #write(bytes: Uint8Array): Promise<void> {
    return writeToStream(this.#gzip, bytes)
  }
}
