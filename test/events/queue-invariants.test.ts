/**
 * Promises of queues, at the level of a running server: ids (I3, I4, I5) inside wide rows too, nothing lost (I10),
 * nobody waits for a slow reader (I11). The queue itself is held against a model in queue-model.test.ts.
 */
import t from "tap"
import { inSet, userSet, wireId } from "../../src/events/event.ts"
import { Queue, type QueueConnection } from "../../src/events/queue.ts"
import { QueueId, WireId } from "../../src/ids.ts"
import { emit, further } from "../kit/further.ts"
import { IdBook } from "../kit/id-book.ts"
import { queueHost } from "../kit/queue-host.ts"
import { eventsOf, type ReadEvent } from "../kit/reader.ts"
import { inTurn, seed } from "../kit/share.ts"
import { until } from "../kit/test-database.ts"
import { type Name, type TestServer, withServer } from "../kit/with-server.ts"
import { playWideRows, sizes } from "./wide-rows.ts"

const lobby = { name: "lobby", users: ["hamlet", "cordelia", "othello"] } as const

for (const [what, limits] of Object.entries(sizes)) {
  t.test(`I3, I4, I5, I10: wide rows and ephemerals over restarts, ${what}`, (t) =>
    playWideRows(t, limits, seed, (rounds) => rounds < 15),
  )
}

/**
 * The hub looks at the clock after each 1,000 offers, and hands over after 4 ms. Here 1,000 take 5 ms at least, so that
 * offering one row to all takes seven turns of the loop.
 */
const offerMilliseconds = 0.005
const ballastQueues = 6000

/** Live queues of polonius that slow the hub down. Nobody reads them, and the server does not know them. */
const addBallast = (server: TestServer, like: Queue): ReadonlyArray<Queue> => {
  const { hub } = server.realm
  const host = queueHost({ turnedLive: (queue) => hub.enter(queue), fellBehind: (queue) => hub.leave(queue) })
  const wants = () => {
    const end = performance.now() + offerMilliseconds
    while (performance.now() < end);
    return false
  }
  return Array.from({ length: ballastQueues }, (_, n) => {
    const spec = { ...like.spec, id: QueueId(`ballast ${n}`), user: server.idOf("polonius") }
    const queue = new Queue({ ...spec, clientOptions: { ...like.spec.clientOptions, wants } }, host, WireId(-1))
    queue.turnLive(queue.beginReading())
    return queue
  })
}

/** A connection in this process, so that a test can act within one turn of the loop. */
const listen = () => {
  const items: Array<readonly [id: number, type: string]> = []
  const connection: QueueConnection = {
    kind: "socket",
    waits: true,
    send: (events) => {
      for (const { id, bytes } of events.items()) items.push([id, eventsOf([JSON.parse(String(bytes))])[0]?.type ?? ""])
      return "open"
    },
    end: () => {},
  }
  return { items, connection }
}

