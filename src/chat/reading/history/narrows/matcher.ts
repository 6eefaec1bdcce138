/**
 * Matchers: the conditions on messages that the operators of narrows come to. From these both the SQL of searches is
 * made (search.ts, search-conditions-store.ts) and the predicate that judges one message by its facts (`fits`), for
 * matches_narrow and for the narrows of queues.
 */

import type { ChannelId, MessageId, UserId } from "../../../../ids.ts"
import { topicPolicy } from "../../../ground/kinds/user-topic-row.ts"
import { fold } from "../../../ground/realm/domain-values.ts"
import type { SearchText } from "../../search/search-words.ts"

export const searchedFlags = ["unread", "starred", "mentioned", "alerted"] as const
export type SearchedFlag = (typeof searchedFlags)[number]

/** Kinds of content of a message, by the columns of the table. */
export const searchedParts = ["has_attachment", "has_image", "has_link"] as const
export type SearchedPart = (typeof searchedParts)[number]

/** The condition of one term, without its negation. */
export type Matcher =
  | { readonly kind: "channel"; readonly channel: ChannelId }
  | { readonly kind: "channels"; readonly channels: ReadonlyArray<ChannelId> }
  /** Compared without regard to case; channel messages only. */
  | { readonly kind: "topic"; readonly topic: string }
  /** A topic that is marked as resolved. */
  | { readonly kind: "resolved" }
  | { readonly kind: "sender"; readonly sender: UserId }
  /** Every direct message. */
  | { readonly kind: "direct" }
  /**
   * The direct messages between exactly these people: sorted ids, joined by commas. No conversation has the empty key.
   */
  | { readonly kind: "conversation"; readonly memberKey: string }
  /** Direct messages of conversations that this user is in. */
  | { readonly kind: "including"; readonly user: UserId }
  /** Likewise, of at least three people. */
  | { readonly kind: "group"; readonly user: UserId }
  | { readonly kind: "message"; readonly message: MessageId }
  /** The reader has not read the message, has starred it, is mentioned, or it has one of their alert words. */
  | { readonly kind: "flag"; readonly flag: SearchedFlag }
  /** In a topic that the reader follows. */
  | { readonly kind: "followed" }
  /** In a topic that the reader has muted; or in one of these channels, which they have, and not in a topic that they unmuted. */
  | { readonly kind: "muted"; readonly channels: ReadonlyArray<ChannelId> }
  /** All but those. */
  | { readonly kind: "home"; readonly channels: ReadonlyArray<ChannelId> }
  | { readonly kind: "part"; readonly part: SearchedPart }
  /** Somebody has reacted to it. */
  | { readonly kind: "reaction" }
  /** It, or its topic, has these words and phrases. */
  | { readonly kind: "text"; readonly text: SearchText }

export interface NarrowCondition {
  readonly matcher: Matcher
  readonly negated: boolean
}

/** A message, as its row says. */
export interface MessageFacts {
  readonly id: number
  readonly sender: number
  /** null: a direct message. */
  readonly channel: number | null
  /** As `fold` makes it. */
  readonly topicFolded: string
  /** The participants of a direct message. */
  readonly people: ReadonlyArray<number>
  readonly parts: Readonly<Record<SearchedPart, boolean>>
}

/** The facts of the message that depend on its reader. */
export interface ReaderFacts {
  readonly hasFlag: (flag: SearchedFlag) => boolean
  /** Their choice for its topic, see topicPolicy. */
  readonly topicPolicy: number
  readonly hasReaction: boolean
  readonly hasText: (text: SearchText) => boolean
}

/** A resolved topic begins so. `fold` leaves it as it is. */
export const resolvedMark = "✔ "

const isMuted = ({ channel }: MessageFacts, policy: number, channels: ReadonlyArray<number>): boolean =>
  channel !== null &&
  (policy === topicPolicy.muted ||
    (policy !== topicPolicy.unmuted && policy !== topicPolicy.followed && channels.includes(channel)))

const keyOf = (people: ReadonlyArray<number>): string => people.toSorted((a, b) => a - b).join(",")

/** Whether the message fulfils the condition of a term, without its negation. */
export const fits = (matcher: Matcher, message: MessageFacts, reader: ReaderFacts): boolean => {
  const { channel, people } = message
  switch (matcher.kind) {
    case "channel":
      return channel === matcher.channel
    case "channels":
      return matcher.channels.some((each) => each === channel)
    case "topic":
      return channel !== null && message.topicFolded === fold(matcher.topic)
    case "resolved":
      return channel !== null && message.topicFolded.startsWith(resolvedMark)
    case "sender":
      return message.sender === matcher.sender
    case "direct":
      return channel === null
    case "conversation":
      return channel === null && keyOf(people) === matcher.memberKey
    case "including":
      return channel === null && people.includes(matcher.user)
    case "group":
      return channel === null && people.length > 2 && people.includes(matcher.user)
    case "message":
      return message.id === matcher.message
    case "flag":
      return reader.hasFlag(matcher.flag)
    case "followed":
      return channel !== null && reader.topicPolicy === topicPolicy.followed
    case "muted":
      return isMuted(message, reader.topicPolicy, matcher.channels)
    case "home":
      return !isMuted(message, reader.topicPolicy, matcher.channels)
    case "part":
      return message.parts[matcher.part]
    case "reaction":
      return reader.hasReaction
    case "text":
      return reader.hasText(matcher.text)
  }
}
