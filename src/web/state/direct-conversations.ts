/** Which conversations of direct messages the page lists. */
import { type Conversation, conversationKey, type PageState } from "./model.ts"

export interface DirectConversation {
  readonly key: string
  readonly users: ReadonlyArray<number>
  readonly newest: number
  readonly unread: number
}

/** Read or not, so many of the newest are listed. */
const mostRead = 12

const usersOf = (conversation: Conversation): ReadonlyArray<number> =>
  conversation.kind === "direct" ? conversation.users : []

/** The newest first, then what else is unread. The server names the newest thousand: an older one may have something unread, too. */
export const listDirects = ({
  directs,
  unread,
}: Pick<PageState, "directs" | "unread">): ReadonlyArray<DirectConversation> => {
  const known = [...directs].map(([key, { conversation, newest }]) => ({
    key,
    users: usersOf(conversation),
    newest,
    unread: unread.get(key)?.ids.size ?? 0,
  }))
  const others = [...unread.values()].flatMap(({ conversation, ids }) => {
    const key = conversationKey(conversation)
    if (conversation.kind !== "direct" || directs.has(key)) return []
    return { key, users: conversation.users, newest: [...ids].reduce((a, b) => Math.max(a, b), 0), unread: ids.size }
  })
  return [...known, ...others].sort((a, b) => b.newest - a.newest).filter((each, n) => n < mostRead || each.unread > 0)
}
