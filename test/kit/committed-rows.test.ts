/** The strict check of committed rows: the faults that it finds, the rows that pass, and when a test server runs it. */
import * as Effect from "effect/Effect"
import t from "tap"
import { Unavailable } from "../../src/api/errors.ts"
import type { JsonObject } from "../../src/json.ts"
import { catalog } from "./catalog.ts"
import { findOddRows } from "./committed-rows.ts"
import { emit, further } from "./further.ts"
import { type TestServer, withServer } from "./with-server.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia"] }] as const

/** A row that no command has written. */
const plant = (server: TestServer, type: string, payload: JsonObject) =>
  server.rows(
    `insert into log (realm_id, position, type, payload, audience, at)
     select 1, max(position) + 1, $1, $2::text::jsonb, '{"kind": "servers"}', 0 from log where realm_id = 1`,
    [type, JSON.stringify(payload)],
  )

const sender = { id: 4, email: "hamlet@test.example", full_name: "hamlet", avatar_version: 1 }
const message = { sender, client: "test", read_by_sender: true }
const people = [{ id: 4, email: "hamlet@test.example", full_name: "hamlet" }]
const channel = { id: 1, name: "lobby", topic: "a topic" }
const first = { op: "update", channel_id: 1, name: "lobby", property: "first_message_id" }

t.test("rows that do not match their kinds are found", (t) =>
  withServer(t, { channels, onOddRows: (faults) => t.equal(faults.length, odd.length) }, async (server) => {
    for (const [n, [type, payload, fault]] of odd.entries()) {
      await plant(server, type, payload)
      const faults = await findOddRows(server.database, catalog.kinds)
      t.equal(faults.length, n + 1, `one more: ${fault}`)
      t.match(faults.at(-1), fault)
      t.match(faults.at(-1), `, ${type}: `)
    }
  }),
)

const odd: ReadonlyArray<readonly [type: string, payload: JsonObject, fault: RegExp]> = [
  ["poll", { op: "add" }, /^row \d+, poll: no kind has this type/],
  ["channel_folder", { op: "reorder", order: [1], more: 7 }, /more/],
  ["channel_folder", { op: "reorder", order: ["1"] }, /order/],
  ["channel_folder", { op: "update", folder_id: 1 }, /set/],
  ["channel_folder", { op: "reorder", order: ["1"], told: true }, /order/],
  ["channel_folder", { op: "reorder", order: [1], told: false }, /told is neither absent nor true/],
  ["stream", { ...first, value: null }, /value was not filled in/],
  ["message", { ...message, people }, /conversation_id was not filled in/],
]

t.test("valid rows pass", (t) =>
  withServer(t, { channels, further }, async (server) => {
    await server.as("hamlet").send("lobby", "the first message, which the commit says of the channel")
    await server.as("hamlet").must.post("/messages", { type: "direct", to: [server.idOf("cordelia")], content: "a" })
    await emit(server, { type: "test_wide", payload: { name: "of a kind that only tests have" } })
    const types = await server.rows("select type, payload ? 'property' as p from log where realm_id = 1")
    for (const expected of ["message", "realm_user", "test_wide"]) t.ok(types.some(({ type }) => type === expected))
    t.ok(types.some(({ type, p }) => type === "stream" && p === true))
    await plant(server, "stream", { ...first, value: null, told: true })
    await plant(server, "stream", { ...first, value: 3 })
    await plant(server, "message", { ...message, channel })
    await plant(server, "message", { ...message, people, conversation_id: 1 })
    t.match(await findOddRows(server.database, catalog.kinds), [/test_wide: no kind has this type/])
  }),
)

t.test("a test server checks its rows before each restart and at its end", async (t) => {
  const found: Array<ReadonlyArray<string>> = []
  await withServer(t, { channels, onOddRows: (faults) => found.push(faults) }, async (server) => {
    await server.restart()
    t.same(found, [], "nothing is odd yet")
    await plant(server, "channel_folder", { op: "reorder", order: [1], more: 7 })
    await server.restart()
    t.match(found, [[/more/]])
  })
  t.match(found, [[/more/], [/more/]])
})

t.test("an unreachable database counts as no fault", (t) =>
  withServer(t, {}, async ({ database }) => {
    const gone = { ...database, query: () => Effect.fail(new Unavailable({ reason: "the test has no database" })) }
    t.same(await findOddRows(gone, catalog.kinds), [])
  }),
)
