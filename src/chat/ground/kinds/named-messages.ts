/**
 * The messages that a row about several of a channel names, and those that each receiver is told of: only messages that
 * they held at the row, judged by spans as the row's audience is.
 */
import * as Schema from "effect/Schema"
import { emptyUserSet, type UserSet, userSet } from "../../../events/event.ts"
import { type ChannelId, idSchemas, type UserId } from "../../../ids.ts"
import { idsOf } from "../realm/id-ranges.ts"
import type { SubscriptionSpans } from "../realm/spans.ts"

const Own = Schema.Array(Schema.Tuple([idSchemas.user, Schema.String]))

/** The messages of a row, all of one channel or conversation. The commit fills them in. */
export const NamedMessages = Schema.Struct({
  /** null: of a conversation, whose participants hold all. */
  channel_id: Schema.NullOr(idSchemas.channel),
  /**
   * The users who hold all of `ids` without further look-ups: every receiver; whoever is subscribed at the row; or
   * (`each`) nobody: each message is looked up by spans.
   */
  held_by: Schema.Literals(["receivers", "subscribers", "each"]),
  /** Ascending. */
  ids: Schema.Array(idSchemas.message),
  /** The position at which each came into the channel, in the order of the ids; absent where these are the ids. */
  since: Schema.optionalKey(Schema.Array(Schema.Number)),
  /** Messages that users hold by rows of their own: [user, messages as ranges]. */
  own: Schema.optionalKey(Own),
  /**
   * For messages that came from another channel: the receivers who may not read that one. They are told only of what
   * they held there, because the row names it. The commit fills in `since`, as above, and `own`.
   */
  was: Schema.optionalKey(
    Schema.Struct({
      channel_id: idSchemas.channel,
      /** Ascending. */
      users: Schema.Array(idSchemas.user),
      since: Schema.optionalKey(Schema.Array(Schema.Number)),
      own: Schema.optionalKey(Own),
    }),
  ),
})
export type NamedMessages = typeof NamedMessages.Type

type Held = Pick<NamedMessages, "ids" | "since" | "own"> & { readonly channel_id: ChannelId }

/** Those that a user holds: they were in the channel when each came there, were given it, or have a row of their own. */
const eachOf = ({ channel_id, ids, since, own = [] }: Held, user: UserId, subscriptions: SubscriptionSpans) => {
  const named = own.find(([each]) => each === user)?.[1]
  const byRow = new Set(named === undefined ? [] : idsOf(named))
  const held = ids.filter((id, at) => byRow.has(id) || subscriptions.heldAt(channel_id, user, since?.[at] ?? id))
  return held.length === ids.length ? ids : held
}

/** Binary search: of ten thousand receivers each is looked for. */
const isAmong = (users: ReadonlyArray<UserId>, user: UserId): boolean => {
  let [low, high] = [0, users.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((users[middle] ?? 0) < user) low = middle + 1
    else high = middle
  }
  return users[low] === user
}

/** Those of the messages that a user held at the position of the row. */
export const heldOf = (
  { channel_id, held_by, ids, was, ...by }: NamedMessages,
  user: UserId,
  position: number,
  subscriptions: SubscriptionSpans,
): NamedMessages["ids"] => {
  if (was !== undefined && isAmong(was.users, user)) return eachOf({ ...was, ids }, user, subscriptions)
  if (held_by === "receivers" || channel_id === null) return ids
  if (held_by === "subscribers" && subscriptions.subscribedAt(channel_id, user, position)) return ids
  return eachOf({ ...by, channel_id, ids }, user, subscriptions)
}

/** A word for the part that `heldOf` answered. Who holds none of them must not share bytes with who holds all. */
export const partOf = (messages: NamedMessages, held: NamedMessages["ids"]): string =>
  held === messages.ids ? "all" : held.join()

/** The users who may hold only some of the messages. */
export const partlyHolding = (
  { channel_id, held_by, ids, since, own = [], was }: NamedMessages,
  subscriptions: SubscriptionSpans,
): UserSet => {
  if (was !== undefined) return userSet(was.users)
  if (held_by === "receivers" || channel_id === null) return emptyUserSet
  const first = Math.min(...(since ?? ids.slice(0, 1)))
  const partly: UserSet = ids.length === 0 ? emptyUserSet : subscriptions.notThroughout(channel_id, first)
  return own.length === 0 ? partly : userSet([...partly, ...own.map(([user]) => user)])
}
