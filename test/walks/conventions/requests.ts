/** Requests, row by row: URLs, methods and bodies; the envelope of a success. */
import { channelId } from "../../kit/channel-scene.ts"
import { type Row, refusal, type Scene, send, sent } from "../../kit/rows.ts"

type Rows = ReadonlyArray<Row>

const success = { status: 200, body: { result: "success", msg: "" } }
const jsonType = { "Content-Type": "application/json" }

const multipart = (fields: Readonly<Record<string, string>>) => ({
  headers: { "Content-Type": "multipart/form-data; boundary=edge" },
  body: `${Object.entries(fields)
    .map(([name, value]) => `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join("")}--edge--\r\n`,
})

const leaveLobby = { subscriptions: ["nowhere"] }
const leaving = { status: 400, body: { code: "STREAM_DOES_NOT_EXIST" } }

export const requests: Rows = [
  { row: "the base is /api/v1", ask: ({ ask }) => ask({ path: "/server_settings", as: null }), want: success },
  {
    row: "/json is not offered: a JSON 404",
    ask: ({ ask }) => ask({ path: "/json/users" }),
    want: { ...refusal(/./, "NOT_FOUND", 404), headers: { "content-type": /^application\/json/ } },
  },
  ...["GET", "DELETE", "PATCH", "PUT"].map((method) => ({
    row: `a POST whose form has method=${method} is routed as that`,
    ask: ({ ask }: Scene) => ask({ method: "POST", path: "/server_settings", form: { method } }),
    want: method === "GET" ? success : { status: 405, body: { allowed_methods: ["GET"] } },
  })),
  {
    row: "a POST whose form has method=DELETE is routed as that, with its parameters",
    ask: ({ ask }) =>
      ask({ method: "POST", path: "/users/me/subscriptions", form: { method: "DELETE", ...leaveLobby } }),
    want: leaving,
  },
  {
    row: "if the same name is in both, the body wins over the query",
    ask: ({ ask }) => ask({ path: "/get_stream_id", query: { stream: "nowhere" }, form: { stream: "lobby" } }),
    want: success,
  },
  ...(["GET", "POST", "DELETE"] as const).map((method) => ({
    row: `${method}: parameters in the query`,
    ask: ({ ask }: Scene) =>
      method === "GET"
        ? ask({ method, path: "/get_stream_id", query: { stream: "lobby" } })
        : ask({
            method,
            path: method === "POST" ? "/typing" : "/users/me/subscriptions",
            query: method === "POST" ? { op: "stop", to: [1] } : leaveLobby,
          }),
    want: method === "DELETE" ? leaving : success,
  })),
  {
    row: "DELETE: an urlencoded body",
    ask: ({ ask }) => ask({ method: "DELETE", path: "/users/me/subscriptions", form: leaveLobby }),
    want: leaving,
  },
  {
    row: "DELETE: a multipart body",
    ask: ({ ask }) =>
      ask({ method: "DELETE", path: "/users/me/subscriptions", ...multipart({ subscriptions: '["nowhere"]' }) }),
    want: leaving,
  },
  {
    row: "PATCH: an urlencoded body",
    ask: ({ ask, server }) =>
      ask({ method: "PATCH", path: `/users/${server.idOf("othello")}`, as: "iago", form: { role: "7" } }),
    want: refusal("Invalid role"),
  },
  {
    row: "PATCH: a multipart body",
    ask: ({ ask, server }) =>
      ask({ method: "PATCH", path: `/users/${server.idOf("othello")}`, as: "iago", ...multipart({ role: "7" }) }),
    want: refusal("Invalid role"),
  },
  {
    row: "POST: a multipart body",
    ask: ({ ask }) =>
      ask({
        method: "POST",
        path: "/messages",
        ...multipart({ type: "stream", to: "lobby", topic: "t", content: "c" }),
      }),
    want: success,
  },
  ...["", "{}", " {} \n"].map((body) => ({
    row: `a JSON body ${JSON.stringify(body)} has no parameters`,
    ask: ({ ask }: Scene) => ask({ method: "POST", path: "/register", headers: jsonType, body }),
    want: success,
  })),
  ...["[]", "null", '{"a":1}', "x"].map((body) => ({
    row: `a JSON body ${body} is not read`,
    ask: ({ ask }: Scene) => ask({ method: "POST", path: "/register", headers: jsonType, body }),
    want: refusal(/form/),
  })),
  {
    row: "a JSON body with a charset is one too",
    ask: ({ ask }) =>
      ask({
        method: "POST",
        path: "/register",
        headers: { "Content-Type": "application/json; charset=utf-8" },
        body: "{}",
      }),
    want: success,
  },
  {
    row: "strings are raw",
    ask: (scene) => sent(scene, { topic: '"t"', content: '"c"' }),
    want: { subject: '"t"', content: '"c"' },
  },
  {
    row: "lists are JSON text",
    ask: ({ ask }) => ask({ path: "/users", query: { user_ids: "1,2" } }),
    want: refusal(/^user_ids is not/),
  },
  ...["True", "1", "yes", ""].map((value) => ({
    row: `booleans are JSON in lower case: ${value}`,
    ask: ({ ask }: Scene) => ask({ path: "/users", query: { client_gravatar: value } }),
    want: refusal("client_gravatar is not a boolean"),
  })),
  {
    row: "two aliases together are confusing",
    ask: (scene) => send(scene, { subject: "t" }),
    want: refusal(/topic/, "REQUEST_CONFUSING_VAR", 400, { var_name1: "topic", var_name2: "subject" }),
  },
  {
    row: "HEAD where there is GET",
    ask: ({ ask }) => ask({ method: "HEAD", path: "/users/me" }),
    want: { status: 200, body: {} },
  },
  {
    row: "HEAD where there is none",
    ask: ({ ask }) => ask({ method: "HEAD", path: "/typing" }),
    want: { status: 405 },
  },
  {
    row: "OPTIONS: 204 with Allow",
    ask: ({ ask }) => ask({ method: "OPTIONS", path: "/users/me/subscriptions", as: null }),
    want: { status: 204, headers: { allow: /^(?=.*GET)(?=.*POST)(?=.*DELETE)/ } },
  },
  {
    row: "answers are JSON, never cached, and say what they depend on",
    ask: ({ ask }) => ask({ path: "/users/me" }),
    want: {
      headers: {
        "content-type": /^application\/json/,
        "cache-control": "max-age=0, no-cache, no-store, must-revalidate, private",
        vary: /./,
        "content-language": "en",
      },
    },
  },
  {
    row: "so are errors",
    ask: ({ ask }) => ask({ path: "/nowhere" }),
    want: { headers: { "content-type": /^application\/json/, "cache-control": /no-store/, "content-language": "en" } },
  },
  {
    row: "no CORS where no origin is allowed",
    ask: async ({ ask }) => {
      const { headers } = await ask({ path: "/users/me", headers: { Origin: "https://elsewhere.example" } })
      return Object.keys(headers).filter((name) => name.startsWith("access-control-"))
    },
    want: [],
  },
]

export const successes: Rows = [
  { row: "success has result and an empty msg", ask: ({ ask }) => ask({ path: "/users/me" }), want: success },
  {
    row: "what no parameter reads is listed, sorted, from body and query",
    ask: ({ ask }) =>
      ask({ method: "POST", path: "/typing", query: { zeal: 1 }, form: { op: "stop", to: [1], art: 1 } }),
    want: { ...success, body: { ignored_parameters_unsupported: ["art", "zeal"] } },
  },
  {
    row: "only where there is something",
    ask: async ({ ask }) => Object.keys((await ask({ path: "/users/me" })).body).filter((key) => key.startsWith("ign")),
    want: [],
  },
  {
    row: "only on success",
    ask: async ({ ask }) => {
      const { status, body } = await ask({ method: "POST", path: "/typing", form: { art: 1 } })
      return [status, "ignored_parameters_unsupported" in body]
    },
    want: [400, false],
  },
  {
    row: "on an answer that was held, too",
    ask: async ({ ask, server }) => {
      const { queueId, lastId } = await server.queue("cordelia", { event_types: ["message"] })
      const poll = ask({ path: "/events", as: "cordelia", query: { queue_id: queueId, last_event_id: lastId, art: 1 } })
      await server.as("cordelia").send("lobby", "c")
      return poll
    },
    want: { ...success, body: { events: [{ type: "message" }], ignored_parameters_unsupported: ["art"] } },
  },
  {
    row: "complete in place of partially_completed: everything is read at once",
    ask: ({ ask }) => ask({ method: "POST", path: "/mark_all_as_read" }),
    want: { ...success, body: { complete: true } },
  },
  {
    row: "complete in place of partially_completed: a topic is deleted whole",
    ask: ({ ask, server }) =>
      ask({
        method: "POST",
        path: `/streams/${channelId(server, "lobby")}/delete_topic`,
        as: "iago",
        form: { topic_name: "no such topic" },
      }),
    want: { ...success, body: { complete: true } },
  },
]
