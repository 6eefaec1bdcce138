import t, { type Test } from "tap"
import { ask, bodyOf as body, type RawAnswer, RawConnection, requestBytes } from "../../kit/raw-http.ts"
import { connect, UpgradeRefused } from "../../kit/socket-client.ts"
import { basic, type FixtureOptions, goodKey, hamlet, startFixture } from "../http-fixture.ts"

const limits = { userRequestsPerMinute: 3, pollsPerMinute: 5, addressRequestsPerMinute: 4 }
const other = { Authorization: basic("other@example.org", goodKey) }
const wrong = { Authorization: basic("hamlet@example.org", "x".repeat(32)) }

const allowanceOf = (answer: RawAnswer | undefined) =>
  ["limit", "remaining", "reset"].map((name) => answer?.headers.get(`x-ratelimit-${name}`))

const limited = async (t: Test, options: FixtureOptions = {}) => {
  const server = await startFixture({ limits, ...options, config: { rateLimit: true, ...options.config } })
  t.teardown(server.stop)
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    ask(server.port, { path: `/api/v1${path}`, headers })
  return { ...server, get }
}

for (const knowsAll of [true, false]) {
  t.test(`a user's requests, ${knowsAll ? "the sender is cached" : "the sender is looked up"}`, async (t) => {
    const { get, clock, port } = await limited(t, { knowsAll })
    const reset = String(Math.ceil(clock.now() / 1000) + 60)
    for (const remaining of ["2", "1", "0"])
      t.strictSame(
        allowanceOf(await get("/echo", hamlet)),
        ["3", remaining, reset],
        "every answer states the limit, the remaining requests and the end of the window",
      )
    const refused = await get("/refused", hamlet)
    t.equal(refused?.status, 429)
    t.match(body(refused), { result: "error", code: "RATE_LIMIT_HIT", msg: /./, "retry-after": 60 })
    t.equal(refused?.headers.get("retry-after"), "60")
    t.strictSame(allowanceOf(refused), ["3", "0", reset])
    t.equal((await get("/echo", other))?.status, 200, "another user")

    for (const remaining of ["4", "3", "2", "1", "0"])
      t.strictSame(allowanceOf(await get("/polls", hamlet)), ["5", remaining, reset], "polls are counted separately")
    t.equal((await get("/polls", hamlet))?.status, 429)
    const target = { port, path: "/api/v1/events/ws?queue_id=q&last_event_id=1", headers: hamlet }
    const socket = await connect(target).catch((fault: unknown) => fault)
    t.match(socket, { status: 429 }, "WebSockets are counted with the polls")
    t.ok(socket instanceof UpgradeRefused)

    for (const path of ["/nope", "/hold/on"]) {
      const unknown = await get(path, hamlet)
      const counted = knowsAll ? 429 : 404
      t.equal(
        unknown?.status,
        counted,
        "what no endpoint takes counts on its sender, or where that takes a look-up on its address",
      )
    }
    t.equal((await ask(port, { method: "OPTIONS", path: "/api/v1/echo" }))?.status, 204)
    t.equal((await ask(port, { method: "DELETE", path: "/api/v1/open" }))?.status, 405)

    clock.advance(31_300)
    t.match(body(await get("/echo", hamlet)), { code: "RATE_LIMIT_HIT", "retry-after": 28.7 })
    clock.advance(28_700)
    t.equal((await get("/echo", hamlet))?.status, 200, "admitted in the next minute")
  })

  t.test(
    `wrong keys are counted on their address, ${knowsAll ? "the sender is cached" : "the sender is looked up"}`,
    async (t) => {
      const { get } = await limited(t, { knowsAll })
      for (const header of [wrong, { Authorization: "Basic ???" }, wrong, { Authorization: "Bearer x" }])
        t.match([400, 401], new RegExp(String((await get("/echo", header))?.status)))
      t.match(body(await get("/echo", wrong)), { code: "RATE_LIMIT_HIT" })
      t.match(body(await get("/open")), { code: "RATE_LIMIT_HIT" }, "wrong keys and visits are counted together")
      t.equal((await get("/echo", hamlet))?.status, 200, "a valid key from the same address is still admitted")
    },
  )
}

t.test("visitors are counted by address", async (t) => {
  const { get, port } = await limited(t)
  for (const remaining of ["3", "2"]) t.equal(allowanceOf(await get("/open"))[1], remaining)
  for (const remaining of ["1", "0"]) t.equal(allowanceOf(await get("/either"))[1], remaining)
  t.match(body(await get("/either")), { code: "RATE_LIMIT_HIT" })
  const signIn = await ask(port, { method: "POST", path: "/api/v1/keys" })
  t.equal(signIn?.status, 200, "signing in is counted separately")
})

t.test("requests that cannot be read are counted by address, also those with a valid key", async (t) => {
  const { port } = await limited(t)
  const sendForm = (body: string) =>
    ask(port, {
      method: "POST",
      path: "/api/v1/echo",
      headers: { ...hamlet, "Content-Type": "application/json" },
      body,
    })
  for (let sent = 0; sent < 4; sent++) t.equal((await sendForm('{"a":1}'))?.status, 400)
  t.match(body(await sendForm('{"a":1}')), { code: "RATE_LIMIT_HIT" })
  t.equal((await sendForm("{}"))?.status, 200, "a readable request is counted on its sender, who is still admitted")
})

