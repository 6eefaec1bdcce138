/**
 * Reading what other services send. Every field may be absent or something else in practice, so these never fail: a text
 * that is not there is empty, a list that is none has no items.
 */
import * as Predicate from "effect/Predicate"

/** The value at the end of a path of keys; undefined where a step of it is missing. */
export const at = (value: unknown, ...path: ReadonlyArray<string>): unknown => {
  let found = value
  for (const key of path) {
    if (!Predicate.isObject(found) || !Object.hasOwn(found, key)) return undefined
    found = found[key]
  }
  return found
}

/** Characters of a text that are looked at: all that is shown is cut far below. */
const longestText = 20_000

/** A text or a number as text, without the white space around it; empty for anything else. */
export const textAt = (value: unknown, ...path: ReadonlyArray<string>): string => {
  const found = at(value, ...path)
  if (Predicate.isNumber(found)) return String(found)
  return Predicate.isString(found) ? found.slice(0, longestText).toWellFormed().trim() : ""
}

/** What a table has for a word of the service's; a word such as `constructor`, which every object knows, is none of its. */
export const entryFor = <A>(table: Readonly<Record<string, A>>, word: string): A | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined

/** The first text that is not empty. */
export const either = (...texts: ReadonlyArray<string>): string => texts.find((text) => text !== "") ?? ""

export const listAt = (value: unknown, ...path: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

/** The keys of an object with their texts, those that are empty left out. */
export const textsAt = (value: unknown, ...path: ReadonlyArray<string>): ReadonlyArray<readonly [string, string]> => {
  const found = at(value, ...path)
  if (!Predicate.isObject(found)) return []
  return Object.keys(found)
    .map((key) => [key, textAt(found, key)] as const)
    .filter(([, text]) => text !== "")
}

export const isTrue = (value: unknown, ...path: ReadonlyArray<string>): boolean => at(value, ...path) === true
