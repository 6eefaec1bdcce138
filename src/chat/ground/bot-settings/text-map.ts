/** The shape of an object whose values are texts, as bots are given data and keep some. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { bounded, type Shape, shape, textFault } from "../../../api/shapes.ts"

interface Bounds {
  readonly mostKeys: number
  /** Characters of a key, and of a value. */
  readonly longestKey: number
  readonly longestValue: number
}

export const textMap = ({ mostKeys, longestKey, longestValue }: Bounds): Shape<Readonly<Record<string, string>>> => {
  const [key, value] = [bounded({ max: longestKey }), bounded({ max: longestValue })]
  const schema = { type: "object", additionalProperties: value.schema, maxProperties: mostKeys }
  return shape(schema, (given, path) => {
    if (!Predicate.isObject(given)) return Result.fail(`${path} is not a dict`)
    const entries = Object.entries(given)
    if (entries.length > mostKeys) return Result.fail(`${path} is too long (limit: ${mostKeys} items)`)
    const texts: Array<readonly [string, string]> = []
    for (const [name, text] of entries) {
      // A key that cannot be stored cannot be named either.
      const known = textFault(name) === undefined ? key(name, `${path} key`) : Result.fail(`${path} has an invalid key`)
      if (Result.isFailure(known)) return Result.fail(known.failure)
      const read = value(text, `${path}["${name}"]`)
      if (Result.isFailure(read)) return Result.fail(read.failure)
      texts.push([name, read.success])
    }
    return Result.succeed(Object.fromEntries(texts))
  })
}
