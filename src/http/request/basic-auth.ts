/**
 * Reads the Authorization header. Only the form is checked here; the caller checks the key. Called by find-account.ts and
 * socket-endpoint.ts; app.ts gives it to the table of known senders.
 */
import { isUtf8 } from "node:buffer"
import * as Result from "effect/Result"
import { badRequest, type Checked, notSignedIn, unauthorized } from "../../api/errors.ts"

/** The key has the right form, but may be wrong. */
export interface BasicCredentials {
  readonly email: string
  readonly key: string
}

const missing = notSignedIn()
const notBasic = badRequest("This endpoint needs HTTP Basic authentication")
const unreadable = unauthorized("The Authorization header is not valid for Basic authentication")
const malformedKey = unauthorized("Malformed API key: it has 32 letters and digits")

const base64 = /^[A-Za-z0-9+/]+={0,2}$/
const apiKey = /^[A-Za-z0-9]{32}$/

/** Credentials from another source than a header, checked by the same rules. */
export const readCredentials = (email: string, key: string): Checked<BasicCredentials> => {
  const trimmed = key.trim()
  if (email === "" || email.includes("\u0000") || !email.isWellFormed()) return Result.fail(unreadable)
  return apiKey.test(trimmed) ? Result.succeed({ email, key: trimmed }) : Result.fail(malformedKey)
}

/** The credentials in an Authorization header; an absent header is an empty one. */
export const readBasic = (header: string): Checked<BasicCredentials> => {
  if (header === "") return Result.fail(missing)
  const space = header.indexOf(" ")
  if (space < 0) return Result.fail(unreadable)
  if (header.slice(0, space).toLowerCase() !== "basic") return Result.fail(notBasic)
  const encoded = header.slice(space + 1).trim()
  const bytes = base64.test(encoded) ? Buffer.from(encoded, "base64") : undefined
  if (bytes === undefined || !isUtf8(bytes)) return Result.fail(unreadable)
  const pair = bytes.toString("utf8")
  const colon = pair.indexOf(":")
  return colon < 0 ? Result.fail(unreadable) : readCredentials(pair.slice(0, colon), pair.slice(colon + 1))
}
