/** The first look of a search of all places. */
import * as Effect from "effect/Effect"
import t from "tap"
import type { Matcher } from "../../../../src/chat/reading/history/narrows/matcher.ts"
import { areCommonWords, scanNearAnchor } from "../../../../src/chat/reading/history/sources/scan-near-anchor.ts"
import { type SearchSource, sourceKinds } from "../../../../src/chat/reading/history/sources/source-kinds-store.ts"
import { readSearch } from "../../../../src/chat/reading/history/walk/search.ts"
import type { LookInto, SieveResult, SourceStretch } from "../../../../src/chat/reading/history/walk/search-walk.ts"
import { readSearchText } from "../../../../src/chat/reading/search/search-words.ts"
import { ChannelId, RealmId, UserId } from "../../../../src/ids.ts"

const head = 1000
const scope = {
  realm: RealmId(1),
  user: UserId(7),
  head,
  narrow: { conditions: [], history: [] },
  judge: { mayRead: (_channel: unknown, held: boolean) => held },
}

/** Glances at messages 1 to 1000, of which those that are `held` match. */
const look = (
  held: (id: number) => boolean,
  wanted: Partial<Pick<SourceStretch<SearchSource>, "low" | "high">> & {
    readonly most?: number
    readonly mostBytes?: number
  } = {},
  conditions: ReadonlyArray<{ readonly matcher: Matcher; readonly negated: boolean }> = [],
  words?: { readonly areCommon: boolean },
  {
    order = "desc",
    begin = 0,
    own = [],
  }: { readonly order?: "asc" | "desc"; readonly begin?: number; readonly own?: ReadonlyArray<number> } = {},
) => {
  const { low = 0, high = Number.MAX_SAFE_INTEGER, most = 50, mostBytes = 1_000_000 } = wanted
  const read = readSearch(conditions)
  if (read === null) throw new Error("nothing can match")
  const word = {
    ...readSearchText("word"),
    query: "'word'",
    sequence: null,
    apart: [],
    keys: ["word"],
    marked: ["word"],
    older: null,
    negated: false,
  }
  const search = words === undefined ? read : { ...read, words: [word] }
  const looks: Array<SourceStretch<SearchSource>> = []
  const lookInto: LookInto<SearchSource, never> = (asked) =>
    Effect.sync(() => {
      looks.push(...asked)
      return asked.map((each) => {
        const ids = Array.from({ length: head }, (_, n) => (order === "desc" ? head - n : 1 + n))
          .filter(
            (id) => id >= each.low && id < each.high && (each.source.kind === sourceKinds.realm || own.includes(id)),
          )
          .slice(0, each.rows)
        return {
          count: ids.length,
          last: ids.at(-1) ?? null,
          found: ids.filter(held).map((id) => ({ id, since: 0, bytes: 10 })),
        }
      })
    })
  const asked = {
    scope,
    search,
    low,
    high,
    order,
    most,
    mostBytes,
    lookInto,
    areCommon: Effect.succeed(words?.areCommon ?? false),
    begin: Effect.succeed(begin),
  } as const
  const found = Effect.runSync(scanNearAnchor(asked))
  return { ids: found?.candidates.map(({ id }) => id) ?? null, isAll: found?.isAll, looks }
}

t.test("where enough of the nearest messages are held, they are the answer", (t) => {
  const { ids, isAll, looks } = look((id) => id % 2 === 0)
  t.same(
    ids,
    Array.from({ length: 50 }, (_, n) => head - 2 * n),
  )
  t.equal(isAll, false)
  t.equal(looks.length, 1)
  t.ok(looks.every(({ rows, high, source }) => rows <= 120 && high === head + 1 && source.kind === sourceKinds.realm))
  const few = look(() => true, { mostBytes: 95 })
  t.same([few.ids?.length, few.isAll], [9, false], "no more bytes than are wanted")
  t.end()
})

