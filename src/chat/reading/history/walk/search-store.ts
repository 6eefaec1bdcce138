/**
 * The sources of a search (search-walk.ts) in the tables: which ranges of messages a reader may see, and the statement
 * that looks at the next messages of some of them. A channel whose history the reader may read is one source; else each
 * of their subscription spans is one (spans-store.ts), and messages that were moved into the channel during a span, whose
 * ids are older, are another. Of direct messages each conversation is one. What the reader holds by rows of their own
 * is one more. Unread messages are looked for where they were sent, whatever channel they are in now.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Reading } from "../../../../db/reads.ts"
import { forEachInSlices } from "../../../../slices.ts"
import { held, heldBySpan } from "../held-store.ts"
import { isHeldMoved, mayHave, personallyHas, readFromStart } from "../read-state-store.ts"
import { findUnreadPlaces, type UnreadPlace } from "../sources/unread-store.ts"
import { findSpans } from "../spans-store.ts"
import { hasTexts, phraseFacts } from "../texts/texts-store.ts"
import type { Search } from "./search.ts"
import {
  additionsSql,
  type Bind,
  binder,
  conditionsSql,
  integers,
  memberKey as memberKeySql,
  type Scope,
  sizeSql,
} from "./search-conditions-store.ts"
import type { IdRange, LookInto, Stretch } from "./search-walk.ts"

/** `movedAway`: sent in the channel, and elsewhere now. `realm`: all messages, of which the reader holds some. */
export type Kind =
  | "realm"
  | "channel"
  | "spans"
  | "moved"
  | "movedAway"
  | "partlyReadChannel"
  | "conversation"
  | "partlyReadConversation"
  | "personal"

const ofChannels: ReadonlySet<Kind> = new Set(["channel", "spans", "moved", "partlyReadChannel"])
/** Of their messages it is asked for each whether it is unread, where that is searched for. */
const toBeAsked: ReadonlySet<Kind> = new Set([
  "realm",
  "movedAway",
  "partlyReadChannel",
  "partlyReadConversation",
  "personal",
])
const partlyRead = {
  channel: "partlyReadChannel",
  moved: "movedAway",
  conversation: "partlyReadConversation",
} as const satisfies Readonly<Record<UnreadPlace["kind"], Kind>>

export interface Source extends IdRange {
  readonly kind: Kind
  /** The id of the channel or conversation; 0 for the reader's personal rows, and for the realm. */
  readonly of: number
  /** Only messages that came into the channel before this position. */
  readonly before: number
  /** Only these messages. */
  readonly listed?: ReadonlyArray<number>
}

const readIds = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: Schema.Number })))

/** Conversations that one statement reads. */
const conversationsAtOnce = 2000
/** $3: only conversations that all of these users are in too. $4: the last one of the statement before. */
const conversationsSql = `select c.conversation_id as id from conversation_member c
  where c.realm_id = $1::integer and c.user_id = $2::integer and c.conversation_id > $4::bigint
    and ($3::text is null or not exists (
      select from jsonb_array_elements_text($3::text::jsonb) as u(id) where not exists (
        select from conversation_member o
         where o.realm_id = c.realm_id and o.user_id = u.id::integer and o.conversation_id = c.conversation_id)))
  order by c.conversation_id limit ${conversationsAtOnce}`
const conversationSql = `select v.id from conversation v join conversation_member c
    on c.realm_id = v.realm_id and c.conversation_id = v.id and c.user_id = $2::integer
  where v.realm_id = $1::integer and v.member_key = $3::text`

/** Messages that the user was given or received in these channels; null: in all. */
const heldIn = Effect.fnUntraced(function* (
  reading: Reading,
  { realm, user, head }: Scope,
  channels: ReadonlyArray<number> | null,
) {
  const found: Array<Source> = []
  for (const [of, { older, apart, hasMoved }] of yield* findSpans(reading, { realm, user }, channels)) {
    if (older !== null) found.push({ kind: "spans", of, low: older.low, high: older.high, before: older.high })
    for (const { low, high: end } of apart) {
      const high = Math.min(end, head + 1)
      found.push({ kind: "channel", of, low, high, before: high })
    }
    const newest = apart.at(-1)
    if (hasMoved && newest !== undefined) found.push({ kind: "moved", of, low: 0, high: newest.low, before: head + 1 })
  }
  return found
})

/** The reader's conversations, with the users of the search in them, or the one between exactly its people. */
const conversationsOf = Effect.fnUntraced(function* (
  reading: Reading,
  { realm, user }: Scope,
  { sender, including, memberKey }: Search,
) {
  const found: Array<number> = []
  const users = sender === null ? including : [...including, sender]
  const asked = users.length === 0 ? null : JSON.stringify(users)
  for (let last: number | undefined = -1; last !== undefined; ) {
    const rows: ReadonlyArray<{ readonly id: number }> = readIds(
      memberKey === null
        ? yield* reading.query(conversationsSql, [realm, user, asked, last], "generic")
        : yield* reading.query(conversationSql, [realm, user, memberKey], "generic"),
    )
    for (const { id } of rows) found.push(id)
    last = rows.length < conversationsAtOnce ? undefined : rows.at(-1)?.id
  }
  return found
})

