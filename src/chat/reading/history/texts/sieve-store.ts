/**
 * Finds by the index of words (chat/reading/search/search-index.sql) what of a search's sources is worth looking at: one look into
 * each chunk of a source for each word. A chunk that lacks one is passed over; of one in which few messages have a word
 * these are looked at; another is walked. Nothing of places that are not sources is read.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { UserRead } from "../../../../db/reads.ts"
import { fromColumns, inColumns } from "../../../../db/rows-in-columns.ts"
import { placeNumber } from "../sources/place-number.ts"
import type { SearchSource, SourceKind } from "../sources/source-kinds-store.ts"
import { sqlListOf } from "../sources/sql-lists.ts"
import { binder } from "../walk/bind-parameters.ts"
import type { Search } from "../walk/search.ts"
import type { SearchScope } from "../walk/search-conditions-store.ts"
import type { IdRange, SearchSieve, SieveResult } from "../walk/search-walk.ts"

/** Words that are looked for: the longest, which are rare. The filter compares the others. */
const mostKeys = 6
/** How a very long word is stored (search_keys_v2). */
const longestKey = 60
/** The key of messages with more words than are indexed. A chunk with messages that are not indexed as they are has it, too. */
const furtherWords = ""
/** Looks of one statement: some milliseconds. */
const looksAtOnce = 3000

const progressSql = `select coalesce(max(through), 0) as through, coalesce(max(renewing), 0) as renewing
  from search_progress where realm_id = $1::integer`

/** How far the index has come: what a search finds by it. */
export interface IndexProgress {
  /** All messages up to this one are in it. */
  readonly through: number
  /** Those up to this one by the words of an older program, which are not renewed yet (search-renewal.sql). */
  readonly renewing: number
}
const readProgress = Schema.decodeUnknownSync(
  Schema.Tuple([Schema.Struct({ through: Schema.Number, renewing: Schema.Number })]),
)

export const nothingIndexed: IndexProgress = { through: 0, renewing: 0 }

export const findIndexed = Effect.fnUntraced(function* (reading: UserRead, { realm }: SearchScope) {
  const [progress] = readProgress(yield* reading.query(progressSql, [realm], "generic"))
  return progress satisfies IndexProgress
})

/** The index knows messages by the place that they are in. */
const isElsewhere = ({ place }: SourceKind): boolean => place === null

/** The keys by which messages are found, and those of messages that are not renewed yet. */
export interface IndexKeys {
  readonly newer: ReadonlyArray<string>
  readonly older: ReadonlyArray<string>
}

const rarest = (keys: ReadonlyArray<string>): ReadonlyArray<string> => {
  const stored = new Set(keys.map((key) => [...key].slice(0, longestKey).join("")))
  return [...stored].sort((a, b) => b.length - a.length).slice(0, mostKeys)
}

export const keysOf = ({ words }: Search): IndexKeys => {
  const wanted = words.filter(({ negated }) => !negated)
  return {
    newer: rarest(wanted.flatMap(({ keys }) => keys)),
    older: rarest(wanted.flatMap(({ keys, older }) => older?.keys ?? keys)),
  }
}

/** For a thousand sources. Keys stand before what is spread: behind it each takes V8 a microsecond. */
const cutAt = ({ low, high, ...source }: SearchSource, at: number): ReadonlyArray<SearchSource> => [
  { low, high: at, ...source },
  { low: at, high, ...source },
]

const splitAt = (sources: ReadonlyArray<SearchSource>, through: number): ReadonlyArray<SearchSource> =>
  sources.flatMap((source) =>
    isElsewhere(source.kind) || source.high <= through + 1 || source.low > through
      ? [source]
      : cutAt(source, through + 1),
  )

/** Each source in parts: what is not renewed yet, what is indexed, and what is newer. */
export const splitByIndex = (
  sources: ReadonlyArray<SearchSource>,
  { through, renewing }: IndexProgress,
): ReadonlyArray<SearchSource> =>
  renewing === 0 ? splitAt(sources, through) : splitAt(splitAt(sources, renewing), through)

