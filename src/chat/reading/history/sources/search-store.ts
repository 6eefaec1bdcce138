/**
 * The sources of a search (search-walk.ts) in the tables: which ranges of messages a reader may see, and the statement
 * that looks at the next messages of some of them. A channel whose history the reader may read is one source; else each
 * of their subscription spans is one (spans-store.ts), and messages that were moved into the channel during a span, whose
 * ids are older, are another; so are those that they kept when these left the channel. Of direct messages each conversation is one. What the reader holds by rows of their own
 * is one more. Unread messages are looked for where they were sent, whatever channel they are in now.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { UserRead } from "../../../../db/reads.ts"
import { ChannelId, idSchemas } from "../../../../ids.ts"
import { forEachInSlices } from "../../../../slices.ts"
import { binder } from "../walk/bind-parameters.ts"
import { additionsSql, sizeSql } from "../walk/message-size-store.ts"
import type { Search } from "../walk/search.ts"
import type { SearchScope } from "../walk/search-conditions-store.ts"
import type { LookInto, SourceStretch } from "../walk/search-walk.ts"
import { hasTexts, phraseFacts } from "../walk/texts-store.ts"
import { conditionsOf, fromOf, kindsOf, type SearchSource, type SourceKind, sourceKinds } from "./source-kinds-store.ts"
import { findKeptFrom, findSpans } from "./spans-store.ts"
import { findUnreadPlaces } from "./unread-store.ts"

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
  reading: UserRead,
  { realm, user, head, judge }: SearchScope,
  channels: ReadonlyArray<number> | null,
) {
  const found: Array<SearchSource> = []
  for (const [of, { older, apart, hasMoved }] of yield* findSpans(reading, { realm, user }, channels)) {
    if (!judge.mayRead(ChannelId(of), true)) continue
    if (older !== null)
      found.push({ kind: sourceKinds.spans, of, low: older.low, high: older.high, before: older.high })
    for (const { low, high: end } of apart) {
      const high = Math.min(end, head + 1)
      found.push({ kind: sourceKinds.channel, of, low, high, before: high })
    }
    const newest = apart.at(-1)
    if (hasMoved && newest !== undefined)
      found.push({ kind: sourceKinds.moved, of, low: 0, high: newest.low, before: head + 1 })
  }
  // They may be in any channel now.
  for (const of of yield* findKeptFrom(reading, { realm, user }))
    found.push({ kind: sourceKinds.keptFrom, of, low: 0, high: head + 1, before: head + 1 })
  return found
})

/** The reader's conversations, with the users of the search in them, or the one between exactly its people. */
const conversationsOf = Effect.fnUntraced(function* (
  reading: UserRead,
  { realm, user }: SearchScope,
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

/** The sources where the reader may have unread messages that match: what they have not read of each place. */
const unreadSources = Effect.fnUntraced(function* (reading: UserRead, scope: SearchScope, search: Search) {
  const { direct, channels, topic, memberKey } = search
  const isDirect = direct === true || memberKey !== null
  const isOfChannels = channels !== null || topic !== null || direct === false
  const conversations = isOfChannels ? [] : yield* conversationsOf(reading, scope, search)
  const places = yield* findUnreadPlaces(reading, scope, isDirect ? [] : channels, conversations)
  const found: Array<SearchSource> = []
  const before = scope.head + 1
  yield* forEachInSlices(places, ({ kind, of, gaps, older }) => {
    if (older !== null) found.push({ kind: kind.partlyRead ?? kind, of, before, ...older })
    for (const { low, high } of gaps) found.push({ kind, of, low, high: Math.min(high, before), before })
  })
  return found
})

/** Everything that may hold messages of the search, of which the reader may see each one. */
export const findSources = Effect.fnUntraced(function* (reading: UserRead, scope: SearchScope, search: Search) {
  const { user, head, narrow } = scope
  const { direct, channels, topic, memberKey, flags } = search
  const unwanted = new Set<number>(search.unwanted?.channels)
  const isOfChannels = channels !== null || topic !== null || direct === false
  const isDirect = direct === true || memberKey !== null
  const found: Array<SearchSource> = []
  // The participants hold all direct messages, with rows of their own or without.
  if (user !== null && (!isDirect || flags.length > 0))
    found.push({ kind: sourceKinds.personal, of: 0, low: 0, high: head + 1, before: head + 1 })
  if (flags.includes("starred")) return found
  if (flags.includes("unread")) found.push(...(yield* unreadSources(reading, scope, search)))
  else {
    if (!isDirect) {
      const open = new Set<number>(narrow.history)
      for (const of of channels ?? [])
        if (open.has(of)) found.push({ kind: sourceKinds.channel, of, low: 0, high: head + 1, before: head + 1 })
      const closed = channels?.filter((each) => !open.has(each)) ?? null
      if (user !== null && (closed === null || closed.length > 0))
        found.push(...(yield* heldIn(reading, scope, closed)))
    }
    if (!isOfChannels && user !== null)
      for (const of of yield* conversationsOf(reading, scope, search))
        found.push({ kind: sourceKinds.conversation, of, low: of, high: head + 1, before: head + 1 })
  }
  return found.filter(({ kind, of }) => kind.place !== "channel" || !unwanted.has(of))
})

const readLooked = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      n: Schema.Number,
      count: Schema.Number,
      last: Schema.NullOr(Schema.Number),
      found: Schema.Array(
        Schema.Tuple([Schema.Number, Schema.Number, Schema.Number, Schema.Unknown, Schema.NullOr(idSchemas.channel)]),
      ),
    }),
  ),
)

