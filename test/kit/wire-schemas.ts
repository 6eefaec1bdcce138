/**
 * What the server sends, checked to the letter: one exact form for each type of event, for each key of a register and
 * for the records in them. A key that the contract does not know is an error, as is one that is missing. The kit calls
 * this for every event and register that any test reads.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { answerTo } from "./wire-schemas-answers.ts"
import { channelEvents } from "./wire-schemas-channels.ts"
import { groupEvents } from "./wire-schemas-groups.ts"
import { messageEvents } from "./wire-schemas-messages.ts"
import { peopleEvents } from "./wire-schemas-people.ts"
import { realmEvents } from "./wire-schemas-realm.ts"
import { registerKeys, visitorKeys } from "./wire-schemas-register.ts"
import { settingsEvents } from "./wire-schemas-settings.ts"
import { Count, type Keys } from "./wire-schemas-values.ts"

type Check = (value: unknown) => string | undefined

/** A check that answers what is wrong with a value. */
export const exactly = (schema: Schema.ConstraintDecoder<unknown>): Check => {
  const decode = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })
  return (value) => {
    const decoded = decode(value)
    return Result.isFailure(decoded) ? decoded.failure.message : undefined
  }
}

const checksOf = (schemas: Keys): ReadonlyMap<string, Check> =>
  new Map(Object.entries(schemas).map(([name, schema]) => [name, exactly(schema)]))

const eventChecks = checksOf({
  ...channelEvents,
  ...groupEvents,
  ...messageEvents,
  ...peopleEvents,
  ...realmEvents,
  ...settingsEvents,
  "saved_snippets/add": Schema.Struct({
    id: Count,
    type: Schema.Literal("saved_snippets"),
    op: Schema.Literal("add"),
    saved_snippet: Schema.Unknown,
  }),
  "saved_snippets/update": Schema.Struct({
    id: Count,
    type: Schema.Literal("saved_snippets"),
    op: Schema.Literal("update"),
    saved_snippet: Schema.Unknown,
  }),
  "saved_snippets/remove": Schema.Struct({
    id: Count,
    type: Schema.Literal("saved_snippets"),
    op: Schema.Literal("remove"),
    saved_snippet_id: Count,
  }),
  heartbeat: Schema.Struct({ id: Count, type: Schema.Literal("heartbeat") }),
})

/** Every event there is, as `type` or `type/op`. */
export const kindsOfEvents: ReadonlyArray<string> = [...eventChecks.keys()]

/** Rows that only tests write (further.ts). */
const ofTests: ReadonlySet<unknown> = new Set(["test_wide", "test_large"])

export const kindOf = (event: { readonly type: unknown; readonly op?: unknown }): string =>
  event.op === undefined ? String(event.type) : `${String(event.type)}/${String(event.op)}`

/** Throws where an event is not as the contract has it. */
export const checkEvent = (event: unknown): void => {
  if (!Predicate.hasProperty(event, "type")) throw new Error(`not an event: ${JSON.stringify(event)}`)
  if (ofTests.has(event.type)) return
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

const registerChecks = checksOf(registerKeys)
const visitorChecks = checksOf({ ...registerKeys, ...visitorKeys })

/** Throws where a key of a register is unknown or is not as it must be; which keys there must be is not its business. */
export const checkRegister = (state: Readonly<Record<string, unknown>>): void => {
  const checks = state["queue_id"] === null ? visitorChecks : registerChecks
  for (const [key, value] of Object.entries(state)) {
    const check = checks.get(key)
    if (check === undefined) throw new Error(`register has an unknown key ${key}: ${JSON.stringify(value)}`)
    const fault = check(value)
    if (fault !== undefined) throw new Error(`register, ${key}: ${fault}\n${JSON.stringify(value).slice(0, 2000)}`)
  }
}

const answerChecks = new WeakMap<Schema.ConstraintDecoder<unknown>, Check>()

/** Throws where a success is not the answer that the contract has for this request. */
export const checkAnswer = (method: string, path: string, body: Readonly<Record<string, unknown>>): void => {
  if (method === "GET" && path === "/events") return checkEvents(body["events"])
  if (method === "POST" && path === "/register") return checkRegister(body)
  const schema = answerTo(method, path)
  if (schema === undefined) return
  const check = answerChecks.get(schema) ?? exactly(schema)
  answerChecks.set(schema, check)
  const fault = check(body)
  if (fault !== undefined) throw new Error(`${method} ${path}: ${fault}\n${JSON.stringify(body).slice(0, 2000)}`)
}
