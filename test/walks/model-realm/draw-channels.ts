/** Random requests about channels: making and changing them, archiving, posting, subscribing and unsubscribing. */
import type { Random } from "../../events/model/random.ts"
import * as rules from "./rules.ts"
import { type Channel, channelSettings, join, newChannelSettings, type State, type User } from "./state.ts"
import { activeUsers, channelsOf, type Draw, few, isForAll, type Step, someValue, sortedIds } from "./step.ts"

const kinds: ReadonlyArray<rules.Kind> = ["public", "web-public", "private-shared", "private-protected"]
const partsOf = (kind: rules.Kind) => ({
  isPrivate: kind.startsWith("private"),
  isWebPublic: kind === "web-public",
  isShared: kind !== "private-protected",
})

const pair = (state: State, random: Random): { by: User; channel: Channel } | undefined => {
  const channel = random.find(channelsOf(state))
  return channel === undefined ? undefined : { by: random.pick(activeUsers(state)), channel }
}
const onChannel =
  (draw: (by: User, channel: Channel, state: State, random: Random) => Step): Draw =>
  (state, random) => {
    const found = pair(state, random)
    return found === undefined ? undefined : draw(found.by, found.channel, state, random)
  }

const addChannel = (state: State, id: number, name: string, by: User, kind: rules.Kind, users: ReadonlyArray<User>) => {
  const channel: Channel = {
    id,
    name,
    description: "",
    ...partsOf(kind),
    isArchived: false,
    isDefault: false,
    topicsPolicy: "inherit",
    settings: newChannelSettings(by.id),
    subscribers: new Set(sortedIds(users)),
    ever: new Set(sortedIds(users)),
  }
  state.channels.set(id, channel)
  return channel
}

const create: Draw = (state, random) => {
  const by = random.pick(activeUsers(state))
  const kind = random.pick(kinds)
  const users = few(random, activeUsers(state), 4)
  const name = `channel ${state.channels.size}`
  const setting = random.pick(["can_add_subscribers_group", "can_subscribe_group", "can_send_message_group"] as const)
  const value = random.chance(0.5) ? someValue(state, random, isForAll(setting)) : undefined
  const parts = partsOf(kind)
  return {
    what: "create",
    by,
    method: "post",
    path: "/channels/create",
    fields: {
      name,
      subscribers: sortedIds(users),
      invite_only: parts.isPrivate,
      is_web_public: parts.isWebPublic,
      history_public_to_subscribers: parts.isShared,
      [setting]: value,
    },
    may: rules.mayCreate(state, by, kind),
    apply: ({ id }) => {
      const channel = addChannel(state, Number(id), name, by, kind, users)
      if (value !== undefined) channel.settings[setting] = value
    },
  }
}

const createBySubscribing: Draw = (state, random) => {
  const by = random.pick(activeUsers(state))
  const kind = random.pick(["public", "private-protected"] as const)
  const users = random.chance(0.5) ? [by] : few(random, activeUsers(state), 3)
  const name = `channel ${state.channels.size}`
  return {
    what: "create by subscribing",
    by,
    method: "post",
    path: "/users/me/subscriptions",
    fields: { subscriptions: [{ name }], principals: sortedIds(users), invite_only: kind !== "public" },
    may: rules.mayCreate(state, by, kind),
    // The answer does not contain the id; ids are given in order.
    apply: () => addChannel(state, Math.max(0, ...state.channels.keys()) + 1, name, by, kind, users),
  }
}

const send = onChannel((by, channel, state) => ({
  what: "send",
  by,
  method: "post",
  path: "/messages",
  fields: { type: "channel", to: channel.id, topic: "t", content: "hello" },
  may: rules.mayPost(state, by, channel),
  apply: () => {},
}))

const someChannels = (state: State, random: Random) => few(random, channelsOf(state), 2)
const namesOf = (channels: ReadonlyArray<Channel>) => channels.map(({ name }) => name)

const subscribe: Draw = (state, random) => {
  const channels = someChannels(state, random)
  if (channels.length === 0) return undefined
  const by = random.pick(activeUsers(state))
  const users = random.chance(0.5) ? [by] : few(random, activeUsers(state), 3)
  const forOthers = users.some((user) => user !== by)
  const rule = forOthers ? rules.maySubscribeOthers : rules.maySubscribe
  return {
    what: "subscribe",
    by,
    method: "post",
    path: "/users/me/subscriptions",
    fields: { subscriptions: namesOf(channels).map((name) => ({ name })), principals: sortedIds(users) },
    may: channels.every((channel) => rule(state, by, channel)),
    apply: () => {
      for (const channel of channels) for (const { id } of users) join(channel, id)
    },
  }
}

