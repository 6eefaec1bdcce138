/** Who is there: pings, what they answer, the events in their three shapes, and what a restart and a kill leave of it. */
import t from "tap"
import { keptSeconds, shownAtOnce } from "../../../../src/chat/ground/presences/cached-lists.ts"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import { sameAfresh } from "../../../kit/afresh.ts"
import type { Fields } from "../../../kit/client.ts"
import { refuses } from "../../../kit/refusals.ts"
import { basic } from "../../../kit/rows.ts"
import { Settling } from "../../../kit/settles.ts"
import { inTurn } from "../../../kit/share.ts"
import { until } from "../../../kit/test-database.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"

const path = "/users/me/presence"
const type = "presence"
const minute = 60_000
const day = 24 * 60 * minute

const ping = (server: TestServer, name: Name, fields: Fields = {}) =>
  server.as(name).must.post(path, { status: "active", ...fields })
const secondsOf = (server: TestServer) => Math.floor(server.clock.now() / 1000)
const joinedOf = (server: TestServer, name: Name) =>
  Math.floor((server.realm.realm.users.get(server.idOf(name))?.joined_at ?? 0) / 1000)
const website = (status: string, timestamp: number) => ({ client: "website", status, timestamp, pushable: false })
const older = (status: string, timestamp: number) => ({
  aggregated: { client: "website", status, timestamp },
  website: website(status, timestamp),
})
const newer = (active_timestamp: number, idle_timestamp = active_timestamp) => ({ active_timestamp, idle_timestamp })

const addBot = async (server: TestServer, email: string) => {
  const bot = { email, fullName: "Bot", role: roles.member, isBot: true, passwordHash: null }
  const id = await server.run(setUpUser(server.realmId, bot))
  return { id, person: server.asEmail(email) }
}

