/** Reads what an edit, a deletion or a report of a message depends on, beside its place (history/message-access.ts). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Caller, requesterKind, requesterName } from "../../../api/endpoint.ts"
import { UserReads } from "../../../db/reads.ts"
import { idSchemas, type MessageId } from "../../../ids.ts"

const Text = Schema.Struct({
  content: Schema.String,
  rendered: Schema.String,
  topic: Schema.String,
  /** Milliseconds since the Unix epoch. */
  sent_at: Schema.Number,
  is_widget: Schema.Boolean,
})
export type MessageText = typeof Text.Type
const decode = Schema.decodeUnknownSync(Schema.Array(Text))

const decodeHolders = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ holders: Schema.fromJsonString(Schema.Array(idSchemas.user)) })),
)

/** Those who hold a message of a channel though no subscription says so, in ascending order; none for a direct message. */
export const findOtherHolders = Effect.fnUntraced(function* (caller: Caller, message: MessageId) {
  const reading = (yield* UserReads).begin(requesterName(caller), requesterKind(caller))
  const rows = yield* reading.query(
    `select other_holders_v1(m.realm_id, m.id, m.channel_id, m.channel_since)::text as holders
       from message m where m.realm_id = $1::integer and m.id = $2::bigint and m.channel_id is not null`,
    [caller.realm, message],
  )
  return decodeHolders(rows)[0]?.holders ?? []
})

/** Whether the caller may read the message is judged elsewhere; undefined where there is none. */
export const findMessageText = Effect.fnUntraced(function* (caller: Caller, message: MessageId) {
  const reading = (yield* UserReads).begin(requesterName(caller), requesterKind(caller))
  const rows = yield* reading.query(
    `select m.content, m.rendered, m.topic, m.sent_at, exists (
         select from submessage s where s.realm_id = m.realm_id and s.message_id = m.id) as is_widget
       from message m where m.realm_id = $1::integer and m.id = $2::bigint`,
    [caller.realm, message],
  )
  return decode(rows)[0]
})
