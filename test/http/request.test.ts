/** What a request may be and what it is answered: forms, methods, paths, headers, signing in and errors. */
import t from "tap"
import { readMultipart } from "../../src/http/multipart.ts"
import { readBody } from "../../src/http/params.ts"
import { clientName } from "../../src/http/request.ts"
import { makeRouter } from "../../src/http/router.ts"
import { ask, bodyOf as body, RawConnection, requestBytes } from "../kit/raw-http.ts"
import { basic, goodKey, hamlet, makeRandom, routes, startFixture, until } from "./http-fixture.ts"

const form = { ...hamlet, "Content-Type": "application/x-www-form-urlencoded" }

const multipart = (boundary: string, parts: ReadonlyArray<readonly [head: string, value: string]>): string =>
  `${parts.map(([head, value]) => `--${boundary}\r\n${head}\r\n\r\n${value}\r\n`).join("")}--${boundary}--\r\n`
const field = (name: string, value: string) => [`Content-Disposition: form-data; name="${name}"`, value] as const

t.test("the public face", async (t) => {
  const server = await startFixture()
  t.teardown(server.stop)
  const { port, stage } = server

  t.test("parameters come from the query, urlencoded and multipart bodies, on every method", async (t) => {
    for (const method of ["GET", "POST", "PATCH", "PUT", "DELETE"]) {
      const query = await ask(port, { method, path: "/api/v1/echo?a=1+2&b=%C3%A9&a=3&c&=d&&e=f=g", headers: hamlet })
      t.match(body(query), { result: "success", msg: "", route: `${method} /echo`, user: 7, realm: 1 })
      t.strictSame(body(query)["source"], { a: "3", b: "é", c: "", "": "d", e: "f=g" }, `${method} query`)
      const encoded = await ask(port, {
        method,
        path: "/api/v1/echo?a=query&b=query",
        headers: { ...hamlet, "Content-Type": "application/x-www-form-urlencoded; charset=utf-8" },
        body: "a=body&c=%F0%9F%90%99",
      })
      t.strictSame(body(encoded)["source"], { a: "body", b: "query", c: "🐙" }, `${method} urlencoded`)
      const parts = await ask(port, {
        method,
        path: "/api/v1/echo?a=query&b=query",
        headers: { ...hamlet, "Content-Type": 'multipart/form-data; boundary="a b"' },
        body: multipart("a b", [
          field("a", "body"),
          field("empty", ""),
          field('q\\"uo%22te', "línea\r\nzwei"),
          ['Content-Type: text/plain\r\nCONTENT-DISPOSITION: form-data; filename="x.txt"; name="up.txt"', "bytes"],
        ]),
      })
      const source = { a: "body", b: "query", empty: "", 'q"uo"te': "línea\r\nzwei", "up.txt": "" }
      t.strictSame(body(parts)["source"], source, `${method} multipart`)
      for (const empty of ["", "{}", " { } \n"]) {
        const headers = { ...hamlet, "Content-Type": "application/json" }
        const answer = await ask(port, { method, path: "/api/v1/echo?a=1", headers, body: empty })
        t.strictSame(body(answer)["source"], { a: "1" }, `${method} with the JSON body "${empty}"`)
      }
      const bare = await ask(port, { method, path: "/api/v1/echo", headers: hamlet, body: "a=1&a=2" })
      t.strictSame(body(bare)["source"], { a: "2" }, `${method} without a content type`)
    }
  })

  t.test("what cannot be read is refused", async (t) => {
    const headers = { ...hamlet, "Content-Type": "application/json" }
    for (const json of ['{"a":1}', "[]", "null", "{", `${" ".repeat(300_000)}x`]) {
      const answer = await ask(port, { method: "POST", path: "/api/v1/echo", headers, body: json })
      t.equal(answer?.status, 400)
      t.match(body(answer), { result: "error", code: "BAD_REQUEST", msg: /form/ })
    }
    for (const bad of ["a=%", "a=%zz", "%=a", "a=%C3", "a=%ff%fe", "a=%ED%A0%80"]) {
      const query = await ask(port, { path: `/api/v1/echo?${bad}`, headers: hamlet })
      t.match(body(query), { code: "BAD_REQUEST", msg: /query string/ }, `query ${bad}`)
      const inBody = await ask(port, { method: "POST", path: "/api/v1/echo", headers: form, body: bad })
      t.match(body(inBody), { code: "BAD_REQUEST", msg: /request body/ }, `body ${bad}`)
    }
    const raw = Buffer.from([0x61, 0x3d, 0xff, 0xfe])
    t.equal((await ask(port, { method: "POST", path: "/api/v1/echo", headers: form, body: raw }))?.status, 400)
    const rawQuery = Buffer.from(requestBytes({ path: "/api/v1/echo?a=QQ", headers: hamlet }))
    rawQuery.fill(0xff, rawQuery.indexOf("QQ"), rawQuery.indexOf("QQ") + 2)
    const connection = new RawConnection(port)
    connection.write(rawQuery)
    t.equal((await connection.next())?.status, 400, "bytes in the query that are not UTF-8")
    connection.destroy()
    const nul = await ask(port, { path: "/api/v1/typed/5?note=a%00b", headers: hamlet })
    t.match(body(nul), { code: "BAD_REQUEST", msg: "note must not contain null bytes" })
    const many = Array.from({ length: 1001 }, (_, index) => `p${index}=1`)
    t.equal((await ask(port, { path: `/api/v1/echo?${many.join("&")}`, headers: hamlet }))?.status, 400)
    t.equal((await ask(port, { path: `/api/v1/echo?${many.slice(1).join("&")}`, headers: hamlet }))?.status, 200)
    const parts = multipart(
      "x",
      many.map((each) => field(each, "1")),
    )
    const type = { ...hamlet, "Content-Type": "multipart/form-data; boundary=x" }
    t.equal((await ask(port, { method: "POST", path: "/api/v1/echo", headers: type, body: parts }))?.status, 400)
  })

  t.test("a method in the form of a POST is the method that is meant", async (t) => {
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
    t.match(body(await ask(port, onlyOverride)), { route: "PATCH /items/special" }, "where there is no POST")
    const unknown = { method: "POST", path: "/api/v1/echo", headers: form, body: "method=BREW" }
    t.match(body(await ask(port, unknown)), { route: "POST /echo", source: { method: "BREW" } })
    const query = { method: "POST", path: "/api/v1/echo?method=PATCH", headers: form, body: "a=1" }
    t.match(body(await ask(port, query)), { route: "POST /echo" }, "not in the query")
    const absent = { method: "POST", path: "/api/v1/sends", headers: form, body: "method=DELETE" }
    t.equal((await ask(port, absent))?.status, 405)
    const patch = { method: "PATCH", path: "/api/v1/echo", headers: form, body: "method=DELETE" }
    t.match(body(await ask(port, patch)), { route: "PATCH /echo" }, "only a POST")
  })

  t.test("paths", async (t) => {
    const routed = async (path: string) => (await ask(port, { path: `/api/v1${path}`, headers: hamlet }))?.body ?? ""
    const table: ReadonlyArray<readonly [path: string, route: string, source: object]> = [
      ["/items/15", "GET /items/{item_id:int}", { item_id: "15" }],
      ["/items/15/parts", "GET /items/{item_id:int}/parts", { item_id: "15" }],
      ["/items/15?item_id=99&x=1", "GET /items/{item_id:int}", { item_id: "15", x: "1" }],
      ["/items/15/owner", "GET /items/{name}/owner", { name: "15" }],
      ["/items/1234567890123456", "GET /items/{name}", { name: "1234567890123456" }],
      ["/items/-5", "GET /items/{name}", { name: "-5" }],
      ["/items/a%40b.c%2Fd+e%20f", "GET /items/{name}", { name: "a@b.c/d+e f" }],
      ["/items/special/owner", "GET /items/{name}/owner", { name: "special" }],
      ["/%69tems/15", "GET /items/{item_id:int}", { item_id: "15" }],
    ]
    for (const [path, route, source] of table) t.match(JSON.parse(await routed(path)), { route, source }, path)
    t.strictSame(JSON.parse(await routed("/items/15?x=1")).path, ["item_id"])
    const missing = ["/", "", "/nope", "/items", "/items/", "/items/15/", "/items//parts", "/items/%", "/items/%zz"]
    for (const path of [...missing, "/items/%ff", "/items/a%00b", "/items/15/parts/1", "//echo", "/echo/../echo"]) {
      t.match(JSON.parse(await routed(path)), { result: "error", code: "NOT_FOUND", msg: /./ }, `404 for ${path}`)
    }
    for (const path of ["/", "/api/v2/echo", "/api/v1echo", "/json/echo", "/health/"]) {
      t.match(body(await ask(port, { path })), { code: "NOT_FOUND" }, `404 for ${path}`)
    }
    t.throws(() => makeRouter([...routes(stage), ...routes(stage)]), /Two routes/)
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

  t.test("with and without an account", async (t) => {
    t.strictSame(body(await ask(port, { path: "/api/v1/either", headers: hamlet }))["user"], 7)
    t.match(body(await ask(port, { path: "/api/v1/either" })), { result: "success", address: "127.0.0.1" })
    const wrong = { Authorization: basic("hamlet@example.org", "x".repeat(32)) }
    t.match(await ask(port, { path: "/api/v1/either", headers: wrong }), { status: 401 }, "a wrong key is no visitor")
  })

  t.test("webhook bots post messages and nothing else", async (t) => {
    const headers = { Authorization: basic("hook@example.org", goodKey) }
    t.equal((await ask(port, { method: "POST", path: "/api/v1/hooks", headers }))?.status, 200)
    for (const path of ["/api/v1/echo", "/api/v1/either", "/api/v1/polls"]) {
      const answer = await ask(port, { path, headers })
      t.equal(answer?.status, 401, path)
      t.match(body(answer), { code: "UNAUTHORIZED", msg: "This API is not available to incoming webhook bots." })
    }
  })

  t.test("an address and headers that are too long", async (t) => {
    const long = "x".repeat(70_000)
    const table: ReadonlyArray<readonly [name: string, path: string, headers: Record<string, string>]> = [
      ["query", `/api/v1/echo?a=${long}`, hamlet],
      ["path", `/api/v1/${long}`, hamlet],
      ["path outside of the API", `/${long}`, {}],
      ["key", "/api/v1/echo", { Authorization: `Basic ${long}` }],
      ["agent", "/api/v1/echo", { ...hamlet, "User-Agent": long }],
    ]
    for (const [name, path, headers] of table) {
      const answer = await ask(port, { path, headers })
      t.equal(answer?.status, 431, name)
      t.match(body(answer), { result: "error", code: "REQUEST_TOO_LARGE", msg: /65536 bytes/ }, name)
    }
    const most = await ask(port, { path: `/api/v1/echo?a=${"x".repeat(65_000)}`, headers: hamlet })
    t.equal(most?.status, 200)
    // Beyond what the network layer holds it answers itself; the server lives.
    t.match(await ask(port, { path: `/api/v1/echo?a=${long}${long}` }), { status: 431 })
    t.equal((await ask(port, { path: "/api/v1/echo", headers: hamlet }))?.status, 200)
  })

  t.test("other methods", async (t) => {
    const wrong = await ask(port, { method: "POST", path: "/api/v1/items/5", headers: hamlet })
    t.equal(wrong?.status, 405)
    t.equal(wrong?.headers.get("allow"), "GET, HEAD, DELETE, OPTIONS")
    t.match(body(wrong), { code: "METHOD_NOT_ALLOWED", allowed_methods: ["GET", "HEAD", "DELETE", "OPTIONS"] })
    for (const method of ["TRACE", "BREW", "get", "CONNECT"]) {
      t.equal((await ask(port, { method, path: "/api/v1/echo", headers: hamlet }))?.status, 405, method)
    }
    t.equal((await ask(port, { method: "GET", path: "/api/v1/items/special", headers: hamlet }))?.status, 405)
    t.equal((await ask(port, { method: "HEAD", path: "/api/v1/sends", headers: hamlet }))?.status, 405)
    const options = await ask(port, { method: "OPTIONS", path: "/api/v1/items/5" })
    t.match(options, { status: 204, body: "" })
    t.equal(options?.headers.get("allow"), "GET, HEAD, DELETE, OPTIONS")
    t.equal((await ask(port, { method: "OPTIONS", path: "/api/v1/nope" }))?.status, 404)
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
      t.equal(answer?.headers.get("vary"), "Origin")
      t.equal(answer?.headers.get("content-language"), "en")
      t.notOk(answer?.headers.has("x-ratelimit-limit"), "no limits are set here")
      t.notOk(answer?.headers.has("access-control-allow-origin"))
    }
  })

  t.test("CORS", async (t) => {
    for (const origin of ["https://chat.example.org", "https://app.example.net"]) {
      const answer = await ask(port, { path: "/api/v1/echo", headers: { ...hamlet, Origin: origin } })
      t.equal(answer?.headers.get("access-control-allow-origin"), origin)
      const preflight = await ask(port, { method: "OPTIONS", path: "/api/v1/echo", headers: { Origin: origin } })
      t.equal(preflight?.headers.get("access-control-allow-origin"), origin)
      t.match(preflight?.headers.get("access-control-allow-methods"), /PATCH/)
      t.match(preflight?.headers.get("access-control-allow-headers"), /Authorization/)
    }
    for (const origin of ["https://evil.example.com", "null", "http://chat.example.org"]) {
      const answer = await ask(port, { path: "/api/v1/echo", headers: { ...hamlet, Origin: origin } })
      t.equal(answer?.status, 200)
      t.notOk(answer?.headers.has("access-control-allow-origin"), origin)
    }
  })

  t.test("signing in", async (t) => {
    const table: ReadonlyArray<readonly [header: string | undefined, status: number, code: string, msg: RegExp]> = [
      [undefined, 401, "UNAUTHORIZED", /Not signed in/],
      ["Bearer abc", 400, "BAD_REQUEST", /Basic/],
      ["Basic", 401, "UNAUTHORIZED", /Authorization header/],
      ["Basic ???", 401, "UNAUTHORIZED", /Authorization header/],
      [`Basic ${Buffer.from("no colon").toString("base64")}`, 401, "UNAUTHORIZED", /Authorization header/],
      [`Basic ${Buffer.from([0xff, 0x3a, 0xff]).toString("base64")}`, 401, "UNAUTHORIZED", /Authorization header/],
      [basic("nul\0@example.org", goodKey), 401, "UNAUTHORIZED", /Authorization header/],
      [basic("", goodKey), 401, "UNAUTHORIZED", /Authorization header/],
      [basic("hamlet@example.org", "short"), 401, "UNAUTHORIZED", /Malformed API key/],
      [basic("hamlet@example.org", "-".repeat(32)), 401, "UNAUTHORIZED", /Malformed API key/],
      [basic("hamlet@example.org", "x".repeat(32)), 401, "UNAUTHORIZED", /Invalid API key/],
      [basic("down@example.org", goodKey), 503, "SERVICE_UNAVAILABLE", /./],
      [basic("broken@example.org", goodKey), 500, "INTERNAL_SERVER_ERROR", /./],
    ]
    for (const [header, status, code, msg] of table) {
      const headers = header === undefined ? {} : { Authorization: header }
      const answer = await ask(port, { path: "/api/v1/echo", headers })
      t.equal(answer?.status, status, header ?? "no header")
      t.match(body(answer), { result: "error", code, msg })
      t.equal(answer?.headers.get("www-authenticate"), status === 401 ? 'Basic realm="zulip"' : undefined)
    }
    const spaced = { Authorization: basic("hamlet@example.org", ` ${goodKey}\n`).replace("Basic", "bAsIc") }
    t.equal((await ask(port, { path: "/api/v1/echo", headers: spaced }))?.status, 200)
    const elsewhere = { ...hamlet, Host: "ELSEWHERE.example.org:80" }
    t.equal((await ask(port, { path: "/api/v1/echo", headers: elsewhere }))?.status, 401)
  })

  t.test("who asks", async (t) => {
    const client = async (agent: string) =>
      body(await ask(port, { path: "/api/v1/echo", headers: { ...hamlet, "User-Agent": agent } }))["client"]
    t.equal(await client("ZulipPython/0.9 (Linux; 5)"), "ZulipPython")
    t.equal(body(await ask(port, { path: "/api/v1/echo", headers: hamlet }))["client"], "Unspecified")
    t.equal(clientName(""), "Unspecified")
    t.equal(clientName("/5"), "Unspecified")
    t.equal(clientName("a\u0000b\u0007c\u007f\u009f/1"), "abc")
    t.equal(clientName("x".repeat(500)), "x".repeat(64))
    t.equal(clientName("My Bot (linux)"), "My Bot")
    const visitor = await ask(port, { path: "/api/v1/open", headers: { Host: "Chat.Example.ORG:80" } })
    t.match(body(visitor), { realm: 1, host: "chat.example.org", origin: "https://chat.example.org" })
    const other = await ask(port, { path: "/api/v1/open", headers: { Host: "[::1]:8080" } })
    t.match(body(other), { realm: null, host: "[::1]" })
    for (const host of ["a b", "<script>", "x/y", "a:b:c", "a@b"]) {
      t.equal((await ask(port, { path: "/api/v1/open", headers: { Host: host } }))?.status, 400, host)
    }
  })

  t.test("ways to fail", async (t) => {
    const get = (path: string) => ask(port, { path: `/api/v1${path}`, headers: hamlet })
    t.match(await get("/refused"), { status: 400 })
    t.strictSame(body(await get("/refused")), { result: "error", msg: "refused", code: "BAD_REQUEST", why: "so" })
    const unavailable = await get("/unavailable")
    t.equal(unavailable?.status, 503)
    t.equal(unavailable?.headers.get("retry-after"), "1")
    t.match(body(unavailable), { code: "SERVICE_UNAVAILABLE", "retry-after": 1 })
    t.equal(await get("/unknown"), undefined, "cut without an answer")
    for (const path of ["/defect", "/both", "/throws", "/hold-broken"]) {
      stage.defects.length = 0
      const answer = await get(path)
      t.equal(answer?.status, 500)
      t.notMatch(answer?.body, /secret/)
      const id = /request ([0-9a-f-]{36})/.exec(String(body(answer)["msg"]))?.[1]
      t.match(stage.defects, [new RegExp(`^${id} .*secret detail`)], `${path} is logged under the id it tells`)
    }
  })

  t.test("plain pages", async (t) => {
    t.match(await ask(port, { path: "/health?x" }), { status: 200, body: "{}" })
    const wrong = await ask(port, { method: "POST", path: "/health" })
    t.equal(wrong?.status, 405)
    t.equal(wrong?.headers.get("allow"), "GET, HEAD")
  })

  t.test("a connection carries many requests, and pipelined ones that do not wait", async (t) => {
    const connection = new RawConnection(port)
    const several = Array.from({ length: 20 }, (_, index) =>
      requestBytes({ method: "POST", path: "/api/v1/echo", headers: form, body: `n=${index}` }),
    )
    connection.write(Buffer.concat(several))
    for (let index = 0; index < 20; index += 1) {
      t.strictSame(body(await connection.next())["source"], { n: String(index) })
    }
    const chunked = requestBytes({
      method: "POST",
      path: "/api/v1/echo",
      headers: { ...form, "Transfer-Encoding": "chunked" },
    })
    connection.write(Buffer.concat([chunked, Buffer.from("3\r\na=1\r\n4\r\n&b=2\r\n0\r\n\r\n")]))
    t.strictSame(body(await connection.next())["source"], { a: "1", b: "2" })
    for (const byte of requestBytes({ method: "POST", path: "/api/v1/echo", headers: form, body: "a=%C3%A9" })) {
      connection.write(Uint8Array.of(byte))
      await new Promise(setImmediate)
    }
    t.strictSame(body(await connection.next())["source"], { a: "é" }, "byte by byte")
    connection.write(requestBytes({ path: `/api/v1/echo?a=${"x".repeat(50_000)}`, headers: hamlet }))
    t.equal(String(Object(body(await connection.next())["source"]).a).length, 50_000, "a long query")
    connection.destroy()
  })
})

t.test("multipart garbage is refused, never fatal and never slow", async (t) => {
  const server = await startFixture()
  t.teardown(server.stop)
  const good = multipart("x", [field("a", "1"), field("b", "línea")])
  const type = "multipart/form-data; boundary=x"
  const whole = readMultipart(Buffer.from(good), type, 1000)
  t.strictSame(whole?.fields, [
    ["a", "1"],
    ["b", "línea"],
  ])
  const bad: ReadonlyArray<readonly [name: string, body: string, type: string]> = [
    ["no boundary parameter", good, "multipart/form-data"],
    ["another boundary", good, "multipart/form-data; boundary=y"],
    ["an overlong boundary", good, `multipart/form-data; boundary=${"x".repeat(71)}`],
    ["cut short", good.slice(0, -6), type],
    ["no name", multipart("x", [["Content-Disposition: form-data", "1"]]), type],
    ["no disposition", multipart("x", [["X: y", "1"]]), type],
    ["no header end", "--x\r\nContent-Disposition: form-data; name=a\r\n--x--", type],
    ["text before the first boundary on its line", `junk${good}`, type],
  ]
  for (const [name, text, contentType] of bad) {
    t.equal(readMultipart(Buffer.from(text), contentType, 1000), undefined, name)
    const headers = { ...hamlet, "Content-Type": contentType }
    const answer = await ask(server.port, { method: "POST", path: "/api/v1/echo", headers, body: text })
    t.equal(answer?.status, 400, name)
  }
  t.equal(readMultipart(Buffer.from(""), type, 1000), undefined, "empty")
  t.ok(readMultipart(Buffer.from(`preamble\r\n${good}epilogue`), type, 1000), "text around the parts is passed over")
  const seed = Date.now() >>> 0
  const random = makeRandom(seed)
  t.comment(`seed ${seed}`)
  for (let round = 0; round < 5000; round += 1) {
    const bytes = Buffer.from(good)
    for (let change = random(8); change >= 0; change -= 1) bytes[random(bytes.length)] = random(256)
    const result = readBody(bytes.subarray(random(4), bytes.length - random(4)), type)
    if (result._tag === "Failure" && result.failure.code !== "BAD_REQUEST")
      t.fail(`seed ${seed}: ${result.failure.code}`)
  }
  const long = "a".repeat(70)
  const heavy: ReadonlyArray<readonly [name: string, body: string, type: string]> = [
    [
      "near misses of the boundary",
      `--${long}\r\n${`\r\n--${"a".repeat(69)}`.repeat(14_000)}`,
      `multipart/form-data; boundary=${long}`,
    ],
    ["unended names", multipart("x", [[`Content-Disposition: form-data${'; name="'.repeat(1000)}`, ""]]), type],
    [
      "many attributes",
      multipart(
        "x",
        Array.from({ length: 120 }, () => [`Content-Disposition: form-data${"; a=b".repeat(1500)}`, ""] as const),
      ),
      type,
    ],
    ["blank lines", `--x\r\n${"\r\n".repeat(500_000)}`, type],
    ["percent escapes", "%41".repeat(349_000), "application/x-www-form-urlencoded"],
    ["ampersands", "&".repeat(1_048_000), "application/x-www-form-urlencoded"],
    ["spaces for JSON", `${" ".repeat(1_048_000)}x`, "application/json"],
  ]
  for (const [name, text, contentType] of heavy) {
    const start = performance.now()
    readBody(Buffer.from(text), contentType)
    // About 10 ms here; what grows with the square of the length takes minutes.
    t.ok(performance.now() - start < 500, `${name}: ${Math.round(performance.now() - start)} ms`)
  }
})