t.test("pings", (t) =>
  withServer(t, {}, async (server) => {
    await t.test("a ping answers who else is there, by address or by id, and what is newer than an id", async (t) => {
      const now = secondsOf(server)
      t.match(await ping(server, "hamlet", { ping_only: true }), { result: "success" })
      t.same(Object.keys(await ping(server, "hamlet", { ping_only: true })).sort(), ["msg", "result"])
      await ping(server, "cordelia", { status: "idle" })
      const joined = joinedOf(server, "cordelia")
      t.ok(joined > 0 && joined <= now)
      const byAddress = await ping(server, "hamlet")
      t.same(byAddress["presences"], {
        "hamlet@test.example": older("active", now),
        // Whoever was never active is taken for it when they joined, just now.
        "cordelia@test.example": older("active", joined),
      })
      // Of two who came in one moment the second has the next id.
      const first = server.clock.now()
      t.match(byAddress, { server_timestamp: first / 1000, presence_last_update_id: first + 1 })
      const [hamlet, cordelia] = [server.idOf("hamlet"), server.idOf("cordelia")]
      const byId = { [hamlet]: newer(now), [cordelia]: newer(joined, now) }
      t.same((await ping(server, "hamlet", { slim_presence: true }))["presences"], byId)
      const all = await ping(server, "hamlet", { last_update_id: -1 })
      t.same(all["presences"], byId, "an id is asked for by clients that read the newer form")
      t.same((await ping(server, "hamlet", { last_update_id: 0 }))["presences"], byId)
      const last_update_id = all["presence_last_update_id"]
      t.match(await ping(server, "hamlet", { last_update_id }), {
        presences: {},
        presence_last_update_id: last_update_id,
      })
      t.same((await ping(server, "hamlet", { last_update_id: first }))["presences"], { [cordelia]: byId[cordelia] })
      const future = await ping(server, "hamlet", { last_update_id: first + 2 })
      t.same(future["presences"], byId, "an id that was never given")

      await server.clock.advance(minute)
      await ping(server, "cordelia", { status: "idle", ping_only: true })
      const moved = await ping(server, "othello", { last_update_id })
      t.same(moved["presences"], {
        [cordelia]: newer(joined, now + 60),
        [server.idOf("othello")]: newer(now + 60),
      })
      t.equal(moved["presence_last_update_id"], first + minute + 1)
      t.match((await ping(server, "othello"))["presences"], { "cordelia@test.example": older("active", joined) })
      await server.clock.advance(minute)
      await ping(server, "cordelia", { status: "idle", ping_only: true })
      t.match(
        (await ping(server, "othello"))["presences"],
        { "cordelia@test.example": older("idle", now + 120) },
        "idle for longer than active",
      )
    })

    await t.test("the requests of real clients", async (t) => {
      const headers = { Authorization: basic(server.as("hamlet").account) }
      const url = `${server.origin}/api/v1${path}`
      // As a client in JavaScript sends each POST.
      const form = new FormData()
      for (const [name, value] of [["status", "active"] as const, ["ping_only", "false"] as const])
        form.set(name, value)
      const multipart = await fetch(url, { method: "POST", headers, body: form })
      const address = "hamlet@test.example"
      t.match(await multipart.json(), {
        result: "success",
        presences: { [address]: { website: { status: "active" } } },
      })
      // As the one for terminals does; it reads the presences by their addresses.
      const body = new URLSearchParams({ status: "idle", ping_only: "false", new_user_input: "false" })
      const terminal = await fetch(url, { method: "POST", headers, body })
      t.match(await terminal.json(), {
        result: "success",
        presences: { [address]: { aggregated: { status: "active" } } },
      })
      // As the one for phones does.
      const phone = new URLSearchParams({
        status: "active",
        last_update_id: "-1",
        history_limit_days: "3",
        new_user_input: "false",
        ping_only: "false",
      })
      const mobile = await fetch(url, { method: "POST", headers, body: phone })
      t.match(await mobile.json(), { presences: { [server.idOf("hamlet")]: { active_timestamp: Number } } })
      const { state } = await server.queue("cordelia", {})
      t.match(state, {
        server_presence_ping_interval_seconds: 60,
        server_presence_offline_threshold_seconds: 200,
        realm_presence_disabled: false,
        presences: { [address]: older("active", secondsOf(server)) },
      })
    })
  }),
)

t.test("what a ping refuses; bots and visitors", inTurn(2, "what a ping refuses; bots and visitors"), (t) =>
  withServer(t, {}, async (server) => {
    await refuses(
      t,
      [
        { when: "no status", fields: {}, code: "REQUEST_VARIABLE_MISSING", msg: "Missing 'status' argument" },
        { when: "another status", fields: { status: "away" }, msg: "Invalid status: away" },
        { when: "an id that is none", fields: { status: "idle", last_update_id: "x" }, msg: /last_update_id/ },
        { when: "an id too low", fields: { status: "idle", last_update_id: -2 }, msg: "last_update_id is too small" },
        { when: "days below none", fields: { status: "idle", history_limit_days: -1 }, msg: /history_limit_days/ },
        { when: "no boolean", fields: { status: "idle", ping_only: "perhaps" }, msg: "ping_only is not a boolean" },
      ],
      (fields) => server.as("hamlet").post(path, fields),
    )
    const bot = await addBot(server, "bot@test.example")
    const botRefusal = { status: 400, body: { msg: "This endpoint does not accept bot requests." } }
    t.match(await bot.person.post(path, { status: "active" }), botRefusal)
    await ping(server, "cordelia")
    t.match(
      await bot.person.get("/realm/presence"),
      { status: 200, body: { presences: { "cordelia@test.example": older("active", secondsOf(server)) } } },
      "they may look",
    )
    t.match(await server.as("hamlet").get(`/users/${bot.id}/presence`), {
      status: 400,
      body: { msg: "Presence is not supported for bot users." },
    })
    await server.actions.changeRealm({ enable_spectator_access: true })
    for (const [method, at] of [["POST", path] as const, ["GET", "/realm/presence"] as const])
      t.match(await server.anonymous(method, at, { status: "active" }), { status: 401 }, at)
    const seen = await server.anonymous("POST", "/register", { fetch_event_types: ["presence"] })
    t.match(seen.body, { presences: {}, presence_last_update_id: -1, server_timestamp: Number })
    t.same(Object.keys(Object(seen.body["presences"])), [])
    t.same(Object.keys(Object((await ping(server, "polonius"))["presences"])).length, 2, "nobody else is there")
  }),
)

