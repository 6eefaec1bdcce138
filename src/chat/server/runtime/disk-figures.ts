/**
 * How much room the disks have, and how large the database is. Both are asked for beside a look at the figures, at most twice a
 * minute: a disk or a database that does not answer must not keep the figures that would tell so.
 */
import { statfs } from "node:fs/promises"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import { each, type Family, gauge } from "../../../api/metrics.ts"
import { Config } from "../../../config/config.ts"
import { Database } from "../../../db/database.ts"
import { databaseBytes } from "../../../db/describe.ts"

const keptMilliseconds = 30_000

/** Bytes that the server may write where this folder is, or will be; null where the system does not say. */
const freeBytes = async (folder: string): Promise<number | null> => {
  for (let at = folder; ; at = dirname(at)) {
    try {
      const { bavail, bsize } = await statfs(at)
      return bavail * bsize
    } catch {
      if (dirname(at) === at) return null
    }
  }
}

/** Answers what reads the figures that were found last. */
export const diskFigures = Effect.gen(function* () {
  const { dataFolder, filesFolder } = yield* Config
  const database = yield* Database
  const folders = { data: dataFolder, files: filesFolder }
  const free = new Map<string, number>()
  let bytes: number | null = null
  let askedAt = Number.NEGATIVE_INFINITY
  let isAsking = false

  const ask = Effect.gen(function* () {
    for (const [name, folder] of Object.entries(folders)) {
      const found = yield* Effect.promise(() => freeBytes(folder))
      if (found === null) free.delete(name)
      else free.set(name, found)
    }
    bytes = yield* databaseBytes(database)
  }).pipe(
    Effect.ignore,
    Effect.ensuring(
      Effect.sync(() => {
        isAsking = false
      }),
    ),
  )
  const context = yield* Effect.context<never>()
  return (): ReadonlyArray<Family> => {
    const now = performance.now()
    if (!isAsking && now - askedAt >= keptMilliseconds) {
      isAsking = true
      askedAt = now
      Effect.runForkWith(context)(ask)
    }
    const help = "Bytes that the server may still write where its data and its uploaded files are."
    return [
      each("gauge", "parley_disk_free_bytes", help, "folder", free),
      ...(bytes === null ? [] : [gauge("parley_database_bytes", "Size of the database on its disk.", bytes)]),
    ]
  }
})
