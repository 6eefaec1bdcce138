/**
 * Lists of user groups and their members (contract 3.1.4). The members of system groups follow from roles: the users of
 * a role are direct members of its group, and each group has the next narrower one as its subgroup. A member becomes a
 * full member when the waiting period is over; no event tells of that, only the next register.
 */
import * as Schema from "effect/Schema"
import type { GroupId, UserId } from "../../ids.ts"
import { TextList } from "../../json-pieces.ts"
import type { Members, Section } from "../kinds/section.ts"
import { keptFor } from "../kinds/section-text.ts"
import { isAmong, isOfSystemGroup } from "../permissions/permissions.ts"
import type { Realm } from "../realm/realm.ts"
import type { GroupRecord, UserRecord } from "../realm/records.ts"
import type { Rules } from "../realm/rules.ts"
import { type GroupSetting, systemGroups as groupIds, roles } from "../realm/values.ts"
import { Group, wireGroup } from "../wire/wire-group.ts"

/** The system groups that a user is a direct member of by their role. */
export const roleGroupIds = (rules: Rules, user: UserRecord): ReadonlyArray<GroupId> => {
  switch (user.role) {
    case roles.owner:
      return [groupIds["role:owners"]]
    case roles.administrator:
      return [groupIds["role:administrators"]]
    case roles.moderator:
      return [groupIds["role:moderators"]]
    case roles.member:
      return isOfSystemGroup(rules, user, "role:fullmembers")
        ? [groupIds["role:members"], groupIds["role:fullmembers"]]
        : [groupIds["role:members"]]
    case roles.guest:
      return [groupIds["role:everyone"]]
  }
}

/** The active direct members of every system group, by its id. */
const roleMembers = (rules: Rules): ReadonlyMap<GroupId, ReadonlyArray<UserId>> => {
  const members = new Map<GroupId, Array<UserId>>()
  for (const user of rules.users.values()) {
    if (!rules.isActive(user.id)) continue
    for (const id of roleGroupIds(rules, user)) {
      const known = members.get(id)
      if (known === undefined) members.set(id, [user.id])
      else known.push(user.id)
    }
  }
  return members
}

/** The active direct members of one group, sorted by id. */
export const directMembers = (rules: Rules, group: GroupRecord): ReadonlyArray<UserId> =>
  group.is_system ? (roleMembers(rules).get(group.id) ?? []) : group.members.filter((id) => rules.isActive(id))

/** The active members of a group and of its subgroups, sorted by id. A deactivated group keeps its members. */
export const allMembers = (rules: Rules, group: GroupRecord): ReadonlyArray<UserId> => {
  const people: GroupSetting = group.is_system
    ? group.id
    : { direct_members: group.members, direct_subgroups: group.subgroups }
  return [...rules.users.values()]
    .filter((user) => rules.isActive(user.id) && isAmong(rules, user, people))
    .map(({ id }) => id)
}

export const Groups = Schema.Array(Group)

/** The groups that a client asks for, sorted by id. */
export const groupsWith = (rules: Rules, withDeactivated: boolean): ReadonlyArray<GroupRecord> =>
  [...rules.groups.values()].filter((group) => withDeactivated || !group.deactivated).sort((a, b) => a.id - b.id)

/** Deactivated users are not shown, so a text is kept until a row about people comes. */
const written = new WeakMap<GroupRecord, { readonly people: number; readonly text: string }>()

/** What writes a group's record as JSON. Each text is made once, because there may be thousands. */
export const groupWriter = (realm: Realm): ((group: GroupRecord) => string) => {
  const members = roleMembers(realm)
  const people = realm.changedAt(["realm_user"])
  return (group) => {
    // Who has a role is not in the group's record.
    if (group.is_system) return JSON.stringify(wireGroup(group, members.get(group.id) ?? [], realm.isActive))
    const known = written.get(group)
    if (known?.people === people) return known.text
    const text = JSON.stringify(wireGroup(group, group.members, realm.isActive))
    written.set(group, { people, text })
    return text
  }
}

/** Rows about users change the text, because permissions do not show deactivated users. */
const keptGroups = keptFor<Members>(["realm", "realm_user", "user_group"], 2)

/** With a waiting period, members become full members without a row, so the list cannot be kept. */
const mayKeep = (realm: Realm): boolean => realm.settings.waiting_period_days === 0

function* writeGroups(realm: Realm, withDeactivated: boolean) {
  const write = groupWriter(realm)
  for (const group of groupsWith(realm, withDeactivated)) yield write(group)
}

export const userGroupsSection: Section = {
  name: "realm_user_groups",
  keys: { realm_user_groups: Groups },
  prepare: ({ realm }, { deactivatedGroups }) =>
    mayKeep(realm) && keptGroups.isKept(realm, String(deactivatedGroups)) ? [] : writeGroups(realm, deactivatedGroups),
  take: ({ realm }, { deactivatedGroups }) => {
    const write = () => [new TextList("realm_user_groups", [...writeGroups(realm, deactivatedGroups)])]
    return mayKeep(realm) ? keptGroups(realm, String(deactivatedGroups), write) : write()
  },
}
