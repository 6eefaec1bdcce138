/**
 * POST /users/me/subscriptions: subscribes the requester or others to channels, and makes the channels that do not
 * exist yet. The commit is planned in subscribe-plan.ts; the PATCH of the same path is in join-and-leave.ts.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, userEndpoint } from "../../../api/endpoint.ts"
import { boolean, json, withDefault } from "../../../api/params.ts"
import { list, optional as maybe, object, string } from "../../../api/shapes.ts"
import { Config, type ConfigShape, type Limits } from "../../../config/config.ts"
import { done, judgementOf } from "../../../events/command.ts"
import type { JsonObject } from "../../../json.ts"
import { forEachInSlices } from "../../../slices.ts"
import { Bulk, type BulkCommand, type BulkJudgement, begin } from "../../ground/bulk/bulk.ts"
import { fold } from "../../ground/realm/domain-values.ts"
import { readColor } from "../../ground/realm/subscription-settings.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { readChannelDescription, readChannelName } from "../../ground/requester/read-names.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { channelParams } from "../channels/channel-params.ts"
import { renderDescription } from "../channels/new-channel.ts"
import { mostNamed, principalsParam } from "./principals.ts"
import {
  planSubscribing,
  type RequestedChannel,
  type SubscribeAnswer,
  type SubscribeRequest,
} from "./subscribe-plan.ts"
import { restOfPairs } from "./subscription-chunks.ts"
import { Names } from "./subscriptions.ts"

const subscribe = (caller: Caller, wish: SubscribeRequest, config: ConfigShape): BulkCommand<SubscribeAnswer> => ({
  judge: (realm) => {
    const planned = Result.flatMap(requireActor(realm, caller), (actor) => planSubscribing(realm, actor, wish, config))
    return judgementOf(
      planned,
      ({ steps, pairs, begun, answer }): BulkJudgement<SubscribeAnswer> =>
        steps.length === 0 ? done(answer) : begin(steps, restOfPairs(pairs, begun), { answer: () => answer }),
    )
  },
})

export const channelsShape = list(object({ name: string, description: maybe(string), color: maybe(string) }), mostNamed)
type RequestedChannels = ReadonlyArray<{
  readonly name: string
  readonly description: string | undefined
  readonly color: string | undefined
}>

/** The channels, each once, as it is first named. */
const readNames = (asked: RequestedChannels, limits: Limits) =>
  Result.gen(function* () {
    const channels = new Map<string, Omit<RequestedChannel, "rendered">>()
    for (const each of asked) {
      const name = yield* readChannelName(each.name, limits)
      const description = yield* readChannelDescription(each.description ?? "", limits)
      const color = each.color === undefined ? undefined : yield* readColor(each.color)
      if (!channels.has(fold(name))) channels.set(fold(name), { name, description, color })
    }
    return [...channels.values()]
  })

/** The channels that a request names. Descriptions of those that would be made are rendered in slices. */
export const readChannels = Effect.fnUntraced(function* (caller: Caller, asked: RequestedChannels, limits: Limits) {
  const named = yield* Effect.fromResult(readNames(asked, limits))
  const { realm } = yield* requireAccount(caller)
  const channels: Array<RequestedChannel> = []
  const render = (channel: (typeof named)[number]): void => {
    const isNew = realm.findChannelByName(channel.name) === undefined
    channels.push({ ...channel, rendered: isNew ? renderDescription(realm, channel.description) : "" })
  }
  yield* forEachInSlices(named, render, 1)
  return channels
})

const byUser = (names: ReadonlyMap<number, ReadonlyArray<string>>): JsonObject =>
  Object.fromEntries([...names].map(([user, list]) => [String(user), list]))

export const answerOf = ({ subscribed, already }: SubscribeAnswer): JsonObject => ({
  subscribed: byUser(subscribed),
  already_subscribed: byUser(already),
})

/** Names of channels, by the id of the user. */
const NamesByUser = Schema.Record(Schema.String.check(Schema.isPattern(/^[1-9]\d*$/)), Names)
export const subscribed = { subscribed: NamesByUser, already_subscribed: NamesByUser }

export const postSubscriptions = userEndpoint({
  method: "POST",
  path: "/users/me/subscriptions",
  fresh: "onRefusal",
  summary: "Subscribes the requester or others to channels, making those that do not exist.",
  params: {
    subscriptions: json("subscriptions", channelsShape),
    principals: principalsParam,
    fatal: withDefault(boolean("authorization_errors_fatal"), true),
    announce: withDefault(boolean("announce"), false),
    messages: withDefault(boolean("send_new_subscription_messages"), true),
    ...channelParams,
  },
  reply: Schema.Struct({
    ...subscribed,
    /** The channels that were skipped; only with `authorization_errors_fatal=false`. */
    unauthorized: Schema.optionalKey(Names),
    new_subscription_messages_sent: Schema.optionalKey(Schema.Boolean),
  }),
  errors: ["REQUEST_VARIABLE_INVALID", "UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params }) {
    const bulk = yield* Bulk
    const config = yield* Config
    const { subscriptions, principals, fatal, announce, messages, ...made } = params
    const channels = yield* readChannels(caller, subscriptions, config.limits)
    const wish: SubscribeRequest = { channels, principals, made, announce, fatal, messages }
    const answer = yield* bulk.run(caller.realm, subscribe(caller, wish, config))
    return dataReply({
      ...answerOf(answer),
      ...(fatal ? {} : { unauthorized: answer.unauthorized }),
      ...(messages ? { new_subscription_messages_sent: answer.messagesSent } : {}),
    })
  }),
})
