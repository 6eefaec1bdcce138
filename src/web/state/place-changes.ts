/** What an event means for whoever looks at a place: it has moved, or is theirs no longer. */
import type { Event } from "../../client/index.ts"
import { type Conversation, conversationKey, type PageFeed, type PageNarrow, type PageState } from "./model.ts"
import { movedTo } from "./moved-messages.ts"
import { channelOf, narrowKey, topicNarrow } from "./narrow.ts"

export type PlaceChange =
  /** All of a topic has moved: who reads or writes there goes along. */
  | { readonly kind: "moved"; readonly from: Conversation; readonly to: Conversation }
  /** A part of the topic that is shown has moved. */
  | { readonly kind: "part-moved"; readonly count: number; readonly to: Conversation }
  /** The channel that is shown is another one now for the reader; `name`: as it was. */
  | { readonly kind: "lost" | "archived" | "unsubscribed"; readonly name: string }
  /** All messages of the conversation that is shown are gone: deleted, or moved where the reader may not follow. */
  | { readonly kind: "emptied" }
  /** It can be seen again. */
  | { readonly kind: "found" }

const topicShown = (narrow: PageNarrow): Conversation | null =>
  narrow.kind === "conversation" && narrow.conversation.kind === "topic" ? narrow.conversation : null

const moveOf = (before: PageState, event: Event, narrow: PageNarrow): PlaceChange | null => {
  if (event.type !== "update_message" || event.stream_id === undefined) return null
  const to = movedTo(event)
  if (to === null) return null
  const from: Conversation = { kind: "topic", channel: event.stream_id, topic: event.orig_subject ?? "" }
  const shown = topicShown(narrow)
  const isHere = shown !== null && conversationKey(shown) === conversationKey(from)
  const moved = new Set(event.message_ids)
  const posts = isHere ? (before.feed?.posts ?? []) : []
  if (event.propagate_mode === "change_all") return { kind: "moved", from, to }
  if (!isHere || conversationKey(from) === conversationKey(to)) return null
  if (posts.length > 0 && posts.every(({ id }) => moved.has(id))) return { kind: "moved", from, to }
  // Whoever moves a part knows it.
  return event.user_id === before.self.id ? null : { kind: "part-moved", count: moved.size, to }
}

const ofChannel = (before: PageState, after: PageState, narrow: PageNarrow): PlaceChange | null => {
  const id = channelOf(narrow)
  const was = id === null ? undefined : before.channels.get(id)
  const is = id === null ? undefined : after.channels.get(id)
  if (was === is) return null
  if (was === undefined) return { kind: "found" }
  if (is === undefined) return { kind: "lost", name: was.name }
  if (is.isArchived && !was.isArchived) return { kind: "archived", name: was.name }
  return was.isSubscribed && !is.isSubscribed ? { kind: "unsubscribed", name: was.name } : null
}

const isEmptied = (before: PageState, after: PageState, event: Event, narrow: PageNarrow): boolean =>
  event.type === "delete_message" &&
  narrow.kind === "conversation" &&
  (before.feed?.posts.length ?? 0) > 0 &&
  after.feed?.posts.length === 0

/** Null where it means nothing. */
export const placeChangeIn = (
  narrow: PageNarrow,
  before: PageState,
  after: PageState,
  event: Event,
): PlaceChange | null =>
  moveOf(before, event, narrow) ??
  ofChannel(before, after, narrow) ??
  (isEmptied(before, after, event, narrow) ? { kind: "emptied" } : null)

/** Where one is once a topic has moved. */
export const narrowAfter = (narrow: PageNarrow, from: Conversation, to: Conversation): PageNarrow => {
  const shown = topicShown(narrow)
  if (shown === null || to.kind !== "topic" || conversationKey(shown) !== conversationKey(from)) return narrow
  return topicNarrow(to.channel, to.topic)
}

/** What is on the screen goes along, until it has been read anew; null where nothing is there yet. */
export const feedAfter = (
  feed: PageFeed | null,
  from: PageNarrow,
  narrow: PageNarrow,
  to: Conversation,
): PageFeed | null =>
  feed === null || narrowKey(feed.narrow) !== narrowKey(from)
    ? null
    : { ...feed, narrow, posts: feed.posts.map((post) => ({ ...post, conversation: to, isMoved: true })) }
