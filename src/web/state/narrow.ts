/** What a reader has chosen to see: its address in the page, what the server is asked for it, and what belongs to it. */
import { conversationKey, type PageNarrow, type PagePost } from "./model.ts"

/** Filters of `GET /messages`. */
export interface NarrowFilter {
  readonly operator: string
  readonly operand: string | number | ReadonlyArray<number>
}

export const narrowKey = (narrow: PageNarrow): string => {
  if (narrow.kind === "channel") return `channel:${narrow.channel}`
  if (narrow.kind === "conversation") return conversationKey(narrow.conversation)
  return narrow.kind === "search" ? `search:${narrow.words}` : narrow.kind
}

export const filtersOf = (narrow: PageNarrow): ReadonlyArray<NarrowFilter> => {
  // Without what is muted, as it is while new messages come: all that there is would be no filter.
  if (narrow.kind === "all") return [{ operator: "in", operand: "home" }]
  if (narrow.kind === "mentions") return [{ operator: "is", operand: "mentioned" }]
  if (narrow.kind === "starred") return [{ operator: "is", operand: "starred" }]
  if (narrow.kind === "channel") return [{ operator: "channel", operand: narrow.channel }]
  if (narrow.kind === "search") return [{ operator: "search", operand: narrow.words }]
  const { conversation } = narrow
  return conversation.kind === "direct"
    ? [{ operator: "dm", operand: conversation.users }]
    : [
        { operator: "channel", operand: conversation.channel },
        { operator: "topic", operand: conversation.topic },
      ]
}

/** Whether a new message is shown. What a search finds only the server knows, so nothing is added to it. */
export const belongs = (narrow: PageNarrow, post: PagePost, isMuted: boolean): boolean => {
  if (narrow.kind === "all") return !isMuted
  if (narrow.kind === "search") return false
  if (narrow.kind === "starred") return post.flags.has("starred")
  if (narrow.kind === "mentions") return post.flags.has("mentioned") || post.flags.has("wildcard_mentioned")
  if (narrow.kind === "channel")
    return post.conversation.kind === "topic" && post.conversation.channel === narrow.channel
  return conversationKey(post.conversation) === conversationKey(narrow.conversation)
}

/** A place in the page: what is shown, and a message to begin at. */
export interface PagePlace {
  readonly narrow: PageNarrow
  readonly near: number | null
}

const encode = (text: string): string => encodeURIComponent(text).replaceAll("'", "%27")

const decode = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

const wholeNumber = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null

const pathOf = (narrow: PageNarrow): string => {
  if (narrow.kind === "channel") return `channel/${narrow.channel}`
  if (narrow.kind === "search") return `search/${encode(narrow.words)}`
  if (narrow.kind !== "conversation") return narrow.kind
  const { conversation } = narrow
  return conversation.kind === "direct"
    ? `direct/${conversation.users.join(",")}`
    : `channel/${conversation.channel}/topic/${encode(conversation.topic)}`
}

export const hashOf = ({ narrow, near }: PagePlace): string =>
  `#${pathOf(narrow)}${near === null ? "" : `/near/${near}`}`

export const linkTo = (narrow: PageNarrow): string => hashOf({ narrow, near: null })

export const topicNarrow = (channel: number, topic: string): PageNarrow => ({
  kind: "conversation",
  conversation: { kind: "topic", channel, topic },
})

/** The channel that a narrow is in; null where it is in none or in many. */
export const channelOf = (narrow: PageNarrow): number | null => {
  if (narrow.kind === "channel") return narrow.channel
  return narrow.kind === "conversation" && narrow.conversation.kind === "topic" ? narrow.conversation.channel : null
}

const readNarrow = ([kind, first, word, second]: ReadonlyArray<string>): PageNarrow | null => {
  if (kind === "all" || kind === "mentions" || kind === "starred") return { kind }
  const words = decode(first ?? "")
  if (kind === "search") return words === null || words === "" ? null : { kind, words }
  if (kind === "direct") {
    const users = (first ?? "").split(",").map(wholeNumber)
    const known = users.filter((user) => user !== null)
    if (known.length !== users.length) return null
    return { kind: "conversation", conversation: { kind: "direct", users: known.sort((a, b) => a - b) } }
  }
  const channel = wholeNumber(first)
  if (kind !== "channel" || channel === null) return null
  if (word !== "topic") return { kind: "channel", channel }
  const topic = decode(second ?? "")
  return topic === null ? null : topicNarrow(channel, topic)
}

/** Links in rendered messages lead here, too: `#narrow/channel/5-general/topic/x/near/7`, with `.` in place of `%`. */
const plainParts = (parts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first, ...rest] = parts
  if (first !== "narrow") return parts
  const words: Readonly<Record<string, string>> = { stream: "channel", subject: "topic", dm: "direct", with: "near" }
  return rest.map((part, n) => {
    if (n % 2 === 0) return words[part] ?? part
    return rest[n - 1] === "topic" || rest[n - 1] === "subject"
      ? part.replaceAll(".", "%")
      : part.replace(/^([\d,]+)-.*$/, "$1")
  })
}

/** Null for what is no place. */
export const readHash = (hash: string): PagePlace | null => {
  const parts = plainParts(hash.replace(/^#/, "").split("/"))
  const at = parts.indexOf("near")
  const narrow = readNarrow(at < 0 ? parts : parts.slice(0, at))
  return narrow && { narrow, near: at < 0 ? null : wholeNumber(parts[at + 1]) }
}
