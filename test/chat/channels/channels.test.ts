/** Channels and subscriptions: listed, made, joined and left, and who hears of it (contract 3.8, 2.15, 5.3). */
import t from "tap"
import { roles } from "../../../src/chat/realm/values.ts"
import { setUpUser } from "../../../src/chat/setup/realm-setup.ts"
import type { Fields } from "../../kit/client.ts"
import type { Reader } from "../../kit/reader.ts"
import { pluck, recordsIn } from "../../kit/records.ts"
import { type Refusal, refuses } from "../../kit/refusals.ts"
import { type Name, type TestServer, withServer } from "../../kit/with-server.ts"

const named = (...names: ReadonlyArray<string>): Fields => ({ subscriptions: names.map((name) => ({ name })) })

const join = (server: TestServer, name: Name, fields: Fields) =>
  server.as(name).must.post("/users/me/subscriptions", fields)

const channelId = (server: TestServer, name: string): number => {
  const channel = server.realm.realm.findChannelByName(name)
  if (channel === undefined) throw new Error(`there is no channel ${name}`)
  return channel.id
}

const namesIn = (list: unknown): ReadonlyArray<unknown> => pluck(list, "name")

const findNamed = (list: unknown, name: string): Fields | undefined =>
  recordsIn(list).find((each) => each["name"] === name)

const types = { event_types: ["stream", "subscription"] }

