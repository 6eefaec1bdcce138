/** Listing, making and deactivating users. Signing in is in sign-in.test.ts. */
import t from "tap"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import { type Fields, personOf } from "../../../kit/client.ts"
import { pluck, recordsIn } from "../../../kit/records.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { until } from "../../../kit/test-database.ts"
import { type Name, names, type TestServer, withServer } from "../../../kit/with-server.ts"

const person = (email: string, fields: Fields = {}): Fields => ({
  email,
  password: "a long password",
  full_name: "New Person",
  ...fields,
})

/** The picture of somebody without one. */
const drawn = (server: TestServer, name: Name) => `/user_avatars/1/drawn/${server.idOf(name)}.png?version=1`

/** A person with a password, made by the owner as an administrator would. */
const addPerson = async (server: TestServer, email: string): Promise<number> =>
  Number((await server.as("desdemona").must.post("/users", person(email)))["user_id"])

t.test("listing users", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
    const bot = await server.run(
      setUpUser(server.realmId, {
        email: "bot@test.example",
        fullName: "Bot",
        role: roles.member,
        isBot: true,
        passwordHash: null,
      }),
    )
    await server.as("desdemona").must.delete(`/users/${server.idOf("othello")}`)
    const list = async (name: Name, fields: Fields = {}) =>
      recordsIn((await server.as(name).must.get("/users", fields))["members"])

    const ranks: ReadonlyArray<readonly [Name, number, boolean, boolean, boolean]> = [
      ["desdemona", 100, true, true, false],
      ["iago", 200, false, true, false],
      ["shiva", 300, false, false, false],
      ["hamlet", 400, false, false, false],
      ["polonius", 600, false, false, true],
    ]
    for (const by of ["iago", "hamlet", "polonius"] as const) {
      const members = await list(by)
      t.equal(members.length, names.length + 1, `${by} sees everybody`)
      for (const [name, role, is_owner, is_admin, is_guest] of ranks)
        t.match(
          members.find((each) => each["user_id"] === server.idOf(name)),
          {
            role,
            is_owner,
            is_admin,
            is_guest,
            is_active: true,
            is_bot: false,
            bot_type: null,
            avatar_url: drawn(server, name),
          },
          name,
        )
    }
    const members = await list("hamlet", { client_gravatar: false, include_custom_profile_fields: true })
    const own = members.find((each) => each["user_id"] === server.idOf("hamlet"))
    t.match(own, {
      avatar_url: drawn(server, "hamlet"),
      profile_data: {},
      full_name: "hamlet",
      timezone: "",
      avatar_version: 1,
    })
    t.match(own?.["date_joined"], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/)
    t.match(
      members.find((each) => each["user_id"] === bot),
      { is_bot: true, bot_type: 1, bot_owner_id: null, profile_data: undefined },
    )
    t.match(
      members.find((each) => each["user_id"] === server.idOf("othello")),
      { is_active: false },
    )
    t.notOk(
      (await list("hamlet")).some((each) => "profile_data" in each),
      "profiles only where they are asked for",
    )
    const some = await list("hamlet", { user_ids: [server.idOf("iago"), 4711, server.idOf("iago")] })
    t.same(
      some.map((each) => each["user_id"]),
      [server.idOf("iago")],
      "unknown ids are silently left out",
    )
    t.same(await list("hamlet", { user_ids: [] }), [])
    await refuses(
      t,
      [
        { when: "ids that are none", fields: { user_ids: ["iago"] }, msg: "user_ids[0] is not an integer" },
        { when: "one id", fields: { user_ids: 5 }, msg: "user_ids is not a list" },
        { when: "a number for a switch", fields: { client_gravatar: 1 }, msg: "client_gravatar is not a boolean" },
      ],
      (fields) => server.as("hamlet").get("/users", fields),
    )

    await t.test("one user, by id or by address", async (t) => {
      const by = (path: string, fields: Fields = {}) => server.as("polonius").get(`/users/${path}`, fields)
      const id = server.idOf("hamlet")
      const listed = (await list("polonius")).find((each) => each["user_id"] === id)
      for (const path of [`${id}`, "hamlet@test.example", "HAMLET%40Test.example", `user${id}@test.example`]) {
        const { status, body } = await by(path)
        t.equal(status, 200, path)
        t.same(body["user"], listed, path)
      }
      t.match((await by(`${id}`, { client_gravatar: false, include_custom_profile_fields: true })).body, { user: own })
      t.match((await by(`${bot}`, { include_custom_profile_fields: true })).body, {
        user: { is_bot: true, profile_data: undefined },
      })
      t.match((await by(`${server.idOf("othello")}`)).body, { user: { is_active: false } }, "who has left")
      const none = ["4711", "1234567890123456", "nobody@test.example", "user4711@test.example", "user@test.example"]
      for (const path of none)
        t.match(await by(path), { status: 400, body: { code: "BAD_REQUEST", msg: "No such user" } }, path)
      t.match(await by(`${id}`, { client_gravatar: 1 }), { body: { msg: "client_gravatar is not a boolean" } })
    })

    const id = await server.as("hamlet").send("lobby", "c")
    const me = await server.as("hamlet").must.get("/users/me")
    const { bot_type: _none, ...ownFields } = own ?? {}
    t.same(me, { result: "success", msg: "", ...ownFields, max_message_id: id }, "oneself: a person has no bot_type")
    t.match(await server.as("shiva").must.get("/users/me"), { max_message_id: -1, email: "shiva@test.example" })
  }),
)

