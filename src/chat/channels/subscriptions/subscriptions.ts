/** GET and DELETE /users/me/subscriptions. Subscribing is in subscribe.ts. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, requesterName, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked, channelNameUnknown, noSuchUser } from "../../../api/errors.ts"
import { id, json, jsonOrText, withDefault } from "../../../api/params.ts"
import { boolean as booleanShape, either, list, string, word } from "../../../api/shapes.ts"
import { done, judgementOf } from "../../../events/command.ts"
import { LargeAnswers } from "../../../fairness/large-answers.ts"
import { type ChannelId, UserId } from "../../../ids.ts"
import { listInPieces } from "../../../json-pieces.ts"
import { forEachInSlices } from "../../../slices.ts"
import { Bulk, type BulkCommand, type BulkJudgement, begin } from "../../ground/bulk/bulk.ts"
import { mayKnowOf, mayRemoveSubscriber } from "../../ground/permissions/permissions.ts"
import { findUser } from "../../ground/realm/acquaintance/find-user.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { Subscription, wireSubscription } from "../../ground/wire/wire-subscription.ts"
import { SortedIds } from "../../ground/wire/wire-values.ts"
import { maxPairs, mostNamed, type Principals, principalsParam, requirePrincipals } from "./principals.ts"
import { subscriberFields } from "./subscriber-fields.ts"
import { type SubscriptionPairs, unsubscribing } from "./subscription-chunks.ts"
import { channelsOf } from "./subscription-steps.ts"

/** About how many bytes a record has beside its subscribers, and each of them. */
const recordBytes = 1500
const subscriberBytes = 6

/** The user's subscriptions, without archived channels. */
const subscriptionsOf = (realm: Realm, { id }: UserRecord) =>
  channelsOf(realm, id).flatMap((channel) => {
    const settings = realm.subscriptions.settings(id, channel.id)
    return settings === undefined || channel.is_archived
      ? []
      : [{ channel, settings, subscribers: realm.subscribers(channel.id) }]
  })

const listSubscriptions = Effect.fnUntraced(function* (caller: Caller, includeSubscribers: boolean | "partial") {
  const { realm, user } = yield* requireAccount(caller)
  const counted = subscriptionsOf(realm, user)
  const listed = includeSubscribers === false ? 0 : counted.reduce((sum, each) => sum + each.subscribers.length, 0)
  const bytes = counted.length * recordBytes + listed * subscriberBytes
  // When there is room for the answer: the subscriptions may have changed meanwhile.
  const members = Effect.gen(function* () {
    const { user } = yield* requireAccount(caller)
    const own = subscriptionsOf(realm, user)
    const write = ({ channel, settings, subscribers }: (typeof own)[number]): string =>
      JSON.stringify({
        ...wireSubscription(channel, settings, subscribers.length, realm.isActive),
        ...subscriberFields(realm, subscribers, user, { includeSubscribers }),
      })
    return [yield* listInPieces("subscriptions", own, write)]
  })
  return yield* (yield* LargeAnswers).answer(requesterName(caller), bytes, members)
})

export const getSubscriptions = userEndpoint({
  method: "GET",
  path: "/users/me/subscriptions",
  summary: "Lists the requester's channels with their own settings.",
  params: {
    includeSubscribers: withDefault(
      jsonOrText("include_subscribers", either(booleanShape, word("partial"), "is not a boolean")),
      false,
    ),
  },
  reply: Schema.Struct({ subscriptions: Schema.Array(Subscription) }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { includeSubscribers } }) {
    return yield* listSubscriptions(caller, includeSubscribers)
  }),
})

/** Those that the requester may know of. */
export const getUserChannels = userEndpoint({
  method: "GET",
  path: "/users/{user_id:int}/channels",
  summary: "The channels that a user is subscribed to, as far as the requester may know of them.",
  params: { userId: id("user_id", UserId) },
  reply: Schema.Struct({ subscribed_channel_ids: SortedIds }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { userId } }) {
    const { realm, user } = yield* requireAccount(caller)
    const target = findUser(realm, user, userId)
    if (target === undefined) return yield* noSuchUser()
    const ids: Array<number> = []
    yield* forEachInSlices([...realm.subscriptions.channelsEver(target.id)], (id) => {
      const channel = realm.subscriptions.isSubscribed(id, target.id) ? realm.channels.get(id) : undefined
      if (channel !== undefined && !channel.is_archived && mayKnowOf(realm, user, channel)) ids.push(id)
    })
    return dataReply({ subscribed_channel_ids: ids.sort((a, b) => a - b) })
  }),
})

export interface UnsubscribeAnswer {
  /** Names of channels, one for each user who was subscribed; `notRemoved`: for each who was not. */
  readonly removed: ReadonlyArray<string>
  readonly notRemoved: ReadonlyArray<string>
}

