/** The page on which an invitation is accepted, the account that it makes, and what is shown of links that are over. */
import t, { type Test } from "tap"
import { systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { absentMailServer } from "../../../kit/absent-mail-server.ts"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Fields } from "../../../kit/client.ts"
import { startDirectory } from "../../../kit/directory-server.ts"
import { ask } from "../../../kit/raw-http.ts"
import { pluck, recordsIn } from "../../../kit/records.ts"
import { inTurn } from "../../../kit/share.ts"
import { until } from "../../../kit/test-database.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"
import { directOf, invite, invitesOf, join, linkTo, look, mailing } from "./invitation-scene.ts"

const rosa = "rosa@far.example"

const invited = async (
  server: TestServer,
  who: "desdemona" | "iago" | "hamlet" | "cordelia",
  fields: Fields = {},
  address = rosa,
) => {
  const { status, body } = await invite(server, who, address, fields)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return linkTo(server, address)
}

const linkFor = async (server: TestServer, fields: Fields = {}): Promise<string> =>
  String((await server.as("desdemona").must.post("/invites/multiuse", fields))["invite_link"])

const channelsOf = async (server: TestServer, address: string) => {
  const body = await server.asEmail(address).must.get("/users/me/subscriptions")
  return new Set(pluck(body["subscriptions"], "name"))
}

