/**
 * Finds who does a command: a server that runs beside takes it by its socket; without one this process opens the database,
 * holds it, does the command and lets go; where a server elsewhere holds a PostgreSQL database, it takes the command from a
 * row. A server that is just starting holds its database already and has no socket yet, so the socket is tried again.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Unavailable } from "../api/errors.ts"
import type { FilesRefused } from "../chat/ground/files/folder-mark.ts"
import { askByRow } from "../chat/server/commands/ask-by-row.ts"
import { askBySocket } from "../chat/server/commands/ask-by-socket.ts"
import type { CommandAnswer, ServerCommand } from "../chat/server/commands/command-schema.ts"
import type { ServerCommands } from "../chat/server/commands/server-commands.ts"
import type { ConfigShape } from "../config/config.ts"
import type { OperatorSettings } from "../config/read-settings.ts"
import { findSecret, requireSecret } from "../config/secret.ts"
import { useFolder } from "../db/data-folders.ts"
import { Database } from "../db/database.ts"
import { oneLine } from "../db/one-line.ts"
import { openMigratedDatabase } from "../db/open/open-database.ts"
import type { DatabaseHeld, DatabaseUnusable } from "../db/open-failures.ts"
import { compareFingerprint, replaceFingerprint } from "../db/secret-fingerprint.ts"
import { commandLog } from "./command-log.ts"
import { untilSignal } from "./until-signal.ts"

const rowAnswerTimeoutMilliseconds = 60_000
const pollIntervalMilliseconds = 200
/** How long a server may be starting. */
const startMilliseconds = 15_000

/** Loads what does commands on a database that this process holds (app.ts), without a server. */
export type LoadProgram = () => Promise<
  (
    config: ConfigShape,
    database: Layer.Layer<Database>,
  ) => Effect.Effect<
    ServerCommands["Service"],
    DatabaseHeld | DatabaseUnusable | FilesRefused | Unavailable,
    Scope.Scope
  >
>

const refused = (text: string): CommandAnswer => ({ isDone: false, text })

const pause = Effect.sleep(pollIntervalMilliseconds)

const bySocket = (settings: OperatorSettings, command: ServerCommand) =>
  Effect.tryPromise({
    try: () => askBySocket(settings, command),
    catch: (error) => error,
  }).pipe(Effect.catch((error) => Effect.succeed(refused(`the running server cannot be asked: ${oneLine(error)}`))))

const otherSecret =
  "the secret is not the one that this database was served with: set PARLEY_SECRET (or the data folder) as for the server"

/** Does it in this process, which holds the database meanwhile. Nothing is done with another secret: keys come from it. */
const performHere = (settings: OperatorSettings, command: ServerCommand, load: LoadProgram) =>
  Effect.gen(function* () {
    if (settings.secret === null || settings.database.kind === "pglite") yield* useFolder(settings.dataFolder)
    const services = yield* Layer.build(openMigratedDatabase(settings.database))
    const database = Context.get(services, Database)
    const known = yield* Effect.fromResult(findSecret(settings))
    if ((yield* compareFingerprint(database, known)) === "other") return refused(otherSecret)
    const config = yield* Effect.fromResult(requireSecret(settings))
    yield* replaceFingerprint(database, config.secret)
    const openForCommands = yield* Effect.promise(load)
    const { perform } = yield* openForCommands(config, Layer.succeedContext(services))
    return yield* perform(command)
  })

const byRow = Effect.fnUntraced(function* (settings: OperatorSettings, url: string, command: ServerCommand) {
  const secret = yield* Effect.fromResult(findSecret(settings))
  if (secret === null) return refused("a server elsewhere uses the database: set PARLEY_SECRET to reach it")
  const { postgresLayer } = yield* Effect.promise(() => import("../db/postgres/postgres.ts"))
  const database = Context.get(yield* Layer.build(postgresLayer(url, { size: 1 })), Database)
  return yield* askByRow(database, secret, command, { milliseconds: rowAnswerTimeoutMilliseconds, pause })
})

/** A server holds the database, and there was no socket a moment ago. */
const askHolder = Effect.fnUntraced(function* (settings: OperatorSettings, command: ServerCommand, held: DatabaseHeld) {
  const { database } = settings
  const giveUpAt = performance.now() + startMilliseconds
  while (database.kind === "pglite" && performance.now() < giveUpAt) {
    const answer = yield* bySocket(settings, command)
    if (answer !== null) return answer
    yield* pause
  }
  if (database.kind === "postgres") return yield* byRow(settings, database.url, command)
  return refused(
    `${held.message}, and takes no commands in ${settings.dataFolder}: is the folder shared with another machine?`,
  )
})

const askOrPerform = (settings: OperatorSettings, command: ServerCommand, load: LoadProgram) =>
  Effect.gen(function* () {
    const answer = yield* bySocket(settings, command)
    if (answer !== null) return answer
    return yield* Effect.catchTag(Effect.scoped(performHere(settings, command, load)), "DatabaseHeld", (held) =>
      askHolder(settings, command, held),
    )
  })

/** Ends at a signal, in good order: what is held is released. Never rejects but for a defect. */
export const dispatchCommand = async (
  settings: OperatorSettings,
  command: ServerCommand,
  load: LoadProgram,
): Promise<CommandAnswer> => {
  const asked = Effect.scoped(askOrPerform(settings, command, load)).pipe(
    Effect.catchTag("Unavailable", ({ reason }) => Effect.succeed(refused(`the database was lost: ${reason}`))),
    Effect.catch(({ message }) => Effect.succeed(refused(message))),
  )
  const exit = await untilSignal(Effect.provide(asked, commandLog(settings)))
  if (Exit.isSuccess(exit)) return exit.value
  if (Cause.hasInterruptsOnly(exit.cause)) return refused("it was interrupted: look whether it was done")
  throw Cause.squash(exit.cause)
}
