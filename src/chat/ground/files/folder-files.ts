/**
 * Files in a folder. A file is written under a name of its own beside its place, synced, and then given its name, so that
 * nobody ever reads half of one and a power cut leaves the old one or the new one. The folder is made when the first file
 * comes.
 */
import { randomBytes } from "node:crypto"
import { createReadStream } from "node:fs"
import { mkdir, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises"
import { dirname, join, relative, sep } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { ApiError, Unavailable } from "../../../api/errors.ts"
import { Config } from "../../../config/config.ts"
import { isNoFolderSync } from "../../../db/disk/sync.ts"
import { makeFaultLog } from "../../../db/faults/fault-log.ts"
import { type FileName, Files, type FilesShape, findFileName, type ListedFile } from "./files.ts"
import { freeBytes } from "./free-bytes.ts"

/** No name of a file begins with a dot. */
const unfinished = ".unfinished-"
/** What was put away, in a folder for each day. */
const trash = ".trash"
/** Milliseconds after which the writer of an unfinished file is gone. */
const abandonedMilliseconds = 3600 * 1000

/** Milliseconds between two looks whether files can be stored again. */
const betweenTries = 10_000
const probeBytes = 64 * 1024

const isMissing = (error: unknown): boolean =>
  Predicate.hasProperty(error, "code") && (error.code === "ENOENT" || error.code === "ENOTDIR")

const texts = {
  begins: (reason: string) => `a file could not be kept or read: ${reason}`,
  lasts: (reason: string, times: number) =>
    `files cannot be kept or read (${times} times since the last line): ${reason}`,
  ends: (seconds: number) => `files can be kept and read again, after ${seconds} s`,
}

/** Tells of a disk that is full or fails in few lines: everybody who uploads meets it. Reads may go on where writes fail. */
const makeAttempt = () => {
  const lines: Array<string> = []
  const faults = makeFaultLog(
    () => performance.now(),
    (line) => lines.push(line),
    texts,
  )
  const tell = Effect.suspend(() => Effect.forEach(lines.splice(0), (line) => Effect.logError(line), { discard: true }))
  return <A>(what: string, work: () => Promise<A>): Effect.Effect<A, Unavailable> =>
    Effect.tryPromise({ try: work, catch: (error) => new Unavailable({ reason: `${what}: ${String(error)}` }) }).pipe(
      Effect.tapError(({ reason }) =>
        Effect.andThen(
          Effect.sync(() => faults.met(reason)),
          tell,
        ),
      ),
      Effect.tap(() => Effect.andThen(Effect.sync(faults.over), tell)),
    )
}

const passOn = (error: unknown): ApiError => {
  if (error instanceof ApiError) return error
  throw error
}

/** Syncs a folder: only then is what was renamed or made in it on the disk. Some systems refuse it, or its opening. */
const syncFolder = async (folder: string): Promise<void> => {
  try {
    const handle = await open(folder, "r")
    await handle.sync().finally(() => handle.close())
  } catch (error) {
    if (!isNoFolderSync(error)) throw error
  }
}

/** Makes a folder; each one that is new is synced with the one above it. */
const makeFolder = async (folder: string, sync: boolean): Promise<void> => {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined || !sync) return
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
}

