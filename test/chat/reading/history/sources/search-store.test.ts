import * as Effect from "effect/Effect"
import t from "tap"
import { findSources } from "../../../../../src/chat/reading/history/sources/search-store.ts"
import { readSearch } from "../../../../../src/chat/reading/history/walk/search.ts"
import { RealmId, UserId } from "../../../../../src/ids.ts"

t.test("somebody's conversations are read some at a time, however many there are", async (t) => {
  const conversations = Array.from({ length: 4500 }, (_, n) => ({ id: 10 + n }))
  const statements: Array<number> = []
  const reading = {
    query: (_sql: string, [, , , last]: ReadonlyArray<unknown> = []) => {
      const rows = conversations.filter(({ id }) => id > Number(last)).slice(0, 2000)
      statements.push(rows.length)
      return Effect.succeed(rows)
    },
  }
  const search = readSearch([{ matcher: { kind: "direct" }, negated: false }])
  if (search === null) return t.fail("nothing is searched")
  const scope = {
    realm: RealmId(1),
    user: UserId(7),
    head: 9000,
    narrow: { conditions: [], history: [] },
    judge: { mayRead: (_channel: unknown, held: boolean) => held },
  }
  const sources = await Effect.runPromise(findSources(reading, scope, search))
  t.same(
    sources.map(({ of }) => of),
    conversations.map(({ id }) => id),
  )
  t.same(statements, [2000, 2000, 500])
})