t.test("making a user", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "lobby", users: ["hamlet"], isDefault: true },
        { name: "other", users: ["hamlet"] },
      ],
    },
    async (server) => {
      const watching = await server.queue("hamlet", { event_types: ["realm_user", "subscription"] })
      const ask = (name: Name) => (fields: Fields) => server.as(name).post("/users", fields)

      await t.test("invalid requests are refused", async (t) => {
        const fresh = person("fresh@test.example")
        const table: ReadonlyArray<Refusal> = [
          {
            when: "an address in use",
            fields: person("hamlet@test.example"),
            msg: "Email 'hamlet@test.example' already in use",
          },
          { when: "it in other letters", fields: person("HAMLET@test.example"), msg: /already in use/ },
          ...["hamlet", "@", "a@", "a b@test.example", "a@b@c", `${"x".repeat(250)}@test.example`, ""].map((email) => ({
            when: `the address ${email.slice(0, 20)}`,
            fields: person(email),
            msg: "Enter a valid email address.",
          })),
          { when: "a blank name", fields: { ...fresh, full_name: "  " }, msg: "Name too short!" },
          { when: "a name that nobody sees", fields: { ...fresh, full_name: "\u2060" }, msg: "Name too short!" },
          { when: "a long name", fields: { ...fresh, full_name: "x".repeat(101) }, msg: "Name too long!" },
          ...["a*b", 'a"b', "a>b", "a@b", "a`b", "a\\b", "a\nb", "a\u2066b"].map((full_name) => ({
            when: `the name ${full_name}`,
            fields: { ...fresh, full_name },
            msg: "Invalid characters in name!",
          })),
          { when: "a short password", fields: { ...fresh, password: "12345" }, msg: /password is too short/ },
          { when: "a long password", fields: { ...fresh, password: "x".repeat(101) }, msg: /password is too long/ },
          ...["email", "password", "full_name"].map((name) => ({
            when: `no ${name}`,
            fields: { ...fresh, [name]: undefined },
            code: "REQUEST_VARIABLE_MISSING",
            msg: `Missing '${name}' argument`,
          })),
        ]
        await refuses(t, table, ask("iago"))
        const others: ReadonlyArray<Name> = ["shiva", "hamlet", "polonius"]
        for (const name of others)
          await refuses(t, [{ when: name, fields: fresh, msg: "User not authorized to create users" }], ask(name))
        t.same(await watching.rest(), [], "nobody hears of it")
      })

      await t.test("a new user is announced and subscribed to default channels", async (t) => {
        const id = await addPerson(server, "fresh@test.example")
        const events = await watching.take(2)
        t.match(events, [
          {
            type: "realm_user",
            op: "add",
            person: { user_id: id, email: "fresh@test.example", full_name: "New Person", role: 400, is_active: true },
          },
          { type: "subscription", op: "peer_add", user_ids: [id] },
        ])
        const fresh = server.asEmail("fresh@test.example")
        t.match(await fresh.must.get("/users/me/subscriptions"), { subscriptions: [{ name: "lobby" }] })
        t.equal((await fresh.post("/messages", { type: "channel", to: "lobby", topic: "t", content: "c" })).status, 200)
      })

      await t.test(
        "a new account finds older messages of its default channels, and a message by Welcome Bot",
        async (t) => {
          const said = await server.as("hamlet").send("lobby", "before you came", { topic: "old" })
          await server.as("hamlet").send("other", "elsewhere")
          const watcher = await server.queue("hamlet", { event_types: ["message"] })
          const id = await addPerson(server, "late@test.example")
          t.same(await watcher.rest(), [], "nobody else hears of the welcome")
          const late = server.asEmail("late@test.example")
          const newest = { anchor: "newest", num_before: 100, num_after: 0 }
          const { messages } = await late.must.get("/messages", newest)
          const found = recordsIn(messages)
          const old = found.find((each) => each["id"] === said)
          t.match(old, { content: "<p>before you came</p>", flags: ["read"] })
          t.same(
            found.filter((each) => each["display_recipient"] === "other"),
            [],
            "a channel that is no default channel is not theirs",
          )
          const welcome = found.at(-1)
          t.match(welcome, { type: "private", sender_full_name: "Welcome Bot", flags: [] })
          t.same(pluck(welcome?.["display_recipient"], "id"), [id, welcome?.["sender_id"]])
          t.match(await late.must.post("/register"), {
            max_message_id: welcome?.["id"],
            unread_msgs: { count: 1, pms: [{ unread_message_ids: [welcome?.["id"]] }] },
            recent_private_conversations: [{ max_message_id: welcome?.["id"], user_ids: [welcome?.["sender_id"]] }],
          })
          const [row] = await server.rows("select payload from log where position = $1", [Number(welcome?.["id"])])
          t.match(row?.["payload"], { people: [{ id }, { full_name: "Welcome Bot" }] })

          await late.must.delete("/users/me/subscriptions", { subscriptions: ["lobby"] })
          await server.restart()
          const again = server.asEmail("late@test.example")
          const after = recordsIn((await again.must.get("/messages", newest))["messages"])
          t.same(pluck(after, "id"), pluck(found, "id"), "they keep it when they leave the channel")
          t.match(
            await again.must.get("/messages", { ...newest, narrow: [["topic", "old"]] }),
            { messages: [{ id: said }] },
            "and find it in narrows",
          )
        },
      )

      await t.test(
        "events about a new user's groups, and about a bot's settings to those who may change them",
        async (t) => {
          const types = { event_types: ["realm_user", "user_group", "realm_bot"], fetch_event_types: [] }
          const readers = await Promise.all((["iago", "hamlet"] as const).map((name) => server.queue(name, types)))
          const email = "robot@test.example"
          const made = { email, fullName: "Robot", role: roles.moderator, isBot: true, passwordHash: null }
          const id = await server.run(setUpUser(server.realmId, made))
          const expected = [
            { type: "realm_user", op: "add", person: { user_id: id, is_bot: true, email, delivery_email: email } },
            { type: "user_group", op: "add_members", group_id: 5, user_ids: [id] },
          ]
          const [administrators, members] = await Promise.all(readers.map((reader) => reader.rest()))
          t.match(administrators, [...expected, { type: "realm_bot", op: "add", bot: { user_id: id, services: [] } }])
          t.match(members, expected)
          t.equal(members?.length, 2)
        },
      )

      await t.test("one of several concurrent requests for one address succeeds", async (t) => {
        const answers = await Promise.all([1, 2, 3, 4].map(() => ask("iago")(person("contested@test.example"))))
        const statuses = answers.map(({ status }) => status)
        t.same(statuses.sort(), [200, 400, 400, 400], JSON.stringify(answers.map(({ body }) => body)))
        const different = await Promise.all([1, 2, 3, 4].map((each) => ask("iago")(person(`many${each}@test.example`))))
        t.equal(new Set(different.map(({ body }) => body["user_id"])).size, 4, "each gets an id of their own")
      })
    },
  ),
)

