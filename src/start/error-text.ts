/**
 * What the log tells of an error: where it happened, and what is wrong, without the values that were. A database, a schema and
 * a JSON parser quote what they were given, which may be what somebody wrote in private. Used by log.ts.
 */
import * as Cause from "effect/Cause"
import * as Predicate from "effect/Predicate"

/** What stands in quotes after these words is a name of the program's own. */
const named =
  /\b(?:relation|column|constraint|table|index|type|function|schema|role|database|parameter|operator|job)\s*$/
/** A key in the path of a schema's issue: `at ["user"]["email"]`. */
const key = /^"[a-z_]{1,40}"$/
const quoted = /"(?:[^"\\]|\\.)*"/g
/** What a parser of JSON quotes may have quotes in it. */
const quotedJson = /"[\s\S]*"(?=(?:\.\.\.)? is not valid JSON)/
const longestMessage = 2000
const mostFrames = 20
const deepest = 3

/** The text without what it quotes. */
export const withoutValues = (text: string): string =>
  text
    .slice(0, longestMessage)
    .replace(/, got [^\n]*/g, ", got …")
    .replace(quotedJson, '"…"')
    .replace(quoted, (value, at: number, whole: string) => {
      const isKey = whole[at - 1] === "[" && whole[at + value.length] === "]" && key.test(value)
      return isKey || named.test(whole.slice(0, at)) ? value : '"…"'
    })

const nameOf = (error: object): string => {
  if (Predicate.hasProperty(error, "_tag") && Predicate.isString(error._tag)) return error._tag
  return error instanceof Error ? error.name : "Error"
}

/** A tagged error of this program says what it has in `reason`, one of a driver or the system in `code`, too. */
const wordsOf = (error: object): string => {
  const code = Predicate.hasProperty(error, "code") && Predicate.isString(error.code) ? error.code : ""
  const reason = Predicate.hasProperty(error, "reason") && Predicate.isString(error.reason) ? error.reason : ""
  const message = error instanceof Error ? error.message : ""
  return [code, withoutValues(reason === "" ? message : reason)].filter((each) => each !== "").join(" ")
}

const framesOf = (error: object): ReadonlyArray<string> => {
  const stack = error instanceof Error && Predicate.isString(error.stack) ? error.stack : ""
  return stack
    .split("\n")
    .filter((line) => /^\s+at .*(?::\d+:\d+\)?|\(<anonymous>\)|\(native\))$/.test(line))
    .slice(0, mostFrames)
    .map((line) => `  ${line.trim()}`)
}

/** Several lines: what is wrong, where, and by what it was caused. */
export const errorText = (error: unknown, depth = 0): string => {
  if (Cause.isCause(error)) return causeText(error)
  if (!Predicate.isObject(error)) return withoutValues(String(error))
  const lines = [`${nameOf(error)}: ${wordsOf(error)}`, ...framesOf(error)]
  const why = Predicate.hasProperty(error, "cause") ? error.cause : undefined
  if (why === undefined || why === null || depth === deepest) return lines.join("\n")
  return [...lines, `caused by ${errorText(why, depth + 1)}`].join("\n")
}

/** All that an effect has ended with. */
export const causeText = (cause: Cause.Cause<unknown>): string =>
  cause.reasons
    .map((reason) => {
      if (reason._tag === "Interrupt") return "interrupted"
      return errorText(reason._tag === "Die" ? reason.defect : reason.error)
    })
    .join("\n")
