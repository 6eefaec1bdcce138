/** GET endpoints of user groups, open to guests too: all groups, the members and subgroups of one. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, requesterName, userEndpoint } from "../../../api/endpoint.ts"
import { noSuchUser } from "../../../api/errors.ts"
import { boolean, id, withDefault } from "../../../api/params.ts"
import { LargeAnswers } from "../../../fairness/large-answers.ts"
import { GroupId, UserId } from "../../../ids.ts"
import { listInPieces } from "../../../json-pieces.ts"
import { findUser } from "../../ground/realm/acquaintance/find-user.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { SortedIds } from "../../ground/wire/wire-values.ts"
import { allMembers, directMembers, Groups, groupsWith, groupWriter } from "./group-lists.ts"
import { requireGroup } from "./user-groups.ts"

const requireReadGroup = Effect.fnUntraced(function* (caller: Caller, id: GroupId) {
  const { realm, user: reader } = yield* requireAccount(caller)
  const group = yield* Effect.fromResult(requireGroup(realm, id))
  return { realm, reader, group }
})

/** About how many bytes the record of a group has. */
const groupBytes = 1000

export const getUserGroups = userEndpoint({
  method: "GET",
  path: "/user_groups",
  summary: "Lists the user groups.",
  params: { withDeactivated: withDefault(boolean("include_deactivated_groups"), false) },
  reply: Schema.Struct({ user_groups: Groups }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { withDeactivated } }) {
    const { realm } = yield* requireAccount(caller)
    // When there is room for the answer: the groups may have changed meanwhile.
    const members = Effect.suspend(() =>
      Effect.map(listInPieces("user_groups", groupsWith(realm, withDeactivated), groupWriter(realm)), (list) => [list]),
    )
    return yield* (yield* LargeAnswers).answer(requesterName(caller), realm.groups.size * groupBytes, members)
  }),
})

const membersOf = Effect.fnUntraced(function* (caller: Caller, id: GroupId, direct: boolean) {
  const { realm, reader, group } = yield* requireReadGroup(caller, id)
  return { realm, reader, members: direct ? directMembers(realm, group) : allMembers(realm, group) }
})

const oneGroup = id("user_group_id", GroupId)
const directMembersOnly = withDefault(boolean("direct_member_only"), false)

export const getUserGroupMembers = userEndpoint({
  method: "GET",
  path: "/user_groups/{user_group_id:int}/members",
  summary: "The members of a user group, and of its subgroups.",
  params: { group: oneGroup, direct: directMembersOnly },
  reply: Schema.Struct({ members: SortedIds }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { group, direct } }) {
    const { members } = yield* membersOf(caller, group, direct)
    return dataReply({ members })
  }),
})

export const getIsUserGroupMember = userEndpoint({
  method: "GET",
  path: "/user_groups/{user_group_id:int}/members/{user_id:int}",
  summary: "Whether a user is a member of a user group, or of one of its subgroups.",
  params: { group: oneGroup, user: id("user_id", UserId), direct: directMembersOnly },
  reply: Schema.Struct({ is_user_group_member: Schema.Boolean }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { group, user, direct } }) {
    const { realm, reader, members } = yield* membersOf(caller, group, direct)
    if (findUser(realm, reader, user) === undefined) return yield* noSuchUser()
    return dataReply({ is_user_group_member: members.includes(user) })
  }),
})

export const getUserGroupSubgroups = userEndpoint({
  method: "GET",
  path: "/user_groups/{user_group_id:int}/subgroups",
  summary: "The subgroups of a user group, direct or indirect ones.",
  params: { group: oneGroup, direct: withDefault(boolean("direct_subgroup_only"), false) },
  reply: Schema.Struct({ subgroups: SortedIds }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { group: id, direct } }) {
    const { realm, group } = yield* requireReadGroup(caller, id)
    const all = new Set([...group.subgroups, ...realm.groups.descendants(...group.subgroups)])
    return dataReply({ subgroups: direct ? group.subgroups : [...all].sort((a, b) => a - b) })
  }),
})
