/** An answer that is the last one of its connection says so, once, whoever wants the end: the client, or a server that leaves. */
import { once } from "node:events"
import { connect } from "node:net"
import * as Effect from "effect/Effect"
import t from "tap"
import { RawConnection, requestBytes } from "../../kit/raw-http.ts"
import { form, hamlet, startFixture, until } from "../http-fixture.ts"

interface Whole {
  readonly line: string
  /** Values of these headers, one for each time that they stand there. */
  readonly connection: ReadonlyArray<string>
  readonly length: number
  readonly body: Buffer
}

const parse = (bytes: Buffer): Whole | undefined => {
  const end = bytes.indexOf("\r\n\r\n")
  if (end < 0) return undefined
  const [line = "", ...headers] = bytes.toString("latin1", 0, end).split("\r\n")
  const valuesOf = (name: string) =>
    headers
      .filter((header) => header.toLowerCase().startsWith(`${name}: `))
      .map((header) => header.slice(name.length + 2))
  return {
    line,
    connection: valuesOf("connection"),
    length: Number(valuesOf("content-length")[0] ?? 0),
    body: bytes.subarray(end + 4),
  }
}

/** The answer; where the client is to close the connection, it does when that is whole, else it waits for the server. */
const exchange = async (port: number, bytes: Buffer, closes: "client" | "server"): Promise<Whole> => {
  const socket = connect(port, "127.0.0.1")
  const chunks: Array<Buffer> = []
  socket.on("error", () => {}).write(bytes)
  let [come, wanted] = [0, Number.POSITIVE_INFINITY]
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk)
    come += chunk.length
    if (closes === "server") return
    if (wanted === Number.POSITIVE_INFINITY) {
      const all = Buffer.concat(chunks)
      const whole = parse(all)
      const isHead = bytes.subarray(0, 5).toString() === "HEAD "
      if (whole !== undefined) wanted = all.length - whole.body.length + (isHead ? 0 : whole.length)
    }
    if (come >= wanted) socket.destroy()
  })
  await once(socket, "close")
  const whole = parse(Buffer.concat(chunks))
  if (whole === undefined) throw new Error("the connection was cut")
  return whole
}

/** Answers of every form that the network layer has a way of its own for. */
const kinds = [
  ["GET", "/health", 200],
  ["GET", "/api/v1/echo", 200],
  ["POST", "/api/v1/echo", 200],
  ["GET", "/nowhere", 404],
  ["OPTIONS", "/api/v1/echo", 204],
  ["GET", "/api/v1/sized?length=300000", 200],
  ["GET", "/api/v1/shared", 200],
  ["GET", "/api/v1/pieces", 200],
] as const

const requestOf = (method: string, path: string, further: Readonly<Record<string, string>> = {}): Buffer =>
  requestBytes({
    method,
    path,
    headers: { ...(method === "POST" ? form : hamlet), ...further },
    ...(method === "POST" ? { body: "a=1" } : {}),
  })

t.test("a client that sends nothing more on its connection is told so, and the connection is closed", async (t) => {
  const server = await startFixture()
  t.teardown(server.stop)
  for (const [method, path, status] of kinds) {
    const whole = await exchange(server.port, requestOf(method, path, { Connection: "close" }), "server")
    t.match(whole.line, `HTTP/1.1 ${status} `, path)
    t.same(whole.connection, ["close"], path)
    t.equal(whole.body.length, whole.length, `${path} is whole`)
  }
  const held = exchange(server.port, requestOf("GET", "/api/v1/hold", { Connection: "close" }), "server")
  await until(() => server.stage.held.length === 1)
  server.stage.held.pop()?.send(Buffer.from("{}"))
  t.match(await held, { connection: ["close"] }, "a poll that was held")
  const head = await exchange(server.port, requestOf("HEAD", "/health", { Connection: "close" }), "server")
  t.match(head, { line: "HTTP/1.1 200 OK", connection: ["close"] })
})

