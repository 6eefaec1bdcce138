/** Three processes on one database: what is written through one is read through another at once, and comes to its queues. */
import t from "tap"
import { postgresLayer } from "../../../src/db/postgres/postgres.ts"
import { faultyBus } from "../../kit/faulty-bus.ts"
import { findOrphans } from "../../kit/orphans.ts"
import { Reader } from "../../kit/reader.ts"
import { openLayer, until } from "../../kit/test-database.ts"
import type { Name, TestServer } from "../../kit/with-server.ts"
import { withServers } from "../../kit/with-servers.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia"] }] as const

const personAt = (servers: ReadonlyArray<TestServer>, port: number, name: Name) => {
  const server = servers.find((each) => each.port === port)
  if (server === undefined) throw new Error(`no server has the port ${port}`)
  return server.as(name)
}

for (const bus of ["none", "notify"] as const)
  t.test(`with the bus ${bus}: what is written through one process is there in the others`, (t) =>
    withServers(t, 3, { channels, bus }, async (servers) => {
      const [one, two, three] = servers
      if (one === undefined || two === undefined || three === undefined) return
      t.equal(new Set(servers.map(({ database }) => database.holder)).size, 1, "all commit by one name")
      const reader = await two.queue("cordelia", { event_types: ["message"] })
      const id = await one.as("hamlet").send("lobby", "hello")
      t.match(await three.as("cordelia").must.get(`/messages/${id}`), { message: { content: "<p>hello</p>" } })
      t.match(await reader.poll(), [{ message: { content: "hello" } }])
      for (let n = 0; n < 10; n++) {
        const [by, at] = [servers[n % 3], servers[(n + 1) % 3]]
        await by?.as("hamlet").must.patch("/settings", { full_name: `Hamlet ${n}` })
        const self = await at?.as("hamlet").must.get("/users/me")
        t.match(self, { full_name: `Hamlet ${n}` })
      }
    }),
  )

t.test("I1 I3 I9: queues whose polls go to any process, by a bus that loses, delays and doubles", (t) =>
  withServers(t, 3, { channels, carry: faultyBus }, async (servers) => {
    const [one] = servers
    if (one === undefined) return
    let turn = 0
    const next = () => servers[turn++ % servers.length] ?? one
    const readers = await Promise.all(
      Array.from({ length: 6 }, () => next().queue("cordelia", { event_types: ["message"] })),
    )
    const contents = Array.from({ length: 40 }, (_, sender) => [0, 1, 2].map((n) => `message ${n} of ${sender}`))
    let isOver = false
    const reading = readers.map(async (reader) => {
      while (!isOver) {
        const { port } = next()
        const moved = new Reader(personAt(servers, port, "cordelia"), port, reader.state)
        moved.lastId = reader.lastId
        reader.events.push(...(await moved.poll(false)))
        reader.lastId = moved.lastId
      }
    })
    const post = async (content: string) => {
      const fields = { type: "channel", to: "lobby", topic: "t", content, queue_id: "a queue", local_id: content }
      const ids = [await next().as("hamlet").must.post("/messages", fields)]
      // Whoever has heard nothing sends once more, through another.
      ids.push(await next().as("hamlet").must.post("/messages", fields))
      return ids.map(({ id }) => id)
    }
    for (const part of contents)
      for (const [first, again] of await Promise.all(part.map(post))) t.equal(first, again, "I9")
    isOver = true
    await Promise.all(reading)
    for (const reader of readers) reader.events.push(...(await one.resume("cordelia", reader).rest()))
    const rows = await one.rows("select id, content from message order by id")
    t.equal(rows.length, contents.flat().length)
    const positions = await one.rows("select position from log order by position")
    t.same(
      positions.map(({ position }) => position),
      positions.map((_, n) => n + 1),
      "I1",
    )
    for (const reader of readers) {
      const got = new Map(reader.events.map(({ id, message }) => [id, Object(message)["content"]]))
      t.same(
        [...got.values()],
        rows.map(({ content }) => content),
        "each once, in the order of the log",
      )
    }
    t.same(await findOrphans(one), [], "I2")
  }),
)

t.test("I6: a rule that is taken away through one process holds for what another has judged before", (t) =>
  withServers(t, 2, { channels }, async ([one, two]) => {
    if (one === undefined || two === undefined) return
    await two.as("hamlet").send("lobby", "before")
    const { database } = one.config
    // Holds the log's lock: commits wait behind it in the order in which they come.
    const holder = await openLayer(t, postgresLayer(database.kind === "postgres" ? database.url : "", { size: 1 }))
    const waiting = (count: number) => async () => {
      const found = await holder.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      return found.length === count
    }
    await holder.query("begin")
    await holder.query("select from realm_lock for update")
    const taking = one.as("desdemona").must.delete(`/users/${one.idOf("hamlet")}`)
    await until("the rule waits", 5_000, waiting(1))
    const sending = two
      .as("hamlet")
      .post("/messages", { type: "channel", to: "lobby", topic: "t", content: "too late" })
    await until("what was judged by it waits behind", 5_000, waiting(2))
    await holder.query("commit")
    await taking
    t.match(await sending, { status: 401 })
    t.same(await one.rows("select from message where content = 'too late'"), [])
    await holder.close()
  }),
)

t.test("what another process takes away is not answered any more: a key, a channel, an account", (t) =>
  withServers(t, 2, { channels, bus: "none" }, async ([one, two]) => {
    if (one === undefined || two === undefined) return
    const before = two.as("hamlet")
    t.equal((await before.get("/users/me")).status, 200)
    const { api_key: key } = await one.as("hamlet").must.post("/users/me/api_key/regenerate")
    t.equal((await before.get("/users/me")).status, 401, "the old key")
    const after = two.withAccount({ ...before.account, key: String(key) })
    t.equal((await after.get("/users/me")).status, 200, "the new key, which this process has not heard of")
    const id = two.realm.realm.findChannelByName("lobby")?.id
    await one.as("desdemona").must.delete(`/streams/${id}`)
    t.match(await after.post("/messages", { type: "channel", to: "lobby", topic: "t", content: "x" }), { status: 400 })
    const made = await one
      .as("desdemona")
      .must.post("/channels/create", { name: "den", subscribers: [one.idOf("hamlet")] })
    const to = { type: "channel", to: Number(made["id"]), topic: "t", content: "a channel that was made a moment ago" }
    t.match(await after.post("/messages", to), { status: 200 })
  }),
)
