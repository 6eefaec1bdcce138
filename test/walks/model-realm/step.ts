/** A request of a random run: its sender, whether it must succeed, and its change of the model. */

import type { Random } from "../../events/model/random.ts"
import type { Fields } from "../../kit/client.ts"
import { type Channel, type Group, type State, system, type User, type Value } from "./state.ts"

export interface Step {
  readonly what: string
  readonly by: User
  readonly method: "post" | "patch" | "delete"
  readonly path: string
  readonly fields: Fields
  /** Whether the request must succeed; null: either is right, and the model follows the answer. */
  readonly may: boolean | null
  readonly apply: (answer: Fields) => void
}

/** Makes a random request; undefined if the present state offers none. */
export type Draw = (state: State, random: Random) => Step | undefined

export const activeUsers = (state: State): ReadonlyArray<User> =>
  [...state.users.values()].filter((each) => each.isActive)
export const channelsOf = (state: State): ReadonlyArray<Channel> => [...state.channels.values()]
export const groupsOf = (state: State): ReadonlyArray<Group> => [...state.groups.values()]
export const usableGroups = (state: State): ReadonlyArray<Group> =>
  groupsOf(state).filter((each) => !each.isDeactivated)

const byNumber = (a: number, b: number) => a - b
export const sortedIds = (items: ReadonlyArray<{ readonly id: number }>): ReadonlyArray<number> =>
  items.map(({ id }) => id).sort(byNumber)

/** One to `most` items of a list, each at most once. */
export const few = <T>(random: Random, list: ReadonlyArray<T>, most: number): ReadonlyArray<T> => {
  const left = [...list]
  const taken: Array<T> = []
  for (let n = random.between(1, most); n > 0 && left.length > 0; n--) {
    const item = random.take(left)
    if (item !== undefined) taken.push(item)
  }
  return taken
}

/** A value that every permission accepts; `isForAll`: for permissions that everyone may hold, which accept more. */
export const someValue = (state: State, random: Random, isForAll = false): Value => {
  const groups = usableGroups(state)
  if (random.chance(0.35)) {
    const roles = [system.members, system.moderators, system.administrators, system.fullMembers]
    return random.pick(isForAll ? [...roles, system.everyone] : roles)
  }
  const [group] = few(random, groups, 1)
  if (group !== undefined && random.chance(0.3)) return group.id
  const direct_members = sortedIds(few(random, activeUsers(state), 2))
  const direct_subgroups = random.chance(0.5) ? sortedIds(few(random, groups, 2)) : []
  return { direct_members, direct_subgroups }
}

export const isForAll = (setting: string): boolean =>
  ["can_send_message_group", "can_leave_group", "can_mention_group", "can_resolve_topics_group"].includes(setting)
