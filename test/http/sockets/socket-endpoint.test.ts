/** The WebSocket definition: accepted and refused upgrades, and the life of a connection. */
import * as Effect from "effect/Effect"
import t from "tap"
import { closeReasons, closeText } from "../../../src/http/network/close-reasons.ts"
import { ask } from "../../kit/raw-http.ts"
import { clientFrame, connect, type SocketTarget, UpgradeRefused } from "../../kit/socket-client.ts"
import { goodKey, hamlet, startFixture, until } from "../http-fixture.ts"

const path = "/api/v1/events/ws?queue_id=q1&last_event_id=-1"
const protocol = "parley.v1.json"
const authFrame = JSON.stringify({ auth: { email: "hamlet@example.org", api_key: goodKey } })

const refusal = async (target: SocketTarget): Promise<{ readonly status: number; readonly error: unknown }> => {
  try {
    const client = await connect(target)
    client.destroy()
    return { status: 101, error: {} }
  } catch (fault) {
    if (fault instanceof UpgradeRefused) return { status: fault.status, error: JSON.parse(fault.body) }
    throw fault
  }
}

t.test("accepted and refused upgrades", async (t) => {
  const server = await startFixture()
  t.teardown(server.stop)
  const { port, stage } = server
  const table: ReadonlyArray<
    readonly [name: string, target: Omit<SocketTarget, "port">, status: number, code?: string]
  > = [
    ["signed in", { path, headers: hamlet, protocol }, 101],
    ["no subprotocol offered", { path, headers: hamlet }, 101],
    ["ours among others", { path, headers: hamlet, protocol: `chat, ${protocol}` }, 101],
    ["others only", { path, headers: hamlet, protocol: "chat, soap" }, 400, "BAD_REQUEST"],
    ["another version", { path, headers: { ...hamlet, "Sec-WebSocket-Version": "8" } }, 400, "BAD_REQUEST"],
    ["no queue id", { path: "/api/v1/events/ws?last_event_id=1", headers: hamlet }, 400, "REQUEST_VARIABLE_MISSING"],
    ["no last id", { path: "/api/v1/events/ws?queue_id=1", headers: hamlet }, 400, "REQUEST_VARIABLE_MISSING"],
    ["bad encoding", { path: `${path}&x=%zz`, headers: hamlet }, 400, "BAD_REQUEST"],
    ["a bad key", { path, headers: { Authorization: "Basic eDp5" } }, 401, "UNAUTHORIZED"],
    ["another scheme", { path, headers: { Authorization: "Bearer x" } }, 400, "BAD_REQUEST"],
    ["a bad queue", { path: path.replace("q1", "bad"), headers: hamlet }, 400, "BAD_EVENT_QUEUE_ID"],
    ["no database", { path: path.replace("q1", "down"), headers: hamlet }, 503, "SERVICE_UNAVAILABLE"],
    ["a defect", { path: path.replace("q1", "broken"), headers: hamlet }, 500, "INTERNAL_SERVER_ERROR"],
    ["our page", { path, headers: { ...hamlet, Origin: "https://chat.example.org" } }, 101],
    ["a listed page", { path, headers: { ...hamlet, Origin: "https://app.example.net" } }, 101],
    ["a page of the host asked", { path, headers: { ...hamlet, Origin: "http://a.b", Host: "A.b:80" } }, 101],
    ["another page", { path, headers: { ...hamlet, Origin: "https://evil.example.com" } }, 403, "BAD_REQUEST"],
    [
      "a page of another port",
      { path, headers: { ...hamlet, Origin: "http://a.b:81", Host: "a.b" } },
      403,
      "BAD_REQUEST",
    ],
    ["a file", { path, headers: { ...hamlet, Origin: "null" } }, 403, "BAD_REQUEST"],
    ["no host", { path, headers: { ...hamlet, Host: "<>" } }, 400, "BAD_REQUEST"],
    ["another path", { path: "/api/v1/events/wss?queue_id=1", headers: hamlet }, 404, "NOT_FOUND"],
  ]
  for (const [name, target, status, code] of table) {
    const seen = await refusal({ port, ...target })
    t.match(seen, code === undefined ? { status } : { status, error: { result: "error", code, msg: /./ } }, name)
  }
  const chosen = await connect({ port, path, headers: hamlet, protocol: `chat, ${protocol}` })
  t.equal(chosen.protocol, protocol)
  chosen.destroy()
  const none = await connect({ port, path, headers: hamlet })
  t.equal(none.protocol, "")
  none.destroy()
  for (const headers of [hamlet, { Connection: "Upgrade", Upgrade: "websocket" }]) {
    const plain = await ask(port, { path, headers })
    t.equal(plain?.status, 426, "a GET without an upgrade, or an upgrade without Sec-WebSocket-Key")
    t.equal(plain?.headers.get("upgrade"), "websocket")
    const msg = "This address is for WebSockets: an upgrade is needed"
    t.strictSame(JSON.parse(plain?.body ?? ""), { result: "error", msg, code: "BAD_REQUEST" })
  }
  for (const method of ["POST", "DELETE", "OPTIONS"])
    t.equal(
      (await ask(port, { method, path, headers: hamlet }))?.status,
      404,
      `a ${method} at the address of WebSockets`,
    )
  await until(() => stage.owned.length > 0 && stage.owned.every((each) => each.closes === 1))
  t.ok(stage.prepared.includes("7 q1 -1"))
  t.equal(stage.defects.length, 1)
})

