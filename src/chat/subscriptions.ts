/**
 * A user's channels: GET, POST and DELETE /users/me/subscriptions (contract 3.8, spec 15). Subscribing makes the
 * channels that do not exist yet. A command over many people and channels is refused past 500 pairs.
 */
import { Effect, Predicate, Result } from "effect"
import { Clock } from "../clock.ts"
import { Config, type Limits } from "../config.ts"
import { type Caller, data, userEndpoint } from "../endpoint.ts"
import { type ApiError, badRequest, channelNameUnknown } from "../errors.ts"
import { type Command, call, done, refused } from "../events/command.ts"
import { ChannelId, UserId } from "../ids.ts"
import type { JsonObject } from "../json.ts"
import { boolean, json, optional, withDefault } from "../params.ts"
import { boolean as booleanShape, either, integer, list, optional as maybe, object, string } from "../shapes.ts"
import { requireActor } from "./actor.ts"
import { renderMarkdown } from "./markdown.ts"
import { readChannelDescription, readChannelName } from "./names.ts"
import { isGuest, mayAddSubscribers, mayCreateChannel, mayKnowOf, mayReadContent } from "./permissions.ts"
import type { Realm } from "./realm.ts"
import { Realms } from "./realms.ts"
import type { ChannelRecord, UserRecord } from "./records.ts"
import { addStep, channelsOf, createRow, type GivenColors, removeStep } from "./subscription-steps.ts"
import { fold, systemGroups } from "./values.ts"
import { wireSubscription } from "./wire-records.ts"

/** Pairs of user and channel in one command. Larger ones need chunks that survive a crash, which come later. */
const maxPairs = 500

export interface NewChannel {
  readonly name: string
  readonly description: string
  readonly isPrivate: boolean
  readonly isWebPublic: boolean
  readonly historyShared: boolean
  readonly isDefault: boolean
}

/** A channel's record as it is made, with the permissions of a new one (contract 2.6). */
export const newChannel = (id: number, channel: NewChannel, creator: UserId | null, now: number): ChannelRecord => ({
  id,
  name: channel.name,
  description: channel.description,
  rendered_description: channel.description === "" ? "" : renderMarkdown(channel.description),
  creator_id: creator,
  created_at: now,
  is_private: channel.isPrivate,
  is_web_public: channel.isWebPublic,
  history_shared: channel.historyShared,
  is_archived: false,
  is_default: channel.isDefault,
  topics_policy: "inherit",
  retention_days: null,
  permissions: {
    can_add_subscribers_group: systemGroups["role:nobody"],
    can_administer_channel_group:
      creator === null ? systemGroups["role:nobody"] : { direct_members: [creator], direct_subgroups: [] },
    can_delete_any_message_group: systemGroups["role:nobody"],
    can_delete_own_message_group: systemGroups["role:nobody"],
    can_move_messages_out_of_channel_group: systemGroups["role:nobody"],
    can_move_messages_within_channel_group: systemGroups["role:nobody"],
    can_remove_subscribers_group: systemGroups["role:administrators"],
    can_resolve_topics_group: systemGroups["role:nobody"],
    can_send_message_group: systemGroups["role:everyone"],
    can_subscribe_group: systemGroups["role:nobody"],
  },
  first_message_id: null,
})

interface Wish {
  readonly channels: ReadonlyArray<{
    readonly name: string
    readonly description: string
    readonly color: string | undefined
  }>
  readonly principals: ReadonlyArray<string> | ReadonlyArray<number> | undefined
  readonly isPrivate: boolean
  readonly historyShared: boolean
  readonly fatal: boolean
}

interface Outcome {
  readonly subscribed: Map<number, Array<string>>
  readonly already: Map<number, Array<string>>
  readonly unauthorized: Array<string>
}

const requirePrincipals = (
  realm: Realm,
  actor: UserRecord,
  principals: Wish["principals"],
): Result.Result<ReadonlyArray<UserRecord>, ApiError> => {
  if (principals === undefined) return Result.succeed([actor])
  const found = new Map<number, UserRecord>()
  for (const each of principals) {
    const user = Predicate.isNumber(each) ? realm.users.get(UserId(each)) : realm.findUserByEmail(each)
    if (user === undefined) return Result.fail(badRequest("No such user"))
    if (!realm.isActive(UserId(user.id))) return Result.fail(badRequest("User is deactivated"))
    found.set(user.id, user)
  }
  return Result.succeed([...found.values()])
}

