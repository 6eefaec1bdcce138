/** The kit as a stranger uses it: people, queues, several servers, settings, the clock, and what is said where it is used wrongly. */

import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t from "tap"
import type { Event } from "../../src/client/index.ts"
import { isListenedTo } from "../../src/testing/find-leaks.ts"
import { startServer, withServer } from "../../src/testing/index.ts"
import type { TestServer } from "../../src/testing/types.ts"
import { inTurn } from "../kit/share.ts"

const adminUrl = process.env["PARLEY_TEST_DATABASE_URL"]
/** Of a busy machine. */
const patience = 30_000
const wanted = { event_types: ["message"], apply_markdown: false }

const send = (server: TestServer, name: string, content: string) =>
  server.as(name).send({ type: "channel", to: "general", topic: "tests", content })

const contentOf = (event: Event): string | undefined => (event.type === "message" ? event.message.content : undefined)

const exchange = async (server: TestServer) => {
  const queue = await server.queue("cordelia", wanted)
  await send(server, "hamlet", "to be")
  return contentOf(await queue.next("message"))
}

t.test("a message from one to the other, and nothing is left", async (t) => {
  const server = await startServer()
  t.equal(await exchange(server), "to be")
  t.ok(await isListenedTo(server.port))
  await server.close()
  t.notOk(await isListenedTo(server.port))
  await t.resolves(server.close(), "a second time")
  await t.rejects(server.restart(), /the server is closed/)
})

t.test("on PostgreSQL", { skip: adminUrl === undefined && "PARLEY_TEST_DATABASE_URL is not set" }, async (t) => {
  for (const organization of ["demo", "demo", "empty"] as const)
    await withServer({ database: adminUrl, organization }, async (server) => {
      t.ok(server.people.length > 0)
      if (organization === "demo") t.equal(await exchange(server), "to be")
    })
})

t.test(
  "withServer answers, and closes after an error",
  inTurn(2, "withServer answers, and closes after an error"),
  async (t) => {
    t.equal(await withServer(exchange), "to be")
    let port = 0
    await t.rejects(
      withServer({ organization: "empty" }, (server) => {
        port = server.port
        throw new Error("of the test")
      }),
      /^of the test$/,
    )
    t.notOk(await isListenedTo(port))
  },
)

t.test(
  "a server does not see what an earlier one had",
  inTurn(2, "a server does not see what an earlier one had"),
  async (t) => {
    // As they were written: the demo's picture may be shown by its thumbnail already, or not yet.
    const messages = (server: TestServer) =>
      server.as("owner").call("GET /messages", {
        anchor: "newest",
        num_before: 100,
        num_after: 0,
        apply_markdown: false,
      })
    const before = await withServer(messages)
    await withServer(exchange)
    t.same(await withServer(messages), before)
  },
)

t.test("several at once are apart", inTurn(2, "several at once are apart"), async (t) => {
  const servers = await Promise.all([startServer(), startServer(), startServer({ organization: "empty" })])
  t.equal(new Set(servers.map(({ port }) => port)).size, 3)
  const [one, two] = servers
  const queue = await two.queue("cordelia", { ...wanted }, { patienceMilliseconds: 100 })
  t.equal(await exchange(one), "to be")
  await t.rejects(queue.next(), /^no event within 100 ms: nothing came$/)
  for (const server of servers) await server.close()
})

t.test("people", inTurn(2, "people"), (t) =>
  withServer(async (server) => {
    for (const { name, email, userId, role, isBot } of server.people) {
      const me = await server.as(name).call("GET /users/me")
      t.match(me, { email, user_id: userId, is_owner: role === "owner", is_guest: role === "guest", is_bot: isBot })
    }
    t.equal(server.keyOf("hamlet"), server.accountOf("hamlet").apiKey)
    t.throws(() => server.as("yorick"), /^nobody is called yorick; there are owner, admin/)

    const horatio = await server.join("horatio", { role: "moderator", fullName: "Horatio", channels: ["elsinore"] })
    t.match(horatio, { name: "horatio", email: "horatio@demo.example", role: "moderator" })
    t.match(await server.as("horatio").call("GET /users/me"), { role: 300, full_name: "Horatio" })
    const queue = await server.queue("horatio", wanted)
    await server.as("owner").send({ type: "channel", to: "elsinore", topic: "t", content: "who's there" })
    t.equal(contentOf(await queue.next("message")), "who's there")
    await t.rejects(server.join("horatio"), /there is somebody called horatio already/)
  }),
)

