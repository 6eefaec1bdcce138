/** People whom users mute: both endpoints, what is read by it, event and section. */
import t from "tap"
import { refuses } from "../../../kit/refusals.ts"
import { settles } from "../../../kit/settles.ts"
import { until } from "../../../kit/test-database.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia", "othello"] }] as const

const pathOf = (server: TestServer, muted: Name) => `/users/me/muted_users/${server.idOf(muted)}`
const mute = (server: TestServer, name: Name, muted: Name) => server.as(name).must.post(pathOf(server, muted))
const unmute = (server: TestServer, name: Name, muted: Name) => server.as(name).must.delete(pathOf(server, muted))
const say = async (server: TestServer, name: Name, fields = {}): Promise<number> => {
  const message = { type: "channel", to: "lobby", topic: "t", content: "c", ...fields }
  return Number((await server.as(name).must.post("/messages", message))["id"])
}
const unreadOf = async (server: TestServer, name: Name): Promise<ReadonlyArray<unknown>> => {
  const page = { anchor: "newest", num_before: 100, num_after: 0, narrow: [["is", "unread"]] }
  const { messages } = await server.as(name).must.get("/messages", page)
  return Object(messages).map(({ id }: { readonly id: number }) => id)
}

t.test("muting reads what is unread of somebody, and what they send from then on", (t) =>
  withServer(t, { channels }, async (server) => {
    const [cordelia, othello] = [server.idOf("cordelia"), server.idOf("othello")]
    const early = await say(server, "cordelia")
    const direct = await say(server, "cordelia", { type: "direct", to: [server.idOf("hamlet")], topic: undefined })
    const other = await say(server, "othello")
    const queue = await server.queue("hamlet")
    const others = await server.queue("othello")
    t.same(queue.state["muted_users"], [])
    const timestamp = Math.floor(server.clock.now() / 1000)
    await mute(server, "hamlet", "cordelia")
    const muted = [{ id: cordelia, timestamp }]
    t.match(
      await queue.rest(),
      [
        { type: "muted_users", muted_users: muted },
        { type: "update_message_flags", op: "add", flag: "read", messages: [early, direct] },
      ],
      "the list first, then what is read",
    )
    t.same(await unreadOf(server, "hamlet"), [other])
    const late = await say(server, "cordelia", { content: "@**all**" })
    t.match(await queue.rest(), [{ type: "message", flags: ["read", "stream_wildcard_mentioned"] }])
    t.match(await others.rest(), [{ type: "message", flags: ["stream_wildcard_mentioned"] }])
    t.same(await unreadOf(server, "hamlet"), [other])
    t.same(await unreadOf(server, "othello"), [early, other, late])
    server.clock.advance(5000)
    await mute(server, "hamlet", "othello")
    t.match((await server.queue("hamlet")).state["muted_users"], [...muted, { id: othello, timestamp: timestamp + 5 }])
    await server.restart()
    await unmute(server, "hamlet", "cordelia")
    t.same(await unreadOf(server, "hamlet"), [], "unmuting changes nothing about earlier messages")
    const after = await say(server, "cordelia")
    await say(server, "othello")
    t.same(await unreadOf(server, "hamlet"), [after])
    await server.as("hamlet").must.post("/messages/flags", { op: "remove", flag: "read", messages: [late] })
    t.same(await unreadOf(server, "hamlet"), [late, after], "what was read from the start can be unread")
  }),
)

