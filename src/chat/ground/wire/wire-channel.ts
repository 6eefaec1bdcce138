/** The record of a channel as clients read it: in events, register and lists. */
import * as Schema from "effect/Schema"
import type { JsonObject } from "../../../json.ts"
import { shownSettings } from "../permissions/permission-values.ts"
import { type GroupSetting, systemGroups, unixSeconds } from "../realm/domain-values.ts"
import type { IsActive } from "../realm/realm-rules.ts"
import { type ChannelRecord, topicsPolicies } from "../realm/records.ts"
import { Count, Holders, Id, Seconds } from "./wire-values.ts"

/** The older number for the permission to post: 1 everybody, 2 administrators, 3 full members, 4 moderators. */
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
  ...shownSettings(channel.permissions, isActive),
})

export const channelPermissionFields = {
  can_add_subscribers_group: Holders,
  can_administer_channel_group: Holders,
  can_delete_any_message_group: Holders,
  can_delete_own_message_group: Holders,
  can_move_messages_out_of_channel_group: Holders,
  can_move_messages_within_channel_group: Holders,
  can_remove_subscribers_group: Holders,
  can_resolve_topics_group: Holders,
  can_send_message_group: Holders,
  can_subscribe_group: Holders,
}

export const channelFields = {
  stream_id: Id,
  name: Schema.NonEmptyString,
  description: Schema.String,
  rendered_description: Schema.String,
  date_created: Seconds,
  /** null: made by the server itself. */
  creator_id: Schema.NullOr(Id),
  invite_only: Schema.Boolean,
  is_web_public: Schema.Boolean,
  history_public_to_subscribers: Schema.Boolean,
  is_archived: Schema.Boolean,
  is_recently_active: Schema.Boolean,
  /** null: the channel has no message. */
  first_message_id: Schema.NullOr(Id),
  /** null: as long as the organization says, -1: for ever. */
  message_retention_days: Schema.NullOr(Schema.Union([Id, Schema.Literal(-1)])),
  topics_policy: Schema.Literals(topicsPolicies),
  folder_id: Schema.NullOr(Id),
  subscriber_count: Count,
  /** The average number of messages in a week; null: the channel is younger than a week. */
  stream_weekly_traffic: Schema.NullOr(Count),
  stream_post_policy: Schema.Literals([1, 2, 3, 4]),
  is_announcement_only: Schema.Boolean,
  ...channelPermissionFields,
}

interface Privacy {
  readonly invite_only: boolean
  readonly is_web_public: boolean
  readonly history_public_to_subscribers: boolean
}
/** Whether it is one of the four kinds: public, web-public, private with and without a shared history. */
export const isKindOfChannel = ({ invite_only, is_web_public, history_public_to_subscribers }: Privacy): boolean =>
  invite_only ? !is_web_public : history_public_to_subscribers

/** The check of a kind of channel, for every Schema that has the fields of a channel. */
export const ofAKind = Schema.makeFilter(isKindOfChannel, { expected: "one of the four kinds of channels" })

export const Channel = Schema.Struct(channelFields).check(ofAKind).annotate({ identifier: "Channel" })
