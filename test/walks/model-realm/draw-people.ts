/** Random requests about users and the organization: roles, (de)activation, settings, direct messages. */
import * as rules from "./rules.ts"
import { realmSettings, role, type State, system, type User } from "./state.ts"
import { activeUsers, type Draw, few, someValue, sortedIds } from "./step.ts"

const mayTouch = (by: User, user: User, next: number = user.role): boolean =>
  by.role === role.owner || (by.role === role.administrator && user.role !== role.owner && next !== role.owner)

/** The users whose roles change: all but bots and the first owner, who must stay one. */
const movable = (state: State): ReadonlyArray<User> => [...state.users.values()].slice(1).filter((each) => !each.isBot)

const setRole: Draw = (state, random) => {
  const user = random.find(movable(state).filter((each) => each.isActive))
  if (user === undefined) return undefined
  const by = random.pick(activeUsers(state))
  const next = random.pick([100, 200, 300, 400, 400, 600, 600])
  return {
    what: `role ${next}`,
    by,
    method: "patch",
    path: `/users/${user.id}`,
    fields: { role: next },
    may: mayTouch(by, user, next),
    apply: () => {
      user.role = next
    },
  }
}

const deactivate: Draw = (state, random) => {
  const user = random.find(movable(state).filter((each) => each.isActive))
  const by = random.pick(activeUsers(state))
  if (user === undefined || user === by) return undefined
  return {
    what: "deactivate",
    by,
    method: "delete",
    path: `/users/${user.id}`,
    fields: {},
    may: mayTouch(by, user),
    apply: () => {
      user.isActive = false
      for (const bot of state.users.values()) if (bot.owner === user.id) bot.isActive = false
    },
  }
}

const reactivate: Draw = (state, random) => {
  const user = random.find([...state.users.values()].filter((each) => !each.isActive))
  const by = random.pick(activeUsers(state))
  if (user === undefined) return undefined
  return {
    what: "reactivate",
    by,
    method: "post",
    path: `/users/${user.id}/reactivate`,
    fields: {},
    may: mayTouch(by, user),
    apply: () => {
      user.isActive = true
    },
  }
}

const giveInRealm: Draw = (state, random) => {
  const by = random.pick(activeUsers(state))
  const setting = random.pick(realmSettings)
  const value =
    setting === "can_create_web_public_channel_group"
      ? random.pick([system.moderators, system.administrators, system.owners])
      : someValue(state, random)
  return {
    what: `realm ${setting}`,
    by,
    method: "patch",
    path: "/realm",
    fields: { [setting]: { new: value } },
    may: rules.mayChangeRealm(by),
    apply: () => {
      state.settings[setting] = value
    },
  }
}

const write: Draw = (state, random) => ({
  what: "write directly",
  by: random.pick(activeUsers(state)),
  method: "post",
  path: "/messages",
  fields: { type: "direct", to: sortedIds(few(random, activeUsers(state), 2)), content: "hello" },
  may: true,
  apply: () => {},
})

export const peopleDraws: ReadonlyArray<readonly [weight: number, draw: Draw]> = [
  [10, setRole],
  [4, deactivate],
  [6, reactivate],
  [5, giveInRealm],
  [3, write],
]
