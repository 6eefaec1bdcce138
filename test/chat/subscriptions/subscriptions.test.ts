/** Subscriptions of oneself and of others: who may change them, what is told, and one's own settings (contract 2.4, 2.15, 3.8). */
import t, { type Test } from "tap"
import { roles, systemGroups } from "../../../src/chat/realm/values.ts"
import { setUpUser } from "../../../src/chat/setup/realm-setup.ts"
import type { ChannelId, UserId } from "../../../src/ids.ts"
import type { Fields } from "../../kit/client.ts"
import type { Reader } from "../../kit/reader.ts"
import { pluck, recordsIn } from "../../kit/records.ts"
import { type Refusal, refuses } from "../../kit/refusals.ts"
import { type Name, type TestServer, withServer } from "../../kit/with-server.ts"

const own = "/users/me/subscriptions"
const named = (...names: ReadonlyArray<string>): Fields => ({ subscriptions: names.map((name) => ({ name })) })

const idOf = (server: TestServer, name: string): ChannelId => {
  const channel = server.realm.realm.findChannelByName(name)
  if (channel === undefined) throw new Error(`there is no channel ${name}`)
  return channel.id
}

const makeBot = (server: TestServer, owner: Name): Promise<UserId> =>
  server.run(
    setUpUser(server.realmId, {
      email: `${owner}-bot@test.example`,
      fullName: "bot",
      role: roles.member,
      isBot: true,
      botOwnerId: server.idOf(owner),
      passwordHash: null,
    }),
  )

