/** POST /channels/create: every parameter, the events and their order, and every refusal. */
import t from "tap"
import { systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { agreesWithTables } from "../../../kit/afresh.ts"
import type { Fields } from "../../../kit/client.ts"
import { pluck, recordsIn } from "../../../kit/records.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { kindsOfClients, settles } from "../../../kit/settles.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "polonius"] },
  { name: "board", users: ["hamlet", "iago"] },
] as const

const create = (server: TestServer, by: Name, fields: Fields) =>
  server.as(by).post("/channels/create", { subscribers: [], ...fields })
const mustCreate = async (server: TestServer, by: Name, fields: Fields): Promise<number> =>
  Number((await server.as(by).must.post("/channels/create", { subscribers: [], ...fields }))["id"])

const streamOf = async (server: TestServer, by: Name, id: number): Promise<Fields> =>
  recordsIn([(await server.as(by).must.get(`/streams/${id}`))["stream"]])[0] ?? {}
const channelId = (server: TestServer, name: string) => server.realm.realm.findChannelByName(name)?.id ?? 0

/** Archived where a test says so. */
const gone = [
  { name: "square", users: ["cordelia"] },
  { name: "crypt", users: ["cordelia"], isPrivate: true },
] as const

const types = { event_types: ["stream", "subscription", "default_streams", "message"] }
const kindsIn = (events: ReadonlyArray<Fields>) =>
  events.map(({ type, op }) => (op === undefined ? type : `${type}/${op}`))

t.test("a channel with every parameter set", (t) =>
  withServer(t, { channels }, async (server) => {
    const id = (name: Name) => server.idOf(name)
    const folder = (await server.as("iago").must.post("/channel_folders/create", { name: "Work", description: "" }))[
      "channel_folder_id"
    ]
    const holders = { direct_members: [id("shiva"), id("hamlet")], direct_subgroups: [5] }
    const made = await mustCreate(server, "desdemona", {
      name: "  Castle ",
      description: "one\n two ",
      subscribers: [id("cordelia"), id("polonius"), id("cordelia")],
      invite_only: true,
      history_public_to_subscribers: true,
      folder_id: folder,
      topics_policy: "empty_topic_only",
      message_retention_days: "unlimited",
      can_add_subscribers_group: holders,
      can_administer_channel_group: { direct_members: [], direct_subgroups: [6] },
      can_delete_any_message_group: 6,
      can_delete_own_message_group: 2,
      can_move_messages_out_of_channel_group: 5,
      can_move_messages_within_channel_group: 3,
      can_remove_subscribers_group: { direct_members: [], direct_subgroups: [] },
      can_resolve_topics_group: 2,
      can_send_message_group: 5,
      can_subscribe_group: 8,
    })
    t.match(await streamOf(server, "cordelia", made), {
      name: "Castle",
      description: "one two",
      rendered_description: "<p>one two</p>",
      creator_id: id("desdemona"),
      invite_only: true,
      is_web_public: false,
      history_public_to_subscribers: true,
      is_archived: false,
      folder_id: folder,
      topics_policy: "empty_topic_only",
      message_retention_days: -1,
      subscriber_count: 2,
      can_add_subscribers_group: {
        direct_members: [id("hamlet"), id("shiva")].sort((a, b) => a - b),
        direct_subgroups: [5],
      },
      can_administer_channel_group: 6,
      can_delete_any_message_group: 6,
      can_delete_own_message_group: 2,
      can_move_messages_out_of_channel_group: 5,
      can_move_messages_within_channel_group: 3,
      can_remove_subscribers_group: 8,
      can_resolve_topics_group: 2,
      can_send_message_group: 5,
      can_subscribe_group: 8,
      stream_post_policy: 4,
    })
    const before = await streamOf(server, "cordelia", made)
    await server.restart()
    t.same(await streamOf(server, "cordelia", made), before, "and so it is stored")
    const { messages } = await server.as("cordelia").must.get("/messages", {
      anchor: "newest",
      num_before: 5,
      num_after: 0,
      allow_empty_topic_name: true,
      apply_markdown: false,
    })
    t.match(
      recordsIn(messages).filter(({ stream_id }) => stream_id === made),
      [
        {
          subject: "",
          sender_email: "notification-bot@test.example",
          content: `**Private, shared history** channel created by @_**desdemona|${id("desdemona")}**. **Description:**\n\`\`\` quote\none two\n\`\`\``,
        },
      ],
    )

    const plain = await mustCreate(server, "hamlet", { name: "plain" })
    t.match(await streamOf(server, "hamlet", plain), {
      description: "",
      history_public_to_subscribers: true,
      message_retention_days: null,
      folder_id: null,
      topics_policy: "inherit",
      subscriber_count: 0,
      can_administer_channel_group: { direct_members: [id("hamlet")], direct_subgroups: [] },
      can_add_subscribers_group: 8,
      can_remove_subscribers_group: 6,
      can_send_message_group: 2,
    })
    const cave = await mustCreate(server, "hamlet", { name: "cave", invite_only: true })
    t.match(await streamOf(server, "hamlet", cave), { invite_only: true, history_public_to_subscribers: false })
  }),
)

