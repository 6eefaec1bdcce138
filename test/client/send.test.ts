/** I9 from the client's side: a send is made once, however its answers are lost, and ends when it is told to. */
import t from "tap"
import { Client, isRefused, Refused, Unanswered } from "../../src/client/index.ts"
import { startProxy } from "../../src/testing/fault-proxy.ts"
import { findFreePort } from "../../src/testing/free-port.ts"
import { until } from "../kit/test-database.ts"
import { type TestServer, withServer } from "../kit/with-server.ts"
import { clientOf } from "./client-of.ts"
import { ok, refusal, scriptedServer } from "./scripted-server.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia"] }] as const
const patience = 60_000
const message = (content: string) => ({ type: "channel", to: "lobby", topic: "t", content }) as const

const idsOf = async (server: TestServer, content: string) =>
  (await server.rows("select id from message where content = $1 order by id", [content])).map((row) => row["id"])

t.test("a send whose answers are lost is posted once", async (t) => {
  const port = await findFreePort()
  const proxy = await startProxy("127.0.0.1", port)
  await withServer(t, { channels, config: { port } }, async (server) => {
    const hamlet = clientOf(server, "hamlet", { server: `http://127.0.0.1:${proxy.port}` })

    await t.test("the answer is lost on its way", async (t) => {
      proxy.stall("answers")
      const sent = hamlet.send(message("lost"))
      await until("it is posted", patience, async () => (await idsOf(server, "lost")).length > 0)
      proxy.cut()
      proxy.resume()
      const { id } = await sent
      t.same(await idsOf(server, "lost"), [id])
    })

    await t.test("the server is killed after the commit, before the answer", async (t) => {
      proxy.stall("answers")
      const sent = hamlet.send(message("killed"))
      await until("it is posted", patience, async () => (await idsOf(server, "killed")).length > 0)
      await server.faults.kill()
      proxy.cut()
      proxy.resume()
      const { id } = await sent
      t.same(await idsOf(server, "killed"), [id])
    })

    await t.test("the database did not take it, then it did", async (t) => {
      server.faults.failCommits("unsent", "unsent", "lost")
      const { id } = await hamlet.send(message("unsent"))
      t.same(await idsOf(server, "unsent"), [id])
    })

    await t.test("the server is away, and comes back", async (t) => {
      await proxy.refuse()
      proxy.cut()
      const sent = hamlet.send(message("away"))
      await server.restart()
      await proxy.accept()
      const { id } = await sent
      t.same(await idsOf(server, "away"), [id])
    })

    await t.test("many at once while connections are cut", async (t) => {
      const contents = Array.from({ length: 60 }, (_, n) => `many ${n}`)
      const sending = contents.map((content) => hamlet.send(message(content)))
      for (let n = 0; n < 5; n++) {
        await new Promise((resolve) => setTimeout(resolve, 20))
        proxy.cut()
      }
      const ids = (await Promise.all(sending)).map(({ id }) => id)
      for (const [n, content] of contents.entries()) t.same(await idsOf(server, content), [ids[n]])
      t.equal(new Set(ids).size, 60)
    })
  })
  await proxy.close()
})

t.test("sends that look alike are two; one under ids of one's own is one", (t) =>
  withServer(t, { channels }, async (server) => {
    const hamlet = clientOf(server, "hamlet")
    const [first, second] = await Promise.all([hamlet.send(message("twice")), hamlet.send(message("twice"))])
    t.not(first.id, second.id)
    const state = await hamlet.call("POST /register", { event_types: ["message"], apply_markdown: false })
    const queue_id = state.queue_id ?? ""
    const own = { ...message("once"), queue_id, local_id: "1" }
    t.equal((await hamlet.send(own)).id, (await clientOf(server, "hamlet").send(own)).id)
    const { events } = await hamlet.call("GET /events", {
      queue_id,
      last_event_id: state.last_event_id,
      dont_block: true,
    })
    t.match(
      events,
      [{ type: "message", local_message_id: "1", message: { content: "once" } }],
      "and the queue knows it",
    )
    const error = await hamlet.send({ ...own, content: "other" }).catch((error: unknown) => error)
    t.ok(isRefused(error, "POST /messages") && error.code === "BAD_REQUEST", "the same ids for another message")
  }),
)

t.test("an empty id is none", async (t) => {
  const none = { ...message("x"), queue_id: "", local_id: "" }
  const sent = await scriptedServer(t, ["cut", ok({ id: 3 })])
  t.match(await new Client({ server: sent.url }).send(none), { id: 3 })
  const [first] = sent.received.map(({ body }) => new URLSearchParams(body))
  t.ok(first?.get("queue_id") && first.get("local_id"), "a send has its own")
  for (const ids of [{}, { queue_id: "q" }, { local_id: "l" }]) {
    const { url, received } = await scriptedServer(t, ["cut", ok({ id: 3 })])
    const error = await new Client({ server: url }).call("POST /messages", { ...none, ...ids }).catch((error) => error)
    t.ok(error instanceof Unanswered && received.length === 1, "a call is not tried again")
  }
})

t.test("what is waited for, and what ends a send", async (t) => {
  const retry = { "retry-after": 0.05 }
  const busy = [
    refusal(429, "RATE_LIMIT_HIT", retry),
    refusal(503, "SERVICE_UNAVAILABLE", retry),
    "cut",
    ok({ id: 3 }),
  ] as const
  const { url, received } = await scriptedServer(t, busy)
  t.match(await new Client({ server: url }).send(message("x")), { id: 3 })
  const forms = received.map(({ body }) => new URLSearchParams(body))
  t.equal(new Set(forms.map((form) => `${form.get("queue_id")} ${form.get("local_id")}`)).size, 1)
  t.ok(forms[0]?.get("queue_id") && forms[0].get("local_id"))

  const refused = await scriptedServer(t, [refusal(400, "STREAM_DOES_NOT_EXIST")])
  const error = await new Client({ server: refused.url }).send(message("x")).catch((error: unknown) => error)
  t.ok(error instanceof Refused)
  t.equal(refused.received.length, 1)

  const forDays = await scriptedServer(t, [refusal(429, "RATE_LIMIT_HIT", { "retry-after": 24 * 3600 })])
  const patient = { patienceMilliseconds: 72 * 3600_000, signal: AbortSignal.timeout(patience) }
  const known = { ...message("x"), queue_id: "q", local_id: "l" }
  for (const tried of [
    new Client({ server: forDays.url }).send(message("x"), patient),
    new Client({ server: forDays.url }).call("POST /messages", known, patient),
  ]) {
    const error = await tried.catch((error: unknown) => error)
    t.match(error, { code: "RATE_LIMIT_HIT" }, "not for longer than the server knows it again")
  }

  const away = await scriptedServer(t, ["cut"])
  const client = new Client({ server: away.url, pauses: { firstMilliseconds: 2, mostMilliseconds: 20 } })
  const late = await client.send(message("x"), { patienceMilliseconds: 1_000 }).catch((error: unknown) => error)
  t.ok(late instanceof Unanswered && late.mayBeDone && away.received.length > 1)
  const ended = new AbortController()
  const sent = client.send(message("x"), { signal: ended.signal }).catch((error: unknown) => error)
  const reason = new Error("enough")
  setTimeout(() => ended.abort(reason), 100)
  t.equal(await sent, reason)
})