const unsubscribe: Draw = (state, random) => {
  const channels = someChannels(state, random)
  if (channels.length === 0) return undefined
  const by = random.pick(activeUsers(state))
  const users = random.chance(0.5) ? [by] : few(random, activeUsers(state), 2)
  const may = (channel: Channel) =>
    users.every((user) =>
      user === by ? rules.mayLeave(state, by, channel) : rules.mayUnsubscribe(state, by, user, channel),
    )
  return {
    what: "unsubscribe",
    by,
    method: "delete",
    path: "/users/me/subscriptions",
    fields: { subscriptions: namesOf(channels), principals: sortedIds(users) },
    may: channels.every(may),
    apply: () => {
      for (const { subscribers } of channels) for (const { id } of users) subscribers.delete(id)
    },
  }
}

const patch = (
  what: string,
  by: User,
  channel: Channel,
  fields: Step["fields"],
  may: boolean,
  apply: () => void,
): Step => ({ what, by, method: "patch", path: `/streams/${channel.id}`, fields, may, apply })

const rename = onChannel((by, channel, state, random) => {
  const name = `${channel.name.split(" as ")[0]} as ${random.between(0, 1_000_000)}`
  return patch("rename", by, channel, { new_name: name }, rules.mayAdminister(state, by, channel), () => {
    channel.name = name
  })
})

const describe = onChannel((by, channel, state, random) => {
  const description = `about ${random.between(0, 3)}`
  return patch("describe", by, channel, { description }, rules.mayAdminister(state, by, channel), () => {
    channel.description = description
  })
})

const turn = onChannel((by, channel, state, random) => {
  const kind = random.pick(kinds)
  const parts = partsOf(kind)
  const fields = {
    is_private: parts.isPrivate,
    is_web_public: parts.isWebPublic,
    history_public_to_subscribers: parts.isShared,
  }
  const may = rules.mayTurn(state, by, channel, kind) && !(channel.isDefault && parts.isPrivate)
  return patch(`make ${kind}`, by, channel, fields, may, () => {
    Object.assign(channel, parts)
  })
})

const give = onChannel((by, channel, state, random) => {
  const setting = random.pick(channelSettings)
  const value = someValue(state, random, isForAll(setting))
  const isFresh = random.chance(0.8)
  const old = isFresh ? rules.shown(state, channel.settings[setting]) : undefined
  const may = rules.mayGive(state, by, channel, setting)
  return patch(`give ${setting}`, by, channel, { [setting]: { new: value, old } }, may, () => {
    channel.settings[setting] = value
  })
})

const setPolicy = onChannel((by, channel, state, random) => {
  const policy = random.pick(["inherit", "allow_empty_topic"])
  const may = rules.maySetTopicsPolicy(state, by, channel, policy)
  return patch("topics policy", by, channel, { topics_policy: policy }, may, () => {
    channel.topicsPolicy = policy
  })
})

const makeDefault = onChannel((by, channel, _, random) => {
  const isDefault = random.chance(0.5)
  const may = rules.mayMakeDefault(by) && !(isDefault && (channel.isPrivate || channel.isArchived))
  return patch("default", by, channel, { is_default_stream: isDefault }, may, () => {
    channel.isDefault = isDefault
  })
})

const archive = onChannel((by, channel, state) => ({
  what: "archive",
  by,
  method: "delete",
  path: `/streams/${channel.id}`,
  fields: {},
  may: rules.mayAdminister(state, by, channel) && !channel.isArchived,
  apply: () => {
    channel.isArchived = true
    channel.isDefault = false
  },
}))

const unarchive: Draw = (state, random) => {
  const channel = random.find(channelsOf(state).filter((each) => each.isArchived))
  if (channel === undefined) return undefined
  const by = random.pick(activeUsers(state))
  return patch("unarchive", by, channel, { is_archived: false }, rules.mayAdminister(state, by, channel), () => {
    channel.isArchived = false
  })
}

/** The requests, each with its relative frequency. */
export const channelDraws: ReadonlyArray<readonly [weight: number, draw: Draw]> = [
  [5, create],
  [4, createBySubscribing],
  [14, send],
  [14, subscribe],
  [10, unsubscribe],
  [2, rename],
  [2, describe],
  [8, turn],
  [14, give],
  [2, setPolicy],
  [2, makeDefault],
  [4, archive],
  [4, unarchive],
]