t.test("the events about a new channel, their receivers and their order", (t) =>
  withServer(t, { channels }, async (server) => {
    const board = channelId(server, "board")
    await server.actions.changeRealm({ enable_spectator_access: true, new_stream_announcements_stream_id: board })
    const heard = async (
      by: Name,
      fields: Fields,
      expected: Readonly<Partial<Record<Name, ReadonlyArray<string>>>>,
    ) => {
      const readers = await Promise.all(
        (["cordelia", "hamlet", "iago", "polonius"] as const).map(
          async (name) => [name, await server.queue(name, types)] as const,
        ),
      )
      const made = await mustCreate(server, by, fields)
      for (const [name, reader] of readers)
        t.same(kindsIn(await reader.rest()), expected[name] ?? [], `${name} of ${fields["name"]}`)
      return made
    }
    const subscriber = ["stream/create", "subscription/add"]
    const other = ["stream/create", "subscription/peer_add"]
    const told = ["message", "stream/update"]
    const subscribers = [server.idOf("cordelia"), server.idOf("polonius")]
    await heard(
      "iago",
      { name: "public", subscribers, is_default_stream: true },
      {
        cordelia: [...subscriber, "default_streams", ...told],
        polonius: [...subscriber, ...told],
        hamlet: [...other, "default_streams", "stream/update"],
        iago: [...other, "default_streams", "stream/update"],
      },
    )
    await heard(
      "hamlet",
      { name: "private", subscribers, invite_only: true, announce: true },
      {
        cordelia: [...subscriber, ...told],
        polonius: [...subscriber, ...told],
        iago: [...other, "stream/update"],
        // Nobody but its maker's permission lets them know of it.
        hamlet: [...other, "stream/update"],
      },
    )
    await heard(
      "desdemona",
      { name: "open", is_web_public: true, announce: true },
      {
        cordelia: ["stream/create", "stream/update", "stream/update"],
        polonius: ["stream/create", "stream/update"],
        // The board's first message. What messages change of their channels follows all messages of a commit.
        hamlet: ["stream/create", ...told, "stream/update"],
        iago: ["stream/create", ...told, "stream/update"],
      },
    )
    const { messages } = await server
      .as("hamlet")
      .must.get("/messages", { anchor: "newest", num_before: 1, num_after: 0, apply_markdown: false })
    t.match(messages, [
      {
        stream_id: board,
        subject: "new channels",
        sender_full_name: "Notification Bot",
        content: `@_**desdemona|${server.idOf("desdemona")}** created a new channel #**open**.`,
      },
    ])
  }),
)