/** Where the reader may have unread messages that match: what they have not read of each place. */
const unreadSources = Effect.fnUntraced(function* (reading: Reading, scope: Scope, search: Search) {
  const { direct, channels, topic, memberKey } = search
  const isDirect = direct === true || memberKey !== null
  const isOfChannels = channels !== null || topic !== null || direct === false
  const conversations = isOfChannels ? [] : yield* conversationsOf(reading, scope, search)
  const places = yield* findUnreadPlaces(reading, scope, isDirect ? [] : channels, conversations)
  const found: Array<Source> = []
  const before = scope.head + 1
  yield* forEachInSlices(places, ({ kind, of, gaps, older }) => {
    if (older !== null) found.push({ kind: partlyRead[kind], of, before, ...older })
    const gapKind = kind === "moved" ? "movedAway" : kind
    for (const { low, high } of gaps) found.push({ kind: gapKind, of, low, high: Math.min(high, before), before })
  })
  return found
})

/** Everything that may hold messages of the search, of which the reader may see each one. */
export const findSources = Effect.fnUntraced(function* (reading: Reading, scope: Scope, search: Search) {
  const { user, head, narrow } = scope
  const { direct, channels, topic, memberKey, flags } = search
  const unwanted = new Set<number>(search.unwanted?.channels)
  const isOfChannels = channels !== null || topic !== null || direct === false
  const isDirect = direct === true || memberKey !== null
  const found: Array<Source> = []
  // Of direct messages the participants hold all, with rows of their own or without.
  if (user !== null && (!isDirect || flags.length > 0))
    found.push({ kind: "personal", of: 0, low: 0, high: head + 1, before: head + 1 })
  if (flags.includes("starred")) return found
  if (flags.includes("unread")) found.push(...(yield* unreadSources(reading, scope, search)))
  else {
    if (!isDirect) {
      const open = new Set<number>(narrow.history)
      for (const of of channels ?? [])
        if (open.has(of)) found.push({ kind: "channel", of, low: 0, high: head + 1, before: head + 1 })
      const closed = channels?.filter((each) => !open.has(each)) ?? null
      if (user !== null && (closed === null || closed.length > 0))
        found.push(...(yield* heldIn(reading, scope, closed)))
    }
    if (!isOfChannels && user !== null)
      for (const of of yield* conversationsOf(reading, scope, search))
        found.push({ kind: "conversation", of, low: of, high: head + 1, before: head + 1 })
  }
  return found.filter(({ kind, of }) => !ofChannels.has(kind) || !unwanted.has(of))
})

/** What finds the messages of each kind of source, with an index that has them in the order of ids. */
export const placeOf = (kind: Kind, search: Search, bind: Bind): string => {
  const { topic, sender, flags } = search
  const [part] = search.parts
  if (kind === "realm") return "true"
  if (kind === "personal") return personallyHas(flags)
  // What is unread is looked for where it may be.
  const [flag] = flags.includes("unread") ? [] : flags
  const may = flag === undefined ? (part === undefined ? "" : ` and m.${part}`) : ` and ${mayHave[flag] ?? "true"}`
  if (kind === "conversation" || kind === "partlyReadConversation") return `m.conversation_id = s.of${may}`
  if (kind === "moved") return "m.channel_id = s.of::integer and m.channel_since <> m.id"
  if (kind === "movedAway") return "m.moved_from = s.of::integer"
  if (flag !== undefined) return `m.channel_id = s.of::integer${may}`
  if (topic !== null) return `m.channel_id = s.of::integer and m.topic_folded = ${bind(topic)}::text`
  if (part !== undefined) return `m.channel_id = s.of::integer and m.${part}`
  if (sender !== null) return `m.channel_id = s.of::integer and m.sender_id = ${bind(sender)}::integer`
  return "m.channel_id = s.of::integer"
}

/** Personal rows are of all places, so it is asked for each message whether it is of those of the search. */
const ofPlaces = ({ channels, memberKey, direct }: Search, bind: Bind): string =>
  [
    "true",
    ...(channels === null ? [] : [`coalesce(m.channel_id in (${integers(channels, bind)}), false)`]),
    ...(memberKey === null ? [] : [`coalesce(${memberKeySql} = ${bind(memberKey)}::text, false)`]),
    ...(direct === null ? [] : [`(m.conversation_id is not null) = ${bind(direct)}::boolean`]),
  ].join(" and ")

/**
 * Of moved messages, and of those in several spans, it is asked for each whether the user held it: a span says nothing
 * about the ids of the former, and there are others between the latter. Where it is not asked, the reader may have lost
 * the place after the sources were found: so nothing counts that came there since. What was moved into a channel is
 * unread where it was sent.
 */
