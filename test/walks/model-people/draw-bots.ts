/** Random requests about bots, and by them: making and changing them, their keys and what they store. */
import type { Fields } from "../../kit/client.ts"
import { asking, type Draw, type Draws, isAdmin, isGuest, type Member } from "./scene.ts"

const mostBots = 4

/** Whoever may change a bot: its owner, and administrators unless it is an owner. */
const keeps = (by: Member, bot: Member): boolean => isAdmin(by) || (bot.owner === by.id && !by.isBot)

const make: Draw = (scene, random) => {
  if (scene.bots.length >= mostBots) return undefined
  const by = random.pick(scene.active)
  const n = ++scene.made
  const bot_type = random.pick([1, 2, 3])
  const fields: Fields = {
    full_name: `Bot ${n}`,
    short_name: `b${n}`,
    bot_type,
    ...(bot_type === 3 ? { payload_url: "https://bots.example.com/echo" } : {}),
    ...(random.chance(0.4) ? { default_sending_stream: "welcome" } : {}),
  }
  return {
    what: "make a bot",
    ...asking(scene, by, ["post", "/bots", fields]),
    may: by.isBot || isGuest(by) ? false : fields["default_sending_stream"] === undefined ? true : null,
    apply: ({ user_id }) => {
      scene.add(Number(user_id), 400, by.id, bot_type === 2)
    },
  }
}

const change: Draw = (scene, random) => {
  const bot = random.find(scene.bots)
  if (bot === undefined) return undefined
  const by = random.pick([random.pick(scene.active), scene.members.get(bot.owner ?? 0) ?? scene.first])
  if (!by.isActive) return undefined
  const owner = random.pick(scene.people)
  const fields: Fields = random.pick<Fields>([
    { full_name: `Bot ${++scene.made}` },
    { bot_owner_id: owner.id },
    { bot_owner_id: owner.id, full_name: `Bot ${scene.made}` },
    { default_sending_stream: random.pick(["lobby", "welcome", ""]) },
    { default_events_register_stream: random.pick(["den", "square", ""]) },
    { default_all_public_streams: random.chance(0.5) },
    { role: random.pick([300, 400, 600]) },
  ])
  return {
    what: `change a bot's ${Object.keys(fields)[0]}`,
    ...asking(scene, by, ["patch", `/bots/${bot.id}`, fields]),
    may: keeps(by, bot) ? null : false,
    apply: () => {
      if (fields["bot_owner_id"] !== undefined) bot.owner = owner.id
      if (fields["role"] !== undefined) bot.role = Number(fields["role"])
    },
  }
}

const show: Draw = (scene, random) => {
  const bot = random.find(scene.bots)
  if (bot === undefined) return undefined
  const by = random.pick([random.pick(scene.people), scene.first])
  const path = `/bots/${bot.id}`
  const ask = () => scene.upload(by, "PATCH", path)
  return { what: "give a bot a picture", by, told: ["patch", path], ask, may: keeps(by, bot) ? null : false }
}

const end: Draw = (scene, random) => {
  const bot = random.find(scene.bots.filter(({ isActive }) => isActive))
  if (bot === undefined) return undefined
  const by = random.pick(scene.active)
  return {
    what: "deactivate a bot",
    ...asking(scene, by, ["delete", `/bots/${bot.id}`]),
    may: keeps(by, bot) ? null : false,
    apply: () => {
      bot.isActive = false
    },
  }
}

const renew: Draw = (scene, random) => {
  const bot = random.find(scene.bots.filter(({ isActive }) => isActive))
  if (bot === undefined) return undefined
  const by = random.pick([random.pick(scene.people), scene.first])
  return {
    what: "renew a bot's key",
    ...asking(scene, by, ["post", `/bots/${bot.id}/api_key/regenerate`]),
    may: keeps(by, bot) ? null : false,
  }
}

const store: Draw = (scene, random) => {
  const bot = random.find(scene.active.filter(({ isBot }) => isBot))
  if (bot === undefined) return undefined
  const storage = { [random.pick(["a", "b", "c"])]: `value ${++scene.made}`, d: "always" }
  return {
    what: "store",
    ...asking(scene, bot, ["put", "/bot_storage", { storage }]),
    may: true,
    apply: () => {
      for (const [key, value] of Object.entries(storage)) bot.storage.set(key, value)
    },
  }
}

const forget: Draw = (scene, random) => {
  const bot = random.find(scene.active.filter(({ isBot, storage }) => isBot && storage.size > 0))
  if (bot === undefined) return undefined
  const keys = [random.pick([...bot.storage.keys()])]
  return {
    what: "forget what is stored",
    ...asking(scene, bot, ["delete", "/bot_storage", { keys }]),
    may: true,
    apply: () => {
      for (const key of keys) bot.storage.delete(key)
    },
  }
}

export const botDraws: Draws = [
  [8, make],
  [8, change],
  [2, show],
  [3, end],
  [3, renew],
  [3, store],
  [2, forget],
]
