import * as Effect from "effect/Effect"
import t from "tap"
import { findSpans } from "../../../../../src/chat/reading/history/sources/spans-store.ts"
import { RealmId, UserId } from "../../../../../src/ids.ts"

const realm = RealmId(1)
const user = UserId(7)

t.test("however often somebody came and went, each statement and each channel has few spans", async (t) => {
  const table = [1, 2, 3].flatMap((channel_id) =>
    Array.from({ length: channel_id === 2 ? 5000 : 3 }, (_, n) => ({
      channel_id,
      opened: 100 + 10 * n,
      has_moved: channel_id === 3,
      reads_from: n === 0 ? 50 : 100 + 10 * n,
      closed: channel_id === 3 && n === 2 ? null : 105 + 10 * n,
    })),
  )
  let most = 0
  const reading = {
    query: (_sql: string, [, , , channel, opened]: ReadonlyArray<unknown> = []) => {
      const rest = table.filter(
        (each) =>
          each.channel_id > Number(channel) || (each.channel_id === Number(channel) && each.opened > Number(opened)),
      )
      const rows = rest.slice(0, 2000)
      most = Math.max(most, rows.length)
      const columns = ["channel_id", "opened", "reads_from", "closed", "has_moved"] as const
      return Effect.succeed([
        Object.fromEntries(columns.map((name) => [name, JSON.stringify(rows.map((row) => row[name]))])),
      ])
    },
  }
  const spans = await Effect.runPromise(findSpans(reading, { realm, user }, null))
  t.equal(most, 2000)
  t.same([...spans.keys()], [1, 2, 3])
  t.same(spans.get(1), {
    older: null,
    hasMoved: false,
    apart: [
      { low: 50, high: 105 },
      { low: 110, high: 115 },
      { low: 120, high: 125 },
    ],
  })
  t.same(spans.get(2)?.older, { low: 50, high: 105 + 10 * 4991 })
  t.equal(spans.get(2)?.apart.length, 8)
  t.same(spans.get(2)?.apart[0], { low: 100 + 10 * 4992, high: 105 + 10 * 4992 })
  t.equal(spans.get(3)?.apart.at(-1)?.high, Number.MAX_SAFE_INTEGER)
  t.equal(spans.get(3)?.hasMoved, true)
})
