/**
 * The additions to messages after they were sent: reactions and submessages. Read for all messages of a part of an
 * answer at once, however many each of them has.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { UserRead } from "../../../db/reads.ts"
import type { RealmId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"

const Added = Schema.fromJsonString(
  Schema.Struct({
    reactions: Schema.Array(
      Schema.Struct({
        message_id: Schema.Number,
        emoji_name: Schema.String,
        emoji_code: Schema.String,
        reaction_type: Schema.String,
        users: Schema.Array(Schema.Number),
      }),
    ),
    submessages: Schema.Array(
      Schema.Struct({
        id: Schema.Number,
        message_id: Schema.Number,
        sender_id: Schema.Number,
        msg_type: Schema.String,
        content: Schema.String,
      }),
    ),
  }),
)
const decode = Schema.decodeUnknownSync(Added)

const additionsSql = `with wanted as materialized (
    select each::bigint as id from jsonb_array_elements_text($2::text::jsonb) as each)
  select json_build_object(
    'reactions', (
      select coalesce(json_agg(json_build_object('message_id', r.message_id, 'emoji_name', r.emoji_name,
          'emoji_code', r.emoji_code, 'reaction_type', r.reaction_type, 'users', r.users)
          order by r.message_id, r.position), '[]')
        from wanted join reaction r on r.realm_id = $1::integer and r.message_id = wanted.id),
    'submessages', (
      select coalesce(json_agg(json_build_object('id', s.id, 'message_id', s.message_id, 'sender_id', s.sender_id,
          'msg_type', s.msg_type, 'content', s.content) order by s.id), '[]')
        from wanted join submessage s on s.realm_id = $1::integer and s.message_id = wanted.id))::text as added`

/** The additions to a message, as clients read them. */
export interface Additions {
  readonly reactions: ReadonlyArray<JsonObject>
  readonly submessages: ReadonlyArray<JsonObject>
}

export const noAdditions: Additions = { reactions: [], submessages: [] }

/** By message; one to which nothing was added is absent. */
export const findAdditions = Effect.fnUntraced(function* (
  reading: UserRead,
  realm: RealmId,
  messages: ReadonlyArray<number>,
) {
  const found = new Map<number, { reactions: Array<JsonObject>; submessages: Array<JsonObject> }>()
  if (messages.length === 0) return found
  const [row] = yield* reading.query(additionsSql, [realm, JSON.stringify(messages)], "generic")
  const { reactions, submessages } = decode(row?.["added"])
  const of = (message: number) => {
    const additions = found.get(message) ?? { reactions: [], submessages: [] }
    found.set(message, additions)
    return additions
  }
  for (const { message_id, users, ...emoji } of reactions) {
    const list = of(message_id).reactions
    for (const user_id of users) list.push({ user_id, ...emoji })
  }
  for (const submessage of submessages) of(submessage.message_id).submessages.push(submessage)
  return found satisfies ReadonlyMap<number, Additions>
})
