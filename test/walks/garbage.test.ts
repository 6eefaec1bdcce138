/**
 * Every route with garbage in every parameter, with and without an account: the answer must be the refusal that the API
 * demands, never a 5xx, and the server must work afterwards. Garbage that the parameter's reader refuses is given to
 * the route's `handle` in this process, and one piece of it per parameter is sent over HTTP; garbage that the reader
 * accepts is always sent over HTTP. A quick run tries a share of it, but each piece for each kind of parameter.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import t from "tap"
import type { Caller, Route, Visitor } from "../../src/api/endpoint.ts"
import { errorCodes } from "../../src/api/error-codes.ts"
import type { Param } from "../../src/api/params.ts"
import type { AppServices } from "../../src/app.ts"
import { endpoints as routes } from "../../src/chat/features.ts"
import { makeRouter } from "../../src/http/api/router.ts"
import { readBody } from "../../src/http/request/request-fields.ts"
import { type Account, type Fields, formOf } from "../kit/client.ts"
import { KeptConnections, type RawRequest } from "../kit/raw-http.ts"
import { plainFields } from "../kit/rows.ts"
import { about, some } from "../kit/share.ts"
import { joined, rowsOfRooms } from "../kit/walk-rows-of-features.ts"
import { answerFaultOnce } from "../kit/wire-schemas.ts"
import { type TestServer, withServer } from "../kit/with-server.ts"
import { garbage, noise, pathGarbage } from "./garbage/values.ts"

type AppRoute = Route<AppServices>
const nameOf = (route: AppRoute): string => `${route.method} ${route.path}`

const all: ReadonlyArray<AppRoute> = routes
/** But for the one by which whoever asks leaves: it has no parameters, and nobody could ask for anything after it. */
const table = all.filter((route) => nameOf(route) !== "DELETE /users/me")
const router = makeRouter(all)

/** Each parameter of each route. Routes share some. */
const places = table.flatMap((route) => Object.values(route.params).map((param) => ({ route, param })))
const kinds: ReadonlySet<Param<unknown>["kind"]> = new Set(places.map(({ param }) => param.kind))
const placeOf = (route: AppRoute, param: Param<unknown>): string => `${nameOf(route)} ${param.name}`

/** One of so many pieces is tried for a parameter. */
const piecesApart = 6

/**
 * The garbage that is tried for each parameter: of one line for each kind, the pieces for one parameter after those for
 * another. The number of pieces has no divisor in common with `piecesApart`, so parameters in a row get others.
 */
const tried = new Map<string, Array<(typeof garbage)[number]>>(
  places.map(({ route, param }) => [placeOf(route, param), []]),
)
for (const kind of kinds) {
  const line = places
    .filter(({ param }) => param.kind === kind)
    .flatMap(({ route, param }) => garbage.map((piece) => ({ place: placeOf(route, param), piece })))
  for (const { place, piece } of some(line, piecesApart, kind)) tried.get(place)?.push(piece)
}

/** Parameters with a free value that stand in no path. */
const texts = places.filter(
  ({ route, param }) => (param.kind === "text" || param.kind === "json") && !route.path.includes(`{${param.name}`),
)

/** In the forms in which a parameter may take a text. */
const astral = (count: number): ReadonlyArray<string> => {
  const text = "\u{1F4A5}".repeat(count)
  return [text, JSON.stringify(text), JSON.stringify([text]), JSON.stringify({ new: text })]
}

/** The longest text that it accepts of such characters, up to ten thousand; undefined: it takes no text of any letters. */
const longestOf = (param: Param<unknown>): string | undefined => {
  const accepted = (count: number) => astral(count).find((value) => Result.isSuccess(param.read(value)))
  let [least, most] = [0, 10_001]
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2)
    if (accepted(middle) === undefined) most = middle
    else least = middle
  }
  return least === 0 ? undefined : accepted(least)
}

