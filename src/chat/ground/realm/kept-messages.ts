/**
 * Who goes on to hold messages that have left a channel, for one that everybody may read: in a client they stand still, so
 * its user hears what becomes of them. Judged by spans, as kept_by_v1 does in the tables (history/kept-places.sql).
 */
import type { FormerChannel } from "../../../events/audience.ts"
import type { UserId } from "../../../ids.ts"
import type { SubscriptionSpan, SubscriptionSpans } from "./subscription-spans.ts"

interface AccessHistory {
  readonly subscriptions: SubscriptionSpans
  readonly memberThroughout: (user: UserId, from: number, position: number) => boolean
}

const received = (spans: ReadonlyArray<SubscriptionSpan>, { since, through, until }: FormerChannel): boolean =>
  spans.some(
    ({ opened, closed, readsFrom = opened }) =>
      opened < until && readsFrom <= through && (closed === null || since < closed),
  )

const wasIn = (spans: ReadonlyArray<SubscriptionSpan>, { from, until }: FormerChannel): boolean =>
  spans.some(({ opened, closed }) => opened <= until && (closed === null || from < closed))

/**
 * How at a position a user has what was in such a place: they `received` it there, or only could `read` it as a subscriber when it left.
 * Who has been a guest since has lost it, but for what is open to guests. Of a place that was left more than once it is
 * answered for any of these times.
 */
export const keptAccess = (
  { subscriptions, memberThroughout }: AccessHistory,
  place: FormerChannel,
  user: UserId,
  position: number,
): "received" | "read" | undefined => {
  const spans = subscriptions.of(place.channel, user)
  if (spans.length === 0) return undefined
  if (!place.forGuests && place.from === place.until && !memberThroughout(user, place.until, position)) return undefined
  const isThere = wasIn(spans, place)
  if ((isThere || !place.isPrivate) && received(spans, place)) return "received"
  return isThere && place.historyShared ? "read" : undefined
}
