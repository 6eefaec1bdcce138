/** Archiving and unarchiving channels, and the policy `empty_topic_only`; all changes of channels settle (I13). */
import * as Effect from "effect/Effect"
import t from "tap"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { loadRealm } from "../../../../src/chat/ground/realm/loading/load-store.ts"
import { agreesWithTables } from "../../../kit/afresh.ts"
import { catalog } from "../../../kit/catalog.ts"
import { change, channelId, channels, hears, path, streamOf, types } from "../../../kit/channel-scene.ts"
import type { Fields } from "../../../kit/client.ts"
import { Reader } from "../../../kit/reader.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { clientsOf, Settling } from "../../../kit/settles.ts"
import { inTurn } from "../../../kit/share.ts"
import { withServer } from "../../../kit/with-server.ts"

t.test("empty_topic_only is allowed only while all messages are in the empty topic", (t) =>
  withServer(t, { channels }, async (server) => {
    const only = { topics_policy: "empty_topic_only" }
    const refused: ReadonlyArray<Refusal> = [{ when: "named topics", fields: only, msg: /all its messages/ }]
    const ask = (fields: Fields) => server.as("iago").patch(path(server, "lobby"), fields)
    const post = (topic: string) => server.as("hamlet").send("lobby", "one", { topic })
    await post("")
    let asked = 0
    // The message comes after the question and before the commit.
    server.faults.slow("has_named_topics", async () => {
      if (asked++ === 0) await post("named")
    })
    await refuses(t, refused, ask)
    t.equal(asked, 1, "the first answer was that all is well")
    await refuses(t, refused, ask)
    t.match(await streamOf(server, "hamlet", "lobby"), { topics_policy: "inherit" })

    await change(server, "iago", "first", only)
    const answer = await server.as("iago").post("/messages", { type: "channel", to: "first", topic: "x", content: "x" })
    t.match(answer, { status: 400, body: { msg: /Only the general chat topic/ } })
    const { messages } = await server.as("iago").must.get("/messages", {
      anchor: "newest",
      num_before: 9,
      num_after: 0,
      narrow: [["channel", "first"]],
      allow_empty_topic_name: true,
    })
    t.match(messages, [{ subject: "" }], "what is told of it stands in that topic")
    await change(server, "iago", "first", { topics_policy: "disable_empty_topic" })
    await refuses(t, refused, (fields) => server.as("iago").patch(path(server, "first"), fields))
  }),
)

const legacy = { ...types, client_capabilities: {} }