t.test("listed", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "Beta", users: ["hamlet", "polonius"] },
        { name: "alpha", users: ["hamlet"], isDefault: true },
        { name: "secret", users: ["hamlet"], isPrivate: true },
        { name: "square", users: [], isWebPublic: true },
        { name: "attic", users: ["hamlet"] },
      ],
    },
    async (server) => {
      await server.rows("update channel set is_archived = true where name = 'attic'")
      const email = "bot@test.example"
      await server.run(
        setUpUser(server.realmId, { email, fullName: "bot", role: roles.member, isBot: true, passwordHash: null }),
      )
      await server.rows("update account set bot_owner_id = $1::integer where is_bot", [server.idOf("hamlet")])
      await server.restart()
      const list = async (name: Name, fields: Fields = {}) =>
        namesIn((await server.as(name).must.get("/streams", fields))["streams"])
      const cases: ReadonlyArray<readonly [Name, Fields, ReadonlyArray<string>]> = [
        ["hamlet", {}, ["alpha", "Beta", "secret", "square"]],
        ["cordelia", {}, ["alpha", "Beta", "square"]],
        ["iago", {}, ["alpha", "Beta", "square"]],
        ["iago", { include_all: true }, ["alpha", "Beta", "secret", "square"]],
        ["iago", { include_all_active: true }, ["alpha", "Beta", "secret", "square"]],
        ["cordelia", { include_all: true }, ["alpha", "Beta", "square"]],
        ["hamlet", { include_public: false }, ["alpha", "Beta", "secret"]],
        ["hamlet", { include_subscribed: false }, ["alpha", "Beta", "square"]],
        ["hamlet", { include_public: false, include_subscribed: false }, []],
        ["hamlet", { include_public: false, include_subscribed: false, include_web_public: true }, ["square"]],
        ["hamlet", { exclude_archived: false }, ["alpha", "attic", "Beta", "secret", "square"]],
        ["polonius", {}, ["Beta"]],
        ["polonius", { include_web_public: true }, ["Beta", "square"]],
        ["polonius", { include_can_access_content: true }, ["Beta", "square"]],
        ["iago", { include_can_access_content: true }, ["alpha", "Beta", "square"]],
        [
          "hamlet",
          { include_public: false, include_subscribed: false, include_can_access_content: true },
          ["alpha", "Beta", "secret", "square"],
        ],
        ["hamlet", { include_public: false, include_owner_subscribed: true }, ["alpha", "Beta", "secret"]],
      ]
      for (const [name, fields, expected] of cases)
        t.same(await list(name, fields), expected, `${name} ${JSON.stringify(fields)}`)

      const bot = (fields: Fields) => server.asEmail("bot@test.example").must.get("/streams", fields)
      t.same(namesIn((await bot({}))["streams"]), ["alpha", "Beta", "square"], "a bot, by itself")
      t.same(
        namesIn((await bot({ include_public: false, include_owner_subscribed: true }))["streams"]),
        ["alpha", "Beta", "secret"],
        "a bot, of its owner",
      )

      const { streams } = await server.as("hamlet").must.get("/streams", { include_default: true })
      t.match(streams, [
        {
          stream_id: channelId(server, "alpha"),
          name: "alpha",
          is_default: true,
          invite_only: false,
          is_web_public: false,
          history_public_to_subscribers: true,
          is_archived: false,
          subscriber_count: 1,
          topics_policy: "inherit",
          message_retention_days: null,
          folder_id: null,
        },
        { is_default: false, subscriber_count: 2 },
        { invite_only: true, history_public_to_subscribers: false },
        { is_web_public: true, subscriber_count: 0 },
      ])

      await t.test("a channel's id by its name", async (t) => {
        for (const stream of ["alpha", " ALPHA "])
          t.match(await server.as("cordelia").must.get("/get_stream_id", { stream }), {
            stream_id: channelId(server, "alpha"),
          })
        t.match(await server.as("iago").must.get("/get_stream_id", { stream: "secret" }), { stream_id: /\d/ })
        const unknown = (stream: string) => ({
          when: stream,
          fields: { stream },
          msg: `Invalid channel name '${stream}'`,
        })
        const ask = (name: Name) => (fields: Fields) => server.as(name).get("/get_stream_id", fields)
        const missing = {
          when: "no name",
          fields: {},
          code: "REQUEST_VARIABLE_MISSING",
          msg: "Missing 'stream' argument",
        }
        await refuses(t, [unknown("ghost"), unknown("secret"), unknown(""), missing], ask("cordelia"))
        await refuses(t, [unknown("alpha"), unknown("secret")], ask("polonius"))
      })

      await t.test("one's own", async (t) => {
        const own = async (name: Name, fields: Fields = {}) =>
          (await server.as(name).must.get("/users/me/subscriptions", fields))["subscriptions"]
        t.same(namesIn(await own("hamlet")), ["Beta", "alpha", "secret"], "without what is archived")
        t.same(await own("cordelia"), [])
        const [plain] = recordsIn(await own("hamlet"))
        t.match(plain, {
          color: /^#[0-9a-f]{6}$/,
          is_muted: false,
          in_home_view: true,
          pin_to_top: false,
          email_notifications: false,
        })
        t.notOk(plain !== undefined && "subscribers" in plain, "lists of people only where they are asked for")
        for (const include_subscribers of [true, "partial", '"partial"'])
          t.match(await own("polonius", { include_subscribers }), [
            { name: "Beta", subscribers: [server.idOf("hamlet"), server.idOf("polonius")] },
          ])
        await refuses(
          t,
          [
            { when: "a number", fields: { include_subscribers: 1 }, msg: "include_subscribers is not a boolean" },
            { when: "a word", fields: { include_subscribers: "some" }, msg: "include_subscribers is not a boolean" },
          ],
          (fields) => server.as("hamlet").get("/users/me/subscriptions", fields),
        )
      })

      await t.test("of a big channel only some subscribers where some are enough", async (t) => {
        await server.rows(`insert into account (realm_id, id, email, full_name, joined_at)
          select 1, each, 'u' || each, 'u' || each, 0 from generate_series(1001, 1250) as each`)
        for (const span of ["role_span (realm_id, role", "subscription_span (realm_id, channel_id"])
          await server.rows(
            `insert into ${span}, user_id, opened) select 1, $1::integer, each, 0 from generate_series(1001, 1250) as each`,
            [span.startsWith("role") ? roles.member : channelId(server, "Beta")],
          )
        await server.restart()
        const { subscriptions } = await server
          .as("polonius")
          .must.get("/users/me/subscriptions", { include_subscribers: "partial" })
        const [beta] = recordsIn(subscriptions)
        t.match(beta, { name: "Beta", subscriber_count: 252, partial_subscribers: [server.idOf("polonius")] })
        t.notOk(beta !== undefined && "subscribers" in beta)
      })
    },
  ),
)

