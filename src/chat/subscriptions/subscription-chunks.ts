/**
 * Subscribing and unsubscribing as work in chunks: every user with every channel, channel by channel. A chunk passes over
 * the pairs that have become pointless since the command was judged, so that it can be of any length in items, and
 * holds at most so many that change something.
 */
import * as Schema from "effect/Schema"
import type { NewRow } from "../../events/step.ts"
import { type ChannelId, idSchemas, UserId } from "../../ids.ts"
import { bulkKind, chunkItems } from "../bulk/bulk.ts"
import type { Realm } from "../realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../realm/records.ts"
import { withRules } from "../realm/rules.ts"
import { addRows, createRow, type GivenColors, removeRows } from "./subscription-steps.ts"

const Pairs = Schema.Struct({
  channels: Schema.Array(Schema.Struct({ id: idSchemas.channel, color: Schema.NullOr(Schema.String) })),
  users: Schema.Array(idSchemas.user),
})
/** Each of the users with each of the channels. `color`: the one that was asked for, of those who subscribe. */
export type Pairs = typeof Pairs.Type
const readPairs = Schema.decodeUnknownSync(Pairs)

interface Part {
  readonly channel: ChannelRecord
  readonly color: string | undefined
  readonly users: ReadonlyArray<UserRecord>
}

interface Taken {
  /** One for each channel that anything is left to do in. */
  readonly parts: ReadonlyArray<Part>
  /** Where the next chunk begins; null: all pairs have been looked at. */
  readonly next: number | null
}

/** A channel costs rows of its own, beside those of its users: about as much as so many pairs. */
const channelCost = 5

/** The next pairs that pass, as many as a chunk takes. `find`: the channel, where it can be changed. */
const takePairs = (
  realm: Realm,
  { channels, users }: Pairs,
  from: number,
  find: (id: ChannelId) => ChannelRecord | undefined,
  passes: (user: UserRecord, channel: ChannelRecord) => boolean,
): Taken => {
  const parts: Array<Part> = []
  if (users.length === 0) return { parts, next: null }
  let cost = 0
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
    if (next !== null) return { parts, next }
  }
  return { parts, next: null }
}

const open = (realm: Realm) => (id: ChannelId) => {
  const channel = realm.channels.get(id)
  return channel?.is_archived === false ? channel : undefined
}

/** Whether a user can be put into the channel: active, and not in it yet. */
const mayBeAdded = (realm: Realm) => (user: UserRecord, channel: ChannelRecord) =>
  realm.isActive(user.id) && !realm.isSubscribed(channel.id, user.id)

export const subscribing = bulkKind("subscribe", readPairs, (realm, pairs, from) => {
  const { parts, next } = takePairs(realm, pairs, from, open(realm), mayBeAdded(realm))
  const given: GivenColors = new Map()
  const rows = parts.flatMap(({ channel, color, users }) =>
    addRows(realm, channel, users, { isNew: false, color, given }),
  )
  return { steps: rows, next }
})

/**
 * The first chunk of a command that subscribes: rows of the channels it makes, by `made`, and of their subscribers; then
 * what is left to do.
 */
export const beginSubscribing = (realm: Realm, pairs: Pairs, made: ReadonlyMap<ChannelId, ChannelRecord>) => {
  const find = (id: ChannelId) => made.get(id) ?? open(realm)(id)
  const { parts, next } = takePairs(realm, pairs, 0, find, mayBeAdded(realm))
  const firstOf = (id: ChannelId) => parts.find(({ channel }) => channel.id === id)?.users ?? []
  const given: GivenColors = new Map()
  const rows: ReadonlyArray<NewRow> = [
    ...[...made.values()].map((channel) => createRow(realm, channel, firstOf(channel.id))),
    ...parts.flatMap(({ channel, color, users }) =>
      addRows(realm, channel, users, { isNew: made.has(channel.id), color, given }),
    ),
  ]
  return { rows, rest: next === null ? null : subscribing.rest(pairs, next) }
}

export const unsubscribing = bulkKind("unsubscribe", readPairs, (realm, pairs, from) => {
  const isIn = (user: UserRecord, channel: ChannelRecord) => realm.isSubscribed(channel.id, user.id)
  const { parts, next } = takePairs(realm, pairs, from, open(realm), isIn)
  const rules = withRules(realm, {})
  return { steps: parts.flatMap(({ channel, users }) => removeRows(rules, channel, users)), next }
})
