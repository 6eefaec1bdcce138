/**
 * I9: a send that is made again, whatever became of the first answer, posts once and is answered as the first time. The
 * key is (sender, queue_id, local_id); the queue is only looked at for the echo.
 */
import t, { type Test } from "tap"
import { ask } from "../kit/at-once.ts"
import { emitCommand, further } from "../kit/further.ts"
import { findOrphans } from "../kit/orphans.ts"
import { until } from "../kit/test-database.ts"
import { type ChannelSetup, type Name, type TestServer, withServer } from "../kit/with-server.ts"

const channels: ReadonlyArray<ChannelSetup> = [
  { name: "lobby", users: ["hamlet", "cordelia", "othello"] },
  { name: "secret", users: ["hamlet", "cordelia"], isPrivate: true },
]

const key = (localId: string, queueId = "a queue") => ({ queue_id: queueId, local_id: localId })
type Key = { readonly local_id?: string; readonly queue_id?: string }
const message = (to: string, content: string, fields: Key) => ({
  type: "channel",
  to,
  topic: "t",
  content,
  ...fields,
})
const direct = (server: TestServer, to: Name, content: string, fields: Key) => ({
  type: "direct",
  to: [server.idOf(to)],
  content,
  ...fields,
})
const idsOf = async (server: TestServer, content: string) =>
  (await server.rows("select id from message where content = $1 order by id", [content])).map((row) => row["id"])

/** One message with this content and id is stored, and one row of the log carries it. */
const postedOnce = async (t: Test, server: TestServer, content: string, id: unknown): Promise<void> => {
  t.same(await idsOf(server, content), [id], `${content}: one message`)
  const rows = await server.rows("select position from log where type = 'message' and message_id = $1", [Number(id)])
  t.same(rows, [{ position: id }], `${content}: one row`)
}

t.test("I9: the second send gets the first answer; one message, one row, one event", (t) =>
  withServer(t, { channels }, async (server) => {
    const hamlet = server.as("hamlet")
    const reader = await server.queue("cordelia", { event_types: ["message"] })
    const cases = [
      {
        content: "to a channel, its first message",
        fields: message("lobby", "to a channel, its first message", key("1")),
      },
      { content: "to a channel", fields: message("lobby", "to a channel", key("2")) },
      { content: "a first direct message", fields: direct(server, "cordelia", "a first direct message", key("3")) },
      { content: "a direct message", fields: direct(server, "cordelia", "a direct message", key("4")) },
    ]
    for (const { content, fields } of cases) {
      const first = await hamlet.must.post("/messages", fields)
      t.same(await hamlet.must.post("/messages", fields), first, content)
      // Twins that wait for the same commit, and one for the next.
      const twins = { ...fields, content: `${content}, by twins`, local_id: `${fields.local_id} twins` }
      const told = await Promise.all([0, 1, 2].map(() => ask(server, "hamlet", "POST /messages", twins)))
      t.match(told, [{ told: "done" }, told[0], told[0]])
      await postedOnce(t, server, content, first["id"])
      await postedOnce(t, server, twins.content, told[0]?.told === "done" ? told[0].data["id"] : null)
    }
    await server.restart()
    const [oldest] = cases
    const again = await server.as("hamlet").must.post("/messages", oldest?.fields)
    await postedOnce(t, server, oldest?.content ?? "", again["id"])
    await server.as("othello").send("lobby", "last")
    const events = await server.resume("cordelia", reader).take(9)
    t.equal(new Set(events.map(({ message }) => JSON.stringify(message))).size, 9, "one event each")
    t.same(await findOrphans(server), [])
  }),
)

t.test("I9: the key of a retry is (sender, queue_id, local_id); without local_id or queue_id there is none", (t) =>
  withServer(t, { channels }, async (server) => {
    const fields = message("lobby", "same", key("1"))
    const [hamlets, cordelias] = [server.as("hamlet"), server.as("cordelia")]
    const first = await hamlets.must.post("/messages", fields)
    t.not((await cordelias.must.post("/messages", fields))["id"], first["id"], "another sender")
    t.not((await hamlets.must.post("/messages", { ...fields, local_id: "2" }))["id"], first["id"], "another local id")
    t.not((await hamlets.must.post("/messages", { ...fields, queue_id: "b" }))["id"], first["id"], "another queue")
    t.equal((await idsOf(server, "same")).length, 4)
    const alone = message("lobby", "without a key", {})
    t.not((await hamlets.must.post("/messages", alone))["id"], (await hamlets.must.post("/messages", alone))["id"])
    for (const [half, missing] of [
      [{ queue_id: "a" }, "local_id"],
      [{ local_id: "1" }, "queue_id"],
      [{ local_id: "1", queue_id: "" }, "queue_id"],
    ] as const)
      t.match(await hamlets.post("/messages", message("lobby", "half a key", half)), {
        status: 400,
        body: { code: "REQUEST_VARIABLE_MISSING", var_name: missing },
      })
    t.same(await idsOf(server, "half a key"), [], "nothing was posted")
  }),
)

