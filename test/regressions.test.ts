/** One test per past bug, each headed by its story. A bug that blocked the loop shows here as a test that never ends. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import t from "tap"
import { systemGroups } from "../src/chat/realm/values.ts"
import { Uncertain } from "../src/db/database.ts"
import { call, done } from "../src/events/command.ts"
import type { Feed } from "../src/events/feed.ts"
import { makeWriter } from "../src/events/writer.ts"
import { RealmId } from "../src/ids.ts"
import { channelId } from "./kit/channel-scene.ts"
import { manualClock } from "./kit/manual-clock.ts"
import { connect, UpgradeRefused } from "./kit/socket-client.ts"
import { until } from "./kit/test-database.ts"
import { withServer } from "./kit/with-server.ts"

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
  const feed: Feed = { position: 0, isStuck: false, advance: () => true, catchUp: () => Effect.void }
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
    Effect.exit(writer.submit({ judge: () => call("f", {}, false, () => done(undefined)) })),
  )
  writer.stop()
  const exit = await answer
  t.match(Exit.isFailure(exit) && JSON.stringify(exit), /OutcomeUnknown/)
})

t.test("the traffic of an archived channel is told to nobody who does not know that there is one", (t) =>
  withServer(t, { channels: [lobby] }, async (server) => {
    const day = 24 * 3600 * 1000
    await server.rows("update channel set created_at = $1", [server.clock.now() - 30 * day])
    await server.restart()
    const asked = { event_types: ["stream"], idle_queue_timeout: 6 * 24 * 3600 }
    await server.as("iago").must.delete(`/streams/${channelId(server, "lobby")}`)
    const older = await server.queue("hamlet", asked)
    const newer = await server.queue("hamlet", { ...asked, client_capabilities: { archived_channels: true } })
    // The notice of its end is a message in four weeks, where none was counted before.
    await until("the traffic to be counted", 10_000, async () => {
      server.clock.advance(600_000)
      return (await newer.rest()).some(({ property }) => property === "stream_weekly_traffic")
    })
    const told = (await older.rest()).filter(({ type }) => type === "stream")
    t.same(told, [], "older clients saw the channel go")
  }),
)

t.test("who may not make channels is told of no hidden one's name", (t) =>
  withServer(t, { channels: [lobby, { name: "crypt", users: ["othello"], isPrivate: true }] }, async (server) => {
    // A name that was taken was refused otherwise than one that was free.
    const nobody = { new: systemGroups["role:nobody"] }
    await server.as("desdemona").must.patch("/realm", { can_create_public_channel_group: nobody })
    const hamlet = server.as("hamlet")
    for (const name of ["crypt", "nowhere"]) {
      const subscriptions = [{ name }]
      const answers = [
        await hamlet.post("/users/me/subscriptions", { subscriptions }),
        await hamlet.post("/users/me/subscriptions", { subscriptions, authorization_errors_fatal: false }),
        await hamlet.patch("/users/me/subscriptions", { add: subscriptions }),
        await hamlet.post("/channels/create", { name, subscribers: [] }),
      ]
      for (const { body } of answers) t.match(body, { code: "BAD_REQUEST", msg: "Insufficient permission" }, name)
    }
  }),
)

t.test("a permission that is given to nobody while its holder is away stays nobody's", (t) =>
  withServer(t, { channels: [lobby] }, async (server) => {
    // What was shown was nobody already, so nothing was stored: the holder came back with the permission.
    const owner = server.as("desdemona")
    const othello = server.idOf("othello")
    const holder = { direct_members: [othello], direct_subgroups: [] }
    await owner.must.patch("/realm", { can_create_groups: { new: holder } })
    await owner.must.delete(`/users/${othello}`)
    const nobody = systemGroups["role:nobody"]
    await owner.must.patch("/realm", { can_create_groups: { new: nobody, old: nobody } })
    await owner.must.post(`/users/${othello}/reactivate`)
    const answer = await server
      .as("othello")
      .post("/user_groups/create", { name: "makers", description: "", members: [] })
    t.match(answer.body, { code: "BAD_REQUEST", msg: "Insufficient permission" })
  }),
)
