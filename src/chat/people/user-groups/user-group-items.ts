/**
 * The users and subgroups that requests add to groups and remove from them: all are checked before anything is changed.
 * Users beyond the first 500 follow in chunks (bulk.ts).
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { type GroupId, idSchemas, type UserId } from "../../../ids.ts"
import { type BulkChunk, bulkKind, chunkItems, type RemainingWork } from "../../ground/bulk/bulk-kind.ts"
import { sortedIds } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { Rules } from "../../ground/realm/realm-rules.ts"
import type { GroupRecord } from "../../ground/realm/records.ts"
import { memberRows } from "./user-group-changes.ts"

type CheckedUsers = Checked<ReadonlyArray<UserId>>
type CheckedGroups = Checked<ReadonlyArray<GroupId>>

/** The ids of existing, active users, sorted and each once; or the refusal. */
export const requirePeople = (rules: Rules, ids: ReadonlyArray<UserId>): CheckedUsers => {
  const unknown = ids.find((id) => !rules.isActive(id))
  return unknown === undefined ? Result.succeed(sortedIds(ids)) : Result.fail(badRequest(`Invalid user ID: ${unknown}`))
}

export const requireNewMembers = (rules: Rules, group: GroupRecord, ids: ReadonlyArray<UserId>): CheckedUsers =>
  Result.flatMap(requirePeople(rules, ids), (people) => {
    const members = new Set(group.members)
    const known = people.find((id) => members.has(id))
    return known === undefined
      ? Result.succeed(people)
      : Result.fail(badRequest(`User ${known} is already a member of this group`))
  })

/** As requirePeople, for members of the group. A deactivated member is not shown as one and cannot be named. */
export const requireMembers = (rules: Rules, group: GroupRecord, ids: ReadonlyArray<UserId>): CheckedUsers => {
  const members = new Set(group.members)
  const unknown = ids.find((id) => !rules.users.has(id))
  if (unknown !== undefined) return Result.fail(badRequest(`Invalid user ID: ${unknown}`))
  const stranger = ids.find((id) => !members.has(id) || !rules.isActive(id))
  return stranger === undefined
    ? Result.succeed(sortedIds(ids))
    : Result.fail(badRequest(`There is no member '${stranger}' in this user group`))
}

/**
 * The most relations of a group and its subgroup in a realm: all are walked after each change (500,000 took a second).
 */
const mostEdges = 20_000

/** The ids of existing groups that are not deactivated, sorted and each once; or the refusal. */
export const requireSubgroups = (rules: Rules, ids: ReadonlyArray<GroupId>): CheckedGroups => {
  if (rules.groups.edges + ids.length > mostEdges)
    return Result.fail(badRequest(`An organization has at most ${mostEdges} subgroups of groups`))
  for (const id of ids) {
    const group = rules.groups.get(id)
    if (group === undefined) return Result.fail(badRequest(`Invalid user group ID: ${id}`))
    if (group.deactivated) return Result.fail(badRequest("User group is deactivated."))
  }
  return Result.succeed(sortedIds(ids))
}

/** As requireSubgroups; refuses a cycle of groups, also through deactivated groups, which may be reactivated. */
export const requireNewSubgroups = (rules: Rules, group: GroupRecord, ids: ReadonlyArray<GroupId>): CheckedGroups =>
  Result.flatMap(requireSubgroups(rules, ids), (groups) => {
    const above = rules.groups.ancestors(group.id)
    const known = new Set(group.subgroups)
    for (const id of groups) {
      if (id === group.id) return Result.fail(badRequest("A user group cannot be a subgroup of itself"))
      if (known.has(id)) return Result.fail(badRequest(`User group ${id} is already a subgroup of this group`))
      if (above.has(id))
        return Result.fail(
          badRequest(`User group ${id} cannot be a subgroup of this group, which is a part of it already`),
        )
    }
    return Result.succeed(groups)
  })

export const requireOldSubgroups = (rules: Rules, group: GroupRecord, ids: ReadonlyArray<GroupId>): CheckedGroups => {
  const unknown = ids.find((id) => !rules.groups.get(id))
  if (unknown !== undefined) return Result.fail(badRequest(`Invalid user group ID: ${unknown}`))
  const known = new Set(group.subgroups)
  const stranger = ids.find((id) => !known.has(id))
  return stranger === undefined
    ? Result.succeed(sortedIds(ids))
    : Result.fail(badRequest(`There is no subgroup '${stranger}' in this user group`))
}

/** The users to be added to a group, then those to be removed. */
export interface MembershipChange {
  readonly add: ReadonlyArray<UserId>
  readonly remove: ReadonlyArray<UserId>
}

const MemberItems = Schema.Struct({
  group_id: idSchemas.group,
  add: Schema.Array(idSchemas.user),
  remove: Schema.Array(idSchemas.user),
})
type MemberItems = typeof MemberItems.Type

export const memberItems = (group_id: GroupId, { add, remove }: MembershipChange): MemberItems => ({
  group_id,
  add,
  remove,
})

const itemsFrom = ({ add, remove }: MemberItems, from: number): MembershipChange => ({
  add: add.slice(from, from + chunkItems),
  remove: remove.slice(Math.max(0, from - add.length), Math.max(0, from + chunkItems - add.length)),
})

/** The users of the first commit. */
export const firstItems = (items: MemberItems): MembershipChange => itemsFrom(items, 0)

/** A later chunk. Nothing is done if the group was deactivated meanwhile; deactivated users are not added. */
const chunk = (realm: Realm, items: MemberItems, from: number): BulkChunk => {
  const group = realm.groups.get(items.group_id)
  if (group === undefined || group.deactivated) return { steps: [], next: null }
  const known = new Set(group.members)
  const { add, remove } = itemsFrom(items, from)
  const people: MembershipChange = {
    add: add.filter((id) => !known.has(id) && realm.isActive(id)),
    remove: remove.filter((id) => known.has(id)),
  }
  const next = from + chunkItems
  const none = people.add.length + people.remove.length === 0
  return {
    steps: none ? [] : memberRows(realm, group, { ...people, addSubgroups: [], removeSubgroups: [] }),
    next: next < items.add.length + items.remove.length ? next : null,
  }
}

export const groupMembers = bulkKind("group_members", Schema.decodeUnknownSync(MemberItems), chunk)

/** The users of the later commits; null if there are none. */
export const restOfItems = (items: MemberItems): RemainingWork | null =>
  items.add.length + items.remove.length > chunkItems ? groupMembers.rest(items, chunkItems) : null
