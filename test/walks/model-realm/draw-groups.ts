/** Random requests about groups: making, changing, deactivating and reactivating them, their members and subgroups. */
import type { Random } from "../../events/model/random.ts"
import * as rules from "./rules.ts"
import { type Group, groupSettings, newGroupSettings, type State, system, type User, type Value } from "./state.ts"
import {
  activeUsers,
  channelsOf,
  type Draw,
  few,
  groupsOf,
  isForAll,
  type Step,
  someValue,
  sortedIds,
  usableGroups,
} from "./step.ts"

const onGroup =
  (draw: (by: User, group: Group, state: State, random: Random) => Step | undefined): Draw =>
  (state, random) => {
    const group = random.find(groupsOf(state))
    return group === undefined ? undefined : draw(random.pick(activeUsers(state)), group, state, random)
  }

const create: Draw = (state, random) => {
  if (state.groups.size >= 8) return undefined
  const by = random.pick(activeUsers(state))
  const members = few(random, activeUsers(state), 3)
  const subgroups = random.chance(0.5) ? few(random, usableGroups(state), 2) : []
  const name = `group ${state.groups.size}`
  return {
    what: "create a group",
    by,
    method: "post",
    path: "/user_groups/create",
    fields: { name, description: "", members: sortedIds(members), subgroups: sortedIds(subgroups) },
    may: rules.mayCreateGroups(state, by),
    apply: ({ group_id }) => {
      const id = Number(group_id)
      state.groups.set(id, {
        id,
        name,
        description: "",
        isDeactivated: false,
        members: new Set(sortedIds(members)),
        subgroups: new Set(sortedIds(subgroups)),
        settings: newGroupSettings(by.id),
      })
    },
  }
}

const patch = (
  what: string,
  by: User,
  group: Group,
  fields: Step["fields"],
  may: boolean,
  apply: () => void,
): Step => ({
  what,
  by,
  method: "patch",
  path: `/user_groups/${group.id}`,
  fields,
  may,
  apply,
})

const describe = onGroup((by, group, state, random) => {
  const description = `for ${random.between(0, 3)}`
  return patch("describe a group", by, group, { description }, rules.mayManage(state, by, group), () => {
    group.description = description
  })
})

const rename = onGroup((by, group, state, random) => {
  const name = `group ${group.id} as ${random.between(0, 1_000_000)}`
  return patch("rename a group", by, group, { name }, rules.mayManage(state, by, group), () => {
    group.name = name
  })
})

const give = onGroup((by, group, state, random) => {
  const setting = random.pick(groupSettings)
  const value = someValue(state, random, isForAll(setting))
  return patch(`give ${setting}`, by, group, { [setting]: { new: value } }, rules.mayManage(state, by, group), () => {
    group.settings[setting] = value
  })
})

const members = (by: User, group: Group, fields: Step["fields"], may: boolean, apply: () => void): Step => ({
  what: `members ${Object.keys(fields)}`,
  by,
  method: "post",
  path: `/user_groups/${group.id}/members`,
  fields,
  may,
  apply,
})

const join = onGroup((by, group, state, random) => {
  const outside = activeUsers(state).filter(({ id }) => !group.members.has(id))
  const users = random.chance(0.4) ? outside.filter((each) => each === by) : few(random, outside, 2)
  if (users.length === 0) return undefined
  const may = users.every((user) => rules.mayAddMember(state, by, group, user))
  return members(by, group, { add: sortedIds(users) }, may, () => {
    for (const { id } of users) group.members.add(id)
  })
})

const leave = onGroup((by, group, state, random) => {
  const inside = activeUsers(state).filter(({ id }) => group.members.has(id))
  const users = random.chance(0.4) ? inside.filter((each) => each === by) : few(random, inside, 2)
  if (users.length === 0) return undefined
  const may = users.every((user) => rules.mayRemoveMember(state, by, group, user))
  return members(by, group, { delete: sortedIds(users) }, may, () => {
    for (const { id } of users) group.members.delete(id)
  })
})

/** Whether `outer` is `inner` or contains it, at any depth. */
const reaches = (state: State, outer: number, inner: number): boolean =>
  outer === inner || [...(state.groups.get(outer)?.subgroups ?? [])].some((each) => reaches(state, each, inner))

const subgroups = (by: User, group: Group, fields: Step["fields"], may: boolean, apply: () => void): Step => ({
  what: `subgroups ${Object.keys(fields)}`,
  by,
  method: "post",
  path: `/user_groups/${group.id}/subgroups`,
  fields,
  may,
  apply,
})

const addSubgroup = onGroup((by, group, state, random) => {
  const ids = [...groupsOf(state).map(({ id }) => id), system.moderators].filter((id) => !group.subgroups.has(id))
  const id = random.find(ids)
  if (id === undefined) return undefined
  const isFit = !reaches(state, id, group.id) && state.groups.get(id)?.isDeactivated !== true
  return subgroups(by, group, { add: [id] }, isFit && rules.mayAddSubgroup(state, by, group), () => {
    group.subgroups.add(id)
  })
})

const removeSubgroup = onGroup((by, group, state, random) => {
  const id = random.find([...group.subgroups])
  if (id === undefined) return undefined
  return subgroups(by, group, { delete: [id] }, rules.mayRemoveSubgroup(state, by, group), () => {
    group.subgroups.delete(id)
  })
})

const names = (value: Value, id: number): boolean =>
  typeof value === "number" ? value === id : value.direct_subgroups.includes(id)

/** Whether a group is unused and so can be deactivated; null: only deactivated groups or it itself use it. */
const isFree = (state: State, { id }: Group): boolean | null => {
  const uses = [
    ...Object.values(state.settings).map((value) => [names(value, id), true] as const),
    // Permissions of archived channels count, because the channel may be unarchived with them.
    ...channelsOf(state).map((each) => [Object.values(each.settings).some((value) => names(value, id)), true] as const),
    ...groupsOf(state).flatMap((each) => [
      [Object.values(each.settings).some((value) => names(value, id)), !each.isDeactivated && each.id !== id] as const,
      [each.subgroups.has(id), !each.isDeactivated] as const,
    ]),
  ].filter(([isUsed]) => isUsed)
  if (uses.some(([, counts]) => counts)) return false
  return uses.length === 0 ? true : null
}

const deactivate = onGroup((by, group, state) => {
  if (group.isDeactivated) return undefined
  const isManaged = rules.mayManage(state, by, group)
  const free = isFree(state, group)
  return {
    what: "deactivate a group",
    by,
    method: "post",
    path: `/user_groups/${group.id}/deactivate`,
    fields: {},
    may: isManaged ? free : false,
    apply: () => {
      group.isDeactivated = true
    },
  }
})

const reactivate: Draw = (state, random) => {
  const group = random.find(groupsOf(state).filter((each) => each.isDeactivated))
  if (group === undefined) return undefined
  const by = random.pick(activeUsers(state))
  return patch("reactivate a group", by, group, { deactivated: false }, rules.mayManage(state, by, group), () => {
    group.isDeactivated = false
  })
}

export const groupDraws: ReadonlyArray<readonly [weight: number, draw: Draw]> = [
  [6, create],
  [1, describe],
  [1, rename],
  [6, give],
  [10, join],
  [8, leave],
  [6, addSubgroup],
  [4, removeSubgroup],
  [4, deactivate],
  [4, reactivate],
]