const Messages = Schema.NullOr(Schema.Array(Schema.Number))
const readLooked = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      /** Which of the sources, from 1. */
      n: Schema.Number,
      /** Number of its chunks that were looked at. */
      count: Schema.Number,
      low: Schema.Number,
      /** null: the last chunk of the place is among them. Of use in ascending order only. */
      high: Schema.NullOr(Schema.Number),
      /** Those with a word: where each begins and ends, whether messages were moved into it, and those of each word. */
      chunks: Schema.Array(
        Schema.Tuple([Schema.Number, Schema.NullOr(Schema.Number), Schema.Boolean, Schema.Array(Messages)]),
      ),
    }),
  ),
)

/** The chunks that a source lies in. */
const chunks = `search_chunk o
             where o.realm_id = $1::integer and o.place = s.place and o.low < s.high
               and o.low >= case when s.low <= 0 then 0 else coalesce((
                 select first.low from search_chunk first
                  where first.realm_id = $1::integer and first.place = s.place and first.low <= s.low
                  order by first.low desc limit 1), 0) end`
/** The chunks with their ends. In descending order one ends where the one before begins; the first ends the source. */
const chunksSql = {
  desc: `select each.low, lag(each.low) over (order by each.low desc) as high
              from (select o.low from ${chunks} order by o.low desc limit s.most) as each`,
  asc: `select o.low, (
                select next.low from search_chunk next
                 where next.realm_id = $1::integer and next.place = s.place and next.low > o.low
                 order by next.low limit 1) as high
              from ${chunks} order by o.low limit s.most`,
}

/** Whether of a source there is more than was looked at. */
const goesOnSql = {
  desc: "min(c.low) > s.low",
  asc: "not bool_or(c.high is null) and max(c.high) < s.high",
}

/**
 * Places that are worth a look, found by three steps into indexes for each: those with more than one chunk, and those whose
 * only chunk, which begins at 0, has the first word, or messages with more words than are indexed. Nearly all channels have
 * one chunk, and of a rare word nearly none is left. `offset 0` keeps each step a step: the planner may not read the table.
 */
const worthSql = `select p.place from (select distinct unnest($3::text::bigint[]) as place) as p
     where exists (select from search_chunk c
        where c.realm_id = $1::integer and c.place = p.place and c.low > 0 offset 0)
      or exists (select from search_word w
        where w.realm_id = $1::integer and w.place = p.place and w.low = 0 and w.word = $7::text offset 0)
      or exists (select from search_word w
        where w.realm_id = $1::integer and w.place = p.place and w.low = 0 and w.word = '${furtherWords}' offset 0)
      or exists (select from moved where moved.place = p.place offset 0)`

// $3 to $6: the sources. From $7: the words, each looked for by a step into the index. Where all are looked for at once, the
// planner may rather read all words of a chunk, some thousands. Of a rare word nearly all sources have nothing: they get no
// row, because to hand a thousand over takes a third as long as to look.
const sieveSql = (order: "asc" | "desc", words: number) => {
  const places = Array.from({ length: words }, (_, n) => n)
  const has = ["c.is_moved", ...places.map((n) => `w${n}.messages is not null`)].join(" or ")
  const found = places.map((n) => `w${n}.messages`).join(", ")
  const looks = places.map(
    (n) => `left join lateral (
        select o.messages from search_word o
         where o.realm_id = $1::integer and o.place = s.place and o.low = c.low and o.word = $${7 + n}::text
        offset 0) as w${n} on true`,
  )
  return inColumns(
    ["n", "count", "low", "high", "chunks"],
    `with reader as (select $2::integer), moved as materialized (
    select p.place, range_agg(int8range(p.low, p.high)) as ranges from search_moved p
     where p.realm_id = $1::integer and p.place = any($3::text::bigint[]) group by p.place),
  worth as materialized (${worthSql})
  select s.n, count(*)::integer as count, min(c.low) as low,
      case when bool_or(c.high is null) then null else max(c.high) end as high,
      coalesce(json_agg(json_build_array(c.low, c.high, c.is_moved, json_build_array(${found})))
        filter (where ${has}), '[]') as chunks
    from unnest($3::text::bigint[], $4::text::bigint[], $5::text::bigint[], $6::text::integer[])
      with ordinality as s(place, low, high, most, n) cross join lateral (
        select each.low, each.high, exists (
            select from moved where moved.place = s.place
               and moved.ranges && int8range(each.low, coalesce(each.high, s.high))) as is_moved
          from (${chunksSql[order]}) as each) as c
      ${looks.join("\n      ")}
   where coalesce(s.place in (select place from worth), false)
   group by s.n, s.low, s.high, s.most
  having bool_or(${has}) or (count(*) >= s.most and ${goesOnSql[order]})`,
  )
}

