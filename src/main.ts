#!/usr/bin/env node
/** The `parley` command: gives cli.ts the process, and serves until SIGTERM or SIGINT, then drains. */
import { Deferred, Effect, Result } from "effect"
import { type App, type StartFailure, startApp } from "./app.ts"
import { banner } from "./banner.ts"
import { runCli } from "./cli.ts"
import { systemClock } from "./clock.ts"
import type { ConfigShape } from "./config.ts"

const untilSignal = Effect.callback<void>((resume) => {
  const stop = () => resume(Effect.void)
  process.once("SIGTERM", stop)
  process.once("SIGINT", stop)
})

const serveUntilStopped = (config: ConfigShape): Effect.Effect<void, StartFailure> =>
  Effect.scoped(
    Effect.gen(function* () {
      const foreign = yield* Deferred.make<void>()
      const app: App = yield* startApp({
        config,
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