t.test("a refused request makes no channel", (t) =>
  withServer(t, { channels: [...channels, ...gone] }, async (server) => {
    for (const { name } of gone) await server.as("desdemona").must.delete(`/streams/${channelId(server, name)}`)
    const id = (name: Name) => server.idOf(name)
    await server.as("desdemona").must.delete(`/users/${id("othello")}`)
    const before = server.realm.realm.position
    const insufficient = "Insufficient permission"
    const byHamlet: ReadonlyArray<Refusal> = [
      { when: "no name", fields: {}, code: "REQUEST_VARIABLE_MISSING", msg: "Missing 'name' argument" },
      { when: "an empty name", fields: { name: " " }, msg: "Channel name can't be empty." },
      { when: "a long one", fields: { name: "x".repeat(61) }, msg: "Channel name too long (limit: 60 characters)." },
      { when: "a bad one", fields: { name: "a\u0007" }, msg: "Invalid character in channel name, at position 2." },
      { when: "a long description", fields: { name: "a", description: "x".repeat(1025) }, msg: /too long/ },
      {
        when: "a name that is taken",
        fields: { name: "LOBBY" },
        status: 409,
        code: "CHANNEL_ALREADY_EXISTS",
        msg: "Channel 'LOBBY' already exists",
        also: { channel_name: "LOBBY" },
      },
      ...(["SQUARE", "crypt"] as const).map((name) => ({
        when: `the name of an archived channel, ${name}`,
        fields: { name },
        status: 409,
        code: "CHANNEL_ALREADY_EXISTS",
        // Of a channel that the requester may not know of not even that is told.
        msg:
          name === "crypt"
            ? "Channel 'crypt' already exists"
            : "An archived channel has the name 'SQUARE': take another one, or bring that channel back.",
        also: { channel_name: name },
      })),
      { when: "a stranger", fields: { name: "a", subscribers: [4711] }, msg: "No such user" },
      { when: "one who has left", fields: { name: "a", subscribers: [id("othello")] }, msg: "User is deactivated" },
      { when: "names of people", fields: { name: "a", subscribers: ["x"] }, msg: "subscribers[0] is not an integer" },
      {
        when: "public, with a hidden history",
        fields: { name: "a", history_public_to_subscribers: false },
        msg: "Invalid parameters",
      },
      {
        when: "web-public and private",
        fields: { name: "a", invite_only: true, is_web_public: true },
        msg: "Invalid parameters",
      },
      { when: "web-public", fields: { name: "a", is_web_public: true }, msg: "Web-public channels are not enabled." },
      {
        when: "default, by a member",
        fields: { name: "a", is_default_stream: true },
        msg: "You do not have permission to change default channels.",
      },
      { when: "in a folder that is none", fields: { name: "a", folder_id: 4711 }, msg: "Invalid channel folder ID" },
      { when: "no policy", fields: { name: "a", topics_policy: "x" }, msg: "Invalid topics_policy" },
      {
        when: "no number",
        fields: { name: "a", message_retention_days: 0 },
        code: "REQUEST_VARIABLE_INVALID",
        msg: "Bad value for 'message_retention_days': 0",
      },
      {
        when: "a time of its own, by a member",
        fields: { name: "a", message_retention_days: 7 },
        code: "UNAUTHORIZED_PRINCIPAL",
        msg: "Must be an organization owner",
      },
      { when: "deletion, by a member", fields: { name: "a", can_delete_any_message_group: 3 }, msg: insufficient },
      { when: "a group that is none", fields: { name: "a", can_subscribe_group: 4711 }, msg: "Invalid user group" },
      {
        when: "a group it does not take",
        fields: { name: "a", can_subscribe_group: 2 },
        msg: "'can_subscribe_group' setting cannot be set to 'role:everyone' group.",
      },
      {
        when: "a holder who has left",
        fields: { name: "a", can_send_message_group: { direct_members: [id("othello")], direct_subgroups: [] } },
        msg: `Invalid user ID: ${id("othello")}`,
      },
    ]
    const asking = (by: Name) => (fields: Fields) => create(server, by, fields)
    await refuses(t, byHamlet, asking("hamlet"))
    await refuses(
      t,
      [{ when: "a guest", fields: { name: "a" }, msg: "Not allowed for guest users" }],
      asking("polonius"),
    )
    const privateDefault = { name: "a", invite_only: true, is_default_stream: true }
    await refuses(
      t,
      [{ when: "private and default", fields: privateDefault, msg: "A default channel cannot be private." }],
      asking("iago"),
    )
    t.equal(server.realm.realm.position, before, "nothing was written")

    await server.actions.changeRealm({
      can_create_public_channel_group: systemGroups["role:moderators"],
      can_create_private_channel_group: systemGroups["role:administrators"],
      can_add_subscribers_group: systemGroups["role:moderators"],
      can_set_topics_policy_group: systemGroups["role:moderators"],
      enable_spectator_access: true,
    })
    const others = [id("cordelia")]
    const notTheirs = (fields: Fields): Refusal => ({ when: JSON.stringify(fields), fields, msg: insufficient })
    await refuses(t, [notTheirs({ name: "a" }), notTheirs({ name: "a", invite_only: true })], asking("hamlet"))
    await refuses(
      t,
      [notTheirs({ name: "a", invite_only: true }), notTheirs({ name: "a", is_web_public: true })],
      asking("shiva"),
    )
    await server.actions.changeRealm({ can_create_public_channel_group: systemGroups["role:members"] })
    const nobodyAdds = { can_administer_channel_group: 8, subscribers: others }
    await refuses(
      t,
      [notTheirs({ name: "a", ...nobodyAdds }), notTheirs({ name: "a", topics_policy: "allow_empty_topic" })],
      asking("hamlet"),
    )
    const given = [
      await create(server, "hamlet", { name: "by its administrator", subscribers: others }),
      await create(server, "hamlet", { name: "adders", ...nobodyAdds, can_add_subscribers_group: 3 }),
      await create(server, "hamlet", { name: "oneself", ...nobodyAdds, subscribers: [id("hamlet")] }),
      await create(server, "shiva", { name: "by the organization", ...nobodyAdds }),
    ]
    t.same(pluck(given, "status"), [200, 200, 200, 200])
  }),
)

