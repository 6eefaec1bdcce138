/**
 * JSON Schemas as types of TypeScript, in one line each. What stands at several places is found by its text and gets a
 * name: `see` every schema first, then ask for texts. Used by client-types.ts.
 */
import * as Predicate from "effect/Predicate"
import type { JsonSchema } from "../api/shapes.ts"
import type { Json, JsonObject } from "../json.ts"

/** A list is none. */
export const isObject = (value: Json | undefined): value is JsonObject => Predicate.isObject(value)
export const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

/** A shorter text is as easily read as a name; a list is told by what is in it. */
const leastNamed = 60
const mayHaveName = (text: string): boolean => text.length >= leastNamed && !/^readonly |^\{ \[key/.test(text)

/** A name for the type of a property, or of an item of it (`key[]`); `text` is the type itself. */
export type TypeName = (key: string, text: string) => string

interface SharedShape {
  readonly schema: JsonSchema
  /** Where it stands: the text of what is around it, and the property. */
  readonly places: Set<string>
  readonly keys: Set<string>
}

const plain: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
}

const list = (item: string): string => (/^[\w."]+$/.test(item) ? `readonly ${item}[]` : `readonly (${item})[]`)
const property = (key: string): string => (/^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key))
const itemOf = (key: string): string => (key.endsWith("[]") ? key : `${key}[]`)
const union = (members: ReadonlyArray<string>): string => [...new Set(members)].join(" | ")

/** Gives the text of a schema inside of another. `key`: the property that it stands in, with `[]` where it is an item of that. */
type InnerSchema = (schema: JsonSchema, key: string) => string

const objectText = (
  schema: JsonSchema,
  key: string,
  inner: InnerSchema,
  glue: readonly [string, string, string],
): string => {
  const { properties, required, additionalProperties: rest } = schema
  const known = Object.entries(objectOf(properties))
  if (known.length === 0) {
    if (rest === false || (properties !== undefined && rest === undefined)) return "{}"
    return `{ [key: string]: ${isObject(rest) ? inner(rest, itemOf(key)) : "unknown"} }`
  }
  const names = Array.isArray(required) ? required : []
  const [begin, between, end] = glue
  const fields = known.map(
    ([name, each]) => `${property(name)}${names.includes(name) ? "" : "?"}: ${inner(objectOf(each), name)}`,
  )
  return `${begin}${fields.join(between)}${end}`
}

const textOf = (
  schema: JsonSchema,
  key: string,
  inner: InnerSchema,
  glue: readonly [string, string, string],
): string => {
  const { $ref, const: value, enum: values, anyOf, oneOf, not, type, items, prefixItems, format } = schema
  if (Predicate.isString($ref)) return $ref.slice($ref.lastIndexOf("/") + 1)
  if (value !== undefined) return JSON.stringify(value)
  if (Array.isArray(values)) return union(values.map((each: Json) => JSON.stringify(each)))
  const choice = anyOf ?? oneOf
  if (Array.isArray(choice)) return union(choice.map((each: Json) => inner(objectOf(each), key)))
  if (Array.isArray(type)) return union(type.map((each: Json) => inner({ ...schema, type: each }, key)))
  if (type === "string" && format === "binary") return "Blob"
  if (type === "array" && Array.isArray(prefixItems))
    return `readonly [${prefixItems.map((each: Json) => inner(objectOf(each), key)).join(", ")}]`
  if (type === "array") return list(inner(objectOf(items), itemOf(key)))
  if (type === "object" || schema["properties"] !== undefined) return objectText(schema, key, inner, glue)
  if (Predicate.isString(type)) return plain[type] ?? "unknown"
  return isObject(not) && Object.keys(not).length === 0 ? "never" : "unknown"
}

const oneLine = ["{ ", "; ", " }"] as const
const manyLines = ["{\n  ", "\n  ", "\n}"] as const

/** Names of properties that say nothing of what is in them. */
const hollow: ReadonlySet<string> = new Set(["Value", "New", "Old", "Add", "Data"])

const shortest = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...names].sort((a, b) => Number(hollow.has(a)) - Number(hollow.has(b)) || a.length - b.length || (a < b ? -1 : 1))

export class TypeTexts {
  readonly #typeName: TypeName
  readonly #taken: Set<string>
  /** By its text without names. */
  readonly #shapes = new Map<string, SharedShape>()
  #names: ReadonlyMap<string, string> | null = null

  /** `taken`: names that others have. */
  constructor(typeName: TypeName, taken: ReadonlySet<string>) {
    this.#typeName = typeName
    this.#taken = new Set(taken)
  }

  readonly #bare: InnerSchema = (schema, key) => textOf(schema, key, this.#bare, oneLine)

  /** `place`: the name of what the schema is. */
  see(place: string, schema: JsonSchema): void {
    const enter =
      (around: string): InnerSchema =>
      (inner, key) => {
        const text = this.#bare(inner, key)
        if (mayHaveName(text)) {
          const shape = this.#shapes.get(text) ?? { schema: inner, places: new Set(), keys: new Set() }
          this.#shapes.set(text, shape)
          shape.places.add(`${around} ${key}`)
          shape.keys.add(key)
        }
        return textOf(inner, key, enter(text), oneLine)
      }
    textOf(schema, "", enter(place), oneLine)
  }

  /** The names of all texts that have one. */
  #named(): ReadonlyMap<string, string> {
    if (this.#names !== null) return this.#names
    const names = new Map<string, string>()
    for (const [text, { places, keys }] of this.#shapes) {
      if (places.size < 2) continue
      // A choice of a component is below no property.
      const [name] = shortest([...keys].flatMap((key) => (key === "" ? [] : [this.#typeName(key, text)])))
      if (name === undefined) continue
      let free = name
      for (let n = 2; this.#taken.has(free); n++) free = `${name}${n}`
      this.#taken.add(free)
      names.set(text, free)
    }
    this.#names = names
    return names
  }

  readonly #byName: InnerSchema = (schema, key) =>
    this.#named().get(this.#bare(schema, key)) ?? textOf(schema, key, this.#byName, oneLine)

  /** In one line, by name where it has one. */
  inside(schema: JsonSchema): string {
    return this.#byName(schema, "")
  }

  /** The text of what is declared: a line for each property. */
  whole(schema: JsonSchema): string {
    return textOf(schema, "", this.#byName, manyLines)
  }

  /** The declarations of all named texts. */
  named(): ReadonlyArray<string> {
    return [...this.#named()].flatMap(([text, name]) => {
      const shape = this.#shapes.get(text)
      return shape === undefined ? [] : [`export type ${name} = ${this.whole(shape.schema)}`]
    })
  }
}
