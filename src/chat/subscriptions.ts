/** A user's channels: GET and DELETE /users/me/subscriptions (contract 3.8, spec 15). Subscribing is in subscribe.ts. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, data, userEndpoint } from "../endpoint.ts"
import { badRequest, channelNameUnknown } from "../errors.ts"
import { type Command, call, done, refused } from "../events/command.ts"
import { ChannelId, UserId } from "../ids.ts"
import type { JsonObject } from "../json.ts"
import { json, jsonOrText, withDefault } from "../params.ts"
import { boolean as booleanShape, either, list, type Shape, string } from "../shapes.ts"
import { requireActor } from "./actor.ts"
import { mayKnowOf } from "./permissions.ts"
import { maxPairs, type Principals, principalsParam, requirePrincipals } from "./principals.ts"
import type { Realm } from "./realm.ts"
import { Realms } from "./realms.ts"
import type { UserRecord } from "./records.ts"
import { requireAccount } from "./requester.ts"
import { channelsOf, removeStep } from "./subscription-steps.ts"
import { botsOf } from "./sync/bot-section.ts"
import { subscriberFields } from "./sync/channel-sections.ts"
import { wireSubscription } from "./wire-records.ts"

/** Subscriptions as they are now, archived channels left out. */
const subscriptionsNow = (
  realm: Realm,
  user: UserRecord,
  includeSubscribers: boolean | "partial",
): ReadonlyArray<JsonObject> => {
  const id = UserId(user.id)
  const bots = botsOf(realm)
  return channelsOf(realm, id)
    .filter((channel) => !channel.is_archived)
    .flatMap((channel) => {
      const settings = realm.subscriptions.settings(id, ChannelId(channel.id))
      if (settings === undefined) return []
      const subscribers = realm.subscribers(ChannelId(channel.id))
      const record = wireSubscription(channel, settings, subscribers.length, user.settings)
      return [{ ...record, ...subscriberFields(subscribers, user, { includeSubscribers }, bots) }]
    })
}

const partial: Shape<"partial"> = (value) => (value === "partial" ? Result.succeed(value) : Result.fail(""))

export const getSubscriptions = userEndpoint({
  method: "GET",
  path: "/users/me/subscriptions",
  summary: "Lists the requester's channels with their own settings.",
  params: {
    includeSubscribers: withDefault(
      jsonOrText("include_subscribers", either(booleanShape, partial, "is not a boolean")),
      false,
    ),
  },
  run: Effect.fnUntraced(function* (caller, { includeSubscribers }) {
    const { realm, user } = yield* requireAccount(caller)
    return data({ subscriptions: subscriptionsNow(realm, user, includeSubscribers) })
  }),
})

interface Removed {
  readonly removed: Array<string>
  readonly notRemoved: Array<string>
}

const unsubscribe = (caller: Caller, names: ReadonlyArray<string>, principals: Principals): Command<Realm, Removed> => {
  let answer: Removed = { removed: [], notRemoved: [] }
  return {
    judge: (realm) => {
      const planned = Result.gen(function* () {
        const actor = yield* requireActor(realm, caller)
        const people = yield* requirePrincipals(realm, actor, principals)
        if (people.some((user) => user.id !== actor.id))
          return yield* Result.fail(badRequest("Unsubscribing others is not supported yet"))
        const removes: Array<JsonObject> = []
        answer = { removed: [], notRemoved: [] }
        for (const name of new Set(names.map((each) => each.trim()))) {
          const channel = realm.findChannelByName(name)
          if (channel === undefined || !mayKnowOf(realm, actor, channel))
            return yield* Result.fail(channelNameUnknown(name))
          if (channel.is_archived)
            return yield* Result.fail(
              badRequest(`Channel '${channel.name}' is archived; its subscriptions cannot change`),
            )
          const isIn = realm.subscriptions.isSubscribed(ChannelId(channel.id), UserId(actor.id))
          for (const _user of people) (isIn ? answer.removed : answer.notRemoved).push(channel.name)
          if (isIn && people.length > 0) removes.push(removeStep(channel, people))
        }
        return removes
      })
      if (Result.isFailure(planned)) return refused(planned.failure)
      return planned.success.length === 0 ? done(answer) : call("unsubscribe_v1", { removes: planned.success }, true)
    },
    read: () => ({ _tag: "Done", answer }),
  }
}

export const deleteSubscriptions = userEndpoint({
  method: "DELETE",
  path: "/users/me/subscriptions",
  summary: "Unsubscribes the requester from channels.",
  params: {
    subscriptions: json("subscriptions", list(string, maxPairs)),
    principals: principalsParam,
  },
  run: Effect.fnUntraced(function* (caller, { subscriptions, principals }) {
    const realms = yield* Realms
    const { removed, notRemoved } = yield* realms.submit(caller.realm, unsubscribe(caller, subscriptions, principals))
    return data({ removed, not_removed: notRemoved })
  }),
})