const access = (kind: Kind, search: Search, bind: Bind): string => {
  switch (kind) {
    case "channel":
    case "partlyReadChannel":
      return `m.channel_since < s.before${search.flags.includes("unread") ? " and m.moved_from is null" : ""}`
    case "movedAway":
      return `${isHeldMoved} and ${ofPlaces(search, bind)}`
    case "spans":
      return `m.channel_since < s.before and ${heldBySpan}`
    case "moved":
      return heldBySpan
    case "conversation":
    case "partlyReadConversation":
      return "true"
    case "personal":
      return ofPlaces(search, bind)
    case "realm":
      return `${ofPlaces(search, bind)} and ${held}`
  }
}

/** The messages of a source: those of the reader's rows in the order of the rows. */
const fromOf = (kind: Kind, isListed: boolean): string =>
  isListed
    ? `(select each.id::bigint from jsonb_array_elements_text(s.listed) as each(id)
              where each.id::bigint >= s.low and each.id::bigint < s.high) as l(id) cross join lateral (
              select x.* from message x where x.realm_id = $1::integer and x.id = l.id limit 1) as m where true`
    : kind === "personal"
      ? `personal_message p join message m on m.realm_id = p.realm_id and m.id = p.message_id
              where p.realm_id = $1::integer and p.user_id = $2::integer and p.message_id >= s.low and p.message_id < s.high`
      : "message m where m.realm_id = $1::integer and m.id >= s.low and m.id < s.high"

/** What a message of a source must fulfil. What lies where unread messages are is unread, unless its reader sent it. */
const conditionsOf = (kind: Kind, search: Search, bind: Bind): string =>
  toBeAsked.has(kind) || !search.flags.includes("unread")
    ? conditionsSql(search, bind)
    : `${conditionsSql({ ...search, flags: search.flags.filter((flag) => flag !== "unread") }, bind)} and not ${readFromStart("m")}`

const readLooked = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      n: Schema.Number,
      count: Schema.Number,
      last: Schema.NullOr(Schema.Number),
      found: Schema.Array(Schema.Tuple([Schema.Number, Schema.Number, Schema.Number, Schema.Unknown])),
    }),
  ),
)

/** Looks into sources of a search by one statement. */
export const lookInto = (
  reading: Reading,
  scope: Scope,
  search: Search,
  order: "asc" | "desc",
  rendered: boolean,
): LookInto<Source, Effect.Error<ReturnType<Reading["query"]>>> =>
  Effect.fnUntraced(function* (stretches: ReadonlyArray<Stretch<Source>>) {
    const { parameters, bind } = binder(scope)
    const wanted = bind(
      JSON.stringify(
        stretches.map(({ source: { kind, of, before, listed = null }, low, high, rows }, n) => {
          return { n, kind, of, before, listed, low, high, rows }
        }),
      ),
    )
    const branch = (kind: Kind, isListed: boolean): string => {
      const conditions = conditionsOf(kind, search, bind)
      return `
      select s.n, looked.count, looked.last, looked.found from wanted s cross join lateral (
        select count(*)::integer as count, ${order === "desc" ? "min" : "max"}(look.id) as last,
            coalesce(json_agg(json_build_array(look.id, look.since, look.bytes + ${additionsSql("look.id")}, look.facts)) filter (where look.fits), '[]') as found
          from (
            select m.id, coalesce(m.channel_since, 0) as since, ${sizeSql(rendered, search)} as bytes, ${phraseFacts(search, bind)} as facts, ${access(kind, search, bind)} and ${conditions} as fits
              from ${fromOf(kind, isListed)} and ${placeOf(kind, search, bind)}
             order by ${kind === "personal" ? "p.message_id" : "m.id"} ${order} limit s.rows) as look) as looked
       where s.kind = '${kind}' and (s.listed is not null) = ${isListed}`
    }
    const ofKinds = (isListed: boolean): ReadonlyArray<string> => {
      const some = stretches.filter(({ source }) => (source.listed !== undefined) === isListed)
      return [...new Set(some.map(({ source }) => source.kind))].sort().map((kind) => branch(kind, isListed))
    }
    const rows = yield* reading.query(
      // The reader is named in any case, because a statement must use all of its parameters.
      `with reader as (select $2::integer), wanted as materialized (
        select * from jsonb_to_recordset(${wanted}::text::jsonb)
          as w(n integer, kind text, "of" bigint, before bigint, listed jsonb, low bigint, high bigint, rows bigint))
      ${[...ofKinds(false), ...ofKinds(true)].join(" union all ")}`,
      parameters,
      "generic",
    )
    const byIndex = new Map(readLooked(rows).map((each) => [each.n, each]))
    return stretches.map((_, n) => {
      const { count, last, found } = byIndex.get(n) ?? { count: 0, last: null, found: [] }
      const fitting = found.filter(([, , , facts]) => hasTexts(search, facts))
      return { count, last, found: fitting.map(([id, since, bytes]) => ({ id, since, bytes })) }
    })
  })
