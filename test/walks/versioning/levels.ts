/** Feature levels, row by row: the changes of each of them. */
import type { Fields } from "../../kit/client.ts"
import { pluck, recordsIn } from "../../kit/records.ts"
import { type Row, refusal, type Scene, send, sent } from "../../kit/rows.ts"
import { change, confusing, create, ignores, lobby, postponed, read, subscribe, success, type } from "./asking.ts"

const hasTopic = (topic: string, options: Fields) => async (scene: Scene) => {
  const { id } = await sent(scene, { topic: "" })
  const { message } = await scene.server.as("hamlet").must.get(`/messages/${String(id)}`, options)
  const listed = await read(scene, { ...options, num_before: 0, anchor: String(id) })
  const answer = await scene.server.as("hamlet").must.get(`/users/me/${lobby(scene)}/topics`, options)
  return {
    message,
    listed: pluck(listed, "subject"),
    topics: pluck(answer["topics"], "name").includes(topic),
  }
}
const isTold = (able: boolean) => async (scene: Scene) => {
  const { server } = scene
  const client_capabilities = { empty_topic_name: able, stream_typing_notifications: true }
  const reader = await server.queue("cordelia", { event_types: ["message", "typing"], client_capabilities })
  await reader.poll(false)
  await send(scene, { topic: "" })
  await type({ type: "channel", stream_id: lobby(scene), topic: "" })(scene)
  await type({ op: "stop", type: "channel", stream_id: lobby(scene), topic: "" })(scene)
  return reader.take(3)
}
const told = (topic: string) => [{ message: { subject: topic } }, { op: "start", topic }, { op: "stop", topic }]
const gone = async ({ server }: Scene) => {
  await server.as("iago").must.delete(`/users/${server.idOf("othello")}`)
  return () => server.as("iago").must.post(`/users/${server.idOf("othello")}/reactivate`)
}
const keyless = ({ ask }: Scene, query: Fields = {}) => ask({ path: "/users", as: null, query })