/** `now`: milliseconds since any moment. */
export const makeFolderFiles = (folder: string, sync: boolean, now = () => performance.now()): FilesShape => {
  const [read, attemptWrite] = [makeAttempt(), makeAttempt()]
  const pathOf = (name: FileName): string => join(folder, ...name.split("/"))

  const receive = async (name: FileName, parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> => {
    const path = pathOf(name)
    const beside = join(dirname(path), `${unfinished}${randomBytes(12).toString("hex")}`)
    await makeFolder(dirname(path), sync)
    try {
      const handle = await open(beside, "wx", 0o600)
      try {
        for await (const part of parts) await handle.writeFile(part)
        if (sync) await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(beside, path)
    } catch (error) {
      await rm(beside, { force: true })
      throw error
    }
    if (sync) await syncFolder(dirname(path))
  }

  /** When it was last tried, since a write has failed; null: none has. */
  let triedAt: number | null = null

  const write = <A>(what: string, work: () => Promise<A>) =>
    attemptWrite(what, async () => {
      try {
        const done = await work()
        triedAt = null
        return done
      } catch (error) {
        triedAt ??= now()
        throw error
      }
    })

  /** As large as what a disk has left that counts as full. */
  const tryAgain = async (): Promise<void> => {
    const beside = join(folder, `${unfinished}${randomBytes(12).toString("hex")}`)
    try {
      await writeFile(beside, Buffer.alloc(probeBytes), { flag: "wx", mode: 0o600 })
      triedAt = null
    } catch {
      // It fails still.
    } finally {
      await rm(beside, { force: true }).catch(() => {})
    }
  }

  const isFailing = (): boolean => {
    if (triedAt === null) return false
    if (now() - triedAt > betweenTries) {
      triedAt = now()
      void tryAgain()
    }
    return true
  }

  const find = async (name: FileName) => {
    try {
      const found = await stat(pathOf(name))
      if (!found.isFile()) return null
      const read = (range = { start: 0, end: found.size }): AsyncIterable<Uint8Array> =>
        range.end <= range.start
          ? (async function* () {})()
          : createReadStream(pathOf(name), { start: range.start, end: range.end - 1 })
      return { size: found.size, read }
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  /** When a file was stored; null: it was removed since it was listed, as two sweeps at a time do. */
  const storedAtOf = (path: string): Promise<number | null> =>
    stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      (error: unknown) => {
        if (isMissing(error)) return null
        throw error
      },
    )

  const list = async (under: FileName): Promise<ReadonlyArray<ListedFile>> => {
    const entries = await readdir(pathOf(under), { recursive: true, withFileTypes: true }).catch((error: unknown) => {
      if (isMissing(error)) return []
      throw error
    })
    const found: Array<ListedFile> = []
    for (const entry of entries) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      const storedAt = await storedAtOf(path)
      if (storedAt === null) continue
      const name = findFileName(relative(folder, path).split(sep).join("/"))
      if (name !== undefined) found.push({ name, storedAt })
      else if (entry.name.startsWith(unfinished) && Date.now() - storedAt > abandonedMilliseconds)
        await rm(path, { force: true })
    }
    return found
  }

  const discard = async (name: FileName, day: string): Promise<void> => {
    const place = join(folder, trash, day, ...name.split("/"))
    await mkdir(dirname(place), { recursive: true, mode: 0o700 })
    await rename(pathOf(name), place).catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
  }

  const forget = async (before: string): Promise<void> => {
    const days = await readdir(join(folder, trash)).catch((error: unknown) => {
      if (isMissing(error)) return []
      throw error
    })
    for (const day of days)
      if (/^\d{4}-\d\d-\d\d$/.test(day) && day < before)
        await rm(join(folder, trash, day), { recursive: true, force: true })
  }

  return {
    put: (name, bytes) => write(`storing ${name}`, () => receive(name, [bytes])),
    receive: (name, parts) =>
      Effect.flatMap(
        write(`storing ${name}`, () => receive(name, parts).catch(passOn)),
        (refusal) => (refusal === undefined ? Effect.void : Effect.fail(refusal)),
      ),
    find: (name) => read(`reading ${name}`, () => find(name)),
    remove: (name) => read(`removing ${name}`, () => rm(pathOf(name), { force: true })),
    discard: (name, day) => write(`putting ${name} away`, () => discard(name, day)),
    forget: (before) => read(`emptying the trash from before ${before}`, () => forget(before)),
    list: (under) => read(`listing ${under}`, () => list(under)),
    isFailing,
    free: Effect.promise(() => freeBytes(folder)),
  }
}

export const folderFiles = Layer.effect(
  Files,
  Effect.map(Config, ({ filesFolder, database }) =>
    makeFolderFiles(filesFolder, database.kind === "postgres" || database.sync),
  ),
)
