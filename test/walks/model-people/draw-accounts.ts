/** Random requests about accounts: who comes and goes, roles, names, addresses and who may know them, pictures. */
import { linksTo, send } from "../../chat/people/accounts/accounts-scene.ts"
import { asking, type Draw, type Draws, isAdmin, type Member, mayTouch, type Scene } from "./scene.ts"

/** More people than these make a run slow. */
const mostPeople = 11

/** All but the first owner, who must stay one. */
const others = (scene: Scene): ReadonlyArray<Member> =>
  [...scene.members.values()].filter((each) => each !== scene.first && !each.isBot)
const isRestricted = (scene: Scene): boolean => scene.flags.get("emails_restricted_to_domains") === true

const goes = (scene: Scene, { id }: Member): void => {
  for (const each of scene.members.values()) if (each.id === id || each.owner === id) each.isActive = false
}

const setRole: Draw = (scene, random) => {
  const other = random.find(others(scene).filter(({ isActive }) => isActive))
  if (other === undefined) return undefined
  const by = random.pick(scene.active)
  const role = random.pick([100, 200, 300, 400, 400, 600, 600])
  return {
    what: "role",
    ...asking(scene, by, ["patch", `/users/${other.id}`, { role }]),
    // A limited guest does not know everybody, and a request about a stranger is refused, too.
    may: mayTouch(by, other, role),
    apply: () => {
      other.role = role
    },
  }
}

const deactivate: Draw = (scene, random) => {
  const other = random.find(others(scene).filter(({ isActive }) => isActive))
  const by = random.pick(scene.active)
  if (other === undefined || other === by) return undefined
  return {
    what: "deactivate",
    ...asking(scene, by, ["delete", `/users/${other.id}`]),
    may: mayTouch(by, other),
    apply: () => goes(scene, other),
  }
}

const leave: Draw = (scene, random) => {
  const by = random.pick(scene.active)
  if (by === scene.first) return undefined
  return {
    what: "leave",
    ...asking(scene, by, ["delete", "/users/me"]),
    may: !by.isBot,
    apply: () => goes(scene, by),
  }
}

const reactivate: Draw = (scene, random) => {
  const other = random.find([...scene.members.values()].filter(({ isActive }) => !isActive))
  if (other === undefined) return undefined
  const by = random.pick(scene.active)
  const isOwn = other.owner === by.id && !by.isBot
  return {
    what: "reactivate",
    ...asking(scene, by, ["post", `/users/${other.id}/reactivate`]),
    may: other.isBot ? (isAdmin(by) || isOwn ? null : false) : mayTouch(by, other),
    apply: () => {
      other.isActive = true
    },
  }
}

const come: Draw = (scene, random) => {
  if (scene.people.length >= mostPeople) return undefined
  const by = random.pick(scene.people)
  const n = ++scene.made
  const email = `new${n}@${random.pick(["test.example", "in.example"])}`
  const fields = { email, password: "long enough", full_name: `New ${n}` }
  return {
    what: "somebody joins",
    ...asking(scene, by, ["post", "/users", fields]),
    may: isAdmin(by) ? (isRestricted(scene) ? null : true) : false,
    apply: ({ user_id }) => {
      // Who may know the address is the organization's default.
      scene.add(Number(user_id), 400)
    },
  }
}

const rename: Draw = (scene, random) => {
  const [by, other] = [random.pick(scene.active), random.pick([...scene.members.values()])]
  return {
    what: "rename",
    ...asking(scene, by, ["patch", `/users/${other.id}`, { full_name: `Somebody ${++scene.made}` }]),
    may: isAdmin(by) || other.owner === by.id,
  }
}

const giveAddress: Draw = (scene, random) => {
  const [by, other] = [random.pick(scene.active), random.pick([...scene.members.values()])]
  const new_email = `given${++scene.made}@${random.pick(["test.example", "in.example"])}`
  const isFree = !isRestricted(scene) && other.isActive
  return {
    what: "give an address",
    ...asking(scene, by, ["patch", `/users/${other.id}`, { new_email }]),
    may: other.isBot || !mayTouch(by, other) ? false : isFree ? true : null,
  }
}

const takeAddress: Draw = (scene, random) => {
  const by = random.pick(scene.people)
  const email = `own${++scene.made}@${random.pick(["test.example", "in.example"])}`
  const isClosed = scene.flags.get("email_changes_disabled") === true && !isAdmin(by)
  const step = asking(scene, by, ["patch", "/settings", { email }])
  return {
    what: "take an address",
    ...step,
    ask: async () => {
      const answer = await step.ask()
      const link = answer.status === 200 ? (await linksTo(scene.server, email)).at(-1) : undefined
      if (answer.status === 200) await send(scene.server, link ?? "no link")
      return answer
    },
    may: isClosed ? false : isRestricted(scene) ? null : true,
  }
}

const hideAddress: Draw = (scene, random) => {
  const by = random.pick(scene.people)
  const email_address_visibility = random.pick([1, 2, 3, 4, 5])
  return {
    what: "who may know an address",
    ...asking(scene, by, ["patch", "/settings", { email_address_visibility }]),
    may: true,
    apply: () => {
      by.visibility = email_address_visibility
    },
  }
}

const mayShow = (scene: Scene, by: Member): boolean =>
  isAdmin(by) || scene.flags.get("avatar_changes_disabled") !== true

const givePicture: Draw = (scene, random) => {
  const by = random.pick(scene.active)
  const path = "/users/me/avatar"
  const ask = () => scene.upload(by, "POST", path)
  return { what: "give a picture", by, told: ["post", path], ask, may: mayShow(scene, by) }
}

const removePicture: Draw = (scene, random) => {
  const by = random.pick(scene.active)
  return {
    what: "remove a picture",
    ...asking(scene, by, ["delete", "/users/me/avatar"]),
    may: mayShow(scene, by),
  }
}

export const accountDraws: Draws = [
  [8, setRole],
  [4, deactivate],
  [4, leave],
  [9, reactivate],
  [4, come],
  [3, rename],
  [5, giveAddress],
  [4, takeAddress],
  [6, hideAddress],
  [3, givePicture],
  [3, removePicture],
]
