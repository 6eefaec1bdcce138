/**
 * What the requester wants to see of a topic: POST /user_topics, and PATCH /users/me/subscriptions/muted_topics of older
 * clients (contract 3.8). Nobody else learns of it. A topic need not have a message. What a user has said of a topic
 * already is only known under the log's lock, so set_user_topics_v1 finds out whether anything changes.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { Config, type Limits } from "../../config.ts"
import { type Caller, data, nothing, userEndpoint } from "../../endpoint.ts"
import { type ApiError, badRequest, missingVariable } from "../../errors.ts"
import { call, type Done, done, judged, type Refused, refused } from "../../events/command.ts"
import { ChannelId } from "../../ids.ts"
import type { Json } from "../../json.ts"
import { anyLength, choice, id, integer, mapped, optional, requireLength, text } from "../../params.ts"
import { mostMuted, mostTopics, type TopicPolicy, topicForms, topicPolicies } from "../kinds/user-topic-row.ts"
import { requireChannel } from "../permissions/channel-access.ts"
import { mayKnowOf } from "../permissions/permissions.ts"
import type { Realm } from "../realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../realm/records.ts"
import { badCharacterAt, fold, readTopic } from "../realm/values.ts"
import { submitAs } from "../requester/submit.ts"

const refusals: Readonly<Record<string, Refused>> = {
  full: refused(badRequest(`You can have a policy for at most ${mostTopics} topics.`)),
  muted: refused(badRequest(`You can mute at most ${mostMuted} topics.`)),
}

const readOutcome = (outcome: Json): Done<undefined> | Refused => {
  const word = Predicate.isObject(outcome) ? outcome["refused"] : undefined
  return (Predicate.isString(word) ? refusals[word] : undefined) ?? done(undefined)
}

const requireTopic = (raw: string, limits: Limits): Result.Result<string, ApiError> =>
  Result.flatMap(requireLength("topic", raw.trim(), { max: limits.maxTopicLength }), (topic) => {
    const at = badCharacterAt(topic)
    return at === undefined
      ? Result.succeed(readTopic(topic))
      : Result.fail(badRequest(`Invalid character in topic, at position ${at}!`))
  })

type Find = (realm: Realm, actor: UserRecord) => Result.Result<ChannelRecord, ApiError>

/** `onlyFrom`: nothing is done if the topic has another policy. */
const setPolicy = Effect.fnUntraced(function* (
  caller: Caller,
  find: Find,
  raw: string,
  { policy, onlyFrom = null }: { readonly policy: TopicPolicy; readonly onlyFrom?: TopicPolicy | null },
) {
  const { limits } = yield* Config
  const topic = yield* Effect.fromResult(requireTopic(raw, limits))
  yield* submitAs(caller, (realm, actor) =>
    judged(find(realm, actor), (channel) =>
      call(
        "set_user_topics_v1",
        {
          user_id: actor.id,
          channel_id: channel.id,
          topic,
          topic_folded: fold(topic),
          policy,
          only_from: onlyFrom,
          forms: topicForms,
        },
        false,
        readOutcome,
      ),
    ),
  )
})

const byId =
  (channel: ChannelId): Find =>
  (realm, actor) =>
    requireChannel(realm, actor, channel)

const byName =
  (name: string): Find =>
  (realm, actor) => {
    const channel = realm.findChannelByName(name)
    return channel !== undefined && mayKnowOf(realm, actor, channel)
      ? Result.succeed(channel)
      : Result.fail(badRequest(`Invalid channel name '${name}'`))
  }

const topic = text("topic", anyLength)

const policyParam = mapped(integer("visibility_policy"), (value) => {
  const known = topicPolicies.find((each) => each === value)
  return known === undefined ? Result.fail(badRequest("Invalid visibility_policy")) : Result.succeed(known)
})

const postUserTopics = userEndpoint({
  method: "POST",
  path: "/user_topics",
  summary: "Mutes, unmutes or follows a topic, or takes that back.",
  params: { channel: id("stream_id", ChannelId), topic, policy: policyParam },
  reply: nothing,
  errors: ["REQUEST_VARIABLE_MISSING"],
  run: Effect.fnUntraced(function* (caller, { channel, topic, policy }) {
    yield* setPolicy(caller, byId(channel), topic, { policy })
    return data()
  }),
})

const patchMutedTopics = userEndpoint({
  method: "PATCH",
  path: "/users/me/subscriptions/muted_topics",
  summary: "Mutes a topic, or takes that back; an older form of POST /user_topics.",
  params: {
    channel: optional(id("stream_id", ChannelId)),
    name: optional(text("stream")),
    topic,
    op: choice("op", ["add", "remove"]),
  },
  reply: nothing,
  errors: ["REQUEST_VARIABLE_MISSING"],
  run: Effect.fnUntraced(function* (caller, { channel, name, topic, op }) {
    if (channel !== undefined && name !== undefined)
      return yield* badRequest("Unsupported parameter combination: stream_id, stream")
    const find = channel !== undefined ? byId(channel) : name !== undefined ? byName(name) : undefined
    if (find === undefined) return yield* missingVariable("stream_id")
    yield* setPolicy(caller, find, topic, op === "add" ? { policy: 1 } : { policy: 0, onlyFrom: 1 })
    return data()
  }),
})

export const userTopicEndpoints = [postUserTopics, patchMutedTopics]
