/** JSON at random: whatever a schema asks for, what is nearly that, and what no reader should be hurt by. */
import * as Predicate from "effect/Predicate"
import type { Json } from "../../src/json.ts"
import type { Dice } from "../faults/kill/dice.ts"
import { hardValue, rightText, size, text } from "./bytes.ts"

const numbers: ReadonlyArray<number> = [
  0,
  -0,
  1,
  -1,
  2,
  1.5,
  100,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 63),
  1e21,
  1e308,
  5e-324,
]

const keys = [
  "type",
  "name",
  "id",
  "op",
  "operator",
  "operand",
  "negated",
  "",
  "__proto__",
  "constructor",
  "length",
  "a",
]

/** Any JSON, of a few levels. */
export const anyJson = (dice: Dice, levels = 3): Json => {
  const kind = dice.below(levels > 0 ? 8 : 5)
  if (kind === 0) return null
  if (kind === 1) return dice.chance(0.5)
  if (kind === 2) return dice.chance(0.5) ? dice.pick(numbers) : dice.below(100)
  if (kind <= 4) return text(dice, 30)
  const count = dice.chance(0.05) ? size(dice, 300) : dice.below(5)
  if (kind <= 6) return Array.from({ length: count }, () => anyJson(dice, levels - 1))
  return Object.fromEntries(
    Array.from({ length: count }, () => [
      dice.chance(0.8) ? dice.pick(keys) : text(dice, 8),
      anyJson(dice, levels - 1),
    ]),
  )
}

const schemasIn = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

const ofType = (dice: Dice, schema: { readonly [key: string]: Json }, type: Json | undefined, odd: number): Json => {
  switch (type) {
    case "null":
      return null
    case "boolean":
      return dice.chance(0.5)
    case "integer":
    case "number": {
      const { minimum, maximum } = schema
      const least = Predicate.isNumber(minimum) ? minimum : 0
      const most = Predicate.isNumber(maximum) ? maximum : least + 30
      const pick = dice.below(4)
      return pick === 0
        ? least
        : pick === 1
          ? most
          : !dice.chance(2 * odd)
            ? Math.min(most, least + dice.below(30))
            : dice.pick(numbers)
    }
    case "string": {
      const most = Predicate.isNumber(schema["maxLength"]) ? schema["maxLength"] : 200
      const longest = Math.min(most, 2000)
      return odd === 0 ? rightText(dice, longest) : text(dice, longest)
    }
    case "array": {
      const { items = {}, prefixItems } = schema
      if (Array.isArray(prefixItems)) return prefixItems.map((each) => ofSchema(dice, each, odd))
      const count = dice.chance(0.03) ? size(dice, 1000) : dice.below(4)
      return Array.from({ length: count }, () => ofSchema(dice, items, odd))
    }
    case "object": {
      const { properties = {}, additionalProperties } = schema
      const made: Record<string, Json> = {}
      if (isRecord(properties))
        for (const [name, each] of Object.entries(properties))
          if (dice.chance(0.85)) made[name] = ofSchema(dice, each, odd)
      if (dice.chance(2 * odd) || isRecord(additionalProperties))
        made[dice.pick(keys)] = isRecord(additionalProperties)
          ? ofSchema(dice, additionalProperties, odd)
          : anyJson(dice, 1)
      return made
    }
    default:
      return anyJson(dice, 2)
  }
}

const isRecord = (value: Json | undefined): value is { readonly [key: string]: Json } => Predicate.isObject(value)

/** What the schema asks for, but for parts that are anything, with the chance `odd`. */
export const ofSchema = (dice: Dice, schema: Json, odd: number): Json => {
  if (!isRecord(schema) || dice.chance(odd)) return anyJson(dice, 2)
  const choices = [...schemasIn(schema["anyOf"]), ...schemasIn(schema["oneOf"])]
  if (choices.length > 0) return ofSchema(dice, dice.pick(choices), odd)
  if ("const" in schema && schema["const"] !== undefined) return schema["const"]
  const listed = schemasIn(schema["enum"])
  if (listed.length > 0) return dice.pick(listed)
  const { type } = schema
  return ofType(dice, schema, Array.isArray(type) ? dice.pick(type) : type, odd)
}

/** JSON as a text that takes long to read, or that is none. */
export const hardJson = (dice: Dice): string => {
  const count = dice.chance(0.2) ? size(dice, 60_000) : size(dice, 300)
  const kind = dice.below(9)
  if (kind === 0) return "[".repeat(count) + "]".repeat(dice.chance(0.5) ? count : dice.below(count + 1))
  if (kind === 1) return `${'{"a":'.repeat(count)}1${"}".repeat(count)}`
  if (kind === 2) return JSON.stringify(Array.from({ length: count }, () => dice.below(1000)))
  if (kind === 3) return JSON.stringify(Array.from({ length: Math.min(count, 5000) }, () => ({ a: 1 })))
  if (kind === 4) return `[${"1,".repeat(count)}1]`
  if (kind === 5) return `"${"\\u0041\\ud83d".repeat(Math.min(count, 5000))}"`
  if (kind === 6) return `{${Array.from({ length: Math.min(count, 3000) }, (_, n) => `"k${n % 50}":${n}`).join(",")}}`
  if (kind === 7) return `-${"9".repeat(count)}.${"9".repeat(count)}e${"9".repeat(dice.below(5))}`
  return hardValue(dice)
}
