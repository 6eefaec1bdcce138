/**
 * Parameters as values. An endpoint states its parameters as a record of these; `decodeParams` turns the texts of a
 * request (body before query) into typed values or the API's error. Text that PostgreSQL cannot store is refused here.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { complexityFault, parseJson } from "../json.ts"
import { badRequest, type Checked, confusingVariables, missingVariable } from "./errors.ts"
import {
  type JsonSchema,
  lengthFault,
  type NoteIgnoredKey,
  type Shape,
  type TextBounds,
  textFault,
  textSchema,
  usualMost,
} from "./shapes.ts"

/**
 * One named parameter. `read` gets the raw text, or undefined where the request has none, and tells the keys of objects in
 * it that it ignores.
 */
export interface Param<out A> {
  readonly name: string
  /** Older spellings that are still accepted. Two spellings in one request are an error. */
  readonly aliases: ReadonlyArray<string>
  /** Shown in documentation and used by the tests that send garbage to every parameter. */
  readonly kind: "text" | "integer" | "boolean" | "json" | "choice"
  readonly required: boolean
  /** What its value may be. Of the kind `json` it is JSON text of that, of others the value itself. */
  readonly schema: JsonSchema
  /** Texts that do not parse as JSON stand for themselves (`jsonOrText`). */
  readonly isLoose?: true
  /** What it is where it is absent, in words of JSON; undefined where that is nothing, or cannot be said so. */
  readonly fallback?: string | number | boolean
  readonly read: (raw: string | undefined, surplus?: NoteIgnoredKey) => Checked<A>
}

export type ParamSet = Readonly<Record<string, Param<unknown>>>
export type Decoded<P extends ParamSet> = { readonly [K in keyof P]: P[K] extends Param<infer A> ? A : never }

type Reader<A> = (raw: string, surplus?: NoteIgnoredKey) => Checked<A>

const required = <A>(name: string, kind: Param<A>["kind"], schema: JsonSchema, read: Reader<A>): Param<A> => ({
  name,
  aliases: [],
  kind,
  required: true,
  schema,
  read: (raw, surplus) => (raw === undefined ? Result.fail(missingVariable(name)) : read(raw, surplus)),
})

