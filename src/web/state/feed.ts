/** The window of messages that is shown: bounded, whatever is scrolled through. */
import type { Feed, Narrow, Post, State } from "./model.ts"
import { belongs } from "./narrow.ts"
import { isPostMuted } from "./unread.ts"

/** The most messages that a window has, in memory and in the page. */
export const mostPosts = 240

const merge = (known: ReadonlyArray<Post>, read: ReadonlyArray<Post>): ReadonlyArray<Post> => {
  const all = new Map([...known, ...read].map((post) => [post.id, post]))
  return [...all.values()].sort((a, b) => a.id - b.id)
}

export const openFeed = (
  narrow: Narrow,
  posts: ReadonlyArray<Post>,
  ends: Pick<Feed, "hasOldest" | "hasNewest">,
): Feed => ({
  narrow,
  posts: merge([], posts),
  ...ends,
})

/** Older messages come in at the start, and where they are too many the newest leave: they are read again on the way back. */
export const addOlder = (feed: Feed, read: ReadonlyArray<Post>, hasOldest: boolean): Feed => {
  const posts = merge(feed.posts, read)
  const isFull = posts.length > mostPosts
  return { ...feed, posts: posts.slice(0, mostPosts), hasOldest, hasNewest: feed.hasNewest && !isFull }
}

export const addNewer = (feed: Feed, read: ReadonlyArray<Post>, hasNewest: boolean): Feed => {
  const posts = merge(feed.posts, read)
  const isFull = posts.length > mostPosts
  return { ...feed, posts: posts.slice(-mostPosts), hasNewest, hasOldest: feed.hasOldest && !isFull }
}

/** A message that has just come. */
export const addNew = (state: State, post: Post): Feed | null => {
  const { feed } = state
  if (feed === null || !feed.hasNewest) return feed
  if (!belongs(feed.narrow, post, isPostMuted(state, post) && post.senderId !== state.self.id)) return feed
  return addNewer(feed, [post], true)
}

/** `change` answers the same post where nothing changes, and null where it leaves. */
export const changePosts = (
  feed: Feed | null,
  ids: ReadonlySet<number>,
  change: (post: Post) => Post | null,
): Feed | null => {
  if (feed === null || !feed.posts.some(({ id }) => ids.has(id))) return feed
  const posts = feed.posts.flatMap((post) => (ids.has(post.id) ? (change(post) ?? []) : [post]))
  return { ...feed, posts }
}

/** Whether a message that has come is said to who hears the page: what is shown, of others, but of nobody who is muted. */
export const isHeard = (before: State | null, after: State | null, sender: number): boolean =>
  after !== null && after.feed !== before?.feed && sender !== after.self.id && !after.mutedPeople.has(sender)