t.test("invitations are accepted", (t) =>
  withServer(t, mailing, async (server) => {
    await t.test("who accepts an invitation has an account, subscribed, in its groups, welcomed", async (t) => {
      await server.as("cordelia").send("den", "from before")
      await server.as("hamlet").send("court", "history")
      const group = (
        await server.as("cordelia").must.post("/user_groups/create", { name: "crew", description: "", members: [] })
      )["group_id"]
      const stream_ids = [channelId(server, "court"), channelId(server, "den")]
      await server.as("cordelia").must.post("/users/me/subscriptions", { subscriptions: [{ name: "court" }] })
      const link = await invited(server, "cordelia", { stream_ids, group_ids: [group], invite_as: 600 })
      const page = await look(server, link)
      t.equal(page.status, 200)
      t.match(page.body, /<form method="post">/)
      t.match(page.body, rosa, "whom it is for")
      t.notMatch(page.body, /<script|javascript:| on\w+=/, "it works without script")
      t.match(
        page.headers.get("content-security-policy"),
        /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      )
      t.match(Object.fromEntries(page.headers), {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "referrer-policy": "same-origin",
        "x-content-type-options": "nosniff",
      })
      t.equal((await look(server, link, "HEAD")).status, 200)
      const readers = [await server.queue("cordelia"), await server.queue("iago"), await server.queue("hamlet")]
      const made = await join(server, link)
      t.match(made, { status: 200, body: /your account is made/ })
      t.match(made.body, rosa)
      const user = server.realm.realm.findUserByEmail(rosa)
      t.match(user, { full_name: "Rosa New", role: 600, is_bot: false })
      t.same(await channelsOf(server, rosa), new Set(["court", "den"]))
      const members = (await server.as("hamlet").must.get(`/user_groups/${group}/members`))["members"]
      t.same(members, [user?.id])
      t.match(await directOf(server, rosa), [/^Welcome! Messages here/], "the welcome message")
      t.match(await directOf(server, "cordelia@test.example"), [
        "`Rosa New` accepted your invitation, and is here now.",
      ])
      const page2 = { anchor: "newest", num_before: 10, num_after: 0 }
      const of = async (channel: string) =>
        pluck(
          (await server.asEmail(rosa).must.get("/messages", { ...page2, narrow: [["channel", channel]] }))["messages"],
          "content",
        )
      t.match(await of("court"), ["<p>history</p>"], "given history, as other new accounts")
      t.same(await of("den"), [], "but of a channel whose history is not shared nothing")
      const [cordelia, iago, hamlet] = await Promise.all(
        readers.map(async (reader) => pluck(await reader.rest(), "type")),
      )
      t.equal(
        cordelia?.filter((type) => type === "invites_changed").length,
        1,
        "the inviter hears that the list has changed",
      )
      t.equal(iago?.filter((type) => type === "invites_changed").length, 1, "and administrators")
      t.notOk(hamlet?.includes("invites_changed"), "others do not")
      t.same(await invitesOf(server, "cordelia"), [])
      const signedIn = await server.anonymous("POST", "/fetch_api_key", { username: rosa, password: "a long password" })
      t.match(signedIn, { status: 200, body: { user_id: user?.id } }, "the password is the one that they chose")
      const gone = await join(server, link)
      t.equal(gone.status, 404, "a link works once")
    })

    await t.test("a link for many works many times, until it is revoked", async (t) => {
      const reader = await server.queue("iago", { event_types: ["invites_changed"] })
      const link = await linkFor(server, { include_realm_default_subscriptions: true, invite_expires_in_minutes: null })
      t.match(await invitesOf(server, "iago"), [
        { is_multiuse: true, link_url: link, expiry_date: null, invited_as: 400 },
      ])
      t.match((await look(server, link)).body, /name="email"/)
      for (const email of ["many1@far.example", "many2@far.example"])
        t.equal((await join(server, link, { email })).status, 200, email)
      t.same(await channelsOf(server, "many2@far.example"), new Set(["lobby"]))
      t.match(await join(server, link, { email: "Many1@far.example" }), { status: 400, body: /already in use/ })
      for (const email of ["", "nothing", "a@b@c.example", "welcome-bot@test.example", `user1@test.example`])
        t.equal((await join(server, link, { email })).status, 400, `not ${email}`)
      const [{ id } = { id: 0 }] = await invitesOf(server, "desdemona")
      const iago = server.as("iago")
      t.match((await server.as("hamlet").delete(`/invites/multiuse/${id}`)).body, { msg: "No such invitation" })
      t.match((await iago.delete(`/invites/${id}`)).body, { msg: "No such invitation" }, "it is no invitation by mail")
      t.match((await iago.post(`/invites/${id}/resend`)).body, { msg: "No such invitation" })
      await iago.must.delete(`/invites/multiuse/${id}`)
      t.match((await iago.delete(`/invites/multiuse/${id}`)).body, { msg: "Invitation has already been revoked" })
      t.equal((await join(server, link, { email: "many3@far.example" })).status, 404)
      t.equal((await reader.rest()).length, 2, "made and revoked; nobody's coming changes the list")
    })

    await t.test("notify_referrer_on_join, default true: whether the inviter gets a direct message", async (t) => {
      const link = await invited(server, "hamlet", { notify_referrer_on_join: false }, "silent@far.example")
      t.match(await invitesOf(server, "hamlet"), [{ notify_referrer_on_join: false }])
      await join(server, link)
      t.same(await directOf(server, "hamlet@test.example"), [])
      await join(server, await invited(server, "hamlet", {}, "told@far.example"), {
        full_name: "[a](https://evil.example)",
      })
      const reader = await server
        .as("hamlet")
        .must.get("/messages", { anchor: "newest", num_before: 1, num_after: 0, narrow: [["is", "dm"]] })
      const [message] = recordsIn(reader["messages"])
      t.match(
        message,
        { sender_full_name: "Notification Bot", content: /<code>\[a\]\(https:\/\/evil\.example\)<\/code>/ },
        "a name says nothing else",
      )
    })

    await t.test("include_realm_default_subscriptions, default false", async (t) => {
      const cases = [
        ["default-a@far.example", {}, []],
        ["default-b@far.example", { include_realm_default_subscriptions: true }, ["lobby"]],
        [
          "default-c@far.example",
          {
            include_realm_default_subscriptions: true,
            stream_ids: [channelId(server, "court"), channelId(server, "lobby")],
          },
          ["court", "lobby"],
        ],
        ["default-d@far.example", { include_realm_default_subscriptions: true, invite_as: 600 }, ["lobby"]],
      ] as const
      for (const [address, fields, names] of cases) {
        t.equal((await join(server, await invited(server, "hamlet", fields, address))).status, 200)
        t.same(await channelsOf(server, address), new Set(names), address)
      }
    })

    await t.test("two who use one link at the same moment: one comes", async (t) => {
      const link = await invited(server, "hamlet", {}, "raced@far.example")
      const before = server.realm.realm.users.size
      const answers = await Promise.all(Array.from({ length: 5 }, () => join(server, link)))
      t.same(answers.map(({ status }) => status).sort(), [200, 404, 404, 404, 404])
      t.equal(server.realm.realm.users.size, before + 1)
    })

    await t.test("what the inviter may no more give is not given", async (t) => {
      const group = (
        await server
          .as("hamlet")
          .must.post("/user_groups/create", { name: "former crew", description: "", members: [] })
      )["group_id"]
      const stream_ids = ["lobby", "court"].map((name) => channelId(server, name))
      const link = await invited(server, "hamlet", { stream_ids, group_ids: [group] }, "less@far.example")
      await server.as("desdemona").must.patch(`/streams/${channelId(server, "court")}`, { is_private: true })
      await server
        .as("iago")
        .must.delete("/users/me/subscriptions", { subscriptions: ["court"], principals: [server.idOf("hamlet")] })
      await server.as("hamlet").must.post(`/user_groups/${group}/deactivate`)
      t.equal((await join(server, link)).status, 200)
      t.same(await channelsOf(server, "less@far.example"), new Set(["lobby"]))
    })

    await t.test("the form has the same rules as elsewhere, and shows what was wrong", async (t) => {
      const link = await invited(server, "hamlet", {}, "form@far.example")
      const wrong: ReadonlyArray<readonly [Fields, RegExp]> = [
        [{ full_name: " " }, /Name too short!/],
        [{ full_name: "a".repeat(101) }, /Name too long!/],
        [{ full_name: "a*b" }, /Invalid characters in name!/],
        [{ full_name: "a\r\nBcc: b" }, /Invalid characters in name!/],
        [{ full_name: "a\u0000" }, /full_name must not contain null bytes/],
        [{ password: "12345" }, /password is too short/],
        [{ password: "a".repeat(101) }, /password is too long/],
        [{ full_name: '"><img src=x onerror=alert(1)>' }, /value="&quot;&gt;&lt;img src=x onerror=alert\(1\)&gt;"/],
      ]
      for (const [fields, text] of wrong) {
        const { status, body } = await join(server, link, fields)
        t.equal(status, 400, String(text))
        t.match(body, text)
        t.notMatch(body, "<img")
        t.notMatch(body, "a long password", "the password is not shown again")
      }
      t.match(
        await join(server, link, { email: "another@far.example" }),
        { status: 200 },
        "the address is the invited one",
      )
      t.ok(server.realm.realm.findUserByEmail("form@far.example"))
    })

    await t.test("a form of another site's page is not taken", async (t) => {
      const link = await invited(server, "hamlet", {}, "site@far.example")
      for (const Origin of ["https://evil.example", "null", "http://chat.example.org.evil.example"])
        t.match(await join(server, link, {}, { Origin }), { status: 403 }, Origin)
      t.equal((await join(server, link, {}, { "Content-Type": "application/json" })).status, 400)
      for (const method of ["PUT", "DELETE", "OPTIONS"]) t.equal((await look(server, link, method)).status, 405, method)
      t.equal(
        (await join(server, link, {}, { Origin: "http://chat.example.org:9991" })).status,
        200,
        "its own page's is",
      )
    })

    await t.test("an invitation is sent again, with the same link and a new time", async (t) => {
      const link = await invited(server, "hamlet", { invite_expires_in_minutes: 10 }, "again@far.example")
      const [first] = await invitesOf(server, "hamlet")
      await server.clock.advance(5 * 60_000)
      const reader = await server.queue("hamlet", { event_types: ["invites_changed"] })
      t.match((await server.as("cordelia").post(`/invites/${first?.["id"]}/resend`)).body, {
        msg: "No such invitation",
      })
      await server.as("iago").must.post(`/invites/${first?.["id"]}/resend`)
      t.match(await reader.rest(), [{ type: "invites_changed" }])
      t.equal(await linkTo(server, "again@far.example"), link)
      const [second] = await invitesOf(server, "hamlet")
      t.equal(Number(second?.["expiry_date"]) - Number(first?.["expiry_date"]), 300)
      await server.clock.advance(10 * 60_000)
      t.match(
        (await server.as("iago").post(`/invites/${first?.["id"]}/resend`)).body,
        { msg: "No such invitation" },
        "it is over",
      )
    })

    await t.test("administrators try a text of Welcome Bot", async (t) => {
      const path = "/realm/test_welcome_bot_custom_message"
      const id = (await server.as("iago").must.post(path, { welcome_message_custom_text: "Hello **you**" }))[
        "message_id"
      ]
      const { message } = await server.as("iago").must.get(`/messages/${id}`)
      t.match(message, {
        sender_full_name: "Welcome Bot",
        content: "<p>Hello <strong>you</strong></p>",
        type: "private",
      })
      t.match((await server.as("shiva").post(path, { welcome_message_custom_text: "x" })).body, {
        code: "UNAUTHORIZED_PRINCIPAL",
      })
      t.match((await server.as("iago").post(path, { welcome_message_custom_text: " " })).body, { code: "BAD_REQUEST" })
    })

    await t.test("a link for many gives nobody the address of somebody else", async (t) => {
      const link = await linkFor(server)
      const mailed = await invited(server, "desdemona", {}, "taken@far.example")
      const taken = await join(server, link, { email: "TAKEN@far.example" })
      t.match(taken, { status: 400, body: /This address has an invitation of its own/ })
      t.equal((await join(server, mailed)).status, 200, "the invitation by mail still works")
      t.equal((await join(server, link, { email: "other@far.example" })).status, 200, "and so does the link")
    })

    await t.test("welcome_message_custom_text: null uses the organization's, an empty string sends none", async (t) => {
      await server.as("iago").must.patch("/realm", { welcome_message_custom_text: "We are *glad*." })
      const said = async (address: string, fields: Fields) => {
        await join(server, await invited(server, "iago", fields, address))
        return (await directOf(server, address)).slice(1)
      }
      t.same(await said("welcome-a@far.example", {}), ["We are *glad*."])
      t.same(await said("welcome-b@far.example", { welcome_message_custom_text: null }), ["We are *glad*."])
      t.same(await said("welcome-c@far.example", { welcome_message_custom_text: "" }), [])
      t.same(await said("welcome-d@far.example", { welcome_message_custom_text: "Hello you" }), ["Hello you"])
      await server
        .as("iago")
        .must.post("/users", { email: "welcome-e@far.example", password: "a long password", full_name: "E" })
      t.same((await directOf(server, "welcome-e@far.example")).slice(1), ["We are *glad*."], "other new accounts too")
    })

    await t.test("who may invite no more lets nobody in", async (t) => {
      const link = String((await server.as("iago").must.post("/invites/multiuse"))["invite_link"])
      const mailed = await invited(server, "hamlet", {}, "late@far.example")
      const never = (await look(server, `${link}A`)).status
      const realm = { can_invite_users_group: JSON.stringify({ new: systemGroups["role:administrators"] }) }
      await server.as("desdemona").must.patch("/realm", realm)
      t.equal((await look(server, mailed)).status, never, "by mail")
      t.equal((await look(server, link)).status, 200)
      await server.as("desdemona").must.patch(`/users/${server.idOf("iago")}`, { role: 400 })
      t.equal((await look(server, link)).status, never, "by a link")
    })
  }),
)

