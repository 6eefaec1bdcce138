/** PATCH /streams/{stream_id}: every property, its events and receivers, and every refusal. */
import t from "tap"
import { systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { change, channelId, channels, hears, path, streamOf, types } from "../../../kit/channel-scene.ts"
import type { Fields } from "../../../kit/client.ts"
import { recordsIn } from "../../../kit/records.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const contentsOf = async (server: TestServer, count: number) => {
  const { messages } = await server
    .as("hamlet")
    .must.get("/messages", { anchor: "newest", num_before: count, num_after: 0, apply_markdown: false })
  return recordsIn(messages).map(({ subject, content }) => `${subject}: ${content}`)
}

t.test("one request changes every property: one event each, and notices in the channel", (t) =>
  withServer(t, { channels }, async (server) => {
    const id = channelId(server, "lobby")
    const folder = (await server.as("iago").must.post("/channel_folders/create", { name: "Work", description: "" }))[
      "channel_folder_id"
    ]
    const holders = { direct_members: [server.idOf("hamlet")], direct_subgroups: [5] }
    const fields = {
      new_name: " Hall ",
      description: "a\nb",
      history_public_to_subscribers: true,
      is_default_stream: true,
      message_retention_days: "unlimited",
      folder_id: folder,
      topics_policy: "disable_empty_topic",
      can_send_message_group: { new: holders, old: 2 },
      can_subscribe_group: { new: 5 },
      can_resolve_topics_group: { new: 2, old: 8 },
    }
    const reader = await server.queue("hamlet", types)
    await change(server, "desdemona", "lobby", fields)
    const name = "Hall"
    const update = (property: string, value: unknown, more: Fields = {}) => ({
      type: "stream",
      op: "update",
      stream_id: id,
      name,
      property,
      value,
      ...more,
    })
    const all = await reader.rest()
    const events = all.filter(({ type }) => type !== "message").map(({ id: _, ...event }) => event)
    t.same(events, [
      update("name", "Hall", { name: "lobby" }),
      update("description", "a b", { rendered_description: "<p>a b</p>" }),
      update("folder_id", folder),
      update("topics_policy", "disable_empty_topic"),
      update("message_retention_days", -1),
      update("can_resolve_topics_group", 2),
      update("can_send_message_group", holders),
      update("stream_post_policy", 1),
      update("is_announcement_only", false),
      update("can_subscribe_group", 5),
      { type: "default_streams", default_streams: [id, channelId(server, "first")] },
      update("first_message_id", recordsIn([all.find(({ type }) => type === "message")?.["message"]])[0]?.["id"]),
    ])
    const who = `@_**desdemona|${server.idOf("desdemona")}**`
    t.match(await contentsOf(server, 9), [
      `channel events: ${who} renamed channel **lobby** to **Hall**.`,
      /^channel events: .* changed the description .*\*No description\.\*.*a b/s,
      /^channel events: .* changed the posting permissions .*Everyone\n.*Moderators, @_\*\*hamlet\|/s,
      /^channel events: .* changed the topics setting .*Automatic\n.*No \*general chat\* topic/s,
      /^channel events: .* retention period .*as the organization has it\n.*forever/s,
    ])
    const record = await streamOf(server, "hamlet", "Hall")
    t.match(record, { name, folder_id: folder, message_retention_days: -1, can_send_message_group: holders })
    await change(server, "desdemona", "Hall", { new_name: "a** by @_**hamlet|1" })
    const forged = `${who} renamed channel **Hall** to \`a** by @_**hamlet|1\`.`
    t.match((await contentsOf(server, 9)).at(-1), `channel events: ${forged}`, "a name writes no part of the notice")
    await change(server, "desdemona", "a** by @_**hamlet|1", { new_name: "Hall" })
    await server.restart()
    t.same(await streamOf(server, "hamlet", "Hall"), record, "and so it is stored")

    await hears(
      t,
      server,
      () =>
        change(server, "desdemona", "Hall", {
          ...fields,
          new_name: undefined,
          can_send_message_group: { new: holders },
          can_resolve_topics_group: { new: 2 },
        }),
      {},
    )
    await hears(
      t,
      server,
      () => change(server, "iago", "Hall", { folder_id: null, is_default_stream: false, new_name: "hall" }),
      {
        hamlet: ["default_streams", 'stream/update name "hall"', "stream/update folder_id null", "message"],
        cordelia: ["default_streams", 'stream/update name "hall"', "stream/update folder_id null"],
        iago: ["default_streams", 'stream/update name "hall"', "stream/update folder_id null"],
        polonius: ['stream/update name "hall"', "stream/update folder_id null", "message"],
      },
    )
  }),
)

