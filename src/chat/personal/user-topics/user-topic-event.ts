/** The wire form of policies of topics: the events `user_topic` and `muted_topics`, and their sections. */
import * as Schema from "effect/Schema"
import { wireKind } from "../../ground/kinds/event-kind.ts"
import { oneEvent, requireStoredRow } from "../../ground/kinds/event-kind-helpers.ts"
import type { StoredSection } from "../../ground/kinds/section.ts"
import { member } from "../../ground/kinds/section-text.ts"
import {
  mostMuted,
  mostTopics,
  mutedTopicsRows,
  topicPolicies,
  topicPolicy,
  userTopicRows,
} from "../../ground/kinds/user-topic-row.ts"
import { emptyTopicDisplayName, showTopic, unixSeconds } from "../../ground/realm/domain-values.ts"
import { Id, plainEvent, Seconds } from "../../ground/wire/wire-values.ts"

const { muted, unmuted, followed } = topicPolicy
const storedPolicies = [muted, unmuted, followed] as const

const record = { stream_id: Id, topic_name: Schema.String, last_updated: Seconds }

/** The name of the channel, the topic, and when it was muted. */
const MutedTopics = Schema.Array(Schema.Tuple([Schema.NonEmptyString, Schema.String, Seconds])).check(
  Schema.isMaxLength(mostMuted),
)
type MutedTopics = ReadonlyArray<readonly [channel: string, topic: string, at: number]>

const showMuted = (topics: MutedTopics, emptyTopicName: boolean) =>
  topics.map(([channel, topic, at]) => [channel, showTopic(topic, emptyTopicName), at])

export const userTopicKind = wireKind(userTopicRows, {
  events: { "": plainEvent("user_topic", { ...record, visibility_policy: Schema.Literals(topicPolicies) }) },
  sections: ["user_topic"],
  wireForm: (_past, read) => ({
    personal: false,
    variant: (_body, { emptyTopicName }) => String(emptyTopicName),
    wire: (body, { emptyTopicName }) => {
      const { channel_id, topic, policy } = read(body.payload)
      return oneEvent({
        type: "user_topic",
        stream_id: channel_id,
        topic_name: showTopic(topic, emptyTopicName),
        last_updated: unixSeconds(requireStoredRow(body).at),
        visibility_policy: policy,
      })
    },
  }),
})

export const mutedTopicsKind = wireKind(mutedTopicsRows, {
  events: { "": plainEvent("muted_topics", { muted_topics: MutedTopics }) },
  sections: ["muted_topics"],
  wireForm: (_past, read) => ({
    personal: false,
    variant: (_body, { emptyTopicName }) => String(emptyTopicName),
    wire: ({ payload }, { emptyTopicName }) =>
      oneEvent({ type: "muted_topics", muted_topics: showMuted(read(payload).topics, emptyTopicName) }),
  }),
})

/** Text of the records, because there may be ten thousand; and, apart, how they are where the topic is the empty one. */
const decodeTopicTexts = Schema.decodeUnknownSync(Schema.Struct({ named: Schema.String, empty: Schema.String }))

export const userTopicSection: StoredSection = {
  name: "user_topic",
  keys: {
    user_topics: Schema.Array(Schema.Struct({ ...record, visibility_policy: Schema.Literals(storedPolicies) })).check(
      Schema.isMaxLength(mostTopics),
    ),
  },
  stored: "section_user_topics_v1",
  write: (value, { emptyTopicName }) => {
    const { named, empty } = decodeTopicTexts(value)
    const shown = emptyTopicName
      ? empty
      : empty.replaceAll('"topic_name":""', `"topic_name":"${emptyTopicDisplayName}"`)
    return [`"user_topics":[${[named, shown].filter((text) => text !== "").join(",")}]`]
  },
  visitor: { user_topics: [] },
}

const readMuted = Schema.decodeUnknownSync(Schema.Array(Schema.Tuple([Schema.String, Schema.String, Schema.Number])))

/** Left out for a client that names both this section and its successor `user_topic`. */
export const mutedTopicsSection: StoredSection = {
  name: "muted_topics",
  keys: { muted_topics: MutedTopics },
  isWanted: ({ fetch }) => fetch === null || (fetch.has("muted_topics") && !fetch.has("user_topic")),
  stored: "section_muted_topics_v1",
  write: (value, { emptyTopicName }) => [member("muted_topics", showMuted(readMuted(value), emptyTopicName))],
  visitor: { muted_topics: [] },
}
