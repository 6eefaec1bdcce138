/**
 * Reads the fields of a request into one map of names and raw texts. The body's win over the query's, and the last of a
 * repeated name wins. Bodies are forms, urlencoded or multipart; JSON is refused unless it is empty. api/params.ts
 * decodes the texts. Called by receive-request.ts for each request, and for the query alone of each upgrade (socket-endpoint.ts) and each
 * upload (upload-requests.ts).
 */
import { isUtf8 } from "node:buffer"
import * as Result from "effect/Result"
import { type ApiError, badRequest, type Checked } from "../../api/errors.ts"
import type { WireRequest } from "../network/uws.ts"
import { type FilePart, readMultipart } from "./multipart.ts"

export type RequestFields = Map<string, string>

/** Far more than any endpoint has; each costs memory and an entry in the list of ignored parameters. */
const mostParameters = 1000

const tooMany = badRequest(`There are more than ${mostParameters} parameters`)
const badForm = badRequest("The form in the request body cannot be read")
const jsonBody = badRequest(
  "Parameters are read from a form, not from JSON: send them urlencoded or as multipart/form-data",
)

const badEncoding = (where: string): ApiError => badRequest(`The ${where} is not valid percent-encoded UTF-8 text`)

/** Throws URIError on bad percent-encoding and on bytes that are not UTF-8. */
const decodeText = (raw: string): string => (raw.includes("%") ? decodeURIComponent(raw) : raw)

const plus = "+".charCodeAt(0)
const space = " ".charCodeAt(0)

/** The text of a urlencoded body, in which `+` is a space. In bytes: `replaceAll` of a million takes 90 ms, this 3. */
const spacedText = (body: Uint8Array): string => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (!bytes.includes(plus)) return bytes.toString("utf8")
  const copy = Buffer.from(bytes)
  for (let at = 0; at < copy.length; at++) if (copy[at] === plus) copy[at] = space
  return copy.toString("utf8")
}

/**
 * Adds the pairs of urlencoded text, with spaces for `+`, to `fields`; the fault, if there is one. By hand, because
 * URLSearchParams takes 2.2 µs for six fields and turns invalid text into other text silently.
 */
const addPairs = (text: string, fields: RequestFields, where: string): ApiError | undefined => {
  try {
    for (let at = 0, count = 0; at < text.length; ) {
      const ampersand = text.indexOf("&", at)
      const end = ampersand < 0 ? text.length : ampersand
      count += 1
      if (count > mostParameters) return tooMany
      if (end > at) {
        const equals = text.indexOf("=", at)
        const middle = equals < 0 || equals > end ? end : equals
        fields.set(decodeText(text.slice(at, middle)), decodeText(text.slice(middle + 1, end)))
      }
      at = end + 1
    }
    return undefined
  } catch {
    return badEncoding(where)
  }
}

/** The parameters in the query string. The network layer shows bytes that are not UTF-8 as U+FFFD. */
export const readQuery = (query: string): Checked<RequestFields> => {
  const fields: RequestFields = new Map()
  const spaced = query.includes("+") ? query.split("+").join(" ") : query
  const fault = query.includes("\uFFFD") ? badEncoding("query string") : addPairs(spaced, fields, "query string")
  return fault === undefined ? Result.succeed(fields) : Result.fail(fault)
}

const noFiles: ReadonlyArray<FilePart> = []

/**
 * The parameters in the body, and its files. Copies the parameters: `body` is valid only during the call, and so are the
 * bytes of files.
 */
const readForm = (
  body: Uint8Array,
  contentType: string,
): Checked<{ readonly fields: RequestFields; readonly files: ReadonlyArray<FilePart> }> => {
  const fields: RequestFields = new Map()
  const kind = contentType.split(";", 1).join().trim().toLowerCase()
  if (kind === "multipart/form-data") {
    const form = readMultipart(body, contentType, mostParameters)
    if (form === undefined) return Result.fail(badForm)
    // The name of a file's field stays visible as a parameter that nothing reads.
    for (const { name } of form.files) fields.set(name, "")
    for (const [name, value] of form.fields) fields.set(name, value)
    return Result.succeed({ fields, files: form.files })
  }
  if (!isUtf8(body)) return Result.fail(badEncoding("request body"))
  if (kind === "application/json") {
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8")
    return /^(\{\s*\})?$/.test(text.trim()) ? Result.succeed({ fields, files: noFiles }) : Result.fail(jsonBody)
  }
  const fault = addPairs(spacedText(body), fields, "request body")
  return fault === undefined ? Result.succeed({ fields, files: noFiles }) : Result.fail(fault)
}

export const readBody = (body: Uint8Array, contentType: string): Checked<RequestFields> =>
  Result.map(readForm(body, contentType), ({ fields }) => fields)

/** Methods that a POST may name in its form, for clients that can send only POST. */
export const overrides: ReadonlySet<string> = new Set(["PATCH", "DELETE", "PUT", "GET"])

/** The request's method: a POST may name another one in its form, for clients that can send only POST. */
const requestMethod = (sent: string, form: RequestFields | undefined): string => {
  const named = sent === "POST" ? form?.get("method") : undefined
  return named !== undefined && overrides.has(named) ? named : sent
}

/**
 * The request's method, its fields, of which the body's win over the query's, and its files. `body`: undefined where
 * there is none.
 */
export const readRequest = (
  request: WireRequest,
  body: Uint8Array | undefined,
): Checked<{ readonly method: string; readonly source: RequestFields; readonly files: ReadonlyArray<FilePart> }> => {
  const query = readQuery(request.query)
  if (Result.isFailure(query)) return Result.fail(query.failure)
  const source = query.success
  if (body === undefined) return Result.succeed({ method: request.method, source, files: noFiles })
  const form = readForm(body, request.contentType)
  if (Result.isFailure(form)) return Result.fail(form.failure)
  const { fields, files } = form.success
  const method = requestMethod(request.method, fields)
  for (const [name, value] of fields) source.set(name, value)
  if (method !== request.method) source.delete("method")
  return Result.succeed({ method, source, files })
}