t.test("privacy: users who newly see the channel get it first; users who no longer see it get its deletion only", (t) =>
  withServer(t, { channels }, async (server) => {
    await server.actions.changeRealm({
      enable_spectator_access: true,
      can_create_web_public_channel_group: systemGroups["role:administrators"],
    })
    const shown = ["stream/create", "subscription/peer_add"]
    const set = (by: Name, fields: Fields) => () => change(server, by, "den", fields)
    const invite = (value: boolean) => `stream/update invite_only ${value}`
    const administered = { can_administer_channel_group: { new: 3 } }
    await hears(t, server, set("desdemona", administered), {
      hamlet: ["stream/update can_administer_channel_group 3"],
      cordelia: [...shown, "stream/update can_administer_channel_group 3"],
      iago: ["stream/update can_administer_channel_group 3"],
    })
    await hears(t, server, set("desdemona", { can_administer_channel_group: { new: 8 } }), {
      hamlet: ["stream/update can_administer_channel_group 8"],
      cordelia: ["stream/delete"],
      iago: ["stream/update can_administer_channel_group 8"],
    })
    const content = "Channel content access is required."
    await refuses(
      t,
      [
        { is_private: false },
        { is_private: true },
        { history_public_to_subscribers: true },
        { is_web_public: true },
        { can_add_subscribers_group: { new: 5 } },
        { can_subscribe_group: { new: 5 } },
      ].map((fields) => ({ when: JSON.stringify(fields), fields, msg: content })),
      (fields) => server.as("iago").patch(path(server, "den"), fields),
    )
    await server.as("hamlet").must.post("/users/me/subscriptions", {
      subscriptions: [{ name: "den" }],
      principals: [server.idOf("iago")],
    })
    await hears(t, server, set("iago", { is_private: false, new_name: "Den" }), {
      hamlet: [invite(false), 'stream/update name "Den"', "message", "message"],
      cordelia: [...shown, invite(false), 'stream/update name "Den"'],
      iago: [invite(false), 'stream/update name "Den"', "message", "message"],
    })
    t.match(await streamOf(server, "cordelia", "den"), { invite_only: false, history_public_to_subscribers: true })
    await hears(t, server, set("iago", { is_web_public: true }), {
      hamlet: [invite(false), "message"],
      cordelia: [invite(false)],
      iago: [invite(false), "message"],
      polonius: [...shown, invite(false)],
    })
    await hears(t, server, set("iago", { is_web_public: false, is_private: true }), {
      hamlet: [invite(true), "message"],
      cordelia: ["stream/delete"],
      iago: [invite(true), "message"],
      polonius: ["stream/delete"],
    })
    const reader = await server.queue("hamlet", types)
    await set("iago", { history_public_to_subscribers: true })()
    t.match(await reader.rest(), [
      { property: "invite_only", value: true, is_web_public: false, history_public_to_subscribers: true },
      { type: "message" },
    ])
    const [said] = await contentsOf(server, 1)
    t.match(said, /from \*\*Private, protected history\*\* to \*\*Private, shared history\*\*/)
    await hears(
      t,
      server,
      set("iago", {
        can_subscribe_group: { new: { direct_members: [server.idOf("cordelia")], direct_subgroups: [] } },
      }),
      {
        hamlet: [
          `stream/update can_subscribe_group {"direct_members":[${server.idOf("cordelia")}],"direct_subgroups":[]}`,
        ],
        cordelia: [
          ...shown,
          `stream/update can_subscribe_group {"direct_members":[${server.idOf("cordelia")}],"direct_subgroups":[]}`,
        ],
        iago: [
          `stream/update can_subscribe_group {"direct_members":[${server.idOf("cordelia")}],"direct_subgroups":[]}`,
        ],
      },
    )
    await hears(t, server, () => server.as("hamlet").send("den", "one"), { hamlet: ["message"], iago: ["message"] })
  }),
)