t.test("where too few are, the sources have to be walked", (t) => {
  t.equal(look((id) => id % 20 === 0).ids, null)
  t.equal(look((id) => id < 500).ids, null)
  const end = look((id) => id === 3, { high: 40 })
  t.same([end.ids, end.isAll], [[3], true], "unless there are no more messages")
  t.same(look(() => true, { high: 40, most: 39 }).isAll, true)
  t.same(look(() => true, { high: 40, most: 38 }).isAll, false)
  t.end()
})

t.test("searches of some places, or of what few messages have, and long pages do not glance", (t) => {
  const channel = ChannelId(4)
  const narrow = (matcher: Matcher, negated = false) => look(() => true, {}, [{ matcher, negated }]).looks.length
  t.equal(narrow({ kind: "channel", channel }), 0)
  t.equal(narrow({ kind: "sender", sender: UserId(3) }), 0)
  t.equal(narrow({ kind: "flag", flag: "starred" }), 0)
  t.equal(narrow({ kind: "direct" }), 0)
  t.equal(narrow({ kind: "channel", channel }, true), 1)
  t.equal(look(() => true, { most: 111 }).looks.length, 0)
  t.end()
})

t.test("words are looked for so where a sample of the sources has them everywhere", async (t) => {
  t.equal(look(() => true, {}, [], { areCommon: false }).looks.length, 0)
  const { ids, looks } = look((id) => id % 8 === 0, {}, [], { areCommon: true })
  t.equal(ids?.length, 50)
  t.same(
    looks.map(({ rows }) => rows),
    [400],
    "more messages are looked at",
  )
  const scarce = look((id) => id % 15 === 0, {}, [], { areCommon: true })
  t.equal(scarce.ids?.length, 50)
  t.same(
    scarce.looks.map(({ high }) => high),
    [1001, 601],
    "where too few have it, the next ones are looked at, too",
  )

  const sources = Array.from(
    { length: 1000 },
    (_, n): SearchSource => ({ kind: sourceKinds.channel, of: n, low: 0, high: 9, before: 9 }),
  )
  const areCommon = async (isCommon: (of: number) => boolean, some = sources) => {
    let asked = 0
    const found = await Effect.runPromise(
      areCommonWords(some, {
        isFor: () => true,
        filter: (ranges) =>
          Effect.sync(() => {
            asked += ranges.length
            return ranges.map(({ source }): SieveResult<SearchSource> => {
              const listed = isCommon(source.of) ? {} : { listed: [1] }
              return { parts: [{ ...source, ...listed }], rest: null }
            })
          }),
      }),
    )
    return { found, asked }
  }
  t.match(await areCommon(() => true), { found: true })
  t.match(await areCommon((of) => of > 700), { found: false })
  t.ok((await areCommon((of) => of > 300)).asked <= 20, "however many sources there are")
  t.same(await areCommon(() => true, sources.slice(0, 10)), { found: false, asked: 0 }, "few are walked at once")
})

t.test("the oldest unread message is looked for where the first of the sources begins", async (t) => {
  const isUnread: ReadonlyArray<{ readonly matcher: Matcher; readonly negated: boolean }> = [
    { matcher: { kind: "flag", flag: "unread" }, negated: false },
  ]
  const oldest = (begin: number, isFound: (id: number) => boolean, own: ReadonlyArray<number> = []) =>
    look(isFound, { most: 1 }, isUnread, undefined, { order: "asc", begin, own })
  const { ids, looks } = oldest(900, (id) => id > 905)
  t.same(ids, [906])
  t.match(looks, [
    { source: { kind: sourceKinds.realm }, low: 900 },
    { source: { kind: sourceKinds.personal }, low: 0, high: 900 },
  ])
  t.same(oldest(900, (id) => id === 5 || id > 900, [3, 5]).ids, [5], "one that was marked as unread may lie before")
  const many = Array.from({ length: 100 }, (_, n) => n)
  t.equal(oldest(900, (id) => id > 900, many).ids, null, "of too many own rows some are not known")
  t.equal(oldest(0, (id) => id > 500).ids, null, "nothing near is unread")
})
