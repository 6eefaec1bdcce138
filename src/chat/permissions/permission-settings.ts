/**
 * The permissions that are held by groups: which there are, what they begin with and which groups they take. Requests are
 * checked by this table, and register describes it to clients. Of the organization's, one whose feature does not
 * exist yet is held by nobody, and nobody can change it.
 */
import type { UserId } from "../../ids.ts"
import type { JsonObject } from "../../json.ts"
import type { RealmSettings } from "../realm/realm-settings.ts"
import type { ChannelPermission, GroupPermission } from "../realm/records.ts"
import { type GroupSetting, type SystemGroupName, systemGroups } from "../realm/values.ts"

export interface Choice {
  readonly default: SystemGroupName | "channel_creator" | "group_creator"
  /** Everyone may hold it. Guests can hold no other, whatever list they stand in. */
  readonly everyone?: true
  /** Somebody must hold it. */
  readonly nobody?: false
  /** Further groups that may not. */
  readonly never?: ReadonlyArray<SystemGroupName>
  /** What system groups begin with, where that differs. */
  readonly ofSystemGroups?: SystemGroupName
  /** Only these groups may hold it, and no single people. */
  readonly only?: ReadonlyArray<SystemGroupName>
}

/** Of the organization, by the name of the setting without `realm_`. */
export const realmChoices = {
  can_access_all_users_group: { default: "role:everyone", everyone: true, only: ["role:everyone"] },
  can_add_custom_emoji_group: { default: "role:nobody" },
  can_add_subscribers_group: { default: "role:members" },
  can_create_bots_group: { default: "role:nobody" },
  can_create_groups: { default: "role:members" },
  can_create_private_channel_group: { default: "role:members" },
  can_create_public_channel_group: { default: "role:members" },
  can_create_web_public_channel_group: {
    default: "role:owners",
    only: ["role:moderators", "role:administrators", "role:owners", "role:nobody"],
  },
  can_create_write_only_bots_group: { default: "role:nobody" },
  can_delete_any_message_group: { default: "role:nobody" },
  can_delete_own_message_group: { default: "role:nobody", everyone: true },
  can_invite_users_group: { default: "role:nobody" },
  can_manage_all_groups: { default: "role:owners", nobody: false },
  can_manage_billing_group: { default: "role:nobody" },
  can_mention_many_users_group: { default: "role:administrators", everyone: true },
  can_move_messages_between_channels_group: { default: "role:nobody" },
  can_move_messages_between_topics_group: { default: "role:nobody", everyone: true },
  can_resolve_topics_group: { default: "role:nobody", everyone: true },
  can_set_delete_message_policy_group: { default: "role:moderators" },
  can_set_topics_policy_group: { default: "role:members" },
  can_summarize_topics_group: { default: "role:nobody" },
  create_multiuse_invite_group: { default: "role:nobody" },
  direct_message_initiator_group: { default: "role:everyone", everyone: true },
  direct_message_permission_group: { default: "role:everyone", everyone: true },
} as const satisfies Readonly<Record<string, Choice>>

/** Those of the organization that can be set: the code reads them. */
export const realmPermissionNames = [
  "can_add_subscribers_group",
  "can_create_groups",
  "can_create_private_channel_group",
  "can_create_public_channel_group",
  "can_create_web_public_channel_group",
  "can_manage_all_groups",
  "can_mention_many_users_group",
  "can_set_delete_message_policy_group",
  "can_set_topics_policy_group",
  "direct_message_initiator_group",
  "direct_message_permission_group",
] as const satisfies ReadonlyArray<keyof typeof realmChoices>
export type RealmPermission = (typeof realmPermissionNames)[number]

