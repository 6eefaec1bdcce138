/**
 * What the server sends, checked to the letter by what its own definitions say: each kind of event, each section of
 * register, each route. A key that they do not name is an error, as is one that is missing and a code that the route does
 * not know. The kit calls this for every event and every answer that any test reads.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { AppServices } from "../../src/app.ts"
import { eventKinds, registerSections } from "../../src/chat/capabilities.ts"
import { everyRegister } from "../../src/chat/sync/register-schema.ts"
import { errorCodes, type Keys, type Route, type WireSchema } from "../../src/endpoint.ts"
import { makeRouter } from "../../src/http/router.ts"
import { routes } from "../../src/http/routes.ts"
import { further } from "./further.ts"

type Fields = Readonly<Record<string, unknown>>
type Check = (value: unknown) => string | undefined

/** A check that answers what is wrong with a value. */
const exactly = (schema: WireSchema): Check => {
  const decode = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })
  return (value) => {
    const decoded = decode(value)
    return Result.isFailure(decoded) ? decoded.failure.message : undefined
  }
}

const checksOf = (schemas: Keys): ReadonlyMap<string, Check> =>
  new Map(Object.entries(schemas).map(([name, schema]) => [name, exactly(schema)]))

const shorten = (value: unknown): string => JSON.stringify(value).slice(0, 2000)

/** By `type`, or `type/op`; those that only tests write too. */
const eventChecks: ReadonlyMap<string, Check> = new Map(
  [...eventKinds, ...further.kinds].flatMap(({ type, events }) =>
    [...checksOf(events)].map(([op, check]) => [op === "" ? type : `${type}/${op}`, check] as const),
  ),
)

export const kindOf = (event: { readonly type: unknown; readonly op?: unknown }): string =>
  event.op === undefined ? String(event.type) : `${String(event.type)}/${String(event.op)}`

/** Throws where an event is not as its kind says. */
export const checkEvent = (event: unknown): void => {
  if (!Predicate.hasProperty(event, "type")) throw new Error(`not an event: ${JSON.stringify(event)}`)
  const kind = kindOf(event)
  const check = eventChecks.get(kind)
  if (check === undefined) throw new Error(`no such event: ${kind} ${JSON.stringify(event)}`)
  const fault = check(event)
  if (fault !== undefined) throw new Error(`${kind}: ${fault}\n${JSON.stringify(event)}`)
}

/** Lists on their way through the kit are looked at by whoever sees them first. */
const checked = new WeakSet<ReadonlyArray<unknown>>()

/** Throws where a list of events has one that is not as it must be. */
export const checkEvents = (events: unknown): void => {
  if (!Array.isArray(events)) throw new Error(`not a list of events: ${JSON.stringify(events)}`)
  if (checked.has(events)) return
  checked.add(events)
  for (const event of events) checkEvent(event)
}

const registerKeys: Keys = Object.assign({}, everyRegister.keys, ...registerSections.map(({ keys }) => keys))
const visitorKeys: Keys = Object.assign(
  {},
  everyRegister.visitorKeys,
  ...registerSections.map((section) => section.visitorKeys),
)
const registerChecks = checksOf(registerKeys)
const visitorChecks = checksOf({ ...registerKeys, ...visitorKeys })

/** Throws where a key of a register is unknown or is not as it must be; which keys there must be is not its business. */
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
/** What a code brings beside itself is its own business. */
const checkError = exactly(
  Schema.StructWithRest(
    Schema.Struct({ result: Schema.Literal("error"), msg: Schema.NonEmptyString, code: Schema.NonEmptyString }),
    [Schema.Record(Schema.String, Schema.Json)],
  ),
)

interface Checks {
  readonly reply: Check
  readonly codes: ReadonlySet<unknown>
}
const table: ReadonlyArray<Route<AppServices>> = routes
const router = makeRouter(table)
const checksByRoute: ReadonlyMap<Route<AppServices>, Checks> = new Map(
  table.map((route) => [route, { reply: exactly(route.reply), codes: errorCodes(route) }]),
)

const findChecks = (method: string, path: string): Checks | undefined => {
  const found = router.find(path.replace(/\?.*$/, ""))?.place.find(method)
  return found === undefined ? undefined : checksByRoute.get(found.route)
}

/** What is said where no route is found: at once, or once a body has been read that might name another method. */
const codesOfNone: ReadonlySet<unknown> = new Set([
  "NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "REQUEST_TOO_LARGE",
  "BAD_REQUEST",
  "RATE_LIMIT_HIT",
])

/** What of an answer is not as its route says, of a success by its fields, of an error by its code. */
export const answerFault = (method: string, path: string, status: number, body: Fields): string | undefined => {
  const checks = findChecks(method, path)
  if (status !== 200) {
    const known = checks?.codes ?? codesOfNone
    const { code } = body
    return checkError(body) ?? (known.has(code) ? undefined : `its definition does not have the code ${String(code)}`)
  }
  if (checks === undefined) return "a success of no route"
  const { result, msg, ignored_parameters_unsupported: ignored, ...fields } = body
  const envelope = { result, msg, ...(ignored === undefined ? {} : { ignored_parameters_unsupported: ignored }) }
  return checkSuccess(envelope) ?? checks.reply(fields)
}

/** Throws where an answer is not as its route says. */
export const checkAnswer = (method: string, path: string, status: number, body: Fields): void => {
  const fault = answerFault(method, path, status, body)
  if (fault !== undefined) throw new Error(`${method} ${path}: ${fault}\n${status} ${shorten(body)}`)
  if (status === 200 && "events" in body) checkEvents(body["events"])
}
