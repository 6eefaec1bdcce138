/** User groups on the wire, and the events about them (contract 3.1.4, 5.1). */
import * as Schema from "effect/Schema"
import { Count, GroupSetting, Id, Ids, type Keys, Seconds, SortedIds } from "./wire-schemas-values.ts"

const permissions = {
  can_add_members_group: GroupSetting,
  can_join_group: GroupSetting,
  can_leave_group: GroupSetting,
  can_manage_group: GroupSetting,
  can_mention_group: GroupSetting,
  can_remove_members_group: GroupSetting,
}
const group = {
  id: Id,
  name: Schema.NonEmptyString,
  description: Schema.String,
  members: SortedIds,
  direct_subgroup_ids: SortedIds,
  is_system_group: Schema.Boolean,
  deactivated: Schema.Boolean,
  creator_id: Schema.NullOr(Id),
  date_created: Schema.NullOr(Seconds),
  ...permissions,
}
export const Group = Schema.Struct(group)

/** What one change of a group may tell of; each key that is there has changed. */
const change: Keys = {
  name: group.name,
  description: group.description,
  deactivated: group.deactivated,
  ...permissions,
}
const Change = Schema.Struct(
  Object.fromEntries(Object.entries(change).map(([key, value]) => [key, Schema.optionalKey(value)])),
).check(Schema.makeFilter((data) => Object.keys(data).length > 0, { expected: "something that changed" }))

const event = <const Op extends string, const F extends Schema.Struct.Fields>(op: Op, fields: F) =>
  Schema.Struct({ id: Count, type: Schema.Literal("user_group"), op: Schema.Literal(op), ...fields })
const some = Ids.check(Schema.isMinLength(1), Schema.isUnique())
const members = { group_id: Id, user_ids: some }
const subgroups = { group_id: Id, direct_subgroup_ids: some }

export const groupEvents = {
  "user_group/add": event("add", { group: Schema.Struct({ ...group, deactivated: Schema.Literal(false) }) }),
  "user_group/update": event("update", { group_id: Id, data: Change }),
  "user_group/remove": event("remove", { group_id: Id }),
  "user_group/add_members": event("add_members", members),
  "user_group/remove_members": event("remove_members", members),
  "user_group/add_subgroups": event("add_subgroups", subgroups),
  "user_group/remove_subgroups": event("remove_subgroups", subgroups),
}