t.test("the calls between a socket and its owner: messages, sends and closes", async (t) => {
  const server = await startFixture()
  t.teardown(server.stop)
  const { port, stage } = server
  const open = async () => {
    const before = stage.owned.length
    const client = await connect({ port, path, headers: hamlet })
    await until(() => stage.owned.length > before)
    const owned = stage.owned.at(-1)
    if (owned === undefined) throw new Error("The socket has no owner")
    return { client, owned }
  }

  const first = await open()
  t.equal(first.owned.peer.send(Buffer.from('["é"]')), "sent")
  t.equal(first.owned.peer.send(Buffer.alloc(70_000, "x")), "sent")
  t.equal(await first.client.next(), '["é"]')
  t.equal((await first.client.next()).length, 70_000)
  first.client.send('{"ack":5}')
  await until(() => first.owned.messages.length === 1)
  t.strictSame(first.owned.messages, ['{"ack":5}'])
  first.client.close(1000)
  t.match(await first.client.closed, { code: 1000 })
  await until(() => first.owned.closes === 1)
  t.equal(first.owned.peer.send(Buffer.from("late")), "closed")
  t.equal(first.owned.peer.buffered(), 0)
  first.owned.peer.close(closeReasons.replaced)

  for (const [reason, detail, text] of [
    [closeReasons.slowReader, undefined, "slow reader; come back"],
    [closeReasons.badQueue, "Bad event queue ID: x", "bad event queue id: register again: Bad event queue ID: x"],
    [closeReasons.replaced, "the queue moved", "replaced by a newer connection"],
  ] as const) {
    const { client, owned } = await open()
    owned.peer.close(reason, detail)
    t.equal(owned.closes, 0, "onClose is not called within the owner's own call of close")
    await until(() => owned.closes === 1)
    t.strictSame(await client.closed, { code: reason.code, reason: text })
  }

  const refused: ReadonlyArray<readonly [name: string, bytes: Uint8Array, closed: object]> = [
    [
      "binary",
      clientFrame(2, Buffer.from("x")),
      { code: 4006, reason: "protocol error: messages are JSON, in text frames" },
    ],
    ["too large", clientFrame(1, Buffer.alloc(4097, "x")), { code: 4007, reason: "message too large" }],
    ["much too large", clientFrame(1, Buffer.alloc(1024 * 1024, "x")), { code: 4007, reason: "message too large" }],
    ["beyond what is read", clientFrame(1, Buffer.alloc(1024 * 1024 + 1, "x")), { code: 1006 }],
    ["not UTF-8", clientFrame(1, Uint8Array.of(0xff)), { code: 1006 }],
    ["unknown opcode", clientFrame(5, Buffer.from("x")), { code: 1006 }],
    [
      "the owner throws",
      clientFrame(1, Buffer.from('"throw"')),
      { code: 1011, reason: /^internal error: [0-9a-f-]{36}; come back$/ },
    ],
  ]
  for (const [name, bytes, closed] of refused) {
    const { client, owned } = await open()
    client.raw(bytes)
    t.match(await client.closed, closed, name)
    await until(() => owned.closes === 1)
    t.strictSame(owned.messages, [], name)
  }
  t.match(stage.defects, [/secret detail/])
  t.match(stage.abouts, [{ endpoint: "GET /events/ws", organization: 1 }])

  const parts = await open()
  parts.client.raw(clientFrame(1, Buffer.from('"one '), false))
  parts.client.raw(clientFrame(9, Buffer.from("ping")))
  parts.client.raw(clientFrame(0, Buffer.from('message"')))
  await until(() => parts.owned.messages.length === 1)
  t.strictSame(parts.owned.messages, ["one message"])
  parts.client.destroy()
  await until(() => parts.owned.closes === 1)
})

