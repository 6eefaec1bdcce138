/**
 * Natures of messages: what matters for a change of flags and never changes, but for subscriptions that end and moves
 * (see the head of read-state.sql): read before the change's commit, which then only computes with ranges of ids.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { UserRead } from "../../../db/reads.ts"
import { idSchemas } from "../../../ids.ts"
import { binder } from "../history/walk/bind-parameters.ts"
import { heldBySpan, isKeptSql } from "../history/walk/held-messages-store.ts"
import { byNature, placeSql, readFromStart } from "../history/walk/read-state-store.ts"
import { integers, type SearchScope } from "../history/walk/search-conditions-store.ts"

const MessageNature = Schema.Struct({
  id: Schema.Number,
  channel_id: Schema.NullOr(idSchemas.channel),
  /** The place in which it was sent, see the table read_ranges. */
  place: Schema.Number,
  /** It is unread for the user until they read it. */
  by_nature: Schema.Boolean,
  /** The user did not receive it. */
  is_historical: Schema.Boolean,
  /** The message before it in its place, or an earlier id: nothing between is unread. */
  before: Schema.Number,
})
export type MessageNature = typeof MessageNature.Type
const readNatures = Schema.decodeUnknownSync(Schema.Array(MessageNature))

/** Messages that one statement looks at. */
const atOnce = 250
/** Messages that were read from the start and are passed over to find the one before. */
const mostPassed = 8

/** The last of `mostPassed` messages before `m` that was not read from the start; where all were, the id below them. */
const before = (place: string): string => `(
  select coalesce(max(earlier.id) filter (where not earlier.is_read), min(earlier.id) - 1, 0) from (
    select b.id, ${readFromStart("b")} as is_read from message b
     where b.realm_id = $1::integer and ${place} and b.id < m.id order by b.id desc limit ${mostPassed}) as earlier)`

/** The same for a message of a channel: others that were sent there may have been moved away. */
const sentIn = "coalesce(m.moved_from, m.channel_id)"
const beforeInChannel = `greatest(${before(`b.channel_id = ${sentIn}`)}, ${before(`b.moved_from = ${sentIn}`)})`

/** In ascending order. Messages that there are not are left out. */
export const findNatures = Effect.fnUntraced(function* (
  reading: UserRead,
  scope: SearchScope,
  ids: ReadonlyArray<number>,
) {
  const found: Array<MessageNature> = []
  for (let at = 0; at < ids.length; at += atOnce) {
    const { parameters, bind } = binder(scope)
    const rows = yield* reading.query(
      `select m.id, m.channel_id, ${placeSql} as place, ${byNature} as by_nature,
         not (${heldBySpan} or ${isKeptSql}) as is_historical,
         case when m.channel_id is null then ${before("b.conversation_id = m.conversation_id")}
              else ${beforeInChannel} end as before
       from (${integers(ids.slice(at, at + atOnce), bind)}) as wanted(id)
       join message m on m.realm_id = $1::integer and m.id = wanted.id
      order by m.id`,
      parameters,
    )
    found.push(...readNatures(rows))
  }
  return found
})
