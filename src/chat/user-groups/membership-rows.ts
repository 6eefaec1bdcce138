/**
 * The rows that tell of a user's coming into groups, or leaving them, because they come, go or change their role, in the
 * form in which the SQL functions of users.sql, roles.sql and reactivate.sql write them after the row about the user;
 * and those about the permissions that name the user. Both are kept while somebody is away, and hidden: nothing
 * changes but what is shown.
 */
import type { JsonObject } from "../../json.ts"
import { changeWidth } from "../channels/channel-event.ts"
import { namedIn } from "../permissions/group-settings.ts"
import { realmPermissionNames } from "../permissions/permission-settings.ts"
import { channelAudience } from "../permissions/sight.ts"
import { channelPermissions, type UserRecord } from "../realm/records.ts"
import type { Rules } from "../realm/rules.ts"
import type { GroupSetting } from "../realm/values.ts"
import { roleGroupIds } from "./groups.ts"

type Op = "add_members" | "remove_members"

const toAll = { kind: "realm" }

/** Of the groups of the user's role: one row per group. */
export const membershipRows = (rules: Rules, user: UserRecord, op: Op): ReadonlyArray<JsonObject> =>
  roleGroupIds(rules, user).map((group) => ({
    type: "user_group",
    payload: { op, group_id: group, user_ids: [user.id] },
    audience: toAll,
  }))

/** Of all groups, when the user comes back to the organization or goes. */
export const allMembershipRows = (rules: Rules, user: UserRecord, op: Op): ReadonlyArray<JsonObject> => [
  ...membershipRows(rules, user, op),
  ...[...rules.groups.values()]
    .filter(({ members }) => members.includes(user.id))
    .map(({ id, deactivated }) => ({
      type: "user_group",
      payload: {
        op,
        group_id: id,
        user_ids: [user.id],
        stays: true,
        ...(deactivated ? { is_deactivated: true } : {}),
      },
      audience: toAll,
    })),
]

/** The permissions that name the user, as they stand. `rules`: with the user active, or no longer. */
export const namingRows = (rules: Rules, { id: user }: UserRecord): ReadonlyArray<JsonObject> => {
  const names = (setting: GroupSetting | undefined) =>
    setting !== undefined && namedIn(setting).direct_members.includes(user)
  const ofRealm = realmPermissionNames
    .filter((key) => names(rules.settings[key]))
    .map((key) => ({ type: "realm", payload: { op: "update", key, value: rules.settings[key] }, audience: toAll }))
  const ofChannels = [...rules.channels.values()].flatMap((channel) => {
    const named = channelPermissions.filter((permission) => names(channel.permissions[permission]))
    if (named.length === 0) return []
    const audience = channelAudience(rules, channel)
    return named.map((permission) => {
      const set = { permissions: { [permission]: channel.permissions[permission] } }
      return {
        type: "stream",
        payload: {
          op: "update",
          channel_id: channel.id,
          name: channel.name,
          set,
          ...(channel.is_archived ? { is_archived: true } : {}),
        },
        audience,
        width: changeWidth(set),
      }
    })
  })
  const ofGroups = [...rules.groups.values()].flatMap((group) => {
    const named = Object.entries(group.permissions).filter(([, setting]) => names(setting))
    if (named.length === 0) return []
    const payload = {
      op: "update",
      group_id: group.id,
      set: { permissions: Object.fromEntries(named) },
      ...(group.deactivated ? { is_deactivated: true } : {}),
    }
    return [{ type: "user_group", payload, audience: toAll }]
  })
  return [...ofRealm, ...ofChannels, ...ofGroups]
}
