/**
 * The permissions that are held by groups, as register describes them to clients: which there are, what they begin
 * with and which groups they take. A permission whose feature does not exist yet is held by nobody.
 */
import type { JsonObject } from "../../json.ts"
import type { RealmSettings } from "../realm-settings.ts"
import type { ChannelPermission } from "../records.ts"
import { type GroupSetting, type SystemGroupName, systemGroups } from "../values.ts"

interface Choice {
  readonly default: SystemGroupName | "channel_creator" | "group_creator"
  /** Guests may hold it too. */
  readonly everyone?: true
  /** What system groups begin with, where that differs. */
  readonly ofSystemGroups?: SystemGroupName
  /** Only these groups may hold it, and no single people. */
  readonly only?: ReadonlyArray<SystemGroupName>
}

/** Of the organization, by the name of the setting without `realm_`. */
const realmChoices = {
  can_access_all_users_group: { default: "role:everyone", everyone: true, only: ["role:everyone"] },
  can_add_custom_emoji_group: { default: "role:nobody" },
  can_add_subscribers_group: { default: "role:members" },
  can_create_bots_group: { default: "role:nobody" },
  can_create_groups: { default: "role:nobody" },
  can_create_private_channel_group: { default: "role:members" },
  can_create_public_channel_group: { default: "role:members" },
  can_create_web_public_channel_group: { default: "role:nobody" },
  can_create_write_only_bots_group: { default: "role:nobody" },
  can_delete_any_message_group: { default: "role:nobody" },
  can_delete_own_message_group: { default: "role:nobody", everyone: true },
  can_invite_users_group: { default: "role:nobody" },
  can_manage_all_groups: { default: "role:nobody" },
  can_manage_billing_group: { default: "role:nobody" },
  can_mention_many_users_group: { default: "role:nobody", everyone: true },
  can_move_messages_between_channels_group: { default: "role:nobody" },
  can_move_messages_between_topics_group: { default: "role:nobody", everyone: true },
  can_resolve_topics_group: { default: "role:nobody", everyone: true },
  can_set_delete_message_policy_group: { default: "role:nobody" },
  can_set_topics_policy_group: { default: "role:nobody" },
  can_summarize_topics_group: { default: "role:nobody" },
  create_multiuse_invite_group: { default: "role:nobody" },
  direct_message_initiator_group: { default: "role:everyone", everyone: true },
  direct_message_permission_group: { default: "role:everyone", everyone: true },
} as const satisfies Readonly<Record<string, Choice>>

const channelChoices: Readonly<Record<ChannelPermission, Choice>> = {
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

const groupChoices: Readonly<Record<string, Choice>> = {
  can_add_members_group: { default: "group_creator", ofSystemGroups: "role:nobody" },
  can_join_group: { default: "role:nobody", ofSystemGroups: "role:nobody" },
  can_leave_group: { default: "role:everyone", everyone: true, ofSystemGroups: "role:nobody" },
  can_manage_group: { default: "group_creator", ofSystemGroups: "role:nobody" },
  can_mention_group: { default: "role:everyone", everyone: true, ofSystemGroups: "role:nobody" },
  can_remove_members_group: { default: "group_creator", ofSystemGroups: "role:nobody" },
}

const wireChoice = (choice: Choice): JsonObject => ({
  require_system_group: choice.only !== undefined,
  allow_internet_group: false,
  allow_nobody_group: choice.only === undefined,
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
export const realmPermissions = (settings: RealmSettings): JsonObject => {
  const set: ReadonlyMap<string, unknown> = new Map(Object.entries(settings))
  const fixed = Object.entries(realmChoices).filter(([name]) => !set.has(name))
  return {
    ...Object.fromEntries(fixed.map(([name, choice]) => [`realm_${name}`, systemGroups[choice.default]])),
    realm_can_add_subscribers_group: settings.can_add_subscribers_group,
    realm_can_create_private_channel_group: settings.can_create_private_channel_group,
    realm_can_create_public_channel_group: settings.can_create_public_channel_group,
    realm_direct_message_initiator_group: settings.direct_message_initiator_group,
    realm_direct_message_permission_group: settings.direct_message_permission_group,
  }
}

/** The older number for a permission: the narrowest of its steps that holds all of the group, members at most. */
export const olderPolicy = (setting: GroupSetting): number => {
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