/** Valid fields for each route, so that nothing but the garbage is wrong with a request. */
const rightFields = async (server: TestServer): Promise<(route: AppRoute) => Fields> => {
  const queue = await server.queue("iago")
  const message = await server.as("hamlet").send("lobby", "c")
  let sends = 0
  const later = { scheduled_delivery_timestamp: 4102444800 }
  const known = new Map<string, Fields>([
    ["POST /fetch_api_key", { username: "hamlet@test.example", password: "x" }],
    ["POST /dev_fetch_api_key", { username: "hamlet@test.example" }],
    ["GET /events", { queue_id: queue.queueId, last_event_id: queue.lastId, dont_block: true }],
    ["DELETE /events", { queue_id: queue.queueId }],
    ["POST /messages", { type: "channel", to: "lobby", topic: "t", content: "c" }],
    ["GET /messages", { anchor: "newest", num_before: 1, num_after: 0 }],
    ["GET /messages/{message_id:int}", { message_id: message }],
    ["POST /typing", { type: "channel", op: "start", stream_id: 1, topic: "t" }],
    ["POST /messages/{message_id:int}/typing", { message_id: message, op: "start" }],
    ["POST /message_edit_typing", { message_id: message, op: "start" }],
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
    ["POST /messages/{message_id:int}/report", { report_type: "spam" }],
    ["POST /scheduled_messages", { type: "channel", to: 1, topic: "t", content: "c", ...later }],
    ["PATCH /scheduled_messages/{scheduled_message_id:int}", { scheduled_message_id: 4711, content: "c" }],
    ["POST /reminders", { message_id: message, ...later }],
    ["POST /user_groups/create", { name: "group", description: "", members: [] }],
    ["PATCH /user_groups/{user_group_id:int}", { description: "" }],
    ["POST /channel_folders/create", { name: "folder" }],
    ["PATCH /channel_folders", { order: [] }],
    ["POST /default_streams", { stream_id: 1 }],
    ["DELETE /default_streams", { stream_id: 1 }],
    ["POST /default_stream_groups/create", { group_name: "group", description: "" }],
    ["PATCH /default_stream_groups/{group_id:int}", { new_description: "" }],
    ["PATCH /default_stream_groups/{group_id:int}/streams", { op: "add" }],
    ...Object.entries(joined(rowsOfRooms.map(({ garbage: { fields = {} } }) => fields))),
  ])
  return (route) => {
    const fields = known.get(nameOf(route)) ?? plainFields(route)
    // A new local id for each send: a repeated one would be refused before anything else is checked.
    return nameOf(route) === "POST /messages" ? { ...fields, queue_id: "q", local_id: String(sends++) } : fields
  }
}

const basic = ({ email, key }: Account): string => `Basic ${Buffer.from(`${email}:${key}`).toString("base64")}`

const form = { "Content-Type": "application/x-www-form-urlencoded" }

/** Characters of a value in a path: the network layer answers longer paths itself, without a body. */
const longestInPath = 300

const pathOf = (route: AppRoute, fields: Fields): string =>
  route.path.replace(/\{([a-z_]+)(?::int)?\}/g, (_, name: string) =>
    encodeURIComponent([...String(fields[name] ?? 1).slice(0, 2 * longestInPath)].slice(0, longestInPath).join("")),
  )

/** A request to this route: a POST whose body names the route's method, so that the fields may have any size. */
const requestOf = (route: AppRoute, fields: Fields, headers: Readonly<Record<string, string>>): RawRequest => ({
  method: "POST",
  path: `/api/v1${pathOf(route, fields)}`,
  headers: { ...form, ...headers },
  body: `${formOf({ ...fields, method: route.method })}`,
})

/** Escapes only the characters that a form must escape, so that large values cost little. */
const minimal = (value: string): string => value.replace(/[%&+]/g, encodeURIComponent)