t.test("a slow reader stalls, recovers and loses nothing", async (t) => {
  const server = await startFixture({ limits: { socketBackpressureBytes: 100_000 } })
  t.teardown(server.stop)
  const client = await connect({ port: server.port, path, headers: hamlet })
  await until(() => server.stage.owned.length === 1)
  const [owned] = server.stage.owned
  if (owned === undefined) throw new Error("The socket has no owner")
  client.pause()
  let sent = 0
  const frame = (index: number) => Buffer.from(String(index).padEnd(60_000, "."))
  while (owned.peer.send(frame(sent++)) !== "stalled") if (sent > 5000) throw new Error("It never stalls")
  t.ok(owned.peer.buffered() > 100_000)
  // The system may find room for more at any moment, but not for so much.
  while (owned.peer.buffered() < 3_000_000) owned.peer.send(frame(sent++))
  t.equal(owned.peer.send(frame(sent++)), "stalled", "a frame sent while stalled is accepted")
  t.strictSame(owned.drains, [])
  client.resume()
  for (let index = 0; index < sent; index += 1) {
    if (!(await client.next()).startsWith(`${index}.`)) t.fail(`frame ${index} is another one`)
  }
  await until(() => owned.drains.length > 0)
  t.ok(
    owned.drains.length === 1 && (owned.drains[0] ?? 100_000) <= 50_000,
    `onDrain is called once, at ${owned.drains} unsent bytes`,
  )
  t.equal(owned.peer.send(frame(0)), "sent")
  client.pause()
  while (owned.peer.send(frame(0)) !== "stalled");
  let results = 0
  while (results < 200 && owned.peer.send(Buffer.alloc(1024 * 1024)) !== "closed") results += 1
  t.ok(results > 20 && results < 200, "an owner that ignores stalls loses the connection, but no single frame")
  await until(() => owned.closes === 1)
  client.destroy()
})

