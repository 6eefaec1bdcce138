/**
 * Writes an archive (archive-format.ts) beside its place, under the name with `.part`, and gives it its name when it is whole and on
 * the disk. It has password hashes and everything that was said, so only its owner may read it.
 */
import { constants, existsSync, type WriteStream } from "node:fs"
import { access, type FileHandle, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { finished } from "node:stream/promises"
import { createGzip, type Gzip } from "node:zlib"
import { Header } from "tar/header"
import { writeToStream } from "../../db/archive/write-to-stream.ts"
import { syncFolder } from "../../db/disk/sync.ts"
import { oneLine } from "../../db/one-line.ts"
import { ArchiveDigest, blockBytes, cannotWrite, fail, fillingOf } from "./archive-format.ts"
import { isAt, openPart } from "./part-file.ts"

/** Faster than zlib's own 6, and hardly larger. */
const level = 4

export class ArchiveWriter {
  readonly #file: string
  readonly #part: FileHandle
  readonly #target: WriteStream
  readonly #gzip: Gzip
  readonly #done: Promise<void>
  readonly #digest = new ArchiveDigest()
  readonly #madeAt = new Date()
  #isWhole = false

  private constructor(file: string, part: FileHandle) {
    this.#file = file
    this.#part = part
    this.#target = part.createWriteStream({ autoClose: false })
    this.#gzip = createGzip({ level, chunkSize: 256 * 1024 })
    this.#gzip.pipe(this.#target)
    this.#target.once("error", (error) => this.#gzip.destroy(error))
    this.#done = finished(this.#target)
    // Whoever writes next is told.
    this.#done.catch(() => {})
    this.#gzip.on("error", () => {})
  }

  /** Fails where the name is taken, or nothing can be written beside it. */
  static async requirePlace(file: string): Promise<void> {
    if (existsSync(file)) throw fail(`There is ${file} already: choose another name`)
    await access(dirname(file), constants.W_OK | constants.X_OK)
  }

  /**
   * Refuses a name that is taken, or that another one is being written for. What a killed one has left under the name with
   * `.part` is replaced.
   */
  static async make(file: string): Promise<ArchiveWriter> {
    await ArchiveWriter.requirePlace(file)
    return new ArchiveWriter(file, await openPart(partOf(file)))
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
    await this.#part.sync()
    // Another one may have come there meanwhile.
    if (existsSync(this.#file)) throw fail(`There is ${this.#file} by now: choose another name`)
    if (!(await isAt(this.#part, partOf(this.#file))))
      throw fail(`Somebody has removed or replaced ${partOf(this.#file)} meanwhile: there is no backup`)
    await rename(partOf(this.#file), this.#file)
    this.#isWhole = true
    await this.#close()
    syncFolder(dirname(this.#file))
  }

  /** Leaves nothing but a whole archive. */
  async abandon(): Promise<void> {
    // Its handle is closed, and its name is not that of a part any more.
    if (this.#isWhole) return
    // While its lock is held: afterwards a file of this name may be another's.
    if (await isAt(this.#part, partOf(this.#file))) await rm(partOf(this.#file), { force: true })
    this.#gzip.destroy()
    await this.#close()
  }

  /** The stream has the handle, too, and lets it go when it is destroyed. */
  async #close(): Promise<void> {
    this.#target.destroy()
    await this.#part.close()
  }

  async #header(path: string, size: number): Promise<void> {
    const header = new Header({ path, size, type: "File", mode: 0o600, uid: 0, gid: 0, mtime: this.#madeAt })
    const block = Buffer.alloc(blockBytes)
    header.encode(block)
    await this.#write(block)
  }

  /**
   * Ends when the bytes are taken: no more than a buffer of them waits for the disk. What fails here is the archive, whatever was
   * being read for it.
   */
  async #write(bytes: Uint8Array): Promise<void> {
    try {
      await writeToStream(this.#gzip, bytes)
    } catch (error) {
      throw fail(`${cannotWrite}: ${oneLine(error)}`)
    }
  }
}

const partOf = (file: string): string => `${file}.part`
