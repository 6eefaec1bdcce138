/**
 * A reader of the client at a real server: it gives every event once, in order, over cuts, restarts and kills, changes
 * between socket and poll as they work, and says so where its queue is gone.
 */
import t, { type Test } from "tap"
import { WebSocket } from "undici"
import {
  type Client,
  type Item,
  type QueueReader,
  Refused,
  Replaced,
  type SocketConstructor,
} from "../../src/client/index.ts"
import { startProxy } from "../../src/testing/fault-proxy.ts"
import { findFreePort } from "../../src/testing/free-port.ts"
import { until } from "../kit/test-database.ts"
import { type TestServer, withServer } from "../kit/with-server.ts"
import { clientOf } from "./client-of.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia"] }] as const
const wanted = { event_types: ["message"], apply_markdown: false }
const patience = 60_000

/** Reads on its own; what has been read is looked at from outside. */
const begin = (reader: QueueReader) => {
  const items: Array<Item> = []
  const done = (async () => {
    for await (const item of reader) items.push(item)
  })()
  const contents = () =>
    items.flatMap((item) =>
      item.kind === "event" && item.event.type === "message" ? [item.event.message.content] : [],
    )
  return { items, done, contents, states: () => items.filter(({ kind }) => kind === "state").length }
}

const beginAt = async (client: Client, options: Parameters<Client["read"]>[1] = {}) => {
  const reader = client.read(wanted, options)
  const reading = begin(reader)
  await until("it has its state", patience, () => reading.states() > 0)
  return { reader, ...reading }
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => String(from + n))

const sendAll = async (server: TestServer, contents: ReadonlyArray<string>) => {
  for (const content of contents) await server.as("cordelia").send("lobby", content)
}

const goneAfter = async (t: Test, server: TestServer, queueId: string | null) => {
  const { body } = await server.as("hamlet").get("/events", { queue_id: queueId, last_event_id: -1, dont_block: true })
  t.equal(body["code"], "BAD_EVENT_QUEUE_ID", "it leaves no queue behind")
}

t.test("by socket and by poll", (t) =>
  withServer(t, { channels }, async (server) => {
    for (const sockets of [true, false]) {
      const { reader, done, contents } = await beginAt(clientOf(server, "hamlet"), { sockets })
      await sendAll(server, numbers(0, 20))
      await until("all are there", patience, () => contents().length === 20)
      t.same(contents(), numbers(0, 20))
      t.equal(reader.transport, sockets ? "socket" : "poll")
      const { queueId } = reader
      reader.close()
      await done
      await goneAfter(t, server, queueId)
    }
  }),
)

t.test("a loop that is left, a signal, and a queue that is kept", (t) =>
  withServer(t, { channels }, async (server) => {
    const client = clientOf(server, "hamlet")
    const reader = client.read(wanted, { keepQueue: true })
    for await (const { kind } of reader) {
      if (kind === "event") break
      await sendAll(server, numbers(0, 3))
    }
    const { queueId, lastEventId } = reader
    if (queueId === null || lastEventId === null) throw new Error("it has no queue")
    const ended = new AbortController()
    const again = client.read(wanted, { queue: { queueId, lastEventId }, signal: ended.signal })
    const { done, contents, states } = begin(again)
    await until("the others are there", patience, () => contents().length === 2)
    t.same([contents(), states()], [["1", "2"], 0], "it goes on from the last one, without a register")
    ended.abort()
    await done
    await goneAfter(t, server, queueId)
    t.same(await begin(client.read(wanted, { signal: ended.signal })).done, undefined, "nor is anything begun")
  }),
)

