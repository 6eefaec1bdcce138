/** The sight of everybody at one moment; those before and after a request are compared (hearing.ts). */
import type { Message, User, World } from "./world.ts"

/** A message as it is at that moment. */
export interface Known {
  readonly message: Message
  readonly sender: number
  readonly channel: number | null
  readonly topic: string
  readonly content: string
  readonly reactions: ReadonlySet<string>
  readonly votes: number
}

export interface Visibility {
  readonly messages: ReadonlyMap<number, Known>
  /** By user: what they may read, and of which of it their clients hear. */
  readonly reads: ReadonlyMap<User, ReadonlySet<number>>
  readonly hears: ReadonlyMap<User, ReadonlySet<number>>
  readonly holds: ReadonlyMap<User, ReadonlySet<number>>
  readonly had: ReadonlyMap<User, ReadonlySet<number>>
  /** By user: the channels that they know of, and those whose messages they read from now on. */
  readonly channels: ReadonlyMap<User, ReadonlySet<number>>
  readonly contents: ReadonlyMap<User, ReadonlySet<number>>
  /** By channel: its subscribers. */
  readonly subscribers: ReadonlyMap<number, ReadonlySet<User>>
  readonly privateChannels: ReadonlySet<number>
}

const none: ReadonlySet<never> = new Set()
export const of = <K, V>(map: ReadonlyMap<K, ReadonlySet<V>>, key: K): ReadonlySet<V> => map.get(key) ?? none

export const visibilityOf = (world: World): Visibility => {
  const users = world.activeUsers()
  const messagesOf = (which: (user: User, message: Message) => boolean) =>
    new Map(users.map((user) => [user, new Set(world.ids((message) => which(user, message)))]))
  const channelsOf = (which: (user: User, channel: World["channels"][number]) => boolean) =>
    new Map(
      users.map((user) => [user, new Set(world.channels.filter((each) => which(user, each)).map(({ id }) => id))]),
    )
  return {
    messages: new Map(
      [...world.messages].map(([id, message]) => [
        id,
        {
          message,
          sender: message.sender,
          channel: message.channel?.id ?? null,
          topic: message.topic,
          content: message.content,
          reactions: new Set(message.reactions),
          votes: message.votes,
        },
      ]),
    ),
    reads: messagesOf((user, message) => world.reads(user, message)),
    hears: messagesOf((user, message) => world.hears(user, message)),
    holds: messagesOf((user, message) => world.holds(user, message)),
    had: messagesOf((user, message) => world.had(user, message)),
    channels: channelsOf((user, channel) => world.knows(user, channel)),
    contents: channelsOf((user, channel) => world.readsContent(user, channel)),
    subscribers: new Map(world.channels.map(({ id, subscribers }) => [id, new Set(subscribers)])),
    privateChannels: new Set(world.channels.filter(({ isPrivate }) => isPrivate).map(({ id }) => id)),
  }
}
