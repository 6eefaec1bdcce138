/**
 * Schemas of the wire as JSON Schemas of an OpenAPI document. One with an identifier becomes a component, which others
 * name; all others stand where they are used.
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { WireSchema } from "../api/endpoint.ts"
import type { JsonSchema } from "../api/shapes.ts"
import type { Json, JsonObject } from "../json.ts"
import { isSameJson } from "../json.ts"

const here = "#/components/schemas/"

const isJsonObject = (value: Json): value is JsonObject => Predicate.isObject(value)

const distinct = (values: ReadonlyArray<Json>): ReadonlyArray<Json> => {
  const found: Array<Json> = []
  for (const value of values) if (!found.some((each) => isSameJson(each, value))) found.push(value)
  return found
}

/** One of several schemas. */
const oneOfThese = (schemas: ReadonlyArray<Json>): JsonSchema => {
  const [only = {}, ...others] = distinct(schemas)
  return others.length === 0 ? requireObject(only) : { anyOf: [only, ...others] }
}

/**
 * References into the definitions of a single schema, as references into the document. A tuple, which has nothing behind its
 * items, says what any of them is for readers that know no tuples.
 */
const moved = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(moved)
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).map(([key, each]): readonly [string, Json] => [
    key,
    key === "$ref" && Predicate.isString(each) ? each.replace("#/$defs/", here) : moved(each),
  ])
  const moving = Object.fromEntries(entries)
  const { prefixItems, items } = moving
  return Array.isArray(prefixItems) && items === undefined ? { ...moving, items: oneOfThese(prefixItems) } : moving
}

const requireObject = (value: Json): JsonSchema => {
  if (!isJsonObject(value)) throw new Error(`not a schema: ${JSON.stringify(value)}`)
  return value
}

const namesIn = (value: Json | undefined): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter(Predicate.isString) : []

/** The fields that each of several objects has for certain, as those of one. */
const inAll = (objects: ReadonlyArray<JsonSchema>): JsonSchema => {
  const required = namesIn(objects[0]?.["required"]).filter((name) =>
    objects.every((each) => namesIn(each["required"]).includes(name)),
  )
  const properties = required.map((name): readonly [string, Json] => {
    const schemas = objects.map(({ properties = {} }) => requireObject(properties)[name] ?? {})
    return [name, oneOfThese(schemas)]
  })
  return { type: "object", properties: Object.fromEntries(properties), required }
}

const asJson = Schema.decodeUnknownSync(Schema.Json)

/** The schemas of one document. */
export class SchemaComponents {
  readonly #schemas = new Map<string, JsonSchema>()

  /** Gives a schema a name. The same name for another schema is a mistake of the program. */
  add(name: string, schema: JsonSchema): JsonSchema {
    const known = this.#schemas.get(name)
    if (known !== undefined && !isSameJson(known, schema)) throw new Error(`two schemas are called ${name}`)
    this.#schemas.set(name, schema)
    return { $ref: `${here}${name}` }
  }

  /** The schema, exact: keys that it does not name are not sent. */
  of(schema: WireSchema): JsonSchema {
    const document = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
    for (const [name, each] of Object.entries(document.definitions)) this.add(name, requireObject(moved(asJson(each))))
    return requireObject(moved(asJson(document.schema)))
  }

  /** What a reference leads to; a schema that is none itself. */
  resolve(schema: JsonSchema): JsonSchema {
    const { $ref } = schema
    const known = Predicate.isString($ref) ? this.#schemas.get($ref.slice(here.length)) : undefined
    return known === undefined ? schema : this.resolve(known)
  }

  /**
   * The schema of an object, or each of a choice of objects, with further fields that all have. What all of a choice have
   * stands beside it, too, for readers of the document that see nothing within a choice.
   */
  withFields(schema: JsonSchema, fields: JsonSchema, required: ReadonlyArray<string>): JsonSchema {
    const { anyOf, oneOf, ...plain } = this.resolve(schema)
    const choice = anyOf ?? oneOf
    if (Array.isArray(choice)) {
      const each = choice.map((one: Json) => this.withFields(requireObject(one), fields, required))
      return { ...plain, ...inAll(each), anyOf: each }
    }
    const { properties = {}, required: known = [], ...rest } = plain
    return {
      ...rest,
      type: "object",
      properties: { ...fields, ...requireObject(properties) },
      required: [...new Set([...required, ...(Array.isArray(known) ? known : [])])],
    }
  }

  /** By name, in the order of the alphabet. */
  all(): JsonObject {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}