/** Opens queues; `check` wants exactly these events since the last one, and none for those who are not named. */
const listen = async (t: Test, server: TestServer, names: ReadonlyArray<Name>, fields: Fields) => {
  const readers = new Map<Name, Reader>()
  for (const name of names) readers.set(name, await server.queue(name, fields))
  return async (what: string, expected: Partial<Record<Name, ReadonlyArray<Fields>>>) => {
    for (const [name, reader] of readers) {
      const got = await reader.rest()
      t.equal(got.length, expected[name]?.length ?? 0, `${what}, ${name}: ${JSON.stringify(got)}`)
      t.match(got, [...(expected[name] ?? [])], `${what}, ${name}`)
    }
  }
}

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

      await t.test("people are told by message who put them into a channel that there was, bots are not", async (t) => {
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
      })

      await t.test("who may", async (t) => {
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

      await t.test("what is said of new channels holds for those that this request makes", async (t) => {
        await server.actions.changeRealm({ new_stream_announcements_stream_id: idOf(server, "news") })
        const check = await listen(t, server, ["cordelia"], { event_types: ["message", "default_streams"] })
        const fields = {
          ...named("lobby", "kept", "also kept"),
          is_default_stream: true,
          message_retention_days: 30,
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
            message_retention_days: 30,
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
            { type: "default_streams", default_streams: [idOf(server, "kept"), idOf(server, "also kept")] },
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

t.test("unsubscribing others", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "lobby", users: ["hamlet", "cordelia", "shiva", "polonius"] },
        { name: "square", users: ["cordelia"] },
        { name: "leads", users: ["hamlet", "cordelia", "othello"], isPrivate: true },
      ],
    },
    async (server) => {
      const id = (name: Name) => server.idOf(name)
      const bot = await makeBot(server, "cordelia")
      await server.as("hamlet").must.post(own, { ...named("lobby", "leads"), principals: [bot] })
      const leave = (name: Name) => (fields: Fields) => server.as(name).delete(own, fields)

      await t.test("who may not", async (t) => {
        const refused = (when: string, channel: string, user: number): Refusal => ({
          when,
          fields: { subscriptions: [channel], principals: [user] },
          msg: "Insufficient permission",
        })
        await refuses(
          t,
          [refused("a member", "lobby", id("shiva")), refused("another's bot", "leads", bot)],
          leave("hamlet"),
        )
        const both = { subscriptions: ["lobby"], principals: [id("cordelia"), id("hamlet")] }
        await refuses(t, [{ when: "one of two", fields: both, msg: "Insufficient permission" }], leave("cordelia"))
        await server.as("iago").must.delete(`/users/${id("othello")}`)
        const gone = { subscriptions: ["lobby"], principals: [id("othello")] }
        await refuses(t, [{ when: "who has left", fields: gone, msg: "User is deactivated" }], leave("iago"))
        await server.as("iago").must.post(`/users/${id("othello")}/reactivate`)
      })

      await t.test("who may, and who is told", async (t) => {
        const check = await listen(t, server, ["iago", "hamlet", "cordelia", "shiva", "othello"], {
          event_types: ["stream", "subscription"],
        })
        const told = (channel: string, ...users: ReadonlyArray<number>) => {
          const stream_id = idOf(server, channel)
          return {
            remove: { type: "subscription", op: "remove", subscriptions: [{ name: channel, stream_id }] },
            hide: { type: "stream", op: "delete", stream_ids: [stream_id] },
            peer: { type: "subscription", op: "peer_remove", stream_ids: [stream_id], user_ids: users },
          }
        }
        const { body } = await leave("iago")({
          subscriptions: ["lobby", "leads", "Lobby"],
          principals: ["cordelia@test.example", id("iago"), id("othello")].map(String),
        })
        t.match(body, { code: "BAD_REQUEST", msg: "No such user" })
        const answer = await server.as("iago").must.delete(own, {
          subscriptions: ["lobby", "leads", "Lobby"],
          principals: [id("cordelia"), id("iago"), id("othello")],
        })
        t.same(answer["removed"], ["lobby", "leads", "leads"])
        t.same(answer["not_removed"], ["lobby", "lobby", "leads"])
        const lobby = told("lobby", id("cordelia"))
        const leads = told("leads", id("cordelia"), id("othello"))
        await check("an administrator, from what he is not in", {
          iago: [lobby.peer, leads.peer],
          hamlet: [lobby.peer, leads.peer],
          cordelia: [lobby.remove, leads.remove, leads.hide],
          shiva: [lobby.peer],
          othello: [lobby.peer, leads.remove, leads.hide],
        })
        t.same(
          (await server.as("cordelia").must.delete(own, { subscriptions: ["lobby"], principals: [bot] }))["removed"],
          ["lobby"],
        )
        const robot = told("lobby", bot)
        await check("one's own bot", {
          iago: [robot.peer],
          hamlet: [robot.peer],
          cordelia: [robot.peer],
          shiva: [robot.peer],
          othello: [robot.peer],
        })
        await refuses(
          t,
          [
            {
              when: "one's own bot, from what one does not know",
              fields: { subscriptions: ["leads"], principals: [bot] },
              code: "STREAM_DOES_NOT_EXIST",
              msg: "Channel 'leads' does not exist",
            },
          ],
          leave("cordelia"),
        )
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

t.test("one's own settings", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "lobby", users: ["hamlet", "cordelia"] },
        { name: "square", users: ["cordelia"] },
        { name: "leads", users: ["cordelia"], isPrivate: true },
      ],
    },
    async (server) => {
      const hamlet = server.as("hamlet")
      const [lobby, square, leads] = ["lobby", "square", "leads"].map((name) => idOf(server, name))
      const check = await listen(t, server, ["hamlet", "cordelia"], { event_types: ["subscription"] })
      const update = (property: string, value: unknown) => ({
        type: "subscription",
        op: "update",
        stream_id: lobby,
        property,
        value,
      })
      const set = (...changes: ReadonlyArray<readonly [string, unknown]>) => ({
        subscription_data: changes.map(([property, value]) => ({ stream_id: lobby, property, value })),
      })
      const post = (fields: Fields) => hamlet.post(`${own}/properties`, fields)
      const plain = [
        "pin_to_top",
        "desktop_notifications",
        "audible_notifications",
        "push_notifications",
        "email_notifications",
        "wildcard_mentions_notify",
      ]

      await t.test("each of them", async (t) => {
        t.equal((await post(set(["color", "#ABC"], ...plain.map((name) => [name, true] as const)))).status, 200)
        await check("each", { hamlet: [update("color", "#aabbcc"), ...plain.map((name) => update(name, true))] })
        await post(set(["is_muted", true]))
        await post(set(["in_home_view", true]))
        await check("muting has two names, the older first", {
          hamlet: [
            update("in_home_view", false),
            update("is_muted", true),
            update("in_home_view", true),
            update("is_muted", false),
          ],
        })
        await post(set(["color", "#aabbcc"], ["is_muted", false], ["in_home_view", true]))
        await check("what is so already is not told", {})
        await hamlet.must.patch(`${own}/${lobby}`, { property: "color", value: "#123456" })
        await hamlet.must.patch(`${own}/${lobby}`, { property: "is_muted", value: true })
        await check("one alone", {
          hamlet: [update("color", "#123456"), update("in_home_view", false), update("is_muted", true)],
        })
        const expected = {
          name: "lobby",
          color: "#123456",
          is_muted: true,
          in_home_view: false,
          email_notifications: true,
        }
        const listed = async () => (await hamlet.must.get(own))["subscriptions"]
        t.match(await listed(), [expected])
        await server.restart()
        t.match((await server.as("hamlet").must.get(own))["subscriptions"], [expected], "stored as it was told")
      })

      await t.test("refused", async (t) => {
        const restarted = server.as("hamlet")
        const send = (fields: Fields) => restarted.post(`${own}/properties`, fields)
        const one = (stream_id: unknown, property: unknown, value: unknown) => ({
          subscription_data: [{ stream_id, property, value }],
        })
        const table: ReadonlyArray<Refusal> = [
          {
            when: "an unknown property",
            fields: one(lobby, "colour", "#fff"),
            msg: "Unknown subscription property: colour",
          },
          {
            when: "not subscribed",
            fields: one(square, "color", "#fff"),
            msg: `Not subscribed to channel ID ${square}`,
          },
          { when: "hidden", fields: one(leads, "color", "#fff"), msg: "Invalid channel ID" },
          { when: "unknown", fields: one(4711, "color", "#fff"), msg: "Invalid channel ID" },
          { when: "a word", fields: one(lobby, "color", "red"), msg: "color is not a valid hex color code" },
          { when: "a number", fields: one(lobby, "color", 7), msg: "color is not a valid hex color code" },
          { when: "no boolean", fields: one(lobby, "is_muted", "true"), msg: "is_muted is not a boolean" },
          {
            when: "no value",
            fields: { subscription_data: [{ stream_id: lobby, property: "color" }] },
            msg: 'subscription_data[0]["value"] field is missing',
          },
          {
            when: "nothing",
            fields: {},
            code: "REQUEST_VARIABLE_MISSING",
            msg: "Missing 'subscription_data' argument",
          },
        ]
        await refuses(t, table, send)
        const half = { ...set(["color", "#654321"], ["pin_to_top", 1], ["email_notifications", false]) }
        await refuses(t, [{ when: "half of it", fields: half, msg: "pin_to_top is not a boolean" }], send)
        t.match((await restarted.must.get(own))["subscriptions"], [
          { color: "#654321", pin_to_top: true, email_notifications: true },
        ])
        await refuses(
          t,
          [
            { when: "a word", fields: { property: "color", value: "red" }, msg: "color is not a valid hex color code" },
            {
              when: "no value",
              fields: { property: "color" },
              code: "REQUEST_VARIABLE_MISSING",
              msg: "Missing 'value' argument",
            },
          ],
          (fields) => restarted.patch(`${own}/${lobby}`, fields),
        )
      })
    },
  ),
)
