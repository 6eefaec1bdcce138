/** What a reader makes of the frames and the end of a socket: ids that rise, acknowledgements, a slow taker, every close code. */
import { mock } from "node:test"
import t, { type Test } from "tap"
import { jsonFrames } from "../../src/client/frame-forms.ts"
import { Client, type Item, type ReadOptions, Refused } from "../../src/client/index.ts"
import { QueueSocket } from "../../src/client/queue-socket.ts"
import { until } from "../kit/test-database.ts"
import { ScriptedSocket, scriptedSockets } from "./scripted-socket.ts"

const patience = 60_000
const pauses = { firstMilliseconds: 2, mostMilliseconds: 20 }
const account = { email: "hamlet@zulip.com", apiKey: "k".repeat(32) }

const json = (body: object, status = 200) => new Response(JSON.stringify(body), { status })
const success = (fields: object) => json({ result: "success", msg: "", ...fields })

/** A client of a server that registers queues that begin at 10, and whose polls are answered by `poll`. */
const scene = (poll: (signal: AbortSignal | null | undefined) => Promise<Response>) => {
  const asked: Array<string> = []
  const { sockets, WebSocket } = scriptedSockets()
  const ask: typeof fetch = (input, init) => {
    const path = new URL(String(input)).pathname.replace("/api/v1", "")
    asked.push(`${init?.method} ${path}`)
    if (path === "/register") return Promise.resolve(success({ queue_id: `q${asked.length}`, last_event_id: 10 }))
    return init?.method === "DELETE" ? Promise.resolve(success({})) : poll(init?.signal)
  }
  const client = new Client({ server: "http://localhost", account, fetch: ask, WebSocket, pauses })
  const read = (options: ReadOptions = {}) => client.read({}, options)
  return { asked, sockets, read }
}

const never = (signal: AbortSignal | null | undefined) =>
  new Promise<Response>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)))

const socketAt = async (sockets: ReadonlyArray<ScriptedSocket>, n: number): Promise<ScriptedSocket> => {
  await until(`socket ${n} is opened`, patience, () => sockets.length > n)
  return sockets[n] ?? new ScriptedSocket("http://none")
}

const idsOf = (items: ReadonlyArray<Item>) => items.map((item) => (item.kind === "event" ? item.event.id : item.kind))

const begin = (t: Test, options: ReadOptions = {}, poll = never) => {
  const { asked, sockets, read } = scene(poll)
  const reader = read(options)
  const items: Array<Item> = []
  const done = (async () => {
    for await (const item of reader) items.push(item)
  })()
  const ended = done.then(
    () => undefined,
    (error: unknown) => error,
  )
  t.teardown(() => reader.close())
  const read_ = (count: number) => until(`${count} items are read`, patience, () => items.length >= count)
  return { asked, sockets, reader, items, ended, come: read_ }
}

t.test("ids that do not rise are dropped and counted; what was taken is acknowledged", async (t) => {
  const { sockets, reader, items, come, ended } = begin(t)
  const socket = await socketAt(sockets, 0)
  socket.happens("open")
  socket.frame(11, 12)
  await come(3)
  socket.frame(11, 12, 13)
  socket.frame(9, 14, 14)
  await come(5)
  await until("it is acknowledged", patience, () => socket.sent.length === 4)
  t.same(idsOf(items), ["state", 11, 12, 13, 14])
  t.equal(reader.doubles, 4)
  t.same(socket.sent, [
    { auth: { email: account.email, api_key: account.apiKey } },
    { ack: 12 },
    { ack: 13 },
    { ack: 14 },
  ])
  t.equal(socket.binaryType, "arraybuffer")
  reader.close()
  t.equal(await ended, undefined)
  t.ok(socket.isClosed)
})

t.test("heartbeats move the reader on; they are given to those who ask for them", async (t) => {
  for (const heartbeats of [true, false]) {
    const { sockets, reader, items, ended } = begin(t, { heartbeats })
    const socket = await socketAt(sockets, 0)
    socket.happens("open")
    socket.happens("message", { data: '[{"id":20,"type":"heartbeat"}]' })
    await until("it is taken", patience, () => reader.lastEventId === 20)
    t.same(idsOf(items), heartbeats ? ["state", 20] : ["state"])
    reader.close()
    await ended
  }
})

t.test("each end of a socket is followed by what the protocol says", async (t) => {
  const cases: ReadonlyArray<readonly [code: number, worked: boolean, next: "socket" | "poll" | "register"]> = [
    [1001, true, "socket"],
    [1006, true, "socket"],
    [1011, true, "socket"],
    [1013, true, "socket"],
    [4003, true, "socket"],
    [4005, true, "socket"],
    [1006, false, "poll"],
    [1013, false, "poll"],
    [4001, true, "register"],
    [4001, false, "register"],
    [4002, true, "poll"],
    [4006, true, "poll"],
    [4007, true, "poll"],
  ]
  for (const [code, worked, next] of cases) {
    const { sockets, asked, reader, ended } = begin(t)
    const socket = await socketAt(sockets, 0)
    socket.happens("open")
    if (worked) socket.frame(11)
    await until("it is taken", patience, () => reader.lastEventId === (worked ? 11 : 10))
    socket.end(code)
    await until("it goes on", patience, () => sockets.length + asked.length > 2)
    const went = asked.length === 1 ? "socket" : asked[1] === "GET /events" ? "poll" : "register"
    t.equal(went, next, `${code} ${worked}`)
    const again = await socketAt(sockets, 1)
    t.equal(again.lastEventId, worked && next !== "register" ? 11 : 10, "a socket again, from the last id")
    reader.close()
    await ended
  }
})