t.test("deactivating a user", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "lobby", users: ["hamlet", "cordelia", "othello"] },
        { name: "leads", users: ["hamlet", "othello"], isPrivate: true },
      ],
    },
    async (server) => {
      const remove = (name: Name, id: number) => server.as(name).delete(`/users/${id}`)

      await t.test("invalid requests are refused", async (t) => {
        const cordelia = server.idOf("cordelia")
        const no = (msg: string) => ({ status: 400, body: { code: "UNAUTHORIZED_PRINCIPAL", msg } })
        for (const name of ["shiva", "hamlet", "cordelia", "polonius"] as const)
          t.match(await remove(name, cordelia), no("Must be an organization administrator"), name)
        t.match(await remove("iago", server.idOf("desdemona")), no("Must be an organization owner"))
        t.match(await remove("desdemona", server.idOf("desdemona")), {
          status: 400,
          body: { code: "BAD_REQUEST", msg: "The only organization owner cannot be deactivated." },
        })
        t.match(await remove("iago", 4711), { status: 400, body: { msg: "No such user" } })
        t.equal((await server.as("iago").delete("/users/abc")).status, 405)
        t.match(
          (await server.as("iago").must.get("/users"))["members"],
          names.map(() => ({ is_active: true })),
        )
      })

      await t.test("a deactivated user loses every connection at once, and everybody else is told", async (t) => {
        const othello = server.idOf("othello")
        const poll = await server.queue("othello")
        const socket = await server.queue("othello")
        const client = await socket.open()
        const held = server.as("othello").get("/events", { queue_id: poll.queueId, last_event_id: poll.lastId })
        await until("both are connected", 10_000, () => server.realm.queues.connected().length === 2)
        const types = { event_types: ["realm_user", "subscription", "user_group"] }
        const peer = await server.queue("cordelia", types)
        const inBoth = await server.queue("hamlet", types)
        const stranger = await server.queue("polonius", types)
        const id = await server.as("othello").send("lobby", "before")

        await server.as("iago").must.delete(`/users/${othello}`)
        t.match(await held, { status: 200 }, "the poll had been answered with the message")
        const closed = await client.closed
        t.match(closed, { code: 4002, reason: "unauthorized" })

        const gone = { type: "realm_user", op: "update", person: { user_id: othello, is_active: false } }
        const left = (...channels: ReadonlyArray<string>) => ({
          type: "subscription",
          op: "peer_remove",
          user_ids: [othello],
          stream_ids: channels.map((channel) => server.realm.realm.findChannelByName(channel)?.id),
        })
        const groups = [3, 4].map((group_id) => ({
          type: "user_group",
          op: "remove_members",
          group_id,
          user_ids: [othello],
        }))
        t.match(await peer.rest(), [gone, ...groups, left("lobby")])
        t.match(await inBoth.rest(), [gone, ...groups, left("lobby"), left("leads")], "what all see apart")
        t.match(await stranger.rest(), [gone, ...groups])
        t.equal(peer.events.length, 4)
        t.equal(stranger.events.length, 3, "a guest does not hear of channels that are not theirs")

        const out = { status: 401, body: { result: "error", code: "UNAUTHORIZED", msg: "Account is deactivated" } }
        const { account } = server.as("othello")
        const former = personOf(server.origin, account)
        t.match(await former.get("/users/me"), out)
        t.match(await former.get("/events", { queue_id: poll.queueId, last_event_id: poll.lastId }), out)
        t.match(await former.post("/register"), out)
        t.match(await former.post("/messages", { type: "channel", to: "lobby", topic: "t", content: "c" }), out)

        const { message } = await server.as("cordelia").must.get(`/messages/${id}`)
        t.match(message, { sender_id: othello }, "what they wrote stays")
        const { subscriptions } = await server
          .as("cordelia")
          .must.get("/users/me/subscriptions", { include_subscribers: true })
        t.match(subscriptions, [{ subscribers: [server.idOf("hamlet"), server.idOf("cordelia")] }])
        t.equal((await remove("iago", othello)).status, 200, "again: nothing more happens")
        t.same(await peer.rest(), [])
      })

      await t.test("a held poll is answered 401", async (t) => {
        const reader = await server.queue("cordelia")
        const held = server.as("cordelia").get("/events", { queue_id: reader.queueId, last_event_id: reader.lastId })
        await until("it is connected", 10_000, () => server.realm.queues.connected().length === 1)
        await server.as("desdemona").must.delete(`/users/${server.idOf("cordelia")}`)
        t.match(await held, { status: 401, body: { code: "UNAUTHORIZED", msg: "Account is deactivated" } })
      })

      await t.test("an owner can be deactivated if there is another one", async (t) => {
        await server.rows("update role_span set role = 100 where user_id = $1::integer", [server.idOf("shiva")])
        await server.restart()
        t.equal((await remove("desdemona", server.idOf("desdemona"))).status, 200)
        t.match(await remove("shiva", server.idOf("shiva")), { status: 400, body: { msg: /only organization owner/ } })
      })
    },
  ),
)
