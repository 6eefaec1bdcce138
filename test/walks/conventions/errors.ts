/** Errors, row by row: each code with its status, its fields and its text. */
import type { Fields } from "../../kit/client.ts"
import { type Row, refusal, type Scene, send } from "../../kit/rows.ts"
import { until } from "../../kit/test-database.ts"

type Rows = ReadonlyArray<Row>

const formType = { "Content-Type": "application/x-www-form-urlencoded" }

const narrow = (terms: ReadonlyArray<unknown>) => ({ anchor: "newest", num_before: 1, num_after: 0, narrow: terms })

/** A message for the year 2100. */
const later = { type: "channel", topic: "t", content: "c", scheduled_delivery_timestamp: 4102444800 }

const changeLobby = ({ ask, server }: Scene, form: Fields) =>
  ask({
    method: "PATCH",
    path: `/streams/${server.realm.realm.findChannelByName("lobby")?.id}`,
    as: "iago",
    form,
  })

export const errors: Rows = [
  { row: "BAD_REQUEST", ask: ({ ask }) => ask({ path: "/streams/4711" }), want: refusal("Invalid channel ID") },
  {
    row: "REQUEST_VARIABLE_MISSING",
    ask: ({ ask }) => ask({ path: "/get_stream_id" }),
    want: refusal("Missing 'stream' argument", "REQUEST_VARIABLE_MISSING", 400, { var_name: "stream" }),
  },
  {
    row: "REQUEST_VARIABLE_INVALID is not used: BAD_REQUEST in its place, with no var_name",
    ask: async ({ ask }) => {
      const { status, body } = await ask({ path: "/events", query: { queue_id: "q", last_event_id: "x" } })
      return { status, keys: Object.keys(body).sort(), body }
    },
    want: { ...refusal("last_event_id is not an integer"), keys: ["code", "msg", "result"] },
  },
  {
    row: "REQUEST_CONFUSING_VAR",
    ask: (scene) => send(scene, { subject: "t" }),
    want: refusal("Can't decide between 'topic' and 'subject' arguments", "REQUEST_CONFUSING_VAR"),
  },
  {
    row: "BAD_REQUEST with parameters",
    ask: ({ ask }) => ask({ path: "/messages", query: { message_ids: [1], anchor: "newest" } }),
    want: refusal(/^Unsupported parameter combination: /, "BAD_REQUEST", 400, { parameters: /anchor.*message_ids/ }),
  },
  {
    row: "BAD_NARROW",
    ask: ({ ask }) => ask({ path: "/messages", query: narrow([["mood", "good"]]) }),
    want: refusal(/^Invalid narrow operator: /, "BAD_NARROW", 400, { desc: /./ }),
  },
  {
    row: "BAD_EVENT_QUEUE_ID: unknown",
    ask: ({ ask }) => ask({ path: "/events", query: { queue_id: "q", last_event_id: -1 } }),
    want: refusal("Bad event queue ID: q", "BAD_EVENT_QUEUE_ID", 400, { queue_id: "q" }),
  },
  {
    row: "BAD_EVENT_QUEUE_ID: another user's",
    ask: async ({ ask, server }) => {
      const queue_id = (await server.queue("cordelia")).queueId
      const { status, body } = await ask({ path: "/events", query: { queue_id, last_event_id: -1 } })
      return { status, body, isIts: body["queue_id"] === queue_id && body["msg"] === `Bad event queue ID: ${queue_id}` }
    },
    want: { ...refusal(/^Bad event queue ID: /, "BAD_EVENT_QUEUE_ID"), isIts: true },
  },
  {
    row: "BAD_EVENT_QUEUE_ID: expired",
    ask: async ({ ask, server }) => {
      const { queueId, lastId } = await server.queue("hamlet", { idle_queue_timeout: 1 })
      const rows = () => server.rows("select from event_queue where id = $1", [queueId])
      await until("the queue is gone", 20_000, async () => {
        server.clock.advance(60_000)
        return (await rows()).length === 0
      })
      return ask({ path: "/events", query: { queue_id: queueId, last_event_id: lastId, dont_block: true } })
    },
    want: refusal(/^Bad event queue ID: /, "BAD_EVENT_QUEUE_ID"),
  },
  {
    row: "STREAM_DOES_NOT_EXIST by name",
    ask: (scene) => send(scene, { to: "nowhere" }),
    want: refusal("Channel 'nowhere' does not exist", "STREAM_DOES_NOT_EXIST", 400, { stream: "nowhere" }),
  },
  {
    row: "STREAM_DOES_NOT_EXIST by id",
    ask: (scene) => send(scene, { to: 4711 }),
    want: refusal("Channel with ID '4711' does not exist", "STREAM_DOES_NOT_EXIST", 400, { stream_id: 4711 }),
  },
  {
    row: "STREAM_DOES_NOT_EXIST at unsubscribing",
    ask: ({ ask }) => ask({ method: "DELETE", path: "/users/me/subscriptions", form: { subscriptions: ["nowhere"] } }),
    want: refusal("Channel 'nowhere' does not exist", "STREAM_DOES_NOT_EXIST", 400, { stream: "nowhere" }),
  },
  {
    row: "STREAM_DOES_NOT_EXIST at scheduling",
    ask: ({ ask }) => ask({ method: "POST", path: "/scheduled_messages", form: { ...later, to: 4711 } }),
    want: refusal("Channel with ID '4711' does not exist", "STREAM_DOES_NOT_EXIST", 400, { stream_id: 4711 }),
  },
  {
    row: "CHANNEL_ALREADY_EXISTS, new",
    ask: ({ ask }) => ask({ method: "POST", path: "/channels/create", form: { name: "Lobby", subscribers: [] } }),
    want: refusal("Channel 'Lobby' already exists", "CHANNEL_ALREADY_EXISTS", 409, { channel_name: "Lobby" }),
  },
  {
    row: "CHANNEL_ALREADY_EXISTS, renamed",
    ask: (scene) => changeLobby(scene, { new_name: "Den" }),
    want: refusal("Channel 'Den' already exists", "CHANNEL_ALREADY_EXISTS", 409, { channel_name: "Den" }),
  },
  {
    row: "EXPECTATION_MISMATCH of a setting",
    ask: (scene) => changeLobby(scene, { can_subscribe_group: { new: 3, old: 5 } }),
    want: refusal("'old' value does not match the expected value.", "EXPECTATION_MISMATCH", 400, { field_name: "old" }),
  },
  {
    row: "UNAUTHORIZED_PRINCIPAL: administrators",
    ask: ({ ask, server }) => ask({ method: "DELETE", path: `/users/${server.idOf("othello")}` }),
    want: refusal("Must be an organization administrator", "UNAUTHORIZED_PRINCIPAL"),
  },
  {
    row: "UNAUTHORIZED_PRINCIPAL: owners",
    ask: ({ ask, server }) =>
      ask({ method: "PATCH", path: `/users/${server.idOf("othello")}`, as: "iago", form: { role: 100 } }),
    want: refusal("Must be an organization owner", "UNAUTHORIZED_PRINCIPAL"),
  },
  {
    row: "UNAUTHORIZED_PRINCIPAL: members",
    ask: ({ ask }) =>
      ask({
        method: "POST",
        path: "/user_groups/create",
        as: "polonius",
        form: { name: "g", description: "", members: [] },
      }),
    want: refusal("Must be an organization member", "UNAUTHORIZED_PRINCIPAL"),
  },
  {
    row: "REACTION_ALREADY_EXISTS",
    ask: async ({ ask, server }) => {
      const path = `/messages/${await server.as("hamlet").send("lobby", "c")}/reactions`
      const form = { emoji_name: "octopus" }
      await ask({ method: "POST", path, form })
      return ask({ method: "POST", path, form })
    },
    want: refusal("Reaction already exists.", "REACTION_ALREADY_EXISTS"),
  },
  {
    row: "REACTION_DOES_NOT_EXIST",
    ask: async ({ ask, server }) => {
      const path = `/messages/${await server.as("hamlet").send("lobby", "c")}/reactions`
      return ask({ method: "DELETE", path, form: { emoji_name: "octopus" } })
    },
    want: refusal("Reaction doesn't exist.", "REACTION_DOES_NOT_EXIST"),
  },
  {
    row: "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
    ask: async ({ ask, server }) => {
      const week = 7 * 24 * 3600 * 1000
      await server.as("hamlet").send("lobby", "old", { topic: "aging" })
      server.clock.advance(week)
      const id = await server.as("hamlet").send("lobby", "new", { topic: "aging" })
      server.clock.advance(week / 2)
      const form = { topic: "young", propagate_mode: "change_all" }
      const { status, body } = await ask({ method: "PATCH", path: `/messages/${id}`, form })
      return {
        status,
        body: { ...body, first_message_id_allowed_to_move: body["first_message_id_allowed_to_move"] === id },
      }
    },
    want: refusal(
      "You only have permission to move the 1/2 most recent messages in this topic.",
      "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
      400,
      {
        first_message_id_allowed_to_move: true,
        total_messages_in_topic: 2,
        total_messages_allowed_to_move: 1,
      },
    ),
  },
  {
    row: "SYSTEM_GROUP_REQUIRED",
    ask: ({ ask, server }) => {
      const value = { new: { direct_members: [server.idOf("hamlet")], direct_subgroups: [] } }
      return ask({
        method: "PATCH",
        path: "/realm",
        as: "iago",
        form: { can_create_web_public_channel_group: value },
      })
    },
    want: refusal("'can_create_web_public_channel_group' must be a system user group.", "SYSTEM_GROUP_REQUIRED", 400, {
      setting_name: "can_create_web_public_channel_group",
    }),
  },
  {
    row: "CANNOT_DEACTIVATE_GROUP_IN_USE",
    ask: async ({ ask, server }) => {
      const make = async (name: string, subgroups: ReadonlyArray<number>) =>
        Number(
          (
            await server
              .as("hamlet")
              .must.post("/user_groups/create", { name, description: "", members: [], subgroups })
          )["group_id"],
        )
      const inner = await make("the inner group", [])
      const outer = await make("the outer group", [inner])
      const answer = await ask({ method: "POST", path: `/user_groups/${inner}/deactivate` })
      const objections = [{ type: "subgroup", supergroup_ids: [outer] }]
      return { ...answer, isNamed: JSON.stringify(answer.body["objections"]) === JSON.stringify(objections) }
    },
    want: {
      ...refusal("Cannot deactivate user group in use.", "CANNOT_DEACTIVATE_GROUP_IN_USE"),
      isNamed: true,
    },
  },
  {
    row: "INVITATION_FAILED",
    ask: ({ ask }) =>
      ask({
        method: "POST",
        path: "/invites",
        form: { invitee_emails: "iago@test.example,new@far.example", stream_ids: [] },
      }),
    want: refusal(/^Some of those addresses could not be invited/, "INVITATION_FAILED", 400, {
      errors: [["iago@test.example", "Already has an account.", false]],
      sent_invitations: true,
      license_limit_reached: false,
      daily_limit_reached: false,
    }),
  },
  {
    row: "INVALID_PUSH_DEVICE_TOKEN, PUSH_SERVICE_NOT_CONFIGURED, NO_ACTIVE_PUSH_DEVICE",
    waiting: "POST /mobile_push/test_notification",
  },
  {
    row: "404 BAD_REQUEST: drafts",
    ask: ({ ask }) =>
      ask({ method: "PATCH", path: "/drafts/4711", form: { draft: { type: "", to: [], topic: "", content: "c" } } }),
    want: refusal("Draft does not exist", "BAD_REQUEST", 404),
  },
  {
    row: "404 BAD_REQUEST: scheduled messages",
    ask: ({ ask }) => ask({ method: "PATCH", path: "/scheduled_messages/4711", form: { content: "c" } }),
    want: refusal("Scheduled message does not exist", "BAD_REQUEST", 404),
  },
  {
    row: "404 BAD_REQUEST: custom emoji",
    ask: ({ ask }) => ask({ method: "DELETE", path: "/realm/emoji/no_such_emoji" }),
    want: refusal("Emoji 'no_such_emoji' does not exist", "BAD_REQUEST", 404),
  },
  {
    row: "404 BAD_REQUEST: reminders",
    ask: ({ ask }) => ask({ method: "DELETE", path: "/reminders/4711" }),
    want: refusal("Reminder does not exist", "BAD_REQUEST", 404),
  },
  { row: "404 BAD_REQUEST: navigation views", waiting: "PATCH /navigation_views/{fragment}" },
  {
    row: "UNAUTHORIZED and its header",
    ask: ({ ask }) => ask({ path: "/users/me", as: null }),
    want: { ...refusal(/./, "UNAUTHORIZED", 401), headers: { "www-authenticate": 'Basic realm="zulip"' } },
  },
  {
    row: "404 for an unknown route, as JSON",
    ask: ({ ask }) => ask({ path: "/no/such/route" }),
    want: refusal(/./, "NOT_FOUND", 404),
  },
  {
    row: "405 with allowed_methods, a code and Allow",
    ask: ({ ask }) => ask({ method: "PUT", path: "/messages" }),
    want: {
      ...refusal(/./, "METHOD_NOT_ALLOWED", 405, { allowed_methods: ["GET", "HEAD", "POST", "OPTIONS"] }),
      headers: { allow: "GET, HEAD, POST, OPTIONS" },
    },
  },
  { row: "/users/abc is an address", ask: ({ ask }) => ask({ path: "/users/abc" }), want: refusal("No such user") },
  { row: "/streams/abc is no route", ask: ({ ask }) => ask({ path: "/streams/abc" }), want: { status: 404 } },
  {
    row: "a body beyond the limit: 413",
    ask: ({ ask }) => ask({ method: "POST", path: "/typing", headers: formType, body: `a=${"x".repeat(2 ** 20)}` }),
    want: refusal(/larger than/, "REQUEST_TOO_LARGE", 413),
  },
]
