/** Queues whose clients go from one process to another: the one that has the newest request has the queue, and the others let it go. */
import t from "tap"
import { indexOf, positionOf } from "../../../src/events/event.ts"
import { WireId } from "../../../src/ids.ts"
import { Reader } from "../../kit/reader.ts"
import { until } from "../../kit/test-database.ts"
import type { TestServer } from "../../kit/with-server.ts"
import { isLater, type ServersSetup, withServers } from "../../kit/with-servers.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia"] }] as const
const wanted = { event_types: ["message", "typing"], client_capabilities: { stream_typing_notifications: true } }

/** The same client at another process, at the same place. */
const movedTo = (server: TestServer, reader: Reader): Reader => {
  const moved = new Reader(server.as("cordelia"), server.port, reader.state)
  moved.lastId = reader.lastId
  return moved
}

const withTwo = (
  t: Parameters<typeof withServers>[0],
  setup: Partial<ServersSetup>,
  body: (one: TestServer, two: TestServer) => Promise<void>,
) =>
  withServers(t, 2, { channels, ...setup }, async ([one, two]) => {
    if (one !== undefined && two !== undefined) await body(one, two)
  })

/** Nobody has been told anything. */
const silence: ServersSetup["carry"] = () => {}
const save = (server: TestServer) => server.run(server.realm.queues.save())

t.test("whoever comes last has the queue: a socket is replaced by a poll elsewhere, and that by a socket", (t) =>
  withTwo(t, {}, async (one, two) => {
    const reader = await one.queue("cordelia", wanted)
    const socket = await reader.open()
    await isLater(two, one)
    const poll = movedTo(two, reader).poll()
    t.match(await socket.closed, { code: 4004 })
    t.equal(one.realm.queues.size(), 0, "the first has let it go")
    await until("the poll waits", 5_000, () => two.realm.queues.countConnected() === 1)
    const again = movedTo(one, reader)
    await isLater(one, two)
    const second = await again.open()
    t.same(await poll, [], "the poll is answered, with nothing")
    await until("the second has let it go", 5_000, () => two.realm.queues.size() === 0)
    await two.as("hamlet").send("lobby", "hello")
    t.match(await again.frame(), [{ message: { content: "hello" } }])
    second.destroy()
  }),
)

t.test("where nobody was told, it is let go when its progress is stored", (t) =>
  withTwo(t, { carry: silence }, async (one, two) => {
    const reader = await one.queue("cordelia", wanted)
    const socket = await reader.open()
    const moved = movedTo(two, reader)
    await isLater(two, one)
    const poll = moved.poll()
    await until("the poll waits", 5_000, () => two.realm.queues.countConnected() === 1)
    t.equal(one.realm.queues.countConnected(), 1, "nobody knows yet")
    await save(two)
    await one.as("hamlet").send("lobby", "hello")
    t.match(await reader.frame(), [{ message: { content: "hello" } }], "facts are the same everywhere")
    await until("the acknowledgement has come", 5_000, async () => {
      await save(one)
      return one.realm.queues.size() === 0
    })
    t.match(await socket.closed, { code: 4004 })
    t.match(await poll, [{ message: { content: "hello" } }])
    const [row] = await one.rows("select held_by, acked from event_queue")
    t.equal(row?.["held_by"], two.database.cluster?.process)
  }),
)

t.test("a queue that ends at one process ends at all", (t) =>
  withTwo(t, { limits: { queuesPerUser: 2 } }, async (one, two) => {
    const reader = await one.queue("cordelia", wanted)
    const socket = await reader.open()
    const other = await one.queue("cordelia", wanted)
    // Through the other process: it counts who is connected here, once that is stored.
    await save(one)
    const third = await two.queue("cordelia", wanted)
    t.match(await two.as("cordelia").get("/events", { queue_id: other.queueId, last_event_id: -1 }), {
      body: { code: "BAD_EVENT_QUEUE_ID" },
    })
    await until("the idle one has ended where it was", 5_000, () => one.realm.queues.size() === 1)
    await two.as("cordelia").must.delete("/events", { queue_id: reader.queueId })
    t.match(await socket.closed, { code: 4001 })
    t.equal(one.realm.queues.size(), 0)
    t.ok(third.queueId)
  }),
)

t.test("a queue that was deleted elsewhere is found when its progress is stored", (t) =>
  withTwo(t, { carry: silence }, async (one, two) => {
    const reader = await one.queue("cordelia", wanted)
    const socket = await reader.open()
    await two.as("cordelia").must.delete("/events", { queue_id: reader.queueId })
    await one.as("hamlet").send("lobby", "hello")
    await reader.frame()
    await until("it is found", 5_000, async () => {
      await save(one)
      return one.realm.queues.size() === 0
    })
    t.match(await socket.closed, { code: 4001 })
  }),
)

t.test("a queue expires nowhere while a client is connected to it at a process that lives", (t) =>
  withTwo(t, {}, async (one, two) => {
    const reader = await one.queue("cordelia", wanted)
    const socket = await reader.open()
    await save(one)
    await one.rows("update event_queue set seen = -100000000, idle_ms = 1, connected = true")
    await two.run(two.realm.queues.sweep())
    t.equal((await one.rows("select from event_queue")).length, 1)
    await one.rows("update event_queue set held_by = 'a process that is gone'")
    await two.run(two.realm.queues.sweep())
    t.equal((await one.rows("select from event_queue")).length, 0)
    socket.destroy()
  }),
)

t.test("I3 I4: in a quiet organization a client that moves gets what is not stored, by higher ids", (t) =>
  withTwo(t, {}, async (one, two) => {
    const reader = await one.queue("cordelia", wanted)
    // Ids above a row of before the start are asked for by a row of their own first.
    await one.as("hamlet").send("lobby", "hello")
    await reader.take(1)
    const type = (server: TestServer) =>
      server
        .as("hamlet")
        .must.post("/typing", { type: "channel", op: "start", stream_id: channelId(server), topic: "t" })
    const channelId = (server: TestServer) => server.realm.realm.findChannelByName("lobby")?.id ?? 0
    const heard = async (at: Reader, server: TestServer) => {
      const poll = at.poll()
      const { queues, hub } = server.realm
      await until("the poll waits, live", 5_000, () => queues.countConnected() === 1 && hub.liveQueues === 1)
      await type(server)
      return poll
    }
    for (let n = 0; n < 3; n++) t.match(await heard(reader, one), [{ type: "typing" }])
    const before = WireId(reader.lastId)
    const moved = movedTo(two, reader)
    await isLater(two, one)
    t.match(await heard(moved, two), [{ type: "typing" }], "it comes at once")
    const after = WireId(moved.lastId)
    t.equal(positionOf(after), positionOf(before), "and costs no row")
    t.equal(indexOf(after), indexOf(before) + 1)
  }),
)

t.test("whoever names somebody else's queue takes it from nobody", (t) =>
  withTwo(t, {}, async (one, two) => {
    const reader = await one.queue("cordelia", wanted)
    const socket = await reader.open()
    await isLater(two, one)
    for (const last_event_id of [-1, 0]) {
      const answer = await two.as("hamlet").get("/events", { queue_id: reader.state["queue_id"], last_event_id })
      t.match(answer, { status: 400, body: { code: "BAD_EVENT_QUEUE_ID" } })
    }
    t.equal(two.realm.queues.size(), 0, "it is not even loaded there")
    await save(two)
    await two.as("hamlet").send("lobby", "hello")
    t.match(await reader.frame(), [{ message: { content: "hello" } }])
    await save(one)
    t.equal(one.realm.queues.countConnected(), 1)
    socket.destroy()
  }),
)