/** The first character of every JSON text. Parsing every channel name would throw, a tenth of a send's time. */
const jsonBegin = /^[ \t\r\n]*[[{"\-0-9tfn]/

/**
 * The most characters of a JSON text for which no other limit is given: 500 channels with descriptions, or 10,000 ids.
 * An endpoint's work on each part adds up: a megabyte of descriptions takes 40 ms to clean.
 */
const usualMostOfJson = 200_000

/** The value; undefined if the text is not JSON. JSON that would take long to parse is refused. */
const parse = (name: string, raw: string, max = usualMostOfJson): Checked<unknown> => {
  const fault = lengthFault(raw, { max })
  if (fault !== undefined) return Result.fail(badRequest(`${name} ${fault}`))
  if (!jsonBegin.test(raw)) return Result.succeed(undefined)
  const odd = complexityFault(raw)
  return odd === undefined ? Result.succeed(parseJson(raw)) : Result.fail(badRequest(`${name} ${odd}`))
}

const fits = <A>(name: string, shape: Shape<A>, value: unknown, surplus: NoteIgnoredKey | undefined): Checked<A> =>
  Result.mapError(shape(value, name, surplus), (sentence) => badRequest(sentence))

/** For a text that the endpoint cuts, or whose limit is a setting: only the size of a request limits it. */
export const anyLength: TextBounds = { max: Number.POSITIVE_INFINITY }

/**
 * Raw text, never JSON; the bounds are in characters. It is never longer than `max`, so an endpoint may trim, fold and
 * look up what it gets, even where its own rules allow less.
 */
export const text = (name: string, { min = 0, max = usualMost }: TextBounds = {}): Param<string> =>
  required(name, "text", textSchema({ min, max }), (raw) => {
    const fault = textFault(raw) ?? lengthFault(raw, { min, max })
    return fault === undefined ? Result.succeed(raw) : Result.fail(badRequest(`${name} ${fault}`))
  })

/** The text if its length is within the bounds, else the API's error, which names the parameter. */
export const requireLength = (name: string, value: string, bounds: TextBounds): Checked<string> => {
  const fault = lengthFault(value, bounds)
  return fault === undefined ? Result.succeed(value) : Result.fail(badRequest(`${name} ${fault}`))
}

/** Raw text without the white space around it; the bounds are in characters and hold after trimming. */
export const trimmed = (name: string, bounds: TextBounds = {}): Param<string> =>
  mapped(
    text(name, anyLength),
    (raw) => requireLength(name, raw.trim(), bounds),
    textSchema({ ...bounds, ...anyLength }),
  )

/** No word of a closed list is nearly as long. */
const longestWord = 100

/** What a text says that some clients send as it is and others as JSON: a word that is in quotes, without them. */
const unquoted = (raw: string): string => {
  if (!raw.startsWith('"') || raw.length > 2 * longestWord) return raw
  const value = parseJson(raw)
  return Predicate.isString(value) && textFault(value) === undefined ? value : raw
}

/** A word of a list that the endpoint knows, plain or in JSON's quotes. */
export const keyword = (name: string, bounds: TextBounds = {}): Param<string> =>
  mapped(text(name, bounds), (raw) => Result.succeed(unquoted(raw)))

/** One of a closed list of words, plain or in JSON's quotes; anything else is `Invalid {name}`. */
export const choice = <const W extends ReadonlyArray<string>>(name: string, words: W): Param<W[number]> =>
  required(name, "choice", { enum: words }, (raw) => {
    const said = unquoted(raw)
    const word = words.find((each) => each === said)
    return word === undefined ? Result.fail(badRequest(`Invalid ${name}`)) : Result.succeed(word)
  })

/** JSON text of the given shape, of at most `max` characters. */
export const json = <A>(name: string, shape: Shape<A>, { max }: Pick<TextBounds, "max"> = {}): Param<A> =>
  required(name, "json", shape.schema, (raw, surplus) =>
    Result.flatMap(parse(name, raw, max), (value) =>
      value === undefined ? Result.fail(badRequest(`${name} is not valid JSON`)) : fits(name, shape, value, surplus),
    ),
  )

/**
 * JSON text where it parses, the bare text itself where it does not: clients send `to=lobby`, `to=["lobby"]` and
 * `to=5` alike.
 */
export const jsonOrText = <A>(name: string, shape: Shape<A>, { max }: Pick<TextBounds, "max"> = {}): Param<A> => ({
  ...required(name, "json", shape.schema, (raw, surplus) =>
    Result.flatMap(parse(name, raw, max), (value) => fits(name, shape, value === undefined ? raw : value, surplus)),
  ),
  isLoose: true,
})

const integerSchema = ({ min, max }: Bounds): JsonSchema => ({
  type: "integer",
  ...(min === undefined ? {} : { minimum: min }),
  ...(max === undefined ? {} : { maximum: max }),
})

/** Both inclusive. */
interface Bounds {
  readonly min?: number
  readonly max?: number
}

const within = (name: string, value: number, { min, max }: Bounds): Checked<number> => {
  if (!Number.isSafeInteger(Math.floor(value))) return Result.fail(badRequest(`${name} is not an integer`))
  if (min !== undefined && value < min) return Result.fail(badRequest(`${name} is too small`))
  if (max !== undefined && value > max) return Result.fail(badRequest(`${name} is too large`))
  return Result.succeed(Math.floor(value))
}

/** A JSON integer within the bounds. */
export const integer = (name: string, bounds: Bounds = {}): Param<number> =>
  required(name, "integer", integerSchema(bounds), (raw) =>
    within(name, /^-?\d+$/.test(raw.trim()) ? Number(raw) : Number.NaN, bounds),
  )

/** A moment in Unix seconds within the bounds. Some clients send fractions, which are left out. */
export const seconds = (name: string, bounds: Bounds): Param<number> =>
  required(name, "integer", { ...integerSchema(bounds), type: "number" }, (raw) =>
    within(name, /^-?\d+(?:\.\d+)?(?:[eE]\+?\d+)?$/.test(raw.trim()) ? Number(raw) : Number.NaN, bounds),
  )

/** The id of something, as a number of its own type: `id("user_id", UserId)`. */
export const id = <Id>(name: string, brand: (value: number) => Id): Param<Id> =>
  mapped(integer(name), (value) => Result.succeed(brand(value)))

/** JSON `true` or `false`, in lower case. */
export const boolean = (name: string): Param<boolean> =>
  required(name, "boolean", { type: "boolean" }, (raw) =>
    raw === "true"
      ? Result.succeed(true)
      : raw === "false"
        ? Result.succeed(false)
        : Result.fail(badRequest(`${name} is not a boolean`)),
  )

const isWord = (value: unknown): value is string | number | boolean =>
  Predicate.isString(value) || Predicate.isNumber(value) || Predicate.isBoolean(value)

/** The parameter may be absent; then it is `fallback`. */
export const withDefault = <A, const B>(param: Param<A>, fallback: B): Param<A | B> => ({
  ...param,
  required: false,
  ...(isWord(fallback) ? { fallback } : {}),
  read: (raw, surplus) => (raw === undefined ? Result.succeed(fallback) : param.read(raw, surplus)),
})

/** The parameter may be absent; then it is undefined. */
export const optional = <A>(param: Param<A>): Param<A | undefined> => withDefault(param, undefined)

/** The parameter is also accepted under these older names. */
export const alias = <A>(param: Param<A>, ...aliases: ReadonlyArray<string>): Param<A> => ({ ...param, aliases })

/** The decoded value turned into what the endpoint works with, or refused. `schema`: what one can say of what is refused. */
export const mapped = <A, B>(param: Param<A>, map: (value: A) => Checked<B>, schema: JsonSchema = {}): Param<B> => ({
  ...param,
  schema: { ...param.schema, ...schema },
  read: (raw, surplus) => Result.flatMap(param.read(raw, surplus), map),
})

/** One of these values, else `Invalid {name}`. */
export const oneOf = <const A extends string | number>(
  param: Param<string | number>,
  values: ReadonlyArray<A>,
): Param<A> =>
  mapped(
    param,
    (value) => {
      const known = values.find((each) => each === value)
      return known === undefined ? Result.fail(badRequest(`Invalid ${param.name}`)) : Result.succeed(known)
    },
    { enum: values },
  )

/** A further check of a decoded value: the sentence it answers, if any, becomes a BAD_REQUEST. */
export const check = <A>(param: Param<A>, fault: (value: A) => string | undefined): Param<A> =>
  mapped(param, (value) => {
    const sentence = fault(value)
    return sentence === undefined ? Result.succeed(value) : Result.fail(badRequest(sentence))
  })

/** The endpoint gets the error instead of the request being refused: only it knows if the parameter is needed. */
export const unjudged = <A>(param: Param<A>): Param<Checked<A>> => ({
  ...param,
  read: (raw, surplus) => Result.succeed(param.read(raw, surplus)),
})

/** A record of parameters, prepared for decoding; made once per endpoint. */
interface Plan {
  readonly steps: ReadonlyArray<{ readonly key: string; readonly param: Param<unknown> }>
  readonly names: ReadonlySet<string>
}
const plans = new WeakMap<ParamSet, Plan>()

const planOf = (params: ParamSet): Plan => {
  const known = plans.get(params)
  if (known !== undefined) return known
  const steps = Object.entries(params).map(([key, param]) => ({ key, param }))
  const plan = { steps, names: new Set(steps.flatMap(({ param }) => [param.name, ...param.aliases])) }
  plans.set(params, plan)
  return plan
}

/** The spelling under which the request carries the parameter; two of them are an error. */
const findSpelling = ({ name, aliases }: Param<unknown>, source: ReadonlyMap<string, string>): Checked<string> => {
  let found = source.has(name) ? name : undefined
  for (const alias of aliases) {
    if (!source.has(alias)) continue
    if (found !== undefined) return Result.fail(confusingVariables(found, alias))
    found = alias
  }
  return Result.succeed(found ?? name)
}

/** Decodes every parameter in the order stated; the first fault is the answer. `surplus`: see Param. */
export const decodeParams = <P extends ParamSet>(
  params: P,
  source: ReadonlyMap<string, string>,
  surplus?: NoteIgnoredKey,
): Checked<Decoded<P>> => {
  const values: Record<string, unknown> = {}
  for (const { key, param } of planOf(params).steps) {
    let name = param.name
    if (param.aliases.length > 0) {
      const spelling = findSpelling(param, source)
      if (Result.isFailure(spelling)) return Result.fail(spelling.failure)
      name = spelling.success
    }
    const decoded = param.read(source.get(name), surplus)
    if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
    values[key] = decoded.success
  }
  return Result.succeed(values as Decoded<P>)
}

/** The names a request carries that none of these parameters reads, sorted. */
export const ignoredNames = (params: ParamSet, source: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  if (source.size === 0) return []
  const { names } = planOf(params)
  return [...source.keys()].filter((name) => !names.has(name)).sort()
}

/** Whether `ignoredNames` would find any; makes no list. */
export const hasIgnoredNames = (params: ParamSet, source: ReadonlyMap<string, string>): boolean => {
  const { names } = planOf(params)
  for (const name of source.keys()) if (!names.has(name)) return true
  return false
}
