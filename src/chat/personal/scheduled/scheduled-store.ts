/** Reads one scheduled message or reminder of a user, and what says in which state it is (scheduled.sql). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { requesterName } from "../../../api/endpoint.ts"
import type { DatabaseShape } from "../../../db/database.ts"
import { UserReads } from "../../../db/reads.ts"
import type { RealmId, UserId } from "../../../ids.ts"
import type { ItemFields, OwnItem, OwnList } from "../../ground/own-lists/own-list.ts"
import type { ScheduledItemKind } from "./scheduled-lists.ts"
import { rememberedMilliseconds, type ScheduledFacts } from "./scheduled-machine.ts"

/** Undefined where there is none. */
export interface FoundScheduled<F extends ItemFields> {
  /** Undefined once it was sent. */
  readonly item: OwnItem<F> | undefined
  readonly deliveryState: ScheduledFacts
  /** Names the attempt that is made to send it now. */
  readonly claim: string | null
}

const readRow = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      found: Schema.NullOr(
        Schema.fromJsonString(
          Schema.Struct({
            stored: Schema.Unknown,
            sent_at: Schema.NullOr(Schema.Number),
            due_at: Schema.NullOr(Schema.Number),
            claim: Schema.NullOr(Schema.String),
          }),
        ),
      ),
    }),
  ),
)

/** Where a list is kept, and how its items are read. */
export interface ScheduledSource<F extends ItemFields> {
  readonly itemKind: ScheduledItemKind
  readonly list: OwnList<F>
}

export const findScheduled = Effect.fnUntraced(function* <F extends ItemFields>(
  { itemKind, list }: ScheduledSource<F>,
  owner: { readonly realm: RealmId; readonly user: UserId },
  id: number,
) {
  const reading = (yield* UserReads).begin(requesterName(owner))
  const rows = readRow(
    yield* reading.query("select scheduled_item_v1($1::integer, $2::integer, $3, $4::bigint)::text as found", [
      owner.realm,
      owner.user,
      itemKind,
      id,
    ]),
  )
  const row = rows[0]?.found ?? null
  if (row === null) return undefined
  const [item] = row.stored === null ? [] : list.read([row.stored])
  const found: FoundScheduled<F> = {
    item,
    claim: row.claim,
    deliveryState: {
      dueAt: row.due_at ?? 0,
      isFailed: item?.record["failed"] === true,
      sentAt: row.sent_at,
      isClaimed: row.claim !== null,
    },
  }
  return found
})

/** Deletes what is left of those that were sent a day before `now`, some at once; answers how many. */
export const forgetSent = (database: Pick<DatabaseShape, "query">, now: number) =>
  Effect.map(
    database.query(
      `delete from scheduled_item where (realm_id, user_id, noun, id) in (
         select realm_id, user_id, noun, id from scheduled_item where sent_at <= $1::bigint limit 1000) returning id`,
      [now - rememberedMilliseconds],
    ),
    (rows) => rows.length,
  )
