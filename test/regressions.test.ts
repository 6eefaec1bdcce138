/** One test per past bug, each headed by its story. A bug that blocked the loop shows here as a test that never ends. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import t from "tap"
import { Uncertain } from "../src/db/database.ts"
import { call } from "../src/events/command.ts"
import type { Feed } from "../src/events/feed.ts"
import { makeWriter } from "../src/events/writer.ts"
import { RealmId } from "../src/ids.ts"
import { withServer } from "./kit/with-server.ts"
import { manualClock } from "./manual-clock.ts"
import { connect, UpgradeRefused } from "./socket-client.ts"

const lobby = { name: "lobby", users: ["hamlet", "cordelia"] } as const

t.test("texts whose cost grows with their square do not stop the server", (t) =>
  withServer(t, { channels: [lobby] }, async (server) => {
    // Unicode normalisation of a password without a bound: several seconds for this one, without an account.
    const marks = `a${"\u0300\u0316".repeat(80_000)}`
    const username = "hamlet@test.example"
    const refused = await server.anonymous("POST", "/fetch_api_key", { username, password: marks })
    t.match(refused, { status: 401, body: { code: "AUTHENTICATION_FAILED" } })

    // A pattern around line breaks, tried at each of a million spaces: 20 minutes, for any guest.
    const description = `${" ".repeat(900_000)}x`
    const wish = { subscriptions: [{ name: "new", description }] }
    t.match(await server.as("polonius").post("/users/me/subscriptions", wish), { status: 400 })

    // A topic was looked at character by character before it was cut, within the judging of a batch.
    const id = await server.as("hamlet").send("lobby", "x", { topic: "y".repeat(900_000) })
    const { body } = await server.as("hamlet").get(`/messages/${id}`)
    t.match(body, { message: { subject: `${"y".repeat(57)}...` } })
  }),
)

t.test("a queue id that no database can store harms nobody else's queue", (t) =>
  withServer(t, { channels: [lobby] }, async (server) => {
    // Loads of one turn share a statement; this one made it fail, and the others were never answered.
    const reader = await server.queue("hamlet", { event_types: ["message"] })
    await server.as("cordelia").send("lobby", "one")
    await server.restart()
    const { key } = server.as("hamlet").account
    const [epoch] = reader.queueId.split("-")
    const bad = connect({
      port: server.port,
      path: `/api/v1/events/ws?queue_id=${epoch}-%00&last_event_id=-1`,
      headers: { Authorization: `Basic ${Buffer.from(`hamlet@test.example:${key}`).toString("base64")}` },
    })
    const [events] = await Promise.all([
      server.resume("hamlet", reader).take(1),
      bad.then(
        () => t.fail("the bad one was let in"),
        (fault: unknown) => t.ok(fault instanceof UpgradeRefused && fault.status === 400),
      ),
    ])
    t.match(events, [{ message: { content: "one" } }])
  }),
)

t.test("a database that was put back to an earlier state ends the server", async (t) => {
  // Positions would be given twice, and queues would pass over the new events as old ones.
  const reasons: Array<string> = []
  await withServer(t, { channels: [lobby], onForeign: (why) => reasons.push(why) }, async (server) => {
    const id = await server.as("hamlet").send("lobby", "lost")
    await server.as("hamlet").send("lobby", "lost too")
    await server.rows("delete from message where id >= $1", [id])
    await server.rows("delete from log where position >= $1", [id])
    await server.as("hamlet").post("/messages", { type: "channel", to: "lobby", topic: "t", content: "again" })
    t.match(reasons, [/earlier state/])
  })
})

t.test("a server that stops does not wait for a commit that cannot be settled", async (t) => {
  // Its process never ended while the database was away.
  const away = Effect.fail(new Uncertain({ reason: "away" }))
  const feed: Feed = { position: 0, advance: () => true, catchUp: () => Effect.void }
  const writer = makeWriter({
    realm: RealmId(1),
    database: {
      kind: "postgres",
      query: () => Effect.die("not asked"),
      write: () => away,
      up: () => false,
      statements: () => 0,
      holder: "h",
    },
    projection: {},
    feed,
    clock: manualClock(),
    commitTime: () => 0,
    onForeign: () => t.fail("nobody took over"),
    onLostLog: () => t.fail("nothing was lost"),
    logDefect: (what) => t.fail(what),
  })
  const answer = Effect.runPromise(
    Effect.exit(writer.submit({ judge: () => call("f", {}, false), read: () => ({ _tag: "Done", answer: 1 }) })),
  )
  writer.stop()
  const exit = await answer
  t.match(Exit.isFailure(exit) && JSON.stringify(exit), /OutcomeUnknown/)
})