t.test("I9: with a queue that is unknown or gone a send goes through without echo, and a retry gets its answer", (t) =>
  withServer(t, { channels }, async (server) => {
    const types = { event_types: ["message"] }
    const [own, others] = [await server.queue("hamlet", types), await server.queue("cordelia", types)]
    const gone = await server.queue("hamlet", types)
    const hamlet = server.as("hamlet")
    await hamlet.must.delete("/events", { queue_id: gone.queueId })
    const queues = [
      ["unknown", "no such queue"],
      ["gone", gone.queueId],
      ["of somebody else", others.queueId],
      ["of another epoch", own.queueId.replace(/[0-9a-f]/, (digit: string) => (digit === "0" ? "1" : "0"))],
    ] as const
    for (const [which, queue_id] of queues) {
      const fields = message("lobby", `by a queue that is ${which}`, { queue_id, local_id: "7.01" })
      const first = await hamlet.must.post("/messages", fields)
      t.same(await hamlet.must.post("/messages", fields), first, which)
      await postedOnce(t, server, `by a queue that is ${which}`, first["id"])
    }
    for (const reader of [own, others]) {
      const events = await reader.rest()
      t.equal(events.length, queues.length)
      t.ok(
        events.every((event) => !("local_message_id" in event || "local_id" in event)),
        "no echo",
      )
    }
  }),
)

t.test("I9: another request under the same key is 400, and posts nothing", (t) =>
  withServer(t, { channels }, async (server) => {
    const hamlet = server.as("hamlet")
    const fields = message("lobby", "the one", key("1"))
    const first = await hamlet.must.post("/messages", fields)
    const others = [
      { ...fields, content: "another" },
      { ...fields, topic: "another" },
      { ...fields, to: "secret" },
      { ...fields, read_by_sender: true },
      direct(server, "cordelia", "the one", key("1")),
    ]
    const refusal = { status: 400, body: { result: "error", code: "BAD_REQUEST", msg: /local_id was used/ } }
    for (const other of others) t.match(await hamlet.post("/messages", other), refusal)
    // In the batch of the first one, too.
    const [one, two] = await Promise.all([
      ask(server, "hamlet", "POST /messages", message("lobby", "twin", key("2"))),
      ask(server, "hamlet", "POST /messages", message("lobby", "no twin", key("2"))),
    ])
    t.match([one, two], [{ told: "done" }, { told: "refused", error: { status: 400, msg: /local_id was used/ } }])
    t.same(await hamlet.must.post("/messages", fields), first)
    const [row] = await server.rows("select count(*) as n from message")
    t.equal(row?.["n"], 2)
  }),
)

t.test("I9: the echo goes to the sender's own queue and to no other", (t) =>
  withServer(t, { channels }, async (server) => {
    const types = { event_types: ["message"] }
    const own = await server.queue("hamlet", types)
    const second = await server.queue("hamlet", types)
    const cordelias = await server.queue("cordelia", types)
    const hamlet = server.as("hamlet")
    const sends = [
      { content: "own", queueId: own.queueId, seen: own },
      { content: "somebody else's", queueId: cordelias.queueId, seen: null },
      { content: "nobody's", queueId: "0", seen: null },
    ]
    for (const { content, queueId } of sends) {
      const fields = message("lobby", content, key(`local ${content}`, queueId))
      const first = await hamlet.must.post("/messages", fields)
      t.same(await hamlet.must.post("/messages", fields), first, "it counts for retries all the same")
    }
    for (const reader of [own, second, cordelias]) {
      const events = await reader.take(3)
      for (const [n, { content, seen }] of sends.entries()) {
        const echo = seen === reader ? `local ${content}` : undefined
        t.match(events[n], { message: { content } })
        t.equal(events[n]?.["local_id"], echo, content)
        t.equal(events[n]?.["local_message_id"], echo, content)
      }
    }
    // A replay, from the log too, says the same.
    const before = own.events.map((event) => JSON.stringify(event))
    await server.restart()
    const resumed = server.resume("hamlet", own)
    resumed.rewind(Number(own.state["last_event_id"]))
    await resumed.take(3)
    t.same(
      resumed.events.map((event) => JSON.stringify(event)),
      before,
    )
  }),
)

