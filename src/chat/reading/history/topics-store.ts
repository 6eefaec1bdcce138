/**
 * The SQL that lists a channel's topics, each with the newest message that the user may see, by the index of topics;
 * each statement lists some of them, so that none takes long. Where topics have few messages, it reads one message
 * after the other, which costs a sixth of a step to the next topic. Where that finds few topics, it goes on by such
 * steps (a loose index scan), so its cost grows with the number of topics, not of messages.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { UserRead } from "../../../db/reads.ts"
import { column, inColumns } from "../../../db/rows-in-columns.ts"
import type { ChannelId, RealmId, UserId } from "../../../ids.ts"
import { NearestHeap } from "./walk/nearest-heap.ts"

const columns = {
  /** As the newest message spells it: topics that differ only in case are one topic. */
  topic: column(Schema.String),
  /** null: the user may see no message of the topic. */
  id: column(Schema.NullOr(Schema.Number)),
  /** By which topics are compared: the walk goes on below it. */
  folded: column(Schema.String),
  /** The messages that were read, where one after the other was. */
  read: column(Schema.NullOr(Schema.Number)),
}
const decode = Schema.decodeUnknownSync(Schema.Tuple([Schema.Struct(columns)]))
type Columns = ReturnType<typeof decode>[0]

export interface FoundTopic {
  readonly topic: string
  /** By which topics are compared. */
  readonly folded: string
  /** The newest message that the user may see. */
  readonly id: number
}

const OwnMessage = Schema.Struct({
  at: Schema.Number,
  /** null: the message is in another channel. */
  topic: Schema.NullOr(Schema.String),
  folded: Schema.NullOr(Schema.String),
})

const decodeOwn = Schema.decodeUnknownSync(Schema.Array(OwnMessage))

/** Topics that one statement lists by steps. */
const topicsAtOnce = 250
/** Messages that one statement reads one after the other; where what each user holds is looked for, too. */
const messagesAtOnce = 1000
const heldAtOnce = 250
/** Messages held by a row of the user's own that one statement looks at. */
const ownAtOnce = 400
/** Reading one after the other is worth it where a topic has fewer messages than this. */
const fewMessages = 6

// In both statements: $1 the realm, $2 the channel, $3 the position at which permissions were checked, and $4 the last topic
// of the statement before, null in the first, which is another statement: in one with a plan for both, the first index
// entries would be passed over one by one.
// No condition on ids, which are below the position at which the message came into the channel: the index of the channel's
// ids would look as good as that of its topics, and all messages of the channel would be sorted for each part.
const inChannelSql = "m.realm_id = $1::integer and m.channel_id = $2::integer and m.channel_since <= $3::bigint"

const isFirst = "$4::text is null"
const isNext = 'm.topic_folded < $4::text collate "C"'

/** The newest message of each topic, in descending order of topics. */
const walk = (after: string) => `walk as (
    (select m.topic_folded as folded, m.topic, m.id from message m
      where ${inChannelSql} and ${after}
     order by m.topic_folded desc, m.id desc limit 1)
    union all
    select next.folded, next.topic, next.id from walk cross join lateral (
      select m.topic_folded as folded, m.topic, m.id from message m where ${inChannelSql} and m.topic_folded < walk.folded
      order by m.topic_folded desc, m.id desc limit 1) as next)`

/** Messages one after the other, in descending order of topics, the newest first. */
const run = (after: string, most: number) => `run as materialized (
    select m.topic_folded as folded, m.topic, m.id from message m
     where ${inChannelSql} and ${after}
     order by m.topic_folded desc, m.id desc limit ${most})`

/** The next topics, by the one way or the other. */
const nextByRun = (after: string, most: number) => `${run(after, most)}, part as materialized (
    select distinct on (folded) topic, id, folded, (select count(*) from run) as read from run
     order by folded desc, id desc)`
const nextByWalk = (after: string) => `${walk(after)}, part as materialized (
    select topic, id, folded, null::bigint as read from walk limit ${topicsAtOnce})`

const names = Object.keys(columns)

const historySql = (next: string) =>
  inColumns(
    names,
    `with recursive ${next}
  select topic, id, folded, read from part order by folded desc`,
  )

/**
 * For a user ($5) who may not read the channel's history: topics of messages that they hold. The newest message of each
 * topic in each subscription span; and messages that were moved into the channel during a span, whose ids are older.
 */
const heldSql = (next: string) =>
  inColumns(
    names,
    `with recursive ${next},
  span as materialized (
    select s.reads_from, coalesce(s.closed, 9223372036854775807) as closed from subscription_span s
     where s.realm_id = $1::integer and s.channel_id = $2::integer and s.user_id = $5::integer)
  select coalesce(newest.topic, part.topic) as topic, newest.id, part.folded, part.read from part left join lateral (
    select found.topic, found.id from (
      select each.topic, each.id from span cross join lateral (
        select m.topic, m.id from message m
         where ${inChannelSql} and m.topic_folded = part.folded and m.id >= span.reads_from and m.id < span.closed
           and m.channel_since < span.closed
         order by m.id desc limit 1) as each
      union all
      select m.topic, m.id from span join message m
        on ${inChannelSql} and m.topic_folded = part.folded and m.channel_since <> m.id and m.id < span.reads_from
           and m.channel_since >= span.reads_from and m.channel_since < span.closed) as found
     order by found.id desc limit 1) as newest on true
  order by part.folded desc`,
  )

