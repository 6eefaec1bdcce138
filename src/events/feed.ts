/**
 * Takes committed rows through one realm of this process: each row first moves the projection, then goes to ring
 * and hub, with its receivers judged in that same turn. Rows come with the answers of the writer's commits, or are
 * read from the log where another process committed. A row that cannot be applied ends the process: a projection, ring
 * or hub that lacked it would deliver wrongly from then on.
 */
import * as Effect from "effect/Effect"
import type { Unavailable } from "../api/errors.ts"
import type { WireId } from "../ids.ts"
import { idSpan, type LogRow, lastIdOf, type Membership, receiversOf } from "./event.ts"
import type { DeliveryHub } from "./hub.ts"
import type { LogPage } from "./log.ts"

/** The realm in memory, as the feed moves it. */
export interface FedProjection extends Membership {
  /** The newest row applied. */
  readonly position: number
  readonly apply: (row: LogRow) => void
}

export interface FeedOptions {
  readonly projection: FedProjection
  /** Keeps the newest rows in memory (past/row-ring.ts). */
  readonly ring: { readonly push: (row: LogRow) => void }
  readonly hub: Pick<DeliveryHub, "put">
  /** Rows after a position, a page at most. */
  readonly read: (after: number) => Effect.Effect<LogPage, Unavailable>
  /** Whether this program knows a type of rows. Absent: nobody else writes. */
  readonly isKnown?: (type: string) => boolean
  /** Called before a row is put to ring and hub: what is in memory of the texts that it deletes goes now. */
  readonly onApplied: (row: LogRow) => void
  /** Called after a row has been applied and put to the hub, in the same turn. */
  readonly onRow: (row: LogRow) => void
  /** Called once, when a committed row could not be applied. This process must stop: it no longer knows its realm. */
  readonly onStuck: (row: LogRow, cause: unknown) => void
}

export interface RealmFeed {
  /** The newest row that the projection was moved over. */
  readonly position: number
  /**
   * The highest id that may have been given at that position, the last of its 65,536: ids of ephemerals are in no table, an
   * earlier process or another one may have given any of them, and a client that holds such an id has done nothing wrong.
   */
  readonly newestId: WireId
  /** True once a row could not be applied: no command may be judged on the projection any more. */
  readonly isStuck: boolean
  /** Takes committed rows in order, and ignores those taken before. False: rows before them are missing. */
  readonly advance: (rows: ReadonlyArray<LogRow>) => boolean
  /** Reads and takes the missing rows, up to the position `head` at least. */
  readonly catchUp: (head: number) => Effect.Effect<void, Unavailable>
}

const anyType = () => true

export const makeFeed = (options: FeedOptions): RealmFeed => {
  const { projection, ring, hub, read, isKnown = anyType, onApplied, onRow, onStuck } = options
  let stuckAt: number | null = null

  const take = (row: LogRow): void => {
    if (!isKnown(row.type)) throw new Error("this program does not know such rows: a newer one has written it")
    projection.apply(row)
    onApplied(row)
    ring.push(row)
    hub.put(row, receiversOf(row, projection))
    onRow(row)
  }

  const advance = (rows: ReadonlyArray<LogRow>): boolean => {
    if (stuckAt !== null) throw new Error(`row ${stuckAt} of the log could not be applied`)
    for (const row of rows) {
      if (row.position <= projection.position) continue
      if (row.position !== projection.position + 1) return false
      try {
        take(row)
      } catch (cause) {
        stuckAt = row.position
        onStuck(row, cause)
        throw cause
      }
    }
    return true
  }
  return {
    get position() {
      return projection.position
    },
    get newestId() {
      return lastIdOf(projection.position, projection.position === 0 ? 0 : idSpan)
    },
    get isStuck() {
      return stuckAt !== null
    },
    advance,
    catchUp: Effect.fnUntraced(function* (head) {
      while (projection.position < head) {
        const page = yield* read(projection.position)
        if (page.rows.length === 0 || !advance(page.rows)) {
          return yield* Effect.die(new Error(`the log has a gap after ${projection.position}, head ${head}`))
        }
      }
    }),
  }
}
