/**
 * The requester's policy for a topic, by what they want to see of it: POST /user_topics, and PATCH
 * /users/me/subscriptions/muted_topics of older clients. Nobody else learns of it. A topic need not have a message.
 * What a user has said of a topic already is only known under the log's lock, so set_user_topics_v1 finds out whether
 * anything changes.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { type ApiError, badRequest, type Checked, missingVariable } from "../../../api/errors.ts"
import { anyLength, choice, id, integer, oneOf, optional, requireLength, text } from "../../../api/params.ts"
import { Config, type Limits } from "../../../config/config.ts"
import {
  call,
  type DoneJudgement,
  done,
  judgementOf,
  type RefusedJudgement,
  readRefusal,
  refused,
} from "../../../events/command.ts"
import { ChannelId } from "../../../ids.ts"
import type { Json } from "../../../json.ts"
import {
  mostMuted,
  mostTopics,
  type TopicPolicy,
  topicForms,
  topicPolicies,
  topicPolicy,
} from "../../ground/kinds/user-topic-row.ts"
import { requireChannel } from "../../ground/permissions/channel-access.ts"
import { mayKnowOf } from "../../ground/permissions/permissions.ts"
import { badCharacterAt, fold, readTopic } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { submitAs } from "../../ground/requester/submit.ts"

const { none, muted } = topicPolicy

/** `noFields`: the refusal where the topic has no policy that could be taken back. */
const refusalsOf = (
  nothing: ApiError | null,
): Readonly<Record<string, DoneJudgement<undefined> | RefusedJudgement>> => ({
  same: nothing === null ? done(undefined) : refused(nothing),
  full: refused(badRequest(`You can have a policy for at most ${mostTopics} topics.`)),
  muted: refused(badRequest(`You can mute at most ${mostMuted} topics.`)),
})

const readOutcome =
  (nothing: ApiError | null) =>
  (outcome: Json): DoneJudgement<undefined> | RefusedJudgement =>
    readRefusal(outcome, refusalsOf(nothing)) ?? done(undefined)

const requireTopic = (raw: string, limits: Limits): Checked<string> =>
  Result.flatMap(requireLength("topic", raw.trim(), { max: limits.maxTopicLength }), (topic) => {
    const at = badCharacterAt(topic)
    return at === undefined
      ? Result.succeed(readTopic(topic))
      : Result.fail(badRequest(`Invalid character in topic, at position ${at}!`))
  })

/** A channel, and how the request is refused if it has nothing to take back there; null: not at all. */
interface FoundChannel {
  readonly id: ChannelId
  readonly nothing: ApiError | null
}
type FindChannel = (realm: Realm, actor: UserRecord, wish: TopicPolicyRequest) => Checked<FoundChannel>

interface TopicPolicyRequest {
  readonly policy: TopicPolicy
  /** Nothing is done if the topic has another policy. */
  readonly onlyFrom?: TopicPolicy
}

const setPolicy = Effect.fnUntraced(function* (
  caller: Caller,
  find: FindChannel,
  raw: string,
  wish: TopicPolicyRequest,
) {
  const { limits } = yield* Config
  const topic = yield* Effect.fromResult(requireTopic(raw, limits))
  const { policy, onlyFrom = null } = wish
  yield* submitAs(caller, (realm, actor) =>
    judgementOf(find(realm, actor, wish), ({ id, nothing }) =>
      call(
        "set_user_topics_v1",
        {
          user_id: actor.id,
          channel_id: id,
          topic,
          topic_folded: fold(topic),
          policy,
          only_from: onlyFrom,
          forms: topicForms,
        },
        false,
        readOutcome(nothing),
      ),
    ),
  )
})

const seen = (channel: ChannelRecord): FoundChannel => ({ id: channel.id, nothing: null })

/** The largest number that is the id of anything. */
const largestId = 2 ** 31 - 1

/**
 * A policy outlives the sight of its channel, and counts among those that a user may have, so it can be taken back all the
 * same. Who has none there is refused as if the channel did not exist: both cases are asked of the database, so that they
 * do not differ in time either.
 */
const byId =
  (channel: ChannelId): FindChannel =>
  (realm, actor, { policy }) => {
    const known = requireChannel(realm, actor, channel)
    const isAsked = policy === none && Math.abs(channel) <= largestId
    return Result.isFailure(known) && isAsked
      ? Result.succeed({ id: channel, nothing: known.failure })
      : Result.map(known, seen)
  }

const byName =
  (name: string): FindChannel =>
  (realm, actor) => {
    const channel = realm.findChannelByName(name)
    return channel !== undefined && mayKnowOf(realm, actor, channel)
      ? Result.succeed(seen(channel))
      : Result.fail(badRequest(`Invalid channel name '${name}'`))
  }

const topic = text("topic", anyLength)

const policyParam = oneOf(integer("visibility_policy"), topicPolicies)

export const postUserTopics = userEndpoint({
  method: "POST",
  path: "/user_topics",
  fresh: "onRefusal",
  summary: "Mutes, unmutes or follows a topic, or takes that back.",
  params: { channel: id("stream_id", ChannelId), topic, policy: policyParam },
  reply: noFields,
  errors: ["REQUEST_VARIABLE_MISSING"],
  run: Effect.fnUntraced(function* (caller, { params: { channel, topic, policy } }) {
    yield* setPolicy(caller, byId(channel), topic, { policy })
    return dataReply()
  }),
})

const patchMutedTopics = userEndpoint({
  method: "PATCH",
  path: "/users/me/subscriptions/muted_topics",
  fresh: "onRefusal",
  summary: "Mutes a topic, or takes that back; an older form of POST /user_topics.",
  params: {
    channel: optional(id("stream_id", ChannelId)),
    name: optional(text("stream")),
    topic,
    op: choice("op", ["add", "remove"]),
  },
  reply: noFields,
  errors: ["REQUEST_VARIABLE_MISSING"],
  run: Effect.fnUntraced(function* (caller, { params: { channel, name, topic, op } }) {
    if (channel !== undefined && name !== undefined) {
      const parameters = "stream_id, stream"
      return yield* badRequest(`Unsupported parameter combination: ${parameters}`, { parameters })
    }
    const find = channel !== undefined ? byId(channel) : name !== undefined ? byName(name) : undefined
    if (find === undefined) return yield* missingVariable("stream_id")
    yield* setPolicy(caller, find, topic, op === "add" ? { policy: muted } : { policy: none, onlyFrom: muted })
    return dataReply()
  }),
})

export const userTopicEndpoints = [postUserTopics, patchMutedTopics]
