/** Messages go when they are as old as their channel or organization keeps them, and leave nothing behind. */
import t from "tap"
import { expireMessages, expiryJob } from "../../../../src/chat/changing/message-expiry/expiry.ts"
import { atRest, runsOf, workOf } from "../../../kit/jobs.ts"
import { pluck, recordsIn } from "../../../kit/records.ts"
import { until } from "../../../kit/test-database.ts"
import { storedFiles, uploaded } from "../../../kit/uploads.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"

const day = 24 * 3600_000
/** A queue that outlives the days that pass here, and hears of many deletions at once. */
const lasting = { idle_queue_timeout: 6 * 24 * 3600, client_capabilities: { bulk_message_deletion: true } }

const expire = async (server: TestServer): Promise<void> => {
  while (await server.run(expireMessages(server.clock.now()))) {
    // There may be more.
  }
}

/** Notices what is wanted, and lets it take hold. */
const takeHold = async (server: TestServer): Promise<void> => {
  await expire(server)
  server.clock.advance(day)
  await expire(server)
}

const channels = ["lobby", "attic"].map((name) => ({ name, users: ["hamlet", "cordelia"] as const }))

const keep = async (server: TestServer, name: string, days: number | string): Promise<void> => {
  const { stream_id } = await server.as("hamlet").must.get("/get_stream_id", { stream: name })
  await server.as("desdemona").must.patch(`/streams/${Number(stream_id)}`, { message_retention_days: days })
}

const contentsFor = async (
  server: TestServer,
  name: "hamlet" | "cordelia" | "desdemona",
  narrow: ReadonlyArray<unknown> = [],
) => {
  const asked = { anchor: "oldest", num_before: 0, num_after: 1000, narrow, apply_markdown: false }
  const { messages } = await server.as(name).must.get("/messages", asked)
  return pluck(messages, "content").filter((content) => !/message retention period/.test(String(content)))
}

t.test("messages go by their age, a day after that was said; who holds them is told", (t) =>
  withServer(t, { channels }, async (server) => {
    const hamlet = server.as("hamlet")
    const old = [await hamlet.send("lobby", "old one"), await hamlet.send("lobby", "old two")]
    const elsewhere = await hamlet.send("attic", "old elsewhere")
    await server.as("cordelia").must.post("/messages/flags", { messages: [old[0]], op: "add", flag: "starred" })
    server.clock.advance(10 * day)
    await hamlet.send("lobby", "young")
    const queue = await server.queue("cordelia", { ...lasting, event_types: ["delete_message"] })
    await keep(server, "lobby", 5)
    const { messages } = await hamlet.must.get("/messages", {
      anchor: "newest",
      num_before: 1,
      num_after: 0,
      narrow: [{ operator: "topic", operand: "channel events" }],
      apply_markdown: false,
    })
    t.match(pluck(messages, "content"), [
      /\*\*New:\*\* 5 days\n\nMessages that are older \(now 2\) are deleted in 24 hours/,
    ])
    await expire(server)
    t.same(await contentsFor(server, "cordelia"), ["old one", "old two", "old elsewhere", "young"], "not at once")
    server.clock.advance(day)
    await expire(server)
    t.same(await contentsFor(server, "cordelia"), ["old elsewhere", "young"])
    t.match(await queue.rest(), [{ type: "delete_message", message_type: "stream", message_ids: old }])
    const register = await server
      .as("cordelia")
      .must.post("/register", { event_types: ["message"], fetch_event_types: ["starred_messages"] })
    t.same(register["starred_messages"], [])
    t.same(await contentsFor(server, "cordelia", [{ operator: "search", operand: "old" }]), ["old elsewhere"])
    // A message that is moved follows its new channel.
    const { stream_id } = await hamlet.must.get("/get_stream_id", { stream: "lobby" })
    await server.as("desdemona").must.patch(`/messages/${elsewhere}`, { stream_id: Number(stream_id) })
    await expire(server)
    t.notOk((await contentsFor(server, "cordelia")).includes("old elsewhere"))
  }),
)

