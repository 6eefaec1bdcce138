/** Request bodies: who sends one is known before it is kept, and memory and time are bounded. */
import t, { type Test } from "tap"
import { defaultLimits } from "../../../src/config/config.ts"
import { BodyBudget } from "../../../src/http/bodies/body-budget.ts"
import { ask, bodyOf, RawConnection, requestBytes } from "../../kit/raw-http.ts"
import { basic, type FixtureOptions, form, goodKey, hamlet, startFixture, until } from "../http-fixture.ts"

const start = async (t: Test, options: FixtureOptions = {}) => {
  const server = await startFixture(options)
  t.teardown(server.stop)
  /** A request with the beginning of a body, and more of it declared. */
  const begin = (path: string, headers: Readonly<Record<string, string>>, size: number, declared = 900_000) => {
    const connection = new RawConnection(server.port)
    const head = { ...headers, "Content-Length": String(declared) }
    connection.write(requestBytes({ method: "POST", path: `/api/v1${path}`, headers: head }))
    connection.write("x".repeat(size))
    return connection
  }
  return { ...server, begin }
}

const wrong = { Authorization: basic("hamlet@example.org", "x".repeat(32)) }

for (const knowsAll of [true, false]) {
  t.test(`a key is checked before the body, ${knowsAll ? "known" : "looked up"}`, async (t) => {
    const { begin, stage, port } = await start(t, { knowsAll })
    const table: ReadonlyArray<
      readonly [name: string, path: string, headers: Record<string, string>, status: number, size: number]
    > = [
      ["no key", "/echo", {}, 401, 10],
      ["a wrong key", "/echo", wrong, 401, 10],
      ["an unreadable key", "/echo", { Authorization: "Bearer x" }, 400, 10],
      ["nobody's at an open endpoint, too long", "/keys", {}, 413, 65_537],
      ["a wrong key's at an open endpoint, too long", "/keys", wrong, 413, 65_537],
    ]
    for (const [name, path, headers, status, size] of table) {
      const connection = begin(path, headers, size)
      const refused = await connection.next()
      t.equal(refused?.status, status, name)
      t.equal(refused?.headers.get("connection"), "close", name)
      await connection.closed
    }
    const whole = (path: string, headers: Record<string, string>, size: number) =>
      ask(port, { method: "POST", path: `/api/v1${path}`, headers, body: `a=${"x".repeat(size - 2)}` })
    t.equal((await whole("/keys", {}, 65_536))?.status, 200)
    t.equal((await whole("/keys", {}, 65_537))?.status, 413, "also where it comes at once")
    t.equal((await whole("/echo", form, 1024 * 1024))?.status, 200)
    t.equal((await whole("/echo", form, 1024 * 1024 + 1))?.status, 413)
    const slow = begin("/echo", form, 100_000, 200_000)
    await ask(port, { path: "/health" })
    slow.write(`${"x".repeat(99_998)}=1`)
    t.equal((await slow.next())?.status, 200)
    slow.destroy()
    t.strictSame(stage.defects, [])
  })
}

t.test("a key is checked while the realm is looked for, and nothing more is read meanwhile", async (t) => {
  const { begin } = await start(t)
  for (const [email, status] of [
    ["down@example.org", 503],
    ["broken@example.org", 500],
  ] as const) {
    const connection = begin("/echo", { Authorization: basic(email, goodKey) }, 10)
    t.equal((await connection.next())?.status, status, email)
    await connection.closed
  }
})

t.test("a connection is read on after a large body whose sender had to be looked up", async (t) => {
  const { port } = await start(t, { loadsRealm: true })
  const connection = new RawConnection(port)
  const body = `a=${"x".repeat(100_000)}`
  for (const round of [1, 2]) {
    const head = { ...form, "Content-Length": String(body.length) }
    connection.write(requestBytes({ method: "POST", path: "/api/v1/echo", headers: head }) + body)
    t.equal((await connection.next())?.status, 200, `request ${round}`)
  }
  connection.destroy()
})

t.test("a sender whose allowance is used up is refused before the body", async (t) => {
  const limits = { userRequestsPerMinute: 1, addressRequestsPerMinute: 1 }
  const { begin, port } = await start(t, { config: { rateLimit: true }, limits, knowsAll: true })
  t.equal((await ask(port, { path: "/api/v1/echo", headers: hamlet }))?.status, 200)
  t.equal((await ask(port, { path: "/api/v1/open" }))?.status, 200)
  for (const [path, headers] of [
    ["/echo", form],
    ["/echo", {}],
  ] as const)
    t.match(bodyOf(await begin(path, headers, 10).next()), { code: "RATE_LIMIT_HIT" })
})