t.test("it may say that in other ways", async (t) => {
  const server = await startFixture()
  t.teardown(server.stop)
  for (const said of ["Connection: Close", "Connection: TE, close", "connection: close ,TE"] as const) {
    const bytes = Buffer.from(`GET /health HTTP/1.1\r\nHost: chat.example.org\r\n${said}\r\n\r\n`)
    t.match(await exchange(server.port, bytes, "client"), { connection: ["close"] }, said)
  }
  for (const [first, second] of [
    ["close", "TE"],
    ["TE", "close"],
    ["keep-alive", "close"],
  ] as const) {
    const lines = [`Connection: ${first}`, `Connection: ${second}`]
    const bytes = Buffer.from(`GET /health HTTP/1.1\r\nHost: chat.example.org\r\n${lines.join("\r\n")}\r\n\r\n`)
    t.match(await exchange(server.port, bytes, "client"), { connection: ["close"] }, lines.join(" "))
  }
  const going = new RawConnection(server.port)
  for (const said of ["keep-alive", "TE", "closed", "not-close"]) {
    going.write(requestOf("GET", "/health", { Connection: said }))
    t.notOk((await going.next())?.headers.has("connection"), said)
  }
  going.destroy()
})

t.test("a server that leaves ends each connection with its next answer, and says so", async (t) => {
  const server = await startFixture({ config: { leaveSeconds: 5 } })
  t.teardown(server.stop)
  const held = new RawConnection(server.port)
  held.write(requestOf("GET", "/api/v1/hold"))
  await until(() => server.stage.held.length === 1)
  const left = Effect.runPromise(server.leave(false))
  await until(() => server.clock.pending() > 0)
  for (const [method, path, status] of kinds) {
    const whole = await exchange(server.port, requestOf(method, path), "client")
    t.match(whole.line, `HTTP/1.1 ${status} `, path)
    t.same(whole.connection, ["close"], path)
    t.equal(whole.body.length, whole.length, `${path} is whole`)
  }
  for (const [method, path] of [
    ["HEAD", "/health"],
    ["GET", "/metrics"],
  ] as const)
    t.match(await exchange(server.port, requestOf(method, path), "client"), { connection: ["close"] }, path)
  t.same(
    (await exchange(server.port, requestOf("GET", "/health"), "server")).connection,
    ["close"],
    "it closes it, too",
  )
  server.stage.held.pop()?.send(Buffer.from("{}"))
  t.equal((await held.next())?.headers.get("connection"), "close", "a poll that was held before")
  await held.closed
  const timers = server.clock.pending()
  server.clock.advance(5000)
  await until(() => server.clock.pending() === timers)
  server.clock.advance(1000)
  await left
})

t.test("a last answer that nobody reads lets no further request in", async (t) => {
  const server = await startFixture({ config: { leaveSeconds: 5 } })
  t.teardown(server.stop)
  const said = { Connection: "TE, close" }
  const pile = async (headers: Readonly<Record<string, string>>) => {
    const unread = new RawConnection(server.port)
    unread.pause()
    unread.write(requestOf("GET", "/api/v1/sized?length=30000000", headers))
    // What is sent behind it is in the same reading, or in a later one.
    unread.write(requestOf("GET", "/api/v1/hold", headers))
    await exchange(server.port, requestOf("GET", "/health", said), "client")
    unread.write(requestOf("GET", "/api/v1/hold", headers))
    await exchange(server.port, requestOf("GET", "/health", said), "client")
    unread.destroy()
  }
  await pile(said)
  t.equal(server.stage.held.length, 0, "where the client has said that it sends no more")
  const left = Effect.runPromise(server.leave(false))
  await until(() => server.clock.pending() > 0)
  await pile({})
  t.equal(server.stage.held.length, 0, "where the server leaves")
  const timers = server.clock.pending()
  server.clock.advance(5000)
  await until(() => server.clock.pending() === timers)
  server.clock.advance(1000)
  await left
})
