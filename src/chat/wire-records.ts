/**
 * People, channels and subscriptions as clients read them (contract 3.1): from the projection's records to the wire's,
 * for one kind of client. Used by events, register and the listing endpoints alike, so that they always agree.
 */
import { createHash } from "node:crypto"
import type { JsonObject } from "../json.ts"
import type { ChannelRecord, SubscriptionSettings, UserRecord } from "./records.ts"
import { isoTime, roles, systemGroups, unixSeconds } from "./values.ts"

const hash = (email: string) => createHash("md5").update(email.trim().toLowerCase()).digest("hex")

/** Avatars come from the gravatar service until people can upload their own. A client that asks to hash itself gets null. */
export const avatarUrl = (
  person: { readonly email: string; readonly avatar_version: number },
  clientHashes: boolean,
) =>
  clientHashes
    ? null
    : `https://secure.gravatar.com/avatar/${hash(person.email)}?d=identicon&version=${person.avatar_version}`

/** The person as every list of users carries them; `is_active` is left to those lists that state it. */
export const wirePerson = (user: UserRecord, clientHashes: boolean): JsonObject => ({
  user_id: user.id,
  email: user.email,
  delivery_email: user.email,
  full_name: user.full_name,
  date_joined: isoTime(user.joined_at),
  is_owner: user.role === roles.owner,
  is_admin: user.role <= roles.administrator,
  is_guest: user.role === roles.guest,
  is_bot: user.is_bot,
  role: user.role,
  timezone: user.timezone,
  avatar_url: avatarUrl(user, clientHashes),
  avatar_version: user.avatar_version,
  bot_type: user.bot_type,
  ...(user.is_bot ? { bot_owner_id: user.bot_owner_id } : {}),
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

const notifications = [
  "desktop_notifications",
  "audible_notifications",
  "push_notifications",
  "email_notifications",
  "wildcard_mentions_notify",
] as const

/** What a notification setting inherits, for clients that cannot take null. */
const inherited = { desktop: false, audible: false, push: false, email: false, wildcard: true }
const inheritedValue = (setting: (typeof notifications)[number]): boolean =>
  setting === "wildcard_mentions_notify" ? inherited.wildcard : inherited.desktop

export const wireSubscription = (
  channel: ChannelRecord,
  settings: SubscriptionSettings,
  subscribers: number,
  nullable: boolean,
): JsonObject => ({
  ...wireChannel(channel, subscribers),
  color: settings.color,
  is_muted: settings.is_muted,
  in_home_view: !settings.is_muted,
  pin_to_top: settings.pin_to_top,
  ...Object.fromEntries(
    notifications.map((name) => [name, settings.notify[name] ?? (nullable ? null : inheritedValue(name))]),
  ),
})
