/** The shape of any JSON value, as parameters, payloads and replies carry it. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** Only for values with their keys in the same order, as this program or one shape makes them. */
export const isSameJson = (a: Json, b: Json): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The fields that have a value. */
export const presentFields = (fields: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  )

/** The value of a JSON text; undefined, which no JSON text is, where it does not parse. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
