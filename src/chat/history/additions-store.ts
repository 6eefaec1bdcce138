/**
 * What was added to messages after they were sent: reactions and submessages. Read for all messages of a part of an
 * answer at once, however many each of them has.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Reading } from "../../db/reads.ts"
import type { RealmId } from "../../ids.ts"
import type { JsonObject } from "../../json.ts"

const Stored = Schema.Struct({
  message_id: Schema.Number,
  emoji_name: Schema.String,
  emoji_code: Schema.String,
  reaction_type: Schema.String,
  users: Schema.Array(Schema.Number),
})
const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Stored)))

const additionsSql = `select coalesce(json_agg(json_build_object('message_id', r.message_id, 'emoji_name', r.emoji_name,
    'emoji_code', r.emoji_code, 'reaction_type', r.reaction_type, 'users', r.users)
    order by r.message_id, r.position), '[]')::text as reactions
  from (select each::bigint from jsonb_array_elements_text($2::text::jsonb) as each) as wanted(id)
  join reaction r on r.realm_id = $1::integer and r.message_id = wanted.id`

/** What was added to a message, as clients read it. */
export interface Additions {
  readonly reactions: ReadonlyArray<JsonObject>
}

/** By message; one to which nothing was added is absent. */
export const findAdditions = Effect.fnUntraced(function* (
  reading: Reading,
  realm: RealmId,
  messages: ReadonlyArray<number>,
) {
  const [row] = yield* reading.query(additionsSql, [realm, JSON.stringify(messages)])
  const found = new Map<number, { reactions: Array<JsonObject> }>()
  for (const { message_id, users, ...emoji } of decode(row?.["reactions"])) {
    const additions = found.get(message_id) ?? { reactions: [] }
    found.set(message_id, additions)
    for (const user_id of users) additions.reactions.push({ ...emoji, user_id })
  }
  return found satisfies ReadonlyMap<number, Additions>
})
