/**
 * What a backup reads. Of PostgreSQL it is the database itself, in one transaction. The embedded database has one connection,
 * which a server needs: so its files are copied first, by the server that has it open or, without one, by this process, and
 * the copy is read. It lies beside the database and goes when it has been read; a lock lets one backup make it at a time.
 */
import { existsSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { askBySocket } from "../../chat/server/commands/ask-by-socket.ts"
import { ownSocketName } from "../../chat/server/commands/socket-path.ts"
import type { EmbeddedConfig } from "../../config/config.ts"
import type { OperatorSettings } from "../../config/read-settings.ts"
import { useFolder } from "../../db/data-folders.ts"
import { Database } from "../../db/database.ts"
import { holdFolder } from "../../db/folder-lock.ts"
import { copiedCluster, copyFolder, copyUnopened, isMissing, openToRead } from "../../db/open/open-database.ts"
import { DatabaseHeld } from "../../db/open-failures.ts"
import { fail, tried } from "./archive-format.ts"
import { copyInTurn } from "./copy-turn.ts"

/** How long a server may copy. */
const copyMilliseconds = 6 * 3600 * 1000
const lookMilliseconds = 200

/** Has a server copy; false where none takes commands. */
const copyByServer = Effect.fnUntraced(function* (settings: OperatorSettings) {
  const answer = yield* tried("the running server cannot be asked", (signal) =>
    // The server ends its copy when whoever asked for it is gone.
    askBySocket(settings, { do: "backup copy" }, copyMilliseconds, signal),
  )
  if (answer === null) return false
  return answer.isDone ? true : yield* fail(answer.text)
})

const copyDatabase = (settings: OperatorSettings, database: EmbeddedConfig) =>
  copyInTurn({
    isSeen: existsSync(join(settings.dataFolder, ownSocketName({ ...settings, database }))),
    byServer: copyByServer(settings),
    requireFree: Effect.scoped(holdFolder(database.folder)),
    byItself: copyUnopened(database),
    pause: Effect.sleep(lookMilliseconds),
    elapsed: () => performance.now(),
  }).pipe(
    Effect.catchTag("DatabaseHeld", ({ message }) =>
      Effect.fail(fail(`${message}, and takes no commands in ${settings.dataFolder}`)),
    ),
  )

/** Until the scope closes. Nothing of the data folder is changed, and no database is made. */
export const openSource = Effect.fnUntraced(function* (settings: OperatorSettings, tell: (line: string) => void) {
  const { database } = settings
  if (database.kind === "postgres") return Context.get(yield* Layer.build(openToRead(database)), Database)
  if (isMissing(database)) return yield* fail(`There is no database in ${database.folder}`)
  const folder = copyFolder(database)
  yield* useFolder(folder, "folder for the copy of the database")
  yield* Effect.catchTag(holdFolder(folder), "DatabaseHeld", () =>
    Effect.fail(new DatabaseHeld({ message: `Another backup of ${database.folder} is under way` })),
  )
  yield* Effect.addFinalizer(() =>
    Effect.promise(() => rm(copiedCluster(database), { recursive: true, force: true, maxRetries: 10 })),
  )
  tell("copies the database; a server that has it open goes on meanwhile")
  yield* copyDatabase(settings, database)
  const services = yield* Layer.build(openToRead({ ...database, folder }))
  return Context.get(services, Database)
})
