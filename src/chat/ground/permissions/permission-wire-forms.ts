/**
 * How register shows the permissions of the organization, and the numbers by which older clients know some of them.
 */
import type { JsonObject } from "../../../json.ts"
import { type GroupSetting, systemGroups } from "../realm/domain-values.ts"
import {
  channelChoices,
  groupChoices,
  type PermissionChoice,
  type RealmPermission,
  realmChoices,
  realmPermissionNames,
} from "../realm/permission-choices.ts"
import type { RealmSettings } from "../realm/realm-settings.ts"

const wireChoice = (choice: PermissionChoice): JsonObject => ({
  require_system_group: choice.only !== undefined,
  allow_internet_group: false,
  allow_nobody_group: choice.only?.includes("role:nobody") ?? choice.nobody !== false,
  allow_everyone_group: choice.everyone === true,
  default_group_name: choice.default,
  default_for_system_groups: choice.ofSystemGroups ?? null,
  allowed_system_groups: choice.only ?? [],
})

const wireChoices = (choices: Readonly<Record<string, PermissionChoice>>): JsonObject =>
  Object.fromEntries(Object.entries(choices).map(([name, choice]) => [name, wireChoice(choice)]))

export const supportedPermissions: JsonObject = {
  realm: wireChoices(realmChoices),
  stream: wireChoices(channelChoices),
  group: wireChoices(groupChoices),
}

/** Every `realm_*` permission. */
export const realmPermissions = (settings: RealmSettings, shown: (setting: GroupSetting) => GroupSetting): JsonObject =>
  Object.fromEntries(realmPermissionNames.map((name) => [`realm_${name}`, shown(settings[name])]))

/** The number of the narrowest level that includes the whole group: 6 nobody, 2 administrators, … 1 members. */
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

/** As commonPolicy, with a number for owners: 7. */
const webPublicPolicy = (setting: GroupSetting): number =>
  setting === systemGroups["role:owners"] ? 7 : commonPolicy(setting)

/** As commonPolicy, in the different numbers of the permission to mention many users. */
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

interface LegacyPolicy {
  /** The name in events; in register it begins with `realm_`. */
  readonly name: string
  readonly number: (setting: GroupSetting) => number
}

/** The numbers that older clients read instead of a permission. */
const legacyPolicies: ReadonlyMap<string, LegacyPolicy> = new Map<RealmPermission, LegacyPolicy>([
  ["can_create_public_channel_group", { name: "create_public_stream_policy", number: commonPolicy }],
  ["can_create_private_channel_group", { name: "create_private_stream_policy", number: commonPolicy }],
  ["can_create_web_public_channel_group", { name: "create_web_public_stream_policy", number: webPublicPolicy }],
  ["can_manage_all_groups", { name: "user_group_edit_policy", number: commonPolicy }],
  ["can_mention_many_users_group", { name: "wildcard_mention_policy", number: mentionPolicy }],
])

export const findLegacyPolicy = (permission: string): LegacyPolicy | undefined => legacyPolicies.get(permission)

/** All legacy numbers, by their names in register. */
export const legacyRealmPolicies = (settings: RealmSettings): JsonObject =>
  Object.fromEntries(
    realmPermissionNames.flatMap((permission) => {
      const legacy = findLegacyPolicy(permission)
      return legacy === undefined ? [] : [[`realm_${legacy.name}`, legacy.number(settings[permission])] as const]
    }),
  )
