/**
 * What rows about several messages of a channel carry, and the part of them that each receiver is told of: only messages
 * that they held at the row, judged by spans as the row's audience is.
 */
import * as Schema from "effect/Schema"
import { emptyUserSet, type UserSet, userSet } from "../../events/event.ts"
import { idSchemas, type UserId } from "../../ids.ts"
import { idsOf } from "../realm/id-ranges.ts"
import type { SubscriptionSpans } from "../realm/spans.ts"

/** The messages of a row, all of one channel or conversation. The commit fills them in. */
export const NamedMessages = Schema.Struct({
  /** null: of a conversation, whose participants hold all. */
  channel_id: Schema.NullOr(idSchemas.channel),
  /**
   * Who holds all of them: every receiver of the row; the subscribers of the channel at the row; nobody by that alone. Else
   * who was in the channel when a message came there holds that one.
   */
  held_by: Schema.Literals(["receivers", "subscribers", "each"]),
  /** Ascending. */
  ids: Schema.Array(idSchemas.message),
  /** The position at which each came into the channel, in the order of the ids; absent where these are the ids. */
  since: Schema.optionalKey(Schema.Array(Schema.Number)),
  /** What users hold by rows of their own: [user, messages as ranges]. */
  own: Schema.optionalKey(Schema.Array(Schema.Tuple([idSchemas.user, Schema.String]))),
})
export type NamedMessages = typeof NamedMessages.Type

/** Those of the messages that a user held at the position of the row. */
export const heldOf = (
  { channel_id, held_by, ids, since, own = [] }: NamedMessages,
  user: UserId,
  position: number,
  subscriptions: SubscriptionSpans,
): NamedMessages["ids"] => {
  if (held_by === "receivers" || channel_id === null) return ids
  if (held_by === "subscribers" && subscriptions.subscribedAt(channel_id, user, position)) return ids
  const named = own.find(([each]) => each === user)?.[1]
  const byRow = new Set(named === undefined ? [] : idsOf(named))
  const held = ids.filter((id, at) => byRow.has(id) || subscriptions.subscribedAt(channel_id, user, since?.[at] ?? id))
  return held.length === ids.length ? ids : held
}

/** A word for the part that `heldOf` answered. Who holds none of them must not share bytes with who holds all. */
export const partOf = (messages: NamedMessages, held: NamedMessages["ids"]): string =>
  held === messages.ids ? "all" : held.join()

/** The users who may hold only some of the messages. */
export const partlyHolding = (
  { channel_id, held_by, ids, since, own = [] }: NamedMessages,
  subscriptions: SubscriptionSpans,
): UserSet => {
  if (held_by === "receivers" || channel_id === null) return emptyUserSet
  const first = Math.min(...(since ?? ids.slice(0, 1)))
  const partly: UserSet = ids.length === 0 ? emptyUserSet : subscriptions.notThroughout(channel_id, first)
  return own.length === 0 ? partly : userSet([...partly, ...own.map(([user]) => user)])
}