/** All that can be told of an answer. */
const shape = (answer: Awaited<ReturnType<typeof look>>) => ({
  status: answer.status,
  headers: [...answer.headers].filter(([name]) => name !== "date" && !name.startsWith("x-ratelimit")),
  body: answer.body,
})

t.test("a link that is over is answered like one that never was", (t) =>
  withServer(t, mailing, async (server) => {
    const link = (address: string, fields: Fields = {}) => invited(server, "cordelia", fields, address)
    const used = await link("used@far.example")
    await join(server, used)
    const revoked = await link("revoked@far.example")
    const [listed] = await invitesOf(server, "cordelia")
    await server.as("cordelia").must.delete(`/invites/${listed?.["id"]}`)
    t.match((await server.as("cordelia").delete(`/invites/${listed?.["id"]}`)).body, { msg: "No such invitation" })
    const expired = await link("expired@far.example", { invite_expires_in_minutes: 1 })
    const left = await link("left@far.example")
    const demoted = await invited(server, "iago", { invite_as: 200 }, "demoted@far.example")
    const twice = await link("twice@far.example")
    await join(server, await invited(server, "hamlet", {}, "Twice@far.example"))
    t.same(await invitesOf(server, "hamlet"), [])
    await server.clock.advance(60_000)
    await server.as("desdemona").must.delete(`/users/${server.idOf("cordelia")}`)
    await server.as("desdemona").must.patch(`/users/${server.idOf("iago")}`, { role: 400 })
    const own = await invited(server, "hamlet", {}, "own@far.example")
    const forged = `${own.slice(0, -3)}AAA`
    const never = shape(await look(server, forged))
    t.equal(never.status, 404)
    const neverSent = shape(await join(server, forged))
    const links = {
      used,
      revoked,
      expired,
      left,
      demoted,
      twice,
      short: own.slice(0, -1),
      long: `${own}A`,
      deep: `${own}/`,
      none: new URL("/join/", own).href,
      odd: `${own}%00`,
    }
    const check = async (t: Test) => {
      for (const [what, each] of Object.entries(links)) {
        t.same(shape(await look(server, each)), never, what)
        t.same(shape(await join(server, each)), neverSent, `${what}: the form`)
      }
    }
    await check(t)
    await server.as("desdemona").must.post(`/users/${server.idOf("cordelia")}/reactivate`)
    t.same(shape(await look(server, left)), never, "who was deactivated comes back, their invitations do not")
    t.equal((await look(server, own)).status, 200)
    await server.restart()
    t.equal((await look(server, own)).status, 200, "after a restart")
    await server.actions.deactivateRealm()
    t.same(shape(await look(server, own)), never, "of a deactivated organization")
  }),
)

