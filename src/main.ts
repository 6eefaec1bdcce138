#!/usr/bin/env node
/** The `parley` command: gives cli.ts the process, and serves until SIGTERM or SIGINT, then drains. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { App, StartFailure } from "./app.ts"
import { runCli } from "./cli.ts"
import { systemClock } from "./clock.ts"
import type { ConfigShape } from "./config.ts"
import { openMigratedDatabase } from "./db/open.ts"

/** Done when this server is to end: by a signal, or because its database belongs to another one now. */
const stopped = Deferred.makeUnsafe<void>()
const stop = () => void Deferred.doneUnsafe(stopped, Effect.void)

// Heard from before anything is opened, and for good: npm passes on a signal that the terminal has sent to all of its
// processes already, and that second one must not cut the drain off.
process.on("SIGTERM", stop)
process.on("SIGINT", stop)

/** The rest of the program comes while the database opens in its own thread: 150 ms of a start. */
const load = Effect.promise

const start = (config: ConfigShape) =>
  Effect.gen(function* () {
    const [database, { startApp }, { banner }] = yield* Effect.all(
      [
        Layer.build(openMigratedDatabase(config.database)),
        load(() => import("./app.ts")),
        load(() => import("./banner.ts")),
      ],
      { concurrency: "unbounded" },
    )
    const app: App = yield* startApp({
      config,
      database: Layer.succeedContext(database),
      clock: systemClock,
      commitTime: () => null,
      onForeign: (why) => {
        process.exitCode = 1
        process.stderr.write(`parley: ${why}; this server ends\n`)
        stop()
      },
    })
    return { app, banner: banner(config, app) }
  })

/** What a start has opened when it is stopped is closed with the scope, in the same order as after a drain. */
const serveUntilStopped = (config: ConfigShape): Effect.Effect<void, StartFailure> =>
  Effect.scoped(
    Effect.gen(function* () {
      const started = yield* Effect.raceFirst(start(config), Effect.as(Deferred.await(stopped), null))
      if (started === null) return
      process.stdout.write(yield* started.banner)
      yield* Deferred.await(stopped)
      yield* started.app.drain
    }),
  )

const serve = (config: ConfigShape): Promise<Result.Result<void, string>> =>
  Effect.runPromise(
    Effect.map(Effect.result(serveUntilStopped(config)), (outcome) =>
      Result.mapError(outcome, (error) => error.message),
    ),
  )

const code = await runCli({
  argv: process.argv.slice(2),
  env: process.env,
  serve,
  print: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(text),
})
process.exitCode = code === 0 ? (process.exitCode ?? 0) : code
