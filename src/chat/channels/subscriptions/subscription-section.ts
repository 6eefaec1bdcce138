/** The section `subscription` of register: channels the user is, was and never was subscribed to. */
import * as Schema from "effect/Schema"
import { JsonMember, type ListPart } from "../../../json-pieces.ts"
import type { Section, SectionMembers, SectionSource } from "../../ground/kinds/section.ts"
import type { SectionView } from "../../ground/kinds/section-view.ts"
import type { ChannelRecord, SubscriptionSettings } from "../../ground/realm/records.ts"
import { defaultUserSettings } from "../../ground/realm/user-settings.ts"
import { NeverSubscribed, Subscription, wireOwnSettings } from "../../ground/wire/wire-subscription.ts"
import { channelList, visibleChannels, writeChannels } from "../channels/channel-sections.ts"
import { ownText, subscriberShape } from "./subscriber-fields.ts"

/** The settings of a subscription for which none are stored. */
const unset: SubscriptionSettings = { color: "#c2c2c2", is_muted: false, pin_to_top: false, notify: {} }

/** Web-public channels are a visitor's subscriptions, because clients list no other channels. */
const takeSubscriptions = (source: SectionSource, view: SectionView): SectionMembers => {
  const { realm, user } = source
  const shape = subscriberShape(realm, user, view)
  const seen = visibleChannels(realm, user, view)
  const inherited = view.notificationNull ? null : (user?.settings ?? defaultUserSettings)
  const ever = new Set(user === null ? [] : realm.channelsEver(user.id))
  const subscriptions: Array<ListPart> = []
  const unsubscribed: Array<ListPart> = []
  for (const { channel } of seen) {
    if (user !== null && !ever.has(channel.id)) continue
    const settings = (user === null ? undefined : realm.subscriptions.settings(user.id, channel.id)) ?? unset
    // One's own fields first: all that follows is the same for all who see the channel.
    const own = `${JSON.stringify(wireOwnSettings(settings, inherited)).slice(0, -1)},`
    const isIn = user === null || realm.isSubscribed(channel.id, user.id)
    const text = isIn && user !== null ? ownText(realm, channel, user, view, shape) : shape.text(channel)
    const list = isIn ? subscriptions : unsubscribed
    list.push([own, text.rest])
  }
  const isNever = (channel: ChannelRecord) => user !== null && !ever.has(channel.id)
  return [
    new JsonMember("subscriptions", subscriptions),
    new JsonMember("unsubscribed", unsubscribed),
    user === null
      ? new JsonMember("never_subscribed", [])
      : channelList("never_subscribed", source, view, seen, shape, isNever),
  ]
}

export const subscriptionSection: Section = {
  name: "subscription",
  keys: {
    subscriptions: Schema.Array(Subscription),
    unsubscribed: Schema.Array(Subscription),
    never_subscribed: Schema.Array(NeverSubscribed),
  },
  prepare: ({ realm, user }, view) => writeChannels(realm, subscriberShape(realm, user, view)),
  take: takeSubscriptions,
}
