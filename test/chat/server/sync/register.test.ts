/**
 * POST /register at a server: its answer, visitors, recent conversations, the address of the server; and that the state
 * and the events after it make one story. What its parameters refuse: register-params.test.ts.
 */
import t from "tap"
import { type Fields, request } from "../../../kit/client.ts"
import { recordsIn } from "../../../kit/records.ts"
import { refuses } from "../../../kit/refusals.ts"
import { withServer } from "../../../kit/with-server.ts"

const modern = { user_settings_object: true, notification_settings_null: true }

t.test("the answer of a register", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
    await t.test("has what every client needs, and the sections that were asked for", async (t) => {
      const all = await server.as("hamlet").must.post("/register")
      t.match(all, {
        queue_id: /^.+$/,
        last_event_id: /^\d+$/,
        zulip_version: /./,
        zulip_merge_base: /./,
        zulip_feature_level: 417,
        idle_queue_timeout_secs: 600,
        user_id: server.idOf("hamlet"),
        max_message_id: -1,
        streams: [{ name: "lobby" }],
        subscriptions: [{ name: "lobby" }],
      })
      t.equal(Number(all["last_event_id"]) % 65_536, 0, "the last id of a row")
      const always =
        "idle_queue_timeout_secs last_event_id msg queue_id result zulip_feature_level zulip_merge_base zulip_version"
      const keys = async (fields: Fields) =>
        Object.keys(await server.as("hamlet").must.post("/register", fields)).sort()
      t.same(await keys({ event_types: [] }), always.split(" "))
      t.same(await keys({ event_types: ["nothing we know"] }), always.split(" "), "unknown types are no fault")
      t.same(await keys({ fetch_event_types: [] }), always.split(" "))
      t.same(await keys({ event_types: ["message"] }), [...always.split(" "), "max_message_id"].sort())
      t.same(await keys({ event_types: ["message"], fetch_event_types: ["alert_words"] }), [
        "alert_words",
        ...always.split(" "),
      ])
    })

    await t.test("an empty JSON body is taken as no parameters", async (t) => {
      const { email, key } = server.as("hamlet").account
      const response = await fetch(`${server.origin}/api/v1/register`, {
        method: "POST",
        headers: {
          Authorization: `Basic ${Buffer.from(`${email}:${key}`).toString("base64")}`,
          "Content-Type": "application/json",
        },
        body: "{}",
      })
      t.match(await response.json(), { result: "success", user_id: server.idOf("hamlet") })
    })

    await t.test("says how many seconds the queue may be idle", async (t) => {
      const cases: ReadonlyArray<readonly [Fields, number]> = [
        [{}, 600],
        [{ idle_queue_timeout: 3600 }, 3600],
        [{ idle_queue_timeout: 1 }, 1],
        [{ idle_queue_timeout: "mobile" }, 604_800],
        [{ idle_queue_timeout: '"mobile"' }, 604_800],
        [{ queue_lifespan_secs: 7 }, 7],
      ]
      for (const [fields, seconds] of cases)
        t.match(
          await server.as("hamlet").must.post("/register", fields),
          { idle_queue_timeout_secs: seconds },
          JSON.stringify(fields),
        )
    })

    await t.test("a refused register makes no queue", async (t) => {
      const before = await server.rows("select from event_queue")
      const wrongType = {
        when: "a type that is no text",
        fields: { event_types: [1] },
        msg: "event_types[0] is not a string",
      }
      await refuses(t, [wrongType], (fields) => server.as("hamlet").post("/register", fields))
      const guest = {
        when: "a guest who asks for the messages of all public channels",
        fields: { all_public_streams: true },
        msg: "User not authorized for this query",
      }
      await refuses(t, [guest], (fields) => server.as("polonius").post("/register", fields))
      t.equal((await server.rows("select from event_queue")).length, before.length)
    })

    await t.test("the organization's address is the one that the request came to", async (t) => {
      const state = await server.as("hamlet").must.post("/register", { event_types: ["realm"] })
      t.equal(state["realm_url"], server.origin)
      t.equal(state["realm_uri"], server.origin)
      t.equal(state["server_emoji_data_url"], `${server.origin}/static/emoji.json`)
    })
  }),
)

t.test("a visitor gets the public state without a queue, if the organization admits visitors", async (t) => {
  const channels = [
    { name: "square", users: ["hamlet"], isWebPublic: true },
    { name: "lobby", users: ["hamlet"] },
  ] as const
  await withServer(t, { channels }, async (server) => {
    const ask = (fields: Fields = {}) => server.anonymous("POST", "/register", fields)
    const shut = await ask({ client_gravatar: false })
    t.equal(shut.status, 401)
    t.match(shut.body, { code: "UNAUTHORIZED", result: "error" })
    t.equal(shut.headers.get("WWW-Authenticate"), 'Basic realm="zulip"')

    await server.as("hamlet").send("square", "for everybody")
    await server.actions.changeRealm({ enable_spectator_access: true })
    const { status, body } = await ask({ client_gravatar: false })
    t.equal(status, 200)
    t.match(body, {
      queue_id: null,
      last_event_id: -1,
      max_message_id: -1,
      realm_enable_spectator_access: true,
      realm_url: server.origin,
      recent_private_conversations: [],
      realm_bots: [],
      is_admin: false,
      unread_msgs: { count: 0 },
    })
    t.strictSame(
      recordsIn(body["streams"]).map(({ name }) => name),
      ["square"],
    )
    t.notMatch(JSON.stringify(body), /hamlet@test\.example/, "no address of anybody")
    t.strictSame(await server.rows("select id from event_queue"), [], "no queue was made")

    t.equal((await ask()).status, 200, "no word about avatars is the same as false")
    for (const name of ["client_gravatar", "include_subscribers"]) {
      const refused = await ask({ [name]: true })
      t.equal(refused.status, 400)
      t.match(refused.body, { code: "BAD_REQUEST", msg: `Invalid '${name}' parameter for anonymous request` })
    }
    const wrongKey = await request(
      server.origin,
      "POST",
      "/register",
      {},
      {
        account: { email: "hamlet@test.example", key: "0".repeat(32) },
      },
    )
    t.equal(wrongKey.status, 401, "a wrong key does not make a visitor")

    await server.actions.deactivateRealm()
    t.equal((await ask({ client_gravatar: false })).status, 401)
  })
})

