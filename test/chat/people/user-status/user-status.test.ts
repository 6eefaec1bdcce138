/**
 * The status of people: three endpoints, event, section, and `away`, which is the setting `presence_enabled`. Names of
 * tests in quotes are sentences of the specification.
 */

import sharp from "sharp"
import t from "tap"
import { reactionTypes, roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import { sameAfresh } from "../../../kit/afresh.ts"
import type { Fields } from "../../../kit/client.ts"
import { refuses } from "../../../kit/refusals.ts"
import { basic } from "../../../kit/rows.ts"
import { Settling } from "../../../kit/settles.ts"
import { inTurn } from "../../../kit/share.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"

const path = "/users/me/status"
const type = "user_status"
const octopus = { emoji_name: "octopus", emoji_code: "1f419", reaction_type: "unicode_emoji" }
const zulip = { emoji_name: "zulip", emoji_code: "zulip", reaction_type: "zulip_extra_emoji" }
const noEmoji = { emoji_name: "", emoji_code: "", reaction_type: "unicode_emoji" }

const pathOf = (server: TestServer, name: Name) => `/users/${server.idOf(name)}/status`
const say = (server: TestServer, name: Name, fields: Fields) => server.as(name).must.post(path, fields)
const statusOf = async (server: TestServer, name: Name, by: Name = "polonius"): Promise<unknown> =>
  (await server.as(by).must.get(pathOf(server, name)))["status"]

/** Uploads a custom emoji; answers it as a status has it. */
const upload = async (server: TestServer, name: string) => {
  const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: "#123456" } })
    .png()
    .toBuffer()
  const form = new FormData()
  form.set("f", new Blob([new Uint8Array(bytes)]), "f.png")
  const url = `${server.origin}/api/v1/realm/emoji/${name}`
  const headers = { Authorization: basic(server.as("iago").account) }
  const answer = await fetch(url, { method: "POST", headers, body: form })
  if (answer.status !== 200) throw new Error(await answer.text())
  const known = server.realm.realm.findUserByEmail("iago@test.example")
  if (known === undefined) throw new Error("iago is gone")
  const { emoji } = Object(await server.as("iago").must.get("/realm/emoji"))
  const id = Object.keys(emoji).find((each) => emoji[each].name === name)
  return { emoji_name: name, emoji_code: String(id), reaction_type: "realm_emoji" }
}

const addBot = async (server: TestServer, role: (typeof roles)[keyof typeof roles]) => {
  const email = `bot${role}@test.example`
  const bot = { email, fullName: `Bot ${role}`, role, isBot: true, passwordHash: null }
  const id = await server.run(setUpUser(server.realmId, bot))
  return { id, person: server.asEmail(email) }
}

