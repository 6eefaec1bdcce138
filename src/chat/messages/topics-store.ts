/**
 * The SQL that lists a channel's topics, each with the newest message that the user may see. It walks the index by
 * topic, one step per topic, so its cost grows with the number of topics, not of messages. Measured with 100,000
 * messages in 5,000 topics: 30 to 37 ms, with protected history 50 to 70 ms; sorting all messages took 146 ms.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseShape } from "../../db/database.ts"
import type { Unavailable } from "../../errors.ts"
import type { ChannelId, RealmId, UserId } from "../../ids.ts"

const StoredTopic = Schema.Struct({
  /** As the newest message spells it: topics that differ only in case are one topic. */
  topic: Schema.String,
  id: Schema.Number,
})
export type StoredTopic = typeof StoredTopic.Type

const decode = Schema.decodeUnknownSync(Schema.Array(StoredTopic))

// In both statements: $1 the realm, $2 the channel, $3 the position at which permissions were checked.
const known = `m.realm_id = $1::integer and m.channel_id = $2::integer and m.id <= $3::bigint
  and m.channel_since <= $3::bigint`

/** The newest message of each topic, in descending order of topics. */
const walk = `walk as (
    (select m.topic_folded as folded, m.topic, m.id from message m where ${known}
     order by m.topic_folded desc, m.id desc limit 1)
    union all
    select next.folded, next.topic, next.id from walk cross join lateral (
      select m.topic_folded as folded, m.topic, m.id from message m where ${known} and m.topic_folded < walk.folded
      order by m.topic_folded desc, m.id desc limit 1) as next)`

const historySql = `with recursive ${walk} select topic, id from walk order by id desc`

/**
 * Where the user ($4) may not read the channel's history: topics of messages that they hold. The newest message of each
 * topic in each subscription span; and messages that were moved into the channel during a span, whose ids are older.
 */
const heldSql = `with recursive ${walk},
  span as (
    select s.reads_from, coalesce(s.closed, 9223372036854775807) as closed from subscription_span s
     where s.realm_id = $1::integer and s.channel_id = $2::integer and s.user_id = $4::integer),
  held as (
    select found.topic, found.topic_folded, found.id from walk cross join span cross join lateral (
      select m.topic, m.topic_folded, m.id from message m
       where ${known} and m.topic_folded = walk.folded and m.id >= span.reads_from and m.id < span.closed
         and m.channel_since < span.closed
       order by m.id desc limit 1) as found
    union all
    select m.topic, m.topic_folded, m.id from span join message m
      on ${known} and m.channel_since <> m.id and m.id < span.reads_from
         and m.channel_since >= span.reads_from and m.channel_since < span.closed),
  newest as (select distinct on (topic_folded) topic, id from held order by topic_folded, id desc)
  select topic, id from newest order by id desc`

export interface TopicsScope {
  readonly realm: RealmId
  readonly channel: ChannelId
  readonly head: number
  /** The user whose held messages count; null: all messages count. */
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