/**
 * The messages of a chunk that are to be looked at; null: none. `found`: the messages of each key, none where there are
 * many, null where the chunk has not the word; `further`: likewise, of messages with more words than are indexed.
 */
const worthOf = (
  found: ReadonlyArray<ReadonlyArray<number> | null>,
  further: ReadonlyArray<number> | null,
): ReadonlyArray<number> | "all" | null => {
  if (further?.length === 0) return "all"
  const all = found.flatMap((each) => (each === null ? [] : [each]))
  if (all.length < found.length) return further
  const [shortest] = all.filter((each) => each.length > 0).sort((a, b) => a.length - b.length)
  return shortest === undefined ? "all" : [...new Set([...shortest, ...(further ?? [])])]
}

const nothing: SieveResult<SearchSource> = { parts: [], rest: null }

type SievedRange = { readonly source: SearchSource } & IdRange

/** Sieves the sources of a search that has keys. */
export const sieveBy = (
  reading: UserRead,
  scope: SearchScope,
  keys: IndexKeys,
  { through, renewing }: IndexProgress,
  order: "asc" | "desc",
): SearchSieve<SearchSource, Effect.Error<ReturnType<UserRead["query"]>>> => {
  const batchSize = Math.floor(looksAtOnce / (Math.max(keys.newer.length, keys.older.length) + 2))
  const isOlder = ({ high }: SearchSource): boolean => high <= renewing + 1
  const lookFor = Effect.fnUntraced(function* (words: ReadonlyArray<string>, ranges: ReadonlyArray<SievedRange>) {
    if (ranges.length === 0) return []
    const { parameters, bind } = binder(scope)
    const each = Math.max(1, Math.floor(batchSize / ranges.length))
    bind(sqlListOf(ranges, ({ source: { kind, of } }) => placeNumber(kind.place ?? "channel", of)))
    bind(sqlListOf(ranges, ({ low }) => low))
    bind(sqlListOf(ranges, ({ high }) => high))
    bind(sqlListOf(ranges, () => each))
    for (const word of [...words, furtherWords]) bind(word)
    const sql = sieveSql(order, words.length + 1)
    const rows = readLooked(fromColumns(yield* reading.query(sql, parameters, "generic")))
    const lookedAt = new Map(rows.map((row) => [row.n - 1, row]))
    return ranges.map(({ source, low, high }, n): SieveResult<SearchSource> => {
      const looked = lookedAt.get(n)
      if (looked === undefined) return nothing
      const parts = looked.chunks.flatMap(([first, next, isMoved, found]): ReadonlyArray<SearchSource> => {
        const worth = isMoved ? "all" : worthOf(found.slice(0, -1), found.at(-1) ?? null)
        if (worth === null) return []
        const whole = { low: Math.max(low, first), high: Math.min(high, next ?? high) }
        if (worth === "all") return [{ ...source, ...whole }]
        const listed = worth.filter((id) => id >= whole.low && id < whole.high)
        return listed.length === 0
          ? []
          : [{ ...source, low: Math.min(...listed), high: Math.max(...listed) + 1, listed }]
      })
      const rest = order === "desc" ? { low, high: looked.low } : { low: looked.high ?? high, high }
      return { parts, rest: looked.count < each || rest.low >= rest.high ? null : rest }
    })
  })
  return {
    isFor: (source) =>
      !isElsewhere(source.kind) && source.high <= through + 1 && (isOlder(source) ? keys.older : keys.newer).length > 0,
    batchSize,
    filter: Effect.fnUntraced(function* (ranges: ReadonlyArray<SievedRange>) {
      const older = yield* lookFor(
        keys.older,
        ranges.filter(({ source }) => isOlder(source)),
      )
      const newer = yield* lookFor(
        keys.newer,
        ranges.filter(({ source }) => !isOlder(source)),
      )
      const [nextOlder, nextNewer] = [older.values(), newer.values()]
      return ranges.map(({ source }) => (isOlder(source) ? nextOlder : nextNewer).next().value ?? nothing)
    }),
  }
}
