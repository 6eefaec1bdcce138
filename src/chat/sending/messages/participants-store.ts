/** The users who take part in a topic: read from its messages and their reactions. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { UserRead } from "../../../db/reads.ts"
import { userSet } from "../../../events/event.ts"
import type { ChannelId, RealmId } from "../../../ids.ts"

/** Messages that one statement looks at: some 5 ms in the embedded database. */
const messagesAtOnce = 1000
/** In a longer topic the participants of its newest messages count. */
const mostStatements = 10

// $4: the oldest message of the statement before.
const participantsSql = `with page as materialized (
    select id, sender_id from message
     where realm_id = $1::integer and channel_id = $2::integer and topic_folded = $3::text and id < $4::bigint
     order by id desc limit ${messagesAtOnce})
  select count(*)::integer as count, coalesce(min(id), 0) as oldest, (
      select coalesce(json_agg(distinct p.user_id), '[]') from (
        select sender_id as user_id from page
        union all select unnest(r.users) from page join reaction r on r.realm_id = $1::integer and r.message_id = page.id
      ) p) as users
    from page`

const readPage = Schema.decodeUnknownSync(
  Schema.Tuple([Schema.Struct({ count: Schema.Number, oldest: Schema.Number, users: Schema.Array(Schema.Number) })]),
)

/** The senders of the newest 10,000 messages of a topic, and those who reacted to them. */
export const findParticipants = Effect.fnUntraced(function* (
  reading: UserRead,
  realm: RealmId,
  channel: ChannelId,
  topicFolded: string,
) {
  const users = new Set<number>()
  let before = Number.MAX_SAFE_INTEGER
  for (let n = 0; n < mostStatements; n++) {
    const [page] = readPage(yield* reading.query(participantsSql, [realm, channel, topicFolded, before]))
    for (const user of page.users) users.add(user)
    if (page.count < messagesAtOnce) break
    before = page.oldest
  }
  return userSet(users)
})
