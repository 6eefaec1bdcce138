/**
 * Copies the files of an embedded database, which may be open and written meanwhile, so that the copy opens as one whose
 * process was killed does: PostgreSQL's own way of a backup while it runs. It rests on three things. No checkpoint is done
 * meanwhile (pglite.ts), so the copied control file names one that was there before the first file was read. From then on
 * the first change of each page is in the write-ahead log as the whole page, so a page that was read while it was written
 * is replaced. And no page is written to its file before its change is in the log, which is copied last: it has all
 * changes that any copied file has, and all before them. Opening replays them, to one moment after the last file was read.
 */
import { constants, type Dirent } from "node:fs"
import { copyFile, mkdir, open, readdir, rm, stat, statfs } from "node:fs/promises"
import { dirname, join } from "node:path"
import * as Predicate from "effect/Predicate"

/** Files above it are copied in parts of this size, each synced: a disk that gets all at once keeps commits waiting. */
const partBytes = 8 * 1024 * 1024
/** Room that must stay on the disk beside the copy: others write there meanwhile, the database itself first of all. */
const spareBytes = 256 * 1024 * 1024

/** Bytes that may still be written in a folder. */
export type RoomIn = (folder: string) => Promise<number>

const roomOnDisk: RoomIn = async (folder) => {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024)} MB`

interface ClusterCopy {
  readonly signal: AbortSignal
  /** Rejects where so many bytes more leave too little room. */
  readonly requireRoom: (bytes: number) => Promise<void>
}

const logFolder = "pg_wal"
/** Names the process that has the database open. */
const lockFile = "postmaster.pid"

/** The embedded database removes files while they are copied: those of what is dropped. Opening removes them, too. */
const isGone = (error: unknown): boolean => Predicate.hasProperty(error, "code") && error.code === "ENOENT"

/** The source's own absence only: a folder of the copy that somebody has removed is no reason to go on without its files. */
const isSourceGone = async (error: unknown, from: string, to: string): Promise<boolean> => {
  if (!isGone(error)) return false
  await stat(dirname(to))
  return stat(from).then(() => false, isGone)
}

const copyInParts = async (from: string, to: string, { signal, requireRoom }: ClusterCopy): Promise<void> => {
  const source = await open(from, "r")
  try {
    const target = await open(to, "wx", 0o600)
    try {
      const part = Buffer.allocUnsafe(partBytes)
      for (;;) {
        signal.throwIfAborted()
        const { bytesRead } = await source.read(part, 0, partBytes)
        if (bytesRead === 0) return
        await requireRoom(bytesRead)
        await target.writeFile(part.subarray(0, bytesRead))
        await target.datasync()
      }
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

const copyOne = async (from: string, to: string, copying: ClusterCopy): Promise<void> => {
  copying.signal.throwIfAborted()
  try {
    const { size } = await stat(from)
    if (size <= partBytes) {
      await copying.requireRoom(size)
      return await copyFile(from, to, constants.COPYFILE_FICLONE)
    }
    // A file system that shares blocks between files copies in no time; others refuse.
    const isShared = await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE).then(
      () => true,
      () => false,
    )
    if (isShared) return
    await rm(to, { force: true })
    await copyInParts(from, to, copying)
  } catch (error) {
    if (!(await isSourceGone(error, from, to))) throw error
  }
}

/** A link, as that of a log on another disk, becomes what it leads to. */
const isFolder = async (path: string, entry: Dirent): Promise<boolean> =>
  entry.isSymbolicLink() ? (await stat(path)).isDirectory() : entry.isDirectory()

const copyTree = async (from: string, to: string, without: ReadonlyArray<string>, copying: ClusterCopy) => {
  await mkdir(to, { recursive: true, mode: 0o700 })
  const entries = await readdir(from, { withFileTypes: true })
  // The log's files in their order: a later one is of no use without those before it.
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (without.includes(entry.name)) continue
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (await isFolder(source, entry)) await copyTree(source, target, [], copying)
    else await copyOne(source, target, copying)
  }
}

const bytesIn = async (folder: string): Promise<number> => {
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    bytes += await stat(join(entry.parentPath, entry.name)).then(
      ({ size }) => size,
      () => 0,
    )
  }
  return bytes
}

/**
 * Copies the cluster in `from` into `to`, which is replaced. Rejects, and leaves nothing, where the disk has no room for
 * another one of its size, or has it no more while it is copied.
 */
export const copyCluster = async (
  from: string,
  to: string,
  signal: AbortSignal,
  roomIn: RoomIn = roomOnDisk,
): Promise<void> => {
  await rm(to, { recursive: true, force: true })
  const parent = dirname(to)
  const [needed, room] = [(await bytesIn(from)) + spareBytes, await roomIn(parent)]
  if (room < needed) throw new Error(`${parent} has room for ${megabytes(room)}, and a copy needs ${megabytes(needed)}`)
  const requireRoom = async (bytes: number) => {
    const left = await roomIn(parent)
    if (left - bytes < spareBytes)
      throw new Error(`${parent} has room for ${megabytes(left)} by now, and ${megabytes(spareBytes)} must stay free`)
  }
  try {
    await copyTree(from, to, [logFolder, lockFile], { signal, requireRoom })
    await copyTree(join(from, logFolder), join(to, logFolder), [], { signal, requireRoom })
  } catch (error) {
    await rm(to, { recursive: true, force: true })
    throw error
  }
}
