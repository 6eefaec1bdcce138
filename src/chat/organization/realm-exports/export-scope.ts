/**
 * What an export may have, by the rules of a moment. A public one has the messages of public channels. A full one has also
 * what at least one of those may read who allow it. For each private channel and conversation one such person is noted, so
 * that the commit that ends the export can see whether all of them still may.
 */
import * as Effect from "effect/Effect"
import { inSet } from "../../../events/event.ts"
import { type ChannelId, UserId } from "../../../ids.ts"
import { forEachInSlices, nextSlice } from "../../../slices.ts"
import { readByGroup } from "../../ground/permissions/channel-visibility.ts"
import { mayReadHistory } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { type ExportType, exportTypes } from "./export-list.ts"
import type { ExportOmissions, LostAccess } from "./export-omissions.ts"

export interface ExportScope {
  /** Channels of which all messages are exported; by whom, null: the channel is public. */
  readonly whole: ReadonlyMap<ChannelId, UserId | null>
  /** Private channels without a shared history, and who of those who allow it is in each: what they hold is exported. */
  readonly held: ReadonlyMap<ChannelId, ReadonlyArray<UserId>>
  /** Those who allow the export of what is private to them; nobody in a public export. */
  readonly consenting: ReadonlySet<UserId>
}

const isConsenting = (realm: Realm, user: UserRecord | undefined): user is UserRecord =>
  user !== undefined && !user.is_bot && realm.isActive(user.id) && user.settings.allow_private_data_export

/** Somebody among them who may read all of a private channel: mostly a subscriber. */
const findReader = (
  realm: Realm,
  channel: ChannelRecord,
  people: ReadonlyMap<UserId, UserRecord>,
): UserId | undefined => {
  if (!channel.history_shared || people.size === 0) return undefined
  const reads = (id: UserId): boolean => {
    const user = people.get(id)
    return user !== undefined && mayReadHistory(realm, user, channel)
  }
  for (const id of realm.subscribers(channel.id)) if (reads(UserId(id))) return UserId(id)
  return readByGroup(realm, channel).find(reads)
}

const findConsenting = (realm: Realm, type: ExportType, without: ReadonlySet<UserId>): Map<UserId, UserRecord> =>
  new Map(
    type === exportTypes.public
      ? []
      : [...realm.users.values()]
          .filter((user) => !without.has(user.id) && isConsenting(realm, user))
          .map((user) => [user.id, user]),
  )

/** What there is at this moment, but for what is left out; a channel that comes later is not in it. */
export const findScope = Effect.fnUntraced(function* (realm: Realm, type: ExportType, leftOut: ExportOmissions) {
  const [channels, makers] = [new Set(leftOut.channels), new Set(leftOut.makers)]
  const people = findConsenting(realm, type, new Set(leftOut.people))
  const whole = new Map<ChannelId, UserId | null>()
  const held = new Map<ChannelId, ReadonlyArray<UserId>>()
  const add = (channel: ChannelRecord): void => {
    if (channels.has(channel.id) || (channel.creator_id !== null && makers.has(channel.creator_id))) return
    if (!channel.is_private) return void whole.set(channel.id, null)
    const reader = findReader(realm, channel, people)
    if (reader !== undefined) return void whole.set(channel.id, reader)
    const subscribers = realm.subscribers(channel.id)
    const inside = channel.history_shared ? [] : [...people.keys()].filter((id) => inSet(subscribers, id))
    if (inside.length > 0) held.set(channel.id, inside)
  }
  yield* nextSlice
  // To look at one channel may take a millisecond.
  yield* forEachInSlices([...realm.channels.values()], add, 1)
  const scope: ExportScope = { whole, held, consenting: new Set(people.keys()) }
  return scope
})

/** The channels that an export names. */
export const isNamed = ({ whole, held }: ExportScope, channel: ChannelId): boolean =>
  whole.has(channel) || held.has(channel)

/** Somebody who allows it and has received the messages of a conversation, by the ids of its people. */
export const findParticipant = ({ consenting }: ExportScope, memberKey: string): UserId | undefined =>
  memberKey
    .split(",")
    .map((id) => UserId(Number(id)))
    .find((id) => consenting.has(id))

/** Of which channels an export has something, and by whom it has what is private: that must hold when it ends. */
export class ExportWitnesses {
  readonly people = new Set<UserId>()
  readonly #inside = new Map<ChannelId, Set<UserId>>()
  readonly #whole = new Set<ChannelId>()

  /** Somebody who holds a message of a channel without a shared history. */
  add(channel: ChannelId, user: UserId): void {
    const known = this.#inside.get(channel) ?? new Set()
    this.#inside.set(channel, known.add(user))
    this.people.add(user)
  }

  /** Something was taken of a channel of which all messages are exported. */
  take(channel: ChannelId): void {
    this.#whole.add(channel)
  }

  /** These people, those first who hold messages of a channel anyway: they mostly hold the next ones, too. */
  inOrder(channel: ChannelId, people: ReadonlyArray<UserId>): ReadonlyArray<UserId> {
    const known = this.#inside.get(channel) ?? new Set()
    return [...known, ...people.filter((id) => !known.has(id))]
  }

  /** What was exported and may not be any more, by the rules of now. */
  findLost(realm: Realm, { whole }: ExportScope): LostAccess {
    const channels = new Map<ChannelId, UserId | null>()
    const people = new Set<UserId>()
    const stillReads = (id: UserId, channel: ChannelRecord): boolean => {
      const user = realm.users.get(id)
      if (isConsenting(realm, user)) return mayReadHistory(realm, user, channel)
      // They are what is lost: somebody else may read the channel.
      people.add(id)
      return true
    }
    for (const id of this.#whole) {
      const [channel, reader] = [realm.channels.get(id), whole.get(id)]
      if (channel === undefined || reader === undefined) continue
      if (reader === null ? channel.is_private : !stillReads(reader, channel)) channels.set(id, reader)
    }
    for (const id of this.people) if (!isConsenting(realm, realm.users.get(id))) people.add(id)
    for (const [channel, users] of this.#inside)
      for (const user of users) if (!people.has(user) && !realm.isSubscribed(channel, user)) channels.set(channel, user)
    return { channels, people }
  }
}
