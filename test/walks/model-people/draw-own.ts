/** Random requests about oneself: presence, status, views, what one has been told; and whom one meets in channels. */
import { asking, type Draw, type Draws } from "./scene.ts"

/** After so long everybody is away, so that each ping is told of. */
const away = 600_000

/** Events of presence have ids after a row only: so a status comes right after. */
const appear: Draw = (scene, random) => {
  const by = random.pick(scene.people)
  const step = asking(scene, by, ["post", "/users/me/presence", { status: "active" }])
  const status = asking(scene, by, ["post", "/users/me/status", { status_text: `here ${++scene.made}` }])
  return {
    what: "appear",
    ...step,
    ask: async () => {
      await scene.server.clock.advance(away)
      const answer = await step.ask()
      return answer.status === 200 ? status.ask() : answer
    },
    may: true,
  }
}

const hide: Draw = (scene, random) => {
  const by = random.pick(scene.people)
  return {
    what: "hide or show one's presence",
    ...asking(scene, by, ["patch", "/settings", { presence_enabled: random.chance(0.5) }]),
    may: true,
  }
}

const say: Draw = (scene, random) => {
  const by = random.pick(scene.people)
  const emoji_name = random.pick(["octopus", ""])
  const fields = { status_text: random.pick(["", "busy"]), emoji_name }
  return { what: "a status", ...asking(scene, by, ["post", "/users/me/status", fields]), may: null }
}

const fragments = ["inbox", "narrow/has/reaction", "narrow/is/starred"]
const view = (fragment: string): string => `/navigation_views/${encodeURIComponent(fragment)}`

const keepView: Draw = (scene, random) => {
  const by = random.pick(scene.people)
  const fragment = random.pick(fragments)
  const name = fragment === "narrow/has/reaction" ? { name: `View ${++scene.made}` } : {}
  const fields = { fragment, is_pinned: random.chance(0.5), ...name }
  return { what: "keep a view", ...asking(scene, by, ["post", "/navigation_views", fields]), may: null }
}

const changeView: Draw = (scene, random) => {
  const [by, fragment] = [random.pick(scene.people), random.pick(fragments)]
  const fields = { is_pinned: random.chance(0.5) }
  return { what: "pin a view", ...asking(scene, by, ["patch", view(fragment), fields]), may: null }
}

const dropView: Draw = (scene, random) => {
  const [by, fragment] = [random.pick(scene.people), random.pick(fragments)]
  return { what: "drop a view", ...asking(scene, by, ["delete", view(fragment)]), may: null }
}

const steps = ["intro_inbox_view_modal", "intro_recent_view_modal", "intro_resolve_topic"]

const learn: Draw = (scene, random) => {
  const by = random.pick(scene.people)
  const fields = { onboarding_step: random.pick(steps) }
  return {
    what: "be told of something",
    ...asking(scene, by, ["post", "/users/me/onboarding_steps", fields]),
    may: true,
  }
}

const meet: Draw = (scene, random) => {
  const [by, other] = [scene.first, random.pick(scene.active)]
  const name = random.pick(["lobby", "court", "welcome", "square"])
  const fields = { subscriptions: [{ name }], principals: [other.id] }
  return { what: "subscribe", ...asking(scene, by, ["post", "/users/me/subscriptions", fields]), may: true }
}

const part: Draw = (scene, random) => {
  const [by, other] = [scene.first, random.pick(scene.active)]
  const subscriptions = [random.pick(["lobby", "court", "welcome", "square"])]
  const fields = { subscriptions, principals: [other.id] }
  return { what: "unsubscribe", ...asking(scene, by, ["delete", "/users/me/subscriptions", fields]), may: true }
}

const write: Draw = (scene, random) => {
  const by = random.pick(scene.people)
  const to = [random.pick(scene.people).id, random.pick(scene.people).id]
  const fields = { type: "direct", to: [...new Set(to)], content: "hello" }
  // A limited guest cannot write to somebody whom they do not know.
  return { what: "write directly", ...asking(scene, by, ["post", "/messages", fields]), may: null }
}

export const ownDraws: Draws = [
  [4, appear],
  [4, hide],
  [2, say],
  [3, keepView],
  [2, changeView],
  [2, dropView],
  [2, learn],
  [5, meet],
  [6, part],
  [4, write],
]
