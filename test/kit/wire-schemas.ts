/**
 * Checks everything that the server sends by the Schemas of its definitions: kinds of events, sections of register,
 * routes. An unknown key is an error, as are a missing one and an error code that the route does not list. The kit
 * checks every event and every answer that any test reads.
 */
import { createHash } from "node:crypto"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Route, WireKeys, WireSchema } from "../../src/api/endpoint.ts"
import { errorCodes } from "../../src/api/error-codes.ts"
import type { AppServices } from "../../src/app.ts"
import { eventKinds, registerSections, endpoints as routes } from "../../src/chat/features.ts"
import { everyRegister } from "../../src/chat/server/sync/register-schema.ts"
import { makeRouter } from "../../src/http/api/router.ts"
import { eventName } from "../../src/openapi/document.ts"
import { describedEventFault, describedFault } from "./described.ts"
import { further } from "./further.ts"

type Fields = Readonly<Record<string, unknown>>
type Check = (value: unknown) => string | undefined

/** Makes a check that answers what is wrong with a value; undefined if nothing is. */
const exactly = (schema: WireSchema): Check => {
  const decode = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })
  return (value) => {
    const decoded = decode(value)
    return Result.isFailure(decoded) ? decoded.failure.message : undefined
  }
}

const checksOf = (schemas: WireKeys): ReadonlyMap<string, Check> =>
  new Map(Object.entries(schemas).map(([name, schema]) => [name, exactly(schema)]))

const shorten = (value: unknown): string => JSON.stringify(value).slice(0, 2000)

/** The checks by `type` or `type/op`, with the types that only tests write. */
const eventChecks: ReadonlyMap<string, Check> = new Map(
  [...eventKinds, ...further.kinds].flatMap(({ type, events }) =>
    [...checksOf(events)].map(([op, check]) => [op === "" ? type : `${type}/${op}`, check] as const),
  ),
)

export const kindOf = (event: { readonly type: unknown; readonly op?: unknown }): string =>
  event.op === undefined ? String(event.type) : `${String(event.type)}/${String(event.op)}`

/** Types that only tests write are in no description. */
const describedKinds: ReadonlyMap<string, string> = new Map(
  eventKinds.flatMap(({ type, events }) =>
    Object.keys(events).map((op) => [op === "" ? type : `${type}/${op}`, eventName(type, op)] as const),
  ),
)
const describedEvent = (kind: string, event: unknown): string | undefined => {
  const name = describedKinds.get(kind)
  return name === undefined ? undefined : describedEventFault(name, event)
}

/** Throws if an event does not match the Schema of its kind. */
export const checkEvent = (event: unknown): void => {
  if (!Predicate.hasProperty(event, "type")) throw new Error(`not an event: ${JSON.stringify(event)}`)
  const kind = kindOf(event)
  const check = eventChecks.get(kind)
  if (check === undefined) throw new Error(`no such event: ${kind} ${JSON.stringify(event)}`)
  const fault = check(event) ?? describedEvent(kind, event)
  if (fault !== undefined) throw new Error(`${kind}: ${fault}\n${JSON.stringify(event)}`)
}

/** Lists of events that have been checked already. */
const checked = new WeakSet<ReadonlyArray<unknown>>()

/** Throws if an event of a list does not match its Schema. */
export const checkEvents = (events: unknown): void => {
  if (!Array.isArray(events)) throw new Error(`not a list of events: ${JSON.stringify(events)}`)
  if (checked.has(events)) return
  checked.add(events)
  for (const event of events) checkEvent(event)
}

const registerKeys: WireKeys = Object.assign({}, everyRegister.keys, ...registerSections.map(({ keys }) => keys))
const visitorKeys: WireKeys = Object.assign(
  {},
  everyRegister.visitorKeys,
  ...registerSections.map((section) => section.visitorKeys),
)
const registerChecks = checksOf(registerKeys)
const visitorChecks = checksOf({ ...registerKeys, ...visitorKeys })

/** Throws if a key of a register is unknown or does not match its Schema. Missing keys are not checked here. */
export const checkRegister = (state: Fields): void => {
  const checks = state["queue_id"] === null ? visitorChecks : registerChecks
  for (const [key, value] of Object.entries(state)) {
    const check = checks.get(key)
    if (check === undefined) throw new Error(`register has an unknown key ${key}: ${JSON.stringify(value)}`)
    const fault = check(value)
    if (fault !== undefined) throw new Error(`register, ${key}: ${fault}\n${shorten(value)}`)
  }
}

