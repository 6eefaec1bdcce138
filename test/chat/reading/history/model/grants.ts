/**
 * Permissions of channels that groups hold, and who is in a group. In a private channel
 * - who may subscribe to it or add subscribers reads all that its subscribers may read later: what is said from now on,
 *   and, where the history is shared, all of it, without being in it;
 * - who may administer it knows of it and reads nothing;
 * - a guest has none of these permissions, even if a group or a list has the guest.
 * Nothing is told to these people of what happens to messages: their clients find it when they read.
 */
import { roles, systemGroups } from "../../../../../src/chat/ground/realm/domain-values.ts"
import type { User } from "./world.ts"

export interface Group {
  readonly id: number
  /** Deactivated users too, who are in it again when they are back. */
  readonly members: Set<User>
  readonly subgroups: Set<Group>
}

/** The value of a permission: these people, all in these groups, and all whose role is that one or higher. */
export interface Grant {
  readonly people: ReadonlyArray<User>
  readonly groups: ReadonlyArray<Group>
  readonly role: number | null
}

export const grantNames = ["can_subscribe_group", "can_add_subscribers_group", "can_administer_channel_group"] as const
export type GrantName = (typeof grantNames)[number]
export type Grants = Record<GrantName, Grant>

export const toNobody: Grant = { people: [], groups: [], role: null }
export const noGrants = (): Grants => ({
  can_subscribe_group: toNobody,
  can_add_subscribers_group: toNobody,
  can_administer_channel_group: toNobody,
})

export const isInGroup = (user: User, { members, subgroups }: Group): boolean =>
  members.has(user) || [...subgroups].some((each) => isInGroup(user, each))

export const isGranted = (user: User, { people, groups, role }: Grant): boolean =>
  user.role !== roles.guest &&
  (people.includes(user) || groups.some((each) => isInGroup(user, each)) || (role !== null && user.role <= role))

const groupOfRole = new Map<number | null, number>([
  [null, systemGroups["role:nobody"]],
  [roles.moderator, systemGroups["role:moderators"]],
  [roles.member, systemGroups["role:members"]],
])

/** As clients send it. */
export const wireGrant = ({ people, groups, role }: Grant) => {
  const system = groupOfRole.get(role) ?? 0
  if (people.length === 0 && groups.length === 0) return system
  return {
    direct_members: people.map(({ id }) => id),
    direct_subgroups: [...groups.map(({ id }) => id), ...(role === null ? [] : [system])],
  }
}
