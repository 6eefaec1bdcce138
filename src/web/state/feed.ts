/** The window of messages that is shown: bounded, whatever is scrolled through. */
import type { PageFeed, PageNarrow, PagePost, PageState } from "./model.ts"
import { belongs } from "./narrow.ts"
import { isPostMuted } from "./unread.ts"

/** The most messages that a window has, in memory and in the page. */
export const mostPosts = 240

const merge = (known: ReadonlyArray<PagePost>, read: ReadonlyArray<PagePost>): ReadonlyArray<PagePost> => {
  const all = new Map([...known, ...read].map((post) => [post.id, post]))
  return [...all.values()].sort((a, b) => a.id - b.id)
}

export const openFeed = (
  narrow: PageNarrow,
  posts: ReadonlyArray<PagePost>,
  ends: Pick<PageFeed, "hasOldest" | "hasNewest">,
): PageFeed => ({
  narrow,
  posts: merge([], posts),
  ...ends,
})

/** Older messages come in at the start, and where they are too many the newest leave: they are read again on the way back. */
export const addOlder = (feed: PageFeed, read: ReadonlyArray<PagePost>, hasOldest: boolean): PageFeed => {
  const posts = merge(feed.posts, read)
  const isFull = posts.length > mostPosts
  return { ...feed, posts: posts.slice(0, mostPosts), hasOldest, hasNewest: feed.hasNewest && !isFull }
}

export const addNewer = (feed: PageFeed, read: ReadonlyArray<PagePost>, hasNewest: boolean): PageFeed => {
  const posts = merge(feed.posts, read)
  const isFull = posts.length > mostPosts
  return { ...feed, posts: posts.slice(-mostPosts), hasNewest, hasOldest: feed.hasOldest && !isFull }
}

/** A message that has just come. */
export const addArrived = (state: PageState, post: PagePost): PageFeed | null => {
  const { feed } = state
  if (feed === null || !feed.hasNewest) return feed
  if (!belongs(feed.narrow, post, isPostMuted(state, post) && post.senderId !== state.self.id)) return feed
  return addNewer(feed, [post], true)
}

/** `change` answers the same post where nothing changes, and null where it leaves. */
export const changePosts = (
  feed: PageFeed | null,
  ids: ReadonlySet<number>,
  change: (post: PagePost) => PagePost | null,
): PageFeed | null => {
  if (feed === null || !feed.posts.some(({ id }) => ids.has(id))) return feed
  const posts = feed.posts.flatMap((post) => (ids.has(post.id) ? (change(post) ?? []) : [post]))
  return posts.length === 0 ? { ...feed, posts, isEmptied: true } : { ...feed, posts }
}

/** Whether a message that has come is said to who hears the page: what is shown, of others, but of nobody who is muted. */
export const isAnnounced = (before: PageState | null, after: PageState | null, sender: number): boolean =>
  after !== null && after.feed !== before?.feed && sender !== after.self.id && !after.mutedPeople.has(sender)