t.test("joined and made", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "lobby", users: ["hamlet"] },
        { name: "leads", users: ["hamlet"], isPrivate: true },
        { name: "attic", users: ["hamlet"] },
      ],
    },
    async (server) => {
      await server.rows("update channel set is_archived = true where name = 'attic'")
      await server.as("desdemona").must.delete(`/users/${server.idOf("othello")}`)
      await server.restart()
      const id = (name: Name) => server.idOf(name)

      await t.test("refused", async (t) => {
        const before = await server.rows("select from log")
        const table: ReadonlyArray<Refusal> = [
          {
            when: "nothing",
            fields: {},
            code: "REQUEST_VARIABLE_MISSING",
            msg: "Missing 'subscriptions' argument",
            also: { var_name: "subscriptions" },
          },
          { when: "a name", fields: { subscriptions: "lobby" }, msg: "subscriptions is not valid JSON" },
          { when: "a list of names", fields: { subscriptions: ["lobby"] }, msg: "subscriptions[0] is not a dict" },
          { when: "no name", fields: { subscriptions: [{}] }, msg: 'subscriptions[0]["name"] field is missing' },
          {
            when: "a number as name",
            fields: { subscriptions: [{ name: 7 }] },
            msg: 'subscriptions[0]["name"] is not a string',
          },
          { when: "a blank name", fields: named("  "), msg: "Channel name can't be empty." },
          { when: "a long name", fields: named("x".repeat(61)), msg: /Channel name too long/ },
          {
            when: "a line break in a name",
            fields: named("a\nb"),
            msg: "Invalid character in channel name, at position 2.",
          },
          { when: "NUL in a name", fields: named("a\u0000"), msg: /null bytes/ },
          {
            when: "half a character in a name",
            fields: { subscriptions: '[{"name":"\\ud800"}]' },
            msg: /not valid Unicode/,
          },
          {
            when: "a long description",
            fields: { subscriptions: [{ name: "new", description: "x".repeat(1025) }] },
            msg: /description is too long/,
          },
          {
            when: "no colour",
            fields: { subscriptions: [{ name: "new", color: "red" }] },
            msg: /not a valid hex color/,
          },
          { when: "an unknown person", fields: { ...named("new"), principals: [4711] }, msg: "No such user" },
          { when: "an unknown address", fields: { ...named("new"), principals: ["yorick@x"] }, msg: "No such user" },
          {
            when: "who has left",
            fields: { ...named("new"), principals: [id("othello")] },
            msg: "User is deactivated",
          },
          { when: "ids and addresses", fields: { ...named("new"), principals: [1, "a"] }, msg: /^principals is not/ },
          { when: "a private channel one is not in", fields: named("leads"), msg: "Unable to access channel (leads)." },
          { when: "an archived channel", fields: named("attic"), msg: "Unable to access channel (attic)." },
          { when: "half of it", fields: named("lobby", "leads"), msg: "Unable to access channel (leads)." },
          {
            when: "public without public history",
            fields: { ...named("new"), history_public_to_subscribers: false },
            msg: /./,
          },
          { when: "web-public", fields: { ...named("new"), is_web_public: true }, msg: /./ },
          {
            when: "more new channels than a command makes",
            fields: named(...Array.from({ length: 101 }, (_, each) => `n${each}`)),
            msg: "At most 100 channels can be made at once",
          },
          {
            when: "a longer list than a command takes",
            fields: named(...Array.from({ length: 501 }, (_, each) => `n${each}`)),
            msg: "subscriptions is too long (limit: 500 items)",
          },
        ]
        await refuses(t, table, (fields) => server.as("cordelia").post("/users/me/subscriptions", fields))
        await refuses(t, [{ when: "a guest", fields: named("lobby"), msg: "Not allowed for guest users" }], (fields) =>
          server.as("polonius").post("/users/me/subscriptions", fields),
        )
        t.equal((await server.rows("select from log")).length, before.length, "nothing was written")
      })

      await t.test("how long a new channel's messages are kept is for owners to say", async (t) => {
        const retention = async (name: Name, channel: string, days: unknown) => {
          await join(server, name, { ...named(channel), message_retention_days: days })
          const { streams } = await server.as(name).must.get("/streams")
          return findNamed(streams, channel)?.["message_retention_days"]
        }
        t.equal(await retention("desdemona", "kept for ever", "unlimited"), -1)
        t.equal(await retention("desdemona", "kept a month", 30), 30)
        t.equal(await retention("desdemona", "kept as usual", '"realm_default"'), null)
        t.equal(await retention("iago", "kept as ever", "realm_default"), null)
        t.equal(await retention("iago", "kept a month", 7), 30, "a channel that there was keeps its own")
        const fault = (days: unknown) => ({
          when: JSON.stringify(days),
          fields: { ...named("new"), message_retention_days: days },
          msg: /message_retention_days/,
        })
        const faults = ["forever", "x", 0, -1, 2 ** 31].map(fault)
        await refuses(t, [...faults, { ...fault(1.5), msg: /not a string or integer/ }], (fields) =>
          server.as("desdemona").post("/users/me/subscriptions", fields),
        )
        const ownersOnly = { code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization owner" }
        await refuses(t, [{ ...fault(30), ...ownersOnly }], (fields) =>
          server.as("iago").post("/users/me/subscriptions", fields),
        )
      })

      await t.test("what cannot be joined is passed over where that is asked for", async (t) => {
        const body = await join(server, "cordelia", {
          ...named("lobby", "leads", "attic"),
          authorization_errors_fatal: false,
        })
        t.match(body, {
          subscribed: { [id("cordelia")]: ["lobby"] },
          already_subscribed: {},
          unauthorized: ["leads", "attic"],
        })
        const again = await join(server, "cordelia", named("LOBBY", "lobby"))
        t.match(again, { subscribed: {}, already_subscribed: { [id("cordelia")]: ["lobby"] } })
        t.notOk("unauthorized" in again)
      })

      await t.test("a new public channel: all but guests hear of it, its subscribers first", async (t) => {
        const readers = new Map<Name, Reader>()
        for (const name of ["cordelia", "shiva", "iago", "polonius"] as const)
          readers.set(name, await server.queue(name, types))
        const body = await join(server, "cordelia", {
          subscriptions: [{ name: " Fresh ", description: " one\n two ", color: "#ABC" }],
          principals: [id("cordelia"), id("shiva")],
          announce: true,
        })
        t.match(body, {
          subscribed: { [id("cordelia")]: ["Fresh"], [id("shiva")]: ["Fresh"] },
          already_subscribed: {},
          new_subscription_messages_sent: true,
        })
        const stream_id = channelId(server, "Fresh")
        const create = { type: "stream", op: "create", streams: [{ stream_id, name: "Fresh", description: "one two" }] }
        const subscribers = [id("cordelia"), id("shiva")].sort((a, b) => a - b)
        const add = { type: "subscription", op: "add", subscriptions: [{ stream_id, color: "#aabbcc", subscribers }] }
        const user_ids = [id("cordelia"), id("shiva")]
        const peer = { type: "subscription", op: "peer_add", stream_ids: [stream_id], user_ids }
        const first = { type: "stream", op: "update", stream_id, property: "first_message_id" }
        const expected: ReadonlyArray<readonly [Name, ReadonlyArray<Fields>]> = [
          ["cordelia", [create, add, first]],
          ["shiva", [create, add, first]],
          ["iago", [create, peer, first]],
          ["polonius", []],
        ]
        for (const [name, events] of expected) {
          const got = (await readers.get(name)?.rest()) ?? []
          t.equal(got.length, events.length, `${name}: ${JSON.stringify(got)}`)
          t.match(got, [...events], name)
        }
        const { streams } = await server.as("cordelia").must.get("/streams")
        t.match(findNamed(streams, "Fresh"), {
          creator_id: id("cordelia"),
          can_administer_channel_group: { direct_members: [id("cordelia")], direct_subgroups: [] },
          subscriber_count: 2,
          rendered_description: "<p>one two</p>",
        })
      })

      await t.test("a private channel: only its subscribers and administrators hear of it", async (t) => {
        const readers = new Map<Name, Reader>()
        for (const name of ["cordelia", "shiva", "hamlet", "iago", "polonius"] as const)
          readers.set(name, await server.queue(name, types))
        await join(server, "cordelia", { ...named("hidden"), invite_only: true, history_public_to_subscribers: true })
        await join(server, "cordelia", { ...named("hidden"), principals: ["polonius@test.example"] })
        const stream_id = channelId(server, "hidden")
        const create = { type: "stream", op: "create", streams: [{ stream_id, invite_only: true }] }
        const add = { type: "subscription", op: "add", subscriptions: [{ stream_id }] }
        const first = { type: "stream", op: "update", stream_id, property: "first_message_id" }
        const peer = (name: Name) => ({
          type: "subscription",
          op: "peer_add",
          stream_ids: [stream_id],
          user_ids: [id(name)],
        })
        const expected: ReadonlyArray<readonly [Name, ReadonlyArray<Fields>]> = [
          ["cordelia", [create, add, first, peer("polonius")]],
          ["iago", [create, peer("cordelia"), first, peer("polonius")]],
          ["polonius", [create, add]],
          ["shiva", []],
          ["hamlet", []],
        ]
        for (const [name, events] of expected) {
          const got = (await readers.get(name)?.rest()) ?? []
          t.equal(got.length, events.length, `${name}: ${JSON.stringify(got)}`)
          t.match(got, [...events], name)
        }
      })

      await t.test("names are one without regard to case, whatever the database makes of their letters", async (t) => {
        const same = [
          ["ΑΣ", "ασ", "ας"],
          ["İzmir", "i̇zmir", "izmir"],
          ["ÉCOLE", "école"],
          ["\u212Aelvin", "kelvin", "KELVIN"],
        ]
        for (const forms of same) {
          const ids = new Set<number>()
          for (const name of forms) {
            await join(server, "cordelia", named(name))
            ids.add(channelId(server, name))
          }
          t.equal(ids.size, 1, forms.join(" "))
        }
        for (const [first = "", second = ""] of [
          ["ΑΣ@test.example", "ας@test.example"],
          ["İ@test.example", "i@test.example"],
        ]) {
          const fields = { password: "a long password", full_name: "x" }
          t.equal((await server.as("iago").post("/users", { ...fields, email: first })).status, 200)
          t.match(await server.as("iago").post("/users", { ...fields, email: second }), {
            status: 400,
            body: { msg: /already in use/ },
          })
        }
      })

      await t.test("who may make channels and add others is the organization's to say", async (t) => {
        const settings = async (change: Fields) => {
          await server.rows("update realm set settings = $1::text::jsonb", [JSON.stringify(change)])
          await server.restart()
        }
        const ask = async (name: Name, fields: Fields) =>
          (await server.as(name).post("/users/me/subscriptions", fields)).status
        const groups = { members: 3, fullMembers: 4, moderators: 5 }
        await settings({
          can_create_public_channel_group: groups.moderators,
          can_create_private_channel_group: { direct_members: [id("cordelia")], direct_subgroups: [] },
          can_add_subscribers_group: groups.moderators,
        })
        const others = { principals: [id("hamlet")] }
        t.equal(await ask("cordelia", named("open 1")), 400)
        t.equal(await ask("shiva", named("open 1")), 200)
        t.equal(await ask("cordelia", { ...named("closed 1"), invite_only: true }), 200, "named by herself")
        t.equal(await ask("hamlet", { ...named("closed 2"), invite_only: true }), 400)
        t.equal(
          await ask("shiva", { ...named("closed 2"), invite_only: true }),
          400,
          "a moderator is no part of a list of names",
        )
        t.equal(await ask("cordelia", { ...named("open 1"), ...others }), 400)
        t.equal(await ask("shiva", { ...named("open 1"), ...others }), 200)
        t.equal(await ask("cordelia", named("open 1")), 200, "to join what is open needs no permission")

        await settings({ waiting_period_days: 3, can_create_public_channel_group: groups.fullMembers })
        await server
          .as("iago")
          .must.post("/users", { email: "new@test.example", password: "a long password", full_name: "New" })
        const young = async () =>
          (await server.asEmail("new@test.example").post("/users/me/subscriptions", named("young"))).status
        server.clock.advance(3 * 24 * 3600_000 - 1)
        t.equal(await young(), 400, "not a full member yet")
        t.equal(await ask("shiva", named("open 2")), 200, "a moderator is one at once")
        server.clock.advance(1)
        t.equal(await young(), 200, "after three days")
      })

      await t.test("of many who make one channel at the same time all are in it", async (t) => {
        const people: ReadonlyArray<Name> = ["hamlet", "cordelia", "shiva", "iago", "desdemona"]
        await Promise.all(people.map((name) => join(server, name, named("race", `own ${name}`))))
        const own = await server.as("hamlet").must.get("/users/me/subscriptions", { include_subscribers: true })
        const race = findNamed(own["subscriptions"], "race")
        t.same(
          race?.["subscribers"],
          people.map(id).sort((a, b) => a - b),
        )
        const { streams } = await server.as("iago").must.get("/streams", { include_all: true })
        const ids = pluck(streams, "stream_id")
        t.equal(new Set(ids).size, ids.length, "every channel has an id of its own")
      })
    },
  ),
)