t.test("signing in with the first frame", async (t) => {
  const limits = { unauthenticatedSocketsPerAddress: 3, socketAuthSeconds: 10 }
  const server = await startFixture({ limits })
  t.teardown(server.stop)
  const { port, stage, clock } = server

  const client = await connect({ port, path, protocol })
  t.strictSame(stage.prepared, [], "the queue is not looked up before the sign-in")
  client.send(authFrame)
  await until(() => stage.owned.length === 1)
  t.strictSame(stage.prepared, ["7 q1 -1"])
  t.equal(clock.pending(), 0, "the sign-in's timer is cancelled")
  stage.owned[0]?.peer.send(Buffer.from("[]"))
  t.equal(await client.next(), "[]")
  client.send('"ack"')
  await until(() => stage.owned[0]?.messages.length === 1)
  client.destroy()

  const closes: ReadonlyArray<readonly [name: string, queue: string, frame: string, closed: object]> = [
    ["not JSON", "q1", "hello", { code: 4006, reason: /first message/ }],
    ["no credentials", "q1", '{"auth":{"email":"x"}}', { code: 4006 }],
    ["a malformed key", "q1", authFrame.replace(goodKey, "short"), { code: 4002, reason: /Malformed API key/ }],
    ["a wrong key", "q1", authFrame.replace(goodKey, "x".repeat(32)), { code: 4002, reason: /Invalid API key/ }],
    ["a bad queue", "bad", authFrame, { code: 4001, reason: /Bad event queue ID: bad/ }],
    ["no database", "down", authFrame, { code: 1013, reason: "not available now; come back" }],
    ["a defect", "broken", authFrame, { code: 1011 }],
    ["too large", "q1", authFrame.padEnd(4097), { code: 4007 }],
    ["much too large", "q1", authFrame.padEnd(100_000), { code: 4007 }],
  ]
  for (const [name, queue, frame, closed] of closes) {
    const each = await connect({ port, path: path.replace("q1", queue) })
    each.send(frame)
    t.match(await each.closed, closed, name)
  }

  const slow = await connect({ port, path: path.replace("q1", "slow") })
  slow.send(authFrame)
  slow.send('"early"')
  await until(() => stage.gates.length === 1)
  stage.gates.pop()?.()
  await until(() => stage.owned.at(-1)?.messages.length === 1)
  t.strictSame(stage.owned.at(-1)?.messages, ["early"], "frames that came during the sign-in are passed on")
  slow.destroy()
  const flood = await connect({ port, path: path.replace("q1", "slow") })
  flood.send(authFrame)
  for (let index = 0; index < 20; index += 1) flood.send('"early"')
  t.match(await flood.closed, { code: 4006 })
  const owners = stage.owned.length
  stage.gates.pop()?.()
  t.equal(stage.owned.length, owners, "a closed socket is not handed to an owner")

  const waiting = await Promise.all([1, 2, 3].map(() => connect({ port, path })))
  t.match(await refusal({ port, path }), { status: 429, error: { code: "RATE_LIMIT_HIT" } })
  t.match(
    await refusal({ port, path, headers: hamlet }),
    { status: 101 },
    "upgrades with an Authorization header are not counted",
  )
  waiting[0]?.send(authFrame)
  await until(() => stage.owned.length === owners + 2)
  const fourth = await connect({ port, path })
  t.match(
    await refusal({ port, path }),
    { status: 429 },
    "the place of the signed-in socket was free, and the next one is refused",
  )
  clock.advance(10_000)
  for (const each of [waiting[1], waiting[2], fourth]) {
    t.strictSame(await each?.closed, { code: 4002, reason: "unauthorized: no sign-in came in time" })
  }
  waiting[0]?.destroy()

  const drained = await connect({ port, path })
  const closed = drained.closed
  await Effect.runPromise(server.drain())
  t.strictSame(await closed, { code: 1001, reason: "going away; come back" })
})

t.test("the server drains or stops while a queue is looked up for an upgrade", async (t) => {
  const server = await startFixture()
  t.teardown(server.stop)
  const { port, stage } = server
  const attempt = connect({ port, path: path.replace("q1", "slow"), headers: hamlet })
  await until(() => stage.gates.length === 1)
  const draining = Effect.runPromise(server.drain())
  stage.gates.pop()?.()
  const client = await attempt
  await draining
  t.equal(stage.owned.length, 1, "the upgrade is completed while the server drains")
  await server.stop()
  t.equal((await client.closed).code, 1006)
  await until(() => stage.owned[0]?.closes === 1)

  const other = await startFixture()
  t.teardown(other.stop)
  const leaver = connect({ port: other.port, path: path.replace("q1", "slow"), headers: hamlet })
  await until(() => other.stage.gates.length === 1)
  await other.stop()
  await t.rejects(leaver)
  other.stage.gates.pop()?.()
  t.equal(other.stage.owned.length, 0, "a closed connection is not handed to an owner")
})

