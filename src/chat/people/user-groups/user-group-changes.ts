/**
 * The rows of changes of user groups: those with the change itself, and those that show or hide private channels, which
 * members of a group may see by it. Used by the endpoints of groups and for work in chunks.
 */
import { toRealm } from "../../../events/audience.ts"
import type { CommandStep, NewCalls, NewRow } from "../../../events/step.ts"
import { type GroupId, UserId } from "../../../ids.ts"
import { readerSteps } from "../../changing/message-moves/access-steps.ts"
import { type UserGroupPayload, userGroupRows, withMembers, withoutMembers } from "../../ground/kinds/user-group-row.ts"
import { channelsSeenBy, visibilityChangeRows } from "../../ground/permissions/channel-visibility.ts"
import type { GroupSetting } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { type Rules, withChangedRules } from "../../ground/realm/realm-rules.ts"
import type { GroupRecord, UserRecord } from "../../ground/realm/records.ts"
import { type Notice, noticeSteps, silentMention } from "../../sending/notices/notices.ts"

/** A row of a change, for everybody: all users may read all groups. */
export const groupRow = (payload: UserGroupPayload): NewRow => userGroupRows.change(payload, toRealm)

/** The users whom a value includes. If it includes a system group, which follows from roles, simply all users. */
const peopleOf = (rules: Rules, setting: GroupSetting): Iterable<UserRecord> => {
  const { members, systems } = rules.groups.closureOfSetting(setting)
  if (systems.some((name) => name !== "role:nobody")) return rules.users.values()
  return Array.from(members, (id) => rules.users.get(UserId(id))).filter((user) => user !== undefined)
}

/**
 * The steps that show or hide channels, and messages in them, after a change of a group. `touched`: the members and subgroups that came or
 * went.
 */
export const groupVisibilityRows = (
  rules: Rules,
  changed: GroupRecord,
  touched: Exclude<GroupSetting, GroupId>,
): ReadonlyArray<CommandStep> => {
  const channels = channelsSeenBy(rules, rules.groups.ancestors(changed.id))
  if (channels.length === 0) return []
  const after = withChangedRules(rules, { groups: rules.groups.with(changed) })
  const people = [...peopleOf(rules, touched)]
  const { first, last } = readerSteps(rules, after, channels, people)
  return [...first, ...visibilityChangeRows(rules, after, channels, people), ...last]
}

/** Users and subgroups to be added to a group and removed from it, checked already (user-group-members.ts). */
export interface MemberChange {
  readonly add: ReadonlyArray<UserId>
  readonly remove: ReadonlyArray<UserId>
  readonly addSubgroups: ReadonlyArray<GroupId>
  readonly removeSubgroups: ReadonlyArray<GroupId>
}

export const memberRows = (
  rules: Rules,
  group: GroupRecord,
  { add, remove, addSubgroups, removeSubgroups }: MemberChange,
): ReadonlyArray<CommandStep> => {
  const people = (op: "add_members" | "remove_members", user_ids: ReadonlyArray<UserId>) =>
    user_ids.length === 0 ? [] : [groupRow({ op, group_id: group.id, user_ids })]
  const parts = (op: "add_subgroups" | "remove_subgroups", subgroup_ids: ReadonlyArray<GroupId>) =>
    subgroup_ids.length === 0 ? [] : [groupRow({ op, group_id: group.id, subgroup_ids })]
  const changed: GroupRecord = {
    ...group,
    members: withMembers(withoutMembers(group.members, remove), add),
    subgroups: withMembers(withoutMembers(group.subgroups, removeSubgroups), addSubgroups),
  }
  const touched = { direct_members: [...add, ...remove], direct_subgroups: [...addSubgroups, ...removeSubgroups] }
  return [
    ...people("add_members", add),
    ...people("remove_members", remove),
    ...parts("add_subgroups", addSubgroups),
    ...parts("remove_subgroups", removeSubgroups),
    ...groupVisibilityRows(rules, changed, touched),
  ]
}

/** If more users than this are added at once, none gets a message: so many would hold the log's lock for too long. */
const mostNotices = 100

/** The direct messages to users who were added to a group by somebody else. */
export const memberNotices = (
  realm: Realm,
  actor: UserRecord,
  group: Pick<GroupRecord, "name">,
  added: ReadonlyArray<UserId>,
): ReadonlyArray<NewCalls> => {
  const content = `${silentMention(actor)} added you to the group @_*${group.name}*.`
  const notices: ReadonlyArray<Notice> = added
    .map((id) => realm.users.get(id))
    .filter((user) => user !== undefined && !user.is_bot && user.id !== actor.id)
    .flatMap((user) => (user === undefined ? [] : [{ user, content }]))
  return notices.length > mostNotices ? [] : noticeSteps(realm, notices)
}
