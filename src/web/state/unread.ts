/** What is unread, by conversation, and what is counted of it. */
import {
  type Conversation,
  conversationKey,
  type PageChannel,
  type PagePost,
  type PageState,
  type UnreadConversation,
} from "./model.ts"

type UnreadByKey = ReadonlyMap<string, UnreadConversation>

export const withUnread = (all: UnreadByKey, conversation: Conversation, ids: Iterable<number>): UnreadByKey => {
  const key = conversationKey(conversation)
  const known = all.get(key)
  return new Map(all).set(key, {
    conversation: known?.conversation ?? conversation,
    ids: new Set([...(known?.ids ?? []), ...ids]),
  })
}

/** Messages that are unread again, each where it is. */
export const withAllUnread = (all: UnreadByKey, given: Iterable<readonly [Conversation, number]>): UnreadByKey => {
  const places = new Map<string, { readonly conversation: Conversation; readonly ids: Array<number> }>()
  for (const [conversation, id] of given) {
    const key = conversationKey(conversation)
    const place = places.get(key) ?? { conversation, ids: [] }
    place.ids.push(id)
    places.set(key, place)
  }
  return [...places.values()].reduce((now, { conversation, ids }) => withUnread(now, conversation, ids), all)
}

/** What is in both. Thousands may be unread, and thousands be read at once: the fewer of the two are looked at. */
const both = (one: ReadonlySet<number>, other: ReadonlySet<number>): ReadonlyArray<number> => {
  const [few, many] = one.size < other.size ? [one, other] : [other, one]
  return [...few].filter((id) => many.has(id))
}

export const withoutUnread = (all: UnreadByKey, ids: ReadonlySet<number>): UnreadByKey => {
  const left = new Map(all)
  let isTouched = false
  for (const [key, unread] of all) {
    const gone = both(unread.ids, ids)
    if (gone.length === 0) continue
    isTouched = true
    if (gone.length === unread.ids.size) left.delete(key)
    else left.set(key, { ...unread, ids: without(unread.ids, gone) })
  }
  return isTouched ? left : all
}

export const without = <Item>(all: ReadonlySet<Item>, gone: Iterable<Item>): ReadonlySet<Item> => {
  const left = new Set(all)
  for (const item of gone) left.delete(item)
  return left.size === all.size ? all : left
}

/** Messages that a topic's move takes along are unread where they are now. */
export const moveUnread = (all: UnreadByKey, ids: ReadonlyArray<number>, to: Conversation): UnreadByKey => {
  const moved = new Set(ids)
  const held = new Set([...all.values()].flatMap((unread) => both(unread.ids, moved)))
  return held.size === 0 ? all : withUnread(withoutUnread(all, held), to, held)
}

/** What says whether something is muted. */
type Mutes = Pick<PageState, "channels" | "topicPolicies">

const isTopicMuted = (state: Mutes, channel: PageChannel | undefined, key: string): boolean => {
  const policy = state.topicPolicies.get(key) ?? 0
  return policy === 1 || (channel?.isMuted === true && policy !== 2 && policy !== 3)
}

export const isMuted = (state: Mutes, conversation: Conversation): boolean =>
  conversation.kind === "topic" &&
  isTopicMuted(state, state.channels.get(conversation.channel), conversationKey(conversation))

/** What people who are muted write is there, too, folded up: list/message.tsx. */
export const isPostMuted = (state: Mutes, post: PagePost): boolean =>
  isMuted(state, post.conversation) && !post.flags.has("mentioned")

export const unreadIn = (state: Pick<PageState, "unread">, conversation: Conversation): number =>
  state.unread.get(conversationKey(conversation))?.ids.size ?? 0

/** As the side bar has them: pinned ones first, those that are muted last. */
export const inBarOrder = (a: PageChannel, b: PageChannel): number =>
  Number(b.isPinned) - Number(a.isPinned) || Number(a.isMuted) - Number(b.isMuted) || a.name.localeCompare(b.name)

const newestOf = ({ ids }: UnreadConversation): number => [...ids].reduce((a, b) => Math.max(a, b), 0)

/** Conversations where something counts as unread, in the order in which one goes through them: as the side bar has them. */
export const unreadPlaces = (state: Mutes & Pick<PageState, "unread">): ReadonlyArray<Conversation> => {
  const channels = [...state.channels.values()]
    .filter(({ isSubscribed, isArchived }) => isSubscribed && !isArchived)
    .sort(inBarOrder)
  const rank = new Map(channels.map(({ id }, n) => [id, n]))
  const rankOf = ({ conversation }: UnreadConversation): number =>
    conversation.kind === "topic" ? (rank.get(conversation.channel) ?? -1) : channels.length
  return [...state.unread.values()]
    .filter((unread) => rankOf(unread) >= 0 && !isMuted(state, unread.conversation))
    .sort((a, b) => rankOf(a) - rankOf(b) || newestOf(b) - newestOf(a))
    .map(({ conversation }) => conversation)
}

/** The one after this place, and from the end again the first; undefined where nothing else is unread. */
export const nextUnread = (state: Mutes & Pick<PageState, "unread">, here: string): Conversation | undefined => {
  const places = unreadPlaces(state)
  const at = places.findIndex((each) => conversationKey(each) === here)
  const others = [...places.slice(at + 1), ...places.slice(0, Math.max(0, at))]
  return others[0]
}

export interface UnreadCounts {
  readonly channels: ReadonlyMap<number, number>
  readonly directs: number
  /** Without what is muted. */
  readonly all: number
}

export const countUnread = (state: Mutes & Pick<PageState, "unread">): UnreadCounts => {
  const channels = new Map<number, number>()
  let directs = 0
  let all = 0
  for (const [key, { conversation, ids }] of state.unread) {
    if (conversation.kind === "direct") {
      directs += ids.size
      all += ids.size
      continue
    }
    const channel = state.channels.get(conversation.channel)
    const policy = state.topicPolicies.get(key) ?? 0
    // A muted channel counts what is unmuted in it; its own number is shown in grey.
    if (policy === 1 || channel?.isSubscribed !== true) continue
    channels.set(conversation.channel, (channels.get(conversation.channel) ?? 0) + ids.size)
    if (!isTopicMuted(state, channel, key)) all += ids.size
  }
  return { channels, directs, all }
}
