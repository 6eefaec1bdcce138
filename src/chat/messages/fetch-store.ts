/**
 * The SQL that reads messages. It returns only messages that the user holds (received, or was given with a new account)
 * or may read in a channel's history; the expression `held` defines the first. Every search stops at `head`, the
 * position of the projection: permissions were checked there, and all senders and channels up to it are known.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseShape, Parameter } from "../../db/database.ts"
import type { Unavailable } from "../../errors.ts"
import { type ChannelId, idSchemas, type RealmId, type UserId } from "../../ids.ts"
import type { Narrow } from "./narrow.ts"
import { readSearch, type Search, type Unwanted } from "./search.ts"

export interface Scope {
  readonly realm: RealmId
  /** null: a visitor without an account, who holds no messages. */
  readonly user: UserId | null
  readonly head: number
  readonly narrow: Narrow
}

/** Up to `before` messages below the anchor, the anchor itself if `withAnchor`, up to `after` above it. */
export interface Range {
  readonly anchor: number
  readonly before: number
  readonly withAnchor: boolean
  readonly after: number
}

const StoredMessage = Schema.Struct({
  id: idSchemas.message,
  sender_id: idSchemas.user,
  channel_id: Schema.NullOr(idSchemas.channel),
  channel_since: Schema.NullOr(Schema.Number),
  topic: Schema.String,
  conversation_id: Schema.NullOr(Schema.Number),
  /** The ids of a direct message's participants, sorted, joined by commas; null for a channel message. */
  member_key: Schema.NullOr(Schema.String),
  content: Schema.String,
  rendered: Schema.String,
  client: Schema.String,
  read_by_sender: Schema.Boolean,
  /** Milliseconds since the Unix epoch. */
  sent_at: Schema.Number,
  held: Schema.Boolean,
})
export type StoredMessage = typeof StoredMessage.Type

const decode = Schema.decodeUnknownSync(Schema.Array(StoredMessage))

// In every statement: $1 the realm, $2 the user; $3 and $4 the lowest and the highest id; $5 leaves out direct messages
// (true) or channel messages (false), null leaves out neither. Further parameters are numbered in order of use.
const held = `case when m.channel_id is null
    then exists (select from conversation_member c
      where c.realm_id = $1::integer and c.user_id = $2::integer and c.conversation_id = m.conversation_id)
    else exists (select from subscription_span s
      where s.realm_id = $1::integer and s.user_id = $2::integer and s.channel_id = m.channel_id
        and s.reads_from <= m.channel_since and (s.closed is null or m.channel_since < s.closed)) end`

const memberKey = `(select v.member_key from conversation v
    where v.realm_id = $1::integer and v.id = m.conversation_id)`

type Bind = (value: Parameter) => string

const bound = "m.realm_id = $1::integer and m.id between $3::bigint and $4::bigint"

/** Each distinct text is kept as a prepared statement, so every value must be a parameter. */
const binder = (scope: Scope, search: Search) => {
  const { message, direct, channels, topic } = search
  const ofChannels = direct === false || channels !== null || topic !== null
  const out = ofChannels ? true : direct === true ? false : null
  const parameters: Array<Parameter> = [
    scope.realm,
    scope.user,
    message ?? 0,
    Math.min(scope.head, message ?? scope.head),
    out,
  ]
  return { parameters, bind: (value: Parameter) => `$${parameters.push(value)}` }
}

const integers = (values: ReadonlyArray<number>, bind: Bind): string =>
  `select each::bigint from jsonb_array_elements_text(${bind(JSON.stringify(values))}::text::jsonb) as each`
const texts = (values: ReadonlyArray<string>, bind: Bind): string =>
  `select each from jsonb_array_elements_text(${bind(JSON.stringify(values))}::text::jsonb) as each`

