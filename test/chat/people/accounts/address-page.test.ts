/** Another address: asked for in the settings, shown to be one's own by a link; or given by an administrator. */
import t from "tap"
import { roles, systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import { changePassword } from "../../../../src/chat/server/setup/setup-commands.ts"
import { sameAfresh } from "../../../kit/afresh.ts"
import { personOf } from "../../../kit/client.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { addPerson, linksTo, look, mailing, mailsTo, ownOrigin, send, signIn } from "./accounts-scene.ts"

const next = "Prince@test.example"
const day = 24 * 3600_000

/** Asks for another address; answers the path of the link that was mailed there. */
const wish = async (server: TestServer, who: Name, email: string): Promise<string> => {
  await server.as(who).must.patch("/settings", { email })
  return (await linksTo(server, email)).at(-1) ?? ""
}

t.test("an address holds when the link is opened that was mailed there", (t) =>
  withServer(t, mailing, async (server) => {
    const id = server.idOf("hamlet")
    const readers = [await server.queue("hamlet"), await server.queue("polonius")]
    const key = server.as("hamlet").account.key
    const link = await wish(server, "hamlet", next)
    t.match(link, /^\/accounts\/confirm_new_email\/[\w-]{43}$/)
    t.same(await mailsTo(server, "hamlet@test.example"), [])
    t.match(await server.as("hamlet").must.get("/users/me"), { delivery_email: "hamlet@test.example" }, "not before")
    for (const reader of readers) t.same(await reader.rest(), [], "and nobody hears of it")
    await server.restart()
    const page = await look(server, link)
    t.match(page, { status: 200, body: /hamlet, your address there will be <strong>Prince@test\.example/ })
    t.match(await server.as("hamlet").must.get("/users/me"), { delivery_email: "hamlet@test.example" })
    const after = await server.queue("polonius")
    const own = await server.queue("hamlet")
    t.equal((await send(server, link, {}, { Origin: "https://evil.example" })).status, 403)
    t.match(await send(server, link, {}, { Origin: ownOrigin }), { status: 200, body: /Your address is changed/ })
    const person = { user_id: id }
    const told = [
      { type: "realm_user", op: "update", person: { ...person, new_email: next } },
      { type: "realm_user", op: "update", person: { ...person, delivery_email: next } },
    ]
    t.match(await after.rest(), told)
    const signed = (email: string) => personOf(server.origin, { email, key })
    const poll = { queue_id: own.queueId, last_event_id: own.lastId, dont_block: true }
    t.match(await signed(next).must.get("/events", poll), { events: told }, "whose queues go on")
    t.match(await signed(next.toUpperCase()).must.get("/users/me"), { delivery_email: next, email: next })
    t.match(await signed("hamlet@test.example").get("/users/me"), { status: 401 })
    t.match(await mailsTo(server, "hamlet@test.example"), [{ text: /is Prince@test\.example from now on/ }])
    for (const again of [await look(server, link), await send(server, link)]) t.equal(again.status, 404, "once")
    await sameAfresh(t, server, "another address")
  }),
)

t.test("other addresses", (t) =>
  withServer(t, mailing, async (server) => {
    await t.test("addresses that are refused", async (t) => {
      const bot = { fullName: "Bot", role: roles.member, isBot: true, passwordHash: null }
      await server.run(setUpUser(server.realmId, { ...bot, email: "bot@test.example" }))
      await server.actions.changeUserSetting("cordelia", "email_address_visibility", 4)
      const table: ReadonlyArray<Refusal> = [
        { when: "none", fields: { email: "hamlet" }, msg: "Enter a valid email address." },
        {
          when: "one that no mail goes to",
          fields: { email: "a..b@test.example" },
          msg: "Enter a valid email address.",
        },
        { when: "a placeholder", fields: { email: "user3@test.example" }, msg: /not allowed in this organization/ },
        { when: "somebody's", fields: { email: "IAGO@test.example" }, msg: /already in use/ },
      ]
      await refuses(t, table, (fields) => server.as("hamlet").patch("/settings", fields))
      await server.as("hamlet").must.patch("/settings", { email: "hamlet@test.example" })
      t.same(await server.rows("select 1 from account_link"), [], "one's own is no wish")
      t.match(await server.asEmail("bot@test.example").patch("/settings", { email: next }), {
        body: { msg: /of a bot/ },
      })
      await server.as("hamlet").must.patch("/settings", { email: "cordelia@test.example" })
      t.match(await mailsTo(server, "cordelia@test.example"), [{ text: /but it has an\saccount there already/ }])
      t.same(
        await linksTo(server, "cordelia@test.example"),
        [],
        "one that is hidden is answered as any, and cannot be had",
      )

      await server.as("desdemona").must.patch("/realm", { email_changes_disabled: true })
      t.match(await server.as("hamlet").patch("/settings", { email: next }), { body: { msg: /changes are disabled/ } })
      t.match(await server.as("iago").patch("/settings", { email: next }), { status: 200 }, "administrators may")
      t.match(await server.as("hamlet").must.post("/register"), { realm_email_changes_disabled: true })
      await server.as("desdemona").must.patch("/realm", { email_changes_disabled: false })
    })

    await t.test("an administrator gives somebody another address at once", async (t) => {
      const id = await addPerson(server, "rosa@test.example")
      const reader = await server.queue("othello")
      await server.as("iago").must.patch(`/users/${id}`, { new_email: "given@test.example", role: 600 })
      const events = await reader.rest()
      t.match(
        events.filter(({ type }) => type === "realm_user").map(({ person }) => person),
        [
          { user_id: id, role: 600 },
          { user_id: id, new_email: "given@test.example" },
          { user_id: id, delivery_email: "given@test.example" },
        ],
      )
      t.match(await mailsTo(server, "rosa@test.example"), [{ text: /from now on/ }])
      t.equal(await signIn(server, "given@test.example", "a long password"), 200)
      t.equal(await signIn(server, "rosa@test.example", "a long password"), 401)
      const kind = { role: roles.member, isBot: true, passwordHash: null }
      const bot = await server.run(
        setUpUser(server.realmId, { ...kind, email: "helper@test.example", fullName: "Helper" }),
      )
      const asBot = await server.asEmail("helper@test.example").patch("/settings", { email: "x@test.example" })
      t.match(asBot, { status: 400, body: { msg: "The address of a bot cannot be changed" } })
      const refused: ReadonlyArray<readonly [Name, number, string, object]> = [
        ["hamlet", id, "x@test.example", { code: "UNAUTHORIZED_PRINCIPAL" }],
        ["iago", server.idOf("desdemona"), "x@test.example", { code: "UNAUTHORIZED_PRINCIPAL" }],
        ["iago", id, "shiva@test.example", { msg: /already in use/ }],
        ["iago", id, "nothing", { msg: "Enter a valid email address." }],
        ["iago", 4711, "x@test.example", { msg: "No such user" }],
        ["iago", bot, "x@test.example", { msg: "The address of a bot cannot be changed" }],
      ]
      for (const [who, user, new_email, body] of refused)
        for (const beside of [{}, { role: 400 }])
          t.match(await server.as(who).patch(`/users/${user}`, { new_email, ...beside }), { status: 400, body })
      t.equal(server.realm.realm.findUserByEmail("given@test.example")?.role, 600, "all or nothing")
      await server.as("iago").must.delete(`/users/${id}`)
      await server.as("iago").must.patch(`/users/${id}`, { new_email: "left@test.example" })
      await sameAfresh(t, server, "an address of who has left")
    })

    await t.test("a limited guest is not told whose address is taken of whom they do not know", async (t) => {
      await server
        .as("iago")
        .must.patch("/realm", { can_access_all_users_group: { new: systemGroups["role:members"] } })
      for (const email of ["iago@test.example", "nobody@test.example"])
        t.match(await server.as("polonius").patch("/settings", { email }), { status: 200 }, email)
      t.match(await mailsTo(server, "iago@test.example"), [{ text: /already|have an account/i }])
    })

    await t.test("who may not see the address is told of nothing that shows it", async (t) => {
      await server.actions.changeUserSetting("hamlet", "email_address_visibility", 3)
      const readers = { iago: await server.queue("iago"), othello: await server.queue("othello") }
      await send(server, await wish(server, "hamlet", "seen@test.example"))
      const update = {
        type: "realm_user",
        op: "update",
        person: { user_id: server.idOf("hamlet"), delivery_email: "seen@test.example" },
      }
      t.match(await readers.iago.rest(), [update], "an administrator")
      t.same(await readers.othello.rest(), [])
      t.match(await server.as("othello").must.get(`/users/${server.idOf("hamlet")}`), {
        user: { delivery_email: null, email: `user${server.idOf("hamlet")}@test.example` },
      })
    })

    await t.test("two want one address: who confirms first has it", async (t) => {
      const links = [
        await wish(server, "cordelia", "wanted@test.example"),
        await wish(server, "othello", "wanted@test.example"),
      ]
      const both = await Promise.all(links.map((link) => send(server, link)))
      t.same(both.map(({ status }) => status).sort(), [200, 400])
      t.equal([...server.realm.realm.users.values()].filter(({ email }) => email === "wanted@test.example").length, 1)
    })
  }),
)

t.test("a link ends by time, by another wish, by the rules, and where the address is taken meanwhile", (t) =>
  withServer(t, mailing, async (server) => {
    const old = await wish(server, "hamlet", next)
    server.clock.advance(day)
    t.equal((await send(server, old)).status, 404, "time")
    const first = await wish(server, "hamlet", "one@test.example")
    const second = await wish(server, "hamlet", "two@test.example")
    t.equal((await send(server, first)).status, 404, "another wish")
    await addPerson(server, "two@test.example")
    t.match(await send(server, second), { status: 400, body: /already in use/ }, "taken")
    const third = await wish(server, "hamlet", "three@test.example")
    await server.as("desdemona").must.patch("/realm", { email_changes_disabled: true })
    t.match(await send(server, third), { status: 400, body: /changes are disabled/ })
    await server.as("desdemona").must.patch("/realm", { email_changes_disabled: false })
    const both = await Promise.all([send(server, third), send(server, third)])
    t.same(both.map(({ status }) => status).sort(), [200, 404], "two at once")
    const stolen = await wish(server, "othello", "thief@test.example")
    await server.as("othello").must.post("/users/me/api_key/regenerate")
    t.equal((await look(server, stolen)).status, 404, "whoever had the key may have wished for it")
    const guessed = await wish(server, "shiva", "thief@test.example")
    await server.run(changePassword(server.realmId, server.idOf("shiva"), "another hash"))
    t.equal((await look(server, guessed)).status, 404, "or the password")
    const cordelia = await wish(server, "cordelia", "four@test.example")
    await server.as("iago").must.delete(`/users/${server.idOf("cordelia")}`)
    t.equal((await look(server, cordelia)).status, 404)
    await server.as("iago").must.post(`/users/${server.idOf("cordelia")}/reactivate`)
    t.equal((await send(server, cordelia)).status, 404, "also for who is back")
  }),
)

t.test("mails are limited, for each user and each address; without mail nothing is promised", async (t) => {
  await withServer(t, mailing, async (server) => {
    const ask = async (who: Name, email: string) => (await server.as(who).patch("/settings", { email })).status
    for (let n = 0; n < 5; n++) t.equal(await ask("hamlet", `h${n}@test.example`), 200)
    t.match(await server.as("hamlet").patch("/settings", { email: "h5@test.example" }), {
      body: { msg: /try tomorrow/ },
    })
    t.match(await server.as("hamlet").patch("/settings", { full_name: "Prince", email: "h6@test.example" }), {
      status: 400,
      body: { msg: /try tomorrow/ },
    })
    t.match(await server.as("hamlet").must.get("/users/me"), { full_name: "hamlet" }, "all or nothing")
    for (const who of ["othello", "cordelia", "shiva"] as const) t.equal(await ask(who, next), 200)
    t.equal(await ask("iago", next), 400, "so many to one address")
    server.clock.advance(day)
    t.equal(await ask("hamlet", next), 200)
  })
  await withServer(t, { config: { mode: "production" } }, async (server) => {
    t.match(await server.as("hamlet").patch("/settings", { email: next }), { body: { msg: /cannot send mail/ } })
    await server.as("iago").must.patch(`/users/${server.idOf("hamlet")}`, { new_email: next })
    t.equal(server.realm.realm.findUserByEmail(next)?.id, server.idOf("hamlet"), "administrators just say so")
  })
})
