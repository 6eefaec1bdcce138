/**
 * Time that servers have run on this database. Queues expire by it, so that none expires while no server runs. At its
 * start this layer takes the database over (server-state.ts).
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Unavailable } from "../api/errors.ts"
import { Clock } from "../clock.ts"
import { Database } from "./database.ts"
import { saveRunning, takeOver } from "./server-state.ts"

export class Uptime extends Context.Service<
  Uptime,
  {
    /** Milliseconds, this server's own included. */
    readonly running: () => number
    readonly save: () => Effect.Effect<void, Unavailable>
  }
>()("parley/db/Uptime") {
  static readonly layer = Layer.effect(
    Uptime,
    Effect.gen(function* () {
      const database = yield* Database
      const clock = yield* Clock
      const { cluster } = database
      // The database keeps the time of processes that serve it together, and they have joined already.
      if (cluster !== undefined) return Uptime.of({ running: cluster.running, save: () => Effect.void })
      const before = yield* takeOver(database)
      const began = clock.elapsed()
      const running = () => before + Math.floor(clock.elapsed() - began)
      yield* Effect.addFinalizer(() => Effect.ignore(saveRunning(database, running())))
      return Uptime.of({ running, save: () => saveRunning(database, running()) })
    }),
  )
}
