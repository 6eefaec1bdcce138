/** What a message that is more than its text began with, and what people did in it, as JSON: anything may be in it. */
import type { Post } from "./model.ts"

export type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null

/** Empty where it is no object. */
export const readFields = (content: string): Fields => {
  try {
    const value: unknown = JSON.parse(content)
    return isFields(value) ? value : {}
  } catch {
    return {}
  }
}

/** What a message of this type began with; null where it is none. */
export const beginningOf = ({ acts: [first] }: Pick<Post, "acts">, type: string): Fields | null => {
  if (first === undefined) return null
  const { widget_type, extra_data } = readFields(first.content)
  return widget_type === type && isFields(extra_data) ? extra_data : null
}

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

export const fieldsIn = (value: unknown): ReadonlyArray<Fields> => (Array.isArray(value) ? value.filter(isFields) : [])
