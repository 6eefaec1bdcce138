/**
 * The sections of register about channels: `streams`, and the three lists of subscriptions. Taken from the projection
 * in one turn; lists are in the order of channel ids, so that equal states are equal texts. What channels have in
 * common for all who see them is written once.
 */
import { inSet, type UserSet } from "../../events/event.ts"
import type { UserId } from "../../ids.ts"
import type { JsonObject } from "../../json.ts"
import { listMember } from "../kinds/section-text.ts"
import type { SectionView } from "../kinds/section-view.ts"
import { isGuest, isOpenToVisitors, mayKnowOf } from "../permissions/permissions.ts"
import type { Realm } from "../realm/realm.ts"
import type { ChannelRecord, SubscriptionSettings, UserRecord } from "../realm/records.ts"
import { defaultUserSettings } from "../realm/user-settings.ts"
import { botsOf } from "../users/bot-section.ts"
import { wireChannel, wireOwnSettings } from "../wire/wire-records.ts"

export type ChannelView = Pick<SectionView, "archivedChannels" | "notificationNull" | "includeSubscribers">

/** A channel with more subscribers is big. */
const bigChannel = 250

/** What a subscription has whose settings were never stored. */
const unset: SubscriptionSettings = { color: "#c2c2c2", is_muted: false, pin_to_top: false, notify: {} }

const visibleChannels = (
  realm: Realm,
  user: UserRecord | null,
  view: Pick<ChannelView, "archivedChannels">,
): ReadonlyArray<ChannelRecord> =>
  [...realm.channels.values()].filter((channel) =>
    user === null
      ? isOpenToVisitors(channel)
      : (view.archivedChannels || !channel.is_archived) && mayKnowOf(realm, user, channel),
  )

/** The field that says who is subscribed, as it was asked for. `bots`: see botsOf. */
export const subscriberFields = (
  subscribers: UserSet,
  user: UserRecord,
  view: Pick<ChannelView, "includeSubscribers">,
  bots: () => ReadonlyArray<UserId>,
): JsonObject => {
  if (view.includeSubscribers === false) return {}
  if (view.includeSubscribers === true || subscribers.length <= bigChannel)
    return { subscribers: Array.from(subscribers) }
  const some = [...bots(), ...(user.is_bot ? [] : [user.id])]
  return { partial_subscribers: some.filter((id) => inSet(subscribers, id)).sort((a, b) => a - b) }
}

/** Sets of subscribers are shared and never change. */
const writtenSets = new WeakMap<UserSet, string>()

const subscribersText = (subscribers: UserSet): string => {
  const known = writtenSets.get(subscribers)
  if (known !== undefined) return known
  const text = `,"subscribers":[${subscribers.join(",")}]`
  writtenSets.set(subscribers, text)
  return text
}

/** The same field as text, with the comma before it. */
const subscriberText = (realm: Realm, subscribers: UserSet, user: UserRecord | null, view: ChannelView): string => {
  if (user === null || view.includeSubscribers === false) return ""
  if (view.includeSubscribers === true || subscribers.length <= bigChannel) return subscribersText(subscribers)
  return `,${JSON.stringify(subscriberFields(subscribers, user, view, botsOf(realm))).slice(1, -1)}`
}

interface Written {
  readonly subscribers: number
  /** The newest row about people: values of permissions name only those who are active. */
  readonly people: number
  readonly open: string
}
const written = new WeakMap<ChannelRecord, Written>()

/** The channel's record without its closing brace, for more fields to come. */
const openText = (realm: Realm, channel: ChannelRecord, subscribers: number): string => {
  const people = realm.changedAt(["realm_user"])
  const known = written.get(channel)
  if (known?.subscribers === subscribers && known.people === people) return known.open
  const open = JSON.stringify(wireChannel(channel, subscribers, realm.isActive)).slice(0, -1)
  written.set(channel, { subscribers, people, open })
  return open
}

/** `user`: null for a visitor without an account. */
export const streamSection = (
  realm: Realm,
  user: UserRecord | null,
  view: Pick<ChannelView, "archivedChannels">,
): ReadonlyArray<string> => [
  listMember(
    "streams",
    visibleChannels(realm, user, view).map(
      (channel) => `${openText(realm, channel, realm.subscribers(channel.id).length)}}`,
    ),
  ),
]

/** A visitor reads what is open to them as subscriptions: clients list nothing else. */
export const subscriptionSection = (
  realm: Realm,
  user: UserRecord | null,
  view: ChannelView,
): ReadonlyArray<string> => {
  const id = user === null ? null : user.id
  const inherited = view.notificationNull ? null : (user?.settings ?? defaultUserSettings)
  const ever = new Set(id === null ? [] : realm.subscriptions.channelsEver(id))
  const subscriptions: Array<string> = []
  const unsubscribed: Array<string> = []
  const neverSubscribed: Array<string> = []
  for (const channel of visibleChannels(realm, user, view)) {
    const channelId = channel.id
    const subscribers = realm.subscribers(channelId)
    const open = openText(realm, channel, subscribers.length)
    const listed = subscriberText(realm, subscribers, user, view)
    if (id !== null && !ever.has(channelId)) {
      neverSubscribed.push(`${open}${listed}}`)
      continue
    }
    const settings = (id === null ? undefined : realm.subscriptions.settings(id, channelId)) ?? unset
    const own = JSON.stringify(wireOwnSettings(settings, inherited)).slice(1, -1)
    const list = id === null || inSet(subscribers, id) ? subscriptions : unsubscribed
    list.push(`${open},${own}${listed}}`)
  }
  return [
    listMember("subscriptions", subscriptions),
    listMember("unsubscribed", unsubscribed),
    listMember("never_subscribed", neverSubscribed),
  ]
}

/** The channels that new people are put into; guests, and visitors, are not told. */
export const defaultChannelIds = (realm: Realm, user: UserRecord | null): ReadonlyArray<number> =>
  user === null || isGuest(user)
    ? []
    : [...realm.channels.values()]
        .filter((channel) => channel.is_default && !channel.is_archived)
        .map((channel) => channel.id)

export const defaultChannels = (realm: Realm, user: UserRecord | null): JsonObject => ({
  realm_default_streams: defaultChannelIds(realm, user),
})
