/**
 * PATCH /realm: who may change which setting, the events of each change and what follows from it (full members, what
 * visitors may read), that it settles (I13), and that a projection loaded afresh is the same (I12).
 */
import t from "tap"
import { systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { notificationBot } from "../../../../src/chat/ground/realm/system-bots.ts"
import type { ChannelId } from "../../../../src/ids.ts"
import { agreesWithTables, sameAfresh } from "../../../kit/afresh.ts"
import type { Fields } from "../../../kit/client.ts"
import { describeRealm } from "../../../kit/projection.ts"
import type { ReadEvent } from "../../../kit/reader.ts"
import { recordsIn } from "../../../kit/records.ts"
import { refusal } from "../../../kit/rows.ts"
import { settles, type View } from "../../../kit/settles.ts"
import { inTurn } from "../../../kit/share.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "polonius"] },
  { name: "hall", users: ["desdemona"], isWebPublic: true },
  { name: "den", users: ["shiva"], isPrivate: true },
] as const
const day = 24 * 3600 * 1000

/** Without what only says when it came. */
const plainly = (events: ReadonlyArray<ReadEvent>) =>
  events.filter(({ type }) => type !== "heartbeat").map(({ id: _id, ...event }) => event)
const update = (property: string, value: unknown) => ({ type: "realm", op: "update", property, value })
const together = (data: object) => ({ type: "realm", op: "update_dict", property: "default", data })

const channelId = (server: TestServer, name: string): ChannelId => {
  const channel = server.realm.realm.findChannelByName(name)
  if (channel === undefined) throw new Error(`there is no channel ${name}`)
  return channel.id
}

/** Everything that events about the organization change, but what the requester may create. */
const viewsOf = (server: TestServer, names: ReadonlyArray<Name>): ReadonlyArray<View> =>
  names.flatMap((name) =>
    [{}, { client_capabilities: { archived_channels: true, include_deactivated_groups: true } }].map((fields) => ({
      label: `${name} ${JSON.stringify(fields)}`,
      person: server.as(name),
      port: server.port,
      user: server.idOf(name),
      fields: {
        fetch_event_types: ["realm", "realm_user_groups", "stream", "subscription"],
        include_subscribers: true,
        ...fields,
      },
    })),
  )

