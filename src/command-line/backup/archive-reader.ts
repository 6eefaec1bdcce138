/**
 * Reads an archive (archive-format.ts) from its beginning to its end, an entry after the other. Everything in it may have been made
 * by anybody: names and sizes are checked before anything is done by them. What is no archive, or only its beginning, is
 * refused with a BackupFailed.
 */
import { createReadStream } from "node:fs"
import { createGunzip } from "node:zlib"
import * as Schema from "effect/Schema"
import { Header } from "tar/header"
import { type FileName, findFileName } from "../../chat/ground/files/files.ts"
import { ArchiveBytes, cutOff, foreign, refusal } from "./archive-bytes.ts"
import {
  ArchiveDigest,
  ArchiveEnding,
  ArchiveHeading,
  archiveFormat,
  blockBytes,
  endingPath,
  fillingOf,
  headingPath,
} from "./archive-format.ts"

/**
 * More than any entry that is read as a whole: rows are written a megabyte at a time, and none is as long as this. A small archive
 * may hold a long text of one letter, and each byte of it takes three times as much here.
 */
const mostWhole = 32 * 1024 * 1024
/** The ending names files that were missing: a quarter of a million of them. */
const mostOfEnding = 64 * 1024 * 1024

export type ArchiveEntry =
  | { readonly kind: "rows"; readonly table: string; readonly rows: ReadonlyArray<string> }
  /** Its name leads nowhere but into the folder for files. All of its parts are to be read before the next entry is. */
  | {
      readonly kind: "file"
      readonly name: FileName
      readonly size: number
      readonly parts: AsyncIterable<Uint8Array>
    }
  | { readonly kind: "ending"; readonly ending: ArchiveEnding }

const readHeading = Schema.decodeUnknownOption(ArchiveHeading)
const readEnding = Schema.decodeUnknownOption(ArchiveEnding)
const tableName = /^tables\/([a-z0-9_]{1,63})\/[1-9]\d{0,8}\.jsonl$/
const filesFolder = "files/"

export class ArchiveReader {
  readonly #bytes: ArchiveBytes
  readonly #digest = new ArchiveDigest()
  readonly #rows = new Map<string, number>()
  readonly #close: () => void
  #files = 0

  /** Opens nothing yet: a file that is not there is an error of the first read. */
  constructor(file: string) {
    const source = createReadStream(file)
    const gunzip = createGunzip({ chunkSize: 256 * 1024 })
    source.once("error", (error) => gunzip.destroy(error))
    this.#bytes = new ArchiveBytes(file, source.pipe(gunzip))
    this.#close = () => {
      source.destroy()
      gunzip.destroy()
    }
  }

  close(): void {
    this.#close()
  }

  /** The first entry. */
  async heading(): Promise<ArchiveHeading> {
    const { path, size } = await this.#header()
    if (path !== headingPath) throw this.#refusal(foreign)
    this.#digest.begin(path, size)
    const heading = readHeading(await this.#text(size))
    if (heading._tag === "None") throw this.#refusal(foreign)
    const { parleyBackup, program } = heading.value
    if (parleyBackup !== archiveFormat)
      throw this.#refusal(`it has another form (${parleyBackup}), made by version ${program}`)
    return heading.value
  }

  /** Those after the heading. The last is the ending, and what came before it is what it says. */
  async *entries(): AsyncGenerator<ArchiveEntry> {
    for (;;) {
      const { path, size } = await this.#header()
      if (path === endingPath) {
        yield { kind: "ending", ending: await this.#ending(size) }
        return
      }
      this.#digest.begin(path, size)
      const table = tableName.exec(path)?.[1]
      if (table === undefined) yield this.#file(path, size)
      else {
        const rows = linesOf(await this.#text(size))
        this.#rows.set(table, (this.#rows.get(table) ?? 0) + rows.length)
        yield { kind: "rows", table, rows }
      }
    }
  }

  #refusal(why: string) {
    return refusal(this.#bytes.file, why)
  }

  async #header(): Promise<{ readonly path: string; readonly size: number }> {
    const { nullBlock, cksumValid, type, path, size } = new Header(await this.#bytes.whole(blockBytes))
    // Only zeros where the ending should have come.
    if (nullBlock) throw this.#refusal(cutOff)
    if (!cksumValid || type !== "File" || path === undefined || !Number.isSafeInteger(size) || size === undefined)
      throw this.#refusal(foreign)
    return { path, size }
  }

  #file(path: string, size: number): ArchiveEntry {
    const name = path.startsWith(filesFolder) ? findFileName(path.slice(filesFolder.length)) : undefined
    if (name === undefined)
      throw this.#refusal(`it has ${JSON.stringify(path)}, which is no name of a file of this program`)
    this.#files += 1
    return { kind: "file", name, size, parts: this.#parts(size) }
  }

  async *#parts(size: number): AsyncGenerator<Buffer> {
    for await (const part of this.#bytes.parts(size)) {
      this.#digest.add(part)
      yield part
    }
    await this.#bytes.whole(fillingOf(size))
  }

  async #text(size: number): Promise<string> {
    if (size > mostWhole) throw this.#refusal(foreign)
    const parts: Array<Buffer> = []
    for await (const part of this.#parts(size)) parts.push(part)
    return Buffer.concat(parts).toString("utf8")
  }

  async #ending(size: number): Promise<ArchiveEnding> {
    if (size > mostOfEnding) throw this.#refusal(foreign)
    const ending = readEnding((await this.#bytes.whole(size)).toString("utf8"))
    if (ending._tag === "None") throw this.#refusal(foreign)
    const { rows, files, sha256 } = ending.value
    const isSame =
      sha256 === this.#digest.end() &&
      files === this.#files &&
      Object.entries(rows).every(([table, count]) => (this.#rows.get(table) ?? 0) === count) &&
      [...this.#rows.keys()].every((table) => Object.hasOwn(rows, table))
    if (!isSame || !(await this.#bytes.end()))
      throw this.#refusal("it is damaged: its checksum is not that of what it has")
    return ending.value
  }
}

const linesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.replace(/\n$/, "").split("\n"))

/** Reads all of an archive, to see that it is whole; answers its beginning and its end. */
export const checkArchive = async (file: string, note: (entry: ArchiveEntry) => void) => {
  const reader = new ArchiveReader(file)
  try {
    const heading = await reader.heading()
    for await (const entry of reader.entries()) {
      note(entry)
      if (entry.kind === "ending") return { heading, ending: entry.ending }
      if (entry.kind === "file") await readOut(entry.parts)
    }
    throw refusal(file, cutOff)
  } finally {
    reader.close()
  }
}

const readOut = async (parts: AsyncIterable<Uint8Array>): Promise<void> => {
  const reading = parts[Symbol.asyncIterator]()
  while ((await reading.next()).done !== true);
}
