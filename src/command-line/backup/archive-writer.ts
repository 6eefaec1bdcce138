/**
 * Writes an archive (archive.ts) beside its place, under the name with `.part`, and gives it its name when it is whole and on
 * the disk. It has password hashes and everything that was said, so only its owner may read it.
 */
import { once } from "node:events"
import { createWriteStream, existsSync, type WriteStream } from "node:fs"
import { open, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { finished } from "node:stream/promises"
import { createGzip, type Gzip } from "node:zlib"
import { Header } from "tar/header"
import { syncFolder } from "../../db/disk/sync.ts"
import { blockBytes, Digest, fail, fillingOf } from "./archive.ts"

/** Faster than zlib's own 6, and hardly larger. */
const level = 4

export class ArchiveWriter {
  readonly #file: string
  readonly #target: WriteStream
  readonly #gzip: Gzip
  readonly #done: Promise<void>
  readonly #digest = new Digest()
  readonly #madeAt = new Date()

  private constructor(file: string, target: WriteStream) {
    this.#file = file
    this.#target = target
    this.#gzip = createGzip({ level, chunkSize: 256 * 1024 })
    this.#gzip.pipe(target)
    target.once("error", (error) => this.#gzip.destroy(error))
    this.#done = finished(target)
    // Whoever writes next is told.
    this.#done.catch(() => {})
  }

  /** Refuses a name that is taken. What an earlier one has left under the name with `.part` is replaced. */
  static async make(file: string): Promise<ArchiveWriter> {
    if (existsSync(file)) throw fail(`There is ${file} already: choose another name`)
    const part = partOf(file)
    await rm(part, { force: true })
    const target = createWriteStream(part, { flags: "wx", mode: 0o600 })
    await once(target, "open")
    return new ArchiveWriter(file, target)
  }

  /** Bytes of the archive so far. */
  get bytes(): number {
    return this.#target.bytesWritten
  }

  async add(path: string, bytes: Uint8Array): Promise<void> {
    await this.addParts(path, bytes.length, [bytes])
  }

  /** Adds an entry whose parts have so many bytes in all. */
  async addParts(path: string, size: number, parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
    this.#digest.begin(path, size)
    await this.#header(path, size)
    let written = 0
    for await (const part of parts) {
      written += part.length
      this.#digest.add(part)
      await this.#write(part)
    }
    if (written !== size) throw new Error(`${path} has ${written} bytes in place of ${size}: it was changed meanwhile`)
    await this.#write(Buffer.alloc(fillingOf(size)))
  }

  /** Adds the last entry, made with the digest of all before it, and gives the archive its name. */
  async end(path: string, make: (sha256: string) => string): Promise<void> {
    const last = Buffer.from(make(this.#digest.end()))
    await this.#header(path, last.length)
    await this.#write(last)
    // Two empty blocks end a tar file.
    await this.#write(Buffer.alloc(fillingOf(last.length) + 2 * blockBytes))
    this.#gzip.end()
    await this.#done
    const handle = await open(partOf(this.#file), "r+")
    await handle.sync().finally(() => handle.close())
    // Another one may have come there meanwhile.
    if (existsSync(this.#file)) throw fail(`There is ${this.#file} by now: what was made is ${partOf(this.#file)}`)
    await rename(partOf(this.#file), this.#file)
    syncFolder(dirname(this.#file))
  }

  /** Leaves nothing. */
  async abandon(): Promise<void> {
    this.#gzip.destroy()
    this.#target.destroy()
    await this.#done.catch(() => {})
    await rm(partOf(this.#file), { force: true })
  }

  async #header(path: string, size: number): Promise<void> {
    const header = new Header({ path, size, type: "File", mode: 0o600, uid: 0, gid: 0, mtime: this.#madeAt })
    const block = Buffer.alloc(blockBytes)
    header.encode(block)
    await this.#write(block)
  }

  /** Ends when the bytes are taken: no more than a buffer of them waits for the disk. */
  #write(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.#gzip.write(bytes, (error) => (error ? reject(error) : resolve()))
    })
  }
}

const partOf = (file: string): string => `${file}.part`