export const channelChoices: Readonly<Record<ChannelPermission, Choice>> = {
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

export const groupChoices: Readonly<Record<GroupPermission, Choice>> = {
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

/** What a permission of something new begins with; `creator`: who made it, null for the server itself. */
export const defaultSetting = (choice: Choice, creator: UserId | null): GroupSetting => {
  if (choice.default !== "channel_creator" && choice.default !== "group_creator") return systemGroups[choice.default]
  return creator === null ? systemGroups["role:nobody"] : { direct_members: [creator], direct_subgroups: [] }
}

const wireChoice = (choice: Choice): JsonObject => ({
  require_system_group: choice.only !== undefined,
  allow_internet_group: false,
  allow_nobody_group: choice.only?.includes("role:nobody") ?? choice.nobody !== false,
  allow_everyone_group: choice.everyone === true,
  default_group_name: choice.default,
  default_for_system_groups: choice.ofSystemGroups ?? null,
  allowed_system_groups: choice.only ?? [],
})

const wireChoices = (choices: Readonly<Record<string, Choice>>): JsonObject =>
  Object.fromEntries(Object.entries(choices).map(([name, choice]) => [name, wireChoice(choice)]))

export const supportedPermissions: JsonObject = {
  realm: wireChoices(realmChoices),
  stream: wireChoices(channelChoices),
  group: wireChoices(groupChoices),
}

/** Every `realm_*` permission: as it is set where it can be set, else what the code enforces. */
export const realmPermissions = (
  settings: RealmSettings,
  shown: (setting: GroupSetting) => GroupSetting,
): JsonObject => ({
  ...Object.fromEntries(
    Object.entries(realmChoices).map(([name, choice]) => [`realm_${name}`, systemGroups[choice.default]]),
  ),
  ...Object.fromEntries(realmPermissionNames.map((name) => [`realm_${name}`, shown(settings[name])])),
})

/** The older number for a permission: the narrowest of its steps that holds all of the group, members at most. */
const commonPolicy = (setting: GroupSetting): number => {
  switch (setting) {
    case systemGroups["role:nobody"]:
      return 6
    case systemGroups["role:owners"]:
    case systemGroups["role:administrators"]:
      return 2
    case systemGroups["role:moderators"]:
      return 4
    case systemGroups["role:fullmembers"]:
      return 3
    default:
      return 1
  }
}

/** The same where owners have a step of their own. */
const webPublicPolicy = (setting: GroupSetting): number =>
  setting === systemGroups["role:owners"] ? 7 : commonPolicy(setting)

/** The same in the numbers of those who may mention many. */
const mentionPolicy = (setting: GroupSetting): number => {
  switch (setting) {
    case systemGroups["role:nobody"]:
      return 6
    case systemGroups["role:owners"]:
    case systemGroups["role:administrators"]:
      return 5
    case systemGroups["role:moderators"]:
      return 7
    case systemGroups["role:fullmembers"]:
      return 3
    case systemGroups["role:everyone"]:
      return 1
    default:
      return 2
  }
}

interface OlderPolicy {
  /** As events have it; register has `realm_` before it. */
  readonly name: string
  readonly number: (setting: GroupSetting) => number
}

/** The numbers that older clients read instead of a permission. */
const olderPolicies: ReadonlyMap<string, OlderPolicy> = new Map<RealmPermission, OlderPolicy>([
  ["can_create_public_channel_group", { name: "create_public_stream_policy", number: commonPolicy }],
  ["can_create_private_channel_group", { name: "create_private_stream_policy", number: commonPolicy }],
  ["can_create_web_public_channel_group", { name: "create_web_public_stream_policy", number: webPublicPolicy }],
  ["can_manage_all_groups", { name: "user_group_edit_policy", number: commonPolicy }],
  ["can_mention_many_users_group", { name: "wildcard_mention_policy", number: mentionPolicy }],
])

export const findOlderPolicy = (permission: string): OlderPolicy | undefined => olderPolicies.get(permission)

/** All of them, as register has them. */
export const realmPolicies = (settings: RealmSettings): JsonObject =>
  Object.fromEntries(
    realmPermissionNames.flatMap((permission) => {
      const older = findOlderPolicy(permission)
      return older === undefined ? [] : [[`realm_${older.name}`, older.number(settings[permission])] as const]
    }),
  )
