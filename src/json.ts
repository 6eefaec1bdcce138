/** The shape of any JSON value, as parameters, payloads and replies carry it. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}
