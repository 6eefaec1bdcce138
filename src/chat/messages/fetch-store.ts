/**
 * The SQL that reads messages. Nothing leaves here that the user neither holds nor may read by a channel's history;
 * what holding means stands in one expression, `held` (design 6). Every search stops at `head`, the projection's
 * position: rights were judged there, and every sender and channel up to it is known. Called by fetch.ts only.
 */
import { Effect, Schema } from "effect"
import type { DatabaseShape, Parameter } from "../../db/database.ts"
import type { Unavailable } from "../../errors.ts"
import { ChannelId, type RealmId, type UserId } from "../../ids.ts"
import type { Condition, Matcher, Narrow } from "../narrow.ts"

export interface Scope {
  readonly realm: RealmId
  readonly user: UserId
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
  id: Schema.Number,
  sender_id: Schema.Number,
  channel_id: Schema.NullOr(Schema.Number),
  channel_since: Schema.NullOr(Schema.Number),
  topic: Schema.String,
  conversation_id: Schema.NullOr(Schema.Number),
  /** Of a direct message: its people's ids, sorted, joined by commas. */
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

// $1 the realm, $2 the user, $3 the head: the same in every statement.
const held = `case when m.channel_id is null
    then exists (select from conversation_member c
      where c.realm_id = $1::integer and c.user_id = $2::integer and c.conversation_id = m.conversation_id)
    else exists (select from subscription_span s
      where s.realm_id = $1::integer and s.user_id = $2::integer and s.channel_id = m.channel_id
        and s.opened <= m.channel_since and (s.closed is null or m.channel_since < s.closed)) end`

type Bind = (value: Parameter) => string

const matcherSql = (matcher: Matcher, bind: Bind): string => {
  switch (matcher.kind) {
    case "channel":
      return `m.channel_id = ${bind(matcher.channel)}::integer`
    case "channels":
      return `m.channel_id in (${integers(matcher.channels, bind)})`
    case "topic":
      return `(m.channel_id is not null and lower(m.topic) = lower(${bind(matcher.topic)}::text))`
    case "sender":
      return `m.sender_id = ${bind(matcher.sender)}::integer`
    case "direct":
      return "m.conversation_id is not null"
    case "conversation":
      return `m.conversation_id = (select v.id from conversation v
        where v.realm_id = $1::integer and v.member_key = ${bind(matcher.memberKey)}::text)`
    case "message":
      return `m.id = ${bind(matcher.message)}::bigint`
  }
}

const integers = (values: ReadonlyArray<number>, bind: Bind): string =>
  `select each::bigint from jsonb_array_elements_text(${bind(JSON.stringify(values))}::text::jsonb) as each`

const conditionSql = ({ matcher, negated }: Condition, bind: Bind): string =>
  // A comparison with what a message does not have is null, which is as good as false.
  negated ? `(${matcherSql(matcher, bind)}) is not true` : matcherSql(matcher, bind)

/** One side of the anchor. */
interface Side {
  readonly ids: string
  readonly order: "asc" | "desc"
  readonly limit: number
}

/** Scans one index, chosen by the database, and asks of each message whether it may be seen. */
const scan = (side: Side, conditions: string, access: string): string =>
  `select m.id from message m
   where m.realm_id = $1::integer and m.id <= $3::bigint and ${side.ids} and ${conditions} and ${access}
   order by m.id ${side.order} limit ${side.limit}`

/** How far the first look goes: wide enough for who holds a tenth of the realm's messages, 1 ms for a page of 100. */
const lookWidth = (limit: number): number => 10 * limit + 100

interface Sources {
  /** Further conditions on the user's spans; null: no channel message can match. */
  readonly spans: string | null
  readonly conversations: boolean
}

/**
 * All that the user holds. First the realm's messages next to the anchor, which is enough for most people; if it is
 * not, the nearest of each channel and conversation of theirs, merged. Moved messages are looked for apart, because a
 * span bounds the ids of the others (measured with 200,000 messages: 0.5 ms, or 1 to 35 ms by merging, where a scan
 * for someone with little to see took 150).
 */
const gather = ({ ids, order, limit }: Side, conditions: string, sources: Sources): string => {
  const look = lookWidth(limit)
  const nearest = (from: string, where: string) => `
      select each.id from ${from} cross join lateral (
        select m.id from message m
        where m.realm_id = $1::integer and m.id <= $3::bigint and ${ids} and ${where} and ${conditions}
        order by m.id ${order} limit ${limit}) as each`
  const spans = `(select s.channel_id, s.opened, coalesce(s.closed, 9223372036854775807) as closed
        from subscription_span s where s.realm_id = $1::integer and s.user_id = $2::integer${sources.spans ?? ""}) as span`
  const members = `(select c.conversation_id from conversation_member c
        where c.realm_id = $1::integer and c.user_id = $2::integer) as member`
  const parts = [
    ...(sources.spans === null
      ? []
      : [
          nearest(
            spans,
            `m.channel_id = span.channel_id and m.id >= span.opened and m.id < span.closed
             and m.channel_since < span.closed`,
          ),
          nearest(
            spans,
            `m.channel_id = span.channel_id and m.id < span.opened and m.channel_since <> m.id
             and m.channel_since >= span.opened and m.channel_since < span.closed`,
          ),
        ]),
    ...(sources.conversations ? [nearest(members, "m.conversation_id = member.conversation_id")] : []),
  ]
  return `
  select found.id from (
    with look as materialized (
      select m.realm_id, m.id, m.sender_id, m.channel_id, m.channel_since, m.topic, m.conversation_id from message m
      where m.realm_id = $1::integer and m.id <= $3::bigint and ${ids}
      order by m.id ${order} limit ${look}),
    seen as materialized (
      select m.id from look m where ${conditions} and ${held} order by m.id ${order} limit ${limit}),
    verdict as materialized (
      select (select count(*) from seen) = ${limit} or (select count(*) from look) < ${look} as enough)
    select seen.id from seen where (select enough from verdict)
    union all
    select merged.id from (
      select part.id from (${parts.join(" union all ")}) as part order by part.id ${order} limit ${limit}) as merged
    where not (select enough from verdict)) as found`
}

/** What a narrow comes to in SQL; the same for every side of the anchor. */
interface Search {
  readonly conditions: string
  readonly access: string
  /** Null: scanned for, because the narrow names its messages well enough for an index. */
  readonly sources: Sources | null
}

const scanned: ReadonlySet<Matcher["kind"]> = new Set(["conversation", "message", "sender"])

const conditionsSql = ({ conditions }: Narrow, bind: Bind): string =>
  conditions.map((each) => conditionSql(each, bind)).join(" and ") || "true"

const searchFor = (narrow: Narrow, bind: Bind): Search => {
  const conditions = conditionsSql(narrow, bind)
  if (narrow.history.length > 0) {
    const open = `m.channel_since <= $3::bigint and m.channel_id in (${integers(narrow.history, bind)})`
    return { conditions, access: `(${open} or ${held})`, sources: null }
  }
  const wanted = narrow.conditions.filter((each) => !each.negated).map((each) => each.matcher)
  const kinds = new Set(wanted.map((each) => each.kind))
  if ([...kinds].some((kind) => scanned.has(kind))) return { conditions, access: held, sources: null }
  const within = wanted.flatMap((each) =>
    each.kind === "channel" ? [` and s.channel_id = ${bind(each.channel)}::integer`] : [],
  )
  const spans = kinds.has("direct") ? null : within.join("")
  const conversations = !kinds.has("channel") && !kinds.has("channels") && !kinds.has("topic")
  return { conditions, access: held, sources: { spans, conversations } }
}

const sideSql = (side: Side, { conditions, access, sources }: Search): string =>
  sources === null ? scan(side, conditions, access) : gather(side, conditions, sources)

const binder = ({ realm, user, head }: Scope) => {
  const parameters: Array<Parameter> = [realm, user, head]
  return { parameters, bind: (value: Parameter) => `$${parameters.push(value)}` }
}

const read = (database: DatabaseShape, ids: string, parameters: ReadonlyArray<Parameter>) =>
  Effect.map(
    database.query(
      `select m.id, m.sender_id, m.channel_id, m.channel_since, m.topic, m.conversation_id, m.content, m.rendered,
         m.client, m.read_by_sender, m.sent_at, ${held} as held,
         (select v.member_key from conversation v where v.realm_id = $1::integer and v.id = m.conversation_id)
       from (${ids}) as wanted join message m on m.realm_id = $1::integer and m.id = wanted.id
       order by m.id`,
      parameters,
    ),
    (rows) => decode(rows),
  )

/** The messages around an anchor that the user may see, ids rising. */
export const findMessages = (
  database: DatabaseShape,
  scope: Scope,
  { anchor, before, withAnchor, after }: Range,
): Effect.Effect<ReadonlyArray<StoredMessage>, Unavailable> => {
  const { parameters, bind } = binder(scope)
  const search = searchFor(scope.narrow, bind)
  const at = `${bind(anchor)}::bigint`
  const sides = [
    ...(before > 0 ? [sideSql({ ids: `m.id < ${at}`, order: "desc", limit: before }, search)] : []),
    ...(withAnchor ? [scan({ ids: `m.id = ${at}`, order: "asc", limit: 1 }, search.conditions, search.access)] : []),
    ...(after > 0 ? [sideSql({ ids: `m.id > ${at}`, order: "asc", limit: after }, search)] : []),
  ]
  if (sides.length === 0) return Effect.succeed([])
  return read(database, sides.map((side) => `(${side})`).join(" union all "), parameters)
}

/**
 * Those of these messages that match and that the user may see, ids rising. `mayReadHistory` judges channels whose
 * messages the user does not hold.
 */
export const findMessagesById = (
  database: DatabaseShape,
  scope: Scope,
  ids: ReadonlyArray<number>,
  mayReadHistory: (channel: ChannelId) => boolean,
): Effect.Effect<ReadonlyArray<StoredMessage>, Unavailable> => {
  const { parameters, bind } = binder(scope)
  const wanted = `select m.id from message m where m.realm_id = $1::integer and m.id <= $3::bigint
    and m.id in (${integers(ids, bind)}) and ${conditionsSql(scope.narrow, bind)}`
  return Effect.map(read(database, wanted, parameters), (rows) =>
    rows.filter(
      ({ held, channel_id, channel_since }) =>
        held || (channel_id !== null && (channel_since ?? 0) <= scope.head && mayReadHistory(ChannelId(channel_id))),
    ),
  )
}
