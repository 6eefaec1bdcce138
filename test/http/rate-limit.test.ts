/** Limits on requests: the counter alone, whose address a request comes from, and what a client over its limit sees. */
import * as Result from "effect/Result"
import t, { type Test } from "tap"
import { makeClientAddress } from "../../src/http/client-address.ts"
import { makeRateCounter } from "../../src/rate-counter.ts"
import { bounded, strictObject, string } from "../../src/shapes.ts"
import { ask, bodyOf as body, type RawAnswer } from "../kit/raw-http.ts"
import { connect, UpgradeRefused } from "../kit/socket-client.ts"
import { basic, type FixtureOptions, goodKey, hamlet, makeClock, startFixture } from "./http-fixture.ts"

t.test("a window begins with the first request and admits so many", async (t) => {
  const clock = makeClock()
  const counter = makeRateCounter<string>(clock, { windowMs: 60_000, limit: 3, mostKeys: 10 })
  const end = clock.now() / 1000 + 60
  t.strictSame(counter.peek("a"), { limit: 3, remaining: 3, resetAt: end, waitSeconds: null })
  t.strictSame(counter.count("a"), { limit: 3, remaining: 2, resetAt: end, waitSeconds: null })
  clock.advance(20_000)
  t.strictSame(counter.count("a"), { limit: 3, remaining: 1, resetAt: end, waitSeconds: null })
  t.strictSame(counter.count("a"), { limit: 3, remaining: 0, resetAt: end, waitSeconds: null })
  clock.advance(11_300)
  const refused = { limit: 3, remaining: 0, resetAt: end, waitSeconds: 28.7 }
  for (let again = 0; again < 5; again++) t.strictSame(counter.count("a"), refused, "what is refused is not counted")
  t.strictSame(counter.peek("a"), refused)
  t.equal(counter.count("b").remaining, 2, "another key")
  clock.advance(28_699)
  t.equal(counter.count("a").waitSeconds, 0.001)
  clock.advance(1)
  t.match(counter.count("a"), { remaining: 2, waitSeconds: null }, "the next window")
})

t.test("what is taken back was never counted", async (t) => {
  const clock = makeClock()
  const counter = makeRateCounter<number>(clock, { windowMs: 1000, limit: 2, mostKeys: 10 })
  counter.takeBack(1)
  for (let round = 0; round < 5; round++) {
    t.equal(counter.count(1).waitSeconds, null)
    counter.takeBack(1)
  }
  t.equal(counter.peek(1).remaining, 2)
  counter.count(1)
  clock.advance(1000)
  counter.takeBack(1)
  t.equal(counter.peek(1).remaining, 2, "a window that has ended owes nothing")
})

t.test("a window keeps its count when its generation grows old", async (t) => {
  const clock = makeClock()
  const counter = makeRateCounter<string>(clock, { windowMs: 1000, limit: 2, mostKeys: 10 })
  clock.advance(900)
  counter.count("late")
  counter.count("late")
  clock.advance(200)
  t.equal(counter.count("late").waitSeconds, 0.8)
  clock.advance(790)
  t.equal(counter.count("late").waitSeconds, 0.01, "moved with its first window")
  clock.advance(10)
  t.equal(counter.count("late").waitSeconds, null)
})

t.test("a million keys are bounded, and wash out nobody's count", async (t) => {
  const clock = makeClock()
  const mostKeys = 10_000
  const counter = makeRateCounter<string>(clock, { windowMs: 60_000, limit: 5, mostKeys })
  for (let count = 0; count < 5; count++) counter.count("guesser")
  let refused = 0
  for (let key = 0; key < 1_000_000; key++) {
    if (counter.count(`address ${key}`).waitSeconds !== null) refused++
    if (key % 10_000 === 0) clock.advance(1000)
  }
  t.ok(counter.size() <= 2 * mostKeys, `${counter.size()} keys are kept`)
  t.ok(refused > 900_000, "those that there is no room for share one window")
  clock.advance(120_000)
  t.equal(counter.count("address 5").waitSeconds, null, "when the flood is over everybody is counted alone again")
  t.equal(counter.size(), 1)

  for (let count = 0; count < 5; count++) counter.count("guesser")
  for (let key = 0; key < 100_000; key++) counter.count(`address ${key}`)
  clock.advance(59_000)
  t.equal(counter.count("guesser").waitSeconds, 1)
})

