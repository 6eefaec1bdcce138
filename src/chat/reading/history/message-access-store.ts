/** Finds one message for somebody who wants to do something with it: where it is, and whether they hold it. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { UserRead } from "../../../db/reads.ts"
import { idSchemas, type RealmId, type UserId } from "../../../ids.ts"
import { binder } from "./walk/bind-parameters.ts"
import { isHeldSql } from "./walk/held-messages-store.ts"
import { memberKey } from "./walk/search-conditions-store.ts"

const MessageAccess = Schema.Struct({
  id: idSchemas.message,
  sender_id: idSchemas.user,
  /** null for a direct message, like `channel_since`. */
  channel_id: Schema.NullOr(idSchemas.channel),
  /** The position of the send, or of the last move into the channel. */
  channel_since: Schema.NullOr(Schema.Number),
  /** The ids of a direct message's participants, joined by commas; null for a channel message. */
  member_key: Schema.NullOr(Schema.String),
  held: Schema.Boolean,
})
export type MessageAccess = typeof MessageAccess.Type

const decode = Schema.decodeUnknownSync(Schema.Array(MessageAccess))

/**
 * The message, whether the user may read it or not; undefined where there is none. It may have come to its channel after
 * the projection's position: whoever judges it waits until the projection is there (`reach`).
 */
export const readMessageAccess = Effect.fnUntraced(function* (
  reading: UserRead,
  scope: { readonly realm: RealmId; readonly user: UserId },
  message: number,
) {
  const { parameters, bind } = binder(scope)
  const rows = yield* reading.query(
    `select m.id, m.sender_id, m.channel_id, m.channel_since, ${memberKey} as member_key, ${isHeldSql} as held
       from message m where m.realm_id = $1::integer and m.id = ${bind(message)}::bigint`,
    parameters,
  )
  return decode(rows)[0]
})
