/**
 * Deletes old rows of the log, outcomes of commits and records of sends. The newest row of a log is kept, because the
 * next position is counted from it. What bears a time in the future was written while the clock was wrong.
 */
import * as Effect from "effect/Effect"
import type { Unavailable } from "../api/errors.ts"
import type { Limits } from "../config/config.ts"
import type { DatabaseShape } from "../db/database.ts"
import { RealmId } from "../ids.ts"

/** Rows deleted per statement, so that no statement holds its locks for long. */
const rowsAtOnce = 5000
const hour = 3600 * 1000
const day = 24 * hour

/** A later time than this is wrong; the hour is for the clocks of a server and its database, which may differ. */
export const latestRight = (now: number): number => now + hour

/** Prunes a realm's log by age and size; answers the oldest position it still holds, 0 for an empty log. */
export const pruneLog = Effect.fnUntraced(function* (
  database: DatabaseShape,
  realm: RealmId,
  limits: Limits,
  now: number,
): Effect.fn.Return<number, Unavailable> {
  const byAge = now - limits.logRetentionDays * day
  // However large the log, rows that a queue may still ask for are kept.
  const neverAfter = now - limits.queueIdleMaxSeconds * 1000 - day
  for (;;) {
    const [row] = yield* database.query("select * from prune_log_v2($1, $2, $3, $4, $5, $6)", [
      realm,
      byAge,
      neverAfter,
      latestRight(now),
      limits.logRetentionBytes,
      rowsAtOnce,
    ])
    if (Number(row?.["pruned"]) < rowsAtOnce) return Number(row?.["oldest"])
  }
})

/**
 * Prunes the logs of all organizations that the database has, those that nobody has asked for since the start too. `tell`
 * is told of each log what it still holds.
 */
export const pruneLogs = Effect.fnUntraced(function* (
  database: DatabaseShape,
  limits: Limits,
  now: number,
  tell: (realm: RealmId, oldest: number) => void,
): Effect.fn.Return<void, Unavailable> {
  for (const row of yield* database.query("select id from realm order by id")) {
    const realm = RealmId(Number(row["id"]))
    tell(realm, yield* pruneLog(database, realm, limits, now))
  }
})

/**
 * Deletes outcomes of commits and records of sends that are too old to be asked for. Those of a wrong time are from now
 * on as old as if they were written now.
 */
export const forgetOld = Effect.fnUntraced(function* (
  database: DatabaseShape,
  limits: Limits,
  now: number,
): Effect.fn.Return<void, Unavailable> {
  const memory = {
    commit_outcome: limits.commitMemoryMinutes * 60_000,
    sent: limits.sendMemoryHours * hour,
  }
  for (const [table, milliseconds] of Object.entries(memory)) {
    yield* database.query(`update ${table} set at = $1 where at > $2`, [now, latestRight(now)])
    yield* database.query(`delete from ${table} where at < $1`, [now - milliseconds])
  }
})