/**
 * The bots that go with people whom somebody else takes out of private channels: by a bot that stayed they would read on. Who
 * leaves by themselves does not take them along.
 */
const botsAlong = (
  realm: Realm,
  actor: UserRecord,
  people: ReadonlyArray<UserRecord>,
  channels: Iterable<ChannelRecord>,
): ReadonlyArray<UserId> => {
  const named = new Set(people.map(({ id }) => id))
  const bots = people.flatMap(({ id }) => (id === actor.id ? [] : [...realm.ownedBots(id)]))
  const closed = new Set([...channels].filter((channel) => channel.is_private).map(({ id }) => id))
  // A bot is in a few channels, and a request may name hundreds.
  const isInOne = (bot: UserId) =>
    [...realm.subscriptions.channelsEver(bot)].some((id) => closed.has(id) && realm.isSubscribed(id, bot))
  return bots.filter((bot) => !named.has(bot) && isInOne(bot))
}

/**
 * The subscriptions that a request to unsubscribe ends, or its refusal. `joins`: whether an earlier step of the same
 * command makes the subscription.
 */
export const findSubscriptions = (
  realm: Realm,
  actor: UserRecord,
  names: ReadonlyArray<string>,
  principals: Principals,
  joins: (user: UserRecord, channel: ChannelRecord) => boolean = () => false,
): Checked<UnsubscribeAnswer & { readonly pairs: SubscriptionPairs }> =>
  Result.gen(function* () {
    const people = yield* requirePrincipals(realm, actor, principals)
    const channels = new Map<ChannelId, ChannelRecord>()
    for (const name of names.map((each) => each.trim())) {
      const channel = realm.findChannelByName(name)
      if (channel === undefined || !mayKnowOf(realm, actor, channel))
        return yield* Result.fail(channelNameUnknown(name))
      if (channel.is_archived)
        return yield* Result.fail(badRequest(`Channel '${channel.name}' is archived; its subscriptions cannot change`))
      if (!people.every((user) => mayRemoveSubscriber(realm, actor, user, channel)))
        return yield* Result.fail(badRequest("Insufficient permission"))
      channels.set(channel.id, channel)
    }
    const tooMany = badRequest(`At most ${maxPairs} subscriptions can be ended at once`)
    if (people.length * channels.size > maxPairs) return yield* Result.fail(tooMany)
    const along = botsAlong(realm, actor, people, channels.values())
    if ((people.length + along.length) * channels.size > maxPairs) return yield* Result.fail(tooMany)
    const [removed, notRemoved]: [Array<string>, Array<string>] = [[], []]
    for (const channel of channels.values())
      for (const user of people) {
        const isIn = realm.isSubscribed(channel.id, user.id) || joins(user, channel)
        ;(isIn ? removed : notRemoved).push(channel.name)
      }
    const pairs = {
      channels: [...channels.keys()].map((id) => ({ id, color: null })),
      users: [...people.map(({ id }) => id), ...along],
      ...(along.length === 0 ? {} : { along }),
    }
    return { removed, notRemoved, pairs }
  })

const unsubscribe = (
  caller: Caller,
  names: ReadonlyArray<string>,
  principals: Principals,
): BulkCommand<UnsubscribeAnswer> => ({
  judge: (realm) => {
    const found = Result.flatMap(requireActor(realm, caller), (actor) =>
      findSubscriptions(realm, actor, names, principals),
    )
    return judgementOf(found, ({ pairs, ...answer }): BulkJudgement<UnsubscribeAnswer> => {
      const { steps, next } = unsubscribing.chunk(realm, pairs, 0)
      const rest = next === null ? null : unsubscribing.rest(pairs, next)
      return steps.length === 0 ? done(answer) : begin(steps, rest, { answer: () => answer })
    })
  },
})

/** Names of channels, one for each user who was subscribed, or was not. */
export const Names = Schema.Array(Schema.NonEmptyString)
export const unsubscribed = { removed: Names, not_removed: Names }

export const deleteSubscriptions = userEndpoint({
  method: "DELETE",
  path: "/users/me/subscriptions",
  fresh: "onRefusal",
  summary: "Unsubscribes the requester or others from channels.",
  params: {
    subscriptions: json("subscriptions", list(string, mostNamed)),
    principals: principalsParam,
  },
  reply: Schema.Struct(unsubscribed),
  errors: ["STREAM_DOES_NOT_EXIST"],
  run: Effect.fnUntraced(function* (caller, { params: { subscriptions, principals } }) {
    const bulk = yield* Bulk
    const { removed, notRemoved } = yield* bulk.run(caller.realm, unsubscribe(caller, subscriptions, principals))
    return dataReply({ removed, not_removed: notRemoved })
  }),
})
