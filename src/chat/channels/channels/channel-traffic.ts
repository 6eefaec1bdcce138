/**
 * Two fields of a channel that follow from its messages: `is_recently_active` and the weekly traffic. A job counts
 * them once a day for each running realm; only changed values are written, and told to those who know of the channel. A
 * channel that was not active turns active with the next message itself (messages.sql).
 */
import * as Effect from "effect/Effect"
import { Clock } from "../../../clock.ts"
import { Database, type DatabaseShape } from "../../../db/database.ts"
import { answering, type Command, call, done } from "../../../events/command.ts"
import { latestRight } from "../../../events/log-retention.ts"
import type { NewRow } from "../../../events/step.ts"
import type { ChannelId } from "../../../ids.ts"
import { ClockWatch } from "../../../jobs/clock-watch.ts"
import { periodicOnce } from "../../../jobs/job.ts"
import { streamRows } from "../../ground/kinds/stream-row.ts"
import { archivedMark, channelAudience } from "../../ground/permissions/channel-visibility.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { type RealmRuntime, Realms } from "../../ground/realm/realms.ts"
import type { ChannelChange, ChannelRecord } from "../../ground/realm/records.ts"
import { type ChannelMessageCount, countMessages, findUncounted } from "./channel-traffic-store.ts"

const dayMilliseconds = 24 * 3600 * 1000
/** Milliseconds between two checks whether a day has ended, after which traffic is counted anew. */
const lookMilliseconds = 10 * 60_000
/** A channel counts as recently active for this many days after it was made, and after each message. */
const activeDays = 180
/** The traffic is an average over 28 days, or over the age of a younger channel, which must be at least a week. */
const countedDays = 28
const leastDays = 7
/** Channels per commit, because a commit holds the log's lock; each channel may need two rows. */
const channelsAtOnce = 250

/** Rounds up to two significant digits. */
const roundUp = (traffic: number): number => {
  const step = 10 ** Math.max(0, String(Math.ceil(traffic)).length - 2)
  return Math.ceil(traffic / step) * step
}

/** The average number of messages in a week; null for a channel younger than that. `sent`: in the last 28 days. */
export const weeklyTraffic = (sent: number, ageMilliseconds: number): number | null => {
  const days = Math.min(ageMilliseconds / dayMilliseconds, countedDays)
  return days < leastDays ? null : roundUp((sent * leastDays) / days)
}

const derived = (channel: ChannelRecord, { sent, newest_at }: ChannelMessageCount, now: number) => ({
  is_recently_active: Math.max(newest_at ?? 0, channel.created_at) >= now - activeDays * dayMilliseconds,
  weekly_traffic: weeklyTraffic(sent, now - channel.created_at),
})

/** One change of a channel, in the form that the SQL function note_traffic_v2 takes. */
interface TrafficChange {
  readonly channel_id: ChannelId
  /** The channel stops being recently active. */
  readonly quiet: boolean
  readonly row: NewRow
}

/** The changed fields of the counted channels; each change is one event for clients. */
const changesOf = (
  realm: Realm,
  counts: ReadonlyArray<ChannelMessageCount>,
  now: number,
): ReadonlyArray<TrafficChange> =>
  counts.flatMap((count) => {
    const channel = realm.channels.get(count.channel_id)
    if (channel === undefined) return []
    const { is_recently_active, weekly_traffic } = derived(channel, count, now)
    const sets: ReadonlyArray<ChannelChange> = [
      ...(is_recently_active === channel.is_recently_active ? [] : [{ is_recently_active }]),
      ...(weekly_traffic === channel.weekly_traffic ? [] : [{ weekly_traffic }]),
    ]
    if (sets.length === 0) return []
    const audience = channelAudience(realm, channel)
    const update = { op: "update", channel_id: channel.id, name: channel.name, ...archivedMark(channel) } as const
    return sets.map((set) => ({
      channel_id: channel.id,
      quiet: set.is_recently_active === false,
      row: streamRows.change({ ...update, set }, audience),
    }))
  })

/** Writes the changes of some channels. `isLast`: with it the whole count is done, and its time is written too. */
const noteTraffic = (
  counts: ReadonlyArray<ChannelMessageCount>,
  head: number,
  now: number,
  isLast: boolean,
): Command<Realm, void> => ({
  judge: (realm) => {
    const changes = changesOf(realm, counts, now)
    if (changes.length === 0 && !isLast) return done(undefined)
    const args = { changes, counted_through: head }
    return call("note_traffic_v2", isLast ? { ...args, counted_at: now } : args, true, answering(undefined))
  },
})

const countRealm = Effect.fnUntraced(function* (database: DatabaseShape, { realm, writer }: RealmRuntime, now: number) {
  const head = realm.position
  const since = now - countedDays * dayMilliseconds
  const counts = yield* countMessages(database, realm.id, [...realm.channels.keys()], since, latestRight(now))
  let at = 0
  do {
    const some = counts.slice(at, at + channelsAtOnce)
    at += channelsAtOnce
    yield* writer.submit(noteTraffic(some, head, now, at >= counts.length))
  } while (at < counts.length)
})

/** Counts the traffic of each realm in which that was not done for a day. */
const countTraffic = Effect.fnUntraced(function* (
  database: DatabaseShape,
  realms: ReadonlyArray<RealmRuntime>,
  now: number,
) {
  const uncounted = yield* findUncounted(database, now - dayMilliseconds, latestRight(now))
  for (const runtime of realms) if (uncounted.has(runtime.realm.id)) yield* countRealm(database, runtime, now)
})

export const trafficJob = periodicOnce({
  name: "traffic of channels",
  everyMilliseconds: lookMilliseconds,
  run: Effect.gen(function* () {
    if (!(yield* ClockWatch).isTrusted()) return
    yield* countTraffic(yield* Database, (yield* Realms).loaded(), (yield* Clock).now())
  }),
})