t.test("direct messages, and channels that say nothing, follow the organization", (t) =>
  withServer(t, { channels }, async (server) => {
    const hamlet = server.as("hamlet")
    await hamlet.send("lobby", "old in a channel")
    await hamlet.send("attic", "kept for ever")
    const to = [server.idOf("cordelia")]
    const { id } = await hamlet.must.post("/messages", { type: "direct", to, content: "between us" })
    await keep(server, "attic", "unlimited")
    server.clock.advance(10 * day)
    for (const name of ["iago", "othello"] as const)
      await hamlet.must.post("/messages", { type: "direct", to: [server.idOf(name)], content: `to ${name}` })
    server.clock.advance(4 * day)
    const queue = await server.queue("cordelia", { ...lasting, event_types: ["delete_message"] })
    await server.as("desdemona").must.patch("/realm", { message_retention_days: 3 })
    const [notice] = await contentsFor(server, "desdemona")
    t.match(
      notice,
      /changed for how long messages are kept[\s\S]*forever[\s\S]*3 days[\s\S]*\(now 4\) are deleted in 24 hours/,
    )
    await takeHold(server)
    t.same(await contentsFor(server, "hamlet"), ["kept for ever"])
    const told = recordsIn(await queue.rest())
    t.match(
      told.find(({ message_type }) => message_type === "private"),
      { message_ids: [id] },
    )
    t.same((await server.as("hamlet").must.post("/register", {}))["realm_message_retention_days"], 3)
  }),
)

t.test("what is taken back in time stops it; files that nothing links after it go at once", (t) =>
  withServer(t, { channels }, async (server) => {
    const hamlet = server.as("hamlet")
    const [lonely, shared] = [
      await uploaded(server, "hamlet"),
      await uploaded(server, "hamlet", { name: "two.txt", bytes: "two" }),
    ]
    await hamlet.send("lobby", `[a](${lonely}) [b](${shared})`)
    await hamlet.send("attic", `[b](${shared})`)
    server.clock.advance(10 * day)
    await keep(server, "lobby", 1)
    await expire(server)
    server.clock.advance(day - 1000)
    await keep(server, "lobby", "unlimited")
    server.clock.advance(2 * day)
    await expire(server)
    t.equal((await contentsFor(server, "hamlet")).length, 2)
    await keep(server, "lobby", 1)
    await takeHold(server)
    t.equal((await contentsFor(server, "hamlet")).length, 1)
    t.equal(storedFiles(server).length, 1)
    t.equal(recordsIn((await hamlet.must.get("/attachments"))["attachments"]).length, 1)
  }),
)

t.test("a queue that was away reads an empty message and its end; a run goes on where the last one was", (t) =>
  withServer(t, { channels }, async (server) => {
    const queue = await server.queue("cordelia", { ...lasting, event_types: ["message", "delete_message"] })
    const ids: Array<number> = []
    for (let n = 0; n < 6; n++)
      ids.push(await server.as("hamlet").send("lobby", `secret ${n}`, { topic: `topic ${n}` }))
    server.clock.advance(3 * day)
    await keep(server, "lobby", 2)
    await expire(server)
    server.clock.advance(day)
    t.equal(await server.run(expireMessages(server.clock.now())), true, "one run takes a few topics")
    await expire(server)
    t.same(await contentsFor(server, "cordelia"), [])
    const events = recordsIn(await queue.rest())
    const told = events.filter(({ type }) => type === "message").map(({ message }) => message)
    t.notMatch(JSON.stringify(told), /secret/)
    t.same(
      events.filter(({ type }) => type === "delete_message").flatMap(({ message_ids }) => message_ids),
      ids,
    )
    t.equal(
      Number((await server.rows("select count(*) as n from log where payload::text like '%secret%'"))[0]?.["n"]),
      0,
    )
  }),
)

t.test("the job runs by itself, but not by a clock that was set", (t) =>
  withServer(t, { channels }, async (server) => {
    await server.as("hamlet").send("lobby", "old")
    await keep(server, "lobby", 1)
    const runs = async () => {
      const before = runsOf(workOf(server), expiryJob)
      server.clock.advance(11 * 60_000)
      await until("it has run", 20_000, () => runsOf(workOf(server), expiryJob) > before)
      await atRest(workOf(server), expiryJob)
    }
    for (let passed = 0; passed < 3; passed++) {
      server.clock.advance(day)
      await runs()
    }
    t.same(await contentsFor(server, "hamlet"), [], "time that passes is right")
  }),
)

t.test("values that are none are refused, and only owners decide", (t) =>
  withServer(t, { channels }, async (server) => {
    const { stream_id } = await server.as("hamlet").must.get("/get_stream_id", { stream: "lobby" })
    for (const value of [0, -5, "x", 1_000_000_000, "forever", 1.5, true])
      for (const path of [`/streams/${Number(stream_id)}`, "/realm"]) {
        const { status, body } = await server.as("desdemona").patch(path, { message_retention_days: value })
        t.equal(status, 400, `${path} ${value}`)
        if (value !== 1.5 && value !== true)
          t.match(body, { code: "REQUEST_VARIABLE_INVALID", var_name: "message_retention_days", bad_value: value })
      }
    t.match((await server.as("iago").patch("/realm", { message_retention_days: 3 })).body, { result: "error" })
    await keep(server, "lobby", "30")
    t.equal((await server.as("hamlet").must.get(`/streams/${Number(stream_id)}`))["stream"] === undefined, false)
  }),
)