t.test(
  "GET: one and all; leases that have run out; those whom nobody may see",
  inTurn(2, "GET: one and all; leases that have run out; those whom nobody may see"),
  (t) =>
    withServer(t, {}, async (server) => {
      const now = secondsOf(server)
      const of = (named: string | number) => server.as("polonius").get(`/users/${named}/presence`)
      const id = server.idOf("hamlet")
      t.match(await of(id), { status: 400, body: { msg: `No presence data for ${id}`, code: "BAD_REQUEST" } })
      await ping(server, "hamlet")
      const told = { aggregated: { status: "active", timestamp: now }, website: { status: "active", timestamp: now } }
      t.same((await of(id)).body["presence"], told)
      t.same((await of("hamlet@test.example")).body["presence"], told)
      await server.clock.advance(200_000)
      t.match(await of(id), { body: { presence: { aggregated: { status: "active" } } } }, "just in time")
      await server.clock.advance(1000)
      t.match(await of(id), { body: { presence: { aggregated: { status: "offline", timestamp: now } } } })
      const all = await server.as("polonius").must.get("/realm/presence")
      t.same(all["presences"], { "hamlet@test.example": older("active", now) }, "clients look at the time")
      t.same(Object.keys(all).sort(), ["msg", "presences", "result", "server_timestamp"])

      const noSuchUser = { status: 400, body: { msg: "No such user", code: "BAD_REQUEST" } }
      for (const named of [4711, "nobody@test.example"]) t.match(await of(named), noSuchUser, String(named))
      await server.as("hamlet").must.patch("/settings", { email_address_visibility: 4 })
      t.match(await of("hamlet@test.example"), noSuchUser, "an address that is hidden")
      const hidden = `user${id}@${server.realm.realm.host}`
      t.match(await of(hidden), { status: 200 })
      const listed = await server.as("polonius").must.get("/realm/presence")
      t.same(Object.keys(Object(listed["presences"])), [hidden], "lists have the address that others see")
      await server.as("iago").must.delete(`/users/${id}`)
      t.match(await of(id), { status: 400, body: { msg: `No presence data for ${id}` } })
      t.same((await server.as("polonius").must.get("/realm/presence"))["presences"], {}, "who is deactivated is gone")
      await server.as("iago").must.post(`/users/${id}/reactivate`)
      t.match(await of(id), { status: 400, body: { msg: `No presence data for ${id}` } }, "and was never there")
      await ping(server, "polonius")
      await server.restart()
      t.same(await server.rows("select user_id from presence"), [{ user_id: server.idOf("polonius") }])
      await ping(server, "hamlet", { status: "idle" })
      t.match(await of(id), { status: 200, body: { presence: { aggregated: { status: "idle" } } } })
    }),
)

