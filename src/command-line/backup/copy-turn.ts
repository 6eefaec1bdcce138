/**
 * When a backup copies an embedded database by itself: its lock keeps servers from starting, so not while one restarts, which
 * has let go of the database for a moment.
 */
import * as Effect from "effect/Effect"
import type { DatabaseHeld, DatabaseUnusable } from "../../db/open-failures.ts"
import type { BackupFailed } from "./archive-format.ts"

/** How long a server may be starting: without its database yet, or with it and without taking commands yet. */
const startMilliseconds = 15_000
/** How long one may start again and again. */
const startsMilliseconds = 4 * startMilliseconds

type Failure = BackupFailed | DatabaseUnusable

export interface CopyMethods {
  /** There is a sign of a server at the beginning, although none may answer. */
  readonly isSeen: boolean
  /** Has a server copy; false where none takes commands. */
  readonly byServer: Effect.Effect<boolean, Failure>
  readonly requireFree: Effect.Effect<void, Failure | DatabaseHeld>
  /** Copies, and holds the database meanwhile. */
  readonly byItself: Effect.Effect<void, Failure | DatabaseHeld>
  /** Between two looks. */
  readonly pause: Effect.Effect<void>
  /** Milliseconds since any moment. */
  readonly elapsed: () => number
}

const whoHolds = (work: Effect.Effect<void, Failure | DatabaseHeld>) =>
  work.pipe(
    Effect.as(null),
    Effect.catchTag("DatabaseHeld", (error) => Effect.succeed(error)),
  )

/** Ends when there is a copy; fails where somebody holds the database all the time and makes none. */
export const copyInTurn = Effect.fnUntraced(function* (
  ways: CopyMethods,
): Effect.fn.Return<void, Failure | DatabaseHeld> {
  const { byServer, requireFree, byItself, pause, elapsed } = ways
  const begunAt = elapsed()
  let { isSeen } = ways
  let [isHeld, sameSince] = [false, begunAt]
  for (;;) {
    if (yield* byServer) return
    let held = yield* whoHolds(requireFree)
    if ((held !== null) !== isHeld) [isHeld, sameSince] = [held !== null, elapsed()]
    isSeen ||= isHeld
    const isLong = elapsed() - sameSince >= startMilliseconds
    if (held === null && (!isSeen || isLong)) {
      held = yield* whoHolds(byItself)
      if (held === null) return
    } else if (held !== null && (isLong || elapsed() - begunAt >= startsMilliseconds)) return yield* held
    yield* pause
  }
})