t.test("I3, I4: acknowledgements, ephemerals and a queue that turns live between the slices of a wide row", (t) =>
  withServer(t, { channels: [lobby], further }, async (server) => {
    const { hub, queues } = server.realm
    const types = { event_types: ["test_wide", "typing", "message"] }
    const queueOf = async (name: Name) => {
      const { queueId, lastId } = await server.queue(name, types)
      return { queue: await server.run(queues.require(server.idOf(name), queueId)), start: WireId(lastId), ...listen() }
    }
    const early = await queueOf("cordelia")
    queues.attach(early.queue, early.connection, early.start)
    await emit(server, { type: "test_wide", payload: { name: "before" } })
    const ballast = addBallast(server, early.queue)
    const last = await queueOf("hamlet")
    queues.attach(last.queue, last.connection, last.start)
    await until("it is live", 10_000, () => last.queue.state === "live")
    const late = await queueOf("hamlet")
    const ahead = await queueOf("hamlet")
    queues.attach(ahead.queue, ahead.connection, ahead.start)
    await until("it is live", 10_000, () => ahead.queue.state === "live")

    const position = await emit(server, { type: "test_wide", payload: { name: "wide" }, width: 5 })
    t.equal(hub.newest, position - 1, "the hub is at work on the row")
    t.equal(early.queue.examined, wireId(position, 4))
    t.equal(last.queue.examined, wireId(position - 1, 0))
    const users = userSet([server.idOf("cordelia"), server.idOf("hamlet")])
    const type = (op: string) => {
      const sender = { user_id: 1, email: "x@test.example" }
      const body = { type: "typing", payload: { op, sender, people: [sender] } }
      server.realm.announce(body, { users, includes: (user) => inSet(users, user) })
    }
    type("start")
    // One that has the row goes back into it, one that has not turns live in the middle of it.
    early.items.length = 0
    queues.attach(early.queue, early.connection, wireId(position, 2))
    queues.attach(late.queue, late.connection, late.start)
    // One that the hub has not come to yet, whose client knows a part of the row already.
    queues.attach(ahead.queue, ahead.connection, wireId(position, 2))
    await new Promise((resolve) => setImmediate(resolve))
    t.equal(hub.newest, position - 1, "and still is")
    t.equal(early.queue.state, "live")
    t.equal(late.queue.state, "live")
    type("stop")
    const id = await server.as("othello").send("lobby", "after")
    await until("the hub has put everything", 10_000, () => hub.newest >= id)
    await until("all is sent", 10_000, () => [early, last, late, ahead].every(({ queue }) => queue.pendingCount === 0))
    const rest = [
      [wireId(position, 5), "typing"],
      [wireId(position, 6), "typing"],
      [wireId(id, 0), "message"],
    ]
    const row = [0, 1, 2, 3, 4].map((n) => [wireId(position, n), "test_wide"])
    t.same(last.items, [...row, ...rest])
    t.same(early.items, [...row.slice(3), ...rest], "what is replayed is not put again")
    t.same(ahead.items, [...row.slice(3), ...rest], "what the client has is not put")
    t.same(late.items, [...row, ...rest], "what was read is not put again")
    for (const queue of ballast) hub.leave(queue)
    for (const { queue, connection } of [early, last, late, ahead]) queues.detach(queue, connection)
  }),
)

t.test("I3, I4: no ephemeral gets an id that was given before a restart", (t) =>
  withServer(t, { channels: [lobby] }, async (server) => {
    const book = new IdBook()
    const people = [server.idOf("hamlet"), server.idOf("othello")]
    const hamlet = await server.queue("hamlet", { event_types: ["typing"] })
    const othello = await server.queue("othello", { event_types: ["typing"] })
    const type = (op: string) => server.as("cordelia").must.post("/typing", { op, to: people })
    await server.as("cordelia").send("lobby", "so that the position is a new one")
    await hamlet.rest()
    for (const op of ["start", "stop", "start"]) await type(op)
    for (const event of await hamlet.take(3)) book.see("hamlet", event)
    await server.restart()
    // This one has seen none of them: an id given again would be news to it.
    const resumed = server.resume("othello", othello)
    await resumed.rest()
    for (const op of ["stop", "start", "stop"]) await type(op)
    for (const event of await resumed.take(3)) book.see("othello", event)
    await book.checkWidths(server)
    t.same(book.faults, [])
    t.equal(book.count("typing"), 6)
  }),
)

/** More than one page of the log, and more than one turn's worth of the ring. */
const names = Array.from({ length: 1300 }, (_, n) => `row ${n}`)
const namesOf = (events: ReadonlyArray<ReadEvent>) =>
  events.filter((event) => event.type === "test_large").map((event) => event["name"])

