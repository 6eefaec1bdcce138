/** Settings of PATCH /realm about what an organization is and what is asked when somebody comes: events, and what each governs. */
import t from "tap"
import { sameAfresh } from "../../../kit/afresh.ts"
import type { Fields } from "../../../kit/client.ts"
import { refusal } from "../../../kit/rows.ts"
import { withServer } from "../../../kit/with-server.ts"
import { mailing, mailsTo } from "../../people/accounts/accounts-scene.ts"

const person = (email: string) => ({ email, full_name: "New Person", password: "a long password" })

t.test("each is told under its name in register, and stays", (t) =>
  withServer(t, mailing, async (server) => {
    const admin = server.as("iago")
    const queue = await server.queue("polonius", { event_types: ["realm"] })
    const values: Fields = {
      org_type: 35,
      presence_disabled: true,
      disallow_disposable_email_addresses: true,
      send_welcome_emails: true,
      video_chat_provider: 1,
      jitsi_server_url: "https://meet.example.org/x",
      giphy_rating: 4,
      enable_guest_user_indicator: false,
      enable_guest_user_dm_warning: false,
      want_advertise_in_communities_directory: true,
      digest_emails_enabled: true,
      digest_weekday: 6,
      message_content_allowed_in_email_notifications: true,
      require_e2ee_push_notifications: true,
      default_language: "de",
    }
    await admin.must.patch("/realm", values)
    await admin.must.patch("/realm", values)
    const told = (await queue.rest()).map(({ property, value }) => [String(property), value] as const)
    t.same(Object.fromEntries(told), values)
    t.equal(told.length, Object.keys(values).length, "each once")
    await sameAfresh(t, server, "after all of them")
    await server.restart()
    const state = await server.as("hamlet").must.post("/register", { fetch_event_types: ["realm"] })
    for (const [name, value] of Object.entries(values)) t.same(state[`realm_${name}`], value, name)
    t.match(state, { jitsi_server_url: values["jitsi_server_url"], giphy_rating_options: { g: { id: 2 } } })
  }),
)

t.test("what is refused changes nothing", (t) =>
  withServer(t, { config: { mode: "production", mail: null } }, async (server) => {
    const admin = server.as("iago")
    const queue = await server.queue("hamlet", { event_types: ["realm"] })
    const rows: ReadonlyArray<readonly [Fields, ReturnType<typeof refusal>]> = [
      [{ org_type: 11 }, refusal("Invalid org_type")],
      [{ digest_weekday: 7 }, refusal("Invalid digest_weekday")],
      [{ giphy_rating: 6 }, refusal("Invalid giphy_rating")],
      [{ default_language: "xx" }, refusal("Invalid default_language")],
      [{ video_chat_provider: 3 }, refusal("Invalid video_chat_provider")],
      [{ video_chat_provider: 1 }, refusal("Video calls by Jitsi need a jitsi_server_url.")],
      [{ jitsi_server_url: "meet.example.org" }, refusal("Invalid jitsi_server_url")],
      [{ jitsi_server_url: "ftp://meet.example.org" }, refusal("Invalid jitsi_server_url")],
      [{ jitsi_server_url: "https:meet.example.org" }, refusal("Invalid jitsi_server_url")],
      [{ jitsi_server_url: "https://meet.example.org/a room" }, refusal("Invalid jitsi_server_url")],
      [{ jitsi_server_url: "https://:word@meet.example.org" }, refusal("Invalid jitsi_server_url")],
      [{ send_welcome_emails: true }, refusal("This server cannot send mail.")],
      [{ invite_required: false }, refusal("The setting 'invite_required' cannot be changed yet")],
    ]
    for (const [fields, want] of rows)
      t.match(
        await admin.patch("/realm", { enable_guest_user_indicator: false, ...fields }),
        want,
        JSON.stringify(fields),
      )
    t.same(await queue.rest(), [])
    await admin.must.patch("/realm", { video_chat_provider: 1, jitsi_server_url: "https://meet.example.org" })
    const gone = refusal("Video calls by Jitsi need a jitsi_server_url.")
    t.match(await admin.patch("/realm", { jitsi_server_url: "default" }), gone)
    await admin.must.patch("/realm", { video_chat_provider: 0, jitsi_server_url: "default" })
  }),
)

t.test("where presence is disabled nobody is shown to be there, and all are again when it is not", (t) =>
  withServer(t, {}, async (server) => {
    const ping = (fields: Fields = {}) =>
      server.as("hamlet").must.post("/users/me/presence", { status: "active", ...fields })
    const other = server.as("cordelia")
    await ping()
    const queue = await server.queue("cordelia", { event_types: ["presence"] })
    await queue.rest()
    await server.as("iago").must.patch("/realm", { presence_disabled: true })
    await server.clock.advance(60_000)
    t.match(await ping({ last_update_id: -1 }), { presences: {}, presence_last_update_id: -1 })
    t.match(await ping({ ping_only: true }), { result: "success" })
    await server.as("hamlet").must.patch("/settings", { presence_enabled: false })
    await server.as("hamlet").must.patch("/settings", { presence_enabled: true })
    t.same(
      (await queue.rest()).filter(({ type }) => type === "presence"),
      [],
      "nobody hears of pings and of settings",
    )
    t.match((await other.must.get("/realm/presence"))["presences"], {})
    t.same(Object.keys(Object((await other.must.get("/realm/presence"))["presences"])), [])
    t.match(await other.get(`/users/${server.idOf("hamlet")}/presence`), refusal(/^No presence data/))
    for (const slim_presence of [true, false]) {
      const state = await other.must.post("/register", { fetch_event_types: ["presence"], slim_presence })
      t.same(state["presences"], {})
      t.equal(state["presence_last_update_id"], -1)
    }
    await sameAfresh(t, server, "disabled")
    await server.as("iago").must.patch("/realm", { presence_disabled: false })
    const { presences } = await other.must.post("/users/me/presence", { status: "idle", last_update_id: -1 })
    t.ok(Object.hasOwn(Object(presences), String(server.idOf("hamlet"))), "a client that was told -1 is told all")
  }),
)

t.test("addresses that are lent to anybody", (t) =>
  withServer(t, mailing, async (server) => {
    const admin = server.as("iago")
    await admin.must.post("/users", person("before@mailinator.com"))
    await admin.must.patch("/realm", { disallow_disposable_email_addresses: true })
    for (const email of ["a@mailinator.com", "a@MAILINATOR.com", "a@sub.mailinator.com"])
      t.match(
        await admin.post("/users", person(email)),
        refusal(`Email '${email}' not allowed in this organization. Please use your real email address.`),
        email,
      )
    t.match(await server.as("hamlet").patch("/settings", { email: "a@mailinator.com" }), { status: 400 })
    const invited = await admin.post("/invites", {
      invitee_emails: "b@mailinator.com",
      stream_ids: [],
      invite_expires_in_minutes: 60,
    })
    t.match(invited, { status: 400 })
    await admin.must.post("/users", person("a@company.example"))
  }),
)

t.test("new people are mailed how they sign in, where the organization wants that", (t) =>
  withServer(t, mailing, async (server) => {
    const admin = server.as("iago")
    await admin.must.post("/users", person("quiet@test.example"))
    await admin.must.patch("/realm", { send_welcome_emails: true })
    await admin.must.post("/users", person("loud@test.example"))
    t.same(await mailsTo(server, "quiet@test.example"), [])
    const mails = await mailsTo(server, "loud@test.example")
    t.equal(mails.length, 1)
    t.match(mails[0]?.text, /Sign in with the address loud@test\.example/)
  }),
)
