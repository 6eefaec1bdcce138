/**
 * Run by recorded-server.ts: the program as main.ts starts it, with settings from the environment, that also runs SQL
 * which it is sent: what a year of use does to the files of a database has to happen within seconds.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { startApp } from "../../../src/app.ts"
import { systemClock } from "../../../src/clock.ts"
import { type OperatorSettings, readCommand } from "../../../src/config/read-settings.ts"
import { requireSecret } from "../../../src/config/secret.ts"
import { useFolder } from "../../../src/db/data-folders.ts"
import { Database } from "../../../src/db/database.ts"
import { openMigratedDatabase } from "../../../src/db/open/open-database.ts"
import { endAtOnce } from "./recorder.ts"

/** Starts the program; the scope's end stops it. */
const startProgram = (settings: OperatorSettings) =>
  Effect.gen(function* () {
    yield* useFolder(settings.dataFolder)
    const services = yield* Layer.build(openMigratedDatabase(settings.database))
    const config = yield* Effect.fromResult(requireSecret(settings))
    const app = yield* startApp({
      config,
      database: Layer.succeedContext(services),
      clock: systemClock,
      commitTime: () => null,
      onForeign: (why) => {
        throw new Error(why)
      },
    })
    return { app, database: Context.get(services, Database) }
  })

const serve = async (): Promise<void> => {
  const command = Result.getOrThrow(readCommand(process.env, []))
  if (command._tag !== "Serve") throw new Error("there is nothing to serve")
  const scope = await Effect.runPromise(Scope.make())
  const { app, database } = await Effect.runPromise(
    startProgram(command.settings).pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.provide(Logger.layer([Logger.consolePretty()])),
    ),
  )
  const answer = async (message: unknown): Promise<void> => {
    if (Predicate.hasProperty(message, "kill")) return endAtOnce()
    if (!Predicate.hasProperty(message, "sql")) {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      process.disconnect()
      // As main.ts does.
      setTimeout(() => process.exit(), 10_000).unref()
      return
    }
    await Effect.runPromise(database.query(String(message.sql)))
    process.send?.({ done: true })
  }
  process.on("message", (message) => void answer(message))
  process.send?.({ port: app.server.port })
}

if (process.argv[1] === new URL(import.meta.url).pathname) await serve()
