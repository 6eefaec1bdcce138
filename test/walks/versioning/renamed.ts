/** Deprecated and renamed items, row by row, and each alias alone. */
import { recordsIn } from "../../kit/records.ts"
import { type Row, refusal, type Scene, sent } from "../../kit/rows.ts"
import { change, create, found, ignores, lobby, page, postponed, subscribe, success, type } from "./asking.ts"

/** Where a bot of the requester is called. */
const servicesOf = async ({ ask }: Scene, bot: unknown): Promise<unknown> => {
  const { body } = await ask({ path: "/bots" })
  return recordsIn(body["bots"]).find(({ user_id }) => user_id === bot)?.["services"]
}

export const renamed: ReadonlyArray<Row> = [
  ...(["private", "direct"] as const).map((word) => ({
    row: `message type ${word} (direct from 174)`,
    ask: (scene: Scene) => sent(scene, { type: word, to: ["cordelia@test.example"], topic: undefined }),
    want: { type: "private" },
  })),
  ...(["stream", "channel"] as const).map((word) => ({
    row: `message type ${word} (channel from 248)`,
    ask: (scene: Scene) => sent(scene, { type: word }),
    want: { type: "stream" },
  })),
  ...(["private", "direct", "stream", "channel"] as const).map((type) => ({
    row: `message type ${type} of a scheduled message`,
    ask: async (scene: Scene) => {
      const { body } = await postponed(scene)
      const path = `/scheduled_messages/${String(body["scheduled_message_id"])}`
      const isDirect = type === "private" || type === "direct"
      const to = isDirect ? [scene.server.idOf("cordelia")] : lobby(scene)
      await scene.ask({ method: "PATCH", path, form: { type, to, topic: "t" } })
      const { body: listed } = await scene.ask({ path: "/scheduled_messages" })
      await scene.ask({ method: "DELETE", path })
      return listed["scheduled_messages"]
    },
    want: [{ type: type === "private" || type === "direct" ? "private" : "stream" }],
  })),
  {
    row: "message type of a draft",
    ask: async ({ ask }) => {
      const draft = { type: "private", to: [], topic: "", content: "c" }
      await ask({ method: "POST", path: "/drafts", form: { drafts: [draft] } })
      const { body } = await ask({ path: "/drafts" })
      return {
        listed: body["drafts"],
        newer: (await ask({ method: "POST", path: "/drafts", form: { drafts: [{ ...draft, type: "direct" }] } })).body,
      }
    },
    want: { listed: [{ type: "private" }], newer: { msg: 'Invalid drafts[0]["type"]' } },
  },
  {
    row: "subject for topic, at sending",
    ask: (scene) => sent(scene, { topic: undefined, subject: "older" }),
    want: { subject: "older" },
  },
  {
    row: "subject for topic, at editing",
    ask: async (scene) => {
      const id = await scene.server.as("hamlet").send("lobby", "c", { topic: "before" })
      await scene.ask({ method: "PATCH", path: `/messages/${id}`, form: { subject: "after" } })
      return recordsIn([(await scene.ask({ path: `/messages/${id}` })).body["message"]])[0]
    },
    want: { subject: "after" },
  },
  {
    row: "subject for topic, in a narrow",
    ask: (scene) => found(scene, [["subject", "narrowed"]]),
    want: ["stream narrowed"],
  },
  {
    row: "stream for channel, in a narrow of objects",
    ask: (scene) =>
      found(scene, [
        { operator: "stream", operand: "lobby" },
        { operator: "topic", operand: "narrowed" },
      ]),
    want: ["stream narrowed"],
  },
  {
    row: "pm-with for dm, in a narrow",
    ask: (scene) => found(scene, [["pm-with", "cordelia@test.example"]]),
    want: ["private "],
  },
  { row: "is:private for is:dm", ask: (scene) => found(scene, [["is", "private"]]), want: ["private "] },
  {
    row: "streams:public for channels:public",
    ask: (scene) =>
      found(scene, [
        ["streams", "public"],
        ["topic", "narrowed"],
      ]),
    want: ["stream narrowed"],
  },
  {
    row: "use_first_unread_anchor for anchor=first_unread",
    ask: async (scene) => {
      await scene.ask({ method: "POST", path: "/mark_all_as_read" })
      const query = { ...page, anchor: undefined, use_first_unread_anchor: true }
      const none = await scene.ask({ path: "/messages", query })
      const { id } = await sent(scene, { read_by_sender: false })
      const { body } = await scene.ask({ path: "/messages", query })
      return [none.body["anchor"], body["anchor"] === id]
    },
    want: [10_000_000_000_000_000, true],
  },
  {
    row: "typing type private (refused from 215)",
    ask: type({ type: "private", to: [1] }),
    want: refusal("Invalid type"),
  },
  ...(["stream", "channel"] as const).map((word) => ({
    row: `typing type ${word}: channels by stream_id (215)`,
    ask: (scene: Scene) => type({ type: word, stream_id: lobby(scene), topic: "t" })(scene),
    want: success,
  })),
  {
    row: "typing without stream_id",
    ask: type({ type: "channel", to: ["lobby"], topic: "t" }),
    want: refusal("Missing 'stream_id' argument"),
  },
  {
    row: "is_muted and in_home_view in records",
    ask: async ({ server }) =>
      recordsIn((await server.as("hamlet").must.get("/users/me/subscriptions"))["subscriptions"]),
    want: [{ is_muted: false, in_home_view: true }],
  },
  {
    row: "is_muted and in_home_view at a change, two events (139)",
    ask: async (scene) => {
      const { server } = scene
      const reader = await server.queue("hamlet", { event_types: ["subscription"] })
      for (const [property, value] of [["is_muted", true] as const, ["in_home_view", true] as const])
        await server.as("hamlet").must.post("/users/me/subscriptions/properties", {
          subscription_data: [{ stream_id: lobby(scene), property, value }],
        })
      return (await reader.rest()).map(({ property, value }) => [property, value])
    },
    want: [
      ["in_home_view", false],
      ["is_muted", true],
      ["in_home_view", true],
      ["is_muted", false],
    ],
  },
  {
    row: "status away (deprecated from 148)",
    ask: async ({ ask, server }) => {
      const away = (value: boolean) => ask({ method: "POST", path: "/users/me/status", form: { away: value } })
      const path = `/users/${server.idOf("hamlet")}/status`
      const shown = async () => (await ask({ path })).body["status"]
      return [await away(true), await shown(), await away(false), await shown()]
    },
    want: [success, { away: true }, success, {}],
  },
  {
    row: "mark_topic_as_read (deprecated)",
    ask: async (scene) => {
      const { id } = await sent(scene, { topic: "read by its topic", read_by_sender: false })
      const form = { stream_id: lobby(scene), topic_name: "READ by its topic" }
      await scene.ask({ method: "POST", path: "/mark_topic_as_read", form })
      const { message } = await scene.server.as("hamlet").must.get(`/messages/${String(id)}`)
      return message
    },
    want: { flags: ["read"] },
  },
  {
    row: "message_retention_days forever is unlimited (91), at subscribing",
    ask: subscribe({ message_retention_days: "forever" }, "desdemona"),
    want: refusal(/message_retention_days/, "REQUEST_VARIABLE_INVALID"),
  },
  {
    row: "message_retention_days unlimited",
    ask: async (scene) => {
      const subscriptions = [{ name: "for ever" }]
      await subscribe({ subscriptions, message_retention_days: "unlimited" }, "desdemona")(scene)
      const { streams } = await scene.server.as("desdemona").must.get("/streams")
      return recordsIn(streams).filter(({ name }) => name === "for ever")
    },
    want: [{ message_retention_days: -1 }],
  },
  {
    row: "forever is unlimited (91), new channels",
    ask: create({ name: "for ever", message_retention_days: "forever" }),
    want: refusal(/message_retention_days/, "REQUEST_VARIABLE_INVALID"),
  },
  {
    row: "can_remove_subscribers_group_id is renamed (197), new channels",
    ask: create({ name: "removers", can_remove_subscribers_group_id: 2 }),
    want: ignores("can_remove_subscribers_group_id"),
  },
  {
    row: "forever is unlimited (91), at a change",
    ask: change({ message_retention_days: "forever" }),
    want: refusal(/message_retention_days/, "REQUEST_VARIABLE_INVALID"),
  },
  {
    row: "can_remove_subscribers_group_id is renamed (197), post policies are none (333), at a change",
    ask: change({ can_remove_subscribers_group_id: 2, stream_post_policy: 2, is_announcement_only: true }),
    want: ignores("can_remove_subscribers_group_id", "stream_post_policy", "is_announcement_only"),
  },
  {
    row: "can_remove_subscribers_group_id is renamed (197), at subscribing",
    ask: subscribe({ can_remove_subscribers_group_id: 2 }),
    want: ignores("can_remove_subscribers_group_id"),
  },
  {
    row: "can_mention_group_id is renamed (198, objects from 260)",
    ask: ({ ask }) =>
      ask({
        method: "POST",
        path: "/user_groups/create",
        form: { name: "renamed", description: "", members: [], can_mention_group_id: 3 },
      }),
    want: ignores("can_mention_group_id"),
  },
  {
    row: "can_mention_group_id, at a change",
    ask: async ({ ask, server }) => {
      const form = { name: "renamed again", description: "", members: [] }
      const { group_id } = await server.as("hamlet").must.post("/user_groups/create", form)
      const fields = { description: "new", can_mention_group_id: 3 }
      return ask({ method: "PATCH", path: `/user_groups/${group_id}`, form: fields })
    },
    want: ignores("can_mention_group_id"),
  },
  {
    row: "payload_url and interface_type of a bot, by the names that a change has",
    ask: async (scene) => {
      const called = { service_payload_url: "https://example.com/hook", service_interface: 2 }
      const form = { full_name: "Renamed", short_name: "renamed", bot_type: 3, ...called }
      const { body } = await scene.ask({ method: "POST", path: "/bots", form })
      return servicesOf(scene, body["user_id"])
    },
    want: [{ base_url: "https://example.com/hook", interface: 2 }],
  },
  {
    row: "service_payload_url and service_interface of a bot, by the names that its making has",
    ask: async (scene) => {
      const form = { full_name: "Again", short_name: "again", bot_type: 3, payload_url: "https://example.com/hook" }
      const { body } = await scene.ask({ method: "POST", path: "/bots", form })
      const called = { payload_url: "https://example.com/other", interface_type: 2 }
      await scene.ask({ method: "PATCH", path: `/bots/${String(body["user_id"])}`, form: called })
      return servicesOf(scene, body["user_id"])
    },
    want: [{ base_url: "https://example.com/other", interface: 2 }],
  },
]
