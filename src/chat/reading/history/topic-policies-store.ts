/**
 * Channels with topics that a reader muted, unmuted or follows: a search for these looks into no other channels, and
 * one for what is not muted passes muted channels over. Read some rows at a time: one may follow thousands of topics.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { UserRead } from "../../../db/reads.ts"
import { ChannelId } from "../../../ids.ts"
import { topicPolicy } from "../../ground/kinds/user-topic-row.ts"
import type { Search } from "./walk/search.ts"
import type { SearchScope } from "./walk/search-conditions-store.ts"

const rowsAtOnce = 2000

const readRows = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ channel_id: Schema.Number, topic_folded: Schema.String, policy: Schema.Number })),
)
// $3, $4: the last row of the statement before.
const policiesSql = `select t.channel_id, t.topic_folded, t.policy from user_topic t
  where t.realm_id = $1::integer and t.user_id = $2::integer
    and (t.channel_id, t.topic_folded) > ($3::integer, $4::text collate "C")
  order by t.channel_id, t.topic_folded limit ${rowsAtOnce}`

/** The channels that hold topics of each policy. */
const findChannels = Effect.fnUntraced(function* (reading: UserRead, { realm, user }: SearchScope) {
  const found = new Map<number, Set<ChannelId>>()
  for (let [channel, topic] = [-1, ""]; ; ) {
    const rows = readRows(yield* reading.query(policiesSql, [realm, user, channel, topic], "generic"))
    for (const { channel_id, topic_folded, policy } of rows) {
      const channels = found.get(policy) ?? new Set()
      found.set(policy, channels.add(ChannelId(channel_id)))
      channel = channel_id
      topic = topic_folded
    }
    if (rows.length < rowsAtOnce) return (policy: number): ReadonlySet<ChannelId> => found.get(policy) ?? new Set()
  }
})

const noneUnwanted: NonNullable<Search["unwanted"]> = {
  channels: [],
  topics: [],
  senders: [],
  memberKeys: [],
  messages: [],
  flags: [],
  parts: [],
  including: [],
  groups: [],
}

/** The same search, in no more channels than may hold what it asks for. */
export const withinPolicies = Effect.fnUntraced(function* (reading: UserRead, scope: SearchScope, search: Search) {
  const { isFollowed, muting, unwanted } = search
  if (isFollowed !== true && muting === null) return search
  const channelsWith = yield* findChannels(reading, scope)
  const within = (channels: ReadonlyArray<ChannelId> | null, some: ReadonlySet<ChannelId>) =>
    channels === null ? [...some] : channels.filter((each) => some.has(each))
  let { channels } = search
  if (isFollowed === true) channels = within(channels, channelsWith(topicPolicy.followed))
  if (muting?.wanted === true)
    channels = within(channels, new Set([...muting.channels, ...channelsWith(topicPolicy.muted)]))
  if (muting === null || muting.wanted) return { ...search, channels } satisfies Search
  const [unmuted, followed] = [channelsWith(topicPolicy.unmuted), channelsWith(topicPolicy.followed)]
  const passed = muting.channels.filter((each) => !unmuted.has(each) && !followed.has(each))
  const before = unwanted ?? noneUnwanted
  return { ...search, channels, unwanted: { ...before, channels: [...before.channels, ...passed] } } satisfies Search
})
