/**
 * A prepared PGlite folder in one file, made by the build (make-image.ts): initialising a cluster takes 3-4 s and
 * 750 MB, unpacking one 0.1 s. `prepareFolder` fills an empty data folder from it, whole or not at all. The format is
 * gzip over a line of JSON (the entries) and the files' bytes: npm would leave a cluster's empty folders out.
 */
import { randomBytes } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { mkdir, mkdtemp, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, dirname, join, relative } from "node:path"
import { Readable } from "node:stream"
import { promisify } from "node:util"
import { createGunzip, gzip } from "node:zlib"
import { syncFolder, syncTree } from "../disk/sync.ts"
import { packageFile } from "../package-root.ts"

/** `size` is null for a folder. Paths have `/` and stand after the folder that they are in. */
interface ImageEntry {
  readonly path: string
  readonly size: number | null
}

const builtImage = packageFile("dist/pglite-image.gz")
/** The same with the newest schema and all functions in it, which takes another half second to make. */
export const readyImage = packageFile("dist/pglite-image-ready.gz")

/** Fills the empty `folder`; false if there is no image, and PGlite has to initialise the folder itself. */
export const unpackImage = async (folder: string, image = builtImage): Promise<boolean> => {
  const packed = await readFile(image).catch(() => null)
  if (packed === null) return false
  const source = new ImageSource(packed)
  // Our own build wrote it: a schema would only check that, and loading Schema takes 110 ms before PGlite can start.
  const entries: ReadonlyArray<ImageEntry> = JSON.parse((await source.line()).toString("utf8"))
  // Synchronously: 370 small files take 90 ms like this and 250 as promises, and at a start nobody else waits.
  for (const { path, size } of entries) {
    const target = join(folder, path)
    if (size === null) mkdirSync(target, { mode: 0o700 })
    else writeFileSync(target, await source.take(size), { mode: 0o600 })
  }
  await source.end()
  return true
}

/** The bytes of an image, unpacked as they are asked for: the memory that all 18 MB take at once stays with the process. */
class ImageSource {
  readonly #chunks: AsyncIterator<Buffer>
  #rest = Buffer.alloc(0)

  constructor(packed: Buffer) {
    const unpacked: AsyncIterable<Buffer> = Readable.from([packed]).pipe(createGunzip({ chunkSize: 256 * 1024 }))
    this.#chunks = unpacked[Symbol.asyncIterator]()
  }

  /** Up to the next end of a line, which is left out. */
  async line(): Promise<Buffer> {
    while (!this.#rest.includes("\n")) await this.#grow()
    const line = await this.take(this.#rest.indexOf("\n"))
    await this.take(1)
    return line
  }

  async take(size: number): Promise<Buffer> {
    while (this.#rest.length < size) await this.#grow()
    const taken = this.#rest.subarray(0, size)
    this.#rest = this.#rest.subarray(size)
    return taken
  }

  /** Reads on to the checksum at the very end. */
  async end(): Promise<void> {
    const next = await this.#chunks.next()
    if (next.done !== true || this.#rest.length > 0) throw new Error("the image does not end with its last file")
  }

  async #grow(): Promise<void> {
    const next = await this.#chunks.next()
    if (next.done === true) throw new Error("the image ends in the middle of a file")
    this.#rest = Buffer.concat([this.#rest, next.value])
  }
}

interface Preparation {
  readonly sync: boolean
  readonly image?: string | undefined
}

/**
 * Makes sure that `folder` holds a cluster, in 4 s where the image is missing. The copy is made beside it and
 * renamed, so that a kill in the middle leaves nothing half made, nor a power cut where it is synced; what an earlier
 * one left is removed. Its parent exists and is held by the caller (folder-lock.ts).
 */
export const prepareFolder = async (folder: string, { sync, image = builtImage }: Preparation): Promise<void> => {
  const parent = dirname(folder)
  const prefix = `.${basename(folder)}.new-`
  for (const name of await readdir(parent)) {
    if (name.startsWith(prefix)) await rm(join(parent, name), { recursive: true, force: true })
  }
  const present = await readdir(folder).catch(() => [])
  if (present.length > 0) return
  const copy = join(parent, prefix + randomBytes(6).toString("hex"))
  await mkdir(copy, { mode: 0o700 })
  if (!(await unpackImage(copy, image))) await initialise(copy)
  if (sync) await syncTree(copy)
  await rmdir(folder).catch(() => undefined)
  await rename(copy, folder)
  if (sync) syncFolder(parent)
}

/** Makes a cluster in a temporary folder, strips it and packs it; then runs `script` in it and packs it again. */
export const makeImages = async (script: string): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "parley-image-"))
  const change = async (...statements: ReadonlyArray<string>) => {
    const database = await open(folder)
    for (const statement of [...statements, "checkpoint"]) await database.exec(statement)
    await database.close()
  }
  // Nothing here ever creates a database: its two templates would be two thirds of the files.
  const dropped = ["template0", "template1"].flatMap((template) => [
    `update pg_database set datistemplate = false where datname = '${template}'`,
    `drop database ${template}`,
  ])
  try {
    await change(...dropped)
    await writeFile(builtImage, await pack(folder))
    await change(script)
    await writeFile(readyImage, await pack(folder))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Loaded only here: a server has PGlite in another thread. */
const open = async (folder: string) => {
  const { openPglite } = await import("./pglite-open.ts")
  return openPglite(folder, false)
}

const initialise = async (folder: string): Promise<void> => {
  const database = await open(folder)
  await database.close()
}

/** All of a folder, whose database is closed, as an image. */
export const pack = async (folder: string): Promise<Buffer> => {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = found
    .map((entry) => ({ full: join(entry.parentPath, entry.name), directory: entry.isDirectory() }))
    .sort((a, b) => (a.full < b.full ? -1 : 1))
  const entries: Array<ImageEntry> = []
  const contents: Array<Buffer> = []
  for (const { full, directory } of paths) {
    const content = directory ? null : await readFile(full)
    entries.push({ path: relative(folder, full).replaceAll("\\", "/"), size: content?.length ?? null })
    if (content !== null) contents.push(content)
  }
  return promisify(gzip)(Buffer.concat([Buffer.from(`${JSON.stringify(entries)}\n`), ...contents]), { level: 9 })
}