t.test("left", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "lobby", users: ["hamlet", "cordelia", "polonius"] },
        { name: "leads", users: ["hamlet", "cordelia", "iago"], isPrivate: true },
        { name: "attic", users: ["hamlet"] },
        { name: "square", users: ["polonius"], isWebPublic: true },
      ],
    },
    async (server) => {
      await server.rows("update channel set is_archived = true where name = 'attic'")
      await server.restart()
      const leave = (name: Name) => (fields: Fields) => server.as(name).delete("/users/me/subscriptions", fields)

      await t.test("refused", async (t) => {
        const unknown = (name: string) => ({
          when: name,
          fields: { subscriptions: [name] },
          code: "STREAM_DOES_NOT_EXIST",
          msg: `Channel '${name}' does not exist`,
          also: { stream: name },
        })
        const table: ReadonlyArray<Refusal> = [
          unknown("ghost"),
          { ...unknown("ghost"), when: "one of two", fields: { subscriptions: ["lobby", "ghost"] } },
          { when: "nothing", fields: {}, code: "REQUEST_VARIABLE_MISSING", msg: "Missing 'subscriptions' argument" },
          { when: "a name", fields: { subscriptions: "lobby" }, msg: "subscriptions is not valid JSON" },
          { when: "an id", fields: { subscriptions: [1] }, msg: "subscriptions[0] is not a string" },
          { when: "what is archived", fields: { subscriptions: ["attic"] }, msg: /archived/ },
          { when: "an unknown person", fields: { subscriptions: ["lobby"], principals: [4711] }, msg: "No such user" },
        ]
        await refuses(t, table, leave("hamlet"))
        await refuses(t, [unknown("leads")], leave("shiva"))
        const { subscriptions } = await server.as("hamlet").must.get("/users/me/subscriptions")
        t.same(namesIn(subscriptions), ["lobby", "leads"])
      })

      await t.test("who leaves, and who hears of it", async (t) => {
        const readers = new Map<Name, Reader>()
        for (const name of ["hamlet", "cordelia", "iago", "shiva", "polonius"] as const)
          readers.set(name, await server.queue(name, types))
        const check = async (expected: Partial<Record<Name, ReadonlyArray<Fields>>>) => {
          for (const [name, reader] of readers) {
            const got = await reader.rest()
            t.equal(got.length, expected[name]?.length ?? 0, `${name}: ${JSON.stringify(got)}`)
            t.match(got, [...(expected[name] ?? [])], name)
          }
        }
        const events = (channel: string, name: Name) => {
          const stream_id = channelId(server, channel)
          return {
            remove: { type: "subscription", op: "remove", subscriptions: [{ name: channel, stream_id }] },
            hide: { type: "stream", op: "delete", stream_ids: [stream_id], streams: [{ stream_id }] },
            peer: { type: "subscription", op: "peer_remove", stream_ids: [stream_id], user_ids: [server.idOf(name)] },
          }
        }
        const first = await leave("hamlet")({ subscriptions: [" LOBBY ", "square"] })
        t.match(first.body, { removed: ["lobby"], not_removed: ["square"] })
        const lobby = events("lobby", "hamlet")
        await check({
          hamlet: [lobby.remove],
          cordelia: [lobby.peer],
          iago: [lobby.peer],
          shiva: [lobby.peer],
          polonius: [lobby.peer],
        })
        await leave("cordelia")({ subscriptions: ["leads"] })
        const leads = events("leads", "cordelia")
        await check({ cordelia: [leads.remove, leads.hide], hamlet: [leads.peer], iago: [leads.peer] })
        await leave("iago")({ subscriptions: ["leads"] })
        const administrator = events("leads", "iago")
        await check({ iago: [administrator.remove], hamlet: [administrator.peer] })
        await leave("polonius")({ subscriptions: ["lobby", "square"] })
        const guest = [events("lobby", "polonius"), events("square", "polonius")] as const
        const peers = guest.map(({ peer }) => peer)
        await check({
          polonius: [guest[0].remove, guest[0].hide, guest[1].remove],
          hamlet: peers,
          cordelia: peers,
          iago: peers,
          shiva: peers,
        })
        t.match((await leave("hamlet")({ subscriptions: ["lobby"] })).body, { removed: [], not_removed: ["lobby"] })
        await check({})
      })

      await t.test("who comes back finds their colour again", async (t) => {
        const colour = async () => {
          const { subscriptions } = await server.as("cordelia").must.get("/users/me/subscriptions")
          return findNamed(subscriptions, "lobby")?.["color"]
        }
        await join(server, "cordelia", { subscriptions: [{ name: "lobby", color: "#123456" }] })
        const before = await colour()
        await leave("cordelia")({ subscriptions: ["lobby"] })
        await join(server, "cordelia", named("lobby"))
        t.equal(await colour(), before)
      })
    },
  ),
)
