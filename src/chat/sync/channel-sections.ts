/**
 * The sections of register about channels: `streams`, and the three lists of subscriptions. Taken from the projection
 * in one turn; lists are in the order of channel ids, so that equal states are equal texts.
 */
import { inSet, type UserSet } from "../../events/event.ts"
import { ChannelId, UserId } from "../../ids.ts"
import type { JsonObject } from "../../json.ts"
import { mayKnowOf } from "../permissions.ts"
import type { Realm } from "../realm.ts"
import type { ChannelRecord, SubscriptionSettings, UserRecord } from "../records.ts"
import { wireChannel, wireSubscription } from "../wire-records.ts"

export interface ChannelView {
  readonly archivedChannels: boolean
  readonly notificationNull: boolean
  /** `partial`: of big channels, some subscribers only. */
  readonly includeSubscribers: boolean | "partial"
}

/** A channel with more subscribers is big. */
const bigChannel = 250

/** What a subscription has whose settings were never stored. */
const unset: SubscriptionSettings = { color: "#c2c2c2", is_muted: false, pin_to_top: false, notify: {} }

const visibleChannels = (realm: Realm, user: UserRecord, view: ChannelView): ReadonlyArray<ChannelRecord> =>
  [...realm.channels.values()].filter(
    (channel) => (view.archivedChannels || !channel.is_archived) && mayKnowOf(realm, user, channel),
  )

const subscriberFields = (
  subscribers: UserSet,
  user: UserRecord,
  view: ChannelView,
  bots: () => ReadonlyArray<number>,
): JsonObject => {
  if (view.includeSubscribers === false) return {}
  if (view.includeSubscribers === true || subscribers.length <= bigChannel)
    return { subscribers: Array.from(subscribers) }
  const some = [...bots(), ...(user.is_bot ? [] : [user.id])]
  return { partial_subscribers: some.filter((id) => inSet(subscribers, UserId(id))).sort((a, b) => a - b) }
}

/** Found when first asked for: only big channels need them. */
const botsOf = (realm: Realm): (() => ReadonlyArray<number>) => {
  let found: ReadonlyArray<number> | undefined
  return () => {
    found ??= [...realm.users.values()].filter((each) => each.is_bot).map((each) => each.id)
    return found
  }
}

export const streamSection = (realm: Realm, user: UserRecord, view: ChannelView): JsonObject => ({
  streams: visibleChannels(realm, user, view).map((channel) =>
    wireChannel(channel, realm.subscriptions.subscribers(ChannelId(channel.id)).length),
  ),
})

export const subscriptionSection = (realm: Realm, user: UserRecord, view: ChannelView): JsonObject => {
  const id = UserId(user.id)
  const ever = new Set(realm.subscriptions.channelsEver(id))
  const bots = botsOf(realm)
  const subscriptions: Array<JsonObject> = []
  const unsubscribed: Array<JsonObject> = []
  const neverSubscribed: Array<JsonObject> = []
  for (const channel of visibleChannels(realm, user, view)) {
    const channelId = ChannelId(channel.id)
    const subscribers = realm.subscriptions.subscribers(channelId)
    const listed = subscriberFields(subscribers, user, view, bots)
    if (!ever.has(channelId)) {
      neverSubscribed.push({ ...wireChannel(channel, subscribers.length), ...listed })
      continue
    }
    const settings = realm.subscriptions.settings(id, channelId) ?? unset
    const record = wireSubscription(channel, settings, subscribers.length, view.notificationNull)
    const list = inSet(subscribers, id) ? subscriptions : unsubscribed
    list.push({ ...record, ...listed })
  }
  return { subscriptions, unsubscribed, never_subscribed: neverSubscribed }
}
