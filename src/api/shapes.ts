/**
 * Shapes of the JSON in a parameter's value: each decodes an unknown value into a typed one, or fails with the API's
 * phrase, in which `path` names the value (`to[0]["id"]`).
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Json, JsonObject } from "../json.ts"

/** What a value may be, for readers of the API's description: a JSON Schema of the draft 2020-12. */
export type JsonSchema = JsonObject

/** Is told each key of an object that the object's shape does not know and so ignores. */
export type NoteIgnoredKey = (key: string) => void

/** Decodes a JSON value; fails with the whole sentence, path included. */
type Decoder<A> = (value: unknown, path: string, surplus?: NoteIgnoredKey) => Result.Result<A, string>

/**
 * A decoder with the schema of what it takes. The schema may take more than the decoder, where it cannot say a rule; it
 * refuses nothing that the decoder takes.
 */
export interface Shape<out A> extends Decoder<A> {
  readonly schema: JsonSchema
}

/** A shape that is no combination of others. `decode` is a function of its own, which becomes the shape. */
export const shape = <A>(schema: JsonSchema, decode: Decoder<A>): Shape<A> => Object.assign(decode, { schema })

/** A further rule for what a shape has decoded. `schema`: what a schema can say of the rule. */
export const refined = <A, B>(
  base: Shape<A>,
  rule: (value: A, path: string) => Result.Result<B, string>,
  schema: JsonSchema = {},
): Shape<B> =>
  shape({ ...base.schema, ...schema }, (value, path, surplus) =>
    Result.flatMap(base(value, path, surplus), (decoded) => rule(decoded, path)),
  )

/** What a shape has decoded, as something else. */
export const turned = <A, B>(base: Shape<A>, turn: (value: A) => B): Shape<B> =>
  refined(base, (value) => Result.succeed(turn(value)))

/** A foreign text with U+FFFD for what PostgreSQL cannot store, which would undo the whole commit: NUL, and halves of characters. */
export const storable = (text: string): string => text.toWellFormed().split("\0").join("\uFFFD")

const wrong = (path: string, phrase: string) => Result.fail(`${path} ${phrase}`)

/** The error for a text that PostgreSQL cannot store; undefined for other texts. */
export const textFault = (text: string): string | undefined =>
  text.includes("\u0000")
    ? "must not contain null bytes"
    : text.isWellFormed()
      ? undefined
      : "is not valid Unicode text"

/** Lengths in characters, both inclusive. Without `max` it is `usualMost`. */
export interface TextBounds {
  readonly min?: number
  readonly max?: number
}

/**
 * A character outside the first 65,536 is two units long. They are counted only where that matters, and not by making a
 * list of them, which takes 60 ms for 300,000.
 */
const hasMoreThan = (text: string, count: number): boolean => {
  if (text.length <= count || text.length > 2 * count) return text.length > count
  let characters = 0
  for (let at = 0; at < text.length && characters <= count; characters++) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  }
  return characters > count
}

/** The error for a text that is too short or too long; else undefined. */
export const lengthFault = (text: string, { min = 0, max }: TextBounds): string | undefined => {
  if (max !== undefined && hasMoreThan(text, max)) return `is too long (limit: ${max} characters)`
  if (min === 0 || hasMoreThan(text, min - 1)) return undefined
  return min === 1 ? "cannot be blank" : "is too short."
}

/** The most characters of a text for which no other limit is given: no name, topic or address is nearly as long. */
export const usualMost = 10_000

export const textSchema = ({ min = 0, max = usualMost }: TextBounds): JsonSchema => ({
  type: "string",
  ...(min === 0 ? {} : { minLength: min }),
  ...(Number.isFinite(max) ? { maxLength: max } : {}),
})

/** A text with a length within the bounds. */
export const bounded = ({ min = 0, max = usualMost }: TextBounds): Shape<string> =>
  shape(textSchema({ min, max }), (value, path) => {
    if (!Predicate.isString(value)) return wrong(path, "is not a string")
    const fault = textFault(value) ?? lengthFault(value, { min, max })
    return fault === undefined ? Result.succeed(value) : wrong(path, fault)
  })

export const string = bounded({})

export const integer: Shape<number> = shape({ type: "integer" }, (value, path) =>
  Number.isSafeInteger(value) && Predicate.isNumber(value) ? Result.succeed(value) : wrong(path, "is not an integer"),
)

/** A number, with a fraction or without. */
export const number: Shape<number> = shape({ type: "number" }, (value, path) =>
  Predicate.isNumber(value) && Number.isFinite(value) ? Result.succeed(value) : wrong(path, "is not a number"),
)

/** The id of something, as a number of its own type: `id(UserId)`. */
export const id = <Id>(brand: (value: number) => Id): Shape<Id> => turned(integer, brand)

export const boolean: Shape<boolean> = shape({ type: "boolean" }, (value, path) =>
  Predicate.isBoolean(value) ? Result.succeed(value) : wrong(path, "is not a boolean"),
)

/** Exactly one of these values. */
export const word = <const W extends string | number>(...values: ReadonlyArray<W>): Shape<W> =>
  shape({ enum: values }, (value, path) => {
    const known = values.find((each) => each === value)
    return known === undefined ? Result.fail(`Invalid ${path}`) : Result.succeed(known)
  })

