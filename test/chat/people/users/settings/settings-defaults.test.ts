/** PATCH /realm/user_settings_defaults: who may, what is told, and that new accounts begin with them, however they are made. */
import t from "tap"
import { roles } from "../../../../../src/chat/ground/realm/domain-values.ts"
import { defaultUserSettings, newUserSettings } from "../../../../../src/chat/ground/realm/user-settings.ts"
import { setUpUser } from "../../../../../src/chat/server/setup/realm-setup.ts"
import { UserId } from "../../../../../src/ids.ts"
import { agreesWithTables, sameAfresh } from "../../../../kit/afresh.ts"
import { refusal } from "../../../../kit/rows.ts"
import { Settling, type View } from "../../../../kit/settles.ts"
import { type Name, type TestServer, withServer } from "../../../../kit/with-server.ts"

const path = "/realm/user_settings_defaults"
const type = "realm_user_settings_defaults"
const update = (property: string, value: unknown) => ({ type, op: "update", property, value })

const viewsOf = (server: TestServer, names: ReadonlyArray<Name>): ReadonlyArray<View> =>
  names.flatMap((name) =>
    [{}, { user_settings_object: true }].map((client_capabilities) => ({
      label: `${name} ${JSON.stringify(client_capabilities)}`,
      person: server.as(name),
      port: server.port,
      user: server.idOf(name),
      fields: {
        client_capabilities,
        fetch_event_types: [type, "user_settings", "update_display_settings", "realm_user", "user_status", "realm"],
      },
    })),
  )

const person = (email: string) => ({ email, full_name: "New Person", password: "a long password" })

t.test("each is told to everybody, and nobody below an administrator changes one", (t) =>
  withServer(t, {}, async (server) => {
    const queue = await server.queue("polonius", { event_types: [type] })
    const admin = server.as("iago")
    const denied = refusal("Must be an organization administrator", "UNAUTHORIZED_PRINCIPAL")
    for (const name of ["shiva", "hamlet", "polonius"] as const)
      t.match(await server.as(name).patch(path, { color_scheme: 2 }), denied, name)
    t.match(await admin.patch(path, { color_scheme: 9 }), refusal("Invalid color_scheme"))
    const ignored = { allow_private_data_export: true, default_language: "de", timezone: "UTC" }
    t.match(await admin.patch(path, { color_scheme: 2, ...ignored, enter_sends: true }), {
      status: 200,
      body: { ignored_parameters_unsupported: Object.keys(ignored) },
    })
    await admin.must.patch(path, { color_scheme: 2, enable_digest_emails: true, web_home_view: "all_messages" })
    await admin.must.patch(path, { color_scheme: 1 })
    t.match(await queue.rest(), [
      update("color_scheme", 2),
      update("web_home_view", "all_messages"),
      update("enable_digest_emails", true),
      update("color_scheme", 1),
    ])
    await sameAfresh(t, server, "defaults")
    await server.restart()
    const { state } = await server.queue("hamlet")
    t.match(state[type], { color_scheme: 1, web_home_view: "all_messages", enable_digest_emails: true })
    t.match(state["user_settings"], { web_home_view: "inbox" }, "accounts that there are keep theirs")
  }),
)

t.test("all who begin with the same are one object in memory, after a start, too", (t) =>
  withServer(t, {}, async (server) => {
    await server.as("iago").must.patch(path, { color_scheme: 2, enter_sends: false, twenty_four_hour_time: true })
    const ids: Array<unknown> = []
    for (const n of [1, 2])
      ids.push((await server.as("iago").must.post("/users", person(`p${n}@far.example`)))["user_id"])
    const settingsOf = () => ids.map((id) => server.realm.realm.users.get(UserId(Number(id)))?.settings)
    const isShared = () => {
      const [one, other] = settingsOf()
      t.match(one, { color_scheme: 2 })
      t.equal(one, other)
    }
    isShared()
    await server.restart()
    isShared()
  }),
)

t.test("new people begin with them, and with the organization's language; bots do not", (t) =>
  withServer(t, {}, async (server) => {
    const admin = server.as("iago")
    await admin.must.patch(path, { color_scheme: 3, presence_enabled: false, email_address_visibility: 3 })
    await admin.must.patch("/realm", { default_language: "de" })
    const queue = await server.queue("hamlet", { event_types: ["user_status"] })
    const { user_id } = await admin.must.post("/users", person("new@test.example"))
    const second = await server.run(
      setUpUser(server.realmId, {
        email: "second@test.example",
        fullName: "Second",
        role: roles.guest,
        isBot: false,
        passwordHash: null,
      }),
    )
    const bot = await server.run(
      setUpUser(server.realmId, {
        email: "bot@test.example",
        fullName: "Bot",
        role: roles.member,
        isBot: true,
        passwordHash: null,
      }),
    )
    const settingsOf = (id: UserId) => server.realm.realm.users.get(id)?.settings
    const made = settingsOf(UserId(Number(user_id)))
    t.same(made, {
      ...newUserSettings,
      color_scheme: 3,
      presence_enabled: false,
      email_address_visibility: 3,
      default_language: "de",
    })
    t.same(settingsOf(second), made)
    t.equal(settingsOf(bot), defaultUserSettings)
    t.match(
      await queue.rest(),
      [user_id, second].map((user_id) => ({ type: "user_status", user_id, away: true })),
      "who does not show that they are here is away",
    )
    const { user_settings, color_scheme } = await server
      .asEmail("new@test.example")
      .must.post("/register", { fetch_event_types: ["user_settings", "update_display_settings"] })
    t.match({ user_settings, color_scheme }, { user_settings: { default_language: "de" }, color_scheme: 3 })
    await sameAfresh(t, server, "new people")
    await server.restart()
    t.match(settingsOf(second), { color_scheme: 3, default_language: "de" })
  }),
)

t.test("I13: state and events make the state", (t) =>
  withServer(t, {}, async (server) => {
    const views = viewsOf(server, ["desdemona", "iago", "shiva", "hamlet", "polonius"])
    const settling = new Settling(t, views, agreesWithTables(t, server))
    const admin = server.as("iago")
    const acts: ReadonlyArray<readonly [label: string, act: () => Promise<unknown>]> = [
      [
        "other defaults",
        () => admin.must.patch(path, { enter_sends: false, presence_enabled: false, emojiset: "text" }),
      ],
      ["another language", () => admin.must.patch("/realm", { default_language: "fr" })],
      ["somebody comes", () => admin.must.post("/users", person("one@test.example"))],
      ["defaults as before", () => admin.must.patch(path, { enter_sends: true, presence_enabled: true })],
      ["somebody else comes", () => admin.must.post("/users", person("two@test.example"))],
      [
        "a language of one's own",
        () => server.as("hamlet").must.patch("/settings/display", { default_language: "da" }),
      ],
    ]
    for (const [label, act] of acts) await settling.after(label, act)
    t.ok(settling.seen.has(`${type}/update`))
  }),
)
