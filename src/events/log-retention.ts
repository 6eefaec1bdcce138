/**
 * Deletes old rows of the log, outcomes of commits and records of sends. The newest row of a log is kept, because the
 * next position is counted from it.
 */
import * as Effect from "effect/Effect"
import type { Limits } from "../config.ts"
import type { DatabaseShape } from "../db/database.ts"
import type { Unavailable } from "../errors.ts"
import type { RealmId } from "../ids.ts"

/** Rows deleted per statement, so that no statement holds its locks for long. */
const rowsAtOnce = 5000
const day = 24 * 3600 * 1000

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
    const [row] = yield* database.query("select * from prune_log_v1($1, $2, $3, $4, $5)", [
      realm,
      byAge,
      neverAfter,
      limits.logRetentionBytes,
      rowsAtOnce,
    ])
    if (Number(row?.["pruned"]) < rowsAtOnce) return Number(row?.["oldest"])
  }
})

/** Deletes outcomes of commits and records of sends that are too old to be asked for. */
export const forgetOld = (database: DatabaseShape, limits: Limits, now: number): Effect.Effect<void, Unavailable> =>
  Effect.andThen(
    database.query("delete from commit_outcome where at < $1", [now - limits.commitMemoryMinutes * 60_000]),
    Effect.asVoid(database.query("delete from sent where at < $1", [now - limits.sendMemoryHours * 3600_000])),
  )
