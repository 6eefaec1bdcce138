/**
 * Every route of the table with garbage in every parameter, by everybody and by nobody: always the refusal that the
 * contract has for it, never a 5xx, and a server that is as well afterwards as before. What others may not know of is
 * answered about as what does not exist: leaks.test.ts.
 */
import { createHash } from "node:crypto"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import t from "tap"
import { unbuiltSettings } from "../../src/chat/organization/unbuilt-settings.ts"
import { routes } from "../../src/http/routes.ts"
import type { Param } from "../../src/params.ts"
import { type Account, type Fields, formOf } from "../kit/client.ts"
import { ask, type RawRequest } from "../kit/raw-http.ts"
import { plainFields } from "../kit/rows.ts"
import { answerFault } from "../kit/wire-schemas.ts"
import { type TestServer, withServer } from "../kit/with-server.ts"

type Route = (typeof routes)[number]

/** Text that no compression makes smaller, so that every limit of the database is met in full. */
const noise = createHash("shake256", { outputLength: 50_000 }).update("garbage").digest("hex")

const garbage: ReadonlyArray<readonly [string, string]> = [
  ["nothing", ""],
  ["a space", " "],
  ["null", "null"],
  ["a minus", "-1"],
  ["zero", "0"],
  ["a fraction", "1.5"],
  ["a huge number", "1e308"],
  ["more than any number", "-1e309"],
  ["an integer that is not safe", "9007199254740993"],
  ["four hundred digits", "9".repeat(400)],
  ["beyond int4", "2147483648"],
  ["beyond int8", "[9223372036854775808]"],
  ["hexadecimal", "0x10"],
  ["NaN", "NaN"],
  ["NUL", "\u0000"],
  ["NUL within", 'a\u0000"b'],
  ["NUL in JSON", '["a\\u0000b"]'],
  ["half a character", '"\\ud800"'],
  ["half a character in a list", '["\\udc00"]'],
  ["half a character as key", '{"\\ud800":true}'],
  ["an open list", "["],
  ["an open object", '{"a":'],
  ["a deep list", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
  ["a deep object", `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`],
  ["an empty list", "[]"],
  ["an empty object", "{}"],
  ["a list of null", "[null]"],
  ["lists of lists", "[[],[[]],[[[]]]]"],
  ["a list of objects", "[{},{}]"],
  ["a term of three", '[["stream","a","b"]]'],
  ["a term of objects", '[{"operator":{},"operand":[]}]'],
  ["a subscription of numbers", '[{"name":1,"description":2,"color":3}]'],
  ["names of the prototype", '[{"__proto__":{},"operator":"constructor","operand":"__proto__","name":"toString"}]'],
  ["the prototype", '{"__proto__":{"polluted":true},"constructor":{"prototype":{}}}'],
  ["a word of the prototype", "__proto__"],
  ["SQL", "'; drop table message; --"],
  ["patterns", "%s %n $1 \\1 ${x} {{x}}"],
  ["a header", "a\r\nX-Evil: 1\r\n\r\n"],
  ["invisible characters", "\uFEFF\u202E\u200B"],
  ["a hundred thousand letters", "x".repeat(100_000)],
  ["a hundred thousand letters of noise", noise],
  ["the noise in JSON", JSON.stringify([noise])],
  ["many characters beyond the first plane", "\u{1F4A5}".repeat(20_000)],
  ["twenty thousand integers", JSON.stringify(Array.from({ length: 20_000 }, (_, each) => each))],
  ["twenty thousand words", JSON.stringify(Array.from({ length: 20_000 }, (_, each) => `w${each}`))],
  ["three hundred ids", JSON.stringify(Array.from({ length: 300 }, (_, each) => 1_000_000 + each))],
  ["a thousand terms", JSON.stringify(Array.from({ length: 1000 }, () => ["topic", "x"]))],
]

const pathGarbage = [
  "0",
  "-1",
  "x",
  "1e5",
  "999999999999999",
  "9999999999999999999",
  "%00",
  "%ED%A0%80",
  "%zz",
  "%2e%2e%2f",
  "a".repeat(2000),
  "",
]

const nameOf = (route: Route): string => `${route.method} ${route.path}`

/** What makes the rest of a request right, so that nothing but the garbage is wrong with it. */
const rightFields = async (server: TestServer): Promise<(route: Route) => Fields> => {
  const queue = await server.queue("iago")
  const message = await server.as("hamlet").send("lobby", "c")
  let sends = 0
  const known = new Map<string, Fields>([
    ["POST /fetch_api_key", { username: "hamlet@test.example", password: "x" }],
    ["POST /dev_fetch_api_key", { username: "hamlet@test.example" }],
    ["GET /events", { queue_id: queue.queueId, last_event_id: queue.lastId, dont_block: true }],
    ["DELETE /events", { queue_id: queue.queueId }],
    ["POST /messages", { type: "channel", to: "lobby", topic: "t", content: "c" }],
    ["GET /messages", { anchor: "newest", num_before: 1, num_after: 0 }],
    ["GET /messages/{message_id:int}", { message_id: message }],
    ["POST /typing", { type: "channel", op: "start", stream_id: 1, topic: "t" }],
    ["POST /users", { email: "new@test.example", password: "a long password", full_name: "New" }],
    ["DELETE /users/{user_id:int}", { user_id: 4711 }],
    ["PATCH /users/{user_id:int}", { user_id: 4711, role: 400 }],
    ["POST /users/{user_id:int}/reactivate", { user_id: 4711 }],
    ["GET /users/{email}", { email: "hamlet@test.example" }],
    ["POST /channels/create", { name: "made", subscribers: [] }],
    ["DELETE /streams/{stream_id:int}", { stream_id: 4711 }],
    ["POST /users/me/subscriptions", { subscriptions: [{ name: "lobby" }] }],
    ["DELETE /users/me/subscriptions", { subscriptions: ["lobby"] }],
    ["PATCH /users/me/subscriptions/{stream_id:int}", { stream_id: 1, property: "color", value: "#abcdef" }],
    ["POST /users/me/subscriptions/properties", { subscription_data: [] }],
    ["PATCH /users/me/subscriptions", { add: [{ name: "lobby" }] }],
    ["GET /get_stream_id", { stream: "lobby" }],
    ["POST /user_groups/create", { name: "group", description: "", members: [] }],
    ["PATCH /user_groups/{user_group_id:int}", { description: "" }],
    ["POST /channel_folders/create", { name: "folder" }],
    ["PATCH /channel_folders", { order: [] }],
    ["POST /default_streams", { stream_id: 1 }],
    ["DELETE /default_streams", { stream_id: 1 }],
    ["POST /default_stream_groups/create", { group_name: "group", description: "" }],
    ["PATCH /default_stream_groups/{group_id:int}", { new_description: "" }],
    ["PATCH /default_stream_groups/{group_id:int}/streams", { op: "add" }],
  ])
  return (route) => {
    const fields = known.get(nameOf(route)) ?? plainFields(route)
    // A local id of its own for each: with the same one a send would be refused before anything else is looked at.
    return nameOf(route) === "POST /messages" ? { ...fields, queue_id: "q", local_id: String(sends++) } : fields
  }
}

const basic = ({ email, key }: Account): string => `Basic ${Buffer.from(`${email}:${key}`).toString("base64")}`

const form = { "Content-Type": "application/x-www-form-urlencoded" }

/** Of a longer path the network layer says by itself, and without a word, that it is too long. */
const longestInPath = 300

/** A request of this route; it goes in the body, under the route's method, so that its size is free. */
const requestOf = (route: Route, fields: Fields, headers: Readonly<Record<string, string>>): RawRequest => {
  const path = route.path.replace(/\{([a-z_]+)(?::int)?\}/g, (_, name: string) =>
    encodeURIComponent([...String(fields[name] ?? 1)].slice(0, longestInPath).join("")),
  )
  return {
    method: "POST",
    path: `/api/v1${path}`,
    headers: { ...form, ...headers },
    body: `${formOf({ ...fields, method: route.method })}`,
  }
}

/** What contract 1.5 has to say of a value of the wrong type; the name may be followed by the way to an item. */
const phrases: Readonly<Record<Param<unknown>["kind"], string>> = {
  text: "(must not contain null bytes|is not valid Unicode text|is too (long|short)|is not|cannot be blank)",
  integer: "is (not an integer|too small|too large)",
  boolean: "is not a boolean",
  choice: "^Invalid",
  json:
    "(is not valid JSON|is not an? (boolean|integer|string|list|dict)|is not length|field is missing|" +
    "is too (long|small|large|short)|is nested too deeply|must not contain|is not valid Unicode|is not an? .* or )",
}

/** A narrow's terms have words of their own (contract 4.1). */
const ofNarrows = "dict or list required|operator is|operand is"

interface Judged {
  readonly status: number
  readonly code: unknown
  readonly msg: string
}
type Judge = (answer: Judged) => string | undefined

/** What the answer to this value of this parameter must be, where it is no success. */
const judgeOf =
  (route: Route, param: Param<unknown>, value: string): Judge =>
  ({ status, code, msg }) => {
    // What is no id is no such path, but perhaps another one.
    if (route.path.includes(`{${param.name}`))
      return status === 404 || status === 405 || code === "BAD_REQUEST" ? undefined : `of a path: ${String(code)}`
    const read = param.read(value)
    if (Result.isSuccess(read)) {
      const known: ReadonlyArray<unknown> = ["BAD_REQUEST", ...route.errors]
      return known.includes(code) ? undefined : `the code ${String(code)}: ${msg}`
    }
    const named = `${param.name}(\\[[^\\]]*\\])* ${phrases[param.kind]}|Invalid ${param.name}`
    const isType = new RegExp(`^(${named}|${ofNarrows})`).test(msg)
    if (status !== 400 || code !== "BAD_REQUEST") return `the code ${String(code)}: ${msg}`
    if (msg !== read.failure.msg) return `"${msg}", not "${read.failure.msg}"`
    return isType ? undefined : `"${msg}" says nothing of the type`
  }

const anyCode: Judge = () => undefined

/** The method that a body names, where it can be read. */
const meantMethod = ({ method = "GET", headers = {}, body }: RawRequest): string => {
  const named =
    typeof body === "string" && headers["Content-Type"] === form["Content-Type"]
      ? new URLSearchParams(body).getAll("method").at(-1)
      : undefined
  return routes.find((route) => route.method === named)?.method ?? method
}

/** What is wrong with an answer to garbage; undefined where it is as it must be. */
const faultOf = async (server: TestServer, request: RawRequest, judge: Judge): Promise<string | undefined> => {
  const answer = await ask(server.port, request)
  if (answer === undefined) return "the connection was cut"
  if (answer.status >= 500 || answer.status < 200) return `status ${answer.status}: ${answer.body}`
  let body: unknown
  try {
    body = JSON.parse(answer.body)
  } catch {
    return `no JSON: ${answer.body.slice(0, 200)}`
  }
  if (!Predicate.isObject(body)) return "no object"
  const fault = answerFault(meantMethod(request), request.path.slice("/api/v1".length), answer.status, body)
  if (fault !== undefined || answer.status === 200) return fault
  return judge({ status: answer.status, code: body["code"], msg: String(body["msg"]) })
}

/** Sixteen requests at a time; answers what was wrong with which. */
const faultsOf = async (
  server: TestServer,
  requests: ReadonlyArray<readonly [string, RawRequest, Judge?]>,
): Promise<ReadonlyArray<string>> => {
  const faults: Array<string> = []
  for (let from = 0; from < requests.length; from += 16) {
    await Promise.all(
      requests.slice(from, from + 16).map(async ([name, request, judge = anyCode]) => {
        const fault = await faultOf(server, request, judge)
        if (fault !== undefined) faults.push(`${name}: ${fault}`)
      }),
    )
  }
  return faults
}

/** Settings that nothing reads yet are parameters of one make: some of them stand for all. */
const alike: ReadonlySet<string> = new Set(unbuiltSettings.slice(4))
const isLikeOthers = ({ name }: Param<unknown>): boolean => alike.has(name)

/** A path that lacks its id has 1 there: the first channel is archived by that. */
const channels = [
  { name: "hall", users: ["iago"] },
  { name: "lobby", users: ["hamlet", "cordelia", "iago"] },
] as const

t.test("garbage in every parameter of every route", (t) =>
  withServer(t, { channels }, async (server) => {
    const right = await rightFields(server)
    // Looked up for each route: one of them makes a new key.
    const signed = () => ({ Authorization: basic(server.as("iago").account) })
    const before = process.memoryUsage().rss

    for (const route of routes) {
      await t.test(nameOf(route), async (t) => {
        const asIago = signed()
        for (const param of Object.values(route.params)) {
          if (isLikeOthers(param)) continue
          const requests = garbage.map(
            ([name, value]) =>
              [
                name,
                requestOf(route, { ...right(route), [param.name]: value }, asIago),
                judgeOf(route, param, value),
              ] as const,
          )
          t.same(await faultsOf(server, requests), [], param.name)
          if (!param.required) continue
          const answer = await ask(server.port, requestOf(route, { ...right(route), [param.name]: undefined }, asIago))
          const inPath = route.path.includes(`{${param.name}`)
          t.equal(answer?.status, inPath ? answer?.status : 400, `${param.name} is missing`)
        }
        for (const param of Object.values(route.params).filter(({ aliases }) => aliases.length > 0)) {
          const all = Object.fromEntries([param.name, ...param.aliases].map((name) => [name, "1"]))
          const answer = await ask(server.port, requestOf(route, { ...right(route), ...all }, asIago))
          t.match(
            JSON.parse(answer?.body ?? "null"),
            { code: "REQUEST_CONFUSING_VAR" },
            `${param.name} under all its names`,
          )
        }
      })
    }

    await t.test("garbage around the parameters", async (t) => {
      for (const route of routes) {
        const asIago = signed()
        const fields = right(route)
        const whole = requestOf(route, fields, asIago)
        const twice = `${whole.body}&${formOf({ ...fields, method: route.method })}`
        const noisy = Buffer.from(noise, "hex")
        const requests: ReadonlyArray<readonly [string, RawRequest]> = [
          ["everything twice", { ...whole, body: twice }],
          ["unknown parameters", { ...whole, body: `${whole.body}&__proto__=1&constructor=2&=3&&&toString` }],
          [
            "a thousand parameters",
            { ...whole, body: `${whole.body}&${Array.from({ length: 1000 }, (_, at) => `p${at}=`).join("&")}` },
          ],
          ["noise for a body", { ...whole, body: noisy }],
          [
            "noise for a multipart body",
            { ...whole, headers: { ...asIago, "Content-Type": "multipart/form-data; boundary=x" }, body: noisy },
          ],
          ["broken percent-encoding", { ...whole, body: `${whole.body}&a=%zz%` }],
          [
            "JSON for a body",
            { ...whole, headers: { ...asIago, "Content-Type": "application/json" }, body: JSON.stringify(fields) },
          ],
          ["a larger body than is read", { ...whole, body: `a=${"x".repeat(1024 * 1024)}` }],
          ["another method", { ...whole, body: `${formOf({ ...fields, method: "BREW" })}` }],
        ]
        t.same(await faultsOf(server, requests), [], nameOf(route))
      }
    })

    await t.test("garbage in every path", async (t) => {
      for (const route of routes) {
        const asIago = signed()
        const requests = pathGarbage.map((value): readonly [string, RawRequest] => [
          value.slice(0, 20),
          { method: route.method, path: `/api/v1${route.path.replace(/\{[^}]*\}|[^/]*$/, value)}`, headers: asIago },
        ])
        t.same(await faultsOf(server, requests), [], nameOf(route))
      }
    })

    await t.test("by those who may not, by strangers and by nobody", async (t) => {
      const gone = server.as("othello").account
      await server.as("iago").must.delete(`/users/${server.idOf("othello")}`)
      const callers: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
        ["a guest", { Authorization: basic(server.as("polonius").account) }],
        ["another member", { Authorization: basic(server.as("cordelia").account) }],
        ["who has left", { Authorization: basic(gone) }],
        ["a wrong key", { Authorization: basic({ email: "hamlet@test.example", key: "k".repeat(32) }) }],
        ["no address", { Authorization: basic({ email: "", key: "k".repeat(32) }) }],
        ["noise", { Authorization: `Basic ${noise.slice(0, 1000)}` }],
        ["NUL", { Authorization: basic({ email: "a\u0000", key: "k".repeat(32) }) }],
        ["nobody", {}],
      ]
      for (const route of routes) {
        const fields = right(route)
        const requests = callers.map(([name, headers]) => [name, requestOf(route, fields, headers)] as const)
        t.same(await faultsOf(server, requests), [], nameOf(route))
        // Spectators are not admitted here: who sends no header needs one everywhere but where nobody does.
        if (route.access === "anyone") continue
        for (const [name, request] of requests.slice(2)) {
          const answer = await ask(server.port, request)
          t.equal(answer?.status, 401, `${nameOf(route)} by ${name}: ${answer?.body}`)
        }
      }
    })

    await t.test("the server is as well as before", async (t) => {
      const reader = await server.queue("hamlet", { event_types: ["message"] })
      await server.as("cordelia").send("lobby", "still here")
      t.match(await reader.take(1), [{ message: { content: "still here" } }])
      t.match(await server.rows("select count(*)::integer as users from account where email like '%@test.example'"), [
        { users: 8 },
      ])
      t.notOk("polluted" in {}, "no prototype was touched")
      const grown = (process.memoryUsage().rss - before) / 2 ** 20
      t.ok(grown < 600, `the memory grew by ${Math.round(grown)} MB`)
      t.comment(`the memory grew by ${Math.round(grown)} MB`)
    })
  }),
)
