/** Reads of the index of words by a search. */
import * as Effect from "effect/Effect"
import t from "tap"
import { type SearchSource, sourceKinds } from "../../../../src/chat/reading/history/sources/source-kinds-store.ts"
import { sieveBy } from "../../../../src/chat/reading/history/texts/sieve-store.ts"
import type { Parameter, StatementPlan } from "../../../../src/db/database.ts"
import { openMigratedDatabase } from "../../../../src/db/open/open-database.ts"
import { RealmId, UserId } from "../../../../src/ids.ts"
import { explainer, rowsRead } from "../../../kit/plan-rows.ts"
import { createDatabase, openLayer } from "../../../kit/test-database.ts"

const places = 200
const wordsOfEach = 300
const smallPlaces = 20_000

t.test("of a chunk with many words only those that are asked for are read", async (t) => {
  const { query, database } = await openLayer(t, openMigratedDatabase(await createDatabase(t)))
  await query("insert into realm (id, host, epoch, settings, created_at) values (1, 'a', 'e', '{}', 0)")
  await query(
    "insert into search_chunk (realm_id, place, low, messages) select 1, 2 * n, 0, 500 from generate_series(1, $1::integer) n",
    [places],
  )
  // The planner believes that a chunk has one word, as most do where most places are small.
  const words = `insert into search_word (realm_id, place, low, word, messages)
    select 1, 2 * n, 0, 'word' || w, array[w] from generate_series(1, $1::integer) n, generate_series($2::integer, $3::integer) w`
  await query(words, [smallPlaces, 0, 0])
  await query("analyze search_word")
  await query("analyze search_chunk")
  await query(words, [places, 1, wordsOfEach])

  const explain = explainer(database)
  let rows = 0
  const reading = {
    query: Effect.fnUntraced(function* (
      sql: string,
      parameters: ReadonlyArray<Parameter> = [],
      plan: StatementPlan = "custom",
    ) {
      const plans = yield* explain(sql, parameters, plan)
      rows += rowsRead(
        plans.flatMap((row) => Object.values(row)),
        new Set(["search_word"]),
      )
      return yield* database.query(sql, parameters)
    }),
  }
  const scope = {
    realm: RealmId(1),
    user: UserId(7),
    head: 1000,
    narrow: { conditions: [], history: [] },
    judge: { mayRead: (_channel: unknown, held: boolean) => held },
  }
  const sources = Array.from({ length: places }, (_, n) => {
    const source: SearchSource = { kind: sourceKinds.channel, of: n + 1, low: 0, high: 1000, before: 1000 }
    return { source, low: 0, high: 1000 }
  })
  const sieve = sieveBy(reading, scope, { newer: ["word7"], older: [] }, { through: 1000, renewing: 0 }, "desc")
  const sieved = await Effect.runPromise(sieve.filter(sources))
  t.same(
    sieved.map(({ parts }) => parts.map(({ listed }) => listed)),
    sources.map(() => [[7]]),
  )
  t.ok(rows <= 2 * places, `${rows} rows`)
})
