/**
 * Shapes of the JSON in a parameter's value: each decodes an unknown value into a typed one, or fails with the
 * contract's phrase (1.5), in which `path` names the value (`to[0]["id"]`).
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Json } from "./json.ts"

/** Decodes a JSON value; fails with the whole sentence, path included. */
export type Shape<A> = (value: unknown, path: string) => Result.Result<A, string>

const wrong = (path: string, phrase: string) => Result.fail(`${path} ${phrase}`)

/** The error for a text that PostgreSQL cannot store; undefined for other texts. */
export const textFault = (text: string): string | undefined =>
  text.includes("\u0000")
    ? "must not contain null bytes"
    : text.isWellFormed()
      ? undefined
      : "is not valid Unicode text"

/** Lengths in characters, both inclusive. */
export interface TextBounds {
  readonly min?: number
  readonly max?: number
}

/** A character outside the first 65,536 is two units long. They are counted only where that matters. */
const hasMoreThan = (text: string, count: number): boolean =>
  text.length > count && (text.length > 2 * count || [...text].length > count)

/** The error for a text that is too short or too long; else undefined. */
export const lengthFault = (text: string, { min = 0, max }: TextBounds): string | undefined => {
  if (max !== undefined && hasMoreThan(text, max)) return `is too long (limit: ${max} characters)`
  if (min === 0 || hasMoreThan(text, min - 1)) return undefined
  return min === 1 ? "cannot be blank" : "is too short."
}

export const string: Shape<string> = (value, path) => {
  if (!Predicate.isString(value)) return wrong(path, "is not a string")
  const fault = textFault(value)
  return fault === undefined ? Result.succeed(value) : wrong(path, fault)
}

/** A text with a length within the bounds. */
export const bounded =
  (bounds: TextBounds): Shape<string> =>
  (value, path) =>
    Result.flatMap(string(value, path), (text) => {
      const fault = lengthFault(text, bounds)
      return fault === undefined ? Result.succeed(text) : wrong(path, fault)
    })

export const integer: Shape<number> = (value, path) =>
  Number.isSafeInteger(value) && Predicate.isNumber(value) ? Result.succeed(value) : wrong(path, "is not an integer")

/** The id of something, as a number of its own type: `id(UserId)`. */
export const id =
  <Id>(brand: (value: number) => Id): Shape<Id> =>
  (value, path) =>
    Result.map(integer(value, path), brand)

export const boolean: Shape<boolean> = (value, path) =>
  Predicate.isBoolean(value) ? Result.succeed(value) : wrong(path, "is not a boolean")

/** Every item of a list must fit `item`; more than `max` items are refused before any is looked at. */
export const list =
  <A>(item: Shape<A>, max = 10_000): Shape<ReadonlyArray<A>> =>
  (value, path) => {
    if (!Array.isArray(value)) return wrong(path, "is not a list")
    if (value.length > max) return wrong(path, `is too long (limit: ${max} items)`)
    const items: Array<A> = []
    for (const [index, each] of value.entries()) {
      const decoded = item(each, `${path}[${index}]`)
      if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
      items.push(decoded.success)
    }
    return Result.succeed(items)
  }

/** Decodes by the first shape that fits; `phrase` names what was expected when none does. */
export const either =
  <A, B>(first: Shape<A>, second: Shape<B>, phrase: string): Shape<A | B> =>
  (value, path) => {
    const left = first(value, path)
    if (Result.isSuccess(left)) return left
    const right = second(value, path)
    return Result.isSuccess(right) ? right : wrong(path, phrase)
  }

/** A field that may be absent from an object. */
export interface OptionalField<A> {
  readonly optional: Shape<A>
}
type Field = Shape<unknown> | OptionalField<unknown>
type FieldValue<F> = F extends OptionalField<infer A> ? A | undefined : F extends Shape<infer A> ? A : never

export const optional = <A>(shape: Shape<A>): OptionalField<A> => ({ optional: shape })

/** An object with these fields; further fields are ignored. */
export const object =
  <const F extends Readonly<Record<string, Field>>>(fields: F): Shape<{ readonly [K in keyof F]: FieldValue<F[K]> }> =>
  (value, path) => {
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
      const decoded = (Predicate.isFunction(field) ? field : field.optional)(present, inner)
      if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
      entries.push([key, decoded.success])
    }
    return Result.succeed(Object.fromEntries(entries) as { readonly [K in keyof F]: FieldValue<F[K]> })
  }

/** An object with these fields and no other. */
export const strictObject = <const F extends Readonly<Record<string, Field>>>(
  fields: F,
): Shape<{ readonly [K in keyof F]: FieldValue<F[K]> }> => {
  const known = object(fields)
  return (value, path) => {
    const surplus = Predicate.isObject(value)
      ? Object.keys(value).find((key) => !Object.hasOwn(fields, key))
      : undefined
    return surplus === undefined ? known(value, path) : Result.fail(`Argument "${surplus}" at ${path} is unexpected`)
  }
}

const deepest = 32

/** Any JSON value, nested at most 32 deep and free of text that cannot be stored. */
export const json: Shape<Json> = (value, path) => walk(value, path, 0)

const walk = (value: unknown, path: string, depth: number): Result.Result<Json, string> => {
  if (depth > deepest) return wrong(path, "is nested too deeply")
  if (value === null || Predicate.isBoolean(value) || Predicate.isNumber(value)) return Result.succeed(value)
  if (Predicate.isString(value)) return string(value, path)
  if (Array.isArray(value)) return list((item, inner) => walk(item, inner, depth + 1))(value, path)
  if (!Predicate.isObject(value)) return wrong(path, "is not valid JSON")
  const entries: Array<[string, Json]> = []
  for (const [key, each] of Object.entries(value)) {
    const decoded = walk(each, `${path}["${key}"]`, depth + 1)
    if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
    entries.push([key, decoded.success])
  }
  return Result.succeed(Object.fromEntries(entries))
}
