/**
 * The newest messages of topics, for links to topics: one statement for all that a message speaks of, each found by one
 * step in an index.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Reading } from "../../../db/reads.ts"
import { type ChannelId, idSchemas, type MessageId, type RealmId, type UserId } from "../../../ids.ts"

const Found = Schema.Struct({ place: Schema.Number, id: idSchemas.message })
const decode = Schema.decodeUnknownSync(Schema.Array(Found))

// $1 the realm, $2 the topics, $3 the user; `held`: only messages count that the user has received since they subscribed.
// The topic is asked for as a range and sorted by, because PostgreSQL may otherwise go backwards through all messages of
// the realm until it meets the topic.
const sql = `select wanted.place, found.id
  from jsonb_to_recordset($2::text::jsonb) as wanted(place integer, channel integer, folded text, held boolean)
 cross join lateral (
   select case when not wanted.held then 0 else (
     select s.reads_from from subscription_span s
      where s.realm_id = $1::integer and s.channel_id = wanted.channel and s.user_id = $3::integer and s.closed is null
      limit 1) end as id) as least
 cross join lateral (
   select m.id from message m
    where m.realm_id = $1::integer and m.channel_id = wanted.channel
      and m.topic_folded >= wanted.folded collate "C" and m.topic_folded <= wanted.folded collate "C"
      and m.id >= least.id
    order by m.topic_folded desc, m.id desc limit 1) as found`

export interface WantedTopic {
  readonly channel: ChannelId
  readonly folded: string
  /** Whether the user may read only what was sent since they subscribed. */
  readonly held: boolean
}

/** The newest message of each topic, in the same order; undefined where the user may see none. */
export const findNewest = Effect.fnUntraced(function* (
  reading: Reading,
  realm: RealmId,
  user: UserId,
  wanted: ReadonlyArray<WantedTopic>,
) {
  const topics = JSON.stringify(wanted.map((topic, place) => ({ ...topic, place })))
  const rows = decode(yield* reading.query(sql, [realm, topics, user]))
  const ids = new Map<number, MessageId>(rows.map(({ place, id }) => [place, id]))
  return wanted.map((_, at) => ids.get(at))
})
