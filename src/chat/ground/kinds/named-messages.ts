/**
 * The messages that a row about several of a channel names, and those that each receiver is told of: only messages that
 * they held at the row, judged by spans as the row's audience is. What a move to another channel gives is in
 * moved-messages.ts.
 */
import * as Schema from "effect/Schema"
import { emptyUserSet, type UserSet, userSet } from "../../../events/event.ts"
import { type ChannelId, idSchemas, type MessageId, type UserId } from "../../../ids.ts"
import { idsOf } from "../realm/id-ranges.ts"
import { keptAccess } from "../realm/kept-messages.ts"
import type { RealmHistory } from "./event-kind.ts"

const Own = Schema.Array(Schema.Tuple([idSchemas.user, Schema.String]))

/** Messages that have left a channel at one position (KeptPlace in events/audience.ts). */
const Kept = Schema.Struct({
  channel_id: idSchemas.channel,
  until: Schema.Number,
  was_private: Schema.Boolean,
  was_shared: Schema.Boolean,
  for_guests: Schema.Boolean,
  /** As ranges. */
  ids: Schema.String,
  /** The position at which each came there, in the order of the ids; absent where these are the ids. */
  since: Schema.optionalKey(Schema.Array(Schema.Number)),
})

/** What is known of messages in one place. The commit fills it in. */
const heldFields = {
  /** The position at which each came into the channel, in the order of the ids; absent where these are the ids. */
  since: Schema.optionalKey(Schema.Array(Schema.Number)),
  /** Messages that users hold by rows of their own: [user, messages as ranges]. */
  own: Schema.optionalKey(Own),
  /** The channels that some of them have left, whose people still hold them. */
  kept: Schema.optionalKey(Schema.Array(Kept)),
}

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
  ...heldFields,
  /** Messages of which these users are not told: they go on to hold them by rows of their own. */
  still: Schema.optionalKey(Own),
  /**
   * In rows of older programs, for messages that came from another channel: the receivers who may not read that one. They
   * are told only of what they held there, because the row names it.
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
  /** Where they were before they came into the channel by this row, and who held them there. */
  came: Schema.optionalKey(
    Schema.Struct({
      channel_id: idSchemas.channel,
      is_private: Schema.Boolean,
      is_web_public: Schema.Boolean,
      history_shared: Schema.Boolean,
      /** Those who read a private channel without being in it, and hold some of what is there. */
      readers: Schema.optionalKey(Schema.Array(idSchemas.user)),
      /** Who may read the messages where they are now, beside those who are there. */
      opens_to: Schema.Literals(["nobody", "members", "everybody"]),
      /** Only one message came. */
      is_one: Schema.optionalKey(Schema.Literal(true)),
      ...heldFields,
    }),
  ),
})
export type NamedMessages = typeof NamedMessages.Type
type MessageIds = NamedMessages["ids"]

const noIds: ReadonlyArray<number> = []

export interface HeldMessages extends Pick<NamedMessages, "ids" | "since" | "own" | "kept"> {
  readonly channel_id: ChannelId
}

type AccessHistory = Pick<RealmHistory, "subscriptions" | "memberThroughout">

export const ownOf = (own: NamedMessages["own"], user: UserId): ReadonlyArray<MessageId | number> => {
  const named = own?.find(([each]) => each === user)?.[1]
  return named === undefined ? [] : idsOf(named)
}

type KeptEntry = NonNullable<NamedMessages["kept"]>[number]
type HoldReason = "received" | "any"

/** A row's entry is asked for each receiver, and read once. */
const readEntries = new WeakMap<
  KeptEntry,
  { readonly ids: ReadonlyArray<number>; readonly came: ReadonlyArray<number> }
>()
const readEntry = (entry: KeptEntry) => {
  const known = readEntries.get(entry)
  if (known !== undefined) return known
  const ids = idsOf(entry.ids)
  const read = { ids, came: entry.since ?? ids }
  readEntries.set(entry, read)
  return read
}

