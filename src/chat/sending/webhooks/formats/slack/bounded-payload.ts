/**
 * What is looked at of a message of Slack's: its parts may stand within each other in every way, so they are counted before
 * anything is made of them. All that is done with them is linear in what is left here, some milliseconds at most.
 */
import * as Predicate from "effect/Predicate"
import { cut } from "../../../../ground/realm/domain-values.ts"
import { leftOut } from "../markup.ts"

/** Lists, objects and values in them; Slack takes at most 50 blocks and 100 attachments. */
const mostParts = 3000
/** Characters of all texts, and of one. A message has 10,000. */
const mostCharacters = 16_000
const longest = 8000

export interface BoundedPayload {
  readonly value: Readonly<Record<string, unknown>>
  /** Whether something was left out, other than the end of a text, which says so itself. */
  readonly isCut: boolean
}

/** The fields of an object with these names, in this order; what comes first is left out last. */
export const bounded = (payload: unknown, names: ReadonlyArray<string>): BoundedPayload => {
  let [parts, characters, isCut] = [mostParts, mostCharacters, false]

  const isOver = (): boolean => {
    if (parts > 0 && characters > 0) return false
    isCut = true
    return true
  }

  const text = (value: string): string => {
    const shown = cut(value, Math.min(longest, characters), ` ${leftOut}`)
    characters -= shown.length
    return shown
  }

  const part = (value: unknown): unknown => {
    parts -= 1
    if (Predicate.isString(value)) return text(value)
    if (Array.isArray(value)) {
      const items: Array<unknown> = []
      for (const item of value) {
        if (isOver()) break
        items.push(part(item))
      }
      return items
    }
    return Predicate.isObject(value) ? fields(value, Object.keys(value)) : value
  }

  const fields = (value: object, keys: ReadonlyArray<string>): Readonly<Record<string, unknown>> => {
    const found: Array<readonly [string, unknown]> = []
    for (const key of keys) {
      if (!Object.hasOwn(value, key)) continue
      if (isOver()) break
      found.push([key, part(Reflect.get(value, key))])
    }
    return Object.fromEntries(found)
  }

  const value = Predicate.isObject(payload) ? fields(payload, names) : {}
  return { value, isCut }
}