t.test("a refused muting reads nothing; one that was cut off is finished by the server", (t) =>
  withServer(t, { channels }, async (server) => {
    const hamlet = server.as("hamlet")
    const early = await say(server, "cordelia")
    await mute(server, "hamlet", "cordelia")
    await hamlet.must.post("/messages/flags", { op: "remove", flag: "read", messages: [early] })
    const again = () => server.as("hamlet").post(pathOf(server, "cordelia"))
    const refused = { status: 400, body: { msg: "User already muted" } }
    t.match(await again(), refused)
    t.same(await unreadOf(server, "hamlet"), [early])

    const cutOff = async () => {
      await unmute(server, "hamlet", "cordelia")
      server.faults.failQueries("as is_read from message b")
      await t.rejects(again(), "no 503, which says that nothing was done")
      t.ok(server.faults.failed > 0)
      t.same(await unreadOf(server, "hamlet"), [early])
    }
    const finished = () =>
      until("no work is left", 10_000, async () => (await server.rows("select from unfinished_work")).length === 0)
    await cutOff()
    await server.faults.kill()
    await finished()
    t.same(await unreadOf(server, "hamlet"), [], "after a crash")
    t.match(await again(), refused)

    const readAgain = { op: "remove", flag: "read", messages: [early] }
    await server.as("hamlet").must.post("/messages/flags", readAgain)
    await cutOff()
    server.faults.flow()
    server.clock.advance(10_000)
    await finished()
    t.same(await unreadOf(server, "hamlet"), [], "without one")

    await server.as("hamlet").must.post("/messages/flags", readAgain)
    await cutOff()
    await unmute(server, "hamlet", "cordelia")
    server.faults.flow()
    server.clock.advance(10_000)
    await finished()
    t.same(await unreadOf(server, "hamlet"), [early], "who was unmuted meanwhile stays unread")
  }),
)

t.test("a send writes no more rows however many have muted its sender", (t) =>
  withServer(t, { channels }, async (server) => {
    const count = async () => {
      const tables = ["message", "log", "personal_message", "read_ranges", "read_floor"]
      const [row] = await server.rows(
        `select ${tables.map((each) => `(select count(*) from ${each})`).join(" + ")} as n`,
      )
      return Number(row?.["n"])
    }
    const written = async () => {
      const before = await count()
      await say(server, "cordelia")
      return (await count()) - before
    }
    await say(server, "cordelia")
    const plain = await written()
    await mute(server, "hamlet", "cordelia")
    await mute(server, "othello", "cordelia")
    t.equal(await written(), plain)
  }),
)

t.test("refusals", (t) =>
  withServer(t, { channels }, async (server) => {
    await mute(server, "hamlet", "cordelia")
    const lines = [
      { when: "oneself", id: server.idOf("hamlet"), msg: "Cannot mute self" },
      { when: "muted already", id: server.idOf("cordelia"), msg: "User already muted" },
      { when: "nobody", id: 99, msg: "No such user" },
      { when: "a bot of the program", id: 2_000_000_001, msg: "No such user" },
    ].map(({ id, ...line }) => ({ ...line, fields: { id } }))
    await refuses(t, lines, ({ id }) => server.as("hamlet").post(`/users/me/muted_users/${id}`))
    const back = [
      { when: "not muted", fields: { id: server.idOf("othello") }, msg: "User is not muted" },
      { when: "nobody", fields: { id: 99 }, msg: "No such user" },
    ]
    await refuses(t, back, ({ id }) => server.as("hamlet").delete(`/users/me/muted_users/${id}`))
  }),
)

t.test("a user mutes 1,000 people at most", (t) =>
  withServer(t, { channels }, async (server) => {
    // One less than that, whom there need not be.
    await server.rows(
      `insert into muted_user (realm_id, user_id, muted_id, muted_at, place)
       select $1, $2, 1000000 + n, 1, n from generate_series(1, 999) as n`,
      [server.realmId, server.idOf("hamlet")],
    )
    await server.restart()
    await mute(server, "hamlet", "cordelia")
    const refused = { status: 400, body: { msg: "You can mute at most 1000 users." } }
    t.match(await server.as("hamlet").post(pathOf(server, "othello")), refused)
    await unmute(server, "hamlet", "cordelia")
    await mute(server, "hamlet", "othello")
  }),
)

t.test("I13: muting settles", (t) =>
  withServer(t, { channels }, async (server) => {
    await say(server, "cordelia")
    await mute(server, "hamlet", "othello")
    const views = viewsOf(server, undefined, ["hamlet", "cordelia"])
    const seen = await settles(t, views, "people are muted and unmuted", async () => {
      await mute(server, "hamlet", "cordelia")
      await say(server, "cordelia")
      await unmute(server, "hamlet", "othello")
      await say(server, "othello")
    })
    t.ok(seen.has("muted_users"))
  }),
)
