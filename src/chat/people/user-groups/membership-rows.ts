/**
 * The rows about groups when a user is created, deactivated, reactivated or changes their role: which groups they enter
 * or leave, and the permissions that name them. A deactivated user's memberships and permissions stay stored and are
 * hidden, so these rows only inform.
 */
import { toRealm } from "../../../events/audience.ts"
import type { NewRow } from "../../../events/step.ts"
import { realmRows } from "../../ground/kinds/realm-row.ts"
import { changeWidth, streamRows } from "../../ground/kinds/stream-row.ts"
import { userGroupRows } from "../../ground/kinds/user-group-row.ts"
import { namedIn } from "../../ground/permissions/group-settings.ts"
import { archivedMark, channelAudience } from "../../ground/permissions/sight.ts"
import { realmPermissionNames } from "../../ground/realm/permission-choices.ts"
import { channelPermissions, type UserRecord } from "../../ground/realm/records.ts"
import type { Rules } from "../../ground/realm/rules.ts"
import type { GroupSetting } from "../../ground/realm/values.ts"
import { roleGroupIds } from "./groups.ts"

type Op = "add_members" | "remove_members"

/** The rows about the system groups of the user's role, one per group. */
export const membershipRows = (rules: Rules, user: UserRecord, op: Op): ReadonlyArray<NewRow> =>
  roleGroupIds(rules, user).map((group_id) => userGroupRows.tell({ op, group_id, user_ids: [user.id] }, toRealm))

/** The rows about all groups of a user who is deactivated or reactivated. */
export const allMembershipRows = (rules: Rules, user: UserRecord, op: Op): ReadonlyArray<NewRow> => [
  ...membershipRows(rules, user, op),
  ...[...rules.groups.values()]
    .filter(({ members }) => members.includes(user.id))
    .map(({ id, deactivated }) =>
      userGroupRows.tell(
        { op, group_id: id, user_ids: [user.id], ...(deactivated ? { is_deactivated: true } : {}) },
        toRealm,
      ),
    ),
]

type Names = (setting: GroupSetting | undefined) => boolean

const channelNamingRows = (rules: Rules, names: Names): ReadonlyArray<NewRow> =>
  [...rules.channels.values()].flatMap((channel) => {
    const named = channelPermissions.filter((permission) => names(channel.permissions[permission]))
    if (named.length === 0) return []
    const audience = channelAudience(rules, channel)
    return named.map((permission) => {
      const set = { permissions: { [permission]: channel.permissions[permission] } }
      return streamRows.tell(
        { op: "update", channel_id: channel.id, name: channel.name, set, ...archivedMark(channel) },
        audience,
        { width: changeWidth(set) },
      )
    })
  })

const groupNamingRows = (rules: Rules, names: Names): ReadonlyArray<NewRow> =>
  [...rules.groups.values()].flatMap((group) => {
    const named = Object.entries(group.permissions).filter(([, setting]) => names(setting))
    if (named.length === 0) return []
    const hidden = group.deactivated ? ({ is_deactivated: true } as const) : {}
    const set = { permissions: Object.fromEntries(named) }
    return [userGroupRows.tell({ op: "update", group_id: group.id, set, ...hidden }, toRealm)]
  })

/** The rows with the permissions that name the user, as clients see them. `rules`: as they are after the change. */
export const namingRows = (rules: Rules, { id: user }: UserRecord): ReadonlyArray<NewRow> => {
  const names: Names = (setting) => setting !== undefined && namedIn(setting).direct_members.includes(user)
  return [
    ...realmPermissionNames
      .filter((key) => names(rules.settings[key]))
      .map((key) => realmRows.tell({ op: "update", key, value: rules.settings[key] }, toRealm)),
    ...channelNamingRows(rules, names),
    ...groupNamingRows(rules, names),
  ]
}
