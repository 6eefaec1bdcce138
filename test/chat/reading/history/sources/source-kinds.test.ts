import * as Effect from "effect/Effect"
import t from "tap"
import type { Matcher } from "../../../../../src/chat/reading/history/narrows/matcher.ts"
import { probeBy } from "../../../../../src/chat/reading/history/sources/probe-store.ts"
import { lookInto } from "../../../../../src/chat/reading/history/sources/search-store.ts"
import { type SearchSource, sourceKinds } from "../../../../../src/chat/reading/history/sources/source-kinds-store.ts"
import { readSearch } from "../../../../../src/chat/reading/history/walk/search.ts"
import { ChannelId, RealmId, UserId } from "../../../../../src/ids.ts"
import { openEmpty } from "../../../../kit/lent-database.ts"

const all = Object.values(sourceKinds)

t.test("statements tell the kinds of sources apart by their names", async (t) => {
  t.equal(new Set(all.map(({ name }) => name)).size, all.length)
})

t.test("sources of every kind are looked into and probed, each for itself and all together", async (t) => {
  const { database } = await openEmpty(t)
  const scope = {
    realm: RealmId(1),
    user: UserId(7),
    head: 900,
    narrow: { conditions: [], history: [] },
    judge: { mayRead: (_channel: unknown, held: boolean) => held },
  }
  const searches: ReadonlyArray<ReadonlyArray<Matcher>> = [
    [],
    [{ kind: "topic", topic: "lunch" }],
    [{ kind: "sender", sender: UserId(9) }],
    [{ kind: "flag", flag: "mentioned" }],
    [
      { kind: "flag", flag: "unread" },
      { kind: "channels", channels: [ChannelId(12)] },
      { kind: "part", part: "has_link" },
    ],
  ]
  for (const matchers of searches) {
    const search = readSearch(matchers.map((matcher) => ({ matcher, negated: false })))
    if (search === null) return t.fail("nothing is searched")
    const sources = all.flatMap((kind): ReadonlyArray<SearchSource> => {
      const source = { kind, of: 12, low: 0, high: 900, before: 900 }
      // The index of words lists messages of places.
      return kind.place === null ? [source] : [source, { ...source, listed: [3, 5] }]
    })
    for (const some of [...sources.map((source) => [source]), sources]) {
      const ranges = some.map((source) => ({ source, low: 0, high: 900, rows: 10 }))
      const look = lookInto(database, scope, search, "desc", true)
      t.same(
        await Effect.runPromise(look(ranges)),
        some.map(() => ({ count: 0, last: null, found: [] })),
      )
      const probe = probeBy(database, scope, search, "desc")
      const probed = ranges.filter(({ source }) => probe.isFor(source))
      if (probed.length > 0) t.same(await Effect.runPromise(probe.findNearest(probed)), Array(probed.length).fill(null))
    }
  }
})
