/**
 * People, channels and subscriptions as clients read them (contract 3.1): from the projection's records to the wire's,
 * for one kind of client. Used by events, register and the listing endpoints alike, so that they always agree.
 */
import type { JsonObject } from "../json.ts"
import { apiEmail, avatarUrl, deliveryEmail, gravatarUrl, placeholderAddress, type Viewer } from "./addresses.ts"
import type { Realm } from "./realm.ts"
import type { ChannelRecord, InheritedSettings, SubscriptionSettings, UserRecord } from "./records.ts"
import { isoTime, roles, systemGroups, unixSeconds } from "./values.ts"

/** What a visitor without an account learns of a person is less: no address, no hour, no time zone. */
const wireForVisitor = (realm: Pick<Realm, "host">, user: UserRecord): JsonObject => {
  const address = placeholderAddress(realm, user)
  return {
    email: address,
    delivery_email: null,
    date_joined: isoTime(user.joined_at).slice(0, "YYYY-MM-DD".length),
    avatar_url: gravatarUrl(address, user.avatar_version),
  }
}

/** The person as lists of users carry them, to one viewer; `is_active` is left to those lists that state it. */
export const wireUser = (
  realm: Pick<Realm, "host">,
  user: UserRecord,
  viewer: Viewer,
  clientHashes: boolean,
): JsonObject => ({
  user_id: user.id,
  full_name: user.full_name,
  is_owner: user.role === roles.owner,
  is_admin: user.role <= roles.administrator,
  is_guest: user.role === roles.guest,
  is_bot: user.is_bot,
  role: user.role,
  avatar_version: user.avatar_version,
  bot_type: user.bot_type,
  ...(user.is_bot ? { bot_owner_id: user.bot_owner_id } : {}),
  ...(viewer === null
    ? wireForVisitor(realm, user)
    : {
        email: apiEmail(realm, user),
        delivery_email: deliveryEmail(viewer, user),
        date_joined: isoTime(user.joined_at),
        timezone: user.timezone,
        avatar_url: avatarUrl(realm, user, clientHashes),
      }),
})

/** The deprecated number that stands for who may post: 1 all, 2 administrators, 3 full members, 4 moderators. */
const postPolicy = (channel: ChannelRecord): number => {
  switch (channel.permissions.can_send_message_group) {
    case systemGroups["role:owners"]:
    case systemGroups["role:administrators"]:
    case systemGroups["role:nobody"]:
      return 2
    case systemGroups["role:fullmembers"]:
      return 3
    case systemGroups["role:moderators"]:
      return 4
    default:
      return 1
  }
}

export const wireChannel = (channel: ChannelRecord, subscribers: number): JsonObject => ({
  stream_id: channel.id,
  name: channel.name,
  description: channel.description,
  rendered_description: channel.rendered_description,
  date_created: unixSeconds(channel.created_at),
  creator_id: channel.creator_id,
  invite_only: channel.is_private,
  is_web_public: channel.is_web_public,
  history_public_to_subscribers: channel.history_shared,
  is_archived: channel.is_archived,
  is_recently_active: true,
  first_message_id: channel.first_message_id,
  message_retention_days: channel.retention_days,
  topics_policy: channel.topics_policy,
  folder_id: null,
  subscriber_count: subscribers,
  stream_weekly_traffic: null,
  stream_post_policy: postPolicy(channel),
  is_announcement_only: postPolicy(channel) === 2,
  ...channel.permissions,
})

/** Each notification setting of a subscription, with the user's own setting that it inherits. */
const notifications = {
  desktop_notifications: "enable_stream_desktop_notifications",
  audible_notifications: "enable_stream_audible_notifications",
  push_notifications: "enable_stream_push_notifications",
  email_notifications: "enable_stream_email_notifications",
  wildcard_mentions_notify: "wildcard_mentions_notify",
} as const satisfies Readonly<Record<string, keyof InheritedSettings>>

/** What a subscription has beyond its channel. `inherited`: for clients that cannot take null, what stands for it. */
export const wireOwnSettings = (settings: SubscriptionSettings, inherited: InheritedSettings | null): JsonObject => ({
  color: settings.color,
  is_muted: settings.is_muted,
  in_home_view: !settings.is_muted,
  pin_to_top: settings.pin_to_top,
  ...Object.fromEntries(
    Object.entries(notifications).map(([name, from]) => [name, settings.notify[name] ?? inherited?.[from] ?? null]),
  ),
})

export const wireSubscription = (
  channel: ChannelRecord,
  settings: SubscriptionSettings,
  subscribers: number,
  inherited: InheritedSettings | null,
): JsonObject => ({
  ...wireChannel(channel, subscribers),
  ...wireOwnSettings(settings, inherited),
})
