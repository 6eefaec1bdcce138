/**
 * Subscribing and unsubscribing as work in chunks: every user with every channel, channel by channel. A chunk skips
 * pairs that need no change any more, and its limit counts only the pairs that do.
 */
import * as Schema from "effect/Schema"
import type { CommandStep } from "../../../events/step.ts"
import { type ChannelId, idSchemas, UserId } from "../../../ids.ts"
import { bulkKind, chunkItems, type RemainingWork } from "../../ground/bulk/bulk-kind.ts"
import { type Crossing, meetingRows, partingRows } from "../../ground/permissions/acquaintance-rows.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { withChangedRules } from "../../ground/realm/realm-rules.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { addSteps, createRow, type GivenColors, removeSteps } from "./subscription-steps.ts"

const SubscriptionPairs = Schema.Struct({
  channels: Schema.Array(Schema.Struct({ id: idSchemas.channel, color: Schema.NullOr(Schema.String) })),
  users: Schema.Array(idSchemas.user),
  along: Schema.optionalKey(Schema.Array(idSchemas.user)),
})
/**
 * Each of the users with each of the channels. `color`: the colour that the request names for new subscribers; `along`: bots among
 * the users who leave private channels only, because their owners were taken out of them.
 */
export type SubscriptionPairs = typeof SubscriptionPairs.Type
const readPairs = Schema.decodeUnknownSync(SubscriptionPairs)

interface ChannelUsers {
  readonly channel: ChannelRecord
  readonly color: string | undefined
  readonly users: ReadonlyArray<UserRecord>
}

interface TakenPairs {
  /** One for each channel that changes in this chunk. */
  readonly parts: ReadonlyArray<ChannelUsers>
  /** The pair with which the next chunk begins; null: no pairs are left. */
  readonly next: number | null
  /** The part of a chunk's limit that is used, `spent` included. */
  readonly cost: number
}

/** The rows that a channel needs beside those of its users cost as much as so many pairs. */
const channelCost = 5

interface PairSelection {
  /** The pair to begin with. */
  readonly from: number
  /** The part of the limit that other steps of the same commit have used. */
  readonly spent?: number
  /** The channel; undefined if its subscriptions cannot be changed. */
  readonly find: (id: ChannelId) => ChannelRecord | undefined
  /** Whether anything has to be done for this pair. */
  readonly passes: (user: UserRecord, channel: ChannelRecord) => boolean
}

/** The next pairs that pass, up to the limit of a chunk. */
const takePairs = (
  realm: Realm,
  { channels, users }: SubscriptionPairs,
  { from, spent = 0, find, passes }: PairSelection,
): TakenPairs => {
  const parts: Array<ChannelUsers> = []
  let cost = spent
  if (users.length === 0) return { parts, next: null, cost }
  for (let at = Math.floor(from / users.length); at < channels.length; at++) {
    const wanted = channels[at]
    const channel = wanted === undefined ? undefined : find(wanted.id)
    if (wanted === undefined || channel === undefined) continue
    if (cost > 0) cost += channelCost
    const taken: Array<UserRecord> = []
    const skipped = Math.max(0, from - at * users.length)
    let next: number | null = null
    for (let index = skipped; index < users.length; index++) {
      if (cost >= chunkItems) {
        next = at * users.length + index
        break
      }
      const user = realm.users.get(UserId(users[index] ?? 0))
      if (user === undefined || !passes(user, channel)) continue
      taken.push(user)
      cost++
    }
    if (taken.length > 0) parts.push({ channel, color: wanted.color ?? undefined, users: taken })
    if (next !== null) return { parts, next, cost }
  }
  return { parts, next: null, cost }
}

const open = (realm: Realm) => (id: ChannelId) => {
  const channel = realm.channels.get(id)
  return channel?.is_archived === false ? channel : undefined
}

/** Whether the user is active and not subscribed yet. */
const mayBeAdded = (realm: Realm) => (user: UserRecord, channel: ChannelRecord) =>
  realm.isActive(user.id) && !realm.isSubscribed(channel.id, user.id)

const crossingsOf = (parts: ReadonlyArray<ChannelUsers>): ReadonlyArray<Crossing> =>
  parts.map(({ channel, users }) => ({ channel: channel.id, users }))

export const subscribing = bulkKind("subscribe", readPairs, (realm, pairs, from) => {
  const { parts, next } = takePairs(realm, pairs, { from, find: open(realm), passes: mayBeAdded(realm) })
  const given: GivenColors = new Map()
  const steps = parts.flatMap(({ channel, color, users }) =>
    addSteps(realm, channel, users, { isNew: false, color, given }),
  )
  return { steps: [...meetingRows(realm, crossingsOf(parts)), ...steps], next }
})

