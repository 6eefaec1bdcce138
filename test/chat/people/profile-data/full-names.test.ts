/** Other names: by PATCH /settings and by administrators; rules of names, where a name shows, events. */
import t from "tap"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import { sameAfresh } from "../../../kit/afresh.ts"
import { recordsIn } from "../../../kit/records.ts"
import { refuses } from "../../../kit/refusals.ts"
import { Settling } from "../../../kit/settles.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"

const rename = (server: TestServer, who: Name, full_name: string) => server.as(who).patch("/settings", { full_name })
const nameOf = async (server: TestServer, who: Name) =>
  Object(await server.as("polonius").must.get(`/users/${server.idOf(who)}`)).user.full_name

t.test("a name shows everywhere at once, in what was sent before, too; what was rendered stays", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet", "cordelia"] }] }, async (server) => {
    const queue = await server.queue("polonius")
    const before = await server.as("hamlet").send("lobby", "before")
    const mention = await server.as("cordelia").send("lobby", "@**hamlet**")
    const user_id = server.idOf("hamlet")
    t.match(await rename(server, "hamlet", "  Prince Hamlet "), { status: 200 })
    t.match(await queue.rest(), [{ type: "realm_user", op: "update", person: { user_id, full_name: "Prince Hamlet" } }])
    const messageOf = async (id: number) =>
      Object(await server.as("cordelia").must.get(`/messages/${id}`, { apply_markdown: true })).message
    t.equal((await messageOf(before)).sender_full_name, "Prince Hamlet")
    t.match((await messageOf(mention)).content, /@hamlet</, "the words of a mention are those of then")
    const again = await server.as("cordelia").send("lobby", "@**prince hamlet** @**hamlet**")
    t.match((await messageOf(again)).content, /@Prince Hamlet<\/span> @<strong>hamlet<\/strong>|@\*\*hamlet\*\*/)
    t.equal(await nameOf(server, "hamlet"), "Prince Hamlet")
    t.match((await server.queue("hamlet")).state, { full_name: "Prince Hamlet" })
    t.match(await rename(server, "hamlet", "Prince Hamlet"), { status: 200 })
    t.same(await queue.rest(), [], "it is so already")
    await sameAfresh(t, server, "renamed")
    await server.restart()
    t.equal(await nameOf(server, "hamlet"), "Prince Hamlet")
  }),
)

const rules = [
  { when: "an empty one", fields: { full_name: " " }, msg: "Name too short!" },
  { when: "a long one", fields: { full_name: "x".repeat(101) }, msg: "Name too long!" },
  { when: "a mark of mentions", fields: { full_name: "a*b" }, msg: "Invalid characters in name!" },
  { when: "a line", fields: { full_name: "a\nb" }, msg: "Invalid characters in name!" },
  { when: "an id behind it", fields: { full_name: "hamlet|12" }, msg: "Invalid format!" },
]

t.test("rules of names, for people themselves, for administrators, and for new people", (t) =>
  withServer(t, {}, async (server) => {
    const queue = await server.queue("cordelia")
    await refuses(t, rules, (fields) => server.as("hamlet").patch("/settings", fields))
    await refuses(t, rules, (fields) => server.as("iago").patch(`/users/${server.idOf("hamlet")}`, fields))
    const fresh = { email: "new@test.example", password: "long enough" }
    await refuses(t, rules, (fields) => server.as("iago").post("/users", { ...fresh, ...fields }))
    t.match(await rename(server, "hamlet", "Cordelia"), { status: 200 }, "two may have one name")
    t.equal((await queue.rest()).length, 1)
    await server.as("desdemona").must.patch("/realm", { require_unique_names: true })
    t.match((await server.queue("hamlet")).state, { realm_require_unique_names: true })
    const unique = [
      { when: "taken", fields: { full_name: "CORDELIA" }, msg: "Unique names required in this organization." },
    ]
    await refuses(t, unique, (fields) => server.as("othello").patch("/settings", fields))
    await refuses(t, unique, (fields) => server.as("iago").patch(`/users/${server.idOf("othello")}`, fields))
    await refuses(t, unique, (fields) => server.as("iago").post("/users", { ...fresh, ...fields }))
    t.match(await rename(server, "othello", "Moor"), { status: 200 })
    t.match(await rename(server, "othello", "MOOR"), { status: 200 }, "one's own in another case")
    await sameAfresh(t, server, "rules")
  }),
)