t.test("an empty organization can be filled", inTurn(2, "an empty organization can be filled"), (t) =>
  withServer({ organization: "empty" }, async (server) => {
    t.same(
      server.people.map(({ name, role }) => [name, role]),
      [["owner", "owner"]],
    )
    await server.join("ann", { channels: ["lobby"] })
    const queue = await server.queue("ann", wanted)
    await server.as("owner").send({ type: "direct", to: [server.person("ann").userId], content: "hello" })
    t.equal(contentOf(await queue.next("message")), "hello")
  }),
)

t.test("a queue", inTurn(2, "a queue"), async (t) => {
  await withServer(async (server) => {
    const queue = await server.queue("cordelia", {}, { transport: "poll", patienceMilliseconds: patience })
    t.type(queue.state.queue_id, "string")
    await server
      .as("hamlet")
      .call("POST /typing", { type: "direct", op: "start", to: [server.person("cordelia").userId] })
    await send(server, "hamlet", "one")
    await send(server, "hamlet", "two")
    t.equal(contentOf(await queue.next("message")), "one", "past what is of another type")
    for await (const event of queue) {
      t.equal(contentOf(event), "two")
      break
    }
    // The demo's pictures may get their small forms in these moments, which changes their messages.
    t.same(
      queue.events.map(({ type }) => type).filter((type) => type !== "update_message"),
      ["typing", "message", "message"],
    )
    const hasty = await server.queue("cordelia", wanted, { transport: "poll", patienceMilliseconds: 2_000 })
    await send(server, "hamlet", "three")
    await t.rejects(
      hasty.next("realm_user"),
      /^no event of type realm_user within 2000 ms: there came message \(\d+\)$/,
    )
    const waiting = hasty.next()
    await send(server, "hamlet", "four")
    t.equal(contentOf(await waiting), "four", "what gave up takes nothing away")

    await hasty.close()
    const asked = { queue_id: queue.state.queue_id ?? "" }
    await server.as("cordelia").call("DELETE /events", asked)
    await t.rejects(queue.next(), /the queue is gone/)
    const other = await server.queue("hamlet", wanted)
    await other.close()
    await t.rejects(other.next(), /the queue is closed/)
    if (Reflect.get(globalThis, "WebSocket") === undefined)
      await t.rejects(server.queue("hamlet", {}, { transport: "socket" }), /this Node has no WebSocket/)
  })
})

t.test(
  "settings are those of the server, and are checked",
  inTurn(2, "settings are those of the server, and are checked"),
  async (t) => {
    const settings = { PARLEY_MAX_MESSAGE_LENGTH: "20" }
    const before = { ...process.env }
    for (const process of ["this", "child"] as const)
      await withServer({ settings, process }, async (server) => {
        const { max_message_length } = (await server.queue("owner")).state
        t.equal(max_message_length, 20, process)
      })
    await t.rejects(
      startServer({ settings: { PARLEY_MAX_MESSAGE_LENGTH: "many" } }),
      /^PARLEY_MAX_MESSAGE_LENGTH is "many"/,
    )
    for (const process of ["this", "child"] as const)
      await t.rejects(startServer({ process, settings: { PARLEY_NONSENSE: "1" } }), /unknown variable PARLEY_NONSENSE/)
    t.same({ ...process.env }, before)
  },
)

t.test("a data folder is served again, and stays", inTurn(2, "a data folder is served again, and stays"), async (t) => {
  const dataFolder = mkdtempSync(join(tmpdir(), "parley-kit-"))
  t.teardown(() => rmSync(dataFolder, { recursive: true, force: true }))
  const key = await withServer({ dataFolder }, async (server) => {
    await send(server, "hamlet", "kept")
    return server.keyOf("hamlet")
  })
  t.ok(existsSync(join(dataFolder, "database")))
  await withServer({ dataFolder }, async (server) => {
    t.equal(server.keyOf("hamlet"), key)
    const { messages } = await server.as("hamlet").call("GET /messages", {
      anchor: "newest",
      num_before: 1,
      num_after: 0,
      apply_markdown: false,
    })
    t.equal(messages[0]?.content, "kept")
    await t.rejects(startServer({ dataFolder }), /^Another server is using the data folder /)
  })
  await t.rejects(
    startServer({ dataFolder, organization: "empty" }),
    /^The database holds the organization demo\.example, which is not the empty one of tests, empty\.example: it is left/,
  )
  t.ok(readdirSync(dataFolder).length > 0)
})