/** Every item of a list must fit `item`; more than `max` items are refused before any is looked at. */
export const list = <A>(item: Shape<A>, max = 10_000): Shape<ReadonlyArray<A>> =>
  shape({ type: "array", items: item.schema, maxItems: max }, (value, path, surplus) => {
    if (!Array.isArray(value)) return wrong(path, "is not a list")
    if (value.length > max) return wrong(path, `is too long (limit: ${max} items)`)
    const items: Array<A> = []
    for (const [index, each] of value.entries()) {
      const decoded = item(each, `${path}[${index}]`, surplus)
      if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
      items.push(decoded.success)
    }
    return Result.succeed(items)
  })

/** Decodes by the first shape that fits; `phrase` names what was expected when none does. */
export const either = <A, B>(first: Shape<A>, second: Shape<B>, phrase: string): Shape<A | B> =>
  shape<A | B>({ anyOf: [first.schema, second.schema] }, (value, path, surplus) => {
    // What a shape that does not fit would have ignored is not told.
    const ignored: Array<string> = []
    const left = first(value, path, (key) => ignored.push(key))
    if (Result.isFailure(left)) {
      const right = second(value, path, surplus)
      return Result.isSuccess(right) ? right : wrong(path, phrase)
    }
    if (surplus !== undefined) for (const key of ignored) surplus(key)
    return left
  })

/** null, or what the shape takes. */
export const nullable = <A>(base: Shape<A>): Shape<A | null> =>
  shape({ anyOf: [base.schema, { type: "null" }] }, (value, path, surplus) =>
    value === null ? Result.succeed(null) : base(value, path, surplus),
  )

/** A field that may be absent from an object. */
export interface OptionalField<A> {
  readonly optional: Shape<A>
}
type Field = Shape<unknown> | OptionalField<unknown>
type FieldValue<F> = F extends OptionalField<infer A> ? A | undefined : F extends Shape<infer A> ? A : never

export const optional = <A>(shape: Shape<A>): OptionalField<A> => ({ optional: shape })

type Fields = Readonly<Record<string, Field>>
type FieldValues<F extends Fields> = { readonly [K in keyof F]: FieldValue<F[K]> }

const objectSchema = (fields: Fields): JsonSchema => {
  const required = Object.keys(fields).filter((key) => Predicate.isFunction(fields[key]))
  const properties = Object.fromEntries(
    Object.entries(fields).map(([key, field]) => [
      key,
      Predicate.isFunction(field) ? field.schema : field.optional.schema,
    ]),
  )
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }) }
}

/** An object with these fields; further fields are ignored, and told. */
export const object = <const F extends Fields>(fields: F): Shape<FieldValues<F>> =>
  shape(objectSchema(fields), (value, path, surplus) => {
    if (!Predicate.isObject(value)) return wrong(path, "is not a dict")
    const entries: Array<[string, unknown]> = []
    for (const [key, field] of Object.entries(fields)) {
      const inner = `${path}["${key}"]`
      const present = Object.hasOwn(value, key) ? value[key] : undefined
      if (present === undefined) {
        if (Predicate.isFunction(field)) return wrong(inner, "field is missing")
        entries.push([key, undefined])
        continue
      }
      const decoded = (Predicate.isFunction(field) ? field : field.optional)(present, inner, surplus)
      if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
      entries.push([key, decoded.success])
    }
    if (surplus !== undefined) for (const key of Object.keys(value)) if (!Object.hasOwn(fields, key)) surplus(key)
    return Result.succeed(Object.fromEntries(entries) as FieldValues<F>)
  })

/** An object with these fields and no other. */
export const strictObject = <const F extends Fields>(fields: F): Shape<FieldValues<F>> => {
  const known = object(fields)
  return shape({ ...known.schema, additionalProperties: false }, (value, path, surplus) => {
    const unknown = Predicate.isObject(value)
      ? Object.keys(value).find((key) => !Object.hasOwn(fields, key))
      : undefined
    return unknown === undefined
      ? known(value, path, surplus)
      : Result.fail(`Argument "${unknown}" at ${path}["${unknown}"] is unexpected`)
  })
}

/**
 * Any JSON value without text that cannot be stored. How deep and how large it is was limited before it was parsed
 * (`complexityFault`). The path of a part is only put together where it has a fault: there may be 500,000 parts.
 */
export const json: Shape<Json> = shape({}, (value, path) => {
  if (!isJson(value)) return wrong(path, "is not valid JSON")
  const fault = textFaultIn(value)
  return fault === undefined ? Result.succeed(value) : wrong(`${path}${fault.inner}`, fault.phrase)
})

const isJson = (value: unknown): value is Json => value !== undefined

interface InnerFault {
  /** The path from the value to the part, as `[0]["key"]`. */
  readonly inner: string
  readonly phrase: string
}

const textFaultIn = (value: unknown): InnerFault | undefined => {
  if (Predicate.isString(value)) {
    const phrase = textFault(value)
    return phrase === undefined ? undefined : { inner: "", phrase }
  }
  if (Array.isArray(value)) {
    for (let n = 0; n < value.length; n++) {
      const fault = textFaultIn(value[n])
      if (fault !== undefined) return { ...fault, inner: `[${n}]${fault.inner}` }
    }
    return undefined
  }
  if (!Predicate.isObject(value)) return undefined
  for (const key of Object.keys(value)) {
    const phrase = textFault(key)
    if (phrase !== undefined) return { inner: "", phrase }
    const fault = textFaultIn(value[key])
    if (fault !== undefined) return { ...fault, inner: `["${key}"]${fault.inner}` }
  }
  return undefined
}
