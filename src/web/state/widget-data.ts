/** What a message that is more than its text began with, and what people did in it, as JSON: anything may be in it. */
import type { PagePost } from "./model.ts"

export type JsonFields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is JsonFields => typeof value === "object" && value !== null

/** Empty where it is no object. */
export const readFields = (content: string): JsonFields => {
  try {
    const value: unknown = JSON.parse(content)
    return isFields(value) ? value : {}
  } catch {
    return {}
  }
}

/** What a message of this type began with; null where it is none. */
export const beginningOf = ({ acts: [first] }: Pick<PagePost, "acts">, type: string): JsonFields | null => {
  if (first === undefined) return null
  const { widget_type, extra_data } = readFields(first.content)
  return widget_type === type && isFields(extra_data) ? extra_data : null
}

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

export const fieldsIn = (value: unknown): ReadonlyArray<JsonFields> =>
  Array.isArray(value) ? value.filter(isFields) : []