t.test("a refused request changes nothing", (t) =>
  withServer(t, { channels }, async (server) => {
    const before = server.realm.realm.position
    const ask = (by: Name, name: string) => (fields: Fields) => server.as(by).patch(path(server, name), fields)
    const line = (msg: Refusal["msg"], fields: Fields, more: Partial<Refusal> = {}): Refusal => ({
      when: JSON.stringify(fields),
      fields: { description: "would be changed", ...fields },
      msg,
      ...more,
    })
    const noRight = "You do not have permission to administer this channel."
    await refuses(t, [line("Invalid channel ID", {})], ask("cordelia", "den"))
    await refuses(t, [line("Invalid channel ID", {})], (fields) => server.as("iago").patch("/streams/4711", fields))
    await refuses(t, [line(noRight, {})], ask("hamlet", "lobby"))
    await refuses(t, [line(noRight, {})], ask("polonius", "lobby"))
    await refuses(
      t,
      [
        line("Channel already has that name.", { new_name: "lobby" }),
        line("Channel 'DEN' already exists", { new_name: "DEN" }, { status: 409, code: "CHANNEL_ALREADY_EXISTS" }),
        line("Channel name can't be empty.", { new_name: " " }),
        line("Channel name too long (limit: 60 characters).", { new_name: "x".repeat(61) }),
        line(/too long/, { description: "x".repeat(1025) }),
        line("Invalid parameters", { is_private: true, is_web_public: true }),
        line("Invalid parameters", { history_public_to_subscribers: false }),
        line("Invalid parameters", { is_private: false, history_public_to_subscribers: false }),
        line("Invalid parameters", { is_web_public: true, history_public_to_subscribers: false }),
        line("Web-public channels are not enabled.", { is_web_public: true }),
        line("A default channel cannot be private.", { is_private: true, is_default_stream: true }),
        line("Must be an organization owner", { message_retention_days: 5 }, { code: "UNAUTHORIZED_PRINCIPAL" }),
        line(/message_retention_days/, { message_retention_days: "forever" }, { code: "REQUEST_VARIABLE_INVALID" }),
        line("Invalid channel folder ID", { folder_id: 4711 }),
        line("folder_id is not an integer", { folder_id: true }),
        line("Invalid topics_policy", { topics_policy: "x" }),
        line("Channel is not currently deactivated", { is_archived: false }),
        line(/DELETE archives/, { is_archived: true }),
        line(
          "'old' value does not match the expected value.",
          { can_subscribe_group: { new: 5, old: 5 } },
          {
            code: "EXPECTATION_MISMATCH",
            also: { field_name: "old" },
          },
        ),
        line("Invalid user group", { can_subscribe_group: { new: 4711 } }),
        line("Invalid user ID: 4711", {
          can_subscribe_group: { new: { direct_members: [4711], direct_subgroups: [] } },
        }),
        line("'can_subscribe_group' setting cannot be set to 'role:everyone' group.", {
          can_subscribe_group: { new: 2 },
        }),
        line(/is not an integer or a dict/, { can_subscribe_group: { new: "x" } }),
        line('can_subscribe_group["new"] field is missing', { can_subscribe_group: { old: 8 } }),
        line("can_subscribe_group is not a dict", { can_subscribe_group: 5 }),
      ],
      ask("iago", "lobby"),
    )
    await refuses(t, [line("A default channel cannot be private.", { is_private: true })], ask("iago", "first"))
    t.equal(server.realm.realm.position, before, "nothing was written")

    await change(server, "desdemona", "lobby", { can_administer_channel_group: { new: 3 } })
    await change(server, "desdemona", "den", { can_administer_channel_group: { new: 3 } })
    await server.actions.changeRealm({
      can_set_topics_policy_group: systemGroups["role:moderators"],
      can_create_private_channel_group: systemGroups["role:moderators"],
      can_create_public_channel_group: systemGroups["role:moderators"],
      moderation_request_channel_id: channelId(server, "den"),
    })
    const insufficient = "Insufficient permission"
    await refuses(
      t,
      [
        line("You do not have permission to change default channels.", { is_default_stream: true }),
        line(insufficient, { topics_policy: "allow_empty_topic" }),
        line(insufficient, { can_delete_own_message_group: { new: 3 } }),
        line(insufficient, { is_private: true }),
      ],
      ask("hamlet", "lobby"),
    )
    await refuses(t, [line(insufficient, { is_private: false })], ask("hamlet", "den"))
    await server.actions.changeRealm({ can_create_public_channel_group: systemGroups["role:members"] })
    await refuses(t, [line("Moderation request channel must be private.", { is_private: false })], ask("hamlet", "den"))
    await change(server, "hamlet", "lobby", { topics_policy: "inherit", description: "changed" })
    t.match(await streamOf(server, "hamlet", "lobby"), { description: "changed" })
    await change(server, "iago", "first", { is_private: true, is_default_stream: false })
    t.match(await streamOf(server, "iago", "first"), { invite_only: true, history_public_to_subscribers: false })
  }),
)

t.test("a channel id beyond the range of ids is refused like an unknown one", (t) =>
  withServer(t, {}, async (server) => {
    const answer = await server.as("iago").patch("/streams/2147483648", { topics_policy: "empty_topic_only" })
    t.match(answer, { status: 400, body: { code: "BAD_REQUEST", msg: "Invalid channel ID" } })
  }),
)