t.test(
  "register has those of two weeks, or of as many days as the client wants",
  inTurn(2, "presences of two weeks"),
  (t) =>
    withServer(t, {}, async (server) => {
      await ping(server, "cordelia")
      await server.clock.advance(13 * day)
      const now = secondsOf(server)
      await ping(server, "hamlet")
      const [hamlet, cordelia] = [server.idOf("hamlet"), server.idOf("cordelia")]
      const slim = { slim_presence: true, fetch_event_types: ["presence"] }
      const keysOf = async (fields: Fields) =>
        Object.keys(Object((await server.queue("iago", fields)).state["presences"]))
      const { state } = await server.queue("iago", slim)
      t.match(state, { server_timestamp: server.clock.now() / 1000, presence_last_update_id: server.clock.now() })
      t.same(state["presences"], { [hamlet]: newer(now), [cordelia]: newer(now - 13 * 86_400) })
      t.same(await keysOf({ ...slim, presence_history_limit_days: 12 }), [String(hamlet)])
      t.same(await keysOf({ fetch_event_types: ["presence"], presence_history_limit_days: 12 }), [
        "hamlet@test.example",
      ])
      await server.clock.advance(2 * day)
      t.same(await keysOf(slim), [String(hamlet)])
      t.same(await keysOf({ ...slim, presence_history_limit_days: 365 }), [String(cordelia), String(hamlet)].sort())
      t.same(await keysOf({ ...slim, presence_history_limit_days: 0 }), [])
      const known = Object.keys(Object((await ping(server, "iago", { last_update_id: -1 }))["presences"]))
      t.same(known, [String(server.idOf("iago")), String(hamlet)].sort())
      const wide = await ping(server, "iago", { slim_presence: true, history_limit_days: 365 })
      t.equal(Object.keys(Object(wide["presences"])).length, 3)
    }),
)

t.test(
  "events: whoever comes or is active again, in the shape that the client reads, and once",
  inTurn(2, "events: whoever comes or is active again, in the shape that the client reads, and once"),
  (t) =>
    withServer(t, {}, async (server) => {
      const now = secondsOf(server)
      const user_id = server.idOf("hamlet")
      const simplified = { client_capabilities: { simplified_presence_events: true } }
      const queues = {
        byAddress: await server.queue("cordelia"),
        slim: await server.queue("cordelia", { slim_presence: true }),
        simplified: await server.queue("polonius", { ...simplified, slim_presence: true }),
        alone: await server.queue("polonius", simplified),
      }
      const told = async () => ({
        byAddress: (await queues.byAddress.rest()).map(({ id: _id, ...event }) => event),
        slim: (await queues.slim.rest()).map(({ id: _id, ...event }) => event),
        simplified: (await queues.simplified.rest()).map(({ id: _id, ...event }) => event),
        alone: (await queues.alone.rest()).map(({ id: _id, ...event }) => event),
      })
      const shapes = (status: string, timestamp: number, active: number, connected: number) => {
        const server_timestamp = server.clock.now() / 1000
        const slim = { type, user_id, server_timestamp, presence: { website: website(status, timestamp) } }
        const simplified = { type, presences: { [user_id]: newer(active, connected) } }
        return {
          byAddress: [{ ...slim, email: "hamlet@test.example" }],
          slim: [slim],
          simplified: [simplified],
          alone: [simplified],
        }
      }
      const none = { byAddress: [], slim: [], simplified: [], alone: [] }
      const step = async (what: string, ms: number, status: string, want: () => object) => {
        await server.clock.advance(ms)
        await ping(server, "hamlet", { status, ping_only: true })
        // A ping that is told waits for a row before it has an id.
        await server.as("iago").must.post("/users/me/status", { status_text: what })
        const { byAddress, slim, simplified, alone } = await told()
        const isPresence = (event: Fields) => event["type"] === type
        const came = {
          byAddress: byAddress.filter(isPresence),
          slim: slim.filter(isPresence),
          simplified: simplified.filter(isPresence),
          alone: alone.filter(isPresence),
        }
        t.same(came, want(), what)
      }
      const seconds = () => secondsOf(server)
      await step("active", 0, "active", () => shapes("active", now, now, now))
      await step("again", minute, "active", () => none)
      await step("idle", minute, "idle", () => none)
      await step("active soon", minute, "active", () => none)
      await step("idle once more", 3 * minute, "idle", () => none)
      await step("still", minute, "idle", () => none)
      await step("active after a while", minute, "active", () => shapes("active", seconds(), seconds(), seconds()))
      await step("idle after being away", 10 * minute, "idle", () =>
        shapes("idle", seconds(), seconds() - 600, seconds()),
      )
      await server.restart()
      const late = server.resume("cordelia", queues.byAddress)
      t.same(await late.rest(), [])
      await server.clock.advance(10 * minute)
      await ping(server, "hamlet")
      await server.as("iago").must.post("/users/me/status", { status_text: "after" })
      t.match(
        (await late.rest()).filter(({ type: of }) => of === type),
        [{ email: "hamlet@test.example" }],
        "a queue goes on in its shape",
      )
    }),
)

