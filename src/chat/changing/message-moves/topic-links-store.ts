/** Finds the links of a channel's topics, for events that tell of all of its messages (access-steps.ts). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { UserRead } from "../../../db/reads.ts"
import type { ChannelId } from "../../../ids.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { prepareTopicLinks, topicLinks } from "../../text/markdown/topic-links.ts"
import type { LinksOfTopics } from "./access-steps.ts"

/** One more than the messages that such events name (access_limits_v1). */
const mostMessages = 501
const decode = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ topic: Schema.String })))

export const findTopicLinks = Effect.fnUntraced(function* (reading: UserRead, realm: Realm, channel: ChannelId) {
  const rows = yield* reading.query(
    `select distinct m.topic from (
       select o.topic from message o where o.realm_id = $1::integer and o.channel_id = $2::integer
        order by o.id limit ${mostMessages}) as m`,
    [realm.id, channel],
  )
  const topics = decode(rows).map(({ topic }) => topic)
  yield* prepareTopicLinks(realm, topics)
  const links: LinksOfTopics = Object.fromEntries(
    topics.map((topic) => [topic, topicLinks(realm, topic)] as const).filter(([, found]) => found.length > 0),
  )
  return links
})
