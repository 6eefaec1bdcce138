/** The record of a user group as clients read it: in events, register and lists. */
import * as Schema from "effect/Schema"
import type { UserId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import { shownSettings } from "../permissions/permission-values.ts"
import { systemGroups, unixSeconds } from "../realm/domain-values.ts"
import type { IsActive } from "../realm/realm-rules.ts"
import { type GroupRecord, groupPermissions } from "../realm/records.ts"
import { Holders, Id, Seconds, SortedIds } from "./wire-values.ts"

/** `members`: for a system group the users whose role makes them members, for others those of the record. */
export const wireGroup = (group: GroupRecord, members: ReadonlyArray<UserId>, isActive: IsActive): JsonObject => ({
  id: group.id,
  name: group.name,
  description: group.description,
  members: members.filter((id) => isActive(id)),
  direct_subgroup_ids: group.subgroups,
  is_system_group: group.is_system,
  deactivated: group.deactivated,
  creator_id: group.creator_id,
  date_created: group.created_at === null ? null : unixSeconds(group.created_at),
  ...Object.fromEntries(groupPermissions.map((name) => [name, systemGroups["role:nobody"]])),
  ...shownSettings(group.permissions, isActive),
})

export const groupPermissionFields = {
  can_add_members_group: Holders,
  can_join_group: Holders,
  can_leave_group: Holders,
  can_manage_group: Holders,
  can_mention_group: Holders,
  can_remove_members_group: Holders,
}

export const groupFields = {
  id: Id,
  name: Schema.NonEmptyString,
  description: Schema.String,
  members: SortedIds,
  direct_subgroup_ids: SortedIds,
  is_system_group: Schema.Boolean,
  deactivated: Schema.Boolean,
  /** Both are null for a group that the server has made. */
  creator_id: Schema.NullOr(Id),
  date_created: Schema.NullOr(Seconds),
  ...groupPermissionFields,
}
export const Group = Schema.Struct(groupFields).annotate({ identifier: "UserGroup" })
