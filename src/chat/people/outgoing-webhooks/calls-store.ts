/** Reads what programs are told of a message, and counts the failures of bots. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Database } from "../../../db/database.ts"
import { idSchemas, type MessageId, type RealmId, type UserId } from "../../../ids.ts"

const Stored = Schema.Struct({
  sender_id: idSchemas.user,
  channel_id: Schema.NullOr(idSchemas.channel),
  topic: Schema.String,
  conversation_id: Schema.NullOr(Schema.Number),
  content: Schema.String,
  rendered: Schema.String,
  client: Schema.String,
  sent_at: Schema.Number,
  member_key: Schema.NullOr(Schema.String),
})
export type StoredCall = typeof Stored.Type
const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.NullOr(Stored)))

/** null: it is gone. */
export const findCalledMessage = Effect.fnUntraced(function* (realm: RealmId, message: MessageId) {
  const database = yield* Database
  const [row] = yield* database.query("select coalesce(called_message_v1($1, $2)::text, 'null') as message", [
    realm,
    message,
  ])
  return row === undefined ? null : decode(row["message"])
})

const decodeCount = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ count: Schema.NullOr(Schema.Number) })))

/** How often a bot failed since its owner was last told; null where that is less than `quiet` milliseconds ago. */
export const countFailure = Effect.fnUntraced(function* (realm: RealmId, bot: UserId, now: number, quiet: number) {
  const database = yield* Database
  const rows = yield* database.query("select note_bot_failure_v1($1, $2, $3, $4) as count", [realm, bot, now, quiet])
  return decodeCount(rows)[0]?.count ?? null
})
