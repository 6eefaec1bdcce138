/** The projection's records of people, channels, groups and subscriptions. A record is never changed, only replaced. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { idSchemas } from "../../../ids.ts"
import { GroupSetting, roleNumbers } from "./domain-values.ts"
import { UserSettingsField } from "./user-settings.ts"

export const UserRecord = Schema.Struct({
  id: idSchemas.user,
  email: Schema.String,
  full_name: Schema.String,
  role: Schema.Literals(roleNumbers),
  is_bot: Schema.Boolean,
  bot_type: Schema.NullOr(Schema.Number),
  bot_owner_id: Schema.NullOr(idSchemas.user),
  timezone: Schema.String,
  avatar_version: Schema.Number,
  /** The token of the uploaded picture, part of its file's name; null: there is none. */
  avatar: Schema.NullOr(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  key_version: Schema.Number,
  /** Milliseconds since the Unix epoch. */
  joined_at: Schema.Number,
  /** The password must be replaced before it signs in again; the API key still does. */
  must_reset_password: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  settings: UserSettingsField,
})
export type UserRecord = typeof UserRecord.Type

/** Every group setting of a channel, by its name on the wire. */
export const channelPermissions = [
  "can_add_subscribers_group",
  "can_administer_channel_group",
  "can_delete_any_message_group",
  "can_delete_own_message_group",
  "can_move_messages_out_of_channel_group",
  "can_move_messages_within_channel_group",
  "can_remove_subscribers_group",
  "can_resolve_topics_group",
  "can_send_message_group",
  "can_subscribe_group",
] as const
export type ChannelPermission = (typeof channelPermissions)[number]

/** Every group setting of a user group. */
export const groupPermissions = [
  "can_add_members_group",
  "can_join_group",
  "can_leave_group",
  "can_manage_group",
  "can_mention_group",
  "can_remove_members_group",
] as const
export type GroupPermission = (typeof groupPermissions)[number]

export const topicsPolicies = ["inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"] as const

export type TopicsPolicy = (typeof topicsPolicies)[number]

const channelFields = {
  name: Schema.String,
  description: Schema.String,
  rendered_description: Schema.String,
  is_private: Schema.Boolean,
  is_web_public: Schema.Boolean,
  history_shared: Schema.Boolean,
  is_archived: Schema.Boolean,
  is_default: Schema.Boolean,
  topics_policy: Schema.Literals(topicsPolicies),
  /** null: the setting of the realm applies; -1: for ever. */
  retention_days: Schema.NullOr(Schema.Number),
  folder_id: Schema.NullOr(idSchemas.folder).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  first_message_id: Schema.NullOr(idSchemas.message),
  /** Whether it had a message recently; and its messages per week, null while it is too young to tell. */
  is_recently_active: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  weekly_traffic: Schema.NullOr(Schema.Number).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
}

export const ChannelRecord = Schema.Struct({
  id: idSchemas.channel,
  creator_id: Schema.NullOr(idSchemas.user),
  /** Milliseconds since the Unix epoch. */
  created_at: Schema.Number,
  ...channelFields,
  permissions: Schema.Record(Schema.Literals(channelPermissions), GroupSetting),
})
export type ChannelRecord = typeof ChannelRecord.Type

/** The changed fields of a channel, with their new values: those that one event tells of. */
export const ChannelChange = Schema.Struct({
  name: Schema.optionalKey(channelFields.name),
  description: Schema.optionalKey(channelFields.description),
  rendered_description: Schema.optionalKey(channelFields.rendered_description),
  is_private: Schema.optionalKey(channelFields.is_private),
  is_web_public: Schema.optionalKey(channelFields.is_web_public),
  history_shared: Schema.optionalKey(channelFields.history_shared),
  topics_policy: Schema.optionalKey(channelFields.topics_policy),
  retention_days: Schema.optionalKey(Schema.NullOr(Schema.Number)),
  folder_id: Schema.optionalKey(Schema.NullOr(idSchemas.folder)),
  first_message_id: Schema.optionalKey(Schema.NullOr(idSchemas.message)),
  is_recently_active: Schema.optionalKey(Schema.Boolean),
  weekly_traffic: Schema.optionalKey(Schema.NullOr(Schema.Number)),
  /** The one permission that changes. */
  permissions: Schema.optionalKey(Schema.Record(Schema.String, GroupSetting)),
})
export type ChannelChange = typeof ChannelChange.Type

/** The settings of a user for a channel, by their names on the wire. */
export const subscriptionProperties = [
  "color",
  "is_muted",
  "in_home_view",
  "pin_to_top",
  "desktop_notifications",
  "audible_notifications",
  "push_notifications",
  "email_notifications",
  "wildcard_mentions_notify",
] as const
export type SubscriptionProperty = (typeof subscriptionProperties)[number]

/** A user's own settings for a channel. A notification that is absent from `notify` is inherited. */
export const SubscriptionSettings = Schema.Struct({
  color: Schema.String,
  is_muted: Schema.Boolean,
  pin_to_top: Schema.Boolean,
  notify: Schema.Record(Schema.String, Schema.Boolean),
})
export type SubscriptionSettings = typeof SubscriptionSettings.Type

/** A user group with its direct members, deactivated users included. A system group has no direct members. */
export const GroupRecord = Schema.Struct({
  id: idSchemas.group,
  name: Schema.String,
  description: Schema.String,
  is_system: Schema.Boolean,
  deactivated: Schema.Boolean,
  creator_id: Schema.NullOr(idSchemas.user),
  /** Milliseconds since the Unix epoch; null for a system group. */
  created_at: Schema.NullOr(Schema.Number),
  /** Sorted, like `subgroups`. */
  members: Schema.Array(idSchemas.user),
  subgroups: Schema.Array(idSchemas.group),
  /** Empty for a system group, which nobody can change. */
  permissions: Schema.Record(Schema.String, GroupSetting),
})
export type GroupRecord = typeof GroupRecord.Type

/** The settings of a user that apply to a subscription where its own notification settings are not set. */
export const InheritedSettings = Schema.Struct({
  enable_stream_desktop_notifications: Schema.Boolean,
  enable_stream_audible_notifications: Schema.Boolean,
  enable_stream_push_notifications: Schema.Boolean,
  enable_stream_email_notifications: Schema.Boolean,
  wildcard_mentions_notify: Schema.Boolean,
})
export type InheritedSettings = typeof InheritedSettings.Type