t.test("recent conversations: the newest message of each and the other participants, the newest first", async (t) => {
  await withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
    const [hamlet, cordelia, iago] = [server.idOf("hamlet"), server.idOf("cordelia"), server.idOf("iago")]
    const write = async (to: ReadonlyArray<number>) =>
      Number((await server.as("hamlet").must.post("/messages", { type: "direct", to, content: "hm" }))["id"])
    const recent = async (name: "hamlet" | "cordelia" | "othello") =>
      (await server.as(name).must.post("/register", { event_types: ["recent_private_conversations"] }))[
        "recent_private_conversations"
      ]
    t.strictSame(await recent("hamlet"), [])
    const first = await write([cordelia])
    const group = await write([iago, cordelia])
    const alone = await write([hamlet])
    await server.as("hamlet").send("lobby", "not this one")
    t.strictSame(await recent("hamlet"), [
      { max_message_id: alone, user_ids: [] },
      { max_message_id: group, user_ids: [iago, cordelia].sort((a, b) => a - b) },
      { max_message_id: first, user_ids: [cordelia] },
    ])
    const again = await write([cordelia])
    t.strictSame(await recent("cordelia"), [
      { max_message_id: again, user_ids: [hamlet] },
      { max_message_id: group, user_ids: [hamlet, iago].sort((a, b) => a - b) },
    ])
    t.strictSame(await recent("othello"), [])
    const without = await server.as("hamlet").must.post("/register", { event_types: ["message"] })
    t.notOk(Object.hasOwn(without, "recent_private_conversations"))
    t.equal(without["max_message_id"], again)
  })
})

t.test("the organization's address is the configured one, where one is configured", async (t) => {
  await withServer(t, { config: { externalUrl: "https://chat.test.example" } }, async (server) => {
    const state = await server.as("hamlet").must.post("/register", { event_types: ["realm"] })
    t.equal(state["realm_url"], "https://chat.test.example")
  })
})

t.test("a new subscription inherits the user's settings of that time, whenever its event is read", async (t) => {
  await withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
    await server.actions.changeUserSetting("hamlet", "enable_stream_push_notifications", true)
    const older = await server.queue("hamlet", { event_types: ["subscription", "user_settings"] })
    t.equal(recordsIn(older.state["subscriptions"])[0]?.["push_notifications"], true)
    const newer = await server.queue("hamlet", {
      event_types: ["subscription"],
      client_capabilities: { notification_settings_null: true },
    })
    await server.as("hamlet").must.post("/users/me/subscriptions", { subscriptions: [{ name: "attic" }] })
    await server.actions.changeUserSetting("hamlet", "enable_stream_push_notifications", false)
    await server.restart()
    const added = async (reader: typeof older) => {
      const events = await server.resume("hamlet", reader).rest()
      return recordsIn(events.find(({ type }) => type === "subscription")?.["subscriptions"])[0]
    }
    t.match(await added(older), { name: "attic", push_notifications: true, wildcard_mentions_notify: true })
    t.match(await added(newer), { name: "attic", push_notifications: null, wildcard_mentions_notify: null })
  })
})

t.test("I13: the state after a change is the state before it with the event applied", async (t) => {
  await withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
    const fields = { client_capabilities: modern }
    const before = await server.queue("hamlet", fields)
    await server.actions.changeUserSetting("hamlet", "color_scheme", 2)
    await server.actions.changeRealm({ name: "Elsinore" })
    await server.actions.changeUserSetting("cordelia", "email_address_visibility", 3)
    const after = await server.as("hamlet").must.post("/register", fields)
    t.match(after, { realm_name: "Elsinore", user_settings: { color_scheme: 2 } })
    const cordelia = recordsIn(after["realm_users"]).find(({ user_id }) => user_id === server.idOf("cordelia"))
    t.match(cordelia, { email: `user${server.idOf("cordelia")}@test.example`, delivery_email: null })
    const events = await before.rest()
    t.match(
      events.map((event) => ({
        type: event.type,
        op: event["op"],
        property: event["property"],
        value: event["value"],
      })),
      [
        { type: "user_settings", op: "update", property: "color_scheme", value: 2 },
        { type: "realm", op: "update", property: "name", value: "Elsinore" },
        { type: "realm_user", op: "update" },
      ],
    )
    const queue = await server.queue("hamlet", fields)
    t.strictSame(await queue.rest(), [], "nothing that the state holds comes again")
  })
})
