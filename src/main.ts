#!/usr/bin/env node
/** The `parley` command: gives cli.ts the process, and serves until SIGTERM or SIGINT, then drains. A second signal ends it at once. */
import { constants } from "node:os"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { App, StartFailure } from "./app.ts"
import { hashDemoPassword } from "./chat/server/setup/demo-password.ts"
import { runCli } from "./cli.ts"
import { systemClock } from "./clock.ts"
import { watchParent } from "./command-line/watch-parent.ts"
import { secretsIn } from "./config/describe-settings.ts"
import type { ConfigError } from "./config/parse-arguments.ts"
import { findWarning, type OperatorSettings } from "./config/read-settings.ts"
import { checkKeptSecret, requireSecret } from "./config/secret.ts"
import { useFolder } from "./db/data-folders.ts"
import { Database } from "./db/database.ts"
import { oneLine } from "./db/one-line.ts"
import { isMissing, openMigratedDatabase, threadAhead } from "./db/open/open-database.ts"
import { replaceFingerprint } from "./db/secret-fingerprint.ts"
import { openPort } from "./http/network/uws.ts"
import { takeOutput } from "./output.ts"
import { makeLog, type ServerLog } from "./start/log.ts"
import { nameSources } from "./start/stack-traces.ts"
import { stopSignals } from "./start/stop-signals.ts"

nameSources()

/** Before anything is printed. */
const { out, err, settled } = takeOutput()

/** Completed when this server must end: at a signal, or, with null, when another server has taken its database over. */
const stopped = Deferred.makeUnsafe<NodeJS.Signals | null>()
const stop = (signal: NodeJS.Signals | null) => void Deferred.doneUnsafe(stopped, Effect.succeed(signal))

/** The log of the server, once there is one. */
let log: ServerLog | undefined

const endAtOnce = (signal: NodeJS.Signals): void => {
  log?.say("warn", `${signal} again: this server ends at once`)
  process.exit(128 + constants.signals[signal])
}

// Registered before anything is opened, and never removed: the end must not be the system's, which would end the drain.
const onSignal = stopSignals({ now: () => performance.now(), stop, endAtOnce })
process.on("SIGTERM", onSignal)
process.on("SIGINT", onSignal)
// Set by `parley bench` for the server that it starts, which must not outlive it.
if (process.env["PARLEY_ENDS_WITH_PARENT"] === "on") watchParent(() => stop("SIGTERM"))

/** Modules that are loaded while the database opens in its own thread, which saves 150 ms of a start. */
const load = Effect.promise

const otherSecret =
  "the secret is not the one that this database was served with before: all API keys are void, people and bots need new ones"

/** Whether this start will make the demo organization: its password is hashed while the database is made. */
const isFirst = ({ mode, database }: OperatorSettings): boolean => mode === "development" && isMissing(database)

/**
 * Commands of operators on this machine (src/command-line). A server on PostgreSQL is also reached through its database, and
 * may have a folder that cannot be written.
 */
const takeCommands = (
  { database, dataFolder }: OperatorSettings,
  listening: Effect.Effect<void, unknown, Scope.Scope>,
) => {
  const why = (error: unknown) => Effect.logWarning(`no commands are taken in ${dataFolder}: ${oneLine(error)}`)
  return database.kind === "pglite"
    ? Effect.catch(listening, why)
    : Effect.ignore(Effect.andThen(useFolder(dataFolder), listening))
}

/** The port comes first and the secret last: a start that is refused leaves nothing behind. The thread touches nothing. */
const start = (settings: OperatorSettings, { say, hide }: ServerLog) =>
  Effect.gen(function* () {
    const thread = yield* threadAhead(settings.database)
    const listener = yield* openPort(settings)
    yield* Effect.fromResult(checkKeptSecret(settings))
    const keepsFiles = settings.secret === null || settings.database.kind === "pglite"
    if (keepsFiles) yield* useFolder(settings.dataFolder)
    const demoHash = isFirst(settings) ? yield* hashDemoPassword : undefined
    const [services, { startApp }, { banner, emptyWarning, isForPeople, startFields }] = yield* Effect.all(
      [
        Layer.build(openMigratedDatabase(settings.database, [], { thread, processes: settings.processes })),
        load(() => import("./app.ts")),
        load(() => import("./banner.ts")),
      ],
      { concurrency: "unbounded" },
    )
    const config = yield* Effect.fromResult(requireSecret(settings))
    hide(config.secret)
    const app: App = yield* startApp({
      config,
      listener,
      database: Layer.succeedContext(services),
      clock: systemClock,
      commitTime: () => null,
      demoHash,
      onForeign: (why) => {
        process.exitCode = 1
        say("error", `${why}; this server ends`)
        stop(null)
      },
    })
    yield* takeCommands(settings, app.takeCommands)
    const checkSecret = replaceFingerprint(Context.get(services, Database), config.secret).pipe(
      Effect.flatMap((isOther) => (isOther ? Effect.logWarning(otherSecret) : Effect.void)),
      Effect.ignore,
    )
    yield* Effect.forkScoped(checkSecret)
    const guide = Effect.flatMap(
      load(() => import("./demo-guide.ts")),
      ({ runGuide }) => runGuide(config, app),
    )
    return {
      app,
      banner: isForPeople(config, process.stdout.isTTY) ? banner(config, app) : Effect.succeed(""),
      warning: config.mode === "production" ? emptyWarning(app) : Effect.undefined,
      fields: startFields(config, app),
      guide: config.mode === "development" ? guide : Effect.void,
    }
  })

/** Whoever looks at the log later sees that the end was wanted. */
const awaitStop = Effect.tap(Deferred.await(stopped), (signal) =>
  signal === null ? Effect.void : Effect.logInfo(`${signal}: this server ends, when it has answered what is in flight`),
)

/** A signal during the start closes what has been opened so far with the scope, in the same order as after a drain. */
const serveUntilStopped = (
  settings: OperatorSettings,
  log: ServerLog,
): Effect.Effect<void, StartFailure | ConfigError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const started = yield* Effect.raceFirst(start(settings, log), Effect.as(awaitStop, null))
      if (started === null) return
      out.write(yield* started.banner)
      log.say("info", "this server serves", yield* started.fields)
      for (const warning of [findWarning(settings), yield* started.warning])
        if (warning !== undefined) yield* Effect.logWarning(warning)
      // It is a client of the server: it comes when the server is ready, and goes before it ends.
      const guide = yield* Effect.forkScoped(started.guide)
      yield* awaitStop
      yield* Fiber.interrupt(guide)
      yield* started.app.drain
    }),
  )

const serve = (settings: OperatorSettings): Promise<Result.Result<void, string>> => {
  const made = makeLog({ ...settings.log, secrets: secretsIn(settings), write: err.write })
  log = made
  err.setDroppedFormatter(made.dropped)
  const served = Effect.map(Effect.result(serveUntilStopped(settings, made)), (outcome) =>
    Result.mapError(outcome, (error) => error.message),
  )
  return Effect.runPromise(Effect.provide(served, made.layer))
}

const code = await runCli({
  argv: process.argv.slice(2),
  env: process.env,
  serve,
  print: out.write,
  complain: err.write,
})
await settled()
process.exitCode = code === 0 ? (process.exitCode ?? 0) : code
// All is closed. A thread or a handle that stays all the same must not keep the process from its end.
setTimeout(() => process.exit(), 10_000).unref()
