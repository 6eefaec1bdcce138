/** Random requests about the organization: whom guests know, domains, announcements, playgrounds. */
import { systemGroups } from "../../../src/chat/ground/realm/domain-values.ts"
import { channelId } from "../../kit/channel-scene.ts"
import { asking, type Draw, type Draws, isAdmin } from "./scene.ts"

const limit: Draw = (scene, random) => {
  const by = random.pick(scene.active)
  const group = random.pick(["role:members", "role:members", "role:everyone"] as const)
  return {
    what: "whom guests know",
    ...asking(scene, by, ["patch", "/realm", { can_access_all_users_group: { new: systemGroups[group] } }]),
    may: isAdmin(by),
  }
}

const flags = ["avatar_changes_disabled", "email_changes_disabled", "emails_restricted_to_domains"] as const

const turn: Draw = (scene, random) => {
  const by = random.pick(scene.active)
  const flag = random.pick(flags)
  const isOn = random.chance(0.5)
  return {
    what: "turn a setting",
    ...asking(scene, by, ["patch", "/realm", { [flag]: isOn }]),
    // Addresses are restricted only where there are domains.
    may: !isAdmin(by) ? false : flag === "emails_restricted_to_domains" ? null : true,
    apply: () => {
      scene.flags.set(flag, isOn)
    },
  }
}

const announce: Draw = (scene, random) => {
  const by = random.pick(scene.active)
  const signup_announcements_stream_id = random.pick([
    -1,
    ...["lobby", "court", "square"].map((name) => channelId(scene.server, name)),
  ])
  return {
    what: "where who joins is announced",
    ...asking(scene, by, ["patch", "/realm", { signup_announcements_stream_id }]),
    may: isAdmin(by),
  }
}

const addDomain: Draw = (scene, random) => {
  const by = random.pick(scene.active)
  const domain = random.pick(["in.example", "far.example", "test.example"])
  return {
    what: "add a domain",
    ...asking(scene, by, ["post", "/realm/domains", { domain, allow_subdomains: random.chance(0.5) }]),
    may: isAdmin(by) && !scene.domains.has(domain),
    apply: () => {
      scene.domains.add(domain)
    },
  }
}

const changeDomain: Draw = (scene, random) => {
  const domain = random.find([...scene.domains])
  if (domain === undefined) return undefined
  const by = random.pick(scene.active)
  return {
    what: "change a domain",
    ...asking(scene, by, ["patch", `/realm/domains/${domain}`, { allow_subdomains: random.chance(0.5) }]),
    may: isAdmin(by),
  }
}

const removeDomain: Draw = (scene, random) => {
  const domain = random.find([...scene.domains])
  if (domain === undefined) return undefined
  const by = random.pick(scene.active)
  return {
    what: "remove a domain",
    ...asking(scene, by, ["delete", `/realm/domains/${domain}`]),
    may: isAdmin(by),
    apply: () => {
      scene.domains.delete(domain)
      // The restriction goes with the last one.
      if (scene.domains.size === 0) scene.flags.set("emails_restricted_to_domains", false)
    },
  }
}

const addPlayground: Draw = (scene, random) => {
  const by = random.pick(scene.active)
  const fields = {
    name: `Playground ${++scene.made}`,
    pygments_language: random.pick(["Rust", "C++"]),
    url_template: "https://play.example/?code={code}",
  }
  return {
    what: "add a playground",
    ...asking(scene, by, ["post", "/realm/playgrounds", fields]),
    may: isAdmin(by),
    apply: ({ id }) => {
      scene.playgrounds.add(Number(id))
    },
  }
}

const removePlayground: Draw = (scene, random) => {
  const id = random.find([...scene.playgrounds])
  if (id === undefined) return undefined
  const by = random.pick(scene.active)
  return {
    what: "remove a playground",
    ...asking(scene, by, ["delete", `/realm/playgrounds/${id}`]),
    may: isAdmin(by),
    apply: () => {
      scene.playgrounds.delete(id)
    },
  }
}

export const realmDraws: Draws = [
  [6, limit],
  [4, turn],
  [4, announce],
  [3, addDomain],
  [2, changeDomain],
  [2, removeDomain],
  [3, addPlayground],
  [2, removePlayground],
]
