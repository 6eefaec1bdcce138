/**
 * Rows about what a user wants to see of topics: `user_topic`, and before it the older `muted_topics`, where the list of
 * muted ones changes. Sends, reactions and moves change policies too, so set_user_topic_v1 (user-topics.sql) makes the
 * rows under the log's lock, from the forms here.
 */
import * as Schema from "effect/Schema"
import { toUsers } from "../../../events/audience.ts"
import type { NewRow } from "../../../events/step.ts"
import { ChannelId, idSchemas, UserId } from "../../../ids.ts"
import { rowKind } from "./event-kind.ts"

/** The policies of a user for a topic, as stored and on the wire. `unmuted` matters in a muted channel only. */
export const topicPolicy = { none: 0, muted: 1, unmuted: 2, followed: 3 } as const
export const topicPolicies = Object.values(topicPolicy)
export type TopicPolicy = (typeof topicPolicies)[number]

export const userTopicRows = rowKind({
  type: "user_topic",
  payload: Schema.Struct({
    user_id: idSchemas.user,
    channel_id: idSchemas.channel,
    topic: Schema.String,
    policy: Schema.Literals(topicPolicies),
  }),
  changesRules: false,
  applyFunction: "apply_user_topic_v1",
})

export const mutedTopicsRows = rowKind({
  type: "muted_topics",
  /** All that the user has muted: the name of the channel, the topic, and when, in Unix seconds. */
  payload: Schema.Struct({ topics: Schema.Array(Schema.Tuple([Schema.String, Schema.String, Schema.Number])) }),
  changesRules: false,
})

/** The most topics with a policy of a user, and the most that are muted: older clients get all of these at each change. */
export const mostTopics = 10_000
export const mostMuted = 1000

interface TopicForms {
  readonly row: NewRow
  readonly muted_row: NewRow
  readonly most: number
  readonly most_muted: number
}

/** The arguments that set_user_topic_v1 needs: the forms of the rows, which it fills in, and the limits. */
export const topicForms: TopicForms = {
  row: userTopicRows.change({ user_id: UserId(0), channel_id: ChannelId(0), topic: "", policy: 0 }, toUsers([])),
  muted_row: mutedTopicsRows.change({ topics: [] }, toUsers([])),
  most: mostTopics,
  most_muted: mostMuted,
}
