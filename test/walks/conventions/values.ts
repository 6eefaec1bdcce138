/** Values, row by row: types of parameters, the errors for wrong types; times, ids and texts. */
import { pluck, recordsIn } from "../../kit/records.ts"
import { type Row, refusal, send, sent } from "../../kit/rows.ts"
import { uploaded } from "../../kit/uploads.ts"

type Rows = ReadonlyArray<Row>

const page = { anchor: "newest", num_before: 1, num_after: 0 }

export const types: Rows = [
  {
    row: "not JSON",
    ask: ({ ask }) => ask({ path: "/users", query: { user_ids: "[" } }),
    want: refusal("user_ids is not valid JSON"),
  },
  {
    row: "not a boolean",
    ask: ({ ask }) => ask({ path: "/users", query: { client_gravatar: "t" } }),
    want: refusal("client_gravatar is not a boolean"),
  },
  {
    row: "not an integer",
    ask: ({ ask }) => ask({ path: "/messages", query: { ...page, num_before: "x" } }),
    want: refusal("num_before is not an integer"),
  },
  {
    row: "not a string",
    ask: ({ ask }) => ask({ method: "POST", path: "/register", form: { event_types: [1] } }),
    want: refusal("event_types[0] is not a string"),
  },
  {
    row: "not a list",
    ask: ({ ask }) => ask({ method: "POST", path: "/register", form: { event_types: "{}" } }),
    want: refusal("event_types is not a list"),
  },
  {
    row: "not a dict",
    ask: ({ ask }) => ask({ method: "POST", path: "/register", form: { client_capabilities: "[]" } }),
    want: refusal("client_capabilities is not a dict"),
  },
  {
    row: "none of the words",
    ask: ({ ask }) => ask({ method: "POST", path: "/typing", form: { op: "x", to: [1] } }),
    want: refusal("Invalid op"),
  },
  {
    row: "too small",
    ask: ({ ask }) => ask({ path: "/messages", query: { ...page, num_before: -1 } }),
    want: refusal("num_before is too small"),
  },
  {
    row: "too large",
    ask: ({ ask }) => ask({ method: "POST", path: "/register", form: { idle_queue_timeout: 1e9 } }),
    want: refusal("idle_queue_timeout is too large"),
  },
  {
    row: "a longer string than the longest",
    ask: ({ ask }) => ask({ method: "POST", path: "/register", form: { event_types: ["x".repeat(65)] } }),
    want: refusal("event_types[0] is too long (limit: 64 characters)"),
  },
  { row: "blank", ask: (scene) => send(scene, { content: " " }), want: refusal("Message must not be empty") },
  {
    row: "a shorter string than the shortest",
    ask: ({ ask }) =>
      ask({
        method: "POST",
        path: "/users",
        as: "iago",
        form: { email: "n@test.example", password: "x", full_name: "N" },
      }),
    want: refusal(/^password is too short/),
  },
  {
    row: "a list of another length",
    ask: ({ ask }) => ask({ method: "POST", path: "/register", form: { narrow: [["stream"]] } }),
    want: refusal("narrow[0] is not length 2"),
  },
  { row: "another format", waiting: "POST /realm/playgrounds" },
  {
    row: "an unknown key in a strict object",
    ask: ({ ask }) =>
      ask({
        method: "POST",
        path: "/drafts",
        form: { drafts: [{ id: 1, type: "", to: [], topic: "", content: "c" }] },
      }),
    want: refusal('Argument "id" at drafts[0]["id"] is unexpected'),
  },
  {
    row: "a missing key in an object",
    ask: ({ ask }) => ask({ method: "POST", path: "/users/me/subscriptions", form: { subscriptions: [{}] } }),
    want: refusal('subscriptions[0]["name"] field is missing'),
  },
  {
    row: "a custom validator",
    ask: ({ ask }) => ask({ method: "PATCH", path: "/settings", form: { timezone: "Elsinore" } }),
    want: refusal("Invalid timezone: Not a recognized time zone"),
  },
  {
    row: "no colour",
    ask: ({ ask }) =>
      ask({
        method: "POST",
        path: "/users/me/subscriptions",
        form: { subscriptions: [{ name: "lobby", color: "red" }] },
      }),
    want: refusal(/color is not a valid hex color code$/),
  },
  {
    row: "the first fault only",
    ask: ({ ask }) => ask({ method: "POST", path: "/typing", form: { op: "x", to: "y" } }),
    want: refusal("Invalid op"),
  },
]