t.test("each setting is told to everybody under its name in register", (t) =>
  withServer(t, { channels }, async (server) => {
    const owner = server.as("desdemona")
    t.match(
      await server.as("iago").patch("/realm", { authentication_methods: { Email: true } }),
      { status: 400, body: { code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization owner" } },
      "administrators may not switch ways to sign in",
    )
    const queue = await server.queue("polonius")
    const change = async (fields: Fields, ...events: ReadonlyArray<object>) => {
      t.match(await owner.patch("/realm", fields), { status: 200 }, JSON.stringify(fields))
      t.same(plainly(await queue.rest()), events, JSON.stringify(fields))
    }
    const [lobby, den] = [channelId(server, "lobby"), channelId(server, "den")]
    await change({ name: " Elsinore " }, update("name", "Elsinore"))
    await change({ name: "Elsinore" })
    await change({})
    await change(
      { description: "a\n*b*" },
      together({ description: "a\n*b*", rendered_description: "<p>a<br>\n<em>b</em></p>" }),
    )
    await change(
      { topics_policy: "disable_empty_topic", new_stream_announcements_stream_id: lobby },
      together({ topics_policy: "disable_empty_topic", mandatory_topics: true }),
      update("new_stream_announcements_stream_id", lobby),
    )
    await change({ mandatory_topics: true, topics_policy: '"disable_empty_topic"' })
    await change({ mandatory_topics: false }, together({ topics_policy: "allow_empty_topic", mandatory_topics: false }))
    await change({ moderation_request_channel_id: den }, update("moderation_request_channel_id", den))
    await change({ moderation_request_channel_id: den })
    await change({ moderation_request_channel_id: -1 }, update("moderation_request_channel_id", -1))
    await change({ name_changes_disabled: true }, update("name_changes_disabled", true))
    await change({ require_unique_names: true }, update("require_unique_names", true))
    await change({ enable_spectator_access: true }, update("enable_spectator_access", true))
    await change({ default_code_block_language: "python" }, update("default_code_block_language", "python"))
    const { rendered } = await server.as("desdemona").must.post("/messages/render", { content: "```\nx = 1\n```" })
    t.match(rendered, /data-code-language="Python"/, "code blocks that name no language have this one")
    await change({ default_code_block_language: "" }, update("default_code_block_language", ""))
    await change({ inline_image_preview: false }, update("inline_image_preview", false))
    await change({ inline_url_embed_preview: false }, update("inline_url_embed_preview", false))
    await change({ inline_url_embed_preview: true }, update("inline_url_embed_preview", true))
    await change({ message_retention_days: "unlimited" })
    await change({ message_retention_days: "30" }, update("message_retention_days", 30))
    await change({ message_retention_days: "unlimited" }, update("message_retention_days", -1))
    await change(
      { can_create_public_channel_group: { new: systemGroups["role:moderators"], old: systemGroups["role:members"] } },
      together({ can_create_public_channel_group: systemGroups["role:moderators"] }),
      update("create_public_stream_policy", 4),
    )
    await change(
      { can_mention_many_users_group: { new: systemGroups["role:everyone"] } },
      together({ can_mention_many_users_group: systemGroups["role:everyone"] }),
      update("wildcard_mention_policy", 1),
    )
    for (const permission of [
      "can_create_bots_group",
      "can_create_write_only_bots_group",
      "can_manage_billing_group",
      "can_summarize_topics_group",
    ]) {
      const value = systemGroups["role:moderators"]
      await change({ [permission]: { new: value } }, together({ [permission]: value }))
    }
    const people = { direct_members: [server.idOf("hamlet"), server.idOf("shiva")].sort(), direct_subgroups: [] }
    await change(
      { can_create_groups: { new: { direct_members: [...people.direct_members].reverse(), direct_subgroups: [] } } },
      together({ can_create_groups: people }),
    )
    await change({ can_create_groups: { new: people, old: people } })
    await sameAfresh(t, server, "after all of them")
    const before = describeRealm(server.realm.realm)
    await server.restart()
    t.same(describeRealm(server.realm.realm), before, "after a restart")
    t.match(await server.as("hamlet").must.post("/register", { fetch_event_types: ["realm"] }), {
      realm_name: "Elsinore",
      realm_create_public_stream_policy: 4,
      realm_wildcard_mention_policy: 1,
      realm_can_create_groups: people,
    })
  }),
)

t.test("a refused request changes nothing", inTurn(2, "a refused request changes nothing"), (t) =>
  withServer(t, { channels, config: { webPublicChannels: false } }, async (server) => {
    const [owner, admin] = [server.as("desdemona"), server.as("iago")]
    const queue = await server.queue("hamlet")
    const owners = refusal("Must be an organization owner", "UNAUTHORIZED_PRINCIPAL")
    const admins = refusal("Must be an organization administrator", "UNAUTHORIZED_PRINCIPAL")
    for (const name of ["shiva", "hamlet", "polonius"] as const)
      t.match(await server.as(name).patch("/realm", { name: "Mine" }), admins, name)
    t.match(await admin.patch("/realm", { name: "Mine", message_retention_days: 3 }), owners)
    const system = (setting: string) => ({ [setting]: { new: systemGroups["role:everyone"] } })
    const rows: ReadonlyArray<readonly [Fields, ReturnType<typeof refusal>]> = [
      [{ name: " " }, refusal("name cannot be blank")],
      [{ name: "\u200B" }, refusal("name cannot be blank")],
      [{ name: "x".repeat(41) }, refusal("name is too long (limit: 40 characters)")],
      [{ name: "a\u0007" }, refusal(/^Invalid name/)],
      [{ description: "x".repeat(1001) }, refusal("description is too long (limit: 1000 characters)")],
      [{ waiting_period_threshold: -1 }, refusal("waiting_period_threshold is too small")],
      [{ topics_policy: "inherit" }, refusal("Invalid topics_policy")],
      [
        { topics_policy: "allow_empty_topic", mandatory_topics: true },
        refusal(/Can't decide between/, "REQUEST_CONFUSING_VAR"),
      ],
      [{ default_code_block_language: "klingon" }, refusal("Invalid default_code_block_language")],
      [{ message_retention_days: 0 }, refusal("Bad value for 'message_retention_days': 0", "REQUEST_VARIABLE_INVALID")],
      [
        { message_retention_days: "realm_default" },
        refusal("Bad value for 'message_retention_days': realm_default", "REQUEST_VARIABLE_INVALID"),
      ],
      [{ enable_spectator_access: true }, refusal("Web-public channels are not enabled.")],
      [{ new_stream_announcements_stream_id: 4711 }, refusal("Invalid channel ID")],
      [{ new_stream_announcements_stream_id: 0 }, refusal("Invalid channel ID")],
      [
        { moderation_request_channel_id: channelId(server, "lobby") },
        refusal("Moderation request channel must be private."),
      ],
      [
        { can_create_groups: { new: 4, old: 5 } },
        refusal(/does not match/, "EXPECTATION_MISMATCH", 400, { field_name: "old" }),
      ],
      [{ can_create_groups: { new: 4711 } }, refusal("Invalid user group")],
      [
        { can_create_groups: { new: { direct_members: [4711], direct_subgroups: [] } } },
        refusal("Invalid user ID: 4711"),
      ],
      [system("can_create_groups"), refusal("'can_create_groups' setting cannot be set to 'role:everyone' group.")],
      [
        { can_manage_all_groups: { new: systemGroups["role:nobody"] } },
        refusal("'can_manage_all_groups' setting cannot be set to 'role:nobody' group."),
      ],
      [{ invite_required: false }, refusal("The setting 'invite_required' cannot be changed yet")],
      [{ message_content_edit_limit_seconds: 0 }, refusal("Invalid message_content_edit_limit_seconds")],
      [{ message_edit_history_visibility_policy: "some" }, refusal("Invalid message_edit_history_visibility_policy")],
      [
        { message_edit_history_visibility_policy: "moves", allow_edit_history: true },
        refusal(
          "Can't decide between 'message_edit_history_visibility_policy' and 'allow_edit_history' arguments",
          "REQUEST_CONFUSING_VAR",
        ),
      ],
      [
        system("can_create_bots_group"),
        refusal("'can_create_bots_group' setting cannot be set to 'role:everyone' group."),
      ],
    ]
    for (const [fields, want] of rows) {
      t.match(
        await owner.patch("/realm", { ...fields, can_add_subscribers_group: { new: 5 } }),
        want,
        JSON.stringify(fields),
      )
    }
    await owner.must.patch("/realm", {
      default_language: "en",
      invite_required: true,
      authentication_methods: { Email: true },
      can_create_bots_group: { new: systemGroups["role:members"], old: systemGroups["role:members"] },
    })
    t.same(plainly(await queue.rest()), [], "nobody was told anything")
    const { body } = await server.anonymous("GET", "/server_settings")
    t.equal(body["realm_web_public_access_enabled"], false)
    t.match(await owner.must.post("/register", { fetch_event_types: ["realm"] }), {
      server_web_public_streams_enabled: false,
    })
  }),
)

t.test(
  "another waiting period changes who is a full member, and the channels that full members see",
  inTurn(2, "waiting periods"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      const den = channelId(server, "den")
      await server.rows(
        "update channel set permissions = permissions || jsonb_build_object('can_subscribe_group', $1::integer) where id = $2",
        [systemGroups["role:fullmembers"], den],
      )
      await server.restart()
      const owner = server.as("desdemona")
      const views = viewsOf(server, ["desdemona", "iago", "hamlet", "polonius"])
      const check = agreesWithTables(t, server)
      const setPeriod = (days: number) => owner.must.patch("/realm", { waiting_period_threshold: days })
      const streams = async (name: Name) =>
        recordsIn((await server.as(name).must.post("/register", { fetch_event_types: ["stream"] }))["streams"]).map(
          ({ name }) => name,
        )
      t.ok((await streams("hamlet")).includes("den"), "full members know of it")
      t.ok(
        (await settles(t, views, "a longer period", () => setPeriod(3), check)).has("stream/delete"),
        "it is gone for those who must wait",
      )
      t.notOk((await streams("hamlet")).includes("den"))
      const queue = await server.queue("hamlet", { event_types: ["stream", "subscription", "message"] })
      await owner.must.patch("/realm", { waiting_period_threshold: 4 })
      await server.as("shiva").send("den", "not for them")
      t.same(plainly(await queue.rest()), [], "nobody turned, and nothing of it comes")
      const kinds = await settles(t, views, "a shorter period", () => setPeriod(0), check)
      for (const kind of ["stream/create", "subscription/peer_add", "user_group/add_members"])
        t.ok(kinds.has(kind), kind)
      server.clock.advance(2 * day)
      await settles(t, views, "a period that they have waited", () => setPeriod(1), check)
      t.ok((await streams("hamlet")).includes("den"))
      await sameAfresh(t, server, "after waiting")
    }),
)

t.test("if too many members become full members, their queues end instead", inTurn(2, "too many full members"), (t) =>
  withServer(t, { channels }, async (server) => {
    await server.rows(
      `insert into channel (realm_id, id, name, name_folded, created_at, is_private, history_shared, permissions)
       select realm_id, 10 + n, 'cell ' || n, 'cell ' || n, created_at, true, false,
              permissions || jsonb_build_object('can_subscribe_group', $1::integer)
         from channel, generate_series(1, 501) n where id = 1`,
      [systemGroups["role:fullmembers"]],
    )
    await server.restart()
    const [member, guest] = [await server.queue("hamlet"), await server.queue("polonius")]
    await server.as("iago").must.patch("/realm", { waiting_period_threshold: 3 })
    const answer = await server.as("hamlet").get("/events", { queue_id: member.queueId, last_event_id: member.lastId })
    t.match(answer, refusal(/^Bad event queue ID/, "BAD_EVENT_QUEUE_ID"))
    t.same(
      plainly(await guest.rest()).map(({ type }) => type),
      ["realm", "user_group"],
      "a guest sees nothing come or go",
    )
  }),
)

t.test(
  "visitors read web-public channels while both the server and the organization allow it",
  inTurn(2, "visitors read web-public channels while both the server and the organization allow it"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      const owner = server.as("desdemona")
      const visit = () =>
        server.anonymous("POST", "/register", { fetch_event_types: ["stream"], client_gravatar: false })
      const mayOpen = async () =>
        (await owner.must.post("/register", { fetch_event_types: ["realm_user"] }))["can_create_web_public_streams"]
      t.equal((await visit()).status, 401)
      t.equal(await mayOpen(), false)
      await owner.must.patch("/realm", { enable_spectator_access: true })
      t.equal(await mayOpen(), true)
      const { body } = await visit()
      t.same(
        recordsIn(body["streams"]).map(({ name }) => name),
        ["hall"],
      )
      await owner.must.patch("/realm", { can_create_web_public_channel_group: { new: systemGroups["role:nobody"] } })
      t.equal(await mayOpen(), false)
      await owner.must.patch("/realm", { enable_spectator_access: false })
      t.equal((await visit()).status, 401)
      t.match(
        await owner.must.get(`/streams/${channelId(server, "hall")}`),
        { stream: { is_web_public: true } },
        "the channel stays what it is",
      )
    }),
)

t.test("I13: state and events make the state", inTurn(2, "I13: state and events make the state"), (t) =>
  withServer(t, { channels }, async (server) => {
    const views = viewsOf(server, ["desdemona", "iago", "hamlet", "polonius"])
    const all = {
      name: "Elsinore",
      description: "cold",
      topics_policy: "disable_empty_topic",
      enable_spectator_access: true,
      new_stream_announcements_stream_id: channelId(server, "lobby"),
      can_add_subscribers_group: { new: { direct_members: [4], direct_subgroups: [5] } },
      can_create_private_channel_group: { new: systemGroups["role:administrators"] },
      can_create_web_public_channel_group: { new: systemGroups["role:nobody"] },
      can_manage_all_groups: { new: systemGroups["role:moderators"] },
      direct_message_permission_group: { new: systemGroups["role:nobody"] },
    }
    const kinds = await settles(
      t,
      views,
      "many settings at once",
      () => server.as("desdemona").must.patch("/realm", all),
      agreesWithTables(t, server),
    )
    t.ok(kinds.has("realm/update") && kinds.has("realm/update_dict"))
    // Register writes this section once for many: it must be written anew for who is deactivated, too.
    const named = async () =>
      (await server.as("iago").must.post("/register", { fetch_event_types: ["realm"] }))[
        "realm_can_add_subscribers_group"
      ]
    t.same(await named(), { direct_members: [4], direct_subgroups: [5] })
    const fourth = [...server.realm.realm.users.values()].find(({ id }) => id === 4)
    await server.as("desdemona").must.delete(`/users/${fourth?.id}`)
    t.equal(await named(), 5)
    await sameAfresh(t, server, "after all of them")
  }),
)

t.test(
  "the server's own bot can be read like a user, and nobody can change it",
  inTurn(2, "the server's own bot can be read like a user, and nobody can change it"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      const { id, email } = notificationBot(server.realm.realm)
      const [owner, member] = [server.as("desdemona"), server.as("hamlet")]
      const record = { user: { user_id: id, full_name: "Notification Bot", is_bot: true, is_active: true } }
      for (const named of [id, encodeURIComponent(email)]) t.match(await member.must.get(`/users/${named}`), record)
      const { members } = await member.must.get("/users")
      t.notOk(
        recordsIn(members).some(({ user_id }) => user_id === id),
        "it is in no list of people",
      )
      const none = refusal("No such user")
      t.match(await owner.patch(`/users/${id}`, { role: 200 }), none)
      t.match(await owner.delete(`/users/${id}`), none)
      t.match(await owner.post(`/users/${id}/reactivate`), none)
      t.match(await member.get(`/users/${id}/subscriptions/${channelId(server, "lobby")}`), { status: 400 })
      const principals = { subscriptions: [{ name: "lobby" }], principals: [id] }
      t.match(await owner.post("/users/me/subscriptions", principals), { status: 400 })
      t.match(await member.post("/typing", { op: "start", to: [id] }), { status: 200 })
      for (const sender of [id, email])
        t.match(
          await member.get("/messages", {
            anchor: "newest",
            num_before: 5,
            num_after: 0,
            narrow: [{ operator: "sender", operand: sender }],
          }),
          { status: 200, body: { messages: [] } },
        )
    }),
)

t.test(
  "a permission that is given to nobody while its holder is deactivated stays nobody's",
  inTurn(2, "a permission that is given to nobody while its holder is deactivated stays nobody's"),
  (t) =>
    withServer(t, {}, async (server) => {
      // The shown value was nobody already, so nothing was stored: the holder came back with the permission.
      const owner = server.as("desdemona")
      const othello = server.idOf("othello")
      const holder = { direct_members: [othello], direct_subgroups: [] }
      await owner.must.patch("/realm", { can_create_groups: { new: holder } })
      await owner.must.delete(`/users/${othello}`)
      const nobody = systemGroups["role:nobody"]
      await owner.must.patch("/realm", { can_create_groups: { new: nobody, old: nobody } })
      await owner.must.post(`/users/${othello}/reactivate`)
      const answer = await server
        .as("othello")
        .post("/user_groups/create", { name: "makers", description: "", members: [] })
      t.match(answer.body, { code: "BAD_REQUEST", msg: "Insufficient permission" })
    }),
)