/** Looks into sources of a search by one statement. */
export const lookInto = (
  reading: UserRead,
  scope: SearchScope,
  search: Search,
  order: "asc" | "desc",
  rendered: boolean,
): LookInto<SearchSource, Effect.Error<ReturnType<UserRead["query"]>>> =>
  Effect.fnUntraced(function* (stretches: ReadonlyArray<SourceStretch<SearchSource>>) {
    const { parameters, bind } = binder(scope)
    const wanted = bind(
      JSON.stringify(
        stretches.map(({ source: { kind, of, before, listed = null }, low, high, rows }, n) => {
          return { n, kind: kind.name, of, before, listed, low, high, rows }
        }),
      ),
    )
    const branch = (kind: SourceKind, isListed: boolean): string => {
      const conditions = conditionsOf(kind, search, bind)
      return `
      select s.n, looked.count, looked.last, looked.found from wanted s cross join lateral (
        select count(*)::integer as count, ${order === "desc" ? "min" : "max"}(look.id) as last,
            coalesce(json_agg(json_build_array(look.id, look.since, look.bytes + ${additionsSql("look.id")}, look.facts, look.channel_id)) filter (where look.fits), '[]') as found
          from (
            select m.id, m.channel_id, coalesce(m.channel_since, 0) as since, ${sizeSql(rendered, search)} as bytes, ${phraseFacts(search, bind)} as facts, ${kind.access(search, bind)} and ${conditions} as fits
              from ${fromOf(kind, isListed)} and ${kind.within(search, bind)}
             order by ${kind.orderedBy} ${order} limit s.rows) as look) as looked
       where s.kind = '${kind.name}' and (s.listed is not null) = ${isListed}`
    }
    const ofKinds = (isListed: boolean): ReadonlyArray<string> => {
      const some = stretches.map(({ source }) => source).filter(({ listed }) => (listed !== undefined) === isListed)
      return kindsOf(some).map((kind) => branch(kind, isListed))
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
      const { mayRead } = scope.judge
      const fitting = found.filter(([, , , facts, channel]) => hasTexts(search, facts) && mayRead(channel, true))
      return { count, last, found: fitting.map(([id, since, bytes]) => ({ id, since, bytes })) }
    })
  })
