/**
 * How much room the disks have, and how large the database is. Both are asked for beside a look at the figures, at most twice a
 * minute: a disk or a database that does not answer must not keep the figures that would tell so.
 */
import * as Effect from "effect/Effect"
import { each, gauge, type MetricFamily } from "../../../api/metrics.ts"
import { Config } from "../../../config/config.ts"
import { Database } from "../../../db/database.ts"
import { databaseBytes } from "../../../db/describe-database.ts"
import { freeBytes } from "../../ground/files/free-bytes.ts"

const keptMilliseconds = 30_000

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
  return (): ReadonlyArray<MetricFamily> => {
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
