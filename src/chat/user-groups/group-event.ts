/** How changes of user groups look on the wire (contract 5.1). */
import type { WireEvent } from "../../events/encode.ts"
import type { JsonObject } from "../../json.ts"
import { shownKind } from "../kinds/event-kind.ts"
import { activeAtRow, none, one } from "../kinds/event-shape.ts"
import { type UserGroupPayload, userGroupRows } from "../kinds/user-group-row.ts"
import { shownSetting } from "../permissions/group-settings.ts"
import type { GroupRecord } from "../realm/records.ts"
import type { IsActive } from "../realm/rules.ts"
import { wireGroup } from "../wire/wire-records.ts"

const added = (group: GroupRecord, isActive: IsActive): ReadonlyArray<WireEvent> =>
  one({ type: "user_group", op: "add", group: wireGroup(group, group.members, isActive) })

const updated = (group_id: number, data: JsonObject): ReadonlyArray<WireEvent> =>
  one({ type: "user_group", op: "update", group_id, data })

type Change = Exclude<UserGroupPayload, { readonly group: GroupRecord }>

const wireChange = (payload: Change, isActive: IsActive): ReadonlyArray<WireEvent> => {
  const { op, group_id } = payload
  switch (op) {
    case "update": {
      const { permissions = {}, ...set } = payload.set
      const shown = Object.entries(permissions).map(([name, setting]) => [name, shownSetting(setting, isActive)])
      return updated(group_id, { ...set, ...Object.fromEntries(shown) })
    }
    case "add_members":
    case "remove_members":
      return one({ type: "user_group", op, group_id, user_ids: payload.user_ids })
    case "add_subgroups":
    case "remove_subgroups":
      return one({ type: "user_group", op, group_id, direct_subgroup_ids: payload.subgroup_ids })
  }
}

const wire = (payload: UserGroupPayload, deactivatedGroups: boolean, isActive: IsActive): ReadonlyArray<WireEvent> => {
  switch (payload.op) {
    case "add":
      return added(payload.group, isActive)
    case "deactivate":
      return deactivatedGroups
        ? updated(payload.group.id, { deactivated: true })
        : one({ type: "user_group", op: "remove", group_id: payload.group.id })
    case "reactivate":
      return deactivatedGroups ? updated(payload.group.id, { deactivated: false }) : added(payload.group, isActive)
    default:
      return "is_deactivated" in payload && payload.is_deactivated === true && !deactivatedGroups
        ? none
        : wireChange(payload, isActive)
  }
}

/** Clients who do not know deactivated groups see them go and come, and nothing of them in between. */
export const userGroupKind = shownKind(userGroupRows, {
  sections: ["realm_user_groups"],
  look: ({ activeAt }, read) => ({
    personal: false,
    variant: (_body, { deactivatedGroups }) => String(deactivatedGroups),
    wire: (body, { deactivatedGroups }) => wire(read(body.payload), deactivatedGroups, activeAtRow(activeAt, body)),
  }),
})
