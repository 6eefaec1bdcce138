/**
 * What a move to another channel is for each of its receivers: messages that they had go on, with their true old place;
 * others come to them, and what they may not read must not be named to them.
 */
import { type UserSet, userSet } from "../../../events/event.ts"
import type { MessageId, UserId } from "../../../ids.ts"
import type { RealmHistory } from "./event-kind.ts"
import { eachOf, keptOf, keptPeople, type NamedMessages, ownOf } from "./named-messages.ts"

type MessageIds = NamedMessages["ids"]
type FormerPlace = NonNullable<NamedMessages["came"]>
export type MovedMessages = NamedMessages & { readonly came: FormerPlace }
type AccessHistory = Pick<RealmHistory, "subscriptions" | "memberAt" | "memberThroughout" | "activeAt">

const noIds: MessageIds = []

export const isMovedMessages = (messages: NamedMessages): messages is MovedMessages => messages.came !== undefined

const among = (ids: MessageIds, some: ReadonlyArray<number>): MessageIds => {
  const wanted = new Set<number>(some)
  const found = ids.filter((id) => wanted.has(id))
  return found.length === ids.length ? ids : found
}

/** Those that a user had where they were. */
const hadOf = ({ ids, came }: MovedMessages, user: UserId, position: number, past: AccessHistory): MessageIds => {
  const { channel_id, is_private: isPrivate, history_shared: isShared, readers = [] } = came
  const isThere = past.subscriptions.subscribedAt(channel_id, user, position)
  if (isThere && isShared) return ids
  if (!isPrivate || isThere || readers.includes(user)) return eachOf({ ...came, ids }, user, position, past)
  return came.own === undefined ? noIds : among(ids, ownOf(came.own, user))
}

/** Whether the messages, where they are now, are open to a user who is not there. */
const opensTo = ({ opens_to: who }: FormerPlace, user: UserId, position: number, past: AccessHistory): boolean =>
  who !== "nobody" && (past.memberAt(user, position) || (who === "everybody" && past.activeAt(user, position)))

export interface MoveShares {
  /** Those that the receiver had, and still has: as somebody who was in their channel, or who is not where they are now. */
  readonly had: MessageIds
  /** Those that they have only since. */
  readonly gained: MessageIds
  /** Whether they may hear where the gained ones were. */
  readonly knowsPlace: boolean
}

export const sharesOf = (messages: MovedMessages, user: UserId, position: number, past: AccessHistory): MoveShares => {
  const { channel_id, ids, came, own } = messages
  const before = hadOf(messages, user, position, past)
  const isThere = channel_id !== null && past.subscriptions.subscribedAt(channel_id, user, position)
  const reads = isThere || opensTo(came, user, position, past)
  const named = isThere || own === undefined ? noIds : among(ids, ownOf(own, user))
  // For whoever comes to be in their channel again they may be unread again, too, which no event about a known message tells. For
  // those who only read it there they are historical: the event has the flags of one, of more they learn all anew.
  const isAnew = isThere
    ? !past.subscriptions.subscribedAt(came.channel_id, user, position)
    : !reads && came.is_one === undefined
  const had = isAnew ? noIds : reads ? before : among(before, named)
  const now = isThere ? ids : named
  const known = had === ids ? null : new Set(had)
  const gained =
    known === null || now.length === 0 ? noIds : known.size === 0 ? now : now.filter((id) => !known.has(id))
  const isOpen =
    !came.is_private && (past.memberAt(user, position) || (came.is_web_public && past.activeAt(user, position)))
  const knowsPlace = isOpen || (came.history_shared && past.subscriptions.subscribedAt(came.channel_id, user, position))
  return { had, gained, knowsPlace }
}

/** Whether a user had received a message where it was, and so goes on to hold it where all may read it. */
export const hadReceived = (
  { ids, came }: MovedMessages,
  id: MessageId,
  user: UserId,
  position: number,
  past: Pick<RealmHistory, "subscriptions" | "memberThroughout">,
): boolean => {
  const at = ids.indexOf(id)
  if (at < 0 || came.opens_to === "nobody") return false
  const { channel_id, is_private: isPrivate, since } = came
  const isThere = past.subscriptions.subscribedAt(channel_id, user, position)
  return (
    ((isThere || !isPrivate) && past.subscriptions.heldAt(channel_id, user, since?.[at] ?? id)) ||
    keptOf(came.kept, user, position, past, "received").includes(id)
  )
}

/** All for whom it may be otherwise than for those who were in the channel since before the messages came there. */
export const partlyMoved = (
  { channel_id, ids, own = [], came }: MovedMessages,
  position: number,
  past: AccessHistory,
): UserSet => {
  const first = Math.min(...(came.since ?? ids.slice(0, 1)))
  const strangers =
    channel_id === null
      ? []
      : past.subscriptions
          .subscribersAt(channel_id, position)
          .filter((user) => !past.subscriptions.wasSubscribed(came.channel_id, user))
  return userSet([
    ...past.subscriptions.notThroughout(came.channel_id, first),
    ...strangers,
    ...[...own, ...(came.own ?? [])].map(([user]) => user),
    ...(came.readers ?? []),
    ...keptPeople(came.kept, past),
  ])
}
