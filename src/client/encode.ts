/**
 * A call as a request: parameters in the path, in the query of GET and DELETE, else in a form, also beside a file: addresses
 * are written into logs. Strings go as they are, all other values as JSON; so do the strings of the few parameters that are read as JSON (`jsonTexts`).
 */
import { jsonTexts } from "./api.ts"

export interface EncodedCall {
  readonly method: string
  /** Below the server's address, with its query. */
  readonly path: string
  readonly body: string | FormData | null
}

type Fields = Readonly<Record<string, unknown>>

const textOf = (operation: string, name: string, value: unknown): string => {
  const isJson = typeof value !== "string" || (jsonTexts[operation] ?? "").split(" ").includes(name)
  return isJson ? JSON.stringify(value) : value
}

/** A segment of a path. Addresses are cleaned of empty ones and of dots on their way, which would be another endpoint. */
const segmentOf = (name: string, value: unknown): string => {
  const text = value === undefined ? "" : String(value)
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`${name} cannot be ${JSON.stringify(text)} in a path`)
  return encodeURIComponent(text)
}

/** `operation`: `METHOD /path`. */
export const encode = (operation: string, params: Fields): EncodedCall => {
  const [method = "", template = ""] = operation.split(" ")
  const inPath = new Set<string>()
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    inPath.add(name)
    return segmentOf(name, params[name])
  })
  const fields = new URLSearchParams()
  const files: Array<Blob> = []
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined || inPath.has(name)) continue
    if (value instanceof Blob) files.push(value)
    else fields.set(name, textOf(operation, name, value))
  }
  const isInQuery = method === "GET" || method === "DELETE"
  const form = fields.toString()
  const query = isInQuery && form !== "" ? `?${form}` : ""
  return {
    method,
    path: `/api/v1${path}${query}`,
    body: files.length > 0 ? formOf(fields, files) : isInQuery ? null : form,
  }
}

const formOf = (fields: URLSearchParams, files: ReadonlyArray<Blob>): FormData => {
  const form = new FormData()
  for (const [name, text] of fields) form.append(name, text)
  for (const file of files) form.append("file", file)
  return form
}
