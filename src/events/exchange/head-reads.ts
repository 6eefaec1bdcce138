/** Brings a projection up to what any process has committed, for whoever asks: many at once by few reads of the log's head. */
import * as Effect from "effect/Effect"
import { Unavailable } from "../../api/errors.ts"
import { sharedRead } from "../../db/shared-read.ts"
import type { RealmFeed } from "../feed.ts"

export interface HeadReadsOptions {
  readonly feed: Pick<RealmFeed, "position" | "catchUp">
  readonly readHead: Effect.Effect<number, Unavailable>
  /** The log has fewer rows than this process has seen: its database was put back to an earlier state. */
  readonly onLostLog: () => void
}

/** Answers what waits until the projection is at a head that was read after it was run. */
export const makeHeadReads = ({ feed, readHead, onLostLog }: HeadReadsOptions): Effect.Effect<void, Unavailable> =>
  sharedRead(
    Effect.gen(function* () {
      const known = feed.position
      const head = yield* readHead
      if (head < known) {
        onLostLog()
        return yield* new Unavailable({ reason: "the database was put back to an earlier state" })
      }
      yield* feed.catchUp(head)
    }),
  )
