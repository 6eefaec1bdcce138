/**
 * What the reader may do, by the groups that permissions name: so the page offers nothing that would be refused. The server judges by
 * itself, and by more than the page knows of.
 */
import type { Api } from "../../client/index.ts"
import type { Channel, State } from "./model.ts"

const isIn = (state: State, group: number, user: number, seen: ReadonlySet<number> = new Set()): boolean => {
  const found = state.groups.get(group)
  if (found === undefined || seen.has(group)) return false
  const next = new Set([...seen, group])
  return found.members.includes(user) || found.direct_subgroup_ids.some((below) => isIn(state, below, user, next))
}

/** `holders`: one group by its number, or people and groups. */
export const isAmong = (state: State, user: number, holders: Api.PermissionHolders): boolean =>
  typeof holders === "number"
    ? isIn(state, holders, user)
    : holders.direct_members.includes(user) || holders.direct_subgroups.some((group) => isIn(state, group, user))

/** Guests hold nothing but what everybody may hold, whatever group they are in. */
const holds = (state: State, holders: Api.PermissionHolders): boolean =>
  !state.self.isGuest && isAmong(state, state.self.id, holders)

/** Posting is what guests may be let do, too. */
export const mayPost = (state: State, { permissions }: Channel): boolean =>
  isAmong(state, state.self.id, permissions.post)

export const mayAdminister = (state: State, { permissions }: Channel): boolean =>
  state.self.isAdmin || holds(state, permissions.administer)

export const mayAddSubscribers = (state: State, channel: Channel): boolean =>
  mayAdminister(state, channel) ||
  holds(state, channel.permissions.addSubscribers) ||
  holds(state, state.permissions.addSubscribers)

/** Others than oneself. */
export const mayRemoveSubscribers = (state: State, channel: Channel): boolean =>
  mayAdminister(state, channel) || holds(state, channel.permissions.removeSubscribers)

export const mayCreateGroups = (state: State): boolean => holds(state, state.permissions.createGroups)

export const mayManageGroup = (state: State, group: Api.UserGroup): boolean =>
  !group.is_system_group && (holds(state, state.permissions.manageGroups) || holds(state, group.can_manage_group))

/** `who`: themselves alone, which more groups allow. */
export const mayAddMember = (state: State, group: Api.UserGroup, who: number): boolean =>
  mayManageGroup(state, group) ||
  holds(state, group.can_add_members_group) ||
  (who === state.self.id && holds(state, group.can_join_group))

export const mayRemoveMember = (state: State, group: Api.UserGroup, who: number): boolean =>
  mayManageGroup(state, group) ||
  holds(state, group.can_remove_members_group) ||
  (who === state.self.id && isAmong(state, state.self.id, group.can_leave_group))