const note = (names: Map<number, Array<string>>, user: UserRecord, name: string) => {
  names.set(user.id, [...(names.get(user.id) ?? []), name])
}

/** What a wish comes to on this realm: the rows to write, and the answer once they are written. */
const plan = (realm: Realm, caller: Caller, wish: Wish, now: number) =>
  Result.gen(function* () {
    const actor = yield* requireActor(realm, caller)
    if (isGuest(actor)) return yield* Result.fail(badRequest("Not allowed for guest users"))
    const people = yield* requirePrincipals(realm, actor, wish.principals)
    if (people.length * wish.channels.length > maxPairs)
      return yield* Result.fail(badRequest(`At most ${maxPairs} subscriptions can be made at once`))
    const forOthers = people.some((user) => user.id !== actor.id)
    const outcome: Outcome = { subscribed: new Map(), already: new Map(), unauthorized: [] }
    const creates: Array<JsonObject> = []
    const adds: Array<JsonObject> = []
    const given: GivenColors = new Map()
    let nextId: number = realm.nextChannelId()
    for (const { name, description, color } of wish.channels) {
      const known = realm.findChannelByName(name)
      if (known !== undefined && (known.is_archived || !mayReadContent(realm, actor, known))) {
        if (wish.fatal) return yield* Result.fail(badRequest(`Unable to access channel (${name}).`))
        outcome.unauthorized.push(name)
        continue
      }
      const mayMake = known !== undefined || mayCreateChannel(realm, actor, wish.isPrivate, now)
      if (!mayMake || (forOthers && !mayAddSubscribers(realm, actor, known ?? null, now)))
        return yield* Result.fail(badRequest("Insufficient permission"))
      const { isPrivate, historyShared } = wish
      const fields = { name, description, isPrivate, historyShared, isWebPublic: false, isDefault: false }
      const channel = known ?? newChannel(nextId++, fields, caller.user, now)
      const isIn = (user: UserRecord) =>
        known !== undefined && realm.subscriptions.isSubscribed(ChannelId(known.id), UserId(user.id))
      const added = people.filter((user) => !isIn(user))
      for (const user of people) note(isIn(user) ? outcome.already : outcome.subscribed, user, channel.name)
      if (known === undefined) creates.push(createRow(channel, added))
      if (added.length > 0) adds.push(addStep(realm, channel, added, { isNew: known === undefined, color, given }))
    }
    return { outcome, creates, adds }
  })

const subscribe = (caller: Caller, wish: Wish, now: () => number): Command<Realm, Outcome> => {
  let outcome: Outcome = { subscribed: new Map(), already: new Map(), unauthorized: [] }
  return {
    judge: (realm) => {
      const planned = plan(realm, caller, wish, now())
      if (Result.isFailure(planned)) return refused(planned.failure)
      outcome = planned.success.outcome
      const { creates, adds } = planned.success
      return creates.length + adds.length === 0 ? done(outcome) : call("subscribe_v1", { creates, adds }, true)
    },
    read: () => ({ _tag: "Done", answer: outcome }),
  }
}

const principalsShape = either(
  list(integer, maxPairs),
  list(string, maxPairs),
  "is not a list of integers or of strings",
)
const colorShape = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i

/** Six lower-case digits, as strict clients want it. */
const readColor = (color: string): Result.Result<string, ApiError> => {
  if (!colorShape.test(color)) return Result.fail(badRequest("color is not a valid hex color code"))
  const digits = color.slice(1).toLowerCase()
  return Result.succeed(`#${digits.length === 6 ? digits : [...digits].map((digit) => digit + digit).join("")}`)
}

