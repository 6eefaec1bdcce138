/** Lists of objects in answers, checked at run time, so that tests can read their fields without casts. */
import * as Predicate from "effect/Predicate"
import type { Fields } from "./client.ts"

export const recordsIn = (list: unknown): ReadonlyArray<Fields> => {
  if (!Array.isArray(list)) throw new Error(`not a list: ${JSON.stringify(list)}`)
  return list.map((each: unknown) => {
    if (!Predicate.isObject(each)) throw new Error(`not an object: ${JSON.stringify(each)}`)
    return { ...each }
  })
}

/** One field of each record. */
export const pluck = (list: unknown, field: string): ReadonlyArray<unknown> =>
  recordsIn(list).map((each) => each[field])
