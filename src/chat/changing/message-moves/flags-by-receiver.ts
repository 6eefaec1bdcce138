/** The flags of changed messages for each receiver, from the sets of users that a row has of them. */
import { inSet, type LogRow, type UserSet, userSet } from "../../../events/event.ts"
import { type ChannelId, type MessageId, UserId } from "../../../ids.ts"
import type { RealmHistory } from "../../ground/kinds/event-kind.ts"
import type { FlagSets, UpdateMessagePayload } from "../../ground/kinds/update-message-row.ts"
import { idsOf } from "../../ground/realm/id-ranges.ts"

type FlagUserSets = Readonly<
  Record<"unread" | "starred" | "collapsed" | "mentioned" | "topic" | "alerted" | "received" | "everybodyAlso", UserSet>
>
type Subscriptions = RealmHistory["subscriptions"]

/** A message, and the sets that decide its flags. */
export interface FlaggedMessage {
  readonly message_id: MessageId
  readonly flags: FlagSets
  readonly sets: FlagUserSets
}

const setOf = (ranges: string | undefined): UserSet => userSet(ranges === undefined ? [] : idsOf(ranges))

const setsOf = (flags: FlagSets): FlagUserSets => ({
  unread: setOf(flags.unread),
  starred: setOf(flags.starred),
  collapsed: setOf(flags.collapsed),
  mentioned: setOf(flags.mentioned),
  topic: setOf(flags.topic),
  alerted: setOf(flags.alerted),
  received: setOf(flags.received),
  everybodyAlso: setOf(flags.everybody_also),
})

export const flaggedMessage = (message_id: MessageId, flags: FlagSets): FlaggedMessage => ({
  message_id,
  flags,
  sets: setsOf(flags),
})

/**
 * The flags of a message other than the named one. A row without an entry for it means: nobody is mentioned, alerted or
 * starred, and everybody has read it. `since` is then when it came to its channel: its id, or after a move to another channel
 * the row's own position.
 */
export const otherFlaggedMessage = (
  { messages, moved, others }: UpdateMessagePayload,
  row: LogRow,
  id: MessageId,
): FlaggedMessage => {
  const since = moved?.channel_id === undefined ? (messages.since?.[messages.ids.indexOf(id)] ?? id) : row.position
  return flaggedMessage(id, others?.find(({ message_id }) => message_id === id)?.flags ?? { since })
}

/** Those for whom the wildcard of a message of `channel`, if it has one, means something else than for others. */
const wildcardApart = ({ message_id, flags }: FlaggedMessage, channel: ChannelId | null, past: Subscriptions) => {
  const { everybody_in: of, everybody_at: at = message_id } = flags
  if (of === undefined) return []
  // A wildcard of another channel mentions fewer of the users than it leaves out.
  return of === channel ? past.notThroughout(of, at) : past.subscribersAt(of, at)
}

/**
 * Everybody whose flags of a message may differ from those of other receivers. `named`: receivers whom the row names one by
 * one: they may have it otherwise than by a subscription.
 */
export const receiversApart = (
  marked: FlaggedMessage,
  channel: ChannelId | null,
  named: UserSet,
  past: Subscriptions,
): UserSet => {
  const { since = 0 } = marked.flags
  const held = (user: number) => channel === null || past.heldAt(channel, UserId(user), since)
  return userSet([
    ...Object.values(marked.sets).flatMap((each) => [...each]),
    ...(channel === null ? [] : past.notThroughout(channel, since)),
    ...wildcardApart(marked, channel, past),
    ...named.filter((user) => !held(user)),
  ])
}

/** Whether a wildcard of the message mentions everybody, the user among them. */
const isForAll = ({ message_id, flags, sets }: FlaggedMessage, user: UserId, past: Subscriptions): boolean => {
  const { everybody_in: of, everybody_at: at = message_id, everybody = false } = flags
  if (of === undefined) return everybody
  return past.subscribedAt(of, user, at) || inSet(sets.everybodyAlso, user) || inSet(sets.mentioned, user)
}

/** `isKept`: the user received it in another channel, and goes on to hold it. */
export const flagsForReceiver = (
  marked: FlaggedMessage,
  channel: ChannelId | null,
  user: UserId,
  past: Subscriptions,
  isKept: boolean,
): ReadonlyArray<string> => {
  const { flags, sets } = marked
  const byTopic = inSet(sets.topic, user)
  const forAll = isForAll(marked, user, past)
  const isReceived =
    channel === null || isKept || inSet(sets.received, user) || past.heldAt(channel, user, flags.since ?? 0)
  return [
    ...(inSet(sets.unread, user) ? [] : ["read"]),
    ...(inSet(sets.starred, user) ? ["starred"] : []),
    ...(inSet(sets.collapsed, user) ? ["collapsed"] : []),
    ...(inSet(sets.mentioned, user) ? ["mentioned"] : []),
    ...(forAll ? ["stream_wildcard_mentioned"] : []),
    ...(byTopic ? ["topic_wildcard_mentioned"] : []),
    ...(inSet(sets.alerted, user) ? ["has_alert_word"] : []),
    ...(isReceived ? [] : ["historical"]),
    ...(forAll || byTopic ? ["wildcard_mentioned"] : []),
  ]
}
