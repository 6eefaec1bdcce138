/** Who is there, for the clients of all processes: by a note a moment later, and without one by what is stored. */
import * as Effect from "effect/Effect"
import t from "tap"
import { presences } from "../../../src/chat/ground/presences/presences.ts"
import { PresenceBook } from "../../../src/chat/people/presence/presence-book.ts"
import type { Fields } from "../../kit/client.ts"
import { until } from "../../kit/test-database.ts"
import type { Name, TestServer } from "../../kit/with-server.ts"
import { withServers } from "../../kit/with-servers.ts"

const path = "/users/me/presence"
const gathered = 2000
const saved = 5000
const taken = 10_000

const ping = (server: TestServer, name: Name, fields: Fields = {}) =>
  server.as(name).must.post(path, { status: "active", slim_presence: true, ...fields })

const knows = (server: TestServer, name: Name) => async () =>
  (await server.as("desdemona").get(`/users/${server.idOf(name)}/presence`, {})).status === 200

const idsIn = (answer: Fields) => Object.keys(Object(answer["presences"])).map(Number)

t.test("a ping through one process is read and heard through another, by a note", (t) =>
  withServers(t, 2, {}, async ([one, two]) => {
    if (one === undefined || two === undefined) return
    const [hamlet, iago, cordelia] = [one.idOf("hamlet"), one.idOf("iago"), one.idOf("cordelia")]
    const reader = await two.queue("cordelia", { event_types: ["presence"], slim_presence: true })
    // What is not stored has ids above a row that came after the start.
    await one.as("iago").must.patch("/settings", { presence_enabled: false })
    t.match(await reader.take(1), [{ type: "presence", user_id: iago }])
    await ping(one, "iago", { ping_only: true })
    await ping(one, "hamlet", { ping_only: true })
    one.clock.advance(gathered)
    t.match(await reader.take(1), [{ type: "presence", user_id: hamlet, presence: { website: { status: "active" } } }])
    const times = async (server: TestServer) => {
      const state = await server.as("cordelia").must.post("/register", { slim_presence: true })
      return Object(state["presences"])[hamlet]
    }
    t.match(await times(two), { active_timestamp: Number })
    t.same(await times(two), await times(one))
    const { presence } = await two.as("cordelia").must.get(`/users/${hamlet}/presence`)
    t.match(presence, { website: { status: "active" } })

    const first = await ping(one, "cordelia", { last_update_id: -1 })
    t.same(idsIn(first), [hamlet, cordelia], "rows bear the test's time, of long ago")
    const last_update_id = first["presence_last_update_id"]
    t.ok(Math.abs(Number(last_update_id) - Date.now()) < 600_000, "ids are times")
    const there = await ping(two, "cordelia", { last_update_id })
    t.ok(idsIn(there).includes(hamlet), "what the other may have learned later is told once more")
    t.ok(Number(there["presence_last_update_id"]) >= Number(last_update_id))
    const everybody = await ping(two, "cordelia", { last_update_id: Number(last_update_id) + 3_600_000 })
    t.same(idsIn(everybody), [hamlet, cordelia], "an id of the future")
    one.clock.advance(saved)
    await until("it is stored", 5_000, async () => (await one.rows("select from presence")).length === 3)
    const [row] = await one.rows(`select connected_at from presence where user_id = ${iago}`)
    const hidden = Number(row?.["connected_at"])
    t.ok(hidden < Number((await times(one))?.["idle_timestamp"]) - 200, "a ping does not show who hides")
  }),
)

t.test("where nobody is told, it is read from what others have stored, and is there after a restart", (t) =>
  withServers(t, 2, { bus: "none" }, async ([one, two]) => {
    if (one === undefined || two === undefined) return
    const reader = await two.queue("cordelia", { event_types: ["presence", "realm_user"], slim_presence: true })
    await two.as("iago").must.patch("/settings", { full_name: "Iago the Honest" })
    t.match(await reader.take(1), [{ type: "realm_user" }])
    await ping(one, "hamlet")
    one.clock.advance(gathered)
    t.notOk(await knows(two, "hamlet")())
    one.clock.advance(saved)
    await until("it is stored", 5_000, async () => (await one.rows("select from presence")).length === 1)
    two.clock.advance(taken)
    await until("the other has read it", 5_000, knows(two, "hamlet"))
    t.match(await reader.take(1), [{ type: "presence", user_id: one.idOf("hamlet") }])
    t.same(await two.rows("select from presence where update_id < 1000000000000"), [])
    await ping(two, "othello")
    await two.restart()
    t.ok(await knows(two, "hamlet")())
    t.ok(await knows(two, "othello")(), "what was not stored yet is when a process ends")
    one.clock.advance(taken)
    await until("the first has read it, too", 5_000, knows(one, "othello"))
  }),
)

t.test("of one who is at several processes the newest times are stored, whoever stores last", (t) =>
  withServers(t, 2, { bus: "none" }, async ([one, two]) => {
    if (one === undefined || two === undefined) return
    const user = one.idOf("hamlet")
    await ping(one, "hamlet", { status: "idle" })
    await ping(two, "hamlet", { status: "active" })
    const row = async () => (await one.rows(`select active_at, connected_at from presence where user_id = ${user}`))[0]
    const save = (server: TestServer) => server.run(Effect.flatMap(PresenceBook, (book) => book.save))
    await save(two)
    const active = Number((await row())?.["active_at"])
    t.ok(active > 0)
    await save(one)
    t.equal(Number((await row())?.["active_at"]), active, "never being active is older")
    one.clock.advance(taken)
    await until("it is known there", 5_000, () => one.realm.realm.part(presences).of(user)?.active === active)
    // Nobody has taken it here: nothing is to be stored.
    t.notOk(one.realm.realm.part(presences).hasUnsaved)
  }),
)
