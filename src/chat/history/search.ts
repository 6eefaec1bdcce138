/**
 * Combines the conditions of a narrow: at most one wanted value of each kind, and lists of unwanted values. That keeps
 * the number of distinct SQL statements small, and their time independent of the number of terms.
 */
import type { ChannelId, MessageId, UserId } from "../../ids.ts"
import { fold } from "../realm/values.ts"
import type { Condition, SearchedFlag } from "./narrow.ts"

export interface Unwanted {
  readonly channels: ReadonlyArray<ChannelId>
  /** As `fold` makes it, like `topic_folded` in the table. */
  readonly topics: ReadonlyArray<string>
  readonly senders: ReadonlyArray<UserId>
  readonly memberKeys: ReadonlyArray<string>
  readonly messages: ReadonlyArray<MessageId>
  readonly flags: ReadonlyArray<SearchedFlag>
}

/** A field that is null restricts nothing. */
export interface Search {
  readonly channels: ReadonlyArray<ChannelId> | null
  /** As `fold` makes it, like `topic_folded` in the table. */
  readonly topic: string | null
  readonly sender: UserId | null
  readonly memberKey: string | null
  readonly message: MessageId | null
  /** true: direct messages only; false: channel messages only. */
  readonly direct: boolean | null
  /** A message must have all of them. */
  readonly flags: ReadonlyArray<SearchedFlag>
  /** true: only messages with reactions; false: only those without. */
  readonly hasReaction: boolean | null
  /** null where no term is negated. */
  readonly unwanted: Unwanted | null
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
const gather = (conditions: ReadonlyArray<Condition>, negated: boolean) => {
  const channels: Array<ReadonlyArray<ChannelId>> = []
  const topics = new Set<string>()
  const senders = new Set<UserId>()
  const memberKeys = new Set<string>()
  const messages = new Set<MessageId>()
  const flags = new Set<SearchedFlag>()
  let direct = false
  let reaction = false
  for (const { matcher } of conditions.filter((each) => each.negated === negated)) {
    if (matcher.kind === "channel") channels.push([matcher.channel])
    else if (matcher.kind === "channels") channels.push(matcher.channels)
    else if (matcher.kind === "topic") topics.add(fold(matcher.topic))
    else if (matcher.kind === "sender") senders.add(matcher.sender)
    else if (matcher.kind === "conversation") memberKeys.add(matcher.memberKey)
    else if (matcher.kind === "message") messages.add(matcher.message)
    else if (matcher.kind === "flag") flags.add(matcher.flag)
    else if (matcher.kind === "reaction") reaction = true
    else direct = true
  }
  const sets = {
    topics: [...topics],
    senders: [...senders],
    memberKeys: [...memberKeys],
    messages: [...messages],
    // Sorted, because each order would be another statement.
    flags: [...flags].sort(),
  }
  return { channels, direct, reaction, ...sets }
}

/** Null where no message can match. */
export const readSearch = (conditions: ReadonlyArray<Condition>): Search | null => {
  const wanted = gather(conditions, false)
  const { channels, topics, senders, memberKeys, messages, flags, direct, reaction } = gather(conditions, true)
  const within = intersection(wanted.channels)
  const several = [wanted.topics, wanted.senders, wanted.memberKeys, wanted.messages].some((each) => each.length > 1)
  const isContradiction =
    (wanted.direct && direct) || (wanted.reaction && reaction) || wanted.flags.some((flag) => flags.includes(flag))
  if (several || within?.length === 0 || isContradiction) return null
  const unwanted = { channels: [...new Set(channels.flat())], topics, senders, memberKeys, messages, flags }
  return {
    channels: within,
    topic: one(wanted.topics),
    sender: one(wanted.senders),
    memberKey: one(wanted.memberKeys),
    message: one(wanted.messages),
    direct: wanted.direct ? true : direct ? false : null,
    flags: wanted.flags,
    hasReaction: wanted.reaction ? true : reaction ? false : null,
    unwanted: Object.values(unwanted).some((each) => each.length > 0) ? unwanted : null,
  }
}
