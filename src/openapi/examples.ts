/** Examples of parameters: values that their own readers take. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Param } from "../api/params.ts"
import type { JsonSchema } from "../api/shapes.ts"
import type { Json } from "../json.ts"

/** By name, where a schema tells nothing of what is meant. */
const byName: Readonly<Record<string, ReadonlyArray<Json>>> = {
  anchor: ["newest"],
  apns_token: ["c0ffee"],
  content: ["Lunch at **noon**?"],
  description: ["What we cook"],
  email: ["hamlet@zulip.com"],
  emoji_code: ["1f389"],
  emoji_name: ["tada"],
  event_types: [["message", "reaction"]],
  fetch_event_types: [["message"]],
  flag: ["read"],
  full_name: ["Hamlet of Denmark"],
  invitee_emails: ["ophelia@example.com"],
  last_event_id: [-1],
  narrow: [[{ operator: "channel", operand: "kitchen" }], [["channel", "kitchen"]]],
  new_email: ["prince@example.com"],
  op: ["add", "start"],
  pattern: ["#(?P<id>[0-9]+)"],
  password: ["correct horse battery staple"],
  property: ["color"],
  queue_id: ["fb67bf8a-c031-47cc-84cf-ed80accacda8"],
  reaction_type: ["unicode_emoji"],
  status_text: ["On holiday"],
  stream: ["kitchen"],
  timezone: ["Europe/Berlin"],
  role: [400],
  to: ["kitchen", 7, [7]],
  token: ["c0ffee"],
  topic: ["lunch"],
  topic_name: ["lunch"],
  url_template: ["https://example.com/issues/{id}"],
  username: ["hamlet@zulip.com"],
}

/** The least that a schema takes; undefined where that cannot be told. */
const leastOf = (schema: JsonSchema): Json | undefined => {
  const { enum: values, anyOf, type } = schema
  if (Array.isArray(values)) return values[0]
  if (Array.isArray(anyOf)) return undefined
  if (type === "boolean") return true
  if (type === "integer") return typeof schema["minimum"] === "number" ? Math.max(schema["minimum"], 1) : 7
  return undefined
}

/** As a client sends it. */
export const sentAs = ({ kind }: Param<unknown>, value: Json): string =>
  kind === "json" && !Predicate.isString(value) ? JSON.stringify(value) : String(value)

/** Whether a parameter's own reader takes a value; one may leave the judgement to its endpoint. */
export const takes = (param: Param<unknown>, text: string): boolean => {
  const read = param.read(text)
  return Result.isSuccess(read) && !(Result.isResult(read.success) && Result.isFailure(read.success))
}

/** The first that the parameter takes; undefined where none is known. */
export const exampleOf = (param: Param<unknown>): Json | undefined =>
  [...(Object.hasOwn(byName, param.name) ? (byName[param.name] ?? []) : []), leastOf(param.schema)].find(
    (value) => value !== undefined && takes(param, sentAs(param, value)),
  )