t.test(
  "above a hundred people nobody is told of a ping, but of the setting",
  inTurn(2, "presences of a hundred"),
  (t) =>
    withServer(t, {}, async (server) => {
      const addMany = async (from: number, to: number) => {
        for (let n = from; n <= to; n++) {
          const person = {
            email: `p${n}@test.example`,
            fullName: `P ${n}`,
            role: roles.member,
            isBot: false,
            passwordHash: null,
          }
          await server.run(setUpUser(server.realmId, person))
        }
      }
      const people = [...server.realm.realm.users.values()].filter(({ is_bot }) => !is_bot).length
      await addBot(server, "bot@test.example")
      await addMany(people + 1, 100)
      const queue = await server.queue("cordelia", { event_types: [type, "user_status"] })
      let asked = 0
      const typesNow = async () => {
        await server.as("iago").must.post("/users/me/status", { status_text: String(asked++) })
        return (await queue.rest()).map((event) => event.type)
      }
      await ping(server, "hamlet")
      t.same(await typesNow(), [type, "user_status"], "a hundred, and a bot")
      await addMany(101, 101)
      await ping(server, "othello")
      t.same(await typesNow(), ["user_status"])
      await server.as("othello").must.patch("/settings", { presence_enabled: false })
      t.same(await typesNow(), [type, "user_status", "user_status"])
      await server.as("iago").must.delete(`/users/${server.idOf("polonius")}`)
      await ping(server, "shiva")
      t.same(await typesNow(), [type, "user_status"], "one has left")
    }),
)

t.test(
  "whoever does not show that they are here seems to have gone, and their pings are not kept",
  inTurn(2, "whoever does not show that they are here seems to have gone, and their pings are not kept"),
  (t) =>
    withServer(t, {}, async (server) => {
      const user_id = server.idOf("hamlet")
      const now = secondsOf(server)
      await ping(server, "hamlet")
      const slim = { slim_presence: true, client_capabilities: { simplified_presence_events: true } }
      const queue = await server.queue("polonius", { ...slim, event_types: [type] })
      const gone = now - 300
      await server.as("hamlet").must.patch("/settings", { presence_enabled: false })
      // The ping may be told late: it waits for a row, and the queue was made meanwhile.
      t.match((await queue.rest()).slice(-1), [{ presences: { [user_id]: newer(gone) } }])
      const seen = async () =>
        Object(
          (await server.as("polonius").must.post("/register", { ...slim, fetch_event_types: [type] }))["presences"],
        )
      t.same(await seen(), { [user_id]: newer(gone) })
      await server.clock.advance(minute)
      const answer = await ping(server, "hamlet", { slim_presence: true })
      t.same(answer["presences"], { [user_id]: newer(gone) }, "they are answered as ever")
      t.same(await seen(), { [user_id]: newer(gone) })
      await server.restart()
      t.same(await seen(), { [user_id]: newer(gone) })
      const resumed = server.resume("polonius", queue)
      await server.as("hamlet").must.post("/users/me/status", { away: false })
      t.match(await resumed.rest(), [{ presences: { [user_id]: newer(now + 60) } }])
      t.same(await seen(), { [user_id]: newer(now + 60) })
      await server.as("hamlet").must.post("/users/me/status", { away: false })
      t.same(await resumed.rest(), [], "nothing has changed")
      // Whoever was never there and hides it is said to have gone, too.
      await server.as("cordelia").must.patch("/settings", { presence_enabled: false })
      t.match(await resumed.rest(), [{ presences: { [server.idOf("cordelia")]: { idle_timestamp: now + 60 - 300 } } }])
      await sameAfresh(t, server, "presence")
    }),
)