/** As requestOf, with one more field; its value is put into the path too, if the path has a parameter of that name. */
const requestWith = (
  route: AppRoute,
  fields: Fields,
  name: string,
  value: string,
  headers: Readonly<Record<string, string>>,
): RawRequest => {
  const request = requestOf(route, { ...fields, [name]: undefined }, headers)
  const path = `/api/v1${pathOf(route, { ...fields, [name]: value })}`
  return { ...request, path, body: `${request.body}&${name}=${minimal(value)}` }
}

/** The texts for values of the wrong type; they come after the parameter's name and the item's path. */
const phrases: Readonly<Record<Param<unknown>["kind"], string>> = {
  text: "(must not contain null bytes|is not valid Unicode text|is too (long|short)|is not|cannot be blank|has invalid format)",
  integer: "is (not an integer|too small|too large)",
  boolean: "is not a boolean",
  choice: "^Invalid",
  json:
    "(is not valid JSON|is not an? (boolean|integer|string|list|dict)|is not length|field is missing|" +
    "is too (long|small|large|short)|is nested too deeply|has too many parts|must not contain|is not valid Unicode|is not an? .* or )",
}

/** The texts for wrong terms of a narrow. */
const ofNarrows = "dict or list required|operator is|operand is"
/** Those of features that have texts of their own. */
const further = new Set(rowsOfRooms.flatMap(({ garbage: { texts = [] } }) => texts))

interface Judged {
  readonly status: number
  readonly code: unknown
  readonly msg: string
}
type Judge = (answer: Judged) => string | undefined

/** For garbage in place of an id in the path: it makes another path, which may exist. */
const judgePath: Judge = ({ status, code }) =>
  status === 404 || status === 405 || code === "BAD_REQUEST" ? undefined : `the code for a path: ${String(code)}`

/** For values that the parameter's reader accepts: any refusal that the route lists. */
const judgeAccepted =
  (route: AppRoute): Judge =>
  ({ code, msg }) => {
    const known: ReadonlyArray<unknown> = ["BAD_REQUEST", ...route.errors]
    return known.includes(code) ? undefined : `the code ${String(code)}: ${msg}`
  }

/** For values that the parameter's reader refuses with `text`. */
const judgeRefused =
  (param: Param<unknown>, text: string): Judge =>
  ({ status, code, msg }) => {
    const named = `${param.name}(\\[[^\\]]*\\])* ${phrases[param.kind]}|Invalid ${param.name}|Argument "[^"]*" at ${param.name}\\[`
    const isType = new RegExp(`^(${named}|${ofNarrows})`).test(msg) || further.has(msg)
    if (code === "REQUEST_VARIABLE_INVALID" && msg.startsWith(`Bad value for '${param.name}': `))
      return msg === text ? undefined : `"${msg}", not "${text}"`
    if (status !== 400 || code !== "BAD_REQUEST") return `the code ${String(code)}: ${msg}`
    if (msg !== text) return `"${msg}", not "${text}"`
    return isType ? undefined : `"${msg}" does not name the type`
  }

const tooLarge = `a=${"x".repeat(1024 * 1024)}`

const anyCode: Judge = () => undefined

/** The method of a request: the one that its form names, if there is one. */
const requestMethod = ({ method = "GET", headers = {}, body }: RawRequest): string => {
  const named =
    typeof body === "string" && headers["Content-Type"] === form["Content-Type"]
      ? body
          .split("&")
          .findLast((pair) => pair.startsWith("method="))
          ?.slice("method=".length)
      : undefined
  return all.find((route) => route.method === named)?.method ?? method
}

interface Asked {
  readonly name: string
  readonly request: RawRequest
  readonly judge?: Judge
  /** The only right status; absent: any that is no server error. */
  readonly status?: number
}

