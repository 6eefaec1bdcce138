/** A request from its arrival to its answer: the method that is meant, who may ask, ignored parameters, failures. */
import { request } from "node:http"
import t from "tap"
import { ask, bodyOf as body, RawConnection, requestBytes } from "../../kit/raw-http.ts"
import { basic, form, goodKey, hamlet, startFixture, until } from "../http-fixture.ts"

t.test("a request and its answer", async (t) => {
  const server = await startFixture()
  t.teardown(server.stop)
  const { port, stage } = server

  t.test("a POST with a field `method` is handled as that method", async (t) => {
    for (const method of ["PATCH", "DELETE", "PUT", "GET"]) {
      const answer = await ask(port, {
        method: "POST",
        path: "/api/v1/echo",
        headers: form,
        body: `method=${method}&a=1`,
      })
      t.match(body(answer), { route: `${method} /echo` })
      t.strictSame(body(answer)["source"], { a: "1" })
    }
    const onlyOverride = { method: "POST", path: "/api/v1/items/special", headers: form, body: "method=PATCH" }
    t.match(body(await ask(port, onlyOverride)), { route: "PATCH /items/special" }, "also where the path has no POST")
    const unknown = { method: "POST", path: "/api/v1/echo", headers: form, body: "method=BREW" }
    t.match(body(await ask(port, unknown)), { route: "POST /echo", source: { method: "BREW" } })
    const query = { method: "POST", path: "/api/v1/echo?method=PATCH", headers: form, body: "a=1" }
    t.match(body(await ask(port, query)), { route: "POST /echo" }, "a `method` in the query is ignored")
    const absent = { method: "POST", path: "/api/v1/sends", headers: form, body: "method=DELETE" }
    t.equal((await ask(port, absent))?.status, 405)
    const patch = { method: "PATCH", path: "/api/v1/echo", headers: form, body: "method=DELETE" }
    t.match(
      body(await ask(port, patch)),
      { route: "PATCH /echo" },
      "a `method` in another request than a POST is ignored",
    )
  })

  t.test("ignored parameters are listed, path parameters are not", async (t) => {
    const answer = body(await ask(port, { path: "/api/v1/typed/5?zeta=1&note=hi&alpha=2", headers: hamlet }))
    const ignored = ["alpha", "zeta"]
    t.strictSame(answer, { result: "success", msg: "", id: 5, note: "hi", ignored_parameters_unsupported: ignored })
    t.notOk("ignored_parameters_unsupported" in body(await ask(port, { path: "/api/v1/typed/5", headers: hamlet })))
    const written = await ask(port, { path: "/api/v1/written?x=1" })
    const members = { a: [1, 2], b: "é" }
    t.strictSame(body(written), { result: "success", msg: "", ...members, ignored_parameters_unsupported: ["x"] })
    t.strictSame(body(await ask(port, { path: "/api/v1/written" })), { result: "success", msg: "", ...members })
    const shared = Buffer.from('{"result":"success","msg":"","events":[]}')
    for (const query of ["?y=1&x=%22", ""]) {
      stage.held.length = 0
      const asked = ask(port, { path: `/api/v1/hold${query}`, headers: hamlet })
      await until(() => stage.held.length === 1)
      stage.held[0]?.send(shared)
      const listed = query === "" ? {} : { ignored_parameters_unsupported: ["x", "y"] }
      t.strictSame(body(await asked), { result: "success", msg: "", events: [], ...listed }, "of a held answer")
    }
  })

  t.test("a large answer in pieces arrives whole, and its room is given back once", async (t) => {
    stage.left = 0
    const answer = body(await ask(port, { path: "/api/v1/pieces?x=1" }))
    const list = [...Array.from({ length: 24 }, (_, n) => String(n % 10).repeat(500_000)), ""]
    t.ok(
      JSON.stringify(answer) ===
        JSON.stringify({ result: "success", msg: "", list, end: true, ignored_parameters_unsupported: ["x"] }),
    )
    t.equal(stage.left, 1)
    const chunked = { path: "/api/v1/pieces", headers: { "Transfer-Encoding": "chunked" } }
    const doubtful = await new Promise<string>((resolve, reject) => {
      const asked = request({ port, ...chunked }, (answer) => {
        const parts: Array<Buffer> = []
        answer.on("data", (part: Buffer) => parts.push(part))
        answer.on("end", () => resolve(Buffer.concat(parts).toString()))
        answer.on("error", reject)
      })
      asked.on("error", reject).end("a=1")
    })
    t.ok(
      doubtful ===
        JSON.stringify({ result: "success", msg: "", list, end: true, ignored_parameters_unsupported: ["a"] }),
    )
    await until(() => stage.left === 2)
    stage.left = 1
    const bytes = "GET /api/v1/pieces HTTP/1.1\r\nHost: a\r\n\r\n"
    const leaving = new RawConnection(port)
    leaving.pause()
    const first = stage.cut
    leaving.write(bytes)
    // Not before the answer has been begun, nor after it is over, because nobody reads it.
    await until(() => stage.cut !== first)
    t.equal(stage.left, 1, "it waits for its reader")
    leaving.destroy()
    await until(() => stage.left === 2)
    const cut = new RawConnection(port)
    cut.pause()
    const before = stage.cut
    cut.write(bytes)
    await until(() => stage.cut !== before)
    stage.cut()
    t.equal(stage.left, 3, "an answer that is cut has left")
    stage.cut()
    cut.resume()
    await cut.closed
    t.equal(stage.left, 3)
  })

  t.test("an endpoint for accounts and visitors", async (t) => {
    t.strictSame(body(await ask(port, { path: "/api/v1/either", headers: hamlet }))["user"], 7)
    t.match(body(await ask(port, { path: "/api/v1/either" })), { result: "success", address: "127.0.0.1" })
    const wrong = { Authorization: basic("hamlet@example.org", "x".repeat(32)) }
    t.match(
      await ask(port, { path: "/api/v1/either", headers: wrong }),
      { status: 401 },
      "a wrong key is not treated as a visitor",
    )
  })

  t.test("webhook bots may send messages and nothing else", async (t) => {
    const headers = { Authorization: basic("hook@example.org", goodKey) }
    t.equal((await ask(port, { method: "POST", path: "/api/v1/hooks", headers }))?.status, 200)
    for (const path of ["/api/v1/echo", "/api/v1/either", "/api/v1/polls", "/user_uploads/1/ab/x"]) {
      const answer = await ask(port, { path, headers })
      t.equal(answer?.status, 401, path)
      t.match(body(answer), { code: "UNAUTHORIZED", msg: "This API is not available to incoming webhook bots." })
    }
  })

  t.test("HEAD has the headers of GET and no body, and the connection goes on", async (t) => {
    const connection = new RawConnection(port)
    connection.write(requestBytes({ method: "HEAD", path: "/api/v1/echo?a=1", headers: hamlet }))
    const head = await connection.next(true)
    connection.write(requestBytes({ path: "/api/v1/echo?a=1", headers: hamlet }))
    const get = await connection.next()
    t.equal(head?.status, 200)
    t.equal(head?.headers.get("content-length"), get?.headers.get("content-length"))
    t.match(body(get), { result: "success" })
    for (const path of ["/api/v1/nope", "/health"]) {
      connection.write(requestBytes({ method: "HEAD", path }))
      t.ok((await connection.next(true))?.headers.has("content-length"), `HEAD ${path}`)
    }
    connection.destroy()
  })

  t.test("headers of every answer", async (t) => {
    for (const path of ["/api/v1/echo", "/api/v1/nope", "/api/v1/refused", "/api/v1/defect"]) {
      const answer = await ask(port, { path, headers: hamlet })
      t.equal(answer?.headers.get("content-type"), "application/json")
      t.match(answer?.headers.get("cache-control"), /no-store/)
      t.equal(answer?.headers.get("vary"), "Origin, Accept-Encoding")
      t.equal(answer?.headers.get("content-language"), "en")
      t.notOk(answer?.headers.has("x-ratelimit-limit"), "no rate limit headers, because limits are off")
      t.notOk(answer?.headers.has("access-control-allow-origin"))
    }
  })

  t.test("each kind of failure has its answer", async (t) => {
    const get = (path: string) => ask(port, { path: `/api/v1${path}`, headers: hamlet })
    t.match(await get("/refused"), { status: 400 })
    t.strictSame(body(await get("/refused")), { result: "error", msg: "refused", code: "BAD_REQUEST", why: "so" })
    const unavailable = await get("/unavailable")
    t.equal(unavailable?.status, 503)
    t.equal(unavailable?.headers.get("retry-after"), "1")
    t.match(body(unavailable), { code: "SERVICE_UNAVAILABLE", "retry-after": 1 })
    t.equal(await get("/unknown"), undefined, "an unknown outcome cuts the connection")
    for (const path of ["/defect", "/both", "/throws", "/hold-broken"]) {
      stage.defects.length = 0
      stage.abouts.length = 0
      const answer = await get(path)
      t.equal(answer?.status, 500)
      t.notMatch(answer?.body, /secret/)
      const id = /request ([0-9a-f-]{36})/.exec(String(body(answer)["msg"]))?.[1]
      t.match(stage.defects, [new RegExp(`^${id} .*secret detail`)], `${path} is logged under the id it tells`)
      t.equal(answer?.headers.get("x-request-id"), id)
      t.match(stage.abouts, [{ endpoint: `GET ${path}`, organization: 1 }], "with its endpoint and its organization")
    }
  })
})
