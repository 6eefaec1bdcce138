/**
 * POST /users/me/subscriptions (contract 3.8): subscribes the requester or others to channels, and makes the channels
 * that do not exist yet. A command over more than 500 pairs of user and channel is refused.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { Clock } from "../clock.ts"
import { Config, type Limits } from "../config.ts"
import { type Caller, data, userEndpoint } from "../endpoint.ts"
import { type ApiError, badRequest, principalUnauthorized } from "../errors.ts"
import { type Command, call, done, refused } from "../events/command.ts"
import { ChannelId, UserId } from "../ids.ts"
import type { JsonObject } from "../json.ts"
import { boolean, json, jsonOrText, mapped, optional, withDefault } from "../params.ts"
import { either, integer, list, optional as maybe, object, string } from "../shapes.ts"
import { requireActor } from "./actor.ts"
import { readChannelDescription, readChannelName } from "./names.ts"
import { newChannel } from "./new-channel.ts"
import { isGuest, mayAddSubscribers, mayCreateChannel, mayReadContent } from "./permissions.ts"
import { maxPairs, type Principals, principalsParam, requirePrincipals } from "./principals.ts"
import type { Realm } from "./realm.ts"
import { Realms } from "./realms.ts"
import type { UserRecord } from "./records.ts"
import { addStep, createRow, type GivenColors } from "./subscription-steps.ts"
import { fold, roles } from "./values.ts"

interface Wish {
  readonly channels: ReadonlyArray<{
    readonly name: string
    readonly description: string
    readonly color: string | undefined
  }>
  readonly principals: Principals
  readonly isPrivate: boolean
  readonly historyShared: boolean
  /** Of the channels that are made; null: as the realm has it, -1: for ever. */
  readonly retentionDays: number | null
  readonly fatal: boolean
}

interface Outcome {
  readonly subscribed: Map<number, Array<string>>
  readonly already: Map<number, Array<string>>
  readonly unauthorized: Array<string>
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
      if (known === undefined && wish.retentionDays !== null && actor.role !== roles.owner)
        return yield* Result.fail(principalUnauthorized("Must be an organization owner"))
      const { isPrivate, historyShared, retentionDays } = wish
      const fields = { name, description, isPrivate, historyShared, isWebPublic: false, isDefault: false }
      const channel = known ?? { ...newChannel(nextId++, fields, caller.user, now), retention_days: retentionDays }
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

const longestRetentionDays = 2_147_483_647

/** In days, or in words; `forever` is no longer one of them (level 91). */
const readRetentionDays = (days: string | number): Result.Result<number | null, ApiError> => {
  if (days === "realm_default") return Result.succeed(null)
  if (days === "unlimited") return Result.succeed(-1)
  return Predicate.isNumber(days) && days >= 1 && days <= longestRetentionDays
    ? Result.succeed(days)
    : Result.fail(badRequest("Invalid message_retention_days"))
}

const daysOrWord = jsonOrText("message_retention_days", either(integer, string, "is not a string or integer"))
const retentionParam = mapped(daysOrWord, readRetentionDays)

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
    principals: principalsParam,
    fatal: withDefault(boolean("authorization_errors_fatal"), true),
    inviteOnly: withDefault(boolean("invite_only"), false),
    isWebPublic: withDefault(boolean("is_web_public"), false),
    historyShared: optional(boolean("history_public_to_subscribers")),
    retentionDays: withDefault(retentionParam, null),
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
      retentionDays: params.retentionDays,
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
