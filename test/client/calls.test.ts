/** Calls of endpoints by the client: what they answer, how they are refused, what is tried again and what never is. */
import { mock } from "node:test"
import t from "tap"
import { Client, isRefused, Refused, Unanswered } from "../../src/client/index.ts"
import { findFreePort } from "../../src/testing/free-port.ts"
import { withServer } from "../kit/with-server.ts"
import { clientOf } from "./client-of.ts"
import { type Line, ok, refusal, scriptedServer } from "./scripted-server.ts"

const settled = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error)
const direct = { type: "direct", to: [7], content: "hello" } as const

t.test("calls of a real server", (t) =>
  withServer(t, { channels: [{ name: "5", users: ["hamlet"] }] }, async (server) => {
    const hamlet = clientOf(server, "hamlet")
    const visitor = new Client({ server: `${server.origin}/` })

    await t.test("answers have the fields of a success", async (t) => {
      const me = await hamlet.call("GET /users/me")
      t.equal("user_id" in me ? me.user_id : null, server.idOf("hamlet"))
      t.equal(typeof (await visitor.call("GET /server_settings")).zulip_version, "string")
      const { id } = await hamlet.call("POST /messages", { type: "channel", to: "5", topic: "t", content: "5" })
      const { message } = await hamlet.call("GET /messages/{message_id}", { message_id: id, apply_markdown: false })
      t.match(message, { display_recipient: "5", content: "5" }, "to the channel 5, not to the one with that id")
      const ids = [id]
      const { messages } = await hamlet.call("GET /messages", { message_ids: ids })
      t.same(
        messages.map((each) => each.id),
        ids,
      )
    })

    await t.test("a refusal tells its code", async (t) => {
      const error = await settled(hamlet.call("POST /messages", { ...direct, type: "channel", to: "none", topic: "t" }))
      if (!isRefused(error, "POST /messages")) throw error
      const code: "STREAM_DOES_NOT_EXIST" | null = error.code === "STREAM_DOES_NOT_EXIST" ? error.code : null
      t.same([code, error.status, error.body["stream"]], ["STREAM_DOES_NOT_EXIST", 400, "none"])
      t.equal(isRefused(error, "GET /messages"), false)
      t.match(error.message, "POST /messages: Channel 'none' does not exist")
      t.match(await settled(visitor.call("GET /users/me")), { code: "UNAUTHORIZED", status: 401 })
      const wrong = new Client({
        server: server.origin,
        account: { email: "hämlet@example.com", apiKey: "x".repeat(32) },
      })
      t.match(await settled(wrong.call("GET /users/me")), { code: "UNAUTHORIZED" })
    })

    await t.test("files", async (t) => {
      const { url } = await hamlet.call("POST /user_uploads", { file: new File(["some text"], "ä b.txt") })
      t.match(url, /^\/user_uploads\/.*b\.txt$/)
      const { attachments } = await hamlet.call("GET /attachments")
      t.match(attachments, [{ size: 9 }])
    })
  }),
)

const unavailable = refusal(503, "SERVICE_UNAVAILABLE", { "retry-after": 0.01 })
const limited = refusal(429, "RATE_LIMIT_HIT", { "retry-after": 0.3 })

t.test("what is tried again", async (t) => {
  const cases: ReadonlyArray<readonly [what: string, script: ReadonlyArray<Line>, requests: number, end: object]> = [
    ["what was certainly not done", [unavailable, unavailable, ok({ id: 1 })], 3, { id: 1 }],
    ["what was limited", [limited, ok({ id: 1 })], 2, { id: 1 }],
    ["not what may be done", ["cut", ok({ id: 1 })], 1, { name: "Unanswered", mayBeDone: true }],
    ["nor where a proxy answers", [{ status: 502, body: "<html>" }, ok({ id: 1 })], 1, { name: "Unanswered" }],
    ["nor what is refused for good", [refusal(400, "BAD_REQUEST"), ok()], 1, { code: "BAD_REQUEST" }],
    ["nor what failed", [refusal(500, "INTERNAL_SERVER_ERROR"), ok()], 1, { status: 500 }],
  ]
  for (const [what, script, requests, end] of cases) {
    const { url, received } = await scriptedServer(t, script)
    t.match(await settled(new Client({ server: url }).call("POST /messages", direct)), end, what)
    t.equal(received.length, requests, what)
  }
  const script = ["cut", { status: 502, body: "<html>" }, "cut", ok({ id: 5 })] as const
  const known = { ...direct, queue_id: "q", local_id: "l" }
  const safe = await scriptedServer(t, script)
  t.match(await new Client({ server: safe.url }).call("POST /messages", known), { id: 5 }, "under a local id")
  t.equal(new Set(safe.received.map(({ body }) => body)).size, 1, "each time the same")
  const read = await scriptedServer(t, script)
  t.match(await new Client({ server: read.url }).call("GET /users/me"), { id: 5 }, "a GET")
})