/** The fault of an answer to garbage; undefined if it has none. */
const faultOf = async (
  wire: KeptConnections,
  { request, judge = anyCode, status }: Asked,
): Promise<string | undefined> => {
  const answer = await wire.ask(request)
  if (answer === undefined) return "the connection was cut"
  if (answer.status >= 500 || answer.status < 200) return `status ${answer.status}: ${answer.body}`
  if (status !== undefined && answer.status !== status) return `status ${answer.status}, not ${status}: ${answer.body}`
  let body: unknown
  try {
    body = JSON.parse(answer.body)
  } catch {
    return `no JSON: ${answer.body.slice(0, 200)}`
  }
  if (!Predicate.isObject(body)) return "no object"
  const path = request.path.slice("/api/v1".length)
  const fault = answerFaultOnce(requestMethod(request), path, answer.status, body, answer.body)
  if (fault !== undefined || answer.status === 200) return fault
  return judge({ status: answer.status, code: body["code"], msg: String(body["msg"]) })
}

/** Sends sixteen requests at a time; answers the faults, each with the name of its request. */
const faultsOf = async (wire: KeptConnections, asked: ReadonlyArray<Asked>): Promise<ReadonlyArray<string>> => {
  const faults: Array<string> = []
  for (let from = 0; from < asked.length; from += 16) {
    await Promise.all(
      asked.slice(from, from + 16).map(async (each) => {
        const fault = await faultOf(wire, each)
        if (fault !== undefined) faults.push(`${each.name}: ${fault}`)
      }),
    )
  }
  return faults
}

/** The refusal by the route's `handle` before its endpoint runs; undefined if it does not refuse. */
const refusalOf = (server: TestServer, route: AppRoute, source: ReadonlyMap<string, string>): Judged | undefined => {
  const caller: Caller = {
    realm: server.realmId,
    user: server.idOf("iago"),
    keyVersion: 1,
    client: "test",
    origin: server.origin,
  }
  const visitor: Visitor = { realm: server.realmId, client: "test", host: "", origin: server.origin, address: "" }
  const pathNames: ReadonlySet<string> = new Set()
  const handled =
    route.access === "anyone"
      ? route.handle({ who: visitor, source, pathNames })
      : route.handle({ who: caller, source, pathNames })
  const exit = Effect.runSyncExit(Effect.provide(handled, server.app.services))
  const failure = Exit.isFailure(exit) ? Exit.findErrorOption(exit) : undefined
  return failure?._tag === "Some" && failure.value._tag === "ApiError" ? failure.value : undefined
}

