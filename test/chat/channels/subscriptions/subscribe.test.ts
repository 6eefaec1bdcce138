/** POST and PATCH /users/me/subscriptions: permissions, events, notices and new channels. */
import t from "tap"
import { systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Fields } from "../../../kit/client.ts"
import type { Reader } from "../../../kit/reader.ts"
import { pluck, recordsIn } from "../../../kit/records.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { listen, makeBot, named, own } from "./subscription-fixture.ts"

const join = (server: TestServer, name: Name, fields: Fields) =>
  server.as(name).must.post("/users/me/subscriptions", fields)

const findNamed = (list: unknown, name: string): Fields | undefined =>
  recordsIn(list).find((each) => each["name"] === name)

const archived = (name: string) =>
  `An archived channel has the name '${name}': take another one, or bring that channel back.`

const types = { event_types: ["stream", "subscription"] }

t.test("the requester subscribes, which makes channels that do not exist", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "lobby", users: ["hamlet"] },
        { name: "leads", users: ["hamlet"], isPrivate: true },
        { name: "attic", users: ["hamlet"] },
        { name: "crypt", users: ["hamlet"], isPrivate: true },
      ],
    },
    async (server) => {
      await server.rows("update channel set is_archived = true where name in ('attic', 'crypt')")
      await server.as("desdemona").must.delete(`/users/${server.idOf("othello")}`)
      await server.restart()
      const id = (name: Name) => server.idOf(name)

      await t.test("invalid requests are refused", async (t) => {
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
          { when: "a name that nobody sees", fields: named("\u3164\u200B"), msg: "Channel name can't be empty." },
          {
            when: "a name that turns around what follows it",
            fields: named("gnp\u202Eexe"),
            msg: "Invalid character in channel name, at position 4.",
          },
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
          { when: "an archived channel", fields: named("attic"), msg: archived("attic") },
          {
            when: "an archived channel that one cannot see",
            fields: named("crypt"),
            msg: "Unable to access channel (crypt).",
          },
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

      await t.test("only an owner may set the message retention of a new channel", async (t) => {
        const retention = async (name: Name, channel: string, days: unknown) => {
          await join(server, name, { ...named(channel), message_retention_days: days })
          const { streams } = await server.as(name).must.get("/streams")
          return findNamed(streams, channel)?.["message_retention_days"]
        }
        t.equal(await retention("desdemona", "kept for ever", "unlimited"), -1)
        t.equal(await retention("desdemona", "kept as usual", '"realm_default"'), null)
        t.equal(await retention("iago", "kept as ever", "realm_default"), null)
        t.equal(await retention("iago", "kept for ever", 7), -1, "a channel that there was keeps its own")
        const fault = (days: unknown) => ({
          when: JSON.stringify(days),
          fields: { ...named("new"), message_retention_days: days },
          code: "REQUEST_VARIABLE_INVALID",
          msg: /message_retention_days/,
        })
        const faults = ["forever", "x", 0, -1, 2 ** 31].map(fault)
        await refuses(
          t,
          [...faults, { ...fault(1.5), code: "BAD_REQUEST", msg: /not a string or integer/ }],
          (fields) => server.as("desdemona").post("/users/me/subscriptions", fields),
        )
        t.equal(await retention("desdemona", "kept for a month", 30), 30)
        t.equal(await retention("desdemona", "kept for a week", "7"), 7)
        const ownersOnly = { code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization owner" }
        await refuses(t, [{ ...fault(30), ...ownersOnly }], (fields) =>
          server.as("iago").post("/users/me/subscriptions", fields),
        )
      })

      await t.test("without authorization_errors_fatal, channels that cannot be joined are skipped", async (t) => {
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

      await t.test("a new public channel is announced to everybody but guests, first to its subscribers", async (t) => {
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

      await t.test("a new private channel is announced only to its subscribers and administrators", async (t) => {
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

      await t.test("names that differ only in case are one channel, whatever the database's locale", async (t) => {
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

      await t.test("the organization's permissions to make channels and to subscribe others", async (t) => {
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

      await t.test("concurrent requests that make one channel subscribe all requesters to it", async (t) => {
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

t.test("subscribing others", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "lobby", users: ["hamlet"] },
        { name: "square", users: [] },
        { name: "leads", users: ["hamlet"], isPrivate: true },
        { name: "news", users: ["cordelia"] },
      ],
    },
    async (server) => {
      const id = (name: Name) => server.idOf(name)
      const bot = await makeBot(server, "cordelia")

      await t.test(
        "people, but not bots, get a direct message when somebody subscribes them to an existing channel",
        async (t) => {
          const check = await listen(t, server, ["hamlet", "cordelia", "polonius"], { event_types: ["message"] })
          const body = await server.as("hamlet").must.post(own, {
            ...named("lobby", "square"),
            principals: ["cordelia@test.example", "polonius@test.example", "cordelia-bot@test.example"],
          })
          t.match(body, {
            subscribed: { [id("cordelia")]: ["lobby", "square"], [id("polonius")]: ["lobby", "square"], [bot]: Array },
            already_subscribed: {},
            new_subscription_messages_sent: true,
          })
          const message = {
            type: "message",
            message: {
              sender_full_name: "Notification Bot",
              type: "private",
              content: /\*\*hamlet\|\d+\*\* subscribed you to:\n\n\* #\*\*lobby\*\*\n\* #\*\*square\*\*$/,
            },
          }
          await check("two channels at once", { cordelia: [message], polonius: [message] })
          await server.as("hamlet").must.post(own, { ...named("leads"), principals: [id("cordelia"), id("hamlet")] })
          const one = { message: { content: /subscribed you to #\*\*leads\*\*\.$/ } }
          await check("who is in already is told nothing", { cordelia: [one] })

          const silent = await server.as("hamlet").must.post(own, {
            ...named("lobby"),
            principals: [id("othello")],
            send_new_subscription_messages: false,
          })
          t.notOk("new_subscription_messages_sent" in silent)
          await server.as("hamlet").must.post(own, { ...named("fresh"), principals: [id("cordelia")] })
          const notice = { message: { type: "stream", subject: "channel events", display_recipient: "fresh" } }
          await check("of a new channel its first message tells", { cordelia: [notice] })
          t.same(await server.rows("select from message where conversation_id is not null"), [{}, {}, {}])
        },
      )

      await t.test("permissions to subscribe others", async (t) => {
        const refused = (when: string, fields: Fields, msg = "Insufficient permission"): Refusal => ({
          when,
          fields,
          msg,
        })
        await server.actions.changeRealm({ can_add_subscribers_group: systemGroups["role:moderators"] })
        const others = { principals: [id("iago")] }
        await refuses(t, [refused("a member", { ...named("lobby"), ...others })], (fields) =>
          server.as("cordelia").post(own, fields),
        )
        const leads = { ...named("leads"), ...others }
        await refuses(t, [refused("no content", leads, "Unable to access channel (leads).")], (fields) =>
          server.as("desdemona").post(own, fields),
        )
        t.match(
          await server
            .as("shiva")
            .must.post(own, { ...named("leads", "square"), ...others, authorization_errors_fatal: false }),
          { subscribed: { [id("iago")]: ["square"] }, unauthorized: ["leads"] },
        )
        const made = { principals: [id("shiva")] }
        await refuses(
          t,
          [
            refused("nor into a new one that others administer", {
              ...named("n"),
              ...made,
              can_administer_channel_group: 8,
            }),
          ],
          (fields) => server.as("cordelia").post(own, fields),
        )
        t.match(await server.as("cordelia").must.post(own, { ...named("her own"), ...made }), {
          subscribed: { [id("shiva")]: ["her own"] },
        })
        await server.actions.changeRealm({ can_add_subscribers_group: systemGroups["role:members"] })
      })

      await t.test("properties for new channels do not change existing ones", async (t) => {
        await server.actions.changeRealm({ new_stream_announcements_stream_id: channelId(server, "news") })
        const check = await listen(t, server, ["cordelia"], { event_types: ["message", "default_streams"] })
        const fields = {
          ...named("lobby", "kept", "also kept"),
          is_default_stream: true,
          message_retention_days: "unlimited",
          topics_policy: "disable_empty_topic",
          can_send_message_group: 6,
          can_subscribe_group: { direct_members: [id("hamlet")], direct_subgroups: [] },
          announce: true,
        }
        await server.as("desdemona").must.post(own, fields)
        const { streams } = await server.as("iago").must.get("/streams", { include_default: true })
        const found = (name: string) => recordsIn(streams).find((each) => each["name"] === name)
        for (const name of ["kept", "also kept"])
          t.match(found(name), {
            is_default: true,
            message_retention_days: -1,
            topics_policy: "disable_empty_topic",
            can_send_message_group: 6,
            can_subscribe_group: { direct_members: [id("hamlet")], direct_subgroups: [] },
          })
        t.match(found("lobby"), { is_default: false, message_retention_days: null, can_send_message_group: 2 })
        const announced = (name: string) => ({
          message: { display_recipient: "news", subject: "new channels", content: new RegExp(`#\\*\\*${name}\\*\\*`) },
        })
        await check("told", {
          cordelia: [
            { type: "default_streams", default_streams: [channelId(server, "kept"), channelId(server, "also kept")] },
            announced("kept"),
            announced("also kept"),
          ],
        })
        const table: ReadonlyArray<Refusal> = [
          {
            when: "private and default",
            fields: { ...named("n"), invite_only: true, is_default_stream: true },
            msg: "A default channel cannot be private.",
          },
          {
            when: "web-public",
            fields: { ...named("n"), is_web_public: true },
            msg: "Web-public channels are not enabled.",
          },
          { when: "a folder", fields: { ...named("n"), folder_id: 7 }, msg: "Invalid channel folder ID" },
          { when: "a group", fields: { ...named("n"), can_subscribe_group: 4711 }, msg: "Invalid user group" },
        ]
        await refuses(t, table, (each) => server.as("desdemona").post(own, each))
      })
    },
  ),
)

t.test("joining and leaving in one request", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "lobby", users: ["hamlet"] },
        { name: "square", users: [] },
        { name: "leads", users: [], isPrivate: true },
      ],
    },
    async (server) => {
      const hamlet = server.as("hamlet")
      const mine = async () => pluck((await hamlet.must.get(own))["subscriptions"], "name")
      const body = await hamlet.must.patch(own, {
        add: [{ name: "square", color: "#FFF" }, { name: "fresh" }],
        delete: ["lobby"],
      })
      t.match(body, {
        subscribed: { [server.idOf("hamlet")]: ["square", "fresh"] },
        already_subscribed: {},
        removed: ["lobby"],
        not_removed: [],
      })
      t.same(await mine(), ["square", "fresh"])
      t.match(await hamlet.must.patch(own, { delete: ["fresh", "lobby"] }), {
        subscribed: {},
        removed: ["fresh"],
        not_removed: ["lobby"],
      })
      t.match(await hamlet.must.patch(own, { add: [{ name: "square" }] }), {
        already_subscribed: { [server.idOf("hamlet")]: ["square"] },
        removed: [],
      })
      const table: ReadonlyArray<Refusal> = [
        { when: "nothing", fields: {}, msg: 'Nothing to do. Specify at least one of "add" or "delete".' },
        { when: "what one may not join", fields: { add: [{ name: "leads" }], delete: ["square"] }, msg: /^Unable/ },
        {
          when: "what one cannot leave",
          fields: { add: [{ name: "lobby" }], delete: ["ghost"] },
          code: "STREAM_DOES_NOT_EXIST",
          msg: "Channel 'ghost' does not exist",
        },
      ]
      await refuses(t, table, (fields) => hamlet.patch(own, fields))
      t.same(await mine(), ["square"], "what is refused has changed nothing")
    },
  ),
)

t.test("I8: joining and leaving in one request is one commit", (t) => {
  const channels = ["lobby", "square", "garden"].map((name) => ({
    name,
    users: name === "lobby" ? ["hamlet" as const] : [],
  }))
  return withServer(t, { channels }, async (server) => {
    const { faults } = server
    const hamlet = server.as("hamlet")
    const mine = async () => pluck((await hamlet.must.get(own))["subscriptions"], "name")
    const reader = await server.queue("hamlet", { event_types: ["subscription"] })

    faults.failCommits("unsent")
    const both = { add: [{ name: "square" }], delete: ["lobby"] }
    t.match(await hamlet.patch(own, both), { status: 503 })
    t.same(await mine(), ["lobby"], "a database that is lost before the commit leaves everything as it was")

    faults.failCommits("done", "unsent")
    const answer = await hamlet.patch(own, both)
    t.match(answer, { status: 200, body: { subscribed: { [server.idOf("hamlet")]: ["square"] }, removed: ["lobby"] } })
    t.same(await mine(), ["square"], "a database that is lost after it finds everything done")
    t.same(faults.takeFates(), ["unsent"], "there was no second commit")
    t.match(await reader.rest(), [
      { op: "add", subscriptions: [{ name: "square" }] },
      { op: "remove", subscriptions: [{ name: "lobby" }] },
    ])

    t.match(
      await hamlet.must.patch(own, { add: [{ name: "garden" }, { name: "square" }], delete: ["garden", "square"] }),
      {
        subscribed: { [server.idOf("hamlet")]: ["garden"] },
        already_subscribed: { [server.idOf("hamlet")]: ["square"] },
        removed: ["garden", "square"],
        not_removed: [],
      },
    )
    t.match(
      pluck(await reader.rest(), "op"),
      ["add", "remove", "remove"],
      "a channel that is named in both lists is joined, then left",
    )
    t.same(await mine(), [])
  })
})
