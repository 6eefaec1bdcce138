/**
 * The work that is done from time to time for all running organizations: their queues' progress is stored, queues that
 * nobody asks for are deleted, and the log is pruned by age and size.
 */
import * as Effect from "effect/Effect"
import { Clock } from "../../../clock.ts"
import { Config } from "../../../config/config.ts"
import { Database } from "../../../db/database.ts"
import { identityOf } from "../../../db/open/identity.ts"
import { isHolder } from "../../../db/server-state.ts"
import { Uptime } from "../../../db/uptime.ts"
import { forgetOld, pruneLogs } from "../../../events/log-retention.ts"
import { ClockWatch } from "../../../jobs/clock-watch.ts"
import { periodic, periodicOnce } from "../../../jobs/job.ts"
import { ServerEnd } from "../../../jobs/server-end.ts"
import { requireOwnFiles } from "../../ground/files/folder-mark.ts"
import { sweepFiles } from "../../ground/files/sweep-files.ts"
import { Catalog } from "../../ground/kinds/catalog.ts"
import { Realms } from "../../ground/realm/realms.ts"

const saveMilliseconds = 10_000
const sweepMilliseconds = 60_000
const pruneMilliseconds = 15 * 60_000
const filesMilliseconds = 6 * 3600_000

/** Also done once more when the server ends. Without writes nothing else would notice that another server has taken over. */
export const saveProgress = Effect.gen(function* () {
  const realms = yield* Realms
  if (!(yield* isHolder(yield* Database))) return (yield* ServerEnd).end("another server has taken the database over")
  // The running time last: if it were stored and the queues' uses were not, they would expire too early after a crash.
  for (const { queues } of realms.loaded()) yield* queues.save()
  yield* (yield* Uptime).save()
})

const sweep = Effect.gen(function* () {
  for (const { queues, pages } of (yield* Realms).loaded()) {
    pages.sweep()
    yield* queues.sweep()
  }
})

const prune = Effect.gen(function* () {
  if (!(yield* ClockWatch).isTrusted()) return
  const database = yield* Database
  const { limits } = yield* Config
  // The time that is trusted: the clock may jump while the database works.
  const now = (yield* Clock).now()
  yield* forgetOld(database, limits, now)
  const realms = yield* Realms
  yield* pruneLogs(database, limits, now, (realm, oldest) => {
    const running = realms.running(realm)
    running?.ring.prune(oldest)
    running?.pages.prune(oldest)
  })
})

export const saveJob = periodic({ name: "progress of queues", everyMilliseconds: saveMilliseconds, run: saveProgress })
export const sweepJob = periodic({ name: "expired queues", everyMilliseconds: sweepMilliseconds, run: sweep })
export const pruneJob = periodicOnce({ name: "pruning of the log", everyMilliseconds: pruneMilliseconds, run: prune })
/** Whether the folder still bears this database's mark: an operator may have given it to another one meanwhile. */
const areOwnFiles = Effect.gen(function* () {
  const { filesFolder, database: config } = yield* Config
  const database = yield* Database
  const identity = yield* identityOf(database, config, filesFolder)
  const own = requireOwnFiles(filesFolder, identity, database, (yield* Catalog).files)
  return yield* Effect.catchTag(own, "FilesRefused", ({ message }) => Effect.as(Effect.logError(message), false))
})

export const filesJob = periodicOnce({
  name: "files that no row names",
  everyMilliseconds: filesMilliseconds,
  run: Effect.gen(function* () {
    if (!(yield* ClockWatch).isTrusted() || !(yield* areOwnFiles)) return
    yield* sweepFiles((yield* Catalog).files, (yield* Clock).now())
  }),
})