t.test(
  "pings are stored a few seconds later, all in one statement; ids never fall",
  inTurn(2, "pings are stored a few seconds later, all in one statement; ids never fall"),
  (t) =>
    withServer(t, {}, async (server) => {
      const now = secondsOf(server)
      const began = server.clock.now()
      const names = ["hamlet", "cordelia", "othello", "iago"] as const
      await ping(server, "hamlet")
      const before = server.database.statements()
      for (const name of names) await ping(server, name)
      t.equal(server.database.statements() - before, 0, "no ping is a statement")
      const rows = () =>
        server.rows("select user_id, active_at, connected_at, update_id from presence order by update_id")
      t.same(await rows(), [])
      await server.clock.advance(5000)
      await until("the pings are stored", 5000, async () => (await rows()).length === names.length)
      const stored = names.map((name, n) => ({
        user_id: server.idOf(name),
        active_at: now,
        connected_at: now,
        update_id: began + n,
      }))
      t.same(await rows(), stored)
      const lastOf = async () =>
        Number((await ping(server, "shiva", { last_update_id: -1 }))["presence_last_update_id"])
      await server.clock.advance(minute)
      const known = await lastOf()
      t.equal(known, server.clock.now())
      await ping(server, "polonius")
      await server.restart()
      t.equal((await rows()).length, 6, "what was not stored yet is when the server ends")
      const { presences, presence_last_update_id } = await ping(server, "shiva", { last_update_id: known })
      t.same(presences, { [server.idOf("polonius")]: newer(now + 65) }, "clients go on where they were")
      const risen = Number(presence_last_update_id)
      t.equal(risen, known + 1, "of the same moment")

      await server.clock.advance(minute)
      await ping(server, "shiva")
      const lost = await lastOf()
      t.ok(lost > risen)
      await server.faults.kill()
      await server.clock.advance(10)
      const after = await ping(server, "hamlet", { last_update_id: lost })
      t.same(after["presences"], { [server.idOf("hamlet")]: newer(secondsOf(server)) }, "a killed server loses pings")
      t.ok(Number(after["presence_last_update_id"]) > lost, "and no ids")
    }),
)

t.test(
  "what was true before a row is not stored after it; a database that is away",
  inTurn(2, "what was true before a row is not stored after it; a database that is away"),
  (t) =>
    withServer(t, {}, async (server) => {
      await ping(server, "hamlet")
      await ping(server, "cordelia")
      server.faults.failQueries("save_presence_v2")
      await server.clock.advance(5000)
      await until("it was tried", 5000, () => server.faults.failed > 0)
      await ping(server, "iago")
      server.faults.flow()
      await server.clock.advance(5000)
      const count = async () => (await server.rows("select count(*)::int as count from presence"))[0]?.["count"]
      await until("it was tried again", 5000, async () => (await count()) === 3)
      await server.clock.advance(minute)
      await ping(server, "hamlet")
      const { realm } = server.realm
      const position = realm.position
      await server.as("hamlet").must.patch("/settings", { presence_enabled: false })
      const change = [[server.idOf("hamlet"), 4_000_000_000, 4_000_000_000, 9]]
      await server.rows("select save_presence_v2($1, $2::text::jsonb, '[]', $3)", [
        server.realmId,
        JSON.stringify(change),
        position,
      ])
      const [hamlet] = await server.rows("select connected_at from presence where user_id = $1", [
        server.idOf("hamlet"),
      ])
      t.equal(hamlet?.["connected_at"], secondsOf(server) - 300)
    }),
)

