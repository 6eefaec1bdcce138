/** Time and trouble on demand: the clock, lost and late commits, cut, stalled and slow connections, kills, and the report of leaks. */

import { createServer } from "node:net"
import t from "tap"
import { isListenedTo } from "../../src/testing/find-leaks.ts"
import { startServer, withServer } from "../../src/testing/index.ts"
import { inTurn } from "../kit/share.ts"
import { until } from "../kit/test-database.ts"
import { checkRestarts, contentOf, general, numbersCome, wanted } from "./numbers-come.ts"

const basic = ({ email, apiKey }: { readonly email: string; readonly apiKey: string }) =>
  `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`

t.test("time that the test drives: what is due comes", async (t) => {
  for (const clock of ["still", "running"] as const)
    await withServer({ clock }, async (server) => {
      const { clock: time } = server
      const began = time.now()
      if (clock === "still") t.equal(began, Date.UTC(2026, 0, 1))
      else t.ok(Math.abs(began - Date.now()) < 60_000)
      const queue = await server.queue("cordelia", { ...wanted, event_types: ["message", "typing"] })
      const cordelia = server.person("cordelia").userId
      await server.as("hamlet").call("POST /typing", { type: "direct", op: "start", to: [cordelia] })
      t.match(await queue.next("typing"), { op: "start" })
      await time.advance(60_000)
      t.match(await queue.next("typing"), { op: "stop" }, "typing runs out")
      const at = Math.ceil((time.now() + 3_600_000) / 1000)
      await server.as("hamlet").call("POST /scheduled_messages", {
        type: "direct",
        to: [cordelia],
        content: "in an hour",
        scheduled_delivery_timestamp: at,
      })
      await time.advance(3_700_000)
      t.equal(contentOf(await queue.next("message")), "in an hour", "a scheduled message is delivered")
      t.ok(time.now() >= began + 3_760_000)
    })
})

t.test(
  "commits that are lost or late: nothing is lost and nothing doubled",
  inTurn(2, "commits that are lost or late: nothing is lost and nothing doubled"),
  (t) =>
    withServer(async (server) => {
      const { faults } = server
      t.same(await numbersCome(server, [1, 2, 3], () => faults.loseCommits()), [1, 2, 3])
      t.equal(faults.struck(), 1, "one commit was lost")
      t.same(await numbersCome(server, [1, 2, 3], () => faults.lateCommits(100)), [1, 2, 3])
      t.equal(faults.struck(), 2, "one commit was late")
      await until("it arrives", 30_000, () => faults.heldUp() === 0)
      const queue = await server.queue("cordelia", wanted)
      server.faults.stallDatabase()
      const sent = server.as("hamlet").send({ ...general, content: "stalled" })
      t.equal(await Promise.race([sent, new Promise((resolve) => setTimeout(resolve, 100, "waits"))]), "waits")
      server.faults.resumeDatabase()
      await sent
      t.equal(contentOf(await queue.next("message")), "stalled")
    }),
)

t.test("each late commit arrives after its own time", inTurn(2, "each late commit arrives after its own time"), (t) =>
  withServer(async (server) => {
    const { faults } = server
    faults.lateCommits(3_600_000)
    faults.lateCommits(1)
    // The commit by which the server repeats the first is held up, too.
    await server.as("hamlet").send({ ...general, content: "twice late" })
    t.equal(faults.struck(), 2)
    await until("one arrives", 30_000, () => faults.heldUp() < 2)
    t.equal(faults.heldUp(), 1, "and the other is on its way")
  }),
)

t.test(
  "a server is closed at once, whatever the test has stalled",
  inTurn(2, "a server is closed at once, whatever the test has stalled"),
  async (t) => {
    const server = await startServer()
    const proxy = await server.proxy()
    for (let count = 0; count < 4; count++) await server.queue("cordelia", wanted, { through: proxy.url })
    proxy.stall()
    server.faults.stallDatabase()
    const began = performance.now()
    await server.close()
    // Each queue that cannot be deleted takes five seconds.
    t.ok(performance.now() - began < 10_000)
  },
)

t.test(
  "a server that is killed and restarted goes on at its place, with its queues",
  inTurn(2, "a server that is killed and restarted goes on at its place, with its queues"),
  (t) => checkRestarts(t, "this"),
)

t.test(
  "connections that are cut, stalled, slow and refused",
  inTurn(2, "connections that are cut, stalled, slow and refused"),
  (t) =>
    withServer(async (server) => {
      const proxy = await server.proxy()
      const options = { through: proxy.url, patienceMilliseconds: 30_000, transport: "poll" } as const
      const queue = await server.queue("cordelia", wanted, options)
      const waiting = queue.next("message")
      await until("it polls", 5_000, () => proxy.connections() > 0)
      const before = proxy.accepted()
      proxy.cut()
      await server.as("hamlet").send({ ...general, content: "after a cut" })
      t.equal(contentOf(await waiting), "after a cut")
      t.ok(proxy.accepted() > before)

      proxy.stall("answers")
      const stalled = queue.next("message")
      await server.as("hamlet").send({ ...general, content: "unread" })
      t.equal(await Promise.race([stalled, new Promise((resolve) => setTimeout(resolve, 100, "waits"))]), "waits")
      proxy.resume()
      t.equal(contentOf(await stalled), "unread")

      proxy.slow(20_000)
      const began = performance.now()
      const headers = { Authorization: basic(server.accountOf("hamlet")), "Accept-Encoding": "identity" }
      const { length } = await (await fetch(`${proxy.url}/api/v1/register`, { method: "POST", headers })).text()
      const took = performance.now() - began
      t.ok(length > 20_000 && took > length / 25, `${length} bytes took ${took} ms`)
      proxy.resume()

      await proxy.refuse()
      proxy.cut()
      t.notOk(await isListenedTo(Number(new URL(proxy.url).port)), "nobody is let in")
      await proxy.accept()
      t.equal((await fetch(`${proxy.url}/health`)).status, 200)
    }),
)

t.test("what a closed server has left is said", inTurn(2, "what a closed server has left is said"), async (t) => {
  const server = await startServer()
  const { port } = server
  // Taken by another in the moment in which it is free.
  const squatter = createServer()
  await server.kill()
  await new Promise<void>((resolve) => squatter.listen(port, "127.0.0.1", resolve))
  await t.rejects(
    server.close(),
    new RegExp(`^the server at http://127\\.0\\.0\\.1:${port} has left something: port ${port}, at which something`),
  )
  squatter.close()
})
