/**
 * GET /users/me/{stream_id}/topics: a channel's topics as its reader may know them (contract 3.8). Whoever may not read
 * the channel's history sees only topics of messages that they hold.
 */
import * as Effect from "effect/Effect"
import { Database } from "../../db/database.ts"
import { data, userEndpoint } from "../../endpoint.ts"
import { ChannelId } from "../../ids.ts"
import { boolean, integer, withDefault } from "../../params.ts"
import { requireChannel } from "../channel-read.ts"
import { mayReadHistory } from "../permissions.ts"
import { requireAccount } from "../requester.ts"
import { showTopic } from "../values.ts"
import { findTopics } from "./topics-store.ts"

export const getTopics = userEndpoint({
  method: "GET",
  path: "/users/me/{stream_id:int}/topics",
  summary: "The topics of a channel, those with the newest messages first.",
  params: {
    streamId: integer("stream_id"),
    emptyTopicName: withDefault(boolean("allow_empty_topic_name"), false),
  },
  run: Effect.fnUntraced(function* (caller, { streamId, emptyTopicName }) {
    const { realm, user } = yield* requireAccount(caller)
    const channel = yield* Effect.fromResult(requireChannel(realm, user, streamId))
    const topics = yield* findTopics(yield* Database, {
      realm: caller.realm,
      channel: ChannelId(channel.id),
      head: realm.position,
      holder: mayReadHistory(realm, user, channel) ? null : caller.user,
    })
    return data({ topics: topics.map(({ topic, id }) => ({ name: showTopic(topic, emptyTopicName), max_id: id })) })
  }),
})
