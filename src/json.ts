/** The shape of any JSON value, as parameters, payloads and replies carry it. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** The value of a JSON text; undefined, which no JSON text is, where it does not parse. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
