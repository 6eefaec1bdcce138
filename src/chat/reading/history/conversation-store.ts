/** Finds the conversation in which a message is now, for the operator `with`. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { UserRead } from "../../../db/reads.ts"
import { idSchemas, type RealmId, type UserId } from "../../../ids.ts"
import { binder } from "./walk/bind-parameters.ts"
import { isHeldSql } from "./walk/held-messages-store.ts"
import { memberKey } from "./walk/search-conditions-store.ts"

const Place = Schema.Struct({
  /** The position at which it was sent, or came to its channel. */
  since: Schema.Number,
  /** null for a direct message. */
  channel_id: Schema.NullOr(idSchemas.channel),
  topic: Schema.String,
  /** null for a channel message. */
  member_key: Schema.NullOr(Schema.String),
  held: Schema.Boolean,
})
const decode = Schema.decodeUnknownSync(Schema.Array(Place))

/** Finds the place of the message, whether the user may read it or not; undefined where there is none. */
export const findConversation = Effect.fnUntraced(function* (
  reading: UserRead,
  scope: { readonly realm: RealmId; readonly user: UserId | null },
  message: number,
) {
  const { parameters, bind } = binder(scope)
  const rows = yield* reading.query(
    `select greatest(m.id, m.channel_since) as since, m.channel_id, m.topic, ${memberKey} as member_key, ${isHeldSql} as held from message m
      where m.realm_id = $1::integer and m.id = ${bind(message)}::bigint`,
    parameters,
  )
  return decode(rows)[0]
})