t.test("where name changes are off only administrators change names, their own and others'", (t) =>
  withServer(t, {}, async (server) => {
    const queue = await server.queue("polonius", { event_types: ["realm"] })
    await server.as("iago").must.patch("/realm", { name_changes_disabled: true })
    t.match(await queue.rest(), [{ type: "realm", op: "update", property: "name_changes_disabled", value: true }])
    const off = { status: 400, body: { code: "BAD_REQUEST", msg: "Name changes are disabled in this organization." } }
    for (const who of ["hamlet", "polonius", "shiva"] as const) {
      const { full_name, ...known } = await server.as(who).must.get("/users/me")
      t.match(await rename(server, who, "Other"), off, who)
      t.match(await rename(server, who, String(full_name)), { status: 200 }, `${who}, as it is`)
      t.match(await server.as(who).must.get("/users/me"), { full_name, user_id: known["user_id"] })
    }
    const both = await server.as("hamlet").patch("/settings", { full_name: "Other", twenty_four_hour_time: true })
    t.match(both, off, "all or nothing")
    t.match((await server.queue("hamlet")).state, { user_settings: { twenty_four_hour_time: false } })
    t.match(await rename(server, "iago", "Honest Iago"), { status: 200 })
    const by = (path: string) => server.as("iago").patch(path, { full_name: `By ${path.length}` })
    t.match(await by(`/users/${server.idOf("hamlet")}`), { status: 200 })
    t.match(await by(`/users/${server.idOf("desdemona")}`), { status: 200 }, "an owner's, too")
    await sameAfresh(t, server, "off")
  }),
)

t.test("administrators change a name by an address that they may know", (t) =>
  withServer(t, {}, async (server) => {
    const queue = await server.queue("polonius")
    await server.actions.changeUserSetting("cordelia", "email_address_visibility", 4)
    await queue.rest()
    const bot = { email: "bot@test.example", fullName: "Bot", role: roles.member, isBot: true, passwordHash: null }
    const botId = await server.run(setUpUser(server.realmId, { ...bot, botOwnerId: server.idOf("hamlet") }))
    await queue.rest()
    const unknown = { status: 400, body: { code: "BAD_REQUEST", msg: "No such user" } }
    const iago = server.as("iago")
    t.match(await iago.patch("/users/hamlet@test.example", { full_name: "H" }), { status: 200 })
    t.match(await iago.patch("/users/cordelia@test.example", { full_name: "C" }), unknown, "hidden")
    t.match(await iago.patch("/users/nobody@test.example", { full_name: "C" }), unknown)
    const placeholder = `/users/user${server.idOf("cordelia")}@${server.realm.realm.host}`
    t.match(await iago.patch(placeholder, { full_name: "C" }), { status: 200 })
    t.match(await iago.patch("/users/2000000001", { full_name: "C" }), unknown, "a bot of the program")
    const name = (user_id: number, full_name: string) => ({ type: "realm_user", person: { user_id, full_name } })
    t.match(await queue.rest(), [name(server.idOf("hamlet"), "H"), name(server.idOf("cordelia"), "C")])
    const admins = { status: 400, body: { code: "UNAUTHORIZED_PRINCIPAL" } }
    for (const who of ["shiva", "cordelia", "polonius"] as const) {
      t.match(await server.as(who).patch("/users/hamlet@test.example", { full_name: "X" }), admins, who)
      t.match(await server.as(who).patch(`/users/${botId}`, { full_name: "X" }), admins, who)
      t.match(await server.as(who).patch("/users/nobody@test.example", { full_name: "X" }), unknown, who)
    }
    t.match(await server.as("hamlet").patch(`/users/${botId}`, { full_name: "Echo" }), { status: 200 }, "its owner")
    t.match(await server.as("hamlet").patch(`/users/${botId}`, { full_name: "Echo", role: 300 }), admins)
    const { realm_bots } = (await server.queue("hamlet")).state
    t.match(recordsIn(realm_bots), [{ user_id: botId, full_name: "Echo" }])
    const nothing = await iago.patch("/users/hamlet@test.example", { full_name: "Y", role: 150 })
    t.match(nothing, { status: 400, body: { msg: "Invalid role" } })
    t.equal(await nameOf(server, "hamlet"), "H", "all or nothing")
    await sameAfresh(t, server, "by administrators")
  }),
)

t.test("I13: names settle", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
    const bot = { email: "bot@test.example", fullName: "Bot", role: roles.member, isBot: true, passwordHash: null }
    const botId = await server.run(setUpUser(server.realmId, { ...bot, botOwnerId: server.idOf("hamlet") }))
    const iago = server.as("iago").must
    const deeds: ReadonlyArray<readonly [what: string, act: () => Promise<unknown>]> = [
      ["one's own", () => rename(server, "hamlet", "Prince")],
      ["a guest's", () => rename(server, "polonius", "Advisor")],
      ["by an administrator", () => iago.patch(`/users/${server.idOf("desdemona")}`, { full_name: "Lady" })],
      ["a bot's", () => iago.patch(`/users/${botId}`, { full_name: "Echo" })],
      ["a name and a role", () => iago.patch(`/users/${server.idOf("hamlet")}`, { full_name: "Guest", role: 600 })],
    ]
    const names = ["hamlet", "iago", "polonius", "desdemona", "shiva"] as const
    const settling = new Settling(t, viewsOf(server, undefined, names), (what) => sameAfresh(t, server, what))
    for (const [what, act] of deeds) {
      const seen = await settling.after(what, act)
      t.ok(seen.has("realm_user/update"), what)
    }
    const settings = () =>
      server.as("desdemona").must.patch("/realm", { name_changes_disabled: true, require_unique_names: true })
    t.ok((await settling.after("settings", settings)).has("realm/update name_changes_disabled"))
  }),
)