/** The first chunk of a command that subscribes. */
export interface FirstSubscribeChunk {
  /** Rows about new channels and new subscribers, and what these learn by that. */
  readonly steps: ReadonlyArray<CommandStep>
  /** The pair with which the next chunk begins; null: no pairs are left. */
  readonly next: number | null
  /** The part of a chunk's limit that the rows use. */
  readonly cost: number
  /** The new subscribers that the steps make. */
  readonly joined: ReadonlyArray<Crossing>
}

/** `made`: new channels of the same command. */
export const beginSubscribing = (
  realm: Realm,
  pairs: SubscriptionPairs,
  made: ReadonlyMap<ChannelId, ChannelRecord>,
): FirstSubscribeChunk => {
  const find = (id: ChannelId) => made.get(id) ?? open(realm)(id)
  const { parts, next, cost } = takePairs(realm, pairs, { from: 0, find, passes: mayBeAdded(realm) })
  const firstOf = (id: ChannelId) => parts.find(({ channel }) => channel.id === id)?.users ?? []
  const given: GivenColors = new Map()
  const joined = crossingsOf(parts)
  const steps: ReadonlyArray<CommandStep> = [
    ...meetingRows(realm, joined),
    ...[...made.values()].map((channel) => createRow(realm, channel, firstOf(channel.id))),
    ...parts.flatMap(({ channel, color, users }) =>
      addSteps(realm, channel, users, { isNew: made.has(channel.id), color, given }),
    ),
  ]
  return { steps, next, cost, joined }
}

/** The work that is left after the first chunk. */
export const restOfPairs = (
  pairs: SubscriptionPairs,
  { next }: Pick<FirstSubscribeChunk, "next">,
): RemainingWork | null => (next === null ? null : subscribing.rest(pairs, next))

/** The steps that end subscriptions. `joins`: whether an earlier step of the same commit makes the subscription. */
const removals = (
  realm: Realm,
  pairs: SubscriptionPairs,
  choice: Pick<PairSelection, "from" | "spent">,
  joins: (user: UserRecord, channel: ChannelRecord) => boolean = () => false,
  joined: ReadonlyArray<Crossing> = [],
): { readonly steps: ReadonlyArray<CommandStep>; readonly next: number | null } => {
  const along = new Set(pairs.along)
  const passes = (user: UserRecord, channel: ChannelRecord) =>
    (realm.isSubscribed(channel.id, user.id) && (channel.is_private || !along.has(user.id))) || joins(user, channel)
  const { parts, next } = takePairs(realm, pairs, { ...choice, find: open(realm), passes })
  const rules = withChangedRules(realm, {})
  const steps = parts.flatMap(({ channel, users }) => removeSteps(rules, channel, users))
  return { steps: [...steps, ...partingRows(realm, crossingsOf(parts), joined)], next }
}

export const unsubscribing = bulkKind("unsubscribe", readPairs, (realm, pairs, from) =>
  removals(realm, pairs, { from }),
)

const BothPairs = Schema.Struct({ add: SubscriptionPairs, remove: SubscriptionPairs })
type BothPairs = typeof BothPairs.Type

const countOf = ({ channels, users }: SubscriptionPairs): number => channels.length * users.length

/** Subscribing, then unsubscribing, as one work: the pairs of `add` are numbered first, then those of `remove`. */
const joiningAndLeaving = bulkKind(
  "join_and_leave",
  Schema.decodeUnknownSync(BothPairs),
  (realm, { add, remove }: BothPairs, from) => {
    const added = countOf(add)
    if (from < added) {
      const { steps, next } = subscribing.chunk(realm, add, from)
      return { steps, next: next ?? added }
    }
    const { steps, next } = removals(realm, remove, { from: from - added })
    return { steps, next: next === null ? null : added + next }
  },
)

/** The steps that end subscriptions in a first commit that subscribes too (`begun`), and the work that is left. */
export const beginLeaving = (
  realm: Realm,
  { add, remove }: BothPairs,
  begun: Pick<FirstSubscribeChunk, "next" | "cost" | "joined">,
  joins: (user: UserRecord, channel: ChannelRecord) => boolean,
): { readonly steps: ReadonlyArray<CommandStep>; readonly rest: RemainingWork | null } => {
  const rest = (from: number) => joiningAndLeaving.rest({ add, remove }, from)
  if (begun.next !== null) return { steps: [], rest: rest(begun.next) }
  const { steps, next } = removals(realm, remove, { from: 0, spent: begun.cost }, joins, begun.joined)
  return { steps, rest: next === null ? null : rest(countOf(add) + next) }
}

export const subscriptionBulkKinds = [subscribing, unsubscribing, joiningAndLeaving]