export const levels: ReadonlyArray<Row> = [
  {
    row: "level 417 is announced",
    ask: ({ server }) => server.as("hamlet").must.post("/register", { fetch_event_types: [] }),
    want: { zulip_feature_level: 417 },
  },
  {
    row: "92: client_gravatar is true where nothing is said",
    ask: async (scene) => {
      const { server } = scene
      await sent(scene, {})
      const { realm_users } = await server.as("hamlet").must.post("/register")
      const { members } = await server.as("hamlet").must.get("/users")
      const avatars = [realm_users, members, await read(scene, {})].map((list) => pluck(list, "avatar_url"))
      return avatars.flat().filter((each) => each !== null)
    },
    want: [],
  },
  {
    row: "126: invite_expires_in_minutes",
    ask: async ({ server }) => {
      const iago = server.as("iago").must
      for (const invite_expires_in_minutes of [2, null])
        await iago.post("/invites/multiuse", { invite_expires_in_minutes })
      const invites = recordsIn((await iago.get("/invites"))["invites"])
      return invites.map(({ invited, expiry_date }) => expiry_date !== null && Number(expiry_date) - Number(invited))
    },
    want: [120, false],
  },
  {
    row: "167: ignored_parameters_unsupported",
    ask: ({ ask }) => ask({ path: "/users/me", query: { zeal: 1 } }),
    want: ignores("zeal"),
  },
  {
    row: "171: user_id with the key",
    ask: async ({ ask, server }) => {
      const [username, password] = ["keyed@test.example", "a long password"]
      const { user_id } = await server.as("iago").must.post("/users", { email: username, password, full_name: "K" })
      const { body } = await ask({ method: "POST", path: "/fetch_api_key", as: null, form: { username, password } })
      return [body["user_id"] === user_id, body["email"]]
    },
    want: [true, "keyed@test.example"],
  },
  {
    row: "173, 179, 184: scheduled messages",
    ask: async (scene) => {
      const { body } = await postponed(scene)
      const path = `/scheduled_messages/${String(body["scheduled_message_id"])}`
      const changed = await scene.ask({ method: "PATCH", path, form: { content: "new" } })
      const { body: listed } = await scene.ask({ path: "/scheduled_messages" })
      const removed = await scene.ask({ method: "DELETE", path })
      return { changed, listed, removed }
    },
    want: {
      changed: success,
      listed: { scheduled_messages: [{ content: "new", rendered_content: "<p>new</p>", failed: false }] },
      removed: success,
    },
  },
  {
    row: "193: REACTION_ALREADY_EXISTS; 2: the type of a reaction is found by its name",
    ask: async ({ ask, server }) => {
      const path = `/messages/${await server.as("hamlet").send("lobby", "c")}/reactions`
      const react = (form: Fields) => ask({ method: "POST", path, form })
      const first = await react({ emoji_name: "zulip" })
      const again = await react({ emoji_name: "zulip", emoji_code: "zulip", reaction_type: "service_extra_emoji" })
      return [first.status, again.body["code"]]
    },
    want: [200, "REACTION_ALREADY_EXISTS"],
  },
  {
    row: "208: unknown and deactivated principals are 400 BAD_REQUEST",
    ask: async (scene) => {
      const { server } = scene
      const back = await gone(scene)
      const answers = [
        await subscribe({ principals: [4711] })(scene),
        await subscribe({ principals: ["nobody@test.example"] })(scene),
        await subscribe({ principals: [server.idOf("othello")] })(scene),
      ]
      await back()
      return answers
    },
    want: [refusal("No such user"), refusal("No such user"), refusal(/deactivated/)],
  },
  {
    row: "284, 285: what an edit answers, and its event has; 365: when it was; 379: prev_content_sha256",
    ask: async (scene) => {
      const { ask, server } = scene
      const id = await server.as("hamlet").send("lobby", "c")
      const reader = await server.queue("cordelia", { event_types: ["update_message"] })
      const edit = (form: Fields) => ask({ method: "PATCH", path: `/messages/${id}`, form })
      const stale = await edit({ content: "d", prev_content_sha256: "0".repeat(64) })
      const { body } = await edit({ content: "d" })
      const [event] = await reader.take(1)
      const { message } = await server.as("hamlet").must.get(`/messages/${id}`)
      return [stale.body["code"], body["detached_uploads"], "prev_rendered_content_version" in (event ?? {}), message]
    },
    want: ["EXPECTATION_MISMATCH", [], false, { last_edit_timestamp: Number }],
  },
  {
    row: "289: keys of subscribed are ids",
    ask: async (scene) => {
      const { body } = await subscribe({ subscriptions: [{ name: "numbered" }] })(scene)
      return { subscribed: Object.entries({ ...Object(body["subscribed"]) }), id: scene.server.idOf("hamlet") }
    },
    want: { subscribed: [[/^\d+$/, ["numbered"]]] },
  },
  {
    row: "302: GET /users/{email} finds real addresses only for who may see them, placeholders for all",
    ask: async ({ ask, server }) => {
      await server.actions.changeUserSetting("cordelia", "email_address_visibility", 3)
      const real = "/users/cordelia@test.example"
      const dummy = `/users/user${server.idOf("cordelia")}@test.example`
      const answers = [await ask({ path: real }), await ask({ path: dummy }), await ask({ path: real, as: "iago" })]
      await server.actions.changeUserSetting("cordelia", "email_address_visibility", 1)
      return [...answers, await ask({ path: real })]
    },
    want: [
      refusal("No such user"),
      { ...success, body: { user: { delivery_email: null } } },
      { ...success, body: { user: { delivery_email: "cordelia@test.example" } } },
      { ...success, body: { user: { email: "cordelia@test.example", delivery_email: "cordelia@test.example" } } },
    ],
  },
  {
    row: "315: exclude_archived",
    ask: ({ ask }) => ask({ path: "/streams", query: { exclude_archived: false } }),
    want: success,
  },
  {
    row: "322: group_ids on invitations",
    ask: ({ ask }) =>
      ask({
        method: "POST",
        path: "/invites",
        form: { invitee_emails: "new@far.example", stream_ids: [], group_ids: [4711] },
      }),
    want: refusal("Invalid user group ID: 4711"),
  },
  {
    row: "330: default channels by id",
    ask: ({ server }) => server.as("hamlet").must.post("/register", { fetch_event_types: ["default_streams"] }),
    want: { realm_default_streams: [] },
  },
  {
    row: "333: post policies are no parameters any more, at subscribing",
    ask: subscribe({ stream_post_policy: 2, is_announcement_only: true }),
    want: ignores("stream_post_policy", "is_announcement_only"),
  },
  { row: "334: the empty topic is a topic", ask: (scene) => sent(scene, { topic: "" }), want: { subject: "" } },
  {
    row: "334: allow_empty_topic_name",
    ask: hasTopic("", { allow_empty_topic_name: true }),
    want: { message: { subject: "" }, listed: [""], topics: true },
  },
  {
    row: "334: without it its name",
    ask: hasTopic("general chat", {}),
    want: { message: { subject: "general chat" }, listed: ["general chat"], topics: true },
  },
  { row: "334: the capability empty_topic_name", ask: isTold(true), want: told("") },
  { row: "334: without it its name, in events", ask: isTold(false), want: told("general chat") },
  {
    row: "356: include_all for everybody, and its older name",
    ask: async ({ ask }) => [
      await ask({ path: "/streams", query: { include_all: true } }),
      await ask({ path: "/streams", query: { include_all_active: true } }),
      await ask({ path: "/streams", query: { include_all: true, include_all_active: true } }),
    ],
    want: [success, success, confusing("include_all", "include_all_active")],
  },
  {
    row: "362: subscriptions of archived channels stay as they are",
    ask: async ({ ask, server }) => {
      await server.rows("update channel set is_archived = true where name = 'old'")
      await server.restart()
      const form = { subscriptions: ["old"] }
      return ask({ method: "DELETE", path: "/users/me/subscriptions", form })
    },
    want: refusal(/./),
  },
  {
    row: "362: privacy of archived channels can be changed",
    ask: async (scene) => {
      const { body } = await create({ name: "gone" })(scene)
      const path = `/streams/${String(body["id"])}`
      const { must } = scene.server.as("iago")
      await must.delete(path)
      await must.patch(path, { is_private: true })
      return must.get(path)
    },
    want: { stream: { is_archived: true, invite_only: true } },
  },
  {
    row: "363: no is_billing_admin",
    ask: async ({ server }) => {
      const { members } = await server.as("hamlet").must.get("/users")
      const state = await server.as("hamlet").must.post("/register", { fetch_event_types: ["realm_user"] })
      return JSON.stringify([members, state]).includes("is_billing_admin")
    },
    want: false,
  },
  {
    row: "370: (no topic) is the empty one",
    ask: (scene) => sent(scene, { topic: "(no topic)" }),
    want: { subject: "" },
  },
  {
    row: "351, 361: typing while editing, by both names",
    ask: async ({ ask, server }) => {
      const id = await server.as("hamlet").send("lobby", "c")
      const reader = await server.queue("cordelia", { event_types: ["typing_edit_message"] })
      await reader.poll(false)
      await ask({ method: "POST", path: `/messages/${id}/typing`, form: { op: "start" } })
      await ask({ method: "POST", path: "/message_edit_typing", form: { message_id: id, op: "stop" } })
      return reader.take(2)
    },
    want: [{ op: "start" }, { op: "stop" }],
  },
  {
    row: "370: and so is its name",
    ask: (scene) => sent(scene, { topic: "general chat" }),
    want: { subject: "" },
  },
  {
    row: "372: (no topic) is the empty one, at typing",
    ask: async (scene) => {
      const client_capabilities = { empty_topic_name: true, stream_typing_notifications: true }
      const reader = await scene.server.queue("cordelia", { event_types: ["typing"], client_capabilities })
      await reader.poll(false)
      await type({ type: "channel", stream_id: lobby(scene), topic: "(no topic)" })(scene)
      return reader.take(1)
    },
    want: [{ op: "start", topic: "" }],
  },
  {
    row: "380: administrators are moderators",
    ask: async ({ server }) => {
      const state = await server.as("iago").must.post("/register", { fetch_event_types: ["realm_user"] })
      return [state["is_moderator"], state["is_owner"]]
    },
    want: [true, false],
  },
  {
    row: "382: reports of messages",
    ask: async (scene) => {
      const { ask, server } = scene
      const id = await server.as("hamlet").send("lobby", "c")
      const { body } = await create({ name: "reports", invite_only: true })(scene)
      await server.as("desdemona").must.patch("/realm", { moderation_request_channel_id: body["id"] })
      const form = { report_type: "norms", description: "d" }
      return ask({ method: "POST", path: `/messages/${id}/report`, as: "cordelia", form })
    },
    want: success,
  },
  {
    row: "384: user_ids on GET /users",
    ask: async ({ server }) => {
      const ids = [server.idOf("cordelia"), 4711]
      return pluck((await server.as("hamlet").must.get("/users", { user_ids: ids }))["members"], "full_name")
    },
    want: ["cordelia"],
  },
  {
    row: "385: resolved_topic_notice_auto_read_policy",
    ask: async ({ server }) => {
      const queue = await server.queue("hamlet", { event_types: ["message"] })
      await server.as("hamlet").must.patch("/settings", { resolved_topic_notice_auto_read_policy: "never" })
      const id = await server.as("hamlet").send("lobby", "c", { topic: "to be resolved" })
      const resolve = async (topic: string) => {
        await server.as("hamlet").must.patch(`/messages/${id}`, { topic })
        return pluck(await queue.rest(), "flags").at(-1)
      }
      const first = await resolve("\u2714 to be resolved")
      await server.as("hamlet").must.patch("/settings", { resolved_topic_notice_auto_read_policy: "always" })
      return [first, await resolve("to be resolved")]
    },
    want: [[], ["read"]],
  },
  {
    row: "386: groups come back",
    ask: async ({ server }) => {
      const hamlet = server.as("hamlet")
      const form = { name: "coming and going", description: "", members: [] }
      const { group_id } = await hamlet.must.post("/user_groups/create", form)
      const isListed = async () =>
        pluck((await hamlet.must.get("/user_groups"))["user_groups"], "id").includes(group_id)
      await hamlet.must.post(`/user_groups/${group_id}/deactivate`)
      const gone = await isListed()
      await hamlet.must.patch(`/user_groups/${group_id}`, { deactivated: false })
      return [gone, await isListed()]
    },
    want: [false, true],
  },
  {
    row: "387: GET /users without an account, where spectators may",
    ask: async (scene) => {
      const before = await keyless(scene)
      await scene.server.actions.changeRealm({ enable_spectator_access: true })
      const answers = [before, await keyless(scene)]
      await scene.server.actions.changeRealm({ enable_spectator_access: false })
      return [...answers, await keyless(scene)]
    },
    want: [{ status: 401 }, { ...success, body: { members: [{ delivery_email: null }] } }, { status: 401 }],
  },
  {
    row: "388: is_archived, at a change",
    ask: async (scene) => {
      await scene.server.as("iago").must.delete(`/streams/${lobby(scene)}`)
      return change({ is_archived: false })(scene)
    },
    want: { ...success, stream: { is_archived: false } },
  },
  { row: "389: folder_id", ask: change({ folder_id: null }), want: { ...success, stream: { folder_id: null } } },
  {
    row: "392: topics_policy",
    ask: async (scene) => [
      await change({ topics_policy: "disable_empty_topic" })(scene),
      await change({ topics_policy: "inherit" })(scene),
    ],
    want: [{ stream: { topics_policy: "disable_empty_topic" } }, { stream: { topics_policy: "inherit" } }],
  },
  {
    row: "404: empty_topic_only",
    ask: create({ name: "one topic", topics_policy: "empty_topic_only" }),
    want: success,
  },
  {
    row: "389, 414: channel folders, in an order of their own",
    ask: async ({ server }) => {
      for (const name of ["Sales", "Support"])
        await server.as("iago").must.post("/channel_folders/create", { name, description: "" })
      await server.as("iago").must.patch("/channel_folders", { order: [2, 1] })
      return server.as("hamlet").must.get("/channel_folders")
    },
    want: {
      channel_folders: [
        { name: "Support", order: 0 },
        { name: "Sales", order: 1 },
      ],
    },
  },
  { row: "390: navigation views", waiting: "POST /navigation_views" },
  {
    row: "381, 399, 415: reminders, their list, their note",
    ask: async ({ ask, server }) => {
      const message_id = await server.as("hamlet").send("lobby", "c")
      const form = { message_id, scheduled_delivery_timestamp: 4102444800, note: "n" }
      const { body } = await ask({ method: "POST", path: "/reminders", form })
      const { body: listed } = await ask({ path: "/reminders" })
      const removed = await ask({ method: "DELETE", path: `/reminders/${String(body["reminder_id"])}` })
      return { listed, removed }
    },
    want: { listed: { reminders: [{ content: "n", reminder_target_message_id: Number }] }, removed: success },
  },
  {
    row: "412: include_subscribers=partial, at register and in one's subscriptions",
    ask: async ({ server }) => {
      const asked = { include_subscribers: "partial" }
      const state = await server.as("hamlet").must.post("/register", { ...asked, fetch_event_types: ["subscription"] })
      const own = await server.as("hamlet").must.get("/users/me/subscriptions", asked)
      return [state, own].map(({ subscriptions }) => pluck(subscriptions, "subscribers").every(Array.isArray))
    },
    want: [true, true],
  },
  {
    row: "416: the text that welcomes",
    ask: ({ server }) => server.as("hamlet").must.post("/register", { fetch_event_types: ["realm"] }),
    want: { realm_welcome_message_custom_text: "" },
  },
  {
    row: "416: the text that welcomes, at inviting",
    ask: ({ ask }) =>
      ask({
        method: "POST",
        path: "/invites",
        form: { invitee_emails: "new@far.example", stream_ids: [], welcome_message_custom_text: "Hello" },
      }),
    want: refusal("Must be an organization administrator", "UNAUTHORIZED_PRINCIPAL"),
  },
  {
    row: "417: new channels by an endpoint of their own",
    ask: create({ name: "by its own endpoint" }),
    want: { ...success, body: { id: Number } },
  },
  {
    row: "440: a user's channels",
    ask: ({ server }) => server.as("cordelia").must.get(`/users/${server.idOf("polonius")}/channels`),
    want: { subscribed_channel_ids: [Number] },
  },
  {
    row: "445: the anchor date",
    ask: ({ server }) =>
      server
        .as("hamlet")
        .must.get("/messages", { anchor: "date", anchor_date: "9999-12-31", num_before: 0, num_after: 0 }),
    want: { anchor: 10_000_000_000_000_000, found_newest: true },
  },
  {
    row: "454: recent for web_home_view, told as recent_topics",
    ask: async ({ server }) => {
      await server.as("hamlet").must.patch("/settings", { web_home_view: "recent" })
      return server.as("hamlet").must.post("/register", { fetch_event_types: ["user_settings"] })
    },
    want: { user_settings: { web_home_view: "recent_topics" } },
  },
]
