/** Two processes whose bus is NATS: rows, notes, queues that move; and that nothing stands still where its servers do. */
import * as Effect from "effect/Effect"
import t, { type Test } from "tap"
import { Realms } from "../../../src/chat/ground/realm/realms.ts"
import { natsAt, startNats, withoutNats } from "../../kit/nats-server.ts"
import { ask } from "../../kit/raw-http.ts"
import { Reader } from "../../kit/reader.ts"
import { until } from "../../kit/test-database.ts"
import type { TestServer } from "../../kit/with-server.ts"
import { isLater, type ServersSetup, withServers } from "../../kit/with-servers.ts"

const skip = withoutNats
const channels = [{ name: "lobby", users: ["hamlet", "cordelia"] }] as const
const realmsOf = (server: TestServer) => server.run(Effect.map(Realms, (realms) => realms))
const figuresOf = async ({ origin }: TestServer) => (await fetch(`${origin}/metrics`)).text()
const isUp = (server: TestServer) => server.database.cluster?.bus?.isUp() === true

const withTwo = (
  t: Test,
  bus: NonNullable<ServersSetup["bus"]>,
  body: (one: TestServer, two: TestServer) => Promise<void>,
) =>
  withServers(t, 2, { channels, bus }, async ([one, two]) => {
    if (one !== undefined && two !== undefined) await body(one, two)
  })

/** Both have the organization, and the bus is there. */
const ready = async (...servers: ReadonlyArray<TestServer>) => {
  for (const server of servers) {
    await server.as("hamlet").get("/users/me", {})
    await until("the bus is up", 10_000, () => isUp(server))
  }
}

/** Sends through one, and reads through the other: the message, and how long it took. */
const passes = async (one: TestServer, reader: Reader, content: string): Promise<void> => {
  const poll = reader.poll()
  await one.as("hamlet").send("lobby", content)
  t.match(await poll, [{ message: { content } }])
}

t.test("rows, notes and queues go by NATS", { skip }, async (t) => {
  const { host } = await startNats(t)
  await withTwo(t, natsAt(`nats://${host}`), async (one, two) => {
    await ready(one, two)
    const { busCounts: counts, everywhere } = await realmsOf(two)
    const reader = await two.queue("cordelia", { event_types: ["message"] })
    await passes(one, reader, "hello")
    t.ok((counts()?.received ?? 0) > 0, "the rows came by the bus")
    const large = "x".repeat(9_000)
    await passes(one, reader, large)
    t.match(counts(), { unsent: 0, forged: 0 })
    const noted = new Promise((resolve) => everywhere.hear("question", resolve))
    const other = await realmsOf(one)
    other.everywhere.tell("question", { text: "y".repeat(100_000) })
    t.match(await noted, { text: /^y{100000}$/ }, "a note that NOTIFY could not carry")
    const socket = await reader.open()
    const moved = new Reader(one.as("cordelia"), one.port, reader.state)
    moved.lastId = reader.lastId
    await isLater(one, two)
    const poll = moved.poll()
    t.match(await socket.closed, { code: 4004 }, "the queue has moved")
    await one.as("hamlet").send("lobby", "elsewhere")
    t.match(await poll, [{ message: { content: "elsewhere" } }])
    t.match(await figuresOf(two), /^parley_bus_up 1$/m)
  })
})

t.test("where NATS is killed everything goes on, a second late, and by NATS when it is back", { skip }, async (t) => {
  const server = await startNats(t)
  await withTwo(t, natsAt(`nats://${server.host}`), async (one, two) => {
    await ready(one, two)
    const reader = await two.queue("cordelia", { event_types: ["message"] })
    server.kill()
    await until("it is noticed", 10_000, () => !isUp(one) && !isUp(two))
    await passes(one, reader, "without a bus")
    t.ok(((await realmsOf(one)).busCounts()?.unsent ?? 0) > 0)
    for (const each of [one, two]) {
      t.equal((await ask(each.port, { path: "/ready" }))?.status, 200)
      t.match(await figuresOf(each), /^parley_bus_up 0$/m)
    }
    await server.startAgain()
    await ready(one, two)
    const before = (await realmsOf(two)).busCounts()?.received ?? 0
    await passes(one, reader, "with it again")
    t.ok(((await realmsOf(two)).busCounts()?.received ?? 0) > before)
  })
})

for (const [what, address] of [
  ["an address that nobody answers", "nats://127.0.0.1:1"],
  ["servers that refuse the password", "nats://parley:wrong@"],
] as const)
  t.test(`${what}: processes start, and hear of each other by the tick`, { skip }, async (t) => {
    const { host } = await startNats(t, "authorization { user: parley, password: right }")
    await withTwo(t, natsAt(address.endsWith("@") ? address + host : address), async (one, two) => {
      const reader = await two.queue("cordelia", { event_types: ["message"] })
      await passes(one, reader, "hello")
      t.equal((await ask(one.port, { path: "/ready" }))?.status, 200)
      t.notOk(isUp(one))
      t.equal((await realmsOf(two)).busCounts()?.received, 0)
    })
  })

t.test("a process does not start with credentials that are none", { skip }, (t) =>
  withServers(t, 1, { bus: "none" }, async (_servers, join_) => {
    const bus = natsAt("nats://127.0.0.1:1", { credentialsFile: "/nowhere/parley.creds" })
    await t.rejects(join_({ bus }), {
      _tag: "DatabaseUnusable",
      message: /^PARLEY_BUS_CREDENTIALS_FILE is "\/nowhere\/parley\.creds": ENOENT/,
    })
  }),
)