export const times: Rows = [
  {
    row: "integers of seconds, a float, ISO-8601",
    ask: async (scene) => {
      const { server } = scene
      const state = await server.as("hamlet").must.post("/register", { fetch_event_types: ["stream", "presence"] })
      const { date_joined } = await server.as("hamlet").must.get("/users/me")
      const seconds = Math.floor(server.clock.now() / 1000)
      const { timestamp } = await sent(scene, {})
      const { date_created } = recordsIn(state["streams"])[0] ?? {}
      return {
        timestamp: timestamp === seconds,
        date_created: Number.isInteger(date_created) && Number(date_created) <= seconds,
        server_timestamp: Math.floor(Number(state["server_timestamp"])) === seconds,
        date_joined,
      }
    },
    want: {
      timestamp: true,
      date_created: true,
      server_timestamp: true,
      date_joined: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/,
    },
  },
  {
    row: "attachments: seconds",
    ask: async ({ server }) => {
      const url = await uploaded(server, "hamlet")
      const sentAt = Math.floor(server.clock.now() / 1000)
      await server.as("hamlet").send("lobby", `[a file](${url})`)
      const { attachments } = await server.as("hamlet").must.get("/attachments")
      const [{ create_time, messages } = {}] = recordsIn(attachments)
      return [create_time === sentAt, pluck(messages, "date_sent")[0] === sentAt]
    },
    want: [true, true],
  },
  { row: "export_time: a float", waiting: "GET /export/realm" },
  {
    row: "ids of messages rise with the order of sending",
    ask: async (scene) => {
      const ids: Array<number> = []
      for (let n = 0; n < 5; n++) ids.push(Number((await send(scene, {})).body["id"]))
      return ids.every((id, n) => id > 0 && id > (ids[n - 1] ?? 0))
    },
    want: true,
  },
  {
    row: "1e16 is the newest",
    ask: async (scene) => {
      const { body } = await send(scene, { content: "the newest" })
      const page = { anchor: "10000000000000000", num_before: 1, num_after: 0 }
      const { messages } = await scene.server.as("hamlet").must.get("/messages", page)
      return pluck(messages, "id")[0] === body["id"]
    },
    want: true,
  },
  {
    row: "topics are the same in any case, and keep theirs",
    ask: async (scene) => {
      await send(scene, { topic: "Ghosts" })
      await send(scene, { topic: "GHOSTS" })
      const page = { anchor: "newest", num_before: 9, num_after: 0, narrow: [["topic", "ghosts"]] }
      return pluck((await scene.server.as("hamlet").must.get("/messages", page))["messages"], "subject")
    },
    want: ["Ghosts", "GHOSTS"],
  },
  {
    row: "names of channels are the same in any case",
    ask: (scene) => sent(scene, { to: "LOBBY" }),
    want: { display_recipient: "lobby" },
  },
  {
    row: "a resolved topic begins with a check mark",
    ask: async (scene) => {
      const reader = await scene.server.queue("hamlet", { event_types: ["message"], narrow: [["is", "resolved"]] })
      for (const topic of ["done", "\u2714 done"]) await send(scene, { topic })
      return (await reader.take(1)).map(({ message }) => message)
    },
    want: [{ subject: "\u2714 done" }],
  },
  {
    row: "topics are trimmed; of content the end, and newlines before it",
    ask: (scene) => sent(scene, { topic: "  t  ", content: "\n\n  c  \n" }),
    want: { subject: "t", content: "  c" },
  },
  {
    row: "longer topics are cut",
    ask: (scene) => sent(scene, { topic: "x".repeat(61) }),
    want: { subject: `${"x".repeat(57)}...` },
  },
  {
    row: "longer messages are cut",
    ask: async (scene) => {
      const { content } = await sent(scene, { content: "x".repeat(10_001) })
      return [String(content).length, String(content).slice(-22)]
    },
    want: [10_000, "x\n[message truncated]".padStart(22, "x")],
  },
  {
    row: "the level that is promised",
    ask: ({ ask }) => ask({ path: "/server_settings", as: null }),
    want: { body: { zulip_feature_level: 417 } },
  },
]
