/** The section `subscription` of register: channels the user is, was and never was subscribed to. */
import * as Schema from "effect/Schema"
import { inSet } from "../../events/event.ts"
import { TextList } from "../../json-pieces.ts"
import { openText, visibleChannels, writeChannels } from "../channels/channel-sections.ts"
import type { Members, Section, SectionSource } from "../kinds/section.ts"
import type { SectionView } from "../kinds/section-view.ts"
import type { SubscriptionSettings } from "../realm/records.ts"
import { defaultUserSettings } from "../realm/user-settings.ts"
import { NeverSubscribed, Subscription, wireOwnSettings } from "../wire/wire-subscription.ts"
import { subscriberText } from "./subscriber-fields.ts"

/** The settings of a subscription for which none are stored. */
const unset: SubscriptionSettings = { color: "#c2c2c2", is_muted: false, pin_to_top: false, notify: {} }

/** Web-public channels are a visitor's subscriptions, because clients list no other channels. */
const takeSubscriptions = ({ realm, user }: SectionSource, view: SectionView): Members => {
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
    new TextList("subscriptions", subscriptions),
    new TextList("unsubscribed", unsubscribed),
    new TextList("never_subscribed", neverSubscribed),
  ]
}

function* writeSubscriptions({ realm, user }: SectionSource, view: SectionView) {
  const channels = visibleChannels(realm, user, view)
  yield* writeChannels(realm, channels)
  for (const channel of channels) yield subscriberText(realm, realm.subscribers(channel.id), user, view)
}

export const subscriptionSection: Section = {
  name: "subscription",
  keys: {
    subscriptions: Schema.Array(Subscription),
    unsubscribed: Schema.Array(Subscription),
    never_subscribed: Schema.Array(NeverSubscribed),
  },
  prepare: writeSubscriptions,
  take: takeSubscriptions,
}
