/** Creates and changes user groups: name, description, permissions; and reactivates them. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked, principalUnauthorized } from "../../../api/errors.ts"
import { boolean, id, json, optional, type Param, text, withDefault } from "../../../api/params.ts"
import { id as idShape, list } from "../../../api/shapes.ts"
import { Clock } from "../../../clock.ts"
import { type Command, change, done, type Judgement, judgementOf } from "../../../events/command.ts"
import { GroupId, UserId } from "../../../ids.ts"
import { Bulk, type BulkCommand, begin } from "../../ground/bulk/bulk.ts"
import type { GroupChange } from "../../ground/kinds/user-group-row.ts"
import {
  type PermissionUpdate,
  permissionParam,
  permissionUpdateParam,
  requirePermissionUpdate,
  requirePermissionValue,
} from "../../ground/permissions/permission-values.ts"
import { isGuest, mayCreateGroup, mayManageGroup } from "../../ground/permissions/permissions.ts"
import { fold, type GroupSetting, systemGroups } from "../../ground/realm/domain-values.ts"
import { defaultSetting, groupChoices } from "../../ground/realm/permission-choices.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { withChangedRules } from "../../ground/realm/realm-rules.ts"
import { Realms } from "../../ground/realm/realms.ts"
import {
  type GroupPermission,
  type GroupRecord,
  groupPermissions,
  type UserRecord,
} from "../../ground/realm/records.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { readGroupName } from "../../ground/requester/read-names.ts"
import { Id } from "../../ground/wire/wire-values.ts"
import { groupRow, groupVisibilityRows, memberNotices } from "./user-group-changes.ts"
import { firstItems, memberItems, requirePeople, requireSubgroups, restOfItems } from "./user-group-items.ts"

/** A record with one parameter for each permission of a group. */
const permissionParams = <A>(of: (name: GroupPermission) => Param<A>) => ({
  can_add_members_group: optional(of("can_add_members_group")),
  can_join_group: optional(of("can_join_group")),
  can_leave_group: optional(of("can_leave_group")),
  can_manage_group: optional(of("can_manage_group")),
  can_mention_group: optional(of("can_mention_group")),
  can_remove_members_group: optional(of("can_remove_members_group")),
})
type PermissionValues<A> = Readonly<Record<GroupPermission, A | undefined>>

const longestDescription = 1024
const descriptionParam = text("description", { max: longestDescription })

/** Refuses a name that another group has; system groups and deactivated groups count. */
const requireFreeName = (realm: Realm, name: string, own?: GroupRecord): Checked<string> =>
  [...realm.groups.values()].some((group) => group.id !== own?.id && fold(group.name) === fold(name))
    ? Result.fail(badRequest(`User group '${name}' already exists.`))
    : Result.succeed(name)

interface NewGroup {
  readonly name: string
  readonly description: string
  readonly members: ReadonlyArray<UserId>
  readonly subgroups: ReadonlyArray<GroupId>
  readonly permissions: PermissionValues<GroupSetting>
}

const newPermissions = (realm: Realm, creator: UserRecord, given: PermissionValues<GroupSetting>) =>
  Result.gen(function* () {
    const permissions: Record<string, GroupSetting> = {}
    for (const name of groupPermissions) {
      const [choice, value] = [groupChoices[name], given[name]]
      permissions[name] =
        value === undefined
          ? defaultSetting(choice, creator.id)
          : yield* requirePermissionValue(realm, name, choice, value)
    }
    return permissions
  })

/** The record of the new group and its creator, or the refusal. Its creator may add any users and groups to it. */
const requireNewGroup = (realm: Realm, caller: Caller, wish: NewGroup, now: number) =>
  Result.gen(function* () {
    const actor = yield* requireActor(realm, caller)
    if (isGuest(actor)) return yield* Result.fail(principalUnauthorized("Must be an organization member"))
    if (!mayCreateGroup(realm, actor)) return yield* Result.fail(badRequest("Insufficient permission"))
    const group: GroupRecord = {
      id: realm.nextGroupId(),
      name: yield* requireFreeName(realm, wish.name),
      description: wish.description,
      is_system: false,
      deactivated: false,
      creator_id: actor.id,
      created_at: now,
      members: yield* requirePeople(realm, wish.members),
      subgroups: yield* requireSubgroups(realm, wish.subgroups),
      permissions: yield* newPermissions(realm, actor, wish.permissions),
    }
    return { actor, group }
  })

const createGroup = (caller: Caller, wish: NewGroup, now: () => number): BulkCommand<GroupId> => ({
  judge: (realm) =>
    judgementOf(requireNewGroup(realm, caller, wish, now()), ({ actor, group }) => {
      const items = memberItems(group.id, { add: group.members, remove: [] })
      const row = groupRow({ op: "add", group: { ...group, members: firstItems(items).add } })
      const notices = memberNotices(realm, actor, group, group.members)
      return begin([row, ...notices], restOfItems(items), { answer: () => group.id })
    }),
})

