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

/** References into the definitions of a single schema, as references into the document. */
const moved = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(moved)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === "$ref" && Predicate.isString(each) ? each.replace("#/$defs/", here) : moved(each),
    ]),
  )
}

const requireObject = (value: Json): JsonSchema => {
  if (!isJsonObject(value)) throw new Error(`not a schema: ${JSON.stringify(value)}`)
  return value
}

const asJson = Schema.decodeUnknownSync(Schema.Json)

/** The schemas of one document. */
export class Components {
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

  /** The schema of an object, or each of a choice of objects, with further fields that all have. */
  withFields(schema: JsonSchema, fields: JsonSchema, required: ReadonlyArray<string>): JsonSchema {
    const { anyOf, oneOf, ...plain } = this.resolve(schema)
    const choice = anyOf ?? oneOf
    if (Array.isArray(choice)) {
      const each = choice.map((one: Json) => this.withFields(requireObject(one), fields, required))
      return { ...plain, anyOf: each }
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
