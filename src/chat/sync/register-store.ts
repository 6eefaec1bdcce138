/**
 * What register asks the database: the parts of a user's state that no projection holds, together with the head of
 * the log that the same statement saw, so that events can go on from exactly there (I13).
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseShape } from "../../db/database.ts"
import type { Unavailable } from "../../errors.ts"
import type { RealmId, UserId } from "../../ids.ts"

/** With whom, oneself left out, and the newest message. */
const Conversation = Schema.Struct({ max_message_id: Schema.Number, user_ids: Schema.Array(Schema.Number) })
export type Conversation = typeof Conversation.Type

const StoredState = Schema.Struct({
  /** The newest position, and the width of its row; 0 and 0 for an empty log. */
  head: Schema.Number,
  width: Schema.Number,
  /** The newest message that reached the user; -1 where none did. */
  max_message_id: Schema.Number,
  /** The newest conversations of direct messages, the newest first; null where they are not wanted. */
  recent: Schema.NullOr(Schema.fromJsonString(Schema.Array(Conversation))),
})
export type StoredState = typeof StoredState.Type
const decode = Schema.decodeUnknownSync(Schema.Tuple([StoredState]))

/** Of each conversation the newest message. */
const conversations = `
  select c.conversation_id, held.id from conversation_member c cross join lateral (
      select m.id from message m
       where m.realm_id = c.realm_id and m.conversation_id = c.conversation_id
       order by m.id desc limit 1) held
   where c.realm_id = $1 and c.user_id = $2`

/** The most that register lists (contract 3.2). */
const mostConversations = 1000

/** A key is its members' ids in order, joined by commas. */
const recent = `
  select coalesce(json_agg(json_build_object('max_message_id', newest.id, 'user_ids', (
      select coalesce(json_agg(member::integer), '[]') from unnest(string_to_array(c.member_key, ',')) with ordinality as m(member, n)
       where member <> $2::integer::text)) order by newest.id desc), '[]')::text
    from (${conversations} order by held.id desc limit ${mostConversations}) newest
    join conversation c on c.realm_id = $1 and c.id = newest.conversation_id`

/**
 * One index probe per subscription and conversation. Messages are looked for by the id they were sent with: one that
 * was moved into a channel is older than the span, and finding it would mean to read the whole channel.
 */
const statement = `
  select coalesce(newest.position, 0) as head, coalesce(newest.width, 0) as width, greatest(
    (select max(held.id) from subscription_span s cross join lateral (
        select m.id from message m
         where m.realm_id = s.realm_id and m.channel_id = s.channel_id
           and m.id >= s.opened and m.id < coalesce(s.closed, 9223372036854775807)
           and m.channel_since < coalesce(s.closed, 9223372036854775807)
         order by m.id desc limit 1) held
      where s.realm_id = $1 and s.user_id = $2),
    (select max(id) from (${conversations}) held),
    -1) as max_message_id, case when $3 then (${recent}) end as recent
  from (values (1)) as always left join lateral (
    select position, width from log where realm_id = $1 order by position desc limit 1) newest on true`

/** `withConversations`: whether `recent` is wanted. */
export const readStoredState = (
  database: DatabaseShape,
  realm: RealmId,
  user: UserId,
  withConversations = false,
): Effect.Effect<StoredState, Unavailable> =>
  Effect.map(database.query(statement, [realm, user, withConversations]), (rows) => decode(rows)[0])
