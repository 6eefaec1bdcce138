/**
 * Changes flags of messages that the user may see: reads what the messages are, then changes them in parts, each a
 * command that holds the log's lock for a few milliseconds and tells the user's clients what has changed. Used by the
 * endpoints of this folder.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Caller } from "../../../api/endpoint.ts"
import type { UserRead } from "../../../db/reads.ts"
import { call, done, type Judgement, type SqlCall } from "../../../events/command.ts"
import type { ChannelId, UserId } from "../../../ids.ts"
import type { Json } from "../../../json.ts"
import { rangesOf } from "../../ground/realm/id-ranges.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import type { SearchScope } from "../history/walk/search-conditions-store.ts"
import { allReadRow, type EditableFlag, type FlagOp, flagsRow } from "./flags-event.ts"
import { findNatures, type MessageNature } from "./message-natures-store.ts"

/** Messages of one command, and of its event. */
const mostRead = 5000
/** The same for changes that may take a row for each message. */
const mostRows = 500
/** Runs of messages that follow each other in their places, in one command: each is a range to be stored. */
const mostRuns = 500

export interface FlagChange {
  readonly op: FlagOp
  readonly flag: EditableFlag
}

export interface FlagChangeResult {
  /** Number of messages that have another flag than before. */
  readonly count: number
  /** Channels that the user is not in: their messages cannot be marked as unread. */
  readonly ignored: ReadonlyArray<ChannelId>
}

const idsIn = (natures: ReadonlyArray<MessageNature>): ReadonlyArray<number> => natures.map(({ id }) => id)

/** The messages that are unread by nature, by their places. */
const byPlace = (
  natures: ReadonlyArray<MessageNature>,
): ReadonlyArray<readonly [number, ReadonlyArray<MessageNature>]> => {
  const places = new Map<number, Array<MessageNature>>()
  for (const each of natures) {
    if (!each.by_nature) continue
    const known = places.get(each.place)
    if (known === undefined) places.set(each.place, [each])
    else known.push(each)
  }
  return [...places]
}

/** The ids, and those down to the message before each, as ranges. */
const reachOf = (natures: ReadonlyArray<MessageNature>): string =>
  `{${natures.map(({ id, before }) => `[${before + 1},${id + 1})`).join(",")}}`

const readCall = (user: UserId, natures: ReadonlyArray<MessageNature>): SqlCall => ({
  fn: "read_messages_v1",
  args: {
    user_id: user,
    asked: rangesOf(idsIn(natures)),
    places: byPlace(natures).map(([place, own]) => ({ place, ids: rangesOf(idsIn(own)), reach: reachOf(own) })),
    row: flagsRow(user, "add", "read"),
  },
})

const unreadCall = (user: UserId, natures: ReadonlyArray<MessageNature>): SqlCall => {
  const others = natures.filter((each) => !each.by_nature)
  return {
    fn: "unread_messages_v1",
    args: {
      user_id: user,
      places: byPlace(natures).map(([place, own]) => ({ place, ids: rangesOf(idsIn(own)) })),
      others: rangesOf(idsIn(others)),
      historical: rangesOf(idsIn(others.filter((each) => each.is_historical))),
      row: flagsRow(user, "remove", "read"),
    },
  }
}

const flagCall = (user: UserId, { op, flag }: FlagChange, natures: ReadonlyArray<MessageNature>): SqlCall => ({
  fn: "flag_messages_v1",
  args: {
    user_id: user,
    op,
    flag,
    ids: rangesOf(idsIn(natures)),
    historical: rangesOf(idsIn(natures.filter((each) => each.is_historical))),
    row: flagsRow(user, op, flag),
  },
})

const readCount = (outcome: Json): number => Number(Predicate.isObject(outcome) ? (outcome["changed"] ?? 0) : 0)

/** Whether the user was in the channel when the messages were read, and still is. */
const isStillIn = (realm: Realm, user: UserId, channel: ChannelId, head: number): boolean => {
  const opened = realm.subscriptions.openSince(channel, user)
  return opened !== null && opened <= head
}

const judge = (realm: Realm, user: UserId, head: number, change: FlagChange, part: ReadonlyArray<MessageNature>) => {
  const ignored = new Set<ChannelId>()
  const isUnread = change.flag === "read" && change.op === "remove"
  const left = part.filter(({ channel_id }) => {
    if (!isUnread || channel_id === null || isStillIn(realm, user, channel_id, head)) return true
    ignored.add(channel_id)
    return false
  })
  const answer = (count: number): FlagChangeResult => ({ count, ignored: [...ignored] })
  if (left.length === 0) return done(answer(0))
  const { fn, args } = isUnread
    ? unreadCall(user, left)
    : change.flag === "read"
      ? readCall(user, left)
      : flagCall(user, change, left)
  return call(fn, args, false, (outcome) => done(answer(readCount(outcome)))) satisfies Judgement<FlagChangeResult>
}

/** The messages of the next command: `most`, or fewer where they are scattered. */
const nextPart = (natures: ReadonlyArray<MessageNature>, from: number, most: number): ReadonlyArray<MessageNature> => {
  const reached = new Map<number, number>()
  let runs = 0
  const part = natures.slice(from, from + most)
  const end = part.findIndex(({ id, place, before }) => {
    if (before > (reached.get(place) ?? -1)) runs++
    reached.set(place, id)
    return runs > mostRuns
  })
  return end < 0 ? part : part.slice(0, end)
}

/** Changes a flag of messages, of which the user may see each one, up to the position `scope.head`. */
export const changeFlag = Effect.fnUntraced(function* (
  caller: Caller,
  reading: UserRead,
  scope: SearchScope,
  change: FlagChange,
  ids: ReadonlyArray<number>,
) {
  const natures = yield* findNatures(reading, scope, ids)
  const most = change.flag === "read" && change.op === "add" ? mostRead : mostRows
  const ignored = new Set<ChannelId>()
  let count = 0
  for (let part = nextPart(natures, 0, most), at = 0; part.length > 0; part = nextPart(natures, at, most)) {
    at += part.length
    const changed = yield* submitAs(caller, (realm, actor) => judge(realm, actor.id, scope.head, change, part))
    count += changed.count
    for (const channel of changed.ignored) ignored.add(channel)
  }
  return { count, ignored: [...ignored].sort((a, b) => a - b) } satisfies FlagChangeResult
})

export const readAll = (caller: Caller) =>
  submitAs(caller, (_realm, { id }) =>
    call("read_all_v1", { user_id: id, row: allReadRow(id) }, false, () => done(undefined)),
  )
