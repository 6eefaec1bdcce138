/**
 * The events about subscriptions. The event of each new subscriber lists all subscribers, so the part that these events
 * share is serialised once per row: for 500 new subscribers of a channel of 10,000, a sixth of the time.
 */
import { type ClientRendering, type EventReceiver, type EventType, JsonText } from "../../../events/encode.ts"
import type { EventBody, LogRow } from "../../../events/event.ts"
import type { ChannelId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import { type RealmHistory, wireKind } from "../../ground/kinds/event-kind.ts"
import { activeAtRow, noEvents, oneEvent, requireStoredRow } from "../../ground/kinds/event-kind-helpers.ts"
import { type SubscriptionPayload, subscriptionRows } from "../../ground/kinds/subscription-row.ts"
import { defaultUserSettings } from "../../ground/realm/user-settings.ts"
import { wireChannel } from "../../ground/wire/wire-channel.ts"
import { wireOwnSettings } from "../../ground/wire/wire-subscription.ts"
import { wantsUnread } from "../../reading/flags/flags-sections.ts"
import { peersInManyChannels } from "./peers-in-many-channels.ts"
import { subscriptionEvents } from "./subscription-event-schema.ts"

type Addition = Extract<SubscriptionPayload, { readonly op: "add" }>
type AddedSubscription = Addition["added"][number]

/** The part that the events of all new subscribers of a row share. */
interface SharedEventPart {
  readonly returned: boolean
  readonly added: ReadonlyMap<number, AddedSubscription>
  /** JSON members of the subscription that come before the user's own settings; `subscribers` comes after them. */
  readonly channel: string
  readonly subscribers: string
}

/** Members of an object as JSON text, without its braces. */
const members = (object: object): string => JSON.stringify(object).slice(1, -1)

/** A client with `archived_channels` never lost the channel, so it gets no event when the channel is unarchived. */
const isHidden = (
  payload: { readonly is_archived?: true | undefined; readonly returned?: true | undefined },
  { archivedChannels }: ClientRendering,
): boolean => (archivedChannels ? payload.returned === true : payload.is_archived === true)

const wireAddition = (shared: SharedEventPart, { user, rendering }: EventReceiver) => {
  const own = shared.added.get(user)
  if (own === undefined || (shared.returned && rendering.archivedChannels)) return noEvents
  const inherited = rendering.notificationNull ? null : (own.inherits ?? defaultUserSettings)
  const settings = members(wireOwnSettings(own.settings, inherited))
  const subscription = `{${shared.channel},${settings},${shared.subscribers}}`
  return oneEvent(new JsonText(`{"type":"subscription","op":"add","subscriptions":[${subscription}]}`))
}

type OtherSubscriptionPayload = Exclude<SubscriptionPayload, { readonly op: "add" }>

/** Whether the user is one of several who leave in one row; they are told about each other, not about themselves. */
const isLeaver = ({ op, user_ids }: LogRow["payload"], user: number): boolean =>
  op === "peer_remove" && Array.isArray(user_ids) && user_ids.includes(user)

const wireOther = (
  payload: OtherSubscriptionPayload,
  { user, rendering }: EventReceiver,
  subscribersOf: (channel: ChannelId) => ReadonlyArray<number>,
) => {
  const type = "subscription"
  switch (payload.op) {
    case "remove":
      return oneEvent({ type, op: "remove", subscriptions: [{ name: payload.name, stream_id: payload.channel_id }] })
    case "update": {
      if (isHidden(payload, rendering)) return noEvents
      const { channel_id: stream_id, property, value } = payload
      return oneEvent({ type, op: "update", stream_id, property, value })
    }
    default: {
      if ("places" in payload || isHidden(payload, rendering)) return noEvents
      const { op, channel_id } = payload
      const user_ids =
        payload.user_ids === "all"
          ? subscribersOf(channel_id)
          : payload.user_ids.filter((id) => op === "peer_add" || id !== user)
      return user_ids.length === 0 ? noEvents : oneEvent({ type, op, stream_ids: [channel_id], user_ids })
    }
  }
}

const isInPlaces = ({ payload }: EventBody): boolean => "places" in payload

const lookOf = (past: RealmHistory, read: (payload: JsonObject) => SubscriptionPayload): EventType => {
  const { subscriptions, activeAt } = past
  const known = new WeakMap<LogRow, SharedEventPart>()
  const share = (row: LogRow, { channel, added, returned }: Addition): SharedEventPart => {
    const subscribers = subscriptions.subscribersAt(channel.id, row.position)
    const shared = {
      returned: returned === true,
      added: new Map(added.map((each) => [each.user_id, each])),
      channel: members(wireChannel(channel, subscribers.length, activeAtRow(activeAt, row))),
      subscribers: members({ subscribers }),
    }
    known.set(row, shared)
    return shared
  }
  const peers = peersInManyChannels(past, read)
  return {
    personal: true,
    weight: (body) => (isInPlaces(body) ? peers.weight(body) : 0),
    variant: (body, receiver) => {
      if (isInPlaces(body)) return peers.variant(requireStoredRow(body), receiver)
      const { user, rendering } = receiver
      return body.payload["op"] === "add"
        ? `${user} ${rendering.notificationNull} ${rendering.archivedChannels}`
        : `${isLeaver(body.payload, user) ? user : ""} ${rendering.archivedChannels}`
    },
    wire: (body, receiver) => {
      const row = requireStoredRow(body)
      if (isInPlaces(row)) return peers.wire(row, receiver)
      const found = known.get(row)
      if (found !== undefined) return wireAddition(found, receiver)
      const payload = read(row.payload)
      return payload.op === "add"
        ? wireAddition(share(row, payload), receiver)
        : wireOther(payload, receiver, (channel) => subscriptions.subscribersAt(channel, row.position))
    },
  }
}

export const subscriptionKind = wireKind(subscriptionRows, {
  events: subscriptionEvents,
  // A subscription that ends takes its unread messages along, and their count depends on which channels are muted.
  sections: (view) => ["stream", "subscription", ...(wantsUnread(view) ? ["unread_msgs"] : [])],
  wireForm: lookOf,
})
