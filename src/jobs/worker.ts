/**
 * The server's periodic jobs: stores the progress of queues, deletes expired ones, prunes the log, counts the traffic
 * of channels, watches the clock, removes files that no message links or no row names, and finishes bulk commands that a
 * crash interrupted. A job that cannot reach the database is tried again at its next time.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { countTraffic } from "../chat/channels/channels/channel-traffic.ts"
import { Bulk } from "../chat/ground/bulk/bulk.ts"
import { Files } from "../chat/ground/files/files.ts"
import { sweepFiles } from "../chat/ground/files/sweep.ts"
import { Realms } from "../chat/ground/realm/realms.ts"
import { removeUnclaimed } from "../chat/reading/attachments/unclaimed.ts"
import { namedFiles } from "../chat/rooms.ts"
import { Clock } from "../clock.ts"
import { Config } from "../config/config.ts"
import { Database } from "../db/database.ts"
import { isHolder } from "../db/server-state.ts"
import { plainLog } from "../db/statement.ts"
import { Uptime } from "../db/uptime.ts"
import { forgetOld, pruneLogs } from "../events/log-retention.ts"
import { makeClockWatch } from "./clock-watch.ts"

const saveMilliseconds = 10_000
/** Also done once at the start, for commands that a crash interrupted. */
const finishMilliseconds = 10_000
const sweepMilliseconds = 60_000
const pruneMilliseconds = 15 * 60_000
/** How often is checked whether a day has ended, after which traffic is counted anew. */
const trafficMilliseconds = 10 * 60_000
const clockMilliseconds = 10_000
const unusedFilesMilliseconds = 6 * 3600_000

/** `onForeign` is called when another server has taken over the database; without writes nothing else would notice. */
export const workerLayer = (onForeign: (why: string) => void) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const realms = yield* Realms
      const bulk = yield* Bulk
      const clock = yield* Clock
      const database = yield* Database
      const uptime = yield* Uptime
      const { limits } = yield* Config
      const files = yield* Files

      const save = Effect.gen(function* () {
        if (!(yield* isHolder(database))) return onForeign("another server has taken the database over")
        // The running time last: if it were stored and the queues' uses were not, they would expire too early after a crash.
        for (const { queues } of realms.loaded()) yield* queues.save()
        yield* uptime.save()
      })
      const sweep = Effect.gen(function* () {
        for (const { queues, pages } of realms.loaded()) {
          pages.sweep()
          yield* queues.sweep()
        }
      })
      const clockWatch = makeClockWatch(clock, yield* plainLog)
      const prune = Effect.gen(function* () {
        if (!clockWatch.isTrusted()) return
        // The time that is trusted: the clock may jump while the database works.
        const now = clock.now()
        yield* forgetOld(database, limits, now)
        yield* pruneLogs(database, limits, now, (realm, oldest) => {
          const running = realms.running(realm)
          running?.ring.prune(oldest)
          running?.pages.prune(oldest)
        })
      })

      const traffic = Effect.suspend(() =>
        clockWatch.isTrusted() ? countTraffic(database, realms.loaded(), clock.now()) : Effect.void,
      )

      const unusedFiles = Effect.gen(function* () {
        if (!clockWatch.isTrusted()) return
        const now = clock.now()
        yield* removeUnclaimed(now)
        yield* sweepFiles(namedFiles, now)
      }).pipe(
        Effect.provideService(Files, files),
        Effect.provideService(Database, database),
        Effect.provideService(Realms, realms),
      )

      /** Runs a job periodically. A run that is still going on when the next is due is not started again. */
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
      yield* repeat(unusedFilesMilliseconds, unusedFiles)
      yield* repeat(clockMilliseconds, Effect.sync(clockWatch.look))
      yield* Effect.addFinalizer(() => Effect.ignore(save))
    }),
  )
