/** Questions about a channel's messages, which only the database holds. */
import * as Effect from "effect/Effect"
import type { Unavailable } from "../../../api/errors.ts"
import type { DatabaseShape } from "../../../db/database.ts"
import type { ChannelId, RealmId } from "../../../ids.ts"

/** Whether a channel has any message in a topic other than the empty one. */
export const hasNamedTopics = (
  database: DatabaseShape,
  realm: RealmId,
  channel: ChannelId,
): Effect.Effect<boolean, Unavailable> =>
  Effect.map(
    database.query("select has_named_topics_v1($1, $2) as named", [realm, channel]),
    ([row]) => row?.["named"] === true,
  )

/** More are not counted. */
export const mostCounted = 10_000

const counted = (database: DatabaseShape, rows: string, values: ReadonlyArray<number>) =>
  Effect.map(
    database.query(`select count(*)::integer as count from (${rows} limit ${mostCounted + 1}) as old`, values),
    ([row]) => Number(row?.["count"]),
  )

/** How many messages of a channel were sent before a time, in milliseconds; one more than `mostCounted` where there are more. */
export const countOlder = (
  database: DatabaseShape,
  realm: RealmId,
  channel: ChannelId,
  before: number,
): Effect.Effect<number, Unavailable> =>
  counted(
    database,
    "select from message m where m.realm_id = $1 and m.channel_id = $3 and m.id < messages_since_v1($1, $2) and m.sent_at < $2",
    [realm, before, channel],
  )

/** The same of all that follows the organization: direct messages, and channels that say nothing of their own. */
export const countOlderInRealm = (
  database: DatabaseShape,
  realm: RealmId,
  before: number,
): Effect.Effect<number, Unavailable> =>
  counted(
    database,
    `select from (select messages_since_v1($1, $2) as bound) as b
       cross join lateral (
         (select id as channel_id, null::bigint as conversation_id from channel where realm_id = $1 and retention_days is null)
         union all (select null, id from conversation where realm_id = $1)) as place
       cross join lateral (
         (select from message m where m.realm_id = $1 and m.channel_id = place.channel_id and m.id < b.bound and m.sent_at < $2)
         union all (select from message m where m.realm_id = $1 and m.conversation_id = place.conversation_id
            and m.id < b.bound and m.sent_at < $2)) as old`,
    [realm, before],
  )