t.test(
  "invitations that are over for a month are forgotten",
  inTurn(2, "invitations that are over for a month are forgotten"),
  (t) =>
    withServer(t, mailing, async (server) => {
      for (const address of ["old@far.example", "new@far.example", "open@far.example"])
        await invited(server, "hamlet", {}, address)
      const [old, recent] = await invitesOf(server, "hamlet")
      for (const each of [old, recent]) await server.as("hamlet").must.delete(`/invites/${each?.["id"]}`)
      const month = 30 * 24 * 3600_000
      await server.rows("update invitation set ended_at = $2::bigint where id = $1::bigint", [
        Number(old?.["id"]),
        server.clock.now() - month,
      ])
      await server.clock.advance(3600_000)
      const left = async () => pluck(await server.rows("select email from invitation order by id"), "email")
      await until("the oldest is gone", 10_000, async () => (await left()).length === 2)
      t.same(await left(), ["new@far.example", "open@far.example"])
    }),
)

t.test(
  "a page says why it cannot be shown, and a form why it cannot be read",
  inTurn(2, "a page says why it cannot be shown, and a form why it cannot be read"),
  (t) =>
    withServer(t, mailing, async (server) => {
      const link = await invited(server, "hamlet")
      server.faults.failQueries("invitation_json_v1")
      t.match(await look(server, link), { status: 503, body: /<h1>This did not work/ })
      server.faults.flow()
      t.equal((await look(server, link)).status, 200)
      for (const body of ["%zz=1", "a=%ff"])
        t.match(
          await ask(server.port, {
            method: "POST",
            path: new URL(link).pathname,
            headers: { "Content-Type": "application/x-www-form-urlencoded" },
            body,
          }),
          {
            status: 400,
            body: /<h1>This did not work/,
          },
        )
      const large = await join(server, link, { full_name: "a".repeat(100_000) })
      t.match(large, { status: 413, body: /<h1>This did not work/ })
    }),
)