t.test("bodies that are being read take so much of one sender, of strangers, and in all", async (t) => {
  const megabyte = 1024 * 1024
  const limits = { requestBytesPerSender: 3 * megabyte, requestBytesInAll: 4 * megabyte, imageFileBytes: megabyte }
  const { begin, port, stage } = await start(t, { limits, knowsAll: true })
  const open: Array<RawConnection> = []
  /** Begins bodies until one is refused; its answer. */
  const fill = async (path: string, headers: Readonly<Record<string, string>>, size: number) => {
    const [before, first] = [stage.refusals.length, open.length]
    while (stage.refusals.length === before) {
      open.push(begin(path, headers, size))
      if (open.length > 100) throw new Error("no bound")
      await ask(port, { path: "/health" })
      await ask(port, { path: "/health" })
    }
    return Promise.race(open.slice(first).map((connection) => connection.next()))
  }
  const refused = await fill("/keys", {}, 60_000)
  t.equal(refused?.status, 503)
  t.match(bodyOf(refused), { code: "SERVICE_UNAVAILABLE", "retry-after": 1 })
  const ofStrangers = open.length - stage.refusals.length
  t.ok(ofStrangers >= 14 && ofStrangers <= 17, `${ofStrangers} of strangers in a quarter`)
  const accountBegins = open.length
  const full = await fill("/echo", form, 500_000)
  t.equal(full?.status, 503, "of one account")
  t.ok(open.length > accountBegins + 1, "an account has room although the strangers have used theirs up")
  for (const connection of open) connection.destroy()
  await Promise.all(open.map(({ closed }) => closed))
  t.strictSame(new Set(stage.refusals), new Set(["request bodies: 127.0.0.1", "request bodies: user 7 of realm 1"]))
  const again = begin("/echo", form, 500_000, 500_010)
  await ask(port, { path: "/health" })
  again.write("x".repeat(10))
  t.equal((await again.next())?.status, 200, "what has ended is given back")
  again.destroy()
})

t.test("a body that drips is cut in time, and one that has come is not", async (t) => {
  const { begin, clock, port, stage, drain } = await start(t, { limits: { requestBodySeconds: 60 }, knowsAll: true })
  const dripping = begin("/echo", form, 10)
  const done = begin("/gate", form, 10, 20)
  await until(() => clock.pending() === 2)
  done.write("x".repeat(10))
  await until(() => stage.gates.length === 1)
  t.equal(clock.pending(), 1)
  for (let second = 0; second < 59; second++) clock.advance(1000)
  dripping.write("x")
  await ask(port, { path: "/health" })
  clock.advance(1000)
  t.equal(await dripping.next(), undefined)
  t.strictSame(stage.refusals, ["request bodies: user 7 of realm 1"])
  stage.gates[0]?.()
  t.equal((await done.next())?.status, 200)
  done.destroy()
  t.equal(clock.pending(), 0)
  await new Promise<void>((resolve) => {
    void import("effect/Effect").then(({ runFork }) => runFork(drain(1)).addObserver(() => resolve()))
  })
  t.pass("none counts as in flight")
})

t.test("the budget counts what is taken and given back", async (t) => {
  const budget = new BodyBudget({
    ...defaultLimits,
    maxRequestBytes: 10,
    imageFileBytes: 10,
    requestBytesPerSender: 80_000,
    requestBytesInAll: 400_000,
  })
  const [account, other] = ["user 1", "user 2"].map((who) => ({ who, isAccount: true }))
  const strangers = ["a", "b"].map((who) => ({ who, isAccount: false }))
  if (account === undefined || other === undefined) return t.fail("no accounts")
  t.ok(budget.take(account, 80_000))
  t.notOk(budget.take(account, 1), "of one sender")
  t.ok(budget.take(other, 80_000))
  t.strictSame(
    strangers.map((each) => budget.take(each, 60_000)),
    [true, false],
    "a quarter for strangers",
  )
  t.equal(budget.taken, 220_000)
  for (const each of [account, other]) budget.giveBack(each, 80_000)
  for (const each of strangers.slice(0, 1)) budget.giveBack(each, 60_000)
  t.equal(budget.taken, 0)
  t.ok(budget.take(account, 80_000))
})
