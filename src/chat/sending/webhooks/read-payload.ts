/**
 * What a service has sent, as a value of which each text can be stored: anybody who may comment in a watched repository
 * chooses texts of its payloads, and a service switches a web hook off that fails.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { type Checked, invalidJson } from "../../../api/errors.ts"
import { storable } from "../../../api/shapes.ts"
import type { WebhookBody } from "../../../api/webhook-body.ts"
import { complexityFault, parseJson } from "../../../json.ts"

/**
 * Parts of a payload: those of a pipeline with a hundred jobs are 5,000. So many take some milliseconds to parse, which no
 * request without a bot's key can ask for.
 */
const mostParts = 10_000

/** How NUL and halves of characters stand in JSON whose bytes are UTF-8: as escapes, beside those of whole characters. */
const suspicious = /\\u(?:0000|d[89a-f])/i

/** Its texts and keys, all of them storable. Its depth is bounded before it is parsed. */
const cleaned = (value: unknown): unknown => {
  if (Predicate.isString(value)) return storable(value)
  if (Array.isArray(value)) return value.map(cleaned)
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [storable(key), cleaned(inner)]))
}

/** What some programs write before JSON, to say that it is Unicode. */
const byteOrderMark = /^\uFEFF/

export const readPayload = ({ text: sent, fields }: WebhookBody): Checked<unknown> => {
  const text = sent.replace(byteOrderMark, "")
  if (fields !== null) return Result.succeed(cleaned(Object.fromEntries(fields)))
  const fault = complexityFault(text, mostParts)
  const value = fault === undefined ? parseJson(text) : undefined
  if (value === undefined)
    return Result.fail(invalidJson(fault === undefined ? undefined : `Malformed JSON: the body ${fault}`))
  return Result.succeed(suspicious.test(text) ? cleaned(value) : value)
}
