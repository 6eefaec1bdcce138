/** The wire form of changes of user groups. */
import * as Schema from "effect/Schema"
import type { WireKeys } from "../../../api/endpoint.ts"
import type { WireEvent } from "../../../events/encode.ts"
import type { JsonObject } from "../../../json.ts"
import { wireKind } from "../../ground/kinds/event-kind.ts"
import { activeAtRow, noEvents, oneEvent } from "../../ground/kinds/event-kind-helpers.ts"
import { type UserGroupPayload, userGroupRows } from "../../ground/kinds/user-group-row.ts"
import { shownSettings } from "../../ground/permissions/permission-values.ts"
import type { IsActive } from "../../ground/realm/realm-rules.ts"
import type { GroupRecord } from "../../ground/realm/records.ts"
import { groupFields, groupPermissionFields, wireGroup } from "../../ground/wire/wire-group.ts"
import { Id, opEvent, SomeIds } from "../../ground/wire/wire-values.ts"

const added = (group: GroupRecord, isActive: IsActive): ReadonlyArray<WireEvent> =>
  oneEvent({ type: "user_group", op: "add", group: wireGroup(group, group.members, isActive) })

const updated = (group_id: number, data: JsonObject): ReadonlyArray<WireEvent> =>
  oneEvent({ type: "user_group", op: "update", group_id, data })

type GroupEventChange = Exclude<UserGroupPayload, { readonly group: GroupRecord }>

const wireChange = (payload: GroupEventChange, isActive: IsActive): ReadonlyArray<WireEvent> => {
  const { op, group_id } = payload
  switch (op) {
    case "update": {
      const { permissions = {}, ...set } = payload.set
      return updated(group_id, { ...set, ...shownSettings(permissions, isActive) })
    }
    case "add_members":
    case "remove_members":
      return oneEvent({ type: "user_group", op, group_id, user_ids: payload.user_ids })
    case "add_subgroups":
    case "remove_subgroups":
      return oneEvent({ type: "user_group", op, group_id, direct_subgroup_ids: payload.subgroup_ids })
  }
}

const wire = (payload: UserGroupPayload, deactivatedGroups: boolean, isActive: IsActive): ReadonlyArray<WireEvent> => {
  switch (payload.op) {
    case "add":
      return added(payload.group, isActive)
    case "deactivate":
      return deactivatedGroups
        ? updated(payload.group.id, { deactivated: true })
        : oneEvent({ type: "user_group", op: "remove", group_id: payload.group.id })
    case "reactivate":
      return deactivatedGroups ? updated(payload.group.id, { deactivated: false }) : added(payload.group, isActive)
    default:
      return "is_deactivated" in payload && payload.is_deactivated === true && !deactivatedGroups
        ? noEvents
        : wireChange(payload, isActive)
  }
}

/** The fields that an event about a changed group may have; the fields present have changed. */
const changing: WireKeys = {
  name: groupFields.name,
  description: groupFields.description,
  deactivated: groupFields.deactivated,
  ...groupPermissionFields,
}
const Changed = Schema.Struct(
  Object.fromEntries(Object.entries(changing).map(([key, value]) => [key, Schema.optionalKey(value)])),
).check(Schema.makeFilter((data) => Object.keys(data).length > 0, { expected: "something that changed" }))

const members = { group_id: Id, user_ids: SomeIds }
const subgroups = { group_id: Id, direct_subgroup_ids: SomeIds }

const events: WireKeys = {
  add: opEvent("user_group", "add", {
    group: Schema.Struct({ ...groupFields, deactivated: Schema.Literal(false) }),
  }),
  update: opEvent("user_group", "update", { group_id: Id, data: Changed }),
  remove: opEvent("user_group", "remove", { group_id: Id }),
  add_members: opEvent("user_group", "add_members", members),
  remove_members: opEvent("user_group", "remove_members", members),
  add_subgroups: opEvent("user_group", "add_subgroups", subgroups),
  remove_subgroups: opEvent("user_group", "remove_subgroups", subgroups),
}

/** For clients without `include_deactivated_groups` deactivating removes a group, and reactivating adds it again. */
export const userGroupKind = wireKind(userGroupRows, {
  events,
  sections: ["realm_user_groups"],
  wireForm: ({ activeAt }, read) => ({
    personal: false,
    variant: (_body, { deactivatedGroups }) => String(deactivatedGroups),
    wire: (body, { deactivatedGroups }) => wire(read(body.payload), deactivatedGroups, activeAtRow(activeAt, body)),
  }),
})