/**
 * Messages that the user ($4) holds by rows of their own, in descending order below $5, with their topics where they are in
 * the channel: somebody who was mentioned, or has starred what they could read once, may see it beyond their spans.
 */
const ownSql = `select own.message_id::double precision as at, found.topic, found.folded
  from (select message_id from personal_message
         where realm_id = $1::integer and user_id = $4::integer and message_id < $5::bigint
         order by message_id desc limit ${ownAtOnce}) as own
  left join lateral (
    select m.topic, m.topic_folded as folded from message m where ${inChannelSql} and m.id = own.message_id offset 0) as found on true
 order by own.message_id desc`

export interface TopicsScope {
  readonly realm: RealmId
  readonly channel: ChannelId
  readonly head: number
  /** The user whose held messages count; null: all messages count. */
  readonly holder: UserId | null
}

/** By topic, the newest message that the user holds by a row of their own. */
const findOwnTopics = Effect.fnUntraced(function* (reading: UserRead, scope: TopicsScope, holder: UserId) {
  const newest = new Map<string, FoundTopic>()
  for (let below = scope.head + 1; ; ) {
    const rows = decodeOwn(
      yield* reading.query(ownSql, [scope.realm, scope.channel, scope.head, holder, below], "generic"),
    )
    for (const { at, topic, folded } of rows)
      if (topic !== null && folded !== null && !newest.has(folded)) newest.set(folded, { topic, folded, id: at })
    below = rows.at(-1)?.at ?? 0
    if (rows.length < ownAtOnce) return newest
  }
})

/** Puts topics beside those of the parts. Of one that is in both, the newer message counts. */
const addTopics = (parts: ReadonlyArray<ReadonlyArray<FoundTopic>>, more: Map<string, FoundTopic>) => {
  if (more.size === 0) return parts
  const kept = parts.map((part) =>
    part.filter(({ folded, id }) => {
      const other = more.get(folded)
      if (other !== undefined && other.id > id) return false
      more.delete(folded)
      return true
    }),
  )
  return [...kept, [...more.values()].sort((a, b) => b.id - a.id)]
}

/** Topics of which the user may see a message, the newest first. */
const topicsOf = ({ topic: topics, id: ids, folded: keys }: Columns): ReadonlyArray<FoundTopic> => {
  const found: Array<FoundTopic> = []
  for (const [n, topic] of topics.entries()) {
    const [id = null, folded] = [ids[n], keys[n]]
    if (id !== null && folded !== undefined) found.push({ topic, folded, id })
  }
  return found.sort((a, b) => b.id - a.id)
}

const findInOrder = Effect.fnUntraced(function* (reading: UserRead, { realm, channel, head, holder }: TopicsScope) {
  const parts: Array<ReadonlyArray<FoundTopic>> = []
  const sqlFor = holder === null ? historySql : heldSql
  const mostRead = holder === null ? messagesAtOnce : heldAtOnce
  let inSteps = false
  for (let last: string | null = null; ; ) {
    const most: number = inSteps ? topicsAtOnce : mostRead
    const parameters = [realm, channel, head, last, ...(holder === null ? [] : [holder])]
    const after = last === null ? isFirst : isNext
    const sql = sqlFor(inSteps ? nextByWalk(after) : nextByRun(after, most))
    const [found]: readonly [Columns] = decode(yield* reading.query(sql, parameters, "generic"))
    parts.push(topicsOf(found))
    last = found.folded.at(-1) ?? null
    const listed: number = found.folded.length
    const looked: number = inSteps ? listed : (found.read[0] ?? 0)
    if (last === null || looked < most) return parts
    // After steps it is tried again: what came before was perhaps one large topic.
    inSteps = !inSteps && listed * fewMessages < most
  }
})

/** The channel's topics in parts, each with the newest messages first. */
export const findTopics = Effect.fnUntraced(function* (reading: UserRead, scope: TopicsScope) {
  const parts = yield* findInOrder(reading, scope)
  return scope.holder === null ? parts : addTopics(parts, yield* findOwnTopics(reading, scope, scope.holder))
})

/** Those of all parts, the newest first. They are put in order while they are asked for, so that no turn takes long. */
export function* newestFirst(parts: ReadonlyArray<ReadonlyArray<FoundTopic>>): Generator<FoundTopic> {
  const line = new NearestHeap<{ readonly found: FoundTopic; readonly rest: Iterator<FoundTopic> }>(
    ({ found }) => -found.id,
  )
  const addFrom = (rest: Iterator<FoundTopic>): void => {
    const next = rest.next()
    if (next.done !== true) line.add({ found: next.value, rest })
  }
  for (const part of parts) addFrom(part.values())
  for (let next = line.take(); next !== undefined; next = line.take()) {
    yield next.found
    addFrom(next.rest)
  }
}
