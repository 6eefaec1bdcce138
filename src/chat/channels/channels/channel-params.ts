/**
 * The parameters of requests that make or change a channel. Two endpoints make channels: POST /channels/create, and
 * POST /users/me/subscriptions where a channel of that name does not exist yet.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { badValue, type Checked } from "../../../api/errors.ts"
import {
  anyLength,
  boolean,
  choice,
  type Decoded,
  id,
  json,
  jsonOrText,
  mapped,
  optional,
  text,
  withDefault,
} from "../../../api/params.ts"
import { either, id as idShape, integer as integerShape, nullable, string } from "../../../api/shapes.ts"
import { FolderId } from "../../../ids.ts"
import { permissionParam, permissionUpdateParam } from "../../ground/permissions/permission-values.ts"
import { type ChannelPermission, topicsPolicies } from "../../ground/realm/records.ts"

/** A record with one value for each permission of a channel. */
export const perPermission = <A>(of: (name: ChannelPermission) => A): Readonly<Record<ChannelPermission, A>> => ({
  can_add_subscribers_group: of("can_add_subscribers_group"),
  can_administer_channel_group: of("can_administer_channel_group"),
  can_delete_any_message_group: of("can_delete_any_message_group"),
  can_delete_own_message_group: of("can_delete_own_message_group"),
  can_move_messages_out_of_channel_group: of("can_move_messages_out_of_channel_group"),
  can_move_messages_within_channel_group: of("can_move_messages_within_channel_group"),
  can_remove_subscribers_group: of("can_remove_subscribers_group"),
  can_resolve_topics_group: of("can_resolve_topics_group"),
  can_send_message_group: of("can_send_message_group"),
  can_subscribe_group: of("can_subscribe_group"),
})

/** A hundred years and more: nobody means a larger number. */
const longestRetentionDays = 40_000

/** A number of days or a word; `forever` is refused since feature level 91. */
const readRetentionDays = (days: string | number): Checked<number | null> => {
  if (days === "realm_default") return Result.succeed(null)
  if (days === "unlimited") return Result.succeed(-1)
  return Predicate.isNumber(days) && days >= 1 && days <= longestRetentionDays
    ? Result.succeed(days)
    : Result.fail(badValue("message_retention_days", days))
}

const daysOrWord = jsonOrText("message_retention_days", either(integerShape, string, "is not a string or integer"))
/** Days that messages are kept; null: as long as the organization says, -1: for ever. */
export const retentionDays = mapped(daysOrWord, readRetentionDays)

/** The parameters for a new channel. */
export const channelParams = {
  inviteOnly: withDefault(boolean("invite_only"), false),
  isWebPublic: withDefault(boolean("is_web_public"), false),
  isDefault: withDefault(boolean("is_default_stream"), false),
  historyShared: optional(boolean("history_public_to_subscribers")),
  retentionDays: withDefault(retentionDays, null),
  folderId: withDefault(id("folder_id", FolderId), null),
  topicsPolicy: withDefault(choice("topics_policy", topicsPolicies), "inherit"),
  ...perPermission((name) => optional(permissionParam(name))),
}
export type NewChannelParams = Decoded<typeof channelParams>

/** The parameters for changing a channel; an absent one leaves its field as it is. */
export const channelUpdateParams = {
  name: optional(text("new_name")),
  description: optional(text("description", anyLength)),
  isPrivate: optional(boolean("is_private")),
  isWebPublic: optional(boolean("is_web_public")),
  historyShared: optional(boolean("history_public_to_subscribers")),
  isDefault: optional(boolean("is_default_stream")),
  isArchived: optional(boolean("is_archived")),
  retentionDays: optional(retentionDays),
  folderId: optional(json("folder_id", nullable(idShape(FolderId)))),
  topicsPolicy: optional(choice("topics_policy", topicsPolicies)),
  ...perPermission((name) => optional(permissionUpdateParam(name))),
}
export type ChannelUpdateParams = Decoded<typeof channelUpdateParams>
