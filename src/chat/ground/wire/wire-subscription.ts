/** The record of a subscription as clients read it: a channel, and the user's own settings for it. */
import * as Schema from "effect/Schema"
import type { JsonObject } from "../../../json.ts"
import type { IsActive } from "../realm/realm-rules.ts"
import type { ChannelRecord, InheritedSettings, SubscriptionSettings } from "../realm/records.ts"
import { channelFields, ofAKind, wireChannel } from "./wire-channel.ts"
import { Colour, SortedIds } from "./wire-values.ts"

/** Each notification setting of a subscription, with the setting of the user that it inherits by default. */
const notifications = {
  desktop_notifications: "enable_stream_desktop_notifications",
  audible_notifications: "enable_stream_audible_notifications",
  push_notifications: "enable_stream_push_notifications",
  email_notifications: "enable_stream_email_notifications",
  wildcard_mentions_notify: "wildcard_mentions_notify",
} as const satisfies Readonly<Record<string, keyof InheritedSettings>>

/**
 * The user's settings for a channel. `inherited`: the values instead of null, for clients that cannot read null; or
 * null.
 */
export const wireOwnSettings = (settings: SubscriptionSettings, inherited: InheritedSettings | null): JsonObject => ({
  color: settings.color,
  is_muted: settings.is_muted,
  in_home_view: !settings.is_muted,
  pin_to_top: settings.pin_to_top,
  ...Object.fromEntries(
    Object.entries(notifications).map(([name, from]) => [name, settings.notify[name] ?? inherited?.[from] ?? null]),
  ),
})

/** As a request for them is answered, whose clients all know null. */
export const wireSubscription = (
  channel: ChannelRecord,
  settings: SubscriptionSettings,
  subscribers: number,
  isActive: IsActive,
): JsonObject => ({
  ...wireChannel(channel, subscribers, isActive),
  ...wireOwnSettings(settings, null),
})

/** null: inherited from the user's settings. */
const Notify = Schema.NullOr(Schema.Boolean)

const subscriptionFields = {
  ...channelFields,
  color: Colour,
  is_muted: Schema.Boolean,
  in_home_view: Schema.Boolean,
  pin_to_top: Schema.Boolean,
  desktop_notifications: Notify,
  audible_notifications: Notify,
  push_notifications: Notify,
  email_notifications: Notify,
  wildcard_mentions_notify: Notify,
}

const muted = Schema.makeFilter(
  ({ is_muted, in_home_view }: { readonly is_muted: boolean; readonly in_home_view: boolean }) =>
    is_muted !== in_home_view,
  { expected: "in_home_view to be the opposite of is_muted" },
)

/** The list of subscribers: absent, or for a big channel only some of them, depending on what the client asks for. */
const subscribers = {
  subscribers: Schema.optionalKey(SortedIds),
  partial_subscribers: Schema.optionalKey(SortedIds),
}
export const Subscription = Schema.Struct({ ...subscriptionFields, ...subscribers })
  .check(muted, ofAKind)
  .annotate({ identifier: "Subscription" })

/** The record in the event about a new subscription, always with all subscribers. */
export const NewSubscription = Schema.Struct({ ...subscriptionFields, subscribers: SortedIds })
  .check(muted, ofAKind)
  .annotate({ identifier: "NewSubscription" })

/** A channel that the requester has never subscribed to. */
export const NeverSubscribed = Schema.Struct({ ...channelFields, ...subscribers })
  .check(ofAKind)
  .annotate({ identifier: "NeverSubscribed" })
