/**
 * People, channels, folders, groups and subscriptions as clients read them (contract 3.1): from the projection's records
 * to the wire's, for one kind of client. Used by events, register and the listing endpoints alike, so that they always
 * agree.
 */
import type { UserId } from "../../ids.ts"
import type { JsonObject } from "../../json.ts"
import { shownSetting } from "../permissions/group-settings.ts"
import { apiEmail, avatarUrl, deliveryEmail, gravatarUrl, placeholderAddress, type Viewer } from "../realm/addresses.ts"
import type { Realm } from "../realm/realm.ts"
import {
  type ChannelRecord,
  type GroupRecord,
  groupPermissions,
  type InheritedSettings,
  type SubscriptionSettings,
  type UserRecord,
} from "../realm/records.ts"
import type { IsActive } from "../realm/rules.ts"
import { type GroupSetting, isoTime, roles, systemGroups, unixSeconds } from "../realm/values.ts"

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
export const postPolicy = (setting: GroupSetting): number => {
  switch (setting) {
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

const wirePermissions = (permissions: Readonly<Record<string, GroupSetting>>, isActive: IsActive): JsonObject =>
  Object.fromEntries(Object.entries(permissions).map(([name, setting]) => [name, shownSetting(setting, isActive)]))

export const wireChannel = (channel: ChannelRecord, subscribers: number, isActive: IsActive): JsonObject => ({
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
  is_recently_active: channel.is_recently_active,
  first_message_id: channel.first_message_id,
  message_retention_days: channel.retention_days,
  topics_policy: channel.topics_policy,
  folder_id: channel.folder_id,
  subscriber_count: subscribers,
  stream_weekly_traffic: channel.weekly_traffic,
  stream_post_policy: postPolicy(channel.permissions.can_send_message_group),
  is_announcement_only: postPolicy(channel.permissions.can_send_message_group) === 2,
  ...wirePermissions(channel.permissions, isActive),
})

/** Of a system group `members` are those whom their role puts into it; of any other, its record's. */
export const wireGroup = (group: GroupRecord, members: ReadonlyArray<UserId>, isActive: IsActive): JsonObject => ({
  id: group.id,
  name: group.name,
  description: group.description,
  members: members.filter((id) => isActive(id)),
  direct_subgroup_ids: group.subgroups,
  is_system_group: group.is_system,
  deactivated: group.deactivated,
  creator_id: group.creator_id,
  date_created: group.created_at === null ? null : unixSeconds(group.created_at),
  ...Object.fromEntries(groupPermissions.map((name) => [name, systemGroups["role:nobody"]])),
  ...wirePermissions(group.permissions, isActive),
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
  isActive: IsActive,
): JsonObject => ({
  ...wireChannel(channel, subscribers, isActive),
  ...wireOwnSettings(settings, inherited),
})