t.test("a silent socket has not worked, however long it stood; one that the server ends has", async (t) => {
  for (const [isSilent, end] of [
    [true, { code: 1006, reason: "nothing came", didWork: false }],
    [false, { code: 1001, didWork: true }],
  ] as const) {
    const scripted = new ScriptedSocket("http://none")
    // In this turn only: the clock is that of the whole process.
    const now = mock.method(performance, "now", () => 0)
    mock.timers.enable({ apis: ["setTimeout"] })
    const socket = new QueueSocket({ open: () => scripted, account, form: jsonFrames })
    scripted.happens("open")
    now.mock.mockImplementation(() => 90_000)
    if (isSilent) mock.timers.tick(90_000)
    else scripted.end(1001)
    mock.timers.reset()
    now.mock.restore()
    t.match(await socket.next(), end)
  }
})

t.test("a poll says why a socket was refused", async (t) => {
  const poll = async () => json({ result: "error", code: "UNAUTHORIZED", msg: "Invalid API key" }, 401)
  const { sockets, ended } = begin(t, {}, poll)
  const socket = await socketAt(sockets, 0)
  socket.happens("open")
  socket.end(4002)
  const error = await ended
  t.ok(error instanceof Refused && error.code === "UNAUTHORIZED")
})

t.test("what waits to be taken is bounded: the socket is closed, and another one goes on", async (t) => {
  const { sockets, read } = scene(never)
  const reader = read()
  const items: Array<Item> = []
  let resume: () => void = () => {}
  const held = new Promise<void>((resolve) => {
    resume = resolve
  })
  const done = (async () => {
    for await (const item of reader) {
      items.push(item)
      if (items.length === 2) await held
    }
  })()
  const socket = await socketAt(sockets, 0)
  socket.happens("open")
  const big = (id: number) => ({ data: JSON.stringify([{ id, type: "message", text: "x".repeat(1_500_000) }]) })
  for (let id = 11; id <= 20; id++) socket.happens("message", big(id))
  t.ok(socket.isClosed, "it has been told to stop")
  resume()
  const second = await socketAt(sockets, 1)
  const { lastEventId } = second
  t.ok(lastEventId >= 13 && lastEventId < 20, `${lastEventId}`)
  second.happens("open")
  for (let id = lastEventId + 1; id <= 20; id++) second.frame(id)
  await until("all are read", patience, () => items.length === 11)
  t.same(idsOf(items), ["state", 11, 12, 13, 14, 15, 16, 17, 18, 19, 20])
  reader.close()
  await done
})

t.test("a frame that cannot be read, and a socket that cannot be made, lead to polls", async (t) => {
  for (const data of ["no JSON", "{}", "[1]", '[{"id":"11","type":"message"}]', new ArrayBuffer(3)]) {
    const { sockets, asked, items, reader, ended } = begin(t)
    const socket = await socketAt(sockets, 0)
    socket.happens("open")
    socket.happens("message", { data })
    await until("it polls", patience, () => asked.includes("GET /events"))
    t.same([idsOf(items), socket.isClosed], [["state"], true])
    reader.close()
    await ended
  }
  const Unmade = class extends ScriptedSocket {
    constructor(url: string) {
      super(url)
      throw new Error("not from a page that came encrypted")
    }
  }
  const answers = [success({ queue_id: "q", last_event_id: 10 }), success({ events: [{ id: 11, type: "message" }] })]
  const ask: typeof fetch = async (_, init) =>
    answers.shift() ?? (init?.method === "GET" ? never(init.signal) : success({}))
  const seen: Array<Item> = []
  const reader = new Client({ server: "https://x", account, fetch: ask, WebSocket: Unmade, pauses }).read()
  for await (const item of reader) if (seen.push(item) === 2) break
  t.same(idsOf(seen), ["state", 11])
})

t.test("another form of frames", async (t) => {
  const offered: Array<string> = []
  const frames = {
    subprotocol: "test.v1",
    read: (data: unknown) => JSON.parse(new TextDecoder().decode(data instanceof ArrayBuffer ? data : undefined)),
    write: (value: object) => JSON.stringify({ wrapped: value }),
  }
  const { sockets, WebSocket } = scriptedSockets()
  const Offering = class extends WebSocket {
    constructor(url: string, protocol: string) {
      super(url, protocol)
      offered.push(protocol)
    }
  }
  const ask: typeof fetch = async () => success({ queue_id: "q", last_event_id: 10 })
  const reader = new Client({ server: "https://x", account, fetch: ask, WebSocket: Offering }).read({}, { frames })
  const items: Array<Item> = []
  const done = (async () => {
    for await (const item of reader) items.push(item)
  })()
  const socket = await socketAt(sockets, 0)
  socket.happens("open")
  socket.happens("message", { data: new TextEncoder().encode('[{"id":11,"type":"message"}]').buffer })
  await until("it is acknowledged", patience, () => socket.sent.length === 2)
  t.same([offered, socket.sent[1], idsOf(items)], [["test.v1"], { wrapped: { ack: 11 } }, ["state", 11]])
  reader.close()
  await done
})

t.test("a queue has one reader, and belongs to an account", async (t) => {
  const { read } = scene(never)
  const reader = read()
  reader.close()
  for await (const _ of reader) t.fail("it was closed before")
  await t.rejects(async () => {
    for await (const _ of reader) t.fail("it is read a second time")
  }, /one reader/)
  t.throws(() => new Client({ server: "http://x" }).read(), TypeError)
})