t.test("a limit is waited for, as long as it is said to last", async (t) => {
  const { url, received } = await scriptedServer(t, [
    limited,
    refusal(429, "RATE_LIMIT_HIT", {}, { "Retry-After": "1" }),
    ok(),
  ])
  await new Client({ server: url }).call("GET /users/me")
  const [first = 0, second = 0, third = 0] = received.map(({ at }) => at)
  t.ok(second - first >= 300 && third - second >= 1000, `${second - first}, ${third - second}`)
  const busy = await scriptedServer(t, [refusal(429, "RATE_LIMIT_HIT", { "retry-after": 100 })])
  const error = await settled(new Client({ server: busy.url }).call("GET /users/me"))
  t.match(error, { code: "RATE_LIMIT_HIT", retryAfterMilliseconds: 100_000 }, "not beyond one's patience")
  t.equal(busy.received.length, 1)
})

t.test("a call ends by its time, its signal, or after one try", async (t) => {
  const { url } = await scriptedServer(t, ["silent"])
  const client = new Client({ server: url })
  const late = await settled(client.call("GET /users/me", {}, { patienceMilliseconds: 100 }))
  t.ok(late instanceof Unanswered && late.mayBeDone)
  t.match(late, { message: /within \d+ ms$/ })
  const ended = new AbortController()
  const called = settled(client.call("GET /users/me", {}, { signal: ended.signal }))
  const reason = new Error("enough")
  ended.abort(reason)
  t.equal(await called, reason)
  t.equal(await settled(client.call("GET /users/me", {}, { signal: ended.signal })), reason, "nor begins")
  const once = await scriptedServer(t, [unavailable, ok()])
  const error = await settled(new Client({ server: once.url }).call("GET /users/me", {}, { retries: false }))
  t.ok(error instanceof Refused && error.isForNow)
  const waiting = new AbortController()
  const away = await scriptedServer(t, [refusal(503, "SERVICE_UNAVAILABLE", { "retry-after": 50 })])
  const paused = settled(new Client({ server: away.url }).call("GET /users/me", {}, { signal: waiting.signal }))
  while (away.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  waiting.abort(reason)
  t.equal(await paused, reason, "in a pause, too")
})

t.test("a silent connection is given up for another one, but not a poll", async (t) => {
  for (const [operation, isGivenUp] of [
    ["GET /users/me", true],
    ["GET /events", false],
  ] as const) {
    const asked: Array<AbortSignal | null | undefined> = []
    const ask: typeof fetch = (_, init) => {
      asked.push(init?.signal)
      return new Promise<Response>((_, reject) => init?.signal?.addEventListener("abort", () => reject(new Error())))
    }
    const ended = new AbortController()
    mock.timers.enable({ apis: ["setTimeout"] })
    const client = new Client({ server: "http://localhost", fetch: ask })
    const params = { queue_id: "q", last_event_id: 1 }
    const called = settled(client.call(operation, operation === "GET /events" ? params : {}, { signal: ended.signal }))
    mock.timers.tick(45_000)
    t.equal(asked[0]?.aborted, isGivenUp, operation)
    mock.timers.reset()
    ended.abort()
    await called
  }
})

t.test("a server that is not there has done nothing: every call waits for it", async (t) => {
  const { url } = await scriptedServer(t, [ok()])
  const nobody = `http://127.0.0.1:${await findFreePort()}`
  const error = await settled(
    new Client({ server: nobody }).call("POST /messages", direct, { patienceMilliseconds: 300 }),
  )
  t.ok(error instanceof Unanswered && !error.mayBeDone)
  let tries = 0
  const client = new Client({
    server: nobody,
    fetch: (input, init) => fetch(++tries < 3 ? input : String(input).replace(nobody, url), init),
  })
  await client.call("POST /messages", direct)
  t.equal(tries, 3)
})