/** Rows for one user, for the channel's subscribers and for all, by turns: each kind stands in another list. */
const emitMany = async (server: TestServer, all: ReadonlyArray<string>): Promise<void> => {
  const was = { isPrivate: false, isWebPublic: false, historyShared: true }
  const audiences = [
    { kind: "subscribers", channel: server.realm.realm.findChannelByName("lobby")?.id ?? 0, was },
    { kind: "users", users: [server.idOf("hamlet")] },
    { kind: "realm" },
  ]
  const rows = all.map((name, n) =>
    emit(server, { type: "test_large", payload: { name, size: 10 }, audience: audiences[n < 1200 ? 0 : n % 3] ?? {} }),
  )
  await Promise.all(rows)
}

t.test("I10: no event is lost when pending lists overflow", inTurn(2, "overflowing lists"), async (t) => {
  const missed = async (server: TestServer) => {
    const all = { event_types: ["test_large"] }
    const byPoll = await server.queue("hamlet", all)
    const bySocket = await server.queue("hamlet", all)
    await byPoll.rest()
    await bySocket.rest()
    await emitMany(server, names)
    for (const { queueId } of [byPoll, bySocket]) {
      const queue = await server.run(server.realm.queues.require(server.idOf("hamlet"), queueId))
      t.equal(queue.state, "behind", "more than a list holds")
      t.ok(queue.pendingCount <= server.config.limits.pendingEvents)
    }
    t.same(namesOf(await byPoll.rest()), names)
    await bySocket.open()
    t.same(namesOf(await bySocket.take(names.length)), names)
    await emitMany(server, ["one", "more"])
    t.same(namesOf(await byPoll.take(2)), ["one", "more"])
    t.same(namesOf(await bySocket.take(2)), ["one", "more"], "and they are live again")
    // The whole past once more, after a restart, from the first event on.
    await server.restart()
    const returned = server.resume("hamlet", byPoll)
    returned.rewind(Number(returned.state["last_event_id"]))
    t.same(namesOf(await returned.rest()), [...names, "one", "more"])
  }
  await t.test("missed rows are in the ring", (t) => withServer(t, { channels: [lobby], further }, missed))
  await t.test("missed rows are only in the log", (t) =>
    withServer(t, { channels: [lobby], further, limits: { ringBytes: 100_000, pendingEvents: 300 } }, missed),
  )
  await t.test("events larger than a pending list", (t) =>
    withServer(t, { further, limits: { pendingBytes: 50_000 } }, async (server) => {
      const reader = await server.queue("hamlet", { event_types: ["test_large"] })
      const sizes = [60_000, 10, 120_000, 49_000, 49_000, 10, 60_000]
      const all = sizes.map((size, n) => `${n} of ${size}`)
      for (const [n, size] of sizes.entries())
        await emit(server, { type: "test_large", payload: { name: all[n] ?? "", size } })
      t.same(namesOf(await reader.rest()), all)
    }),
  )
})

t.test(
  "I11: a socket that stops reading delays no other queue, uses bounded memory and loses no event",
  inTurn(2, "sockets that stop reading"),
  (t) =>
    withServer(t, { channels: [lobby], further, limits: { pendingEvents: 10 } }, async (server) => {
      const slow = await server.queue("hamlet", { event_types: ["test_large"] })
      const quick = await server.queue("cordelia", { event_types: ["test_large"] })
      await slow.rest()
      await quick.rest()
      const socket = await slow.open()
      await quick.open()
      const queue = await server.run(server.realm.queues.require(server.idOf("hamlet"), slow.queueId))
      const all = Array.from({ length: 120 }, (_, n) => `event ${n}`)
      socket.pause()
      let handedOver: number | null = null
      for (const name of all) {
        await emit(server, { type: "test_large", payload: { name, size: 200_000 } })
        t.same(namesOf(await quick.take(1)), [name])
        if (queue.isStalled) {
          handedOver ??= queue.sent
          t.equal(queue.sent, handedOver, "nothing more is handed to the socket")
          t.ok(queue.pendingCount <= 10)
        }
      }
      t.ok(queue.isStalled && queue.state === "behind")
      t.ok((handedOver ?? 0) < wireId(server.realm.feed.position - 30, 0), "it stopped long before the end")
      socket.resume()
      t.same(namesOf(await slow.take(all.length)), all)
    }),
)
