/**
 * POST /user_groups/{id}/deactivate. Refused while the group is a subgroup of another or holds a permission. The
 * refusal lists these uses, but not channels that the requester may not know of, which still count as uses.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, groupInUse } from "../../../api/errors.ts"
import { id } from "../../../api/params.ts"
import { type Command, change, judgementOf } from "../../../events/command.ts"
import { GroupId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import { namedMembers } from "../../ground/permissions/permission-values.ts"
import { mayKnowOf } from "../../ground/permissions/permissions.ts"
import type { GroupSetting } from "../../ground/realm/domain-values.ts"
import { realmPermissionNames } from "../../ground/realm/permission-choices.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { channelPermissions, type GroupRecord, groupPermissions, type UserRecord } from "../../ground/realm/records.ts"
import { groupRow } from "./user-group-changes.ts"
import { requireManaged } from "./user-groups.ts"

interface DeactivationObjection {
  readonly isTold: boolean
  readonly told: JsonObject
}

/** The uses of the group. Its own permissions do not count; those of archived channels and deactivated groups do. */
const objectionsTo = (realm: Realm, actor: UserRecord, { id }: GroupRecord): ReadonlyArray<DeactivationObjection> => {
  const holding = <Name extends string>(
    names: ReadonlyArray<Name>,
    permissions: Readonly<Partial<Record<Name, GroupSetting>>>,
  ): ReadonlyArray<Name> =>
    names.filter((name) => {
      const setting = permissions[name]
      return setting !== undefined && namedMembers(setting).direct_subgroups.includes(id)
    })
  const above = [...realm.groups.parents(id)]
    .filter((parent) => realm.groups.get(parent)?.deactivated === false)
    .sort((a, b) => a - b)
  const found: ReadonlyArray<DeactivationObjection & { readonly uses: ReadonlyArray<unknown> }> = [
    { uses: above, isTold: true, told: { type: "subgroup", supergroup_ids: above } },
    ...[...realm.channels.values()].map((channel) => {
      const settings = holding(channelPermissions, channel.permissions)
      const told = { type: "channel", channel_id: channel.id, settings }
      return { uses: settings, isTold: settings.length > 0 && mayKnowOf(realm, actor, channel), told }
    }),
    ...[...realm.groups.values()]
      .filter((group) => group.id !== id)
      .map((group) => {
        const settings = holding(groupPermissions, group.permissions)
        return { uses: settings, isTold: true, told: { type: "user_group", group_id: group.id, settings } }
      }),
    ...[holding(realmPermissionNames, realm.settings)].map((settings) => ({
      uses: settings,
      isTold: true,
      told: { type: "realm", settings },
    })),
  ]
  return found.filter(({ uses }) => uses.length > 0)
}

const deactivate = (caller: Caller, target: GroupId): Command<Realm, void> => ({
  judge: (realm) => {
    const planned = Result.gen(function* () {
      const { actor, group } = yield* requireManaged(realm, caller, target)
      if (group.deactivated) return yield* Result.fail(badRequest("User group is deactivated."))
      const objections = objectionsTo(realm, actor, group)
      if (objections.length > 0)
        return yield* Result.fail(groupInUse(objections.filter(({ isTold }) => isTold).map(({ told }) => told)))
      return { ...group, deactivated: true }
    })
    // No channel goes out of sight, because the group holds no permission.
    return judgementOf(planned, (group) => change([groupRow({ op: "deactivate", group })]))
  },
})

export const deactivateUserGroup = userEndpoint({
  method: "POST",
  path: "/user_groups/{user_group_id:int}/deactivate",
  fresh: "onRefusal",
  summary: "Deactivates a user group.",
  params: { group: id("user_group_id", GroupId) },
  reply: noFields,
  errors: ["CANNOT_DEACTIVATE_GROUP_IN_USE"],
  run: Effect.fnUntraced(function* (caller, { params: { group } }) {
    const realms = yield* Realms
    yield* realms.submit(caller.realm, deactivate(caller, group))
    return dataReply()
  }),
})
