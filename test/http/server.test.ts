/** The life of the HTTP server: disconnecting clients, held replies, size limits, random bytes, ports and draining. */
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Worker } from "node:worker_threads"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import t from "tap"
import { badEventQueue, badRequest, OutcomeUnknown } from "../../src/api/errors.ts"
import { thisPlatform } from "../../src/http/network/platform.ts"
import { checkPort } from "../../src/http/network/port-in-use.ts"
import { openPort, PortInUse } from "../../src/http/network/uws.ts"
import { loadUwsOn, PlatformUnsupported } from "../../src/http/network/uws-loader.ts"
import { findFreePort } from "../../src/testing/free-port.ts"
import { Random } from "../events/model/random.ts"
import { ask, bodyOf as body, RawConnection, requestBytes } from "../kit/raw-http.ts"
import { inTurn, seed } from "../kit/share.ts"
import { form, hamlet, largeText, startFixture, testConfig, until } from "./http-fixture.ts"

setFlagsFromString("--expose-gc")
const collect: unknown = runInNewContext("gc")

/** Bytes that something still refers to. */
const memoryInUse = (): number => {
  if (typeof collect === "function") collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

// First: what other tests leave behind would count.
t.test(
  "a body in very many chunks takes no more memory than the body",
  inTurn(2, "bodies in many chunks"),
  async (t) => {
    const server = await startFixture()
    t.teardown(server.stop)
    const { port } = server
    const chunks = new RawConnection(port)
    const headers = { ...form, "Transfer-Encoding": "chunked" }
    chunks.write(requestBytes({ method: "POST", path: "/api/v1/echo", headers }))
    chunks.write("2\r\na=\r\n")
    await ask(port, { path: "/health" })
    const before = memoryInUse()
    for (let slice = 0; slice < 200; slice += 1) {
      chunks.write("1\r\nx\r\n".repeat(900))
      // The answer comes after the slice, which fits into the system's buffers, has been read.
      t.equal((await ask(port, { path: "/health" }))?.status, 200)
    }
    const grown = (memoryInUse() - before) / 2 ** 20
    t.ok(grown < 15, `${grown.toFixed(1)} MB for 0.2 MB`)
    chunks.write("0\r\n\r\n")
    t.match(body(await chunks.next()), { source: { a: "x".repeat(180_000) } })
  },
)

t.test("a request is finished although its client has disconnected", async (t) => {
  const server = await startFixture()
  t.teardown(server.stop)
  const { port, stage } = server
  const leaver = new RawConnection(port)
  leaver.write(requestBytes({ method: "POST", path: "/api/v1/gate", headers: hamlet }))
  await until(() => stage.gates.length === 1)
  leaver.destroy()
  await leaver.closed
  t.equal((await ask(port, { path: "/api/v1/echo", headers: hamlet }))?.status, 200)
  stage.gates.shift()?.()
  t.equal(stage.gateDone, 1)
  const impatient = new RawConnection(port)
  impatient.write(requestBytes({ method: "POST", path: "/api/v1/gate", headers: hamlet }))
  await until(() => stage.gates.length === 1)
  impatient.write(requestBytes({ path: "/api/v1/echo", headers: hamlet }))
  t.equal(await impatient.next(), undefined, "a request pipelined behind a waiting one ends the connection")
  stage.gates.shift()?.()
  t.equal(stage.gateDone, 2, "the waiting request still runs to its end")
  t.equal((await ask(port, { path: "/api/v1/echo", headers: hamlet }))?.status, 200)
  const half = new RawConnection(port)
  half.write(requestBytes({ method: "POST", path: "/api/v1/echo", headers: { ...form, "Content-Length": "100" } }))
  half.write("a=1")
  half.destroy()
  await half.closed
  t.equal((await ask(port, { path: "/api/v1/echo", headers: hamlet }))?.status, 200)
})

t.test("held replies", async (t) => {
  const server = await startFixture()
  t.teardown(server.stop)
  const { port, stage } = server
  const holdOne = async () => {
    const connection = new RawConnection(port)
    connection.write(requestBytes({ path: "/api/v1/hold", headers: hamlet }))
    await until(() => stage.held.length === 1)
    const reply = stage.held.pop()
    if (reply === undefined) throw new Error("Nothing is held")
    let closes = 0
    reply.onClose(() => {
      closes += 1
    })
    return { connection, reply, closes: () => closes }
  }
  const sent = await holdOne()
  sent.reply.send(Buffer.from('{"result":"success","msg":"","events":[]}'))
  sent.reply.send(Buffer.from("again"))
  sent.reply.fail(badRequest("late"))
  const answer = await sent.connection.next()
  t.equal(answer?.headers.get("content-type"), "application/json")
  t.strictSame(body(answer), { result: "success", msg: "", events: [] })
  sent.connection.write(requestBytes({ path: "/api/v1/echo", headers: hamlet }))
  t.equal((await sent.connection.next())?.status, 200, "the connection goes on")
  sent.connection.destroy()
  const failed = await holdOne()
  failed.reply.fail(badEventQueue("q1"))
  t.match(body(await failed.connection.next()), { code: "BAD_EVENT_QUEUE_ID", queue_id: "q1" })
  failed.connection.destroy()
  const cut = await holdOne()
  cut.reply.fail(new OutcomeUnknown({ reason: "lost" }))
  cut.reply.send(Buffer.from("{}"))
  t.equal(await cut.connection.next(), undefined, "an unknown outcome cuts the connection without an answer")
  const gone = await holdOne()
  gone.connection.destroy()
  await until(() => gone.closes() === 1)
  gone.reply.send(Buffer.from("{}"))
  gone.reply.fail(badRequest("late"))
  let late = 0
  gone.reply.onClose(() => {
    late += 1
  })
  await until(() => late === 1)
  t.equal((await ask(port, { path: "/api/v1/echo", headers: hamlet }))?.status, 200)
  t.strictSame([sent.closes(), failed.closes(), cut.closes(), gone.closes()], [0, 0, 0, 1])
})

t.test(
  "a client that does not read costs the memory of one answer, and can read it whole later",
  inTurn(2, "answers that are not read"),
  async (t) => {
    const server = await startFixture()
    t.teardown(server.stop)
    const { port, stage } = server
    const large = requestBytes({ path: "/api/v1/large" })
    const reader = new RawConnection(port)
    reader.pause()
    reader.write(large)
    await until(() => stage.large === 1)
    reader.resume()
    t.ok(body(await reader.next())["text"] === largeText)
    reader.write(requestBytes({ path: "/health" }))
    t.equal((await reader.next())?.status, 200, "the connection goes on")
    reader.destroy()

    const greedy = new RawConnection(port)
    greedy.pause()
    for (let count = 0; count < 50; count += 1) greedy.write(large)
    await until(() => stage.large === 2)
    greedy.resume()
    t.equal(await greedy.next(), undefined, "a client that keeps requesting without reading is cut")
    t.equal(stage.large, 2)

    const leaver = new RawConnection(port)
    leaver.pause()
    leaver.write(large)
    await until(() => stage.large === 3)
    leaver.destroy()
    t.equal((await ask(port, { path: "/health" }))?.status, 200)
  },
)

t.test("bodies above the size limit are refused", async (t) => {
  const server = await startFixture({ limits: { maxRequestBytes: 1000 } })
  t.teardown(server.stop)
  const { port } = server
  const post = (size: number) => ({ method: "POST", path: "/api/v1/echo", headers: form, body: "x".repeat(size) })
  t.equal((await ask(port, post(1000)))?.status, 200)
  const large = await ask(port, post(1001))
  t.equal(large?.status, 413)
  t.match(body(large), { code: "REQUEST_TOO_LARGE" })
  const endless = new RawConnection(port)
  endless.write(
    requestBytes({ method: "POST", path: "/api/v1/echo", headers: { ...form, "Content-Length": "9999999" } }),
  )
  endless.write("x".repeat(1001))
  t.equal((await endless.next())?.status, 413, "refused before the whole body has come")
  await endless.closed
  const chunks = new RawConnection(port)
  chunks.write(
    requestBytes({ method: "POST", path: "/api/v1/echo", headers: { ...form, "Transfer-Encoding": "chunked" } }),
  )
  chunks.write(`5dc\r\n${"x".repeat(1500)}\r\n`)
  t.equal((await chunks.next())?.status, 413, "a body of unknown length is refused too")
  await chunks.closed
})

t.test("requests of random bytes do not disturb other requests", async (t) => {
  const server = await startFixture()
  t.teardown(server.stop)
  const random = new Random(seed)
  t.comment(`seed ${seed}`)
  const samples = [
    requestBytes({ path: "/api/v1/items/5?a=%C3%A9", headers: hamlet }),
    requestBytes({ method: "POST", path: "/api/v1/echo", headers: form, body: "a=1&b=2" }),
    requestBytes({ path: "/api/v1/hold", headers: hamlet }),
    requestBytes({
      path: "/api/v1/events/ws?queue_id=q&last_event_id=-1",
      headers: {
        ...hamlet,
        Upgrade: "websocket",
        "Sec-WebSocket-Key": `${"A".repeat(22)}==`,
        "Sec-WebSocket-Version": "13",
      },
    }),
    Buffer.from("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"),
    Buffer.from("GET /api/v1/echo HTTP/1.0\r\n\r\n"),
    Buffer.from("POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\nabc"),
  ]
  for (let round = 0; round < 30; round += 1) {
    const connections = Array.from({ length: 20 }, () => {
      const connection = new RawConnection(server.port)
      const bytes = Buffer.concat([
        Buffer.from(samples[random.below(samples.length)] ?? ""),
        Buffer.alloc(random.below(3) * 20, random.below(256)),
      ])
      for (let change = random.below(6); change > 0; change -= 1) bytes[random.below(bytes.length)] = random.below(256)
      connection.write(bytes)
      return connection
    })
    const answer = await ask(server.port, { path: "/api/v1/echo", headers: hamlet })
    if (answer?.status !== 200) t.fail(`seed ${seed}, round ${round}`)
    for (const connection of connections) connection.destroy()
    await Promise.all(connections.map((connection) => connection.closed))
  }
  t.equal((await ask(server.port, { path: "/api/v1/echo", headers: hamlet }))?.status, 200)
  t.strictSame(server.stage.defects, [])
})

t.test("a port belongs to one server", async (t) => {
  // A stated port, because with port 0 the network layer never shares and the test could not fail.
  const port = await findFreePort()
  const server = await startFixture({ config: { port } })
  t.teardown(server.stop)
  t.equal(server.port, port)
  for (const host of ["127.0.0.1", "0.0.0.0"]) {
    const second = await startFixture({ config: { host, port } }).catch((fault: unknown) => fault)
    t.ok(second instanceof PortInUse, host)
    t.match(second, {
      host,
      port,
      message: /^Cannot listen on .*: taken by another process; PARLEY_PORT sets another/,
    })
  }
  t.equal((await ask(port, { path: "/health" }))?.status, 200, "the first server still answers")
  await server.stop()
  const next = await startFixture({ config: { port } })
  t.equal((await ask(port, { path: "/health" }))?.status, 200, "the port is free again after the server has stopped")
  await next.stop()
  const nowhere = await startFixture({ config: { host: "192.0.2.1" } }).catch((fault: unknown) => fault)
  t.ok(nowhere instanceof PortInUse, "an address of another machine cannot be listened on")
  t.match(nowhere, { message: /: 192\.0\.2\.1 is not an address of this machine; PARLEY_HOST sets another address$/ })
})

t.test("processes of one parent share a port, and nobody else does", async (t) => {
  const port = await findFreePort()
  const wanted = { host: "127.0.0.1", port, portSetting: "PARLEY_PORT", hostSetting: "PARLEY_HOST" }
  const look = () => Effect.runPromise(Effect.result(checkPort(wanted)))
  t.match(await look(), { _tag: "Success" }, "nobody is there")
  const together = { bus: "none", busUrl: null, sharesLimits: true } as const
  const start = (child: number | null) => startFixture({ config: { port, processes: { ...together, child } } })
  const servers = [await start(1), await start(2)]
  t.match(await look(), { failure: { message: `Cannot listen on 127.0.0.1:${port}: taken by another process; ` } })
  t.ok((await start(null).catch((fault: unknown) => fault)) instanceof PortInUse, "one that is none of them")
  for (const server of servers) {
    t.equal((await ask(port, { path: "/health" }))?.status, 200)
    await server.stop()
  }
  t.match(await look(), { _tag: "Success" }, "and nothing is left")
})

t.test("a port that is open lives, answers 503 until it is served, and is closed once", async (t) => {
  const scope = Scope.makeUnsafe()
  t.teardown(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const listener = await Effect.runPromise(Scope.provide(openPort(testConfig()), scope))
  const path = "/health"
  const alive = await ask(listener.port, { path })
  t.equal(alive?.status, 200, "a start that takes long is alive")
  t.match(body(alive), { status: "alive" })
  for (const [method, path] of [
    ["GET", "/ready"],
    ["GET", "/"],
    ["GET", "/health/"],
    ["POST", "/health"],
  ] as const) {
    const early = await ask(listener.port, { method, path })
    t.equal(early?.status, 503, `${method} ${path}`)
    t.match(body(early), { result: "error", code: "SERVICE_UNAVAILABLE" })
  }
  const answer = { status: 200, headers: [], body: "" }
  listener.serve({
    request: (_, response) => response.send(answer),
    upgrade: () => {},
    admits: () => true,
    fault: () => {},
  })
  t.equal((await ask(listener.port, { path }))?.status, 200)
  listener.close()
  listener.close()
  t.equal(await ask(listener.port, { path }).catch(() => undefined), undefined, "nobody listens")
})

/** The line that refuses a start under another Node, with a C library that is new enough for each. */
const refusalUnder = async (node: string): Promise<string> => {
  const versions = Object.getOwnPropertyDescriptor(process, "versions")
  if (versions === undefined) throw new Error("process.versions is gone")
  Object.defineProperty(process, "versions", { ...versions, value: { ...process.versions, node } })
  const load = loadUwsOn({ ...thisPlatform(), glibc: "2.41" })
  const exit = await Effect.runPromiseExit(load).finally(() => Object.defineProperty(process, "versions", versions))
  const fault = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  return fault instanceof PlatformUnsupported ? fault.message : "it is not refused"
}

t.test("an unsupported version of Node is refused in one line", async (t) => {
  t.equal(await refusalUnder("99.0.0"), "Node 99.0.0 is not supported: use Node 20.19, 22.12, 24 or 26")
})

t.test("what was installed under another Node says so, and how to mend it", async (t) => {
  const [here] = process.versions.node.split(".")
  // Of another package than the one that is loaded already.
  const there = Number(here) < 24 ? "24.1.2" : "22.12.2"
  const system = `${process.platform}-${process.arch}`
  t.equal(
    await refusalUnder(there),
    `The packages were installed for Node ${here} on ${system}, and this is Node ${there} on ${system}: run npm install again, which mends it`,
  )
})

t.test("a binary that is there and does not load is not said to be missing", async (t) => {
  // By the newer build, which finds the package by that Node's number alone.
  const there = process.versions.node.startsWith("26.") ? "24.1.2" : "26.1.2"
  const system = `${process.platform}-${process.arch}`
  const folder = t.testdir()
  const packaged = join(folder, "@uwsjs", `${system}-${there.slice(0, 2)}`)
  mkdirSync(packaged, { recursive: true })
  writeFileSync(join(packaged, "package.json"), '{ "type": "commonjs" }')
  writeFileSync(join(packaged, "index.js"), "module.exports = require('./uws.node')")
  writeFileSync(join(packaged, "uws.node"), "cut off")
  // A thread: it has `process.versions` of its own, and Node looks into NODE_PATH once, when it begins.
  const program = `
    const { parentPort } = require("node:worker_threads")
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${there}" } })
    void (async () => {
      const { runPromise, flip } = await import("${import.meta.resolve("effect/Effect")}")
      const { loadUwsOn } = await import("${new URL("../../src/http/network/uws-loader.js", import.meta.url)}")
      const { thisPlatform } = await import("${new URL("../../src/http/network/platform.js", import.meta.url)}")
      parentPort.postMessage((await runPromise(flip(loadUwsOn({ ...thisPlatform(), glibc: "2.41" })))).message)
    })()`
  const worker = new Worker(program, { eval: true, env: { ...process.env, NODE_PATH: folder, NODE_OPTIONS: "" } })
  t.teardown(() => worker.terminate())
  const [said] = await once(worker, "message")
  t.match(said, new RegExp(`^No network layer for Node ${there} on ${system}: .*uws\\.node`))
})

t.test("draining", async (t) => {
  const server = await startFixture()
  t.teardown(server.stop)
  const { port, stage } = server
  const open = () => new RawConnection(port)
  const [working, idle, holding, later] = [open(), open(), open(), open()]
  for (const connection of [idle, later]) {
    connection.write(requestBytes({ path: "/health" }))
    t.notOk((await connection.next())?.headers.has("connection"))
  }
  holding.write(requestBytes({ path: "/api/v1/hold", headers: hamlet }))
  working.write(requestBytes({ method: "POST", path: "/api/v1/gate", headers: hamlet }))
  await until(() => stage.gates.length === 1 && stage.held.length === 1)
  let drained = false
  const draining = Effect.runPromise(server.drain()).then(() => {
    drained = true
  })
  await until(() => server.clock.pending() === 1)
  t.equal(await ask(port, { path: "/health" }), undefined, "no new connection is accepted")
  later.write(requestBytes({ path: "/health" }))
  const health = await later.next()
  t.equal(health?.status, 200, "plain pages answer to the end")
  t.equal(health?.headers.get("connection"), "close")
  await later.closed
  idle.write(requestBytes({ path: "/api/v1/echo", headers: hamlet }))
  const refused = await idle.next()
  t.equal(refused?.status, 503)
  t.equal(refused?.headers.get("connection"), "close")
  await idle.closed
  t.equal(drained, false)
  stage.gates.shift()?.()
  t.strictSame(body(await working.next()), { result: "success", msg: "", done: true })
  await draining
  t.ok(drained, "a held reply is not waited for")
  stage.held.pop()?.send(Buffer.from("{}"))
  t.equal((await holding.next())?.status, 200)
  await server.stop()
  await Promise.all([working.closed, holding.closed])

  const stuck = await startFixture()
  t.teardown(stuck.stop)
  const waiting = new RawConnection(stuck.port)
  waiting.write(requestBytes({ method: "POST", path: "/api/v1/gate", headers: hamlet }))
  await until(() => stuck.stage.gates.length === 1)
  const bounded = Effect.runPromise(stuck.drain(3000))
  await until(() => stuck.clock.pending() === 1)
  stuck.clock.advance(3000)
  await bounded
  await stuck.stop()
  t.equal(await waiting.next(), undefined, "the waiting request is cut without an answer")
  stuck.stage.gates.shift()?.()
  t.equal(stuck.stage.gateDone, 1, "a request that ends after the stop does no harm")
})

t.test("a page that throws cuts the connection and is logged as a defect", async (t) => {
  const broken = () => {
    throw badRequest("no")
  }
  const server = await startFixture({ plain: { "/ready": broken } })
  t.teardown(server.stop)
  t.equal(await ask(server.port, { path: "/ready" }), undefined)
  t.equal(server.stage.defects.length, 1)
})

t.test("plain pages", async (t) => {
  const server = await startFixture()
  t.teardown(server.stop)
  const { port } = server
  t.match(await ask(port, { path: "/health?x" }), { status: 200, body: "{}" })
  const wrong = await ask(port, { method: "POST", path: "/health" })
  t.equal(wrong?.status, 405)
  t.equal(wrong?.headers.get("allow"), "GET, HEAD")
})

t.test("a connection carries many requests, also pipelined ones if they are answered at once", async (t) => {
  // Long turns: where others use the processor 20 requests may take longer than a turn has for beginning them.
  const server = await startFixture({ longTurns: true })
  t.teardown(server.stop)
  const { port } = server
  const connection = new RawConnection(port)
  const several = Array.from({ length: 20 }, (_, index) =>
    requestBytes({ method: "POST", path: "/api/v1/echo", headers: form, body: `n=${index}` }),
  )
  connection.write(Buffer.concat(several))
  for (let index = 0; index < 20; index += 1) {
    t.strictSame(body(await connection.next())["source"], { n: String(index) })
  }
  for (const byte of requestBytes({ method: "POST", path: "/api/v1/echo", headers: form, body: "a=%C3%A9" })) {
    connection.write(Uint8Array.of(byte))
    await new Promise(setImmediate)
  }
  t.strictSame(body(await connection.next())["source"], { a: "é" }, "a body that comes byte by byte is read")
  connection.write(requestBytes({ path: `/api/v1/echo?a=${"x".repeat(50_000)}`, headers: hamlet }))
  t.equal(String(Object(body(await connection.next())["source"]).a).length, 50_000, "a long query is read whole")
  const chunked = requestBytes({
    method: "POST",
    path: "/api/v1/echo",
    headers: { ...form, "Transfer-Encoding": "chunked" },
  })
  connection.write(Buffer.concat([chunked, Buffer.from("3\r\na=1\r\n4\r\n&b=2\r\n0\r\n\r\n")]))
  t.strictSame(body(await connection.next())["source"], { a: "1", b: "2" })
  connection.write(Buffer.concat([chunked, Buffer.alloc(6 * 3000, "1\r\na\r\n"), Buffer.from("0\r\n\r\n")]))
  t.equal(await connection.next(), undefined, "a connection that brings thousands of chunks at once is cut")
  await connection.closed
})