/** Comparing a field that a message does not have gives null, hence `is not true`. */
const unwantedSql = (unwanted: Unwanted, bind: Bind): ReadonlyArray<string> => [
  `(m.channel_id in (${integers(unwanted.channels, bind)})) is not true`,
  `(m.channel_id is not null and m.topic_folded in (${texts(unwanted.topics, bind)})) is not true`,
  `(m.sender_id in (${integers(unwanted.senders, bind)})) is not true`,
  `(m.conversation_id is not null and ${memberKey} in (${texts(unwanted.memberKeys, bind)})) is not true`,
  `(m.id in (${integers(unwanted.messages, bind)})) is not true`,
]

const conditionsSql = ({ channels, topic, sender, memberKey: key, unwanted }: Search, bind: Bind): string => {
  const [only, second] = channels ?? []
  const conditions = ["(m.conversation_id is not null) is distinct from $5::boolean"]
  if (channels !== null && second !== undefined) conditions.push(`m.channel_id in (${integers(channels, bind)})`)
  else if (only !== undefined) conditions.push(`m.channel_id = ${bind(only)}::integer`)
  if (topic !== null) conditions.push(`m.topic_folded = ${bind(topic)}::text`)
  if (sender !== null) conditions.push(`m.sender_id = ${bind(sender)}::integer`)
  if (key !== null)
    conditions.push(`m.conversation_id = (select v.id from conversation v
      where v.realm_id = $1::integer and v.member_key = ${bind(key)}::text)`)
  if (unwanted !== null) conditions.push(...unwantedSql(unwanted, bind))
  return conditions.join(" and ")
}

/** One side of the anchor; `limit` is SQL. */
interface Side {
  readonly ids: string
  /** This side is the anchor alone. */
  readonly exact?: true
  readonly order: "asc" | "desc"
  readonly limit: string
}

/** Scans one index, chosen by the database, and checks access for each message. */
const scan = ({ ids, order, limit }: Side, conditions: string, access: string): string =>
  `select m.id from message m where ${bound} and ${ids} and ${conditions} and ${access}
   order by m.id ${order} limit ${limit}`

/**
 * Searches all messages that the user holds. It first looks at the realm's messages next to the anchor, enough for a
 * user who holds a tenth of them. If that finds too few, it merges the nearest messages of each of the user's channels
 * and conversations. Moved messages are searched separately, by their own index: a subscription span bounds the ids of
 * all others. Measured with 200,000 messages, for a page of 100: 3 ms, by merging 5 to 35 ms; a plain scan took 150 ms
 * for a user who holds few messages.
 */
const gather = ({ ids, order, limit }: Side, conditions: string, channel: string): string => {
  const look = `(10 * ${limit} + 100)`
  const nearest = (from: string, where: string) => `
      select each.id from ${from} cross join lateral (
        select m.id from message m where ${bound} and ${ids} and ${where} and ${conditions}
        order by m.id ${order} limit ${limit}) as each`
  const spans = `(select s.channel_id, s.reads_from, coalesce(s.closed, 9223372036854775807) as closed
        from subscription_span s where s.realm_id = $1::integer and s.user_id = $2::integer
          and $5::boolean is distinct from false and (${channel} is null or s.channel_id = ${channel})) as span`
  const members = `(select c.conversation_id from conversation_member c
        where c.realm_id = $1::integer and c.user_id = $2::integer
          and $5::boolean is distinct from true) as member`
  return `
  select found.id from (
    with look as materialized (
      select m.realm_id, m.id, m.sender_id, m.channel_id, m.channel_since, m.topic_folded, m.conversation_id
        from message m where ${bound} and ${ids} order by m.id ${order} limit ${look}),
    seen as materialized (
      select m.id from look m where ${conditions} and ${held} order by m.id ${order} limit ${limit}),
    verdict as materialized (
      select (select count(*) from seen) = ${limit} or (select count(*) from look) < ${look} as enough)
    select seen.id from seen where (select enough from verdict)
    union all
    select merged.id from (
      select part.id from (
        ${nearest(
          spans,
          `m.channel_id = span.channel_id and m.id >= span.reads_from and m.id < span.closed
           and m.channel_since < span.closed`,
        )}
        union all
        ${nearest(
          spans,
          `m.channel_id = span.channel_id and m.id < span.reads_from and m.channel_since <> m.id
           and m.channel_since >= span.reads_from and m.channel_since < span.closed`,
        )}
        union all
        ${nearest(members, "m.conversation_id = member.conversation_id")}) as part
      order by part.id ${order} limit ${limit}) as merged
    where not (select enough from verdict)) as found`
}