t.test("a channel is archived and unarchived", (t) =>
  withServer(t, { channels }, async (server) => {
    await server.rows("update channel set is_recently_active = false where name = 'lobby'")
    await server.restart()
    await server.as("iago").must.post("/default_stream_groups/create", {
      group_name: "Newcomers",
      description: "",
      stream_names: ["lounge"],
    })
    const archive = (name: string) => () => server.as("iago").must.delete(path(server, name))
    const updated = (value: boolean) => `stream/update is_archived ${value}`
    const fromThe = (kind: string) => {
      const both = [kind, updated(true)]
      return { hamlet: both, cordelia: both, iago: both }
    }
    await hears(t, server, archive("first"), fromThe("default_streams"))
    await hears(t, server, archive("lounge"), fromThe("default_stream_groups"))
    const { realm_default_streams, realm_default_stream_groups } = await server.as("iago").must.post("/register")
    t.match([realm_default_streams, realm_default_stream_groups], [[], [{ streams: [] }]])
    t.match(await streamOf(server, "hamlet", "first"), { is_archived: true, first_message_id: Number })
    // The message about it is one, after a long silence.
    const active = "stream/update is_recently_active true"
    await hears(
      t,
      server,
      archive("lobby"),
      {
        hamlet: ["message", active, "stream/delete"],
        cordelia: [active, "stream/delete"],
        iago: [active, "stream/delete"],
        polonius: ["message", active, "stream/delete"],
      },
      legacy,
    )
    const state = await streamOf(server, "hamlet", "lobby")
    await server.restart()
    t.same(await streamOf(server, "hamlet", "lobby"), state)
    const again = { when: "twice", fields: {}, msg: "Channel is already deactivated" }
    await refuses(t, [again], () => server.as("iago").delete(path(server, "lobby")))
    const noRight = { when: "no right", fields: {}, msg: "You do not have permission to administer this channel." }
    await refuses(t, [noRight], () => server.as("cordelia").delete(path(server, "lobby")))
    await refuses(t, [{ ...noRight, msg: "Invalid channel ID" }], () =>
      server.as("cordelia").delete(path(server, "den")),
    )
    const unfit = {
      when: "archived",
      fields: { is_default_stream: true },
      msg: "Archived channels cannot be made default.",
    }
    await refuses(t, [unfit], (fields) => server.as("iago").patch(path(server, "lobby"), fields))
    await refuses(
      t,
      [{ ...unfit, fields: { new_name: "FIRST" }, status: 409, code: "CHANNEL_ALREADY_EXISTS", msg: /FIRST/ }],
      (fields) => server.as("iago").patch(path(server, "lobby"), fields),
    )
    t.equal(
      (await server.as("hamlet").post("/messages", { type: "channel", to: "lobby", topic: "x", content: "x" })).status,
      400,
    )
    await hears(t, server, () => change(server, "iago", "first", { is_private: true }), {
      iago: ["stream/update invite_only true"],
      hamlet: ["stream/delete"],
      cordelia: ["stream/delete"],
    })

    const back = () =>
      change(server, "iago", "lobby", { is_archived: false, new_name: "hall", is_default_stream: true })
    const renamed = 'stream/update name "hall"'
    const reader = await server.queue("polonius", legacy)
    await hears(
      t,
      server,
      back,
      {
        hamlet: ["stream/create", "subscription/add", renamed, "default_streams", "message", "message"],
        cordelia: ["stream/create", "subscription/peer_add", renamed, "default_streams"],
        iago: ["stream/create", "subscription/peer_add", renamed, "default_streams"],
        polonius: ["stream/create", "subscription/add", renamed, "message", "message"],
      },
      legacy,
    )
    const subscribers = [server.idOf("hamlet"), server.idOf("polonius")]
    t.match(await reader.rest(), [
      { op: "create", streams: [{ name: "lobby", is_archived: false }] },
      { op: "add", subscriptions: [{ name: "lobby", subscribers, subscriber_count: 2, color: /^#/ }] },
      { property: "name", name: "lobby", value: "hall" },
      { message: { content: /brought this channel back/ } },
      { message: { content: /renamed/ } },
    ])
    t.match(await streamOf(server, "hamlet", "hall"), { stream_id: Number, is_archived: false, subscriber_count: 2 })
    await archive("hall")()
    await hears(t, server, () => change(server, "iago", "hall", { is_archived: false }), {
      hamlet: [updated(false), "message"],
      cordelia: [updated(false)],
      iago: [updated(false)],
      polonius: [updated(false), "message"],
    })
    await server.as("hamlet").send("hall", "again")
  }),
)

t.test("an archived channel comes into sight and goes out of it for clients that know of archived ones", (t) =>
  withServer(t, { channels }, async (server) => {
    await server.as("iago").must.delete(path(server, "den"))
    const { id } = server.realm.realm.findChannelByName("den") ?? {}
    const readers = [await server.queue("cordelia", types), await server.queue("cordelia", legacy)] as const
    const heard = () =>
      Promise.all(readers.map(async (reader) => (await reader.rest()).filter(({ type }) => type === "stream")))
    const giveRole = (role: number) => server.as("desdemona").must.patch(`/users/${server.idOf("cordelia")}`, { role })
    await giveRole(roles.administrator)
    const [known, ...others] = await heard()
    t.match(known, [{ op: "create", streams: [{ stream_id: id, name: "den", is_archived: true }] }])
    t.same(others, [[]])
    await giveRole(roles.member)
    t.match(await heard(), [[{ op: "delete", stream_ids: [id] }], []])
  }),
)

t.test(
  "unarchiving a channel with more subscribers than one commit takes",
  inTurn(2, "large unarchived channels"),
  (t) =>
    withServer(t, {}, async (server) => {
      const count = 1207
      const ids = "generate_series(8, $1::integer) as each"
      await server.rows(
        `insert into account (realm_id, id, email, email_folded, full_name, joined_at)
        select 1, each, 'u' || each || '@test.example', 'u' || each || '@test.example', 'u' || each, 0 from ${ids}`,
        [count],
      )
      await server.rows(`insert into role_span (realm_id, user_id, role, opened) select 1, each, 400, 0 from ${ids}`, [
        count,
      ])
      await server.restart()
      const subscribers = Array.from({ length: count }, (_, index) => index + 1)
      const legacyOf = async (id: number) => {
        const person = server.asEmail(`u${id}@test.example`)
        return new Reader(person, server.port, await person.must.post("/register", legacy))
      }
      const told = async (readers: ReadonlyArray<Reader>, op: string, kinds: ReadonlyArray<string>) => {
        for (const reader of readers) {
          const events = (await reader.rest()).filter(({ type }) => type !== "message")
          const added = events.filter((event) => event["op"] === op)
          t.same([...new Set(events.map((event) => event["op"]))], kinds)
          t.equal(added.length, 1)
          t.match(added, [{ subscriptions: [{ name: "crowd", subscribers }] }])
        }
      }
      const [early, late] = [await legacyOf(8), await legacyOf(count)]
      await server.as("iago").must.post("/channels/create", { name: "crowd", subscribers })
      t.same(Array.from(server.realm.realm.subscribers(channelId(server, "crowd"))), subscribers)
      t.equal((await server.rows("select from unfinished_work")).length, 0)
      await server.as("iago").must.delete(path(server, "crowd"))
      await Promise.all([early.rest(), late.rest()])
      await change(server, "iago", "crowd", { is_archived: false })
      await told([early, late], "add", ["create", "add"])
      const fresh = await Effect.runPromise(
        loadRealm(server.database, server.realmId, { moves: catalog.kinds, parts: catalog.parts }),
      )
      t.same(Array.from(fresh?.subscribers(channelId(server, "crowd")) ?? []), subscribers)
      t.same([...(fresh?.channels ?? [])], [...server.realm.realm.channels], "as it is stored (I12)")
    }),
)

t.test("I13: all changes of channels settle", (t) =>
  withServer(t, { channels }, async (server) => {
    await server.actions.changeRealm({ enable_spectator_access: true })
    const views = clientsOf(["hamlet", "iago", "polonius"]).map(({ name, label, fields }) => ({
      label,
      person: server.as(name),
      port: server.port,
      user: server.idOf(name),
      fields,
    }))
    const cases: ReadonlyArray<readonly [what: string, act: () => Promise<unknown>]> = [
      ["names and descriptions", () => change(server, "iago", "lobby", { new_name: "hall", description: "x" })],
      ["a retention", () => change(server, "desdemona", "hall", { message_retention_days: "unlimited" })],
      ["a topics policy", () => change(server, "iago", "hall", { topics_policy: "allow_empty_topic" })],
      ["who posts", () => change(server, "iago", "hall", { can_send_message_group: { new: 5 } })],
      ["a public channel that turns web-public", () => change(server, "desdemona", "first", { is_web_public: true })],
      [
        "a default channel that turns private",
        () =>
          change(server, "desdemona", "first", { is_web_public: false, is_private: true, is_default_stream: false }),
      ],
      ["an administered channel", () => change(server, "iago", "den", { can_administer_channel_group: { new: 3 } })],
      ["a private channel that turns public", () => change(server, "hamlet", "den", { is_private: false })],
      ["a default channel", () => change(server, "iago", "den", { is_default_stream: true })],
      [
        "an organization that announces new channels",
        () => server.as("iago").must.patch("/realm", { new_stream_announcements_stream_id: channelId(server, "den") }),
      ],
      ["an archived channel", () => server.as("iago").must.delete(path(server, "den"))],
      ["a change of an archived channel", () => change(server, "iago", "den", { new_name: "cave" })],
      ["a channel that comes back", () => change(server, "iago", "cave", { is_archived: false, new_name: "den" })],
    ]
    const settling = new Settling(t, views, agreesWithTables(t, server))
    for (const [what, act] of cases) await settling.after(what, act)
    t.equal(server.realm.realm.settings.new_stream_announcements_stream_id, -1, "no setting names an archived channel")
  }),
)