t.test("whose address it is", async (t) => {
  const behind = makeClientAddress(["127.0.0.1", "10.0.0.0/8", "fd00::/8"])
  const table: ReadonlyArray<readonly [peer: string, forwarded: string, key: string]> = [
    ["192.0.2.1", "", "192.0.2.1"],
    ["192.0.2.1", "198.51.100.7", "192.0.2.1"],
    ["127.0.0.1", "", "127.0.0.1"],
    ["127.0.0.1", "198.51.100.7", "198.51.100.7"],
    ["127.0.0.1", "6.6.6.6, 198.51.100.7", "198.51.100.7"],
    ["127.0.0.1", "6.6.6.6,198.51.100.7 , 10.1.2.3", "198.51.100.7"],
    ["127.0.0.1", "10.9.9.9", "10.9.9.9"],
    ["127.0.0.1", "198.51.100.7:4711", "198.51.100.7"],
    ["127.0.0.1", "garbage", "127.0.0.1"],
    ["127.0.0.1", "198.51.100.7, unknown, 10.1.2.3", "10.1.2.3"],
    ["127.0.0.1", ",,", "127.0.0.1"],
    ["127.0.0.1", `6.6.6.6${", 10.0.0.1".repeat(5000)}`, "10.0.0.1"],
    ["0000:0000:0000:0000:0000:ffff:7f00:0001", "198.51.100.7", "198.51.100.7"],
    ["0000:0000:0000:0000:0000:ffff:c000:0201", "", "192.0.2.1"],
    ["2001:0db8:0001:0002:0003:0004:0005:0006", "", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::9", "", "2001:db8:1:2::/64"],
    ["2001:db8::", "", "2001:db8:0:0::/64"],
    ["::1", "", "0:0:0:0::/64"],
    ["fd00::1", "2001:db8:1:2:3::4", "2001:db8:1:2::/64"],
    ["fd00::1", "[2001:db8:1:2::4]:443", "2001:db8:1:2::/64"],
    ["fd00::1", "::ffff:198.51.100.7", "198.51.100.7"],
    ["fd00::1", "64:ff9b::198.51.100.7", "64:ff9b:0:0::/64"],
    ["", "198.51.100.7", ""],
  ]
  for (const [peer, forwarded, key] of table) t.equal(behind(peer, forwarded), key, `${peer} ${forwarded.slice(0, 40)}`)
  t.equal(makeClientAddress([])("127.0.0.1", "198.51.100.7"), "127.0.0.1", "nobody is trusted unasked")
})

t.test("texts of a length and objects without surplus", async (t) => {
  const name = bounded({ min: 1, max: 3 })
  const faultOf = <A>(result: Result.Result<A, string>) => (Result.isFailure(result) ? result.failure : undefined)
  t.equal(faultOf(name("abc", "v")), undefined)
  t.equal(faultOf(name("🐙🐙🐙", "v")), undefined, "a character of two units is one")
  t.equal(faultOf(name("🐙🐙🐙🐙", "v")), "v is too long (limit: 3 characters)")
  t.equal(faultOf(name("abcdefgh", "v")), "v is too long (limit: 3 characters)")
  t.equal(faultOf(name("", "v")), "v cannot be blank")
  t.equal(faultOf(bounded({ min: 2 })("🐙", "v[0]")), "v[0] is too short.")
  t.equal(faultOf(bounded({ min: 2 })("ab", "v")), undefined)
  t.equal(faultOf(name(5, "v")), "v is not a string")
  const draft = strictObject({ topic: string })
  t.strictSame(draft({ topic: "a" }, "drafts[0]"), Result.succeed({ topic: "a" }))
  t.equal(faultOf(draft({ topic: "a", to: 5 }, "drafts[0]")), 'Argument "to" at drafts[0] is unexpected')
  t.equal(faultOf(draft({}, "v")), 'v["topic"] field is missing')
  t.equal(faultOf(draft([], "v")), "v is not a dict")
})

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
  t.test(`a user's requests, ${knowsAll ? "known at once" : "found out first"}`, async (t) => {
    const { get, clock, port } = await limited(t, { knowsAll })
    const reset = String(Math.ceil(clock.now() / 1000) + 60)
    for (const remaining of ["2", "1", "0"])
      t.strictSame(allowanceOf(await get("/echo", hamlet)), ["3", remaining, reset], "told with every answer")
    const refused = await get("/refused", hamlet)
    t.equal(refused?.status, 429)
    t.match(body(refused), { result: "error", code: "RATE_LIMIT_HIT", msg: /./, "retry-after": 60 })
    t.equal(refused?.headers.get("retry-after"), "60")
    t.strictSame(allowanceOf(refused), ["3", "0", reset])
    t.equal((await get("/echo", other))?.status, 200, "another user")

    for (const remaining of ["4", "3", "2", "1", "0"])
      t.strictSame(allowanceOf(await get("/polls", hamlet)), ["5", remaining, reset], "polls are counted apart")
    t.equal((await get("/polls", hamlet))?.status, 429)
    const target = { port, path: "/api/v1/events/ws?queue_id=q&last_event_id=1", headers: hamlet }
    const socket = await connect(target).catch((fault: unknown) => fault)
    t.match(socket, { status: 429 }, "and sockets with them")
    t.ok(socket instanceof UpgradeRefused)

    for (const path of ["/nope", "/hold/on"]) t.equal((await get(path, hamlet))?.status, 404, "no such place is free")
    t.equal((await ask(port, { method: "OPTIONS", path: "/api/v1/echo" }))?.status, 204)
    t.equal((await ask(port, { method: "DELETE", path: "/api/v1/open" }))?.status, 405)

    clock.advance(31_300)
    t.match(body(await get("/echo", hamlet)), { code: "RATE_LIMIT_HIT", "retry-after": 28.7 })
    clock.advance(28_700)
    t.equal((await get("/echo", hamlet))?.status, 200, "the next minute")
  })

  t.test(`wrong keys are counted on their address, ${knowsAll ? "known at once" : "found out first"}`, async (t) => {
    const { get } = await limited(t, { knowsAll })
    for (const header of [wrong, { Authorization: "Basic ???" }, wrong, { Authorization: "Bearer x" }])
      t.match([400, 401], new RegExp(String((await get("/echo", header))?.status)))
    t.match(body(await get("/echo", wrong)), { code: "RATE_LIMIT_HIT" })
    t.match(body(await get("/open")), { code: "RATE_LIMIT_HIT" }, "together with its visits")
    t.equal((await get("/echo", hamlet))?.status, 200, "a right key is not held up by its neighbours")
  })
}

