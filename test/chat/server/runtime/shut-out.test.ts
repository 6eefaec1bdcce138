/** Rows that end queues and connections, while the hub is still busy with the rows before them. */
import t, { type Test } from "tap"
import { endQueuesRow } from "../../../../src/chat/ground/kinds/queue-end-row.ts"
import { change } from "../../../../src/events/command.ts"
import { lastIdOf } from "../../../../src/events/event.ts"
import { Queue } from "../../../../src/events/queue.ts"
import { QueueId } from "../../../../src/ids.ts"
import { renderings } from "../../../events/model/model-events.ts"
import { emit, further } from "../../../kit/further.ts"
import { queueHost } from "../../../kit/queue-host.ts"
import { frameOf } from "../../../kit/sockets.ts"
import { until } from "../../../kit/test-database.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"

/**
 * Gives a user so many queues that each row keeps the hub busy for 30 ms, in slices of 4 ms, before it comes to the queues
 * of anybody who registers later. Answers what takes them away again.
 */
const burden = (server: TestServer): (() => void) => {
  const host = queueHost({
    pendingEvents: 1_000_000,
    pendingBytes: 1_000_000_000,
    turnedLive: (queue) => server.realm.hub.enter(queue),
  })
  const last = lastIdOf(server.realm.feed.position, 1)
  const wants = () => {
    for (const end = performance.now() + 0.01; performance.now() < end; );
    return false
  }
  const queues: Array<Queue> = []
  for (let n = 0; n < 3000; n++) {
    const clientOptions = { rendering: renderings[0], openToPublic: false, wants, terms: 0, passes: () => true }
    const id = QueueId(`burden ${n}`)
    const spec = { id, user: server.idOf("hamlet"), clientOptions, start: last, contained: null, idleMilliseconds: 0 }
    const queue = new Queue(spec, host, last)
    queue.turnLive(queue.beginReading())
    queues.push(queue)
  }
  return () => {
    for (const queue of queues) server.realm.hub.leave(queue)
  }
}

/** A server with such a hub; a socket and a poll of cordelia's are connected. */
const withBurden = (t: Test, body: (server: TestServer, parts: Awaited<ReturnType<typeof connect>>) => Promise<void>) =>
  withServer(t, { channels: [], further }, async (server) => {
    const relieve = burden(server)
    await body(server, await connect(server))
    relieve()
  })

const connect = async (server: TestServer) => {
  const wanted = { event_types: ["realm", "test_wide"] }
  const [onSocket, onPoll] = [await server.queue("cordelia", wanted), await server.queue("cordelia", wanted)]
  const socket = await onSocket.open()
  const poll = server.as("cordelia").get("/events", { queue_id: onPoll.queueId, last_event_id: onPoll.lastId })
  await until("both are connected", 10_000, () => server.realm.queues.connected().length === 2)
  return { socket, poll, onPoll }
}

t.test(
  "whoever is connected when the organization is deactivated is told of it, though the hub comes to them late",
  (t) =>
    // Connections were cut in the turn after the row's, and those that the hub had not come to never heard why.
    withBurden(t, async (server, { socket, poll }) => {
      await server.actions.deactivateRealm()
      const told = { type: "realm", op: "deactivated", realm_id: 1 }
      t.match(await frameOf(socket), [told])
      t.match(await socket.closed, { code: 4002 })
      t.match(await poll, { status: 200, body: { events: [told] } })
      await until("nobody is connected", 10_000, () => server.realm.queues.connected().length === 0)
    }),
)

t.test("a queue that ends is first sent what it was owed, and nothing that came after its end", (t) =>
  withBurden(t, async (server, { socket, poll, onPoll }) => {
    const end = change([endQueuesRow([server.idOf("cordelia")])])
    await Promise.all([
      emit(server, { type: "test_wide", payload: { name: "before" } }),
      server.run(server.realm.writer.submit({ judge: () => end })),
      emit(server, { type: "test_wide", payload: { name: "after" } }),
    ])
    const owed = [{ type: "test_wide", name: "before" }]
    t.match(await frameOf(socket), owed)
    t.match(await socket.closed, { code: 4001 })
    const { status, body } = await poll
    t.equal(status, 200)
    t.match(body["events"], owed)
    t.equal(JSON.stringify(body).includes("after"), false)
    const next = { queue_id: onPoll.queueId, last_event_id: onPoll.lastId + 1 }
    t.match(await server.as("cordelia").get("/events", next), { body: { code: "BAD_EVENT_QUEUE_ID" } })
  }),
)

t.test("a connection that cannot be sent to or ended keeps no other queue from ending, and the server goes on", (t) =>
  // It was taken for a row that cannot be applied, and ended the server.
  withServer(t, { channels: [{ name: "lobby", users: ["cordelia"] }] }, async (server) => {
    const { queues, writer } = server.realm
    const readers = [await server.queue("cordelia"), await server.queue("cordelia")]
    for (const reader of readers) await reader.open()
    await until("both sockets are connected", 5000, () => queues.connected().length === 2)
    const broken = queues.connected()[0]?.connection
    if (broken === null || broken === undefined) throw new Error("there is no connection")
    const end = broken.end.bind(broken)
    const fails = () => {
      throw new Error("the connection is broken")
    }
    Object.assign(broken, { send: fails, end: fails })
    const rows = [endQueuesRow([server.idOf("cordelia")])]
    await server.run(writer.submit({ judge: () => change(rows) }))
    t.same(queues.connected(), [])
    t.equal(queues.size(), 0)
    t.ok(await server.as("cordelia").send("lobby", "the server goes on"))
    end("gone")
    for (const reader of readers) reader.dropSocket()
  }),
)
