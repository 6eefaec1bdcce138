/**
 * The SQL that lists a channel's topics, each by its newest message that the user may see. One step of the walk per
 * topic, down the index by topic: its cost grows with the topics, not with their messages. Measured with 100,000
 * messages in 5,000 topics: 30 to 37 ms, of a history that is not public 50 to 70; sorting all messages took 146.
 * Called by topics.ts only.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseShape } from "../../db/database.ts"
import type { Unavailable } from "../../errors.ts"
import type { ChannelId, RealmId, UserId } from "../../ids.ts"

const StoredTopic = Schema.Struct({
  /** As the newest message has it: letters of either case are one topic. */
  topic: Schema.String,
  id: Schema.Number,
})
export type StoredTopic = typeof StoredTopic.Type

const decode = Schema.decodeUnknownSync(Schema.Array(StoredTopic))

// In both statements: $1 the realm, $2 the channel, $3 the projection's position, at which rights were judged.
const known = `m.realm_id = $1::integer and m.channel_id = $2::integer and m.id <= $3::bigint
  and m.channel_since <= $3::bigint`

/** The newest message of each topic, the last topic first. */
const walk = `walk as (
    (select lower(m.topic) as folded, m.topic, m.id from message m where ${known}
     order by lower(m.topic) desc, m.id desc limit 1)
    union all
    select next.folded, next.topic, next.id from walk cross join lateral (
      select lower(m.topic) as folded, m.topic, m.id from message m where ${known} and lower(m.topic) < walk.folded
      order by lower(m.topic) desc, m.id desc limit 1) as next)`

const historySql = `with recursive ${walk} select topic, id from walk order by id desc`

/**
 * Of a history that is not the user's ($4) to read: what they hold. In each topic the newest of each span, which bounds
 * the ids of all that were sent into the channel; and those that were moved into it while they were subscribed.
 */
const heldSql = `with recursive ${walk},
  span as (
    select s.opened, coalesce(s.closed, 9223372036854775807) as closed from subscription_span s
     where s.realm_id = $1::integer and s.channel_id = $2::integer and s.user_id = $4::integer),
  held as (
    select found.topic, found.id from walk cross join span cross join lateral (
      select m.topic, m.id from message m
       where ${known} and lower(m.topic) = walk.folded and m.id >= span.opened and m.id < span.closed
         and m.channel_since < span.closed
       order by m.id desc limit 1) as found
    union all
    select m.topic, m.id from span join message m
      on ${known} and m.channel_since <> m.id and m.id < span.opened
         and m.channel_since >= span.opened and m.channel_since < span.closed),
  newest as (select distinct on (lower(topic)) topic, id from held order by lower(topic), id desc)
  select topic, id from newest order by id desc`

export interface TopicsScope {
  readonly realm: RealmId
  readonly channel: ChannelId
  readonly head: number
  /** Whose held messages count; null: all do. */
  readonly holder: UserId | null
}

/** The channel's topics, those with the newest messages first. */
export const findTopics = (
  database: DatabaseShape,
  { realm, channel, head, holder }: TopicsScope,
): Effect.Effect<ReadonlyArray<StoredTopic>, Unavailable> =>
  Effect.map(
    holder === null
      ? database.query(historySql, [realm, channel, head])
      : database.query(heldSql, [realm, channel, head, holder]),
    (rows) => decode(rows),
  )
