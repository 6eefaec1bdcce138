/**
 * Narrows: the filters of a request for messages. `narrowShape` parses the terms; `readNarrow` resolves them for one
 * reader against the realm in memory, to conditions and to the channels whose whole history is searched. A channel that
 * the user may not see answers exactly like one that does not exist. The operators are described in operators.ts. A
 * term `with` needs the database: requests resolve their narrow by resolve-narrow.ts.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Checked } from "../../../../api/errors.ts"
import { boolean, list, refined, type Shape, shape, string } from "../../../../api/shapes.ts"
import type { ChannelId } from "../../../../ids.ts"
import { readerReadsHistory } from "../../../ground/permissions/permissions.ts"
import type { Matcher, NarrowCondition } from "./matcher.ts"
import { type NarrowReader, type OperatorMeaning, operatorOf, refusedOperand } from "./operators.ts"

export type { NarrowReader } from "./operators.ts"

export interface Narrow {
  /** All of them must hold. */
  readonly conditions: ReadonlyArray<NarrowCondition>
  /** Channels in which the search includes messages that the user did not receive but may read. */
  readonly history: ReadonlyArray<ChannelId>
}

/** Every message that the reader holds. */
export const allHeld: Narrow = { conditions: [], history: [] }

/** One term, parsed but not yet resolved for a reader. */
export interface NarrowTerm {
  /** The first of the names that its operator has. */
  readonly operator: string
  readonly operand: unknown
  readonly negated: boolean
  readonly meaning: OperatorMeaning
  /** Equal for terms that mean the same, whatever names of operators they use. */
  readonly key: string
}

const readTerm = (name: unknown, operand: unknown, negated: unknown): Result.Result<NarrowTerm, string> =>
  Result.gen(function* () {
    const known = yield* string(name, "operator")
    const { name: operator, read } = operatorOf(known)
    const isNegated = yield* boolean(negated, "negated")
    const key = JSON.stringify([operator, operand, isNegated])
    return { operator, operand, meaning: yield* read(operand), negated: isNegated, key }
  })

const termKeys: ReadonlySet<string> = new Set(["operator", "operand", "negated"])

const operandSchema = { anyOf: [{ type: ["string", "integer"] }, { type: "array", items: { type: "integer" } }] }
const termSchema = {
  anyOf: [
    {
      type: "object",
      properties: { operator: { type: "string" }, operand: operandSchema, negated: { type: ["boolean", "null"] } },
      required: ["operator", "operand"],
    },
    { type: "array", items: { type: "string" }, minItems: 2, maxItems: 2 },
  ],
}

const termShape = shape<NarrowTerm>(termSchema, (value, path, surplus) => {
  if (Array.isArray(value)) {
    const [name, operand]: ReadonlyArray<unknown> = value
    return value.length === 2 && value.every(Predicate.isString)
      ? readTerm(name, operand, false)
      : Result.fail(`${path} is not a string pair`)
  }
  if (!Predicate.isObject(value)) return Result.fail("dict or list required")
  if (value["operator"] === undefined) return Result.fail("operator is missing")
  if (value["operand"] === undefined) return Result.fail("operand is missing")
  if (surplus !== undefined) for (const key of Object.keys(value)) if (!termKeys.has(key)) surplus(key)
  return readTerm(value["operator"], value["operand"], value["negated"] ?? false)
})

/** Each text is compared with every message that is looked at. */
const mostTexts = 5
const mostTerms = 100
/** The most characters of all terms together: a conversation of 200 people by their addresses. */
const longestNarrow = 20_000

/**
 * The parameter `narrow`: at most 100 terms, as objects or as pairs of older clients, each once: 100 times "all public
 * channels" is the same narrow as once, but costs a hundred times as much.
 */
export const narrowShape: Shape<ReadonlyArray<NarrowTerm>> = refined(list(termShape, mostTerms), (terms, path) => {
  const distinct = new Map(terms.map((term) => [term.key, term]))
  const length = [...distinct.keys()].reduce((sum, key) => sum + key.length, 0)
  if (terms.filter(({ operator }) => operator === "search").length > mostTexts)
    return Result.fail(`${path} has too many terms "search" (limit: ${mostTexts})`)
  return length > longestNarrow
    ? Result.fail(`${path} is too long (limit: ${longestNarrow} characters)`)
    : Result.succeed([...distinct.values()])
})

const directKinds: ReadonlySet<Matcher["kind"]> = new Set(["direct", "conversation", "including", "group"])
const channelKinds: ReadonlySet<Matcher["kind"]> = new Set(["channel", "channels", "topic"])

const named = (matcher: Matcher): ReadonlyArray<ChannelId> =>
  matcher.kind === "channel" ? [matcher.channel] : matcher.kind === "channels" ? matcher.channels : []

/**
 * The conditions that only messages fulfil which the reader has received, so with one of them no history is searched.
 * Negated, they hold of all others: who has not received a message has not starred it.
 */
const areOfReceived: ReadonlySet<Matcher["kind"]> = new Set(["direct", "flag"])

/** Whether the terms are for visitors: without an account one reads web-public channels, and must ask for these. */
export const asksForWebPublic = (terms: ReadonlyArray<NarrowTerm>): boolean =>
  terms.some(({ operator, operand, negated }) => operator === "channels" && operand === "web-public" && !negated)

/**
 * Resolves the terms for this reader; `further`: conditions beside them. Fails with BAD_NARROW, or with UNAUTHORIZED
 * where a visitor needs an account.
 */
export const readNarrow = (
  terms: ReadonlyArray<NarrowTerm>,
  reader: NarrowReader,
  further: ReadonlyArray<NarrowCondition> = [],
): Checked<Narrow> =>
  Result.gen(function* () {
    const conditions: Array<NarrowCondition> = [...further]
    for (const { meaning, negated } of terms) {
      const matcher = yield* meaning(reader)
      if (matcher !== null) conditions.push({ matcher, negated })
    }
    const wanted = conditions.filter((each) => !each.negated).map((each) => each.matcher)
    if (wanted.some((each) => directKinds.has(each.kind)) && wanted.some((each) => channelKinds.has(each.kind)))
      return yield* refusedOperand("No message can be both a channel message and direct message")
    if (wanted.some((each) => areOfReceived.has(each.kind))) return { conditions, history: [] }
    const history = new Set(wanted.flatMap(named))
    const open = [...history].filter((each) => {
      const record = reader.realm.channels.get(each)
      return record !== undefined && readerReadsHistory(reader.realm, reader.user, record)
    })
    return { conditions, history: open }
  })
