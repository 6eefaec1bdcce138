/**
 * Lists of user groups and their members. The members of system groups follow from roles: the users of a role are
 * direct members of its group, and each group has the next narrower one as its subgroup. A member becomes a full member
 * when the waiting period is over, by a row (organization/full-members.ts).
 */
import * as Schema from "effect/Schema"
import type { GroupId, UserId } from "../../../ids.ts"
import { type JsonItem, JsonMember } from "../../../json-pieces.ts"
import type { Section } from "../../ground/kinds/section.ts"
import { cachedLists, type SharedList } from "../../ground/kinds/shared-list.ts"
import { isAmong, isOfSystemGroup } from "../../ground/permissions/permissions.ts"
import { type GroupSetting, systemGroups as groupIds, roles } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { Rules } from "../../ground/realm/realm-rules.ts"
import type { GroupRecord, UserRecord } from "../../ground/realm/records.ts"
import { Group, wireGroup } from "../../ground/wire/wire-group.ts"

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

/** `accounts`: how often an account was opened or closed before: deactivated users are not shown. */
interface GroupWithText extends JsonItem {
  readonly accounts: number
}
const written = new WeakMap<GroupRecord, GroupWithText>()

/** Makes the JSON of a group's record: the same object for as long as it stays the same, but for system groups. */
const groupItems = (realm: Realm): ((group: GroupRecord) => JsonItem) => {
  const members = roleMembers(realm)
  const accounts = realm.roles.changes
  return (group) => {
    // The users who have a role are not in the group's record.
    if (group.is_system) return { text: JSON.stringify(wireGroup(group, members.get(group.id) ?? [], realm.isActive)) }
    const known = written.get(group)
    if (known?.accounts === accounts) return known
    const text = JSON.stringify(wireGroup(group, group.members, realm.isActive))
    const made = { accounts, text }
    written.set(group, made)
    return made
  }
}

/** Writes a group's record as JSON. Each text is made once, because there may be thousands. */
export const groupWriter = (realm: Realm): ((group: GroupRecord) => string) => {
  const item = groupItems(realm)
  return (group) => item(group).text
}

/** Everybody sees all groups. */
const listedGroups = cachedLists<JsonItem>(64)

const listed = new WeakMap<SharedList<JsonItem>, number>()

const changedAt = (realm: Realm): number => realm.changedAt(["realm", "realm_user", "user_group"])

const isCurrent = (realm: Realm, list: SharedList<JsonItem>): boolean => listed.get(list) === changedAt(realm)

/** The groups as they are now. A text that is the same remains the same object, so that its block stays. */
const update = (realm: Realm, list: SharedList<JsonItem>, withDeactivated: boolean): void => {
  if (isCurrent(realm, list)) return
  const item = groupItems(realm)
  for (const group of realm.groups.values()) {
    const [known, now] = [list.item(group.id), withDeactivated || !group.deactivated ? item(group) : undefined]
    if (known === undefined || known.text !== now?.text) list.set(group.id, now)
  }
  listed.set(list, changedAt(realm))
}

function* writeGroups(realm: Realm, list: SharedList<JsonItem>) {
  if (isCurrent(realm, list)) return
  const item = groupItems(realm)
  for (const group of [...realm.groups.values()]) yield item(group)
}

const listFor = (realm: Realm, withDeactivated: boolean) => listedGroups(realm, String(withDeactivated))

export const userGroupsSection: Section = {
  name: "realm_user_groups",
  keys: { realm_user_groups: Groups },
  prepare: ({ realm }, { deactivatedGroups }) => writeGroups(realm, listFor(realm, deactivatedGroups)),
  take: ({ realm }, { deactivatedGroups }) => {
    const list = listFor(realm, deactivatedGroups)
    update(realm, list, deactivatedGroups)
    return [
      new JsonMember(
        "realm_user_groups",
        list.parts([], (id) => list.item(id)?.text),
      ),
    ]
  },
}