t.test("a description full of spaces does not stop the server", (t) =>
  withServer(t, { channels }, async (server) => {
    // A pattern around line breaks was tried at each of a million spaces: 20 minutes, for any guest.
    const description = `${" ".repeat(900_000)}x`
    const wish = { subscriptions: [{ name: "new", description }] }
    t.match(await server.as("polonius").post("/users/me/subscriptions", wish), { status: 400 })
  }),
)

t.test("a user who may not create channels does not learn which hidden names are taken", (t) =>
  withServer(t, { channels: [{ name: "crypt", users: ["othello"], isPrivate: true }] }, async (server) => {
    // A name that was taken was refused otherwise than one that was free.
    const nobody = { new: systemGroups["role:nobody"] }
    await server.as("desdemona").must.patch("/realm", { can_create_public_channel_group: nobody })
    const hamlet = server.as("hamlet")
    for (const name of ["crypt", "nowhere"]) {
      const subscriptions = [{ name }]
      const answers = [
        await hamlet.post("/users/me/subscriptions", { subscriptions }),
        await hamlet.post("/users/me/subscriptions", { subscriptions, authorization_errors_fatal: false }),
        await hamlet.patch("/users/me/subscriptions", { add: subscriptions }),
        await create(server, "hamlet", { name }),
      ]
      for (const { body } of answers) t.match(body, { code: "BAD_REQUEST", msg: "Insufficient permission" }, name)
    }
  }),
)

t.test("a server without web-public channels", (t) =>
  withServer(t, { channels, config: { webPublicChannels: false } }, async (server) => {
    await server.actions.changeRealm({ enable_spectator_access: true })
    const fields = { name: "a", is_web_public: true }
    await refuses(t, [{ when: "web-public", fields, msg: "Web-public channels are not enabled." }], (asked) =>
      create(server, "desdemona", asked),
    )
  }),
)

t.test("new channels settle", (t) =>
  withServer(t, { channels }, async (server) => {
    await server.actions.changeRealm({ enable_spectator_access: true })
    const views = (["hamlet", "iago", "polonius"] as const).flatMap((name) =>
      kindsOfClients.map(([label, fields]) => ({
        label: `${name} as ${label}`,
        person: server.as(name),
        port: server.port,
        user: server.idOf(name),
        fields,
      })),
    )
    const subscribers = [server.idOf("hamlet"), server.idOf("polonius")]
    await settles(
      t,
      views,
      "channels of every kind",
      async () => {
        await mustCreate(server, "iago", { name: "public", subscribers, is_default_stream: true })
        await mustCreate(server, "desdemona", { name: "open", is_web_public: true, can_send_message_group: 5 })
        await mustCreate(server, "cordelia", { name: "private", subscribers, invite_only: true })
        await mustCreate(server, "cordelia", { name: "hidden", invite_only: true, can_subscribe_group: 3 })
        await mustCreate(server, "cordelia", { name: "vault", invite_only: true })
      },
      agreesWithTables(t, server),
    )
  }),
)

t.test("nobody gets a direct message about a channel that is made with them, whether it is asked for or not", (t) =>
  withServer(t, { channels }, async (server) => {
    const queue = await server.queue("cordelia", { event_types: ["message"] })
    for (const wanted of [true, false]) {
      const fields = { name: `made ${wanted}`, subscribers: [server.idOf("cordelia")] }
      const answer = await server
        .as("iago")
        .must.post("/channels/create", { ...fields, send_new_subscription_messages: wanted })
      t.notOk("ignored_parameters_unsupported" in answer)
    }
    const told = recordsIn(pluck(recordsIn(await queue.rest()), "message"))
    t.same(pluck(told, "type"), ["stream", "stream"])
  }),
)