export const postUserGroups = userEndpoint({
  method: "POST",
  path: "/user_groups/create",
  fresh: "onRefusal",
  summary: "Makes a user group.",
  params: {
    name: text("name"),
    description: descriptionParam,
    members: json("members", list(idShape(UserId))),
    subgroups: withDefault(json("subgroups", list(idShape(GroupId))), []),
    ...permissionParams(permissionParam),
  },
  reply: Schema.Struct({ group_id: Id }),
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (
    caller,
    { params: { name: raw, description, members, subgroups, ...permissions } },
  ) {
    const bulk = yield* Bulk
    const clock = yield* Clock
    const name = yield* Effect.fromResult(readGroupName(raw))
    const wish: NewGroup = { name, description, members, subgroups, permissions }
    return dataReply({ group_id: yield* bulk.run(caller.realm, createGroup(caller, wish, clock.now)) })
  }),
})

interface GroupUpdate {
  readonly name: string | undefined
  readonly description: string | undefined
  readonly deactivated: boolean | undefined
  readonly permissions: PermissionValues<PermissionUpdate>
}

/** The group with this id; refuses with `Invalid user group`. All users may know of all groups. */
export const requireGroup = (realm: Realm, group: GroupId): Checked<GroupRecord> => {
  const known = realm.groups.get(GroupId(group))
  return known === undefined ? Result.fail(badRequest("Invalid user group")) : Result.succeed(known)
}

/** The group, if the requester may manage it; or the refusal. */
export const requireManaged = (realm: Realm, caller: Caller, target: GroupId) =>
  Result.gen(function* () {
    const actor = yield* requireActor(realm, caller)
    const group = yield* requireGroup(realm, target)
    if (!mayManageGroup(realm, actor, group)) return yield* Result.fail(badRequest("Insufficient permission"))
    return { actor, group }
  })

/** The changed fields of a group. */
const changesOf = (realm: Realm, group: GroupRecord, update: GroupUpdate): Checked<GroupChange> =>
  Result.gen(function* () {
    const { name = group.name, description = group.description } = update
    const rules = withChangedRules(realm, { groups: realm.groups.with(group) })
    const permissions: Record<string, GroupSetting> = {}
    for (const permission of groupPermissions) {
      const wanted = update.permissions[permission]
      if (wanted === undefined) continue
      const current = group.permissions[permission] ?? systemGroups["role:nobody"]
      const value = yield* requirePermissionUpdate(rules, permission, groupChoices[permission], current, wanted)
      if (value !== undefined) permissions[permission] = value
    }
    return {
      ...(name === group.name ? {} : { name: yield* requireFreeName(realm, name, group) }),
      ...(description === group.description ? {} : { description }),
      ...(Object.keys(permissions).length === 0 ? {} : { permissions }),
    }
  })

/** Reactivates the group first, then changes it: not all clients get events about a deactivated group. */
const updateGroup = (caller: Caller, target: GroupId, update: GroupUpdate): Command<Realm, void> => ({
  judge: (realm) => {
    const planned = Result.gen(function* () {
      const { group: before } = yield* requireManaged(realm, caller, target)
      const returns = before.deactivated && update.deactivated === false
      const group = returns ? { ...before, deactivated: false } : before
      const set = yield* changesOf(realm, group, update)
      return { group, returns, set }
    })
    return judgementOf(planned, ({ group, returns, set }): Judgement<void> => {
      const hidden = group.deactivated ? ({ is_deactivated: true } as const) : {}
      const isChanged = Object.keys(set).length > 0
      if (!returns && !isChanged) return done(undefined)
      const touched = { direct_members: group.members, direct_subgroups: group.subgroups }
      return change([
        ...(returns ? [groupRow({ op: "reactivate", group })] : []),
        ...(isChanged ? [groupRow({ op: "update", group_id: target, set, ...hidden })] : []),
        ...(returns ? groupVisibilityRows(realm, group, touched) : []),
      ])
    })
  },
})

export const patchUserGroup = userEndpoint({
  method: "PATCH",
  path: "/user_groups/{user_group_id:int}",
  fresh: "onRefusal",
  summary: "Changes a user group, or reactivates it.",
  params: {
    group: id("user_group_id", GroupId),
    name: optional(text("name")),
    description: optional(descriptionParam),
    deactivated: optional(boolean("deactivated")),
    ...permissionParams(permissionUpdateParam),
  },
  reply: noFields,
  errors: ["EXPECTATION_MISMATCH"],
  run: Effect.fnUntraced(function* (
    caller,
    { params: { group, name: raw, description, deactivated, ...permissions } },
  ) {
    const realms = yield* Realms
    if ([raw, description, deactivated, ...Object.values(permissions)].every((each) => each === undefined))
      return yield* badRequest("No new data supplied")
    const name = raw === undefined ? undefined : yield* Effect.fromResult(readGroupName(raw))
    const update: GroupUpdate = { name, description, deactivated, permissions }
    yield* realms.submit(caller.realm, updateGroup(caller, group, update))
    return dataReply()
  }),
})