/** Garbage for one parameter: the faults found in this process, and the requests to be sent over HTTP. */
const sortGarbage = (
  server: TestServer,
  route: AppRoute,
  param: Param<unknown>,
  fields: () => Fields,
  headers: Readonly<Record<string, string>>,
): { readonly faults: ReadonlyArray<string>; readonly overWire: ReadonlyArray<Asked> } => {
  const faults: Array<string> = []
  const overWire: Array<Asked> = []
  const isInPath = route.path.includes(`{${param.name}`)
  const codes: ReadonlySet<unknown> = errorCodes(route)
  const inPath = Object.fromEntries((route.path.match(/(?<=\{)[a-z_]+/g) ?? []).map((name) => [name, 1]))
  const source = new Map(formOf({ ...inPath, ...fields(), [param.name]: undefined }))
  let isRefusalAsked = false
  for (const [name, value] of tried.get(placeOf(route, param)) ?? []) {
    const ask = (judge: Judge) =>
      overWire.push({ name, request: requestWith(route, fields(), param.name, value, headers), judge })
    if (isInPath) {
      const isSomething = router.find(pathOf(route, { ...fields(), [param.name]: value })) !== undefined
      if (isSomething || !isRefusalAsked) ask(judgePath)
      isRefusalAsked ||= !isSomething
      continue
    }
    const read = param.read(value)
    if (Result.isSuccess(read)) {
      ask(judgeAccepted(route))
      continue
    }
    const judge = judgeRefused(param, read.failure.msg)
    if (!isRefusalAsked) ask(judge)
    isRefusalAsked = true
    const refusal = refusalOf(server, route, new Map(source).set(param.name, value))
    const fault = refusal === undefined ? "it is not refused" : judge(refusal)
    if (fault !== undefined) faults.push(`${name}: ${fault}`)
    else if (!codes.has(refusal?.code)) faults.push(`${name}: the route does not know ${String(refusal?.code)}`)
  }
  return { faults, overWire }
}

/** In a path without its id there is a 1: the first channel is the one that such a request archives. */
const channels = [
  { name: "hall", users: ["iago"] },
  { name: "lobby", users: ["hamlet", "cordelia", "iago"] },
] as const

t.test("garbage in every parameter of every route", (t) =>
  withServer(t, { channels }, async (server) => {
    const right = await rightFields(server)
    // Looked up for each route, because one route makes a new key.
    const signed = () => ({ Authorization: basic(server.as("iago").account) })
    const before = process.memoryUsage().rss

    const wire = new KeptConnections(server.port)
    server.closeAfter(async () => wire.close())

    for (const route of table) {
      await t.test(nameOf(route), async (t) => {
        const asIago = signed()
        for (const param of Object.values(route.params)) {
          const { faults, overWire } = sortGarbage(server, route, param, () => right(route), asIago)
          t.same([...faults, ...(await faultsOf(wire, overWire))], [], param.name)
          if (!param.required) continue
          const answer = await wire.ask(requestOf(route, { ...right(route), [param.name]: undefined }, asIago))
          const inPath = route.path.includes(`{${param.name}`)
          t.equal(answer?.status, inPath ? answer?.status : 400, `${param.name} is missing`)
        }
        for (const param of Object.values(route.params).filter(({ aliases }) => aliases.length > 0)) {
          const all = Object.fromEntries([param.name, ...param.aliases].map((name) => [name, "1"]))
          const answer = await wire.ask(requestOf(route, { ...right(route), ...all }, asIago))
          t.match(
            JSON.parse(answer?.body ?? "null"),
            { code: "REQUEST_CONFUSING_VAR" },
            `${param.name} given under all its names at once`,
          )
        }
      })
    }

    await t.test("each text at its longest, in characters that are two units long", async (t) => {
      for (const { route, param } of some(texts, 4, "longest")) {
        const value = longestOf(param)
        if (value === undefined) continue
        const asked = { name: param.name, request: requestWith(route, right(route), param.name, value, signed()) }
        t.same(await faultsOf(wire, [asked]), [], nameOf(route))
      }
    })

    await t.test("each piece is tried for each kind of parameter", async (t) => {
      for (const kind of kinds) {
        const ofKind = places.filter(({ param }) => param.kind === kind)
        const pieces = new Set(ofKind.flatMap(({ route, param }) => tried.get(placeOf(route, param)) ?? []))
        t.equal(pieces.size, garbage.length, kind)
      }
    })

    await t.test("values in a form are decoded exactly as they were sent", async (t) => {
      for (const [name, value] of garbage)
        for (const body of [`${formOf({ value })}`, `value=${minimal(value)}`]) {
          const read = readBody(Buffer.from(body), form["Content-Type"])
          t.ok(Result.isSuccess(read) && read.success.get("value") === value, name)
        }
    })

    await t.test("garbage around the parameters", async (t) => {
      // Eighteen quick runs see it with each route.
      const withTooLarge = new Set(about(table, 10, "a larger body than is read"))
      const withOthers = new Set(some(table, 8, "around"))
      for (const route of table.filter((each) => withTooLarge.has(each) || withOthers.has(each))) {
        const asIago = signed()
        const fields = right(route)
        const whole = requestOf(route, fields, asIago)
        const noisy = Buffer.from(noise, "hex")
        const multipart = { ...asIago, "Content-Type": "multipart/form-data; boundary=x" }
        const json = { ...asIago, "Content-Type": "application/json" }
        const thousand = Array.from({ length: 1000 }, (_, at) => `p${at}=`).join("&")
        const requests: Readonly<Record<string, RawRequest>> = {
          "everything twice": { ...whole, body: `${whole.body}&${formOf({ ...fields, method: route.method })}` },
          "unknown parameters": { ...whole, body: `${whole.body}&__proto__=1&constructor=2&=3&&&toString` },
          "a thousand parameters": { ...whole, body: `${whole.body}&${thousand}` },
          "noise for a body": { ...whole, body: noisy },
          "noise for a multipart body": { ...whole, headers: multipart, body: noisy },
          "broken percent-encoding": { ...whole, body: `${whole.body}&a=%zz%` },
          "JSON for a body": { ...whole, headers: json, body: JSON.stringify(fields) },
          "another method": { ...whole, body: `${formOf({ ...fields, method: "BREW" })}` },
        }
        const asked = [
          ...(withOthers.has(route) ? Object.entries(requests) : []),
          ...(withTooLarge.has(route) ? [["a larger body than is read", { ...whole, body: tooLarge }] as const] : []),
        ].map(([name, request]) => ({ name, request }))
        t.same(await faultsOf(wire, asked), [], nameOf(route))
      }
    })

    await t.test("garbage in every path", async (t) => {
      for (const route of some(table, 8, "paths")) {
        const asIago = signed()
        const asked = pathGarbage.map((value) => ({
          name: value.slice(0, 20),
          request: {
            method: route.method,
            path: `/api/v1${route.path.replace(/\{[^}]*\}|[^/]*$/, value)}`,
            headers: asIago,
          },
        }))
        t.same(await faultsOf(wire, asked), [], nameOf(route))
      }
    })

    await t.test("every route as a guest, as another member, with wrong credentials and without any", async (t) => {
      const gone = server.as("othello").account
      await server.as("iago").must.delete(`/users/${server.idOf("othello")}`)
      const members = {
        "a guest": { Authorization: basic(server.as("polonius").account) },
        "another member": { Authorization: basic(server.as("cordelia").account) },
      }
      const strangers = {
        "a person who has left": { Authorization: basic(gone) },
        "a wrong key": { Authorization: basic({ email: "hamlet@test.example", key: "k".repeat(32) }) },
        "no address": { Authorization: basic({ email: "", key: "k".repeat(32) }) },
        noise: { Authorization: `Basic ${noise.slice(0, 1000)}` },
        NUL: { Authorization: basic({ email: "a\u0000", key: "k".repeat(32) }) },
        nobody: {},
      }
      for (const route of some(table, 8, "callers")) {
        const fields = right(route)
        const askedBy = (callers: Readonly<Record<string, Readonly<Record<string, string>>>>) =>
          Object.entries(callers).map(([name, headers]) => ({ name, request: requestOf(route, fields, headers) }))
        // Visitors are not admitted here: without a right key every route that needs an account answers 401.
        const refused = route.access === "anyone" ? {} : { status: 401 }
        const asked = [...askedBy(members), ...askedBy(strangers).map((each) => ({ ...each, ...refused }))]
        t.same(await faultsOf(wire, asked), [], nameOf(route))
      }
    })

    await t.test("the server still works afterwards", async (t) => {
      const reader = await server.queue("hamlet", { event_types: ["message"] })
      await server.as("cordelia").send("lobby", "still here")
      t.match(await reader.take(1), [{ message: { content: "still here" } }])
      const people =
        "select count(*)::integer as users from account where email like '%@test.example' and not is_bot and email <> $1"
      t.match(
        await server.rows(people, ["new@test.example"]),
        [{ users: 7 }],
        "only bots were made, and whom POST /users makes",
      )
      t.notOk("polluted" in {}, "Object.prototype is unchanged")
      const grown = (process.memoryUsage().rss - before) / 2 ** 20
      t.ok(grown < 600, `the memory grew by ${Math.round(grown)} MB`)
      t.comment(`the memory grew by ${Math.round(grown)} MB`)
    })
  }),
)
