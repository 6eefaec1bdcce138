/**
 * The rows about groups when a user is created, deactivated, reactivated or changes their role: which groups they enter
 * or leave, and the permissions that name them. A deactivated user's memberships and permissions stay stored and are
 * hidden, so these rows only inform.
 */
import { toRealm } from "../../../events/audience.ts"
import type { NewRow } from "../../../events/step.ts"
import type { ChannelId, UserId } from "../../../ids.ts"
import { realmRows } from "../../ground/kinds/realm-row.ts"
import { changeWidth, type PermissionChange, streamRows } from "../../ground/kinds/stream-row.ts"
import { userGroupRows } from "../../ground/kinds/user-group-row.ts"
import {
  countIds,
  endOtherQueues,
  groupChannelsByViewers,
  IdBudget,
} from "../../ground/permissions/group-channels-by-viewers.ts"
import type { GroupSetting } from "../../ground/realm/domain-values.ts"
import { realmPermissionNames } from "../../ground/realm/permission-choices.ts"
import type { Rules } from "../../ground/realm/realm-rules.ts"
import {
  type ChannelPermission,
  type ChannelRecord,
  channelPermissions,
  type UserRecord,
} from "../../ground/realm/records.ts"
import { roleGroupIds } from "./group-lists.ts"

type MembershipOp = "add_members" | "remove_members"

/** The rows about the system groups of the user's role, one per group. */
export const membershipRows = (rules: Rules, user: UserRecord, op: MembershipOp): ReadonlyArray<NewRow> =>
  roleGroupIds(rules, user).map((group_id) => userGroupRows.tell({ op, group_id, user_ids: [user.id] }, toRealm))

/** The rows about all groups of a user who is deactivated or reactivated. */
export const allMembershipRows = (rules: Rules, user: UserRecord, op: MembershipOp): ReadonlyArray<NewRow> => [
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

type NamesGroup = (setting: GroupSetting | undefined) => boolean

/** The most channels of one row: each is an event for whoever sees it, and their ids must fit below a position. */
const mostInRow = 500

interface PermissionUse {
  readonly channel: ChannelRecord
  readonly permission: ChannelPermission
}

const namingsIn = (rules: Rules, names: NamesGroup): ReadonlyArray<PermissionUse> =>
  [...rules.channels.values()].flatMap((channel) =>
    channelPermissions
      .filter((permission) => names(channel.permissions[permission]))
      .map((permission) => ({ channel, permission })),
  )

/** One row: equal values of one permission stand in it once, as those of channels that one person has made. Null: too long. */
const namingRow = (rules: Rules, namings: ReadonlyArray<PermissionUse>, left: IdBudget): NewRow | null => {
  const changes = new Map<string, PermissionChange & { readonly channels: Array<readonly [ChannelId, string]> }>()
  let width = 0
  for (const { channel, permission } of namings) {
    const value = channel.permissions[permission]
    if (!left.take(countIds(value))) return null
    const key = `${permission} ${JSON.stringify(value)}`
    const known = changes.get(key) ?? { permission, value, channels: [] }
    changes.set(key, known)
    known.channels.push([channel.id, channel.name])
    width += changeWidth({ permissions: { [permission]: value } })
  }
  const places = groupChannelsByViewers(rules, [...new Set(namings.map(({ channel }) => channel))], left)
  if (places === null) return null
  return streamRows.tell({ op: "permissions", changes: [...changes.values()], ...places }, toRealm, { width })
}

const channelNamingRows = (rules: Rules, names: NamesGroup, user: UserId): ReadonlyArray<NewRow> => {
  const namings = namingsIn(rules, names)
  const left = new IdBudget()
  const rows: Array<NewRow> = []
  for (let from = 0; from < namings.length; from += mostInRow) {
    const row = namingRow(rules, namings.slice(from, from + mostInRow), left)
    if (row === null) return [endOtherQueues(rules, user)]
    rows.push(row)
  }
  return rows
}

const groupNamingRows = (rules: Rules, names: NamesGroup): ReadonlyArray<NewRow> =>
  [...rules.groups.values()].flatMap((group) => {
    const named = Object.entries(group.permissions).filter(([, setting]) => names(setting))
    if (named.length === 0) return []
    const hidden = group.deactivated ? ({ is_deactivated: true } as const) : {}
    const set = { permissions: Object.fromEntries(named) }
    return [userGroupRows.tell({ op: "update", group_id: group.id, set, ...hidden }, toRealm)]
  })

/**
 * The rows with the permissions that name the user, as clients see them. `rules`: as they are after the change. Where those of
 * channels would be too long, the queues of all others end.
 */
export const namingRows = (rules: Rules, { id: user }: UserRecord): ReadonlyArray<NewRow> => {
  // Nearly all settings of a thousand channels are numbers of groups.
  const names: NamesGroup = (setting) => typeof setting === "object" && setting.direct_members.includes(user)
  return [
    ...realmPermissionNames
      .filter((key) => names(rules.settings[key]))
      .map((key) => realmRows.tell({ op: "update", key, value: rules.settings[key] }, toRealm)),
    ...channelNamingRows(rules, names, user),
    ...groupNamingRows(rules, names),
  ]
}
