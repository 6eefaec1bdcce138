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

const untilSignal = Effect.callback<void>((resume) => {
  const stop = () => resume(Effect.void)
  process.once("SIGTERM", stop)
  process.once("SIGINT", stop)
})

/** The rest of the program comes while the database opens in its own thread: 150 ms of a start. */
const load = Effect.promise

const serveUntilStopped = (config: ConfigShape): Effect.Effect<void, StartFailure> =>
  Effect.scoped(
    Effect.gen(function* () {
      const foreign = yield* Deferred.make<void>()
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
          Effect.runFork(Deferred.succeed(foreign, undefined))
        },
      })
      process.stdout.write(yield* banner(config, app))
      yield* Effect.race(untilSignal, Deferred.await(foreign))
      yield* app.drain
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
