/** Rows about user groups. Those about members of system groups only inform: these members follow from users' roles. */
import * as Schema from "effect/Schema"
import { idSchemas } from "../../../ids.ts"
import { presentFields } from "../../../json.ts"
import { GroupSetting, sortedIds } from "../realm/domain-values.ts"
import type { Realm } from "../realm/realm.ts"
import { GroupRecord } from "../realm/records.ts"
import { rowKind } from "./event-kind.ts"

const group = { group_id: idSchemas.group }
/** The group is deactivated: clients without `include_deactivated_groups` do not get the event. */
const isDeactivated = { is_deactivated: Schema.optionalKey(Schema.Literal(true)) }

const GroupChange = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  permissions: Schema.optionalKey(Schema.Record(Schema.String, GroupSetting)),
})
/** The changed fields of a group. */
export type GroupChange = typeof GroupChange.Type

export const UserGroupPayload = Schema.Union([
  Schema.Struct({ op: Schema.Literal("add"), group: GroupRecord }),
  Schema.Struct({ op: Schema.Literal("update"), ...group, set: GroupChange, ...isDeactivated }),
  /** `group`: the whole record after the row. */
  Schema.Struct({ op: Schema.Literals(["deactivate", "reactivate"]), group: GroupRecord }),
  Schema.Struct({
    op: Schema.Literals(["add_members", "remove_members"]),
    ...group,
    user_ids: Schema.Array(idSchemas.user),
    ...isDeactivated,
  }),
  Schema.Struct({
    op: Schema.Literals(["add_subgroups", "remove_subgroups"]),
    ...group,
    subgroup_ids: Schema.Array(idSchemas.group),
  }),
])
export type UserGroupPayload = typeof UserGroupPayload.Type

/** The union of two lists of ids, sorted. */
export const withMembers = <Id extends number>(ids: ReadonlyArray<Id>, more: ReadonlyArray<Id>): ReadonlyArray<Id> =>
  sortedIds([...ids, ...more])
/** The ids that are not in `gone`. */
export const withoutMembers = <Id extends number>(
  ids: ReadonlyArray<Id>,
  gone: ReadonlyArray<Id>,
): ReadonlyArray<Id> => {
  const left = new Set(gone)
  return ids.filter((id) => !left.has(id))
}

type MemberChanges = Exclude<UserGroupPayload, { readonly group: GroupRecord }>

const changed = (known: GroupRecord, payload: MemberChanges): Partial<GroupRecord> => {
  switch (payload.op) {
    case "update": {
      const { permissions, ...set } = payload.set
      return { ...presentFields(set), permissions: { ...known.permissions, ...permissions } }
    }
    case "add_members":
      return { members: withMembers(known.members, payload.user_ids) }
    case "remove_members":
      return { members: withoutMembers(known.members, payload.user_ids) }
    case "add_subgroups":
      return { subgroups: withMembers(known.subgroups, payload.subgroup_ids) }
    case "remove_subgroups":
      return { subgroups: withoutMembers(known.subgroups, payload.subgroup_ids) }
  }
}

const applyToProjection = (realm: Realm, payload: UserGroupPayload): void => {
  if ("group" in payload) return realm.groups.set(payload.group)
  const known = realm.groups.get(payload.group_id)
  if (known !== undefined) realm.groups.set({ ...known, ...changed(known, payload) })
}

export const userGroupRows = rowKind({
  type: "user_group",
  payload: UserGroupPayload,
  changesRules: true,
  applyFunction: "apply_user_group_v2",
  applyToProjection,
})