t.test(
  "where people sign in by a directory, links for many are not made, and older ones make no accounts",
  async (t) => {
    const directory = await startDirectory([])
    t.teardown(directory.stop)
    await withServer(
      t,
      { ...mailing, config: { mail: absentMailServer, directory: directory.config() } },
      async (server) => {
        const byDirectory = (is: boolean) =>
          server.as("desdemona").must.patch("/realm", { authentication_methods: { LDAP: is } })
        await byDirectory(false)
        const link = await linkFor(server)
        await byDirectory(true)
        t.match(await join(server, link, { email: rosa }), { status: 400, body: /by a directory here/ })
        t.match(await server.as("desdemona").post("/invites/multiuse"), {
          status: 400,
          body: { msg: /^People sign in by a directory here: .* Invite them by mail\.$/ },
        })
        t.match(await server.as("hamlet").post("/invites/multiuse"), { body: { msg: "Insufficient permission" } })
        t.same(pluck(await invitesOf(server, "desdemona"), "link_url"), [link], "none was kept")
        t.equal((await join(server, await invited(server, "desdemona"))).status, 200, "by mail they come")
      },
    )
  },
)

t.test(
  "invitations that nobody can accept any more do not count for ever",
  inTurn(2, "invitations that nobody can accept any more do not count for ever"),
  (t) =>
    withServer(t, mailing, async (server) => {
      const never = { invite_expires_in_minutes: "null" }
      await server.as("iago").must.post("/invites/multiuse", never)
      const open = () => server.rows("select realm_id from invitation where ended_at is null order by realm_id")
      await server.as("desdemona").must.delete(`/users/${server.idOf("iago")}`)
      t.equal((await open()).length, 0, "they end with whoever has made them")
      // As a program wrote it that did not do that yet.
      await server.rows("update invitation set ended_at = null")
      // Another organization, that nobody has asked for since the start.
      await server.rows(
        `insert into realm (id, host, epoch, created_at, settings)
       select 2, 'quiet.test.example', epoch, created_at, settings from realm where id = 1`,
      )
      for (const table of ["account", "role_span", "invitation", "invitation_mail"])
        await server.rows(
          `insert into ${table} select copy.* from ${table} each
          cross join jsonb_populate_record(each, '{"realm_id": 2}') copy where each.realm_id = 1`,
        )
      await server.rows("insert into invitation_mail (realm_id, email_folded, at) values (2, $1, 0)", [rosa])
      t.same(pluck(await open(), "realm_id"), [1, 2])
      await linkFor(server, never)
      await linkFor(server, { invite_expires_in_minutes: 1 })
      const [, expired] = await invitesOf(server, "desdemona")
      await server.clock.advance(2 * 3600_000)
      await until("the job has ended them", 20_000, async () => (await open()).length === 2)
      t.same(pluck(await open(), "realm_id"), [1, 1], "not the others")
      t.same(await server.rows("select from invitation_mail"), [])
      t.match(
        await server.as("desdemona").delete(`/invites/multiuse/${expired?.["id"]}`),
        { body: { msg: "No such invitation" } },
        "what has expired was not revoked",
      )
    }),
)
