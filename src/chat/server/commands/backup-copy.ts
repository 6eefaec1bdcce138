/**
 * What `parley backup` asks of a server that has an embedded database open: a copy of its files, which the command reads and
 * removes (src/command-line/backup). PostgreSQL is read by the command itself.
 */
import * as Effect from "effect/Effect"
import { badRequest } from "../../../api/errors.ts"
import { Config } from "../../../config/config.ts"
import { Database } from "../../../db/database.ts"
import { copiedCluster } from "../../../db/open/open-database.ts"

export const copyForBackup = Effect.fnUntraced(function* () {
  const { copy } = yield* Database
  const { database } = yield* Config
  if (database.kind !== "pglite" || copy === undefined)
    return yield* badRequest("The server's database is read by the command itself")
  const cluster = copiedCluster(database)
  yield* copy(cluster)
  return cluster
})
