#!/usr/bin/env node
/**
 * The `parley` command: gives cli.ts the process, and serves until SIGTERM or SIGINT, then leaves and drains. A second signal ends it
 * at once. Where it is to start several processes, it serves nothing itself (start/processes).
 */
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
import { checkPort } from "./http/network/port-in-use.ts"
import { openPort } from "./http/network/uws.ts"
import { takeOutput } from "./output.ts"
import { makeLog, type ServerLog } from "./start/log.ts"
import { asChild } from "./start/processes/as-child.ts"
import { runFamily } from "./start/processes/run-family.ts"
import { nameSources } from "./start/stack-traces.ts"
import { stopSignals } from "./start/stop-signals.ts"

nameSources()

/** Before anything is printed. */
const { out, err, settled } = takeOutput()

interface Stop {
  /** As the log says it; null: it has been told already. */
  readonly why: string | null
  /** Whether it serves on for a while: `replaced`, where another process serves its port. */
  readonly leaves: "no" | "yes" | "replaced"
}

/** Completed when this server must end. */
const stopped = Deferred.makeUnsafe<Stop>()
const stop = (how: Stop) => void Deferred.doneUnsafe(stopped, Effect.succeed(how))
/** Completed when it may serve no more, also while it leaves. */
const lost = Deferred.makeUnsafe<void>()

/** The log of the server, once there is one. */
let log: ServerLog | undefined
/** Ends the processes that this one has started. */
let killAll = (): void => {}

const endAtOnce = (signal: NodeJS.Signals): void => {
  log?.say("warn", `${signal} again: this server ends at once`)
  killAll()
  process.exit(128 + constants.signals[signal])
}

// Registered before anything is opened, and never removed: the end must not be the system's, which would end the drain.
const onSignal = stopSignals({
  now: () => performance.now(),
  stop: (signal) => stop({ why: signal, leaves: "yes" }),
  endAtOnce,
})
process.on("SIGTERM", onSignal)
process.on("SIGINT", onSignal)
// Set by `parley bench` for the server that it starts, which must not outlive it.
if (process.env["PARLEY_ENDS_WITH_PARENT"] === "on") watchParent(() => stop({ why: "SIGTERM", leaves: "yes" }))

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

/**
 * The port comes first and the secret last: a start that is refused leaves nothing behind. The thread touches nothing. One of several
 * processes opens it when it can serve: until then a proxy, or the system, passes what comes on to the others.
 */
const start = (settings: OperatorSettings, { say, hide }: ServerLog) =>
  Effect.gen(function* () {
    const thread = yield* threadAhead(settings.database)
    const { processes } = settings
    if (processes !== null && processes.child === null) yield* checkPort(settings)
    const listener = processes === null ? yield* openPort(settings) : undefined
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
      ...(listener === undefined ? {} : { listener }),
      database: Layer.succeedContext(services),
      clock: systemClock,
      commitTime: () => null,
      demoHash,
      onForeign: (why) => {
        process.exitCode = 1
        say("error", `${why}; this server ends`)
        stop({ why: null, leaves: "no" })
        Deferred.doneUnsafe(lost, Effect.void)
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
const tellStop = ({ why }: Stop) =>
  why === null ? Effect.void : Effect.logInfo(`${why}: this server ends, when it has answered what is in flight`)

/** Serves on for a while, so that whoever sends requests here turns to others first. */
const leave = (app: App, { leaveSeconds: seconds }: OperatorSettings, { why, leaves }: Stop) => {
  if (leaves === "no" || seconds === 0) return Effect.void
  const how = leaves === "yes" ? "it serves on, and /ready says that it leaves" : "it serves those that are connected"
  const told = Effect.logInfo(`${why}: this server leaves: for ${seconds} s ${how}`)
  return Effect.andThen(told, Effect.raceFirst(app.server.leave(leaves === "replaced"), Deferred.await(lost)))
}

/** A signal during the start closes what has been opened so far with the scope, in the same order as after a drain. */
const serveUntilStopped = (
  settings: OperatorSettings,
  log: ServerLog,
  onServing: () => void,
): Effect.Effect<void, StartFailure | ConfigError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const stopsEarly = Effect.as(Effect.flatMap(Deferred.await(stopped), tellStop), null)
      const started = yield* Effect.raceFirst(start(settings, log), stopsEarly)
      if (started === null) return
      out.write(yield* started.banner)
      log.say("info", "this server serves", yield* started.fields)
      onServing()
      for (const warning of [findWarning(settings), yield* started.warning])
        if (warning !== undefined) yield* Effect.logWarning(warning)
      // It is a client of the server: it comes when the server is ready, and goes before it ends.
      const guide = yield* Effect.forkScoped(started.guide)
      const how = yield* Deferred.await(stopped)
      yield* Fiber.interrupt(guide)
      yield* leave(started.app, settings, how)
      yield* tellStop(how)
      yield* started.app.drain
    }),
  )

/** Several processes serve the port, and this one looks after them. A refused start of one of them is this one's. */
const serveByOthers = (wanted: number, settings: OperatorSettings, { say }: ServerLog) =>
  Effect.gen(function* () {
    yield* checkPort(settings)
    const { leaveSeconds } = settings
    const family = runFamily({ wanted, leaveSeconds, clock: systemClock, say, out: out.write, err: err.write })
    killAll = family.killAll
    process.on("SIGHUP", family.roll)
    const end = Effect.map(Deferred.await(stopped), ({ why }) => {
      say("info", `${why}: all processes end`)
      family.end()
    })
    yield* Effect.forkChild(end)
    const code = yield* Effect.promise(() => family.ended)
    if (code !== 0) process.exitCode = code
  })

const serve = (settings: OperatorSettings): Promise<Result.Result<void, string>> => {
  const { children, processes } = settings
  const child = processes?.child ?? null
  const about = child === null ? {} : { child }
  const made = makeLog({ ...settings.log, about, secrets: secretsIn(settings), write: err.write })
  log = made
  err.setDroppedFormatter(made.dropped)
  const tellReady =
    child === null
      ? () => {}
      : asChild({
          onReplaced: () => stop({ why: "another process takes its place", leaves: "replaced" }),
          onOrphaned: () => stop({ why: "the process that has started it has ended", leaves: "no" }),
        })
  const served =
    children === null ? serveUntilStopped(settings, made, tellReady) : serveByOthers(children, settings, made)
  const told = Effect.map(Effect.result(served), (outcome) => Result.mapError(outcome, (error) => error.message))
  return Effect.runPromise(Effect.provide(told, made.layer))
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