const checkSuccess = exactly(
  Schema.Struct({
    result: Schema.Literal("success"),
    msg: Schema.Literal(""),
    ignored_parameters_unsupported: Schema.optionalKey(Schema.Array(Schema.String).check(Schema.isMinLength(1))),
  }),
)
/** An error may have further fields, which depend on its code. */
const checkError = exactly(
  Schema.StructWithRest(
    Schema.Struct({ result: Schema.Literal("error"), msg: Schema.NonEmptyString, code: Schema.NonEmptyString }),
    [Schema.Record(Schema.String, Schema.Json)],
  ),
)

interface Checks {
  readonly route: Route<AppServices>
  readonly reply: Check
  readonly codes: ReadonlySet<unknown>
}
const table: ReadonlyArray<Route<AppServices>> = routes
const router = makeRouter(table)
const checksByRoute: ReadonlyMap<Route<AppServices>, Checks> = new Map(
  table.map((route) => [route, { route, reply: exactly(route.reply), codes: errorCodes(route) }]),
)

/** Events are checked one by one, by their kinds; some are of kinds that only tests write. */
const describedAnswer = (checks: Checks | undefined, status: number, body: Fields): string | undefined =>
  checks === undefined
    ? undefined
    : describedFault(checks.route, status, "events" in body ? { ...body, events: [] } : body)

const findChecks = (method: string, path: string): Checks | undefined => {
  const found = router.find(path.replace(/\?.*$/, ""))?.place.find(method)
  return found === undefined ? undefined : checksByRoute.get(found.route)
}

/** The route of a request as its definition has it, or the path. */
const routeName = (method: string, path: string): string => {
  const { route } = findChecks(method, path) ?? {}
  return route === undefined ? `${method} ${path}` : `${route.method} ${route.path}`
}

/** The codes of errors for requests without a route. */
const codesOfNone: ReadonlySet<unknown> = new Set([
  "NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "REQUEST_TOO_LARGE",
  "BAD_REQUEST",
  "RATE_LIMIT_HIT",
])

/** The fault of an answer by its route: in the fields of a success or the code of an error. Undefined: none. */
export const answerFault = (method: string, path: string, status: number, body: Fields): string | undefined => {
  const checks = findChecks(method, path)
  if (status !== 200) {
    const known = checks?.codes ?? codesOfNone
    const { code } = body
    const isKnown = known.has(code)
    if (!isKnown) return checkError(body) ?? `its definition does not have the code ${String(code)}`
    return checkError(body) ?? describedAnswer(checks, status, body)
  }
  if (checks === undefined) return "a success of no route"
  const { result, msg, ignored_parameters_unsupported: ignored, ...fields } = body
  const envelope = { result, msg, ...(ignored === undefined ? {} : { ignored_parameters_unsupported: ignored }) }
  // A few routes say something to people in it: then it is a field of theirs.
  const isOwn = checks.reply({ ...fields, msg }) === undefined
  const fault = isOwn ? undefined : checks.reply(fields)
  return checkSuccess(isOwn ? { ...envelope, msg: "" } : envelope) ?? fault ?? describedAnswer(checks, status, body)
}

/** Throws if an answer does not match its route. */
export const checkAnswer = (method: string, path: string, status: number, body: Fields): void => {
  const fault = answerFault(method, path, status, body)
  if (fault !== undefined) throw new Error(`${method} ${path}: ${fault}\n${status} ${shorten(body)}`)
  if (status === 200 && "events" in body) checkEvents(body["events"])
}

/** What makes each register another text though its state is the same. */
const ownOfRegister = /"queue_id":"[^"]*","last_event_id":-?\d+|"server_timestamp":\d+(\.\d+)?/g

const digestOf = (method: string, path: string, status: number, text: string): string =>
  createHash("sha1")
    .update(`${status} ${routeName(method, path)}\n`)
    .update(path === "/register" ? text.replace(ownOfRegister, "") : text)
    .digest("base64")

/**
 * Digests of answers that matched, each with its route and status: the same bytes need no second look. Most polls find
 * nothing, most changes are answered by nothing but that they are done, and registers of the same state say the same.
 */
const faultless = new Set<string>()
/** Those whose events matched too. */
const eventful = new Set<string>()

/** `answerFault` by the text from which `body` was read: no text without a fault is looked at twice. */
export const answerFaultOnce = (method: string, path: string, status: number, body: Fields, text: string) => {
  const digest = digestOf(method, path, status, text)
  if (faultless.has(digest)) return undefined
  const fault = answerFault(method, path, status, body)
  if (fault === undefined) faultless.add(digest)
  return fault
}

/** `checkAnswer` in the same way. */
export const checkAnswerOnce = (method: string, path: string, status: number, body: Fields, text: string): void => {
  const digest = digestOf(method, path, status, text)
  if (eventful.has(digest)) {
    if (Array.isArray(body["events"])) checked.add(body["events"])
    return
  }
  checkAnswer(method, path, status, body)
  eventful.add(digest)
}