t.test("behind a trusted proxy the address is taken from X-Forwarded-For", async (t) => {
  const { get } = await limited(t, { config: { trustedProxies: ["127.0.0.1"] } })
  const from = (forwarded: string) => get("/either", { "X-Forwarded-For": forwarded })
  t.match(body(await from("198.51.100.7")), { address: "198.51.100.7" })
  for (const made of ["1.1.1.1", "2.2.2.2", "3.3.3.3"]) t.equal((await from(`${made}, 198.51.100.7`))?.status, 200)
  t.equal(
    (await from("4.4.4.4, 198.51.100.7"))?.status,
    429,
    "entries that the client has put before the proxy's are ignored",
  )
  t.equal((await from("198.51.100.8"))?.status, 200)
  const lines = await get("/either", { "X-Forwarded-For": "", "x-forwarded-for": "198.51.100.9" })
  t.match(
    body(lines),
    { address: "198.51.100.9" },
    "the proxy's line is read although the client sent an empty one above it",
  )

  const direct = await limited(t)
  const visits = ["5.5.5.1", "5.5.5.2", "5.5.5.3", "5.5.5.4", "5.5.5.5"]
  const seen = []
  for (const made of visits) seen.push((await direct.get("/open", { "X-Forwarded-For": made }))?.status)
  t.strictSame(seen, [200, 200, 200, 200, 429], "without a trusted proxy X-Forwarded-For is ignored")
})

t.test("with limits off no request is counted and no header is sent", async (t) => {
  const { get } = await limited(t, { config: { rateLimit: false } })
  for (let count = 0; count < 20; count++) {
    const answer = await get("/echo", hamlet)
    t.equal(answer?.status, 200)
    t.strictSame(allowanceOf(answer), [undefined, undefined, undefined])
  }
  for (let count = 0; count < 20; count++) t.equal((await get("/echo", wrong))?.status, 401)
})

t.test("nothing that is refused before it reaches an endpoint is free", async (t) => {
  const { port, stage } = await limited(t, { limits: { ...limits, pageRequestsPerMinute: 2 } })
  const Host = "chat.example.org"
  const requests: ReadonlyArray<
    readonly [status: number, method: string, path: string, headers?: Record<string, string>]
  > = [
    [404, "GET", "/nowhere"],
    [404, "GET", "/api/v1/nowhere", wrong],
    [405, "DELETE", "/api/v1/open"],
    [400, "GET", "/api/v1/open", { Host: "a b" }],
    [429, "GET", "/nowhere"],
    [429, "GET", "/api/v1/nowhere"],
    [429, "DELETE", "/api/v1/open"],
    [429, "GET", "/api/v1/open", { Host: "a b" }],
    [429, "GET", "/api/v1/events/ws"],
    [429, "GET", `/api/v1/open?${"x".repeat(70_000)}`],
    [200, "GET", "/health"],
    [204, "OPTIONS", "/api/v1/echo"],
    [429, "GET", "/health"],
    [429, "POST", "/health"],
    [429, "OPTIONS", "/api/v1/echo"],
  ]
  for (const [status, method, path, headers = {}] of requests)
    t.equal(
      (await ask(port, { method, path, headers: { Host, ...headers } }))?.status,
      status,
      `${method} ${path.slice(0, 30)}`,
    )
  const upgrade = { Upgrade: "websocket", "Sec-WebSocket-Key": `${"A".repeat(22)}==`, "Sec-WebSocket-Version": "8" }
  const path = "/api/v1/events/ws?queue_id=q&last_event_id=1"
  t.equal((await ask(port, { path, headers: upgrade }))?.status, 429, "an upgrade that cannot be read")
  const socket = { ...upgrade, "Sec-WebSocket-Version": "13" }
  t.equal((await ask(port, { path, headers: socket }))?.status, 429, "a socket that has yet to sign in")
  t.equal(
    (await ask(port, { path: "/api/v1/echo", headers: hamlet }))?.status,
    200,
    "who has signed in is not concerned",
  )
  t.strictSame(new Set(stage.refusals), new Set(["requests of an address: 127.0.0.1"]))
})

t.test("who goes on after many refusals loses the connection", async (t) => {
  const { port, stage } = await limited(t, { knowsAll: true })
  for (const [path, headers] of [
    ["/api/v1/open", {}],
    ["/api/v1/echo", hamlet],
  ] as const) {
    const connection = new RawConnection(port)
    const request = requestBytes({ path, headers })
    for (let refused = 0; refused < 100; ) {
      connection.write(request)
      const answer = await connection.next()
      if (answer?.status === 429) refused += 1
      t.notOk(answer?.headers.has("connection"))
    }
    connection.write(request)
    const last = await connection.next()
    t.equal(last?.status, 429)
    t.equal(last?.headers.get("connection"), "close")
    await connection.closed
  }
  t.ok(stage.refusals.includes("requests of a user: user 7 of realm 1"))
})