t.test("I9: a retry gets its first answer even if a new send would be refused by now", (t) =>
  withServer(t, { channels }, async (server) => {
    const hamlet = () => server.as("hamlet")
    const toLobby = message("lobby", "to the lobby", key("1"))
    const toSecret = message("secret", "a secret", key("2"))
    const toOthello = direct(server, "othello", "to othello", key("3"))
    const all = [toLobby, toSecret, toOthello]
    const first: Array<unknown> = []
    for (const fields of all) first.push(await hamlet().must.post("/messages", fields))

    const retries = async (refused: typeof all, when: string) => {
      for (const [n, fields] of all.entries())
        t.same(await hamlet().must.post("/messages", fields), first[n], `${when}: ${fields.content}`)
      for (const fields of refused) {
        const anew = await hamlet().post("/messages", { ...fields, local_id: `${fields.local_id} anew` })
        t.equal(anew.status, 400, `${when}, and a new one is refused: ${fields.content}`)
        const other = await hamlet().post("/messages", { ...fields, content: "something else" })
        t.match(other, { status: 400, body: { msg: /local_id was used/ } }, "as another under the same key is")
      }
    }
    await hamlet().must.delete("/users/me/subscriptions", { subscriptions: ["secret"] })
    await retries([toSecret], "unsubscribed")
    await server.as("desdemona").must.delete(`/users/${server.idOf("othello")}`)
    await retries([toSecret, toOthello], "the recipient deactivated")
    const nobody = '{"can_send_message_group": 8}'
    await server.rows("update channel set permissions = permissions || $1::text::jsonb where name = 'lobby'", [nobody])
    await server.restart()
    await retries(all, "the right to post lost")
    await server.rows("update channel set permissions = permissions || '{\"can_send_message_group\": 2}'")
    await server.rows("update channel set is_archived = true")
    await server.restart()
    await retries(all, "the channel archived")
    for (const { content } of all) t.equal((await idsOf(server, content)).length, 1)
  }),
)

t.test("I9: retries after answers that were lost, and beside calls that PostgreSQL refuses", (t) =>
  withServer(t, { channels, further }, async (server) => {
    const { faults } = server
    await server.as("hamlet").send("lobby", "first")
    // Settled as done, settled as void, never sent: the client cannot tell, and sends again.
    for (const fate of ["lost", "late", "unsent"] as const) {
      const fields = message("lobby", fate, key(fate))
      faults.failCommits(fate)
      const told = await ask(server, "hamlet", "POST /messages", fields)
      t.equal(told.told, fate === "lost" ? "done" : "unavailable")
      const { id } = await server.as("hamlet").must.post("/messages", fields)
      await faults.arrive()
      await postedOnce(t, server, fate, id)
    }
    // The retry is asked for while the first is still unsettled.
    faults.failCommits("lost")
    faults.settling = "lost"
    const asked = faults.settles
    const fields = message("lobby", "unsettled", key("unsettled"))
    const first = ask(server, "hamlet", "POST /messages", fields)
    await until("the server asks what became of it", 10_000, () => faults.settles > asked)
    const meanwhile = await ask(server, "hamlet", "POST /messages", fields)
    t.equal(meanwhile.told, "unavailable")
    faults.settling = "answered"
    const { told } = await first
    t.equal(told, "done")
    await postedOnce(t, server, "unsettled", (await server.as("hamlet").must.post("/messages", fields))["id"])

    const poison = emitCommand({ type: "test_wide", payload: {}, refuse: "on purpose" })
    const twin = message("lobby", "beside poison", key("beside"))
    const [one, , two] = await Promise.all([
      ask(server, "hamlet", "POST /messages", twin),
      server.run(server.realm.writer.submit(poison)).catch(() => null),
      ask(server, "hamlet", "POST /messages", twin),
    ])
    t.same(one, two)
    await postedOnce(t, server, "beside poison", one.told === "done" ? one.data["id"] : null)
    t.same(await findOrphans(server), [])
  }),
)

t.test("I9: the key of a send is kept for a day", (t) =>
  withServer(t, { channels }, async (server) => {
    const hamlet = server.as("hamlet")
    const fields = message("lobby", "daily", key("1"))
    const first = await hamlet.must.post("/messages", fields)
    const hour = 3600_000
    server.clock.advance(24 * hour - 1)
    t.same(await hamlet.must.post("/messages", fields), first)
    await until("it is forgotten", 10_000, async () => {
      server.clock.advance(hour)
      return (await server.rows("select * from sent")).length === 0
    })
    t.not((await hamlet.must.post("/messages", fields))["id"], first["id"])
  }),
)
