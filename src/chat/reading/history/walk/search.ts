/**
 * Combines the conditions of a narrow: at most one wanted value of each kind, and lists of unwanted values. That keeps
 * the number of distinct SQL statements small, and their time independent of the number of terms.
 */
import type { ChannelId, MessageId, UserId } from "../../../../ids.ts"
import { fold } from "../../../ground/realm/domain-values.ts"
import type { SearchText } from "../../search/search-words.ts"
import type { FoundWords } from "../../search/search-words-store.ts"
import type { Matcher, NarrowCondition, SearchedFlag, SearchedPart } from "../narrows/matcher.ts"

export interface SearchExclusions {
  readonly channels: ReadonlyArray<ChannelId>
  /** As `fold` makes it, like `topic_folded` in the table. */
  readonly topics: ReadonlyArray<string>
  readonly senders: ReadonlyArray<UserId>
  readonly memberKeys: ReadonlyArray<string>
  readonly messages: ReadonlyArray<MessageId>
  readonly flags: ReadonlyArray<SearchedFlag>
  readonly parts: ReadonlyArray<SearchedPart>
  /** Direct messages of conversations that one of these users is in. */
  readonly including: ReadonlyArray<UserId>
  readonly groups: ReadonlyArray<UserId>
}

/** The places that the reader has muted: `channels`, and topics, but for topics that they have unmuted. */
export interface MutingFilter {
  readonly wanted: boolean
  readonly channels: ReadonlyArray<ChannelId>
}

export interface WantedText {
  readonly text: SearchText
  readonly negated: boolean
}

/** A text as the database compares it. */
export interface FoundText extends FoundWords {
  readonly negated: boolean
}

/** A field that is null restricts nothing. */
export interface Search {
  readonly channels: ReadonlyArray<ChannelId> | null
  /** As `fold` makes it, like `topic_folded` in the table. */
  readonly topic: string | null
  readonly sender: UserId | null
  readonly memberKey: string | null
  /** Direct messages of conversations that all of these users are in. */
  readonly including: ReadonlyArray<UserId>
  /** Direct messages between at least three people only. */
  readonly isGroup: boolean
  readonly message: MessageId | null
  /** true: direct messages only; false: channel messages only. */
  readonly direct: boolean | null
  /** A message must have all of them. */
  readonly flags: ReadonlyArray<SearchedFlag>
  readonly parts: ReadonlyArray<SearchedPart>
  /** true: only messages in resolved topics; false: only others. Likewise topics that the reader follows. */
  readonly isResolved: boolean | null
  readonly isFollowed: boolean | null
  readonly muting: MutingFilter | null
  /** true: only messages with reactions; false: only those without. */
  readonly hasReaction: boolean | null
  /** Words and phrases that a message, or its topic, must have, or must not. */
  readonly texts: ReadonlyArray<WantedText>
  /** The same as the database compares them, once they have been looked up (texts-store.ts). */
  readonly words: ReadonlyArray<FoundText>
  /** null where no term is negated. */
  readonly unwanted: SearchExclusions | null
}

const one = <A>(values: ReadonlyArray<A>): A | null => values[0] ?? null

/** Each list is walked once, whatever the others hold. */
const intersection = (lists: ReadonlyArray<ReadonlyArray<ChannelId>>): ReadonlyArray<ChannelId> | null => {
  const [first, ...others] = lists
  if (first === undefined) return null
  let left = new Set(first)
  for (const list of others) left = new Set(list.filter((each) => left.has(each)))
  return [...left]
}

/** The negated conditions, or the others, by kind; each value once. */
const gather = (conditions: ReadonlyArray<NarrowCondition>, negated: boolean) => {
  const matchers = conditions.filter((each) => each.negated === negated).map(({ matcher }) => matcher)
  const of = <K extends Matcher["kind"]>(kind: K) =>
    matchers.filter((each): each is Extract<Matcher, { readonly kind: K }> => each.kind === kind)
  const distinct = <A extends string | number>(values: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(values)]
  return {
    channels: [...of("channel").map(({ channel }) => [channel]), ...of("channels").map(({ channels }) => channels)],
    topics: distinct(of("topic").map(({ topic }) => fold(topic))),
    senders: distinct(of("sender").map(({ sender }) => sender)),
    memberKeys: distinct(of("conversation").map(({ memberKey }) => memberKey)),
    messages: distinct(of("message").map(({ message }) => message)),
    including: distinct(of("including").map(({ user }) => user)),
    groups: distinct(of("group").map(({ user }) => user)),
    // Sorted, because each order would be another statement.
    flags: distinct(of("flag").map(({ flag }) => flag)).toSorted(),
    parts: distinct(of("part").map(({ part }) => part)).toSorted(),
    direct: of("direct").length > 0,
    reaction: of("reaction").length > 0,
    resolved: of("resolved").length > 0,
    followed: of("followed").length > 0,
    texts: of("text").map(({ text }) => text),
    muted: of("muted")[0]?.channels,
    home: of("home")[0]?.channels,
  }
}
type GatheredConditions = ReturnType<typeof gather>

const yes = (wanted: boolean, unwanted: boolean): boolean | null => (wanted ? true : unwanted ? false : null)

const isOfPeople = ({ including, groups }: GatheredConditions): boolean => including.length > 0 || groups.length > 0

const isContradiction = (wanted: GatheredConditions, unwanted: GatheredConditions): boolean =>
  [wanted.topics, wanted.senders, wanted.memberKeys, wanted.messages].some((each) => each.length > 1) ||
  (wanted.direct && unwanted.direct) ||
  (wanted.reaction && unwanted.reaction) ||
  (wanted.resolved && unwanted.resolved) ||
  (wanted.followed && unwanted.followed) ||
  (isOfPeople(wanted) && unwanted.direct) ||
  wanted.flags.some((flag) => unwanted.flags.includes(flag)) ||
  wanted.parts.some((part) => unwanted.parts.includes(part))

/** Null where no message can match. */
export const readSearch = (conditions: ReadonlyArray<NarrowCondition>): Search | null => {
  const wanted = gather(conditions, false)
  const others = gather(conditions, true)
  const within = intersection(wanted.channels)
  const muted = wanted.muted ?? others.home
  const home = wanted.home ?? others.muted
  if (within?.length === 0 || isContradiction(wanted, others) || (muted !== undefined && home !== undefined))
    return null
  const { topics, senders, memberKeys, messages, flags, parts, including, groups } = others
  const channels = [...new Set(others.channels.flat())]
  const unwanted = { channels, topics, senders, memberKeys, messages, flags, parts, including, groups }
  return {
    channels: within,
    topic: one(wanted.topics),
    sender: one(wanted.senders),
    memberKey: one(wanted.memberKeys),
    including: [...new Set([...wanted.including, ...wanted.groups])],
    isGroup: wanted.groups.length > 0,
    message: one(wanted.messages),
    direct: yes(wanted.direct || isOfPeople(wanted), others.direct),
    flags: wanted.flags,
    parts: wanted.parts,
    isResolved: yes(wanted.resolved, others.resolved),
    isFollowed: yes(wanted.followed, others.followed),
    muting: muted ? { wanted: true, channels: muted } : home ? { wanted: false, channels: home } : null,
    hasReaction: yes(wanted.reaction, others.reaction),
    texts: [
      ...wanted.texts.map((text) => ({ text, negated: false })),
      ...others.texts.map((text) => ({ text, negated: true })),
    ],
    words: [],
    unwanted: Object.values(unwanted).some((each) => each.length > 0) ? unwanted : null,
  }
}