/** Chooses how to search a side: `scan` where an index fits the conditions, else `gather`. */
const sidesOf = (search: Search, scope: Scope, bind: Bind): ((side: Side) => string) => {
  const { history } = scope.narrow
  const conditions = conditionsSql(search, bind)
  if (history.length > 0) {
    const open = `m.channel_since <= ${bind(scope.head)}::bigint and m.channel_id in (${integers(history, bind)})`
    return (side) => scan(side, conditions, `(${open} or ${held})`)
  }
  if (search.sender !== null || search.memberKey !== null) return (side) => scan(side, conditions, held)
  const [only, second] = search.channels ?? []
  const channel = only !== undefined && second === undefined ? only : null
  return (side) => (side.exact ? scan(side, conditions, held) : gather(side, conditions, `${bind(channel)}::integer`))
}

const read = (database: DatabaseShape, ids: string, parameters: ReadonlyArray<Parameter>) =>
  Effect.map(
    database.query(
      `select m.id, m.sender_id, m.channel_id, m.channel_since, m.topic, m.conversation_id, m.content, m.rendered,
         m.client, m.read_by_sender, m.sent_at, ${held} as held, ${memberKey} as member_key
       from (${ids}) as wanted join message m on m.realm_id = $1::integer and m.id = wanted.id
       order by m.id`,
      parameters,
    ),
    (rows) => decode(rows),
  )

/** The messages around an anchor that the user may see, in ascending order of ids. */
export const findMessages = (
  database: DatabaseShape,
  scope: Scope,
  { anchor, before, withAnchor, after }: Range,
): Effect.Effect<ReadonlyArray<StoredMessage>, Unavailable> => {
  const search = readSearch(scope.narrow.conditions)
  if (search === null) return Effect.succeed([])
  const { parameters, bind } = binder(scope, search)
  const sql = sidesOf(search, scope, bind)
  const at = `${bind(anchor)}::bigint`
  const sides = [
    ...(before > 0 ? [sql({ ids: `m.id < ${at}`, order: "desc", limit: `${bind(before)}::bigint` })] : []),
    ...(withAnchor ? [sql({ ids: `m.id = ${at}`, exact: true, order: "asc", limit: "1" })] : []),
    ...(after > 0 ? [sql({ ids: `m.id > ${at}`, order: "asc", limit: `${bind(after)}::bigint` })] : []),
  ]
  if (sides.length === 0) return Effect.succeed([])
  return read(database, sides.map((side) => `(${side})`).join(" union all "), parameters)
}

/**
 * The messages among `ids` that match and that the user may see, in ascending order. `mayReadHistory` is asked about
 * the channels of messages that the user does not hold.
 */
export const findMessagesById = (
  database: DatabaseShape,
  scope: Scope,
  ids: ReadonlyArray<number>,
  mayReadHistory: (channel: ChannelId) => boolean,
): Effect.Effect<ReadonlyArray<StoredMessage>, Unavailable> => {
  const search = readSearch(scope.narrow.conditions)
  if (search === null) return Effect.succeed([])
  const { parameters, bind } = binder(scope, search)
  const wanted = `select m.id from message m
    where ${bound} and m.id in (${integers(ids, bind)}) and ${conditionsSql(search, bind)}`
  const maySee = ({ held: received, channel_id, channel_since }: StoredMessage) =>
    received || (channel_id !== null && (channel_since ?? 0) <= scope.head && mayReadHistory(channel_id))
  return Effect.map(read(database, wanted, parameters), (rows) => rows.filter(maySee))
}
