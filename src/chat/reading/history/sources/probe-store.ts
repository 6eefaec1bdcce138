/** The statement that finds the nearest message of each of many sources of a search (search-walk.ts). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { UserRead } from "../../../../db/reads.ts"
import { binder } from "../walk/bind-parameters.ts"
import type { Search } from "../walk/search.ts"
import type { SearchScope } from "../walk/search-conditions-store.ts"
import type { IdRange, SearchProbe } from "../walk/search-walk.ts"
import { kindsOf, type SearchSource } from "./source-kinds-store.ts"
import { sqlListOf } from "./sql-lists.ts"

/** Sources of one statement: a step in an index each, some milliseconds. */
const sourcesAtOnce = 1000

const readNearest = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ kind: Schema.String, ids: Schema.Array(Schema.NullOr(Schema.Number)) })),
)

type ProbedRange = { readonly source: SearchSource } & IdRange

export const probeBy = (
  reading: UserRead,
  scope: SearchScope,
  search: Search,
  order: "asc" | "desc",
): SearchProbe<SearchSource, Effect.Error<ReturnType<UserRead["query"]>>> => ({
  // The reader's own rows are one source, and of what is listed the ids are known.
  isFor: ({ kind, listed }) => !kind.isOwn && listed === undefined,
  batchSize: sourcesAtOnce,
  findNearest: Effect.fnUntraced(function* (ranges: ReadonlyArray<ProbedRange>) {
    const { parameters, bind } = binder(scope)
    const byKind = kindsOf(ranges.map(({ source }) => source)).map(
      (kind) => [kind, ranges.filter(({ source }) => source.kind === kind)] as const,
    )
    const branches = byKind.map(([kind, alike]) => {
      const lists = [
        sqlListOf(alike, ({ source }) => source.of),
        sqlListOf(alike, ({ low }) => low),
        sqlListOf(alike, ({ high }) => high),
      ].map((list) => `${bind(list)}::text::bigint[]`)
      return `select '${kind.name}' as kind, json_agg(near.id order by s.n) as ids
        from unnest(${lists.join(", ")}) with ordinality as s("of", low, high, n) left join lateral (
          select m.id from message m
           where m.realm_id = $1::integer and m.id >= s.low and m.id < s.high and ${kind.within(search, bind)}
           order by m.id ${order} limit 1) as near on true`
    })
    // The reader is named in any case, because a statement must use all of its parameters.
    const rows = readNearest(
      yield* reading.query(
        `with reader as (select $2::integer) ${branches.join(" union all ")}`,
        parameters,
        "generic",
      ),
    )
    const found = new Map<ProbedRange, number | null>()
    for (const [kind, alike] of byKind) {
      const ids = rows.find((row) => row.kind === kind.name)?.ids ?? []
      for (const [index, range] of alike.entries()) found.set(range, ids[index] ?? null)
    }
    return ranges.map((range) => found.get(range) ?? null)
  }),
})
