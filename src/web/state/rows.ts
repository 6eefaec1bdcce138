/** Messages as the rows of a list: days, the conversations that they belong to, and whose name need not be said again. */
import { type Conversation, conversationKey, type Narrow, type Post } from "./model.ts"

export type Row =
  | { readonly kind: "day"; readonly key: string; readonly time: number }
  | { readonly kind: "place"; readonly key: string; readonly conversation: Conversation }
  | { readonly kind: "unread"; readonly key: string }
  | { readonly kind: "post"; readonly key: string; readonly post: Post; readonly isFollowing: boolean }

/** Messages of one person within so many seconds stand together. */
const togetherSeconds = 600

/** `dayOf`: the local day of a time. `firstUnread`: where the line stands; it stays while one reads. */
export const rowsOf = (
  narrow: Narrow,
  posts: ReadonlyArray<Post>,
  dayOf: (time: number) => string,
  firstUnread: number | null,
): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  const hasPlaces = narrow.kind !== "conversation"
  let last: Post | null = null
  for (const post of posts) {
    const isNewDay = last === null || dayOf(last.time) !== dayOf(post.time)
    const isNewPlace = last === null || conversationKey(last.conversation) !== conversationKey(post.conversation)
    const isFirstUnread = post.id === firstUnread
    if (isNewDay) rows.push({ kind: "day", key: `day ${post.id}`, time: post.time })
    if (isFirstUnread && last !== null) rows.push({ kind: "unread", key: "unread" })
    if (hasPlaces && (isNewPlace || isNewDay))
      rows.push({ kind: "place", key: `place ${post.id}`, conversation: post.conversation })
    const isFollowing =
      !isNewDay &&
      !isNewPlace &&
      !isFirstUnread &&
      last?.senderId === post.senderId &&
      post.time - last.time < togetherSeconds &&
      !post.isMe
    rows.push({ kind: "post", key: String(post.id), post, isFollowing })
    last = post
  }
  return rows
}