t.test("over cuts, restarts and kills nothing is lost and nothing comes twice", async (t) => {
  const port = await findFreePort()
  const proxy = await startProxy("127.0.0.1", port)
  await withServer(t, { channels, config: { port } }, async (server) => {
    const address = { server: `http://127.0.0.1:${proxy.port}` }
    const both = await beginAt(clientOf(server, "hamlet", address))
    const polls = await beginAt(clientOf(server, "hamlet", address), { sockets: false })
    const disturb = [
      async () => proxy.cut(),
      () => server.restart(),
      async () => {
        proxy.stall("answers")
        await sendAll(server, ["meanwhile"])
        proxy.cut()
        proxy.resume()
      },
      () => server.faults.kill(),
      async () => {
        await proxy.refuse()
        proxy.cut()
        await sendAll(server, ["away"])
        await proxy.accept()
      },
    ]
    const all: Array<string> = []
    for (const [n, cut] of disturb.entries()) {
      await sendAll(server, [`before ${n}`])
      await cut()
      await sendAll(server, [`after ${n}`])
      all.push(`before ${n}`, ...(n === 2 ? ["meanwhile"] : n === 4 ? ["away"] : []), `after ${n}`)
    }
    for (const { reader, contents, done, states } of [both, polls]) {
      await until("all are there", patience, () => contents().length >= all.length)
      t.same([contents(), states(), reader.doubles], [all, 1, 0])
      await until("it is back", patience, () => reader === polls.reader || reader.transport === "socket")
      reader.close()
      await done
    }
    await proxy.close()
  })
})

t.test("where sockets do not work it polls, and goes back when they do", (t) =>
  withServer(t, { channels }, async (server) => {
    let isBlocked = true
    let tries = 0
    const Blocked: SocketConstructor = class extends WebSocket {
      constructor(url: string, protocols: string) {
        tries++
        super(isBlocked ? url.replace("/events/ws", "/none") : url, protocols)
      }
    }
    const { reader, contents, done } = await beginAt(clientOf(server, "hamlet", { WebSocket: Blocked }))
    await until("it has tried", patience, () => tries > 2)
    await sendAll(server, numbers(0, 3))
    await until("by poll", patience, () => contents().length === 3)
    t.equal(reader.transport, "poll")
    isBlocked = false
    await until("by socket", patience, () => reader.transport === "socket")
    await sendAll(server, numbers(3, 6))
    await until("all are there", patience, () => contents().length === 6)
    t.same(contents(), numbers(0, 6))
    reader.close()
    await done
  }),
)

t.test("a queue that is gone is registered again, and a new state says so", (t) =>
  withServer(t, { channels }, async (server) => {
    for (const sockets of [true, false]) {
      const { reader, items, contents, states, done } = await beginAt(clientOf(server, "hamlet"), { sockets })
      await sendAll(server, ["before"])
      await until("it reads", patience, () => contents().length === 1)
      await server.as("hamlet").must.delete("/events", { queue_id: reader.queueId })
      await until("it has another one", patience, () => states() === 2)
      await sendAll(server, ["after"])
      await until("it reads that", patience, () => contents().length === 2)
      t.same(
        items.map(({ kind }) => kind),
        ["state", "event", "state", "event"],
      )
      reader.close()
      await done
    }
  }),
)

t.test("two readers of a queue do not take it from each other for ever", (t) =>
  withServer(t, { channels }, async (server) => {
    const first = await beginAt(clientOf(server, "hamlet"))
    await until("it has a socket", patience, () => first.reader.transport === "socket")
    await sendAll(server, ["0"])
    await until("it reads", patience, () => first.contents().length === 1)
    const { queueId, lastEventId } = first.reader
    if (queueId === null || lastEventId === null) throw new Error("it has no queue")
    const other = clientOf(server, "hamlet").read(wanted, { queue: { queueId, lastEventId } })
    const second = begin(other)
    await t.rejects(first.done, Replaced)
    await sendAll(server, ["1"])
    await until("the other one reads", patience, () => second.contents().length === 1)
    t.same([second.contents(), second.states()], [["1"], 0], "the queue is still there")
    other.close()
    await second.done
  }),
)

t.test("a key that is no longer good ends the reading, by what the server says", (t) =>
  withServer(t, { channels }, async (server) => {
    const { done } = await beginAt(clientOf(server, "hamlet"))
    const ended = done.catch((error: unknown) => error)
    await clientOf(server, "hamlet").call("POST /users/me/api_key/regenerate")
    const error = await ended
    t.ok(error instanceof Refused && error.code === "UNAUTHORIZED", String(error))
  }),
)
