/**
 * The closed family of what a request can fail with. Clients match `code`; the text is for people.
 * Anything that is not one of these is a defect: 500 with a request id, and nothing of it on the wire.
 */
import * as Data from "effect/Data"
import type { JsonObject } from "./json.ts"

/** Every code that can reach the wire, with its usual HTTP status (contract 1.3). */
export const errorStatus = {
  BAD_REQUEST: 400,
  REQUEST_VARIABLE_MISSING: 400,
  REQUEST_VARIABLE_INVALID: 400,
  REQUEST_CONFUSING_VAR: 400,
  BAD_NARROW: 400,
  BAD_EVENT_QUEUE_ID: 400,
  STREAM_DOES_NOT_EXIST: 400,
  CHANNEL_ALREADY_EXISTS: 409,
  UNAUTHORIZED_PRINCIPAL: 400,
  UNAUTHORIZED: 401,
  AUTHENTICATION_FAILED: 401,
  USER_DEACTIVATED: 401,
  REALM_DEACTIVATED: 401,
  NONEXISTENT_SUBDOMAIN: 404,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TOO_LARGE: 413,
  RATE_LIMIT_HIT: 429,
  INTERNAL_SERVER_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const

export type ErrorCode = keyof typeof errorStatus

/** A refusal that the requester is told about: `{result: "error", msg, code, ...fields}` with `status`. */
export class ApiError extends Data.TaggedError("ApiError")<{
  readonly code: ErrorCode
  readonly status: number
  readonly msg: string
  readonly fields: JsonObject
  readonly headers: Readonly<Record<string, string>>
}> {}

/** The database cannot be asked now. Whatever was wanted has certainly not been done; becomes a 503. */
export class Unavailable extends Data.TaggedError("Unavailable")<{ readonly reason: string }> {}

/** A commit whose outcome could not be learned in time: the connection is cut without an answer, never a 503. */
export class OutcomeUnknown extends Data.TaggedError("OutcomeUnknown")<{ readonly reason: string }> {}

/** All that an endpoint may fail with. */
export type Failure = ApiError | Unavailable | OutcomeUnknown

const make = (code: ErrorCode, msg: string, fields: JsonObject = {}, headers: Readonly<Record<string, string>> = {}) =>
  new ApiError({ code, status: errorStatus[code], msg, fields, headers })

export const badRequest = (msg: string, fields: JsonObject = {}) => make("BAD_REQUEST", msg, fields)
export const missingVariable = (name: string) =>
  make("REQUEST_VARIABLE_MISSING", `Missing '${name}' argument`, { var_name: name })
export const invalidVariable = (name: string, value: string) =>
  make("REQUEST_VARIABLE_INVALID", `Bad value for '${name}': ${value}`, { var_name: name, bad_value: value })
export const confusingVariables = (first: string, second: string) =>
  make("REQUEST_CONFUSING_VAR", `Can't decide between '${first}' and '${second}' arguments`, {
    var_name1: first,
    var_name2: second,
  })
export const badNarrow = (desc: string) => make("BAD_NARROW", `Invalid narrow operator: ${desc}`, { desc })
/** The one text that clients match: it begins with `Bad event queue ID: `. */
export const badEventQueue = (queueId: string) =>
  make("BAD_EVENT_QUEUE_ID", `Bad event queue ID: ${queueId}`, { queue_id: queueId })
export const channelNameUnknown = (name: string) =>
  make("STREAM_DOES_NOT_EXIST", `Channel '${name}' does not exist`, { stream: name })
export const channelIdUnknown = (id: number) =>
  make("STREAM_DOES_NOT_EXIST", `Channel with ID '${id}' does not exist`, { stream_id: id })
export const channelExists = (name: string) =>
  make("CHANNEL_ALREADY_EXISTS", `Channel '${name}' already exists`, { channel_name: name })
export const principalUnauthorized = (msg: string) => make("UNAUTHORIZED_PRINCIPAL", msg)
export const unauthorized = (msg: string) =>
  make("UNAUTHORIZED", msg, {}, { "WWW-Authenticate": 'Basic realm="zulip"' })
export const signInFailed = (code: "AUTHENTICATION_FAILED" | "USER_DEACTIVATED" | "REALM_DEACTIVATED", msg: string) =>
  make(code, msg)
export const realmUnknown = () => make("NONEXISTENT_SUBDOMAIN", "No organization is served at this address")
export const notFound = () => make("NOT_FOUND", "No such endpoint")
export const methodNotAllowed = (allowed: ReadonlyArray<string>) =>
  make(
    "METHOD_NOT_ALLOWED",
    "This endpoint does not support that method",
    { allowed_methods: allowed },
    {
      Allow: allowed.join(", "),
    },
  )
export const requestTooLarge = (limit: number) => make("REQUEST_TOO_LARGE", `The request is larger than ${limit} bytes`)
export const internalError = (requestId: string) =>
  make("INTERNAL_SERVER_ERROR", `Internal server error (request ${requestId})`)
/** Not done, certainly; worth a retry after `seconds`. */
export const serviceUnavailable = (seconds: number) =>
  make(
    "SERVICE_UNAVAILABLE",
    "The server cannot do this right now; nothing was done",
    { "retry-after": seconds },
    {
      "Retry-After": String(seconds),
    },
  )
