/** Messages as the rows of a list: days, the conversations that they belong to, and whose name need not be said again. */
import { type Conversation, conversationKey, type PageNarrow, type PagePost } from "./model.ts"

/** A message that is on its way. */
export interface WaitingMessage {
  readonly localId: string
  readonly conversation: Conversation
  readonly content: string
  /** Unix seconds. */
  readonly time: number
}

export type MessageRow<Pending extends WaitingMessage> =
  | { readonly kind: "day"; readonly key: string; readonly time: number }
  | { readonly kind: "place"; readonly key: string; readonly conversation: Conversation }
  | { readonly kind: "unread"; readonly key: string }
  | { readonly kind: "post"; readonly key: string; readonly post: PagePost; readonly isFollowing: boolean }
  | { readonly kind: "waiting"; readonly key: string; readonly waiting: Pending; readonly isFollowing: boolean }

/** Messages of one person within so many seconds stand together. */
const togetherSeconds = 600

type RowSource = Pick<PagePost, "conversation" | "senderId" | "time" | "isMe">

export const isAct = (content: string): boolean => content.startsWith("/me ")

/**
 * `dayOf`: the local day of a time. `firstUnread`: where the line stands; it stays while one reads. `waiting`: of the reader, `self`, in
 * the rows that the messages will have, so that nothing moves when they have come.
 */
export const rowsOf = <Pending extends WaitingMessage = never>(
  narrow: PageNarrow,
  posts: ReadonlyArray<PagePost>,
  dayOf: (time: number) => string,
  firstUnread: number | null,
  waiting: ReadonlyArray<Pending> = [],
  self = 0,
): ReadonlyArray<MessageRow<Pending>> => {
  const rows: Array<MessageRow<Pending>> = []
  const hasPlaces = narrow.kind !== "conversation"
  let last: RowSource | null = null
  /** Adds what stands before it; answers whether its sender need not be said. */
  const follows = (post: RowSource, id: number | string): boolean => {
    const isNewDay = last === null || dayOf(last.time) !== dayOf(post.time)
    const isNewPlace = last === null || conversationKey(last.conversation) !== conversationKey(post.conversation)
    const isFirstUnread = id === firstUnread
    if (isNewDay) rows.push({ kind: "day", key: `day ${id}`, time: post.time })
    if (isFirstUnread && last !== null) rows.push({ kind: "unread", key: "unread" })
    if (hasPlaces && (isNewPlace || isNewDay))
      rows.push({ kind: "place", key: `place ${id}`, conversation: post.conversation })
    const isFollowing =
      !isNewDay &&
      !isNewPlace &&
      !isFirstUnread &&
      last?.senderId === post.senderId &&
      post.time - last.time < togetherSeconds &&
      !post.isMe
    last = post
    return isFollowing
  }
  for (const post of posts) {
    const isFollowing = follows(post, post.id)
    rows.push({ kind: "post", key: String(post.id), post, isFollowing })
  }
  for (const each of waiting) {
    const { localId, conversation, time, content } = each
    const isFollowing = follows({ conversation, senderId: self, time, isMe: isAct(content) }, localId)
    rows.push({ kind: "waiting", key: localId, waiting: each, isFollowing })
  }
  return rows
}
