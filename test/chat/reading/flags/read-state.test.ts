/** The tables of read state by themselves: how rows are divided, and how much of a long history is read. */
import { isDeepStrictEqual } from "node:util"
import * as Schema from "effect/Schema"
import t from "tap"
import { idsOf, rangesOf } from "../../../../src/chat/ground/realm/id-ranges.ts"
import { readOnLeaving } from "../../../../src/chat/reading/flags/read-on-leaving.ts"
import { openMigratedDatabase } from "../../../../src/db/open/open-database.ts"
import { ChannelId, UserId } from "../../../../src/ids.ts"
import { openEmpty } from "../../../kit/lent-database.ts"
import { inTurn } from "../../../kit/share.ts"
import { createDatabase, openLayer } from "../../../kit/test-database.ts"

const realm = "insert into realm (id, host, epoch, settings, created_at) values (1, 'a', 'e', '{}', 0)"

t.test("what a user has read of a place is in rows that stay small, whatever they read and unread", async (t) => {
  const { query } = await openEmpty(t)
  const read = new Set<number>()
  const change = async (added: ReadonlyArray<number>, removed: ReadonlyArray<number>) => {
    for (const id of added) read.add(id)
    for (const id of removed) read.delete(id)
    await query("select change_read_ranges_v1(1, 7, 2, $1::int8multirange, $2::int8multirange, 0)", [
      rangesOf(added),
      rangesOf(removed),
    ])
    const rows = await query(
      "select low, ranges::text as ranges, pg_column_size(ranges) as size from read_ranges order by low",
    )
    const stored = rows.flatMap(({ ranges }) => idsOf(String(ranges)))
    const wanted = [...read].sort((a, b) => a - b)
    // The test's own comparison takes a second for lists so long.
    t.ok(isDeepStrictEqual(stored, wanted), `${stored.length} of ${wanted.length} are read`)
    t.ok(rows.every(({ size }) => Number(size) <= 65_536))
    const lows = rows.map(({ low }) => Number(low))
    const isWithin = rows.every(({ ranges }, n) =>
      idsOf(String(ranges)).every((id) => id >= (lows[n] ?? 0) && id < (lows[n + 1] ?? Number.POSITIVE_INFINITY)),
    )
    t.ok(isWithin, "each between its own bound and the next")
    return rows.length
  }
  const every = (step: number, from: number, to: number) =>
    Array.from({ length: Math.ceil((to - from) / step) }, (_, n) => from + n * step)
  t.equal(await change([5, 6, 9], []), 1)
  t.ok((await change(every(2, 11, 20_000), [])) > 5, "many holes")
  await change([], every(7, 0, 20_000))
  await change(every(1, 500, 15_000), [])
  await change([], [499, 500, 14_999, 15_000, 10_000])
  await change(every(3, 19_000, 30_000), every(5, 1, 100))
})

const Section = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      count: Schema.Number,
      missing: Schema.Boolean,
      streams: Schema.Array(Schema.Struct({ stream_id: Schema.Number, ids: Schema.String })),
    }),
  ),
)

t.test(
  "of more than 50,000 unread messages a register has the newest",
  inTurn(8, "50,000 unread messages"),
  async (t) => {
    const { query } = await openLayer(t, openMigratedDatabase(await createDatabase(t)))
    const [messages, step, channels] = [60_000, 5, 20]
    await query(realm)
    await query(
      `insert into subscription_span (realm_id, channel_id, user_id, opened, reads_from)
     select 1, n, 7, 1, 1 from generate_series(1, $1::integer) n`,
      [channels],
    )
    await query(
      `insert into message (realm_id, id, sender_id, channel_id, channel_since, topic, topic_folded, content, rendered,
       client, read_by_sender, sent_at)
     select 1, n * $2::bigint, 1, 1 + n % $3::integer, n * $2::bigint, 't', 't', 'c', 'c', 'test', false, 0
       from generate_series(1, $1::bigint) n`,
      [messages, step, channels],
    )
    await query(
      `insert into log (realm_id, position, type, payload, audience, at)
     values (1, $1::bigint, 'noop', '{}', '{"kind": "servers"}', 0)`,
      [messages * step],
    )
    const section = async () => {
      const [row] = await query("select section_unread_v1(1, 7)::text as section")
      const { count, missing, streams } = Section(row?.["section"])
      const ids = streams.flatMap((each) => each.ids.split(",").map(Number)).sort((a, b) => a - b)
      return { count, missing, first: ids[0], last: ids.at(-1), listed: ids.length, channels: streams.length }
    }
    const last = messages * step
    const newest = { count: 50_000, missing: true, first: last - 49_999 * step, last, listed: 50_000, channels }
    t.same(await section(), newest)
    const readTo = async (to: number) => {
      await query("insert into read_ranges values (1, 7, 2, 0, $1::int8multirange)", [`{[0,${to + 1})}`])
    }
    await readTo(last - 10 * step)
    // One of twenty messages is in the first channel, and of its newest eleven places only the last is left.
    const { listed, missing } = await section()
    t.same([listed, missing], [50_000, true])
    await query("insert into read_floor values (1, 7, $1::bigint)", [last - 1000 * step])
    t.same(await section(), {
      count: 951,
      missing: false,
      first: last - 999 * step,
      last,
      listed: 951,
      channels,
    })
  },
)

t.test("clients of those who leave with too much unread to be listed under the lock register again", async (t) => {
  const { query } = await openEmpty(t)
  const people = Array.from({ length: 200 }, (_, n) => UserId(n + 1))
  await query(
    `insert into subscription_span (realm_id, channel_id, user_id, opened, closed, reads_from)
     select 1, 3, n, 1, 900, 1 from generate_series(1, 200) n`,
  )
  await query(
    `insert into message (realm_id, id, sender_id, channel_id, channel_since, topic, topic_folded, content, rendered,
       client, read_by_sender, sent_at)
     select 1, n, 999, 3, n, 't', 't', 'c', 'c', 'test', false, 0 from generate_series(11, 160) n`,
  )
  await query("insert into read_ranges values (1, 5, 6, 0, '{[0,158)}')")
  // One statement, because each may have another connection.
  await query(
    `with commit as materialized (
       select set_config('parley.position', '900', false), set_config('parley.time', '0', false))
     select read_left_v1(1, $1::text::jsonb) from commit`,
    [JSON.stringify(readOnLeaving(ChannelId(3), people).calls)],
  )
  const rows = await query(
    "select type, payload::text as payload, audience::text as audience from log order by position",
  )
  t.match(
    rows.map(({ type, payload, audience }) => [type, JSON.parse(String(payload)), JSON.parse(String(audience))]),
    [
      ["update_message_flags", { op: "add", flag: "read", messages: "{[158,161)}" }, { kind: "users", users: [5] }],
      ["queue_end", { user_ids: { length: 199 } }, { kind: "servers" }],
    ],
  )
  t.same(await query("select from read_ranges"), [], "and what is stored of the channel goes")
})
