/**
 * The system groups as clients read them (contract 3.1.4). Their members follow from roles: a role's people are direct
 * members of its group, and each group holds the next narrower one. Register lists them, a change of role tells of
 * them. Time alone makes a full member (settings.waiting_period_days), and of that nobody is told before they register.
 */
import { UserId } from "../ids.ts"
import type { JsonObject } from "../json.ts"
import { holds } from "./permissions.ts"
import type { Realm } from "./realm.ts"
import type { GroupRecord, UserRecord } from "./records.ts"
import { systemGroups as groupIds, roles } from "./values.ts"

export interface WireGroup extends JsonObject {
  readonly id: number
  readonly name: string
  readonly description: string
  /** Direct and active members, by id. */
  readonly members: ReadonlyArray<number>
  readonly direct_subgroup_ids: ReadonlyArray<number>
}

/** The groups whose direct member a user's role makes them; `now` in milliseconds since the Unix epoch. */
export const roleGroupIds = (realm: Realm, user: UserRecord, now: number): ReadonlyArray<number> => {
  switch (user.role) {
    case roles.owner:
      return [groupIds["role:owners"]]
    case roles.administrator:
      return [groupIds["role:administrators"]]
    case roles.moderator:
      return [groupIds["role:moderators"]]
    case roles.member:
      return holds(realm, user, groupIds["role:fullmembers"], now)
        ? [groupIds["role:members"], groupIds["role:fullmembers"]]
        : [groupIds["role:members"]]
    case roles.guest:
      return [groupIds["role:everyone"]]
  }
}

/** Nobody changes a system group, joins it by hand or mentions it. */
const fixed = groupIds["role:nobody"]

const wireGroup = (group: GroupRecord, members: ReadonlyArray<number>): WireGroup => ({
  id: group.id,
  name: group.name,
  description: group.description,
  members,
  direct_subgroup_ids: group.subgroups,
  is_system_group: true,
  deactivated: false,
  creator_id: null,
  date_created: null,
  can_add_members_group: fixed,
  can_join_group: fixed,
  can_leave_group: fixed,
  can_manage_group: fixed,
  can_mention_group: fixed,
  can_remove_members_group: fixed,
})

/** All of a realm's system groups, by id, with the members they have at `now` (milliseconds since the Unix epoch). */
export const systemGroups = (realm: Realm, now: number): ReadonlyArray<WireGroup> => {
  const members = new Map<number, Array<number>>()
  for (const user of realm.users.values()) {
    if (!realm.isActive(UserId(user.id))) continue
    for (const id of roleGroupIds(realm, user, now)) {
      const known = members.get(id)
      if (known === undefined) members.set(id, [user.id])
      else known.push(user.id)
    }
  }
  return [...realm.groups.values()]
    .filter((group) => group.is_system)
    .sort((a, b) => a.id - b.id)
    .map((group) => wireGroup(group, members.get(group.id) ?? []))
}