const readWish = (
  subscriptions: ReadonlyArray<{
    readonly name: string
    readonly description: string | undefined
    readonly color: string | undefined
  }>,
  limits: Limits,
) =>
  Result.gen(function* () {
    const channels = new Map<string, { name: string; description: string; color: string | undefined }>()
    for (const each of subscriptions) {
      const name = yield* readChannelName(each.name, limits)
      const description = yield* readChannelDescription(each.description ?? "", limits)
      const color = each.color === undefined ? undefined : yield* readColor(each.color)
      if (!channels.has(fold(name))) channels.set(fold(name), { name, description, color })
    }
    return [...channels.values()]
  })

const byUser = (names: Map<number, Array<string>>): JsonObject =>
  Object.fromEntries([...names].map(([user, list]) => [String(user), list]))

export const postSubscriptions = userEndpoint({
  method: "POST",
  path: "/users/me/subscriptions",
  summary: "Subscribes the requester or others to channels, making those that do not exist.",
  params: {
    subscriptions: json(
      "subscriptions",
      list(object({ name: string, description: maybe(string), color: maybe(string) }), maxPairs),
    ),
    principals: optional(json("principals", principalsShape)),
    fatal: withDefault(boolean("authorization_errors_fatal"), true),
    inviteOnly: withDefault(boolean("invite_only"), false),
    isWebPublic: withDefault(boolean("is_web_public"), false),
    historyShared: optional(boolean("history_public_to_subscribers")),
  },
  run: Effect.fnUntraced(function* (caller, params) {
    const realms = yield* Realms
    const clock = yield* Clock
    const { limits } = yield* Config
    if (params.isWebPublic) return yield* badRequest("Web-public channels are not enabled.")
    if (!params.inviteOnly && params.historyShared === false) return yield* badRequest("Invalid parameters")
    const wish: Wish = {
      channels: yield* Effect.fromResult(readWish(params.subscriptions, limits)),
      principals: params.principals,
      isPrivate: params.inviteOnly,
      historyShared: params.historyShared ?? !params.inviteOnly,
      fatal: params.fatal,
    }
    const outcome = yield* realms.submit(caller.realm, subscribe(caller, wish, clock.now))
    return data({
      subscribed: byUser(outcome.subscribed),
      already_subscribed: byUser(outcome.already),
      ...(params.fatal ? {} : { unauthorized: outcome.unauthorized }),
    })
  }),
})

/** Subscriptions as they are now, archived channels left out. */
export const subscriptionsNow = (
  realm: Realm,
  user: UserId,
  include: boolean,
  nullable: boolean,
): ReadonlyArray<JsonObject> =>
  channelsOf(realm, user)
    .filter((channel) => !channel.is_archived)
    .flatMap((channel) => {
      const settings = realm.subscriptions.settings(user, ChannelId(channel.id))
      if (settings === undefined) return []
      const subscribers = Array.from(realm.subscriptions.subscribers(ChannelId(channel.id)))
      const record = wireSubscription(channel, settings, subscribers.length, nullable)
      return [include ? { ...record, subscribers } : record]
    })

export const getSubscriptions = userEndpoint({
  method: "GET",
  path: "/users/me/subscriptions",
  summary: "Lists the requester's channels with their own settings.",
  params: {
    includeSubscribers: withDefault(
      json("include_subscribers", either(booleanShape, string, "is not a boolean")),
      false,
    ),
  },
  run: Effect.fnUntraced(function* (caller, { includeSubscribers }) {
    const realms = yield* Realms
    const { realm } = yield* realms.get(caller.realm)
    if (Predicate.isString(includeSubscribers) && includeSubscribers !== "partial")
      return yield* badRequest("include_subscribers is not a boolean")
    return data({ subscriptions: subscriptionsNow(realm, caller.user, includeSubscribers !== false, false) })
  }),
})

interface Removed {
  readonly removed: Array<string>
  readonly notRemoved: Array<string>
}

const unsubscribe = (
  caller: Caller,
  names: ReadonlyArray<string>,
  principals: Wish["principals"],
): Command<Realm, Removed> => {
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
    principals: optional(json("principals", principalsShape)),
  },
  run: Effect.fnUntraced(function* (caller, { subscriptions, principals }) {
    const realms = yield* Realms
    const { removed, notRemoved } = yield* realms.submit(caller.realm, unsubscribe(caller, subscriptions, principals))
    return data({ removed, not_removed: notRemoved })
  }),
})
