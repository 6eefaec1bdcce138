/**
 * What the log tells of an error: where it happened, and what is wrong, without the values that were (redact-values.ts). Used
 * by log.ts.
 */
import * as Cause from "effect/Cause"
import * as Predicate from "effect/Predicate"
import { withoutValues } from "../redact-values.ts"

const mostFrames = 20
const deepest = 3

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
  if (!(error instanceof Error && Predicate.isString(error.stack))) return []
  // A stack begins with the message, of which a line may look like a place in the program.
  const at = error.message === "" ? -1 : error.stack.indexOf(error.message)
  return error.stack
    .slice(at < 0 ? 0 : at + error.message.length)
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