const keptOfEntry = (
  entry: KeptEntry,
  user: UserId,
  position: number,
  past: AccessHistory,
  how: HoldReason,
): ReadonlyArray<number> => {
  const { channel_id: channel, until, was_private: isPrivate, was_shared: historyShared, for_guests: forGuests } = entry
  if (!past.subscriptions.wasSubscribed(channel, user)) return noIds
  const { ids, came } = readEntry(entry)
  const isKept = (since: number, through: number): boolean => {
    const place = { channel, since, through, from: until, until, isPrivate, historyShared, forGuests }
    const way = keptAccess(past, place, user, position)
    return way === "received" || (way === "read" && how === "any")
  }
  const [low, high] = [Math.min(...came), Math.max(...came)]
  // Nearly everybody was there all the time, or for none of it.
  if (!isKept(low, high)) return noIds
  const [span, ...others] = past.subscriptions.of(channel, user)
  const isWhole = others.length === 0 && span !== undefined && (span.readsFrom ?? span.opened) <= low
  if (isWhole && (span.closed === null || span.closed > high)) return ids
  return ids.filter((_, at) => isKept(came[at] ?? 0, came[at] ?? 0))
}

/** Those that a user still has though they left its channel; `received`: without those that they only could read there. */
export const keptOf = (
  kept: NamedMessages["kept"],
  user: UserId,
  position: number,
  past: AccessHistory,
  how: HoldReason,
): ReadonlyArray<number> => (kept ?? []).flatMap((entry) => keptOfEntry(entry, user, position, past, how))

/** Those that a user holds: they were in the channel when each came there, were given it, have a row of their own, or kept it. */
export const eachOf = (
  { channel_id, ids, since, own, kept }: HeldMessages,
  user: UserId,
  position: number,
  past: AccessHistory,
): MessageIds => {
  const further = new Set<number>([...ownOf(own, user), ...keptOf(kept, user, position, past, "any")])
  const isFurther = further.size > 0 ? (id: number) => further.has(id) : () => false
  const isEver = past.subscriptions.wasSubscribed(channel_id, user)
  if (!isEver && further.size === 0) return []
  const held = ids.filter(
    (id, at) => isFurther(id) || (isEver && past.subscriptions.heldAt(channel_id, user, since?.[at] ?? id)),
  )
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

const allOf = (
  { channel_id, held_by, ids, was, ...by }: NamedMessages,
  user: UserId,
  position: number,
  past: AccessHistory,
) => {
  if (was !== undefined && isAmong(was.users, user)) return eachOf({ ...was, ids }, user, position, past)
  if (held_by === "receivers" || channel_id === null) return ids
  if (held_by === "subscribers" && past.subscriptions.subscribedAt(channel_id, user, position)) return ids
  return eachOf({ ...by, channel_id, ids }, user, position, past)
}

/** Those of the messages that a user held at the position of the row. */
export const heldOf = (messages: NamedMessages, user: UserId, position: number, past: AccessHistory): MessageIds => {
  const all = allOf(messages, user, position, past)
  const still = new Set<number>(ownOf(messages.still, user))
  return still.size === 0 ? all : all.filter((id) => !still.has(id))
}

/** A word for the part that `heldOf` answered. Who holds none of them must not share bytes with who holds all. */
export const partOf = (messages: NamedMessages, held: MessageIds): string =>
  held === messages.ids ? "all" : held.join()

/** All who are or were in a channel that some of the messages have left: they may have them otherwise than others do. */
export const keptPeople = (kept: NamedMessages["kept"], { subscriptions }: AccessHistory): ReadonlyArray<UserId> =>
  [...new Set(kept?.map(({ channel_id }) => channel_id))].flatMap((channel) => subscriptions.ever(channel))

/** The users who may hold only some of the messages. */
export const partlyHolding = (
  { channel_id, held_by, ids, since, own = [], kept, was, still = [] }: NamedMessages,
  past: AccessHistory,
): UserSet => {
  if (was !== undefined) return userSet(was.users)
  if (held_by === "receivers" || channel_id === null) return emptyUserSet
  const first = Math.min(...(since ?? ids.slice(0, 1)))
  const partly: UserSet = ids.length === 0 ? emptyUserSet : past.subscriptions.notThroughout(channel_id, first)
  if (own.length + still.length === 0 && kept === undefined) return partly
  return userSet([...partly, ...[...own, ...still].map(([user]) => user), ...keptPeople(kept, past)])
}