t.test("the status of people", (t) =>
  withServer(t, {}, async (server) => {
    await t.test('"Only passed parameters change", and everybody hears of these alone', async (t) => {
      const user_id = server.idOf("hamlet")
      const own = await server.queue("hamlet")
      const guest = await server.queue("polonius")
      t.same(own.state[type], {})
      t.same(await statusOf(server, "hamlet"), {})
      const { status, body } = await server.as("hamlet").post(path, { status_text: "  in a meeting\n" })
      t.same([status, body], [200, { result: "success", msg: "" }], '"Response: generic success object"')
      t.same(await statusOf(server, "hamlet"), { status_text: "in a meeting" })
      await say(server, "hamlet", octopus)
      const both = { status_text: "in a meeting", ...octopus }
      t.same(await statusOf(server, "hamlet"), both, "the text stays")
      await say(server, "hamlet", { status_text: "at lunch" })
      t.same(await statusOf(server, "hamlet"), { status_text: "at lunch", ...octopus }, "the emoji stays")
      await say(server, "hamlet", { status_text: "both", ...zulip })
      await say(server, "hamlet", { status_text: "both", emoji_name: "zulip" })
      const after = { status_text: "both", ...zulip }
      await server.restart()
      t.same(await statusOf(server, "hamlet", "hamlet"), after)
      const fresh = await server.queue("cordelia")
      t.same(fresh.state[type], { [user_id]: after })
      await say(server, "hamlet", { emoji_name: "" })
      t.same(await statusOf(server, "hamlet"), { status_text: "both" })
      const events = [
        { status_text: "in a meeting" },
        octopus,
        { status_text: "at lunch" },
        { status_text: "both", ...zulip },
        noEmoji,
      ].map((changes) => ({ type, user_id, ...changes }))
      for (const [name, queue] of [["hamlet", own] as const, ["polonius", guest] as const]) {
        const told = await server.resume(name, queue).rest()
        t.same(
          told.map(({ id: _id, ...event }) => event),
          events,
          "what is so already is not told again",
        )
      }
      t.same(await server.rows("select user_id, status_text, emoji from user_status"), [
        { user_id, status_text: "both", emoji: null },
      ])
    })

    await t.test('"status_text: empty string clears the status"; a status of nothing is none', async (t) => {
      await say(server, "hamlet", { status_text: "here", ...octopus })
      const queue = await server.queue("cordelia")
      await say(server, "hamlet", { status_text: "" })
      t.same(await statusOf(server, "hamlet"), octopus, "the emoji is no part of the text")
      // As a mobile client takes it away.
      await say(server, "hamlet", { status_text: "", emoji_name: "", emoji_code: "", reaction_type: "" })
      t.same(await statusOf(server, "hamlet"), {})
      t.match(await queue.rest(), [
        { type, status_text: "" },
        { type, ...noEmoji },
      ])
      t.same((await server.queue("cordelia")).state[type], {})
      t.same(await server.rows("select * from user_status"), [])
      await say(server, "hamlet", { status_text: " \n " })
      await sameAfresh(t, server, "taken away")
    })

    await t.test('"status_text: max 60 characters"', async (t) => {
      await say(server, "hamlet", { status_text: "🐙".repeat(60) })
      t.same(await statusOf(server, "hamlet"), { status_text: "🐙".repeat(60) }, "characters, not bytes")
      await say(server, "hamlet", { status_text: `  ${"x".repeat(60)} ` })
      const msg = "status_text is too long (limit: 60 characters)"
      await refuses(
        t,
        [
          { when: "61 characters", fields: { status_text: "x".repeat(61) }, msg },
          { when: "half a megabyte of spaces", fields: { status_text: " ".repeat(500_000) }, msg },
        ],
        (fields) => server.as("hamlet").post(path, fields),
      )
      t.same(await statusOf(server, "hamlet"), { status_text: "x".repeat(60) })
    })

    await t.test(
      '"each has its own namespace for emoji_code": hex code points, id, name; what is missing is found by the name',
      async (t) => {
        await say(server, "hamlet", { status_text: "" })
        const own = await upload(server, "yorick")
        const kinds = [octopus, own, zulip]
        t.same(
          kinds.map(({ reaction_type }) => reaction_type),
          reactionTypes,
        )
        for (const emoji of kinds) {
          const { emoji_name, emoji_code, reaction_type } = emoji
          for (const fields of [{ emoji_name }, { emoji_name, emoji_code }, { emoji_name, reaction_type }, emoji]) {
            await say(server, "hamlet", { emoji_name: "" })
            await say(server, "hamlet", fields)
            t.same(await statusOf(server, "hamlet"), emoji, Object.keys(fields).join())
          }
        }
        await say(server, "hamlet", octopus)
        await say(server, "hamlet", { ...zulip, reaction_type: "service_extra_emoji" })
        t.same(await statusOf(server, "hamlet"), zulip, "the name of the specification")
        await say(server, "hamlet", own)
        await server.as("iago").must.delete("/realm/emoji/yorick")
        t.same(await statusOf(server, "hamlet"), own, "an emoji out of use stays where it was")
        const deactivated = await server.as("cordelia").post(path, own)
        t.match(deactivated.body, { code: "BAD_REQUEST", msg: "This custom emoji has been deactivated." })
        await sameAfresh(t, server, "emoji")
      },
    )

    await t.test(
      '"BAD_REQUEST": emoji, "emoji_name: required whenever ...", "a status request that changes nothing"',
      async (t) => {
        const queue = await server.queue("cordelia")
        await refuses(t, [...nameRefusals, ...emojiRefusals], (fields) => server.as("hamlet").post(path, fields))
        await refuses(t, [...nameRefusals, ...emojiRefusals], (fields) =>
          server.as("iago").post(pathOf(server, "hamlet"), fields),
        )
        await refuses(
          t,
          [
            { when: "away is no boolean", fields: { away: "yes" }, msg: "away is not a boolean" },
            { when: "a code of no emoji", fields: { away: true, emoji_code: "1f419" }, msg: nameless },
            { when: "NUL", fields: { status_text: "a\0b" }, msg: /status_text/ },
          ],
          (fields) => server.as("hamlet").post(path, fields),
        )
        t.same(await queue.rest(), [], "all or nothing")
      },
    )

    await t.test(
      "administrators set the status of others, whatever their role, but not that they are away",
      async (t) => {
        const queue = await server.queue("polonius")
        for (const [by, of] of [["iago", "desdemona"] as const, ["desdemona", "hamlet"] as const])
          await server.as(by).must.post(pathOf(server, of), { status_text: `by ${by}`, ...octopus })
        t.same(await statusOf(server, "desdemona"), { status_text: "by iago", ...octopus })
        const ignored = await server.as("iago").post(pathOf(server, "hamlet"), { status_text: "x", away: true })
        t.match(ignored, { status: 200, body: { ignored_parameters_unsupported: ["away"] } })
        t.same(await statusOf(server, "hamlet"), { status_text: "x", ...octopus })
        t.match(await queue.rest(), [
          { type, user_id: server.idOf("desdemona"), status_text: "by iago", ...octopus },
          { type, user_id: server.idOf("hamlet"), status_text: "by desdemona", ...octopus },
          { type, user_id: server.idOf("hamlet"), status_text: "x" },
        ])
        const away = await server.as("iago").post(pathOf(server, "hamlet"), { away: true })
        t.match(away, { status: 400, body: { msg: nothing } })
        const rank = {
          status: 400,
          body: { code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization administrator" },
        }
        for (const by of ["shiva", "hamlet", "polonius"] as const) {
          t.match(await server.as(by).post(pathOf(server, by), { status_text: "y" }), rank, by)
          t.match(await server.as(by).post("/users/99/status", { status_text: "y" }), rank, `${by}, of nobody`)
        }
        const bot = await addBot(server, roles.administrator)
        t.match(await bot.person.post(pathOf(server, "cordelia"), { status_text: "on holiday" }), { status: 200 })
        t.same(await statusOf(server, "cordelia"), { status_text: "on holiday" }, "a calendar's bot may")
        await server.as("iago").must.delete(`/users/${server.idOf("othello")}`)
        await server.as("iago").must.post(pathOf(server, "othello"), { status_text: "left" })
        t.same(await statusOf(server, "othello"), { status_text: "left" })
        await sameAfresh(t, server, "of others")
      },
    )
  }),
)

const emojiRefusals = [
  { when: "no such name", fields: { emoji_name: "no such" }, msg: "Emoji 'no such' does not exist" },
  { when: "no such code", fields: { ...octopus, emoji_code: "ffff" }, msg: "Invalid emoji code." },
  { when: "an empty code", fields: { ...octopus, emoji_code: "" }, msg: "Invalid emoji code." },
  { when: "another's name", fields: { ...octopus, emoji_name: "smile" }, msg: "Invalid emoji name." },
  { when: "no such type", fields: { ...octopus, reaction_type: "x" }, msg: "Invalid emoji type." },
  { when: "an empty type", fields: { ...octopus, reaction_type: "" }, msg: "Invalid emoji type." },
  {
    when: "no custom emoji",
    fields: { ...octopus, emoji_code: "7", reaction_type: "realm_emoji" },
    msg: "Invalid custom emoji.",
  },
]
const nothing = "Client did not pass any new values."
const nameless = "Client must pass emoji_name if they pass either emoji_code or reaction_type."
const nameRefusals = [
  { when: "nothing is passed", fields: {}, msg: nothing },
  { when: "only a code", fields: { emoji_code: "1f419" }, msg: nothing },
  { when: "a code without the name", fields: { status_text: "x", emoji_code: "1f419" }, msg: nameless },
  { when: "a type without the name", fields: { status_text: "x", reaction_type: "unicode_emoji" }, msg: nameless },
]

t.test('"away = not presence_enabled": the setting, its older events, and one event of all that has changed', (t) =>
  withServer(t, {}, async (server) => {
    const user_id = server.idOf("hamlet")
    const older = await server.queue("hamlet")
    const others = await server.queue("polonius")
    const settings = (value: boolean) => [
      { type: "user_settings", op: "update", property: "presence_enabled", value },
      { type: "update_global_notifications", notification_name: "presence_enabled", setting: value },
    ]
    /** Others also see that somebody seems to be gone, or is here: presence.test.ts has what of it. */
    const statuses = [
      { type: "presence", user_id },
      { type, user_id, away: true },
      { type: "presence", user_id },
      { type, user_id, away: false, status_text: "back" },
    ]
    await say(server, "hamlet", { away: true })
    await say(server, "hamlet", { away: true })
    t.same(await statusOf(server, "hamlet"), { away: true })
    t.match((await server.queue("hamlet")).state, {
      user_status: { [user_id]: { away: true } },
      user_settings: { presence_enabled: false },
      presence_enabled: false,
    })
    await server.restart()
    t.same(await statusOf(server, "hamlet"), { away: true })
    await say(server, "hamlet", { away: false, status_text: "back" })
    t.same(await statusOf(server, "hamlet"), { status_text: "back" })
    const heard = await server.resume("polonius", others).rest()
    t.match(heard, statuses, "others hear of no setting")
    t.equal(heard.length, 4)
    const told = await server.resume("hamlet", older).rest()
    t.match(told, [...settings(false), ...statuses.slice(0, 2), ...settings(true), ...statuses.slice(2)])
    t.equal(told.length, 8)

    const queue = await server.queue("polonius")
    const from = await server.queue("hamlet")
    const hamlet = server.as("hamlet")
    for (const presence_enabled of [false, false, true, true])
      await hamlet.must.patch("/settings", { presence_enabled })
    const twice = [
      { type: "presence", user_id },
      { type, user_id, away: true },
      { type: "presence", user_id },
      { type, user_id, away: false },
    ]
    t.match(await queue.rest(), twice, "PATCH /settings tells it, too")
    t.match(await from.rest(), [...settings(false), ...twice.slice(0, 2), ...settings(true), ...twice.slice(2)])
    await hamlet.must.patch("/settings", { presence_enabled: false })
    t.same((await server.queue("shiva")).state[type], { [user_id]: { away: true, status_text: "back" } })
    await server.as("iago").must.delete(`/users/${user_id}`)
    t.same((await server.queue("shiva")).state[type], { [user_id]: { away: true, status_text: "back" } })
    await sameAfresh(t, server, "away")
  }),
)

t.test("only people have a status", inTurn(2, "only people have a status"), (t) =>
  withServer(t, {}, async (server) => {
    const bot = await addBot(server, roles.member)
    const queue = await server.queue("hamlet")
    const own = [
      { when: "a bot's own", fields: { status_text: "x" }, msg: "This endpoint does not accept bot requests." },
      { when: "a bot that passes nothing", fields: {}, msg: "This endpoint does not accept bot requests." },
    ]
    await refuses(t, own, (fields) => bot.person.post(path, fields))
    t.match(await bot.person.patch("/settings", { presence_enabled: false }), { status: 200 })
    t.same(await queue.rest(), [], "that it does not show itself makes it not away")
    t.same((await server.queue("hamlet")).state[type], {})
    const lines = [
      { when: "of a bot", fields: { id: bot.id }, msg: "Bots do not have a status." },
      { when: "of a bot of the program", fields: { id: 2_000_000_001 }, msg: "Bots do not have a status." },
      { when: "of nobody", fields: { id: 99 }, msg: "No such user" },
      { when: "of a number that is no id", fields: { id: 99_999_999_999 }, msg: "No such user" },
    ]
    await refuses(t, lines, ({ id }) => server.as("iago").post(`/users/${id}/status`, { status_text: "x" }))
    await refuses(t, lines, ({ id }) => server.as("hamlet").get(`/users/${id}/status`))
    await say(server, "hamlet", { status_text: "x" })
    t.match(await bot.person.get(pathOf(server, "hamlet")), { status: 200, body: { status: { status_text: "x" } } })
    await sameAfresh(t, server, "bots")
  }),
)

t.test(
  "a visitor without an account sees nobody's status",
  inTurn(2, "a visitor without an account sees nobody's status"),
  (t) =>
    withServer(t, { channels: [{ name: "square", users: [], isWebPublic: true }] }, async (server) => {
      await server.as("desdemona").must.patch("/realm", { enable_spectator_access: true })
      await say(server, "hamlet", { status_text: "x" })
      const { status, body } = await server.anonymous("POST", "/register", {})
      t.same([status, body[type]], [200, {}])
      t.match(await server.anonymous("GET", pathOf(server, "hamlet")), { status: 401 })
    }),
)

t.test(
  "register shares the statuses of many, and writes only what has changed",
  inTurn(2, "register shares the statuses of many, and writes only what has changed"),
  (t) =>
    withServer(t, {}, async (server) => {
      await server.rows(
        `with made as (
         insert into account (realm_id, id, email, email_folded, full_name, joined_at)
         select 1, n, n || '@test.example', n || '@test.example', 'Person ' || n, 0 from generate_series(1, 600) n
         on conflict (realm_id, id) do nothing returning id)
       insert into role_span (realm_id, user_id, role, opened) select 1, id, 400, 0 from made`,
      )
      await server.rows(
        `insert into user_status (realm_id, user_id, status_text, emoji)
       select 1, n, 'person ' || n, $1::text::jsonb from generate_series(1, 600) n where n % 3 <> 0`,
        [JSON.stringify(octopus)],
      )
      await server.restart()
      const shown = async () => Object((await server.queue("polonius")).state[type])
      const before = await shown()
      t.equal(Object.keys(before).length, 400)
      t.same(before[598], { status_text: "person 598", ...octopus })
      await say(server, "cordelia", { status_text: "now" })
      await say(server, "hamlet", { status_text: "", emoji_name: "" })
      const { [server.idOf("hamlet")]: _gone, ...others } = before
      const id = server.idOf("cordelia")
      t.same(await shown(), { ...others, [id]: { ...before[id], status_text: "now" } })
    }),
)

t.test("I13: each kind of change settles", inTurn(2, "I13: each kind of change settles"), (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
    await say(server, "cordelia", { status_text: "before", ...octopus })
    const deeds: ReadonlyArray<readonly [what: string, act: () => Promise<unknown>]> = [
      ["a text", () => say(server, "hamlet", { status_text: "here" })],
      ["an emoji", () => say(server, "hamlet", zulip)],
      ["another emoji and text", () => say(server, "hamlet", { status_text: "there", ...octopus })],
      ["no text", () => say(server, "cordelia", { status_text: "" })],
      ["no emoji", () => say(server, "cordelia", { emoji_name: "" })],
      ["away", () => say(server, "hamlet", { away: true })],
      ["back, with a text", () => say(server, "hamlet", { away: false, status_text: "back" })],
      ["the setting", () => server.as("polonius").must.patch("/settings", { presence_enabled: false })],
      ["by an administrator", () => server.as("iago").must.post(pathOf(server, "polonius"), { status_text: "by me" })],
      ["who has one leaves", () => server.as("iago").must.delete(`/users/${server.idOf("polonius")}`)],
      ["and comes back", () => server.as("iago").must.post(`/users/${server.idOf("polonius")}/reactivate`)],
    ]
    const names = ["hamlet", "iago", "shiva", "desdemona"] as const
    const settling = new Settling(t, viewsOf(server, undefined, names), (what) => sameAfresh(t, server, what))
    for (const [what, act] of deeds) {
      const seen = await settling.after(what, act)
      t.ok(seen.size > 0, what)
    }
  }),
)
