/**
 * Changes the members and the subgroups of a user group: POST. A whole request is checked before anything is changed,
 * and against the groups at its position in the log: of two requests that together would make a cycle of groups the
 * second is refused.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { id, json, withDefault } from "../../../api/params.ts"
import { id as idShape, list } from "../../../api/shapes.ts"
import { judgementOf } from "../../../events/command.ts"
import { GroupId, UserId } from "../../../ids.ts"
import { Bulk, type BulkCommand, begin } from "../../ground/bulk/bulk.ts"
import { mayAddMembers, mayRemoveMembers } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { type MemberChange, memberNotices, memberRows } from "./user-group-changes.ts"
import {
  firstItems,
  memberItems,
  requireMembers,
  requireNewMembers,
  requireNewSubgroups,
  requireOldSubgroups,
  restOfItems,
} from "./user-group-items.ts"
import { requireGroup } from "./user-groups.ts"

/** The checked change, its ids sorted and each once; or the refusal. */
const requireChange = (realm: Realm, caller: Caller, target: GroupId, wish: MemberChange) =>
  Result.gen(function* () {
    const actor = yield* requireActor(realm, caller)
    const group = yield* requireGroup(realm, target)
    const { add, remove, addSubgroups, removeSubgroups } = wish
    const isOwn = (people: ReadonlyArray<number>, groups: ReadonlyArray<number>) =>
      groups.length === 0 && people.every((each) => each === actor.id)
    if (
      (add.length + addSubgroups.length > 0 && !mayAddMembers(realm, actor, group, isOwn(add, addSubgroups))) ||
      (remove.length + removeSubgroups.length > 0 &&
        !mayRemoveMembers(realm, actor, group, isOwn(remove, removeSubgroups)))
    )
      return yield* Result.fail(badRequest("Insufficient permission"))
    if (group.is_system) return yield* Result.fail(badRequest("Insufficient permission"))
    if (group.deactivated) return yield* Result.fail(badRequest("User group is deactivated."))
    const change: MemberChange = {
      add: yield* requireNewMembers(realm, group, add),
      remove: yield* requireMembers(realm, group, remove),
      addSubgroups: yield* requireNewSubgroups(realm, group, addSubgroups),
      removeSubgroups: yield* requireOldSubgroups(realm, group, removeSubgroups),
    }
    return { actor, group, change }
  })

const changeMembers = (caller: Caller, target: GroupId, wish: MemberChange): BulkCommand<void> => ({
  judge: (realm) =>
    judgementOf(requireChange(realm, caller, target, wish), ({ actor, group, change }) => {
      const items = memberItems(group.id, change)
      const notices = memberNotices(realm, actor, group, change.add)
      return begin([...memberRows(realm, group, { ...change, ...firstItems(items) }), ...notices], restOfItems(items))
    }),
})

const change = Effect.fnUntraced(function* (caller: Caller, group: GroupId, wish: MemberChange, names: string) {
  const { add, remove, addSubgroups, removeSubgroups } = wish
  if (add.length + remove.length + addSubgroups.length + removeSubgroups.length === 0)
    return yield* badRequest(`Nothing to do. Specify at least one of ${names}.`)
  const bulk = yield* Bulk
  yield* bulk.run(caller.realm, changeMembers(caller, group, wish))
  return dataReply()
})

const people = (name: string) => withDefault(json(name, list(idShape(UserId))), [])
const groups = (name: string) => withDefault(json(name, list(idShape(GroupId))), [])

export const postUserGroupMembers = userEndpoint({
  method: "POST",
  path: "/user_groups/{user_group_id:int}/members",
  fresh: "onRefusal",
  summary: "Adds members and subgroups to a user group, and removes some.",
  params: {
    group: id("user_group_id", GroupId),
    add: people("add"),
    remove: people("delete"),
    addSubgroups: groups("add_subgroups"),
    removeSubgroups: groups("delete_subgroups"),
  },
  reply: noFields,
  errors: [],
  run: (caller, { params: { group, ...wish } }) =>
    change(caller, group, wish, '"add", "delete", "add_subgroups" or "delete_subgroups"'),
})

export const postUserGroupSubgroups = userEndpoint({
  method: "POST",
  path: "/user_groups/{user_group_id:int}/subgroups",
  fresh: "onRefusal",
  summary: "Adds subgroups to a user group, and removes some.",
  params: { group: id("user_group_id", GroupId), addSubgroups: groups("add"), removeSubgroups: groups("delete") },
  reply: noFields,
  errors: [],
  run: (caller, { params: { group, ...wish } }) =>
    change(caller, group, { add: [], remove: [], ...wish }, '"add" or "delete"'),
})
