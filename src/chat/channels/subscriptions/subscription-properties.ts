/**
 * A user's own settings for their channels: POST /users/me/subscriptions/properties, and PATCH
 * /users/me/subscriptions/{stream_id} for a single one. Changes take effect in order; those before a refused one stay
 * applied. A value that is set already makes no event.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { type ApiError, badRequest } from "../../../api/errors.ts"
import { id, json, jsonOrText, keyword } from "../../../api/params.ts"
import { id as idShape, json as jsonShape, list, object, string } from "../../../api/shapes.ts"
import { toUsers } from "../../../events/audience.ts"
import { type Command, change, done, type Judgement, judgementOf, refused } from "../../../events/command.ts"
import type { NewRow } from "../../../events/step.ts"
import { ChannelId } from "../../../ids.ts"
import type { Json } from "../../../json.ts"
import { subscriptionRows } from "../../ground/kinds/subscription-row.ts"
import { archivedMark } from "../../ground/permissions/channel-visibility.ts"
import { mayKnowOf } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type {
  ChannelRecord,
  SubscriptionProperty,
  SubscriptionSettings,
  UserRecord,
} from "../../ground/realm/records.ts"
import {
  findSubscriptionProperty,
  readSubscriptionValue,
  withSubscriptionProperty,
} from "../../ground/realm/subscription-settings.ts"
import { requireActor } from "../../ground/requester/actor.ts"

interface PropertyChange {
  readonly channel: ChannelId
  readonly property: string
  readonly value: Json
}

const requireChange = (realm: Realm, actor: UserRecord, { channel: id, property, value }: PropertyChange) =>
  Result.gen(function* () {
    const known = findSubscriptionProperty(property)
    if (known === undefined) return yield* Result.fail(badRequest(`Unknown subscription property: ${property}`))
    const channel = realm.channels.get(id)
    if (channel === undefined || !mayKnowOf(realm, actor, channel))
      return yield* Result.fail(badRequest("Invalid channel ID"))
    if (!realm.isSubscribed(id, actor.id)) return yield* Result.fail(badRequest(`Not subscribed to channel ID ${id}`))
    return { channel, property: known, value: yield* readSubscriptionValue(known, value) }
  })

/** Muting is told under its older name `in_home_view` first, then as `is_muted`, which is the row that changes it. */
const rowsOf = (
  channel: ChannelRecord,
  { id: user_id }: UserRecord,
  property: SubscriptionProperty,
  value: string | boolean,
): ReadonlyArray<NewRow> => {
  const update = { op: "update", user_id, channel_id: channel.id, ...archivedMark(channel) } as const
  const audience = toUsers([user_id])
  if (property !== "is_muted" && property !== "in_home_view")
    return [subscriptionRows.change({ ...update, property, value }, audience)]
  const isMuted = property === "is_muted" ? value === true : value !== true
  return [
    subscriptionRows.tell({ ...update, property: "in_home_view", value: !isMuted }, audience),
    subscriptionRows.change({ ...update, property: "is_muted", value: isMuted }, audience),
  ]
}

const isSame = (a: SubscriptionSettings, b: SubscriptionSettings): boolean =>
  a.color === b.color &&
  a.is_muted === b.is_muted &&
  a.pin_to_top === b.pin_to_top &&
  JSON.stringify(a.notify) === JSON.stringify(b.notify)

interface PropertyChangePlan {
  readonly rows: ReadonlyArray<NewRow>
  /** The refusal of the first refused change; null: none is refused. */
  readonly fault: ApiError | null
}

const plan = (realm: Realm, actor: UserRecord, changes: ReadonlyArray<PropertyChange>): PropertyChangePlan => {
  const after = new Map<ChannelId, SubscriptionSettings>()
  const rows: Array<NewRow> = []
  for (const each of changes) {
    const wanted = requireChange(realm, actor, each)
    if (Result.isFailure(wanted)) return { rows, fault: wanted.failure }
    const { channel, property, value } = wanted.success
    const id = channel.id
    const before = after.get(id) ?? realm.subscriptions.settings(actor.id, id)
    if (before === undefined) continue
    const changed = withSubscriptionProperty(before, property, value)
    if (isSame(before, changed)) continue
    after.set(id, changed)
    rows.push(...rowsOf(channel, actor, property, value))
  }
  return { rows, fault: null }
}

const changeSettings = (caller: Caller, changes: ReadonlyArray<PropertyChange>): Command<Realm, void> => ({
  judge: (realm) =>
    judgementOf(requireActor(realm, caller), (actor): Judgement<void> => {
      const { rows, fault } = plan(realm, actor, changes)
      const answer = fault === null ? done(undefined) : refused(fault)
      if (rows.length === 0) return answer
      // The changes before the refused one are committed all the same.
      const calling = change(rows)
      const read = (outcome: Json) => {
        const written = calling.read(outcome)
        return written._tag === "Done" ? answer : written
      }
      return { ...calling, read }
    }),
})

/** The most changes in one request; each makes one or two rows. */
const mostChanges = 500

export const postSubscriptionProperties = userEndpoint({
  method: "POST",
  path: "/users/me/subscriptions/properties",
  fresh: "onRefusal",
  summary: "Changes the requester's own settings for channels.",
  params: {
    changes: json(
      "subscription_data",
      list(object({ stream_id: idShape(ChannelId), property: string, value: jsonShape }), mostChanges),
    ),
  },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { changes } }) {
    const realms = yield* Realms
    const asked = changes.map(({ stream_id, property, value }) => ({ channel: stream_id, property, value }))
    yield* realms.submit(caller.realm, changeSettings(caller, asked))
    return dataReply()
  }),
})

export const patchSubscription = userEndpoint({
  method: "PATCH",
  path: "/users/me/subscriptions/{stream_id:int}",
  fresh: "onRefusal",
  summary: "Changes one of the requester's own settings for a channel.",
  params: { channel: id("stream_id", ChannelId), property: keyword("property"), value: jsonOrText("value", jsonShape) },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: asked }) {
    const realms = yield* Realms
    yield* realms.submit(caller.realm, changeSettings(caller, [asked]))
    return dataReply()
  }),
})
