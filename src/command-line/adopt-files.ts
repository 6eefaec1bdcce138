/** `parley files adopt`: marks the folder for files as this database's, whatever it bears (chat/ground/files/folder-mark.ts). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { adoptFiles } from "../chat/ground/files/folder-mark.ts"
import type { OperatorSettings } from "../config/read-settings.ts"
import { Database } from "../db/database.ts"
import { identityOf } from "../db/open/identity.ts"
import { isMissing, openMigratedDatabase } from "../db/open/open-database.ts"
import { commandLog } from "./command-log.ts"

const adopt = Effect.fnUntraced(function* ({ database: config, filesFolder }: OperatorSettings) {
  const services = yield* Layer.build(openMigratedDatabase(config))
  const identity = yield* identityOf(Context.get(services, Database), config, filesFolder)
  yield* adoptFiles(filesFolder, identity)
  return `The files in ${filesFolder} belong to this database from now on`
})

/** A failure is one line that says why it was not done. */
export const runAdopt = async (settings: OperatorSettings): Promise<Result.Result<string, string>> => {
  const { database } = settings
  if (database.kind === "pglite" && isMissing(database))
    return Result.fail(`There is no database in ${database.folder}`)
  const told = Effect.mapError(Effect.scoped(adopt(settings)), (error) =>
    error._tag === "Unavailable" ? `the database was lost, or refused it: ${error.reason}` : error.message,
  )
  return Effect.runPromise(Effect.provide(Effect.result(told), commandLog(settings)))
}
