/**
 * GET /users/me/{stream_id}/topics: the topics of a channel. A user who may not read the channel's history sees only
 * topics of messages that they hold. Visitors without an account read web-public channels.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { eitherEndpoint, requesterKind, requesterName } from "../../../api/endpoint.ts"
import { boolean, id, withDefault } from "../../../api/params.ts"
import { UserReads } from "../../../db/reads.ts"
import { LargeAnswers } from "../../../fairness/large-answers.ts"
import { ChannelId } from "../../../ids.ts"
import { listInPieces } from "../../../json-pieces.ts"
import { requireChannelFor } from "../../ground/permissions/channel-access.ts"
import { readerReadsHistory, readerReadsMessage } from "../../ground/permissions/permissions.ts"
import { showTopic } from "../../ground/realm/domain-values.ts"
import { requireReader } from "../../ground/requester/requester.ts"
import { Count } from "../../ground/wire/wire-values.ts"
import { type FoundTopic, findTopics, newestFirst, type TopicsScope } from "./topics-store.ts"

/** `max_id`: the id of the newest message. */
const Topic = Schema.Struct({ name: Schema.String, max_id: Count }).annotate({ identifier: "Topic" })

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
  run: Effect.fnUntraced(function* (who, { params: { streamId, emptyTopicName } }) {
    const { realm, user } = yield* requireReader(who)
    const channel = yield* Effect.fromResult(requireChannelFor(realm, user, streamId))
    const reading = (yield* UserReads).begin(requesterName(who), requesterKind(who))
    const asked: TopicsScope = {
      realm: realm.id,
      channel: channel.id,
      head: realm.position,
      holder: user === null || readerReadsHistory(realm, user, channel) ? null : user.id,
    }
    // An administrator knows of a private channel that they are out of, and reads nothing there.
    const parts = readerReadsMessage(realm, user, channel, true) ? yield* findTopics(reading, asked) : []
    const write = ({ topic, id }: FoundTopic) =>
      JSON.stringify({ name: showTopic(topic, emptyTopicName), max_id: id } satisfies typeof Topic.Type)
    const topics = Effect.map(listInPieces("topics", newestFirst(parts), write), (pieces) => [pieces])
    const count = parts.reduce((sum, part) => sum + part.length, 0)
    return yield* (yield* LargeAnswers).answer(requesterName(who), count * topicBytes, topics, requesterKind(who))
  }),
})
