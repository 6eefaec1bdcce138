/**
 * What a server does on its own, by the clock: writes back how far queues have come, sweeps those nobody asks for,
 * keeps the log within its bounds, finishes what was begun in chunks. A database that cannot be
 * reached is asked again the next time.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Bulk } from "../chat/bulk/bulk.ts"
import { countTraffic } from "../chat/channels/channel-traffic.ts"
import { Realms } from "../chat/realm/realms.ts"
import { Clock } from "../clock.ts"
import { Config } from "../config.ts"
import { Database } from "../db/database.ts"
import { isHolder } from "../db/server-state.ts"
import { Uptime } from "../db/uptime.ts"
import { forgetOld, pruneLog } from "../events/log-retention.ts"

const saveMilliseconds = 10_000
/** What a crash has left is begun with at once. */
const finishMilliseconds = 10_000
const sweepMilliseconds = 60_000
const pruneMilliseconds = 15 * 60_000
/** How often it is looked whether a realm's day is over. */
const trafficMilliseconds = 10 * 60_000

/** `onForeign`: another server has taken the database over, which one that writes nothing would never notice. */
export const workerLayer = (onForeign: (why: string) => void) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const realms = yield* Realms
      const bulk = yield* Bulk
      const clock = yield* Clock
      const database = yield* Database
      const uptime = yield* Uptime
      const { limits } = yield* Config

      const save = Effect.gen(function* () {
        if (!(yield* isHolder(database))) return onForeign("another server has taken the database over")
        yield* uptime.save()
        for (const { queues } of realms.loaded()) yield* queues.save()
      })
      const sweep = Effect.gen(function* () {
        for (const { queues } of realms.loaded()) yield* queues.sweep()
      })
      const prune = Effect.gen(function* () {
        yield* forgetOld(database, limits, clock.now())
        for (const { realm, ring } of realms.loaded()) {
          ring.prune(yield* pruneLog(database, realm.id, limits, clock.now()))
        }
      })

      const traffic = Effect.suspend(() => countTraffic(database, realms.loaded(), clock.now()))

      /** A job that is still at it when its time comes again is left alone. */
      const repeat = <E>(milliseconds: number, job: Effect.Effect<void, E>) => {
        let busy = false
        const timer = clock.every(milliseconds, () => {
          if (busy) return
          busy = true
          Effect.runFork(
            Effect.ensuring(
              Effect.ignore(job),
              Effect.sync(() => {
                busy = false
              }),
            ),
          )
        })
        return Effect.addFinalizer(() => Effect.sync(() => timer.cancel()))
      }
      yield* Effect.ignore(bulk.finish)
      yield* repeat(finishMilliseconds, bulk.finish)
      yield* repeat(saveMilliseconds, save)
      yield* repeat(sweepMilliseconds, sweep)
      yield* repeat(pruneMilliseconds, prune)
      yield* repeat(trafficMilliseconds, traffic)
      yield* Effect.addFinalizer(() => Effect.ignore(save))
    }),
  )