t.test("visitors are counted by address", async (t) => {
  const { get, port } = await limited(t)
  for (const remaining of ["3", "2"]) t.equal(allowanceOf(await get("/open"))[1], remaining)
  for (const remaining of ["1", "0"]) t.equal(allowanceOf(await get("/either"))[1], remaining)
  t.match(body(await get("/either")), { code: "RATE_LIMIT_HIT" })
  const signIn = await ask(port, { method: "POST", path: "/api/v1/keys" })
  t.equal(signIn?.status, 200, "signing in has an allowance of its own")
})

t.test("what cannot be read is counted by address, whoever has signed it", async (t) => {
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
  t.equal((await sendForm("{}"))?.status, 200, "what can be read counts on its sender")
})

t.test("behind a proxy the address is the one that it tells", async (t) => {
  const { get } = await limited(t, { config: { trustedProxies: ["127.0.0.1"] } })
  const from = (forwarded: string) => get("/either", { "X-Forwarded-For": forwarded })
  t.match(body(await from("198.51.100.7")), { address: "198.51.100.7" })
  for (const made of ["1.1.1.1", "2.2.2.2", "3.3.3.3"]) t.equal((await from(`${made}, 198.51.100.7`))?.status, 200)
  t.equal((await from("4.4.4.4, 198.51.100.7"))?.status, 429, "what the client puts before it changes nothing")
  t.equal((await from("198.51.100.8"))?.status, 200)
  const lines = await get("/either", { "X-Forwarded-For": "", "x-forwarded-for": "198.51.100.9" })
  t.match(body(lines), { address: "198.51.100.9" }, "the proxy's own line below an empty one of the client's")

  const direct = await limited(t)
  const visits = ["5.5.5.1", "5.5.5.2", "5.5.5.3", "5.5.5.4", "5.5.5.5"]
  const seen = []
  for (const made of visits) seen.push((await direct.get("/open", { "X-Forwarded-For": made }))?.status)
  t.strictSame(seen, [200, 200, 200, 200, 429], "without a proxy it is not looked at")
})

t.test("off: nothing is counted and nothing told", async (t) => {
  const { get } = await limited(t, { config: { rateLimit: false } })
  for (let count = 0; count < 20; count++) {
    const answer = await get("/echo", hamlet)
    t.equal(answer?.status, 200)
    t.strictSame(allowanceOf(answer), [undefined, undefined, undefined])
  }
  for (let count = 0; count < 20; count++) t.equal((await get("/echo", wrong))?.status, 401)
})