t.test("memory that an owner fills at once is not read as the state of the upgrade's HTTP answer", async (t) => {
  const filled: Array<Buffer> = []
  const server = await startFixture({
    attach: (peer) => {
      // The upgrade frees the native HTTP answer, a block of about this size, and these buffers may reuse it. If the
      // native side still read its flags there, 0x10 would mean that the connection is to be closed.
      for (let index = 0; index < 64; index += 1) filled.push(Buffer.allocUnsafeSlow(72).fill(0x10))
      peer.send(Buffer.from("[]"))
      return { onMessage: () => {}, onDrain: () => {}, onClose: () => {} }
    },
  })
  t.teardown(server.stop)
  const { port, stage } = server
  const attempts = Array.from({ length: 50 }, () =>
    connect({ port, path: path.replace("q1", "slow"), headers: hamlet }),
  )
  await until(() => stage.gates.length === attempts.length)
  // In a later turn than the requests, so that each upgrade has a cork of its own, whose end is tested here.
  for (const open of stage.gates) open()
  const clients = await Promise.all(attempts)
  for (const client of clients) client.send('"still here"')
  t.strictSame(await Promise.all(clients.map((client) => client.next())), Array(attempts.length).fill("[]"))
  t.equal(filled.length, 64 * attempts.length)
  for (const client of clients) client.close(1000)
  for (const client of clients) t.match(await client.closed, { code: 1000 })
})

t.test("an owner that closes its socket or throws when it gets it", async (t) => {
  let closes = 0
  const server = await startFixture({
    attach: (peer) => {
      peer.close(closeReasons.replaced)
      return {
        onMessage: () => {},
        onDrain: () => {},
        onClose: () => {
          closes += 1
        },
      }
    },
  })
  t.teardown(server.stop)
  for (const headers of [hamlet, {}]) {
    const client = await connect({ port: server.port, path, headers })
    client.send(authFrame)
    t.match(await client.closed, { code: 4004 })
  }
  await until(() => closes === 2)
  const broken = await startFixture({
    attach: () => {
      throw new Error("secret detail")
    },
  })
  t.teardown(broken.stop)
  const client = await connect({ port: broken.port, path, headers: hamlet })
  t.match(await client.closed, { code: 1011, reason: /^internal error/ })
  t.match(broken.stage.defects, [/secret detail/])
})

t.test("the code and the text of each close reason", async (t) => {
  const codes = Object.values(closeReasons).map((reason) => reason.code)
  t.equal(new Set(codes).size, codes.length, "each has its own code")
  for (const [name, reason] of Object.entries(closeReasons)) {
    t.equal(reason.text.includes("queue"), name === "badQueue", name)
    for (const detail of ["queue", "é".repeat(200), "x".repeat(200), "\ud800"]) {
      const text = closeText(reason, detail)
      t.ok(Buffer.byteLength(text) <= 123 && text.isWellFormed(), `${name}: ${text}`)
      t.equal(/queue/i.test(text), name === "badQueue")
      t.equal(text.endsWith("; come back"), reason.comeBack)
    }
  }
})

t.test("sockets that have not signed in are bounded in all, because each may send much", async (t) => {
  const server = await startFixture({
    limits: { unauthenticatedSocketsPerAddress: 2000, connectionsPerAddress: 5000, socketAuthSeconds: 30 },
  })
  t.teardown(server.stop)
  const waiting = await Promise.all(Array.from({ length: 1024 }, () => connect({ port: server.port, path })))
  t.match(await refusal({ port: server.port, path }), { status: 503 })
  waiting[0]?.send(authFrame)
  await until(() => server.stage.owned.length === 1)
  t.match(await refusal({ port: server.port, path }), { status: 101 }, "its place is free")
  for (const each of waiting) each.destroy()
})
