/**
 * All permissions that are held by groups, with the default of each and the groups that may hold it. Requests are
 * checked against these tables.
 */
import type { UserId } from "../../../ids.ts"
import { type GroupSetting, type SystemGroupName, systemGroups } from "./domain-values.ts"
import type { ChannelPermission, GroupPermission } from "./records.ts"

export interface PermissionChoice {
  readonly default: SystemGroupName | "channel_creator" | "group_creator"
  /**
   * `role:everyone` may hold it. Guests cannot have any other permission, even if a group that they are in holds it.
   */
  readonly everyone?: true
  /** `role:nobody` may not hold it. */
  readonly nobody?: false
  /** Further groups that may not hold it. */
  readonly never?: ReadonlyArray<SystemGroupName>
  /** The default for system groups, if it is another one. */
  readonly ofSystemGroups?: SystemGroupName
  /** Only these groups may hold it, and no individual users. */
  readonly only?: ReadonlyArray<SystemGroupName>
}

/** The permissions of the organization, by the name of the setting without `realm_`. */
export const realmChoices = {
  can_access_all_users_group: { default: "role:everyone", everyone: true, only: ["role:everyone", "role:members"] },
  can_add_custom_emoji_group: { default: "role:members" },
  can_add_subscribers_group: { default: "role:members" },
  can_create_bots_group: { default: "role:members" },
  can_create_groups: { default: "role:members" },
  can_create_private_channel_group: { default: "role:members" },
  can_create_public_channel_group: { default: "role:members" },
  can_create_web_public_channel_group: {
    default: "role:owners",
    only: ["role:moderators", "role:administrators", "role:owners", "role:nobody"],
  },
  can_create_write_only_bots_group: { default: "role:members" },
  can_delete_any_message_group: { default: "role:administrators" },
  can_delete_own_message_group: { default: "role:everyone", everyone: true },
  can_invite_users_group: { default: "role:members" },
  can_manage_all_groups: { default: "role:owners", nobody: false },
  can_manage_billing_group: { default: "role:administrators", nobody: false },
  can_mention_many_users_group: { default: "role:administrators", everyone: true },
  can_move_messages_between_channels_group: { default: "role:members" },
  can_move_messages_between_topics_group: { default: "role:everyone", everyone: true },
  can_resolve_topics_group: { default: "role:everyone", everyone: true },
  can_set_delete_message_policy_group: { default: "role:moderators" },
  can_set_topics_policy_group: { default: "role:members" },
  can_summarize_topics_group: { default: "role:everyone", everyone: true },
  create_multiuse_invite_group: { default: "role:administrators" },
  direct_message_initiator_group: { default: "role:everyone", everyone: true },
  direct_message_permission_group: { default: "role:everyone", everyone: true },
} as const satisfies Readonly<Record<string, PermissionChoice>>

export type RealmPermission = keyof typeof realmChoices

const isRealmPermission = (name: string): name is RealmPermission => Object.hasOwn(realmChoices, name)
export const realmPermissionNames: ReadonlyArray<RealmPermission> = Object.keys(realmChoices).filter(isRealmPermission)

export const channelChoices: Readonly<Record<ChannelPermission, PermissionChoice>> = {
  can_add_subscribers_group: { default: "role:nobody" },
  can_administer_channel_group: { default: "channel_creator" },
  can_delete_any_message_group: { default: "role:nobody" },
  can_delete_own_message_group: { default: "role:nobody", everyone: true },
  can_move_messages_out_of_channel_group: { default: "role:nobody" },
  can_move_messages_within_channel_group: { default: "role:nobody", everyone: true },
  can_remove_subscribers_group: { default: "role:administrators" },
  can_resolve_topics_group: { default: "role:nobody", everyone: true },
  can_send_message_group: { default: "role:everyone", everyone: true },
  can_subscribe_group: { default: "role:nobody" },
}

export const groupChoices: Readonly<Record<GroupPermission, PermissionChoice>> = {
  can_add_members_group: { default: "group_creator", ofSystemGroups: "role:nobody" },
  can_join_group: { default: "role:nobody", ofSystemGroups: "role:nobody" },
  can_leave_group: { default: "role:everyone", everyone: true, ofSystemGroups: "role:nobody" },
  can_manage_group: { default: "group_creator", ofSystemGroups: "role:nobody" },
  can_mention_group: {
    default: "role:everyone",
    everyone: true,
    never: ["role:owners"],
    ofSystemGroups: "role:nobody",
  },
  can_remove_members_group: { default: "group_creator", ofSystemGroups: "role:nobody" },
}

/** The value of a permission of a new channel or group; `creator`: null if the server itself makes it. */
export const defaultSetting = (choice: PermissionChoice, creator: UserId | null): GroupSetting => {
  if (choice.default !== "channel_creator" && choice.default !== "group_creator") return systemGroups[choice.default]
  return creator === null ? systemGroups["role:nobody"] : { direct_members: [creator], direct_subgroups: [] }
}