t.test(
  "of many people a list shows others a moment later, and whoever asks at once",
  inTurn(2, "lists of many presences"),
  (t) =>
    withServer(t, {}, async (server) => {
      const people = [server.realmId, shownAtOnce] as const
      const names = ["hamlet", "cordelia", "othello"] as const
      for (const name of names) await ping(server, name)
      await server.clock.advance(5000)
      const stored = async () => (await server.rows("select user_id from presence")).length
      await until("the pings are stored", 5000, async () => (await stored()) === names.length)
      for (const statement of [
        `insert into account (realm_id, id, email, email_folded, full_name, joined_at)
       select $1, 1000 + n, n || '@many.example', n || '@many.example', 'Person ' || n, 0 from generate_series(1, $2::integer) n`,
        "insert into role_span (realm_id, user_id, role, opened) select $1, 1000 + n, 400, 0 from generate_series(1, $2::integer) n",
        `insert into presence (realm_id, user_id, active_at, connected_at, update_id, position)
       select $1, 1000 + n, ${secondsOf(server)}, ${secondsOf(server)}, 100 + n, 0 from generate_series(1, $2::integer) n`,
      ])
        await server.rows(statement, [...people])
      await server.restart()
      await server.clock.advance(minute)
      const ask = async (name: Name, last_update_id: number) => {
        const { presences, presence_last_update_id } = await ping(server, name, { last_update_id })
        return { ids: Object.keys(Object(presences)).map(Number), last: Number(presence_last_update_id) }
      }
      const [hamlet, cordelia, othello] = names.map((name) => server.idOf(name))
      const first = await ask("hamlet", -1)
      t.equal(first.ids.length, shownAtOnce + names.length)
      t.equal(first.ids.filter((id) => id === hamlet).length, 1)
      const next = await ask("cordelia", first.last)
      t.same(next, { ids: [cordelia], last: first.last }, "their own, of which they are told once more")
      t.same((await ping(server, "othello", { ping_only: true, odd: 1 }))["ignored_parameters_unsupported"], ["odd"])
      t.same(await ask("hamlet", next.last), { ids: [], last: first.last }, "nobody else yet")
      const { presences } = await server.as("othello").must.get("/realm/presence")
      t.match(presences, { "othello@test.example": older("active", secondsOf(server)) }, "whoever looks is in it, too")
      await server.clock.advance(1000 * keptSeconds)
      const then = await ask("hamlet", next.last)
      t.same(then.ids, [cordelia, othello])
      t.ok(then.last > first.last)
      t.same(await ask("hamlet", then.last), { ids: [], last: then.last })
    }),
)

t.test(
  "I13: people who come, hide and show themselves again settle",
  inTurn(2, "I13: people who come, hide and show themselves again settle"),
  (t) =>
    withServer(t, {}, async (server) => {
      await ping(server, "hamlet")
      await server.clock.advance(10 * minute)
      const views = viewsOf(server, undefined, ["cordelia", "polonius"])
      const settling = new Settling(t, views, (what) => sameAfresh(t, server, what))
      const acts: ReadonlyArray<readonly [string, () => Promise<unknown>]> = [
        // Ephemerals have ids after a row only: this one comes with it.
        [
          "somebody comes",
          async () => {
            await ping(server, "hamlet")
            await server.as("iago").must.post("/users/me/status", { status_text: "x" })
          },
        ],
        ["somebody hides", () => server.as("hamlet").must.patch("/settings", { presence_enabled: false })],
        ["somebody shows it again", () => server.as("hamlet").must.post("/users/me/status", { away: false })],
        ["somebody's address", () => server.as("hamlet").must.patch("/settings", { email_address_visibility: 4 })],
        ["somebody is deactivated", () => server.as("iago").must.delete(`/users/${server.idOf("hamlet")}`)],
        ["somebody comes back", () => server.as("iago").must.post(`/users/${server.idOf("hamlet")}/reactivate`)],
      ]
      for (const [n, [what, act]] of acts.entries()) {
        const seen = await settling.after(what, act)
        t.equal(seen.has(type), n < 3, what)
      }
    }),
)
