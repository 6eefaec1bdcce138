/**
 * GET /users/me/{stream_id}/topics: the topics of a channel (contract 3.8). A user who may not read the channel's
 * history sees only topics of messages that they hold. Visitors without an account read web-public channels.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Reads } from "../../db/reads.ts"
import { eitherEndpoint, requesterKind, requesterName } from "../../endpoint.ts"
import { ChannelId } from "../../ids.ts"
import { listInPieces } from "../../json-pieces.ts"
import { LargeAnswers } from "../../large-answers.ts"
import { boolean, id, withDefault } from "../../params.ts"
import { requireChannelFor } from "../permissions/channel-access.ts"
import { readerReadsHistory } from "../permissions/permissions.ts"
import { showTopic } from "../realm/values.ts"
import { requireReader } from "../requester/requester.ts"
import { Count } from "../wire/wire-values.ts"
import { type FoundTopic, findTopics, newestFirst } from "./topics-store.ts"

/** `max_id`: the id of the newest message. */
const Topic = Schema.Struct({ name: Schema.String, max_id: Count })

/** About how many bytes a topic has in the answer. */
const topicBytes = 100

export const getTopics = eitherEndpoint({
  method: "GET",
  path: "/users/me/{stream_id:int}/topics",
  summary: "The topics of a channel, those with the newest messages first.",
  params: {
    streamId: id("stream_id", ChannelId),
    emptyTopicName: withDefault(boolean("allow_empty_topic_name"), false),
  },
  reply: Schema.Struct({ topics: Schema.Array(Topic) }),
  errors: [],
  run: Effect.fnUntraced(function* (who, { streamId, emptyTopicName }) {
    const { realm, user } = yield* requireReader(who)
    const channel = yield* Effect.fromResult(requireChannelFor(realm, user, streamId))
    const reading = (yield* Reads).begin(requesterName(who), requesterKind(who))
    const parts = yield* findTopics(reading, {
      realm: realm.id,
      channel: channel.id,
      head: realm.position,
      holder: user === null || readerReadsHistory(realm, user, channel) ? null : user.id,
    })
    const write = ({ topic, id }: FoundTopic) =>
      JSON.stringify({ name: showTopic(topic, emptyTopicName), max_id: id } satisfies typeof Topic.Type)
    const topics = Effect.map(listInPieces("topics", newestFirst(parts), write), (pieces) => [pieces])
    const count = parts.reduce((sum, part) => sum + part.length, 0)
    return yield* (yield* LargeAnswers).answer(requesterName(who), count * topicBytes, topics, requesterKind(who))
  }),
})
