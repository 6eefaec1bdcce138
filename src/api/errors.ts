/**
 * All errors that a request can fail with. Clients match `code`; the text is for people. Anything else that is thrown
 * is a defect: it is answered 500 with a request id and no details.
 */
import * as Data from "effect/Data"
import type * as Result from "effect/Result"
import type { JsonObject } from "../json.ts"

/** Every code that can reach the wire, with its usual HTTP status. */
const errorStatus = {
  BAD_REQUEST: 400,
  REQUEST_VARIABLE_MISSING: 400,
  REQUEST_CONFUSING_VAR: 400,
  REQUEST_VARIABLE_INVALID: 400,
  BAD_NARROW: 400,
  BAD_EVENT_QUEUE_ID: 400,
  STREAM_DOES_NOT_EXIST: 400,
  CHANNEL_ALREADY_EXISTS: 409,
  UNAUTHORIZED_PRINCIPAL: 400,
  INVITATION_FAILED: 400,
  REACTION_ALREADY_EXISTS: 400,
  REACTION_DOES_NOT_EXIST: 400,
  EXPECTATION_MISMATCH: 400,
  MOVE_MESSAGES_TIME_LIMIT_EXCEEDED: 400,
  STREAM_WILDCARD_MENTION_NOT_ALLOWED: 400,
  TOPIC_WILDCARD_MENTION_NOT_ALLOWED: 400,
  SYSTEM_GROUP_REQUIRED: 400,
  CANNOT_DEACTIVATE_GROUP_IN_USE: 400,
  CANNOT_DEACTIVATE_LAST_USER: 400,
  INVALID_JSON: 400,
  UNAUTHORIZED: 401,
  INVALID_API_KEY: 401,
  AUTHENTICATION_FAILED: 401,
  USER_DEACTIVATED: 401,
  REALM_DEACTIVATED: 401,
  PASSWORD_AUTH_DISABLED: 401,
  PASSWORD_RESET_REQUIRED: 401,
  NONEXISTENT_SUBDOMAIN: 404,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TOO_LARGE: 413,
  RATE_LIMIT_HIT: 429,
  INTERNAL_SERVER_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
  UPGRADE_UNDER_WAY: 503,
} as const

export type ErrorCode = keyof typeof errorStatus

const passing: ReadonlySet<ErrorCode> = new Set(["RATE_LIMIT_HIT", "SERVICE_UNAVAILABLE", "UPGRADE_UNDER_WAY"])

/** Whether a refusal says nothing about what was asked for: the same may go well later. */
export const isForNow = (code: ErrorCode): boolean => passing.has(code)

export const statusOf = (code: ErrorCode): number => errorStatus[code]

/** A refusal that is sent to the requester: `{result: "error", msg, code, ...fields}` with `status`. */
export class ApiError extends Data.TaggedError("ApiError")<{
  readonly code: ErrorCode
  readonly status: number
  readonly msg: string
  readonly fields: JsonObject
  readonly headers: Readonly<Record<string, string>>
}> {}

/** The database cannot be reached, and the request has certainly changed nothing; becomes a 503. */
export class Unavailable extends Data.TaggedError("Unavailable")<{
  readonly reason: string
  /** The SQLSTATE with which the database refused, where it did. */
  readonly code?: string | undefined
}> {}

/** A commit whose outcome could not be learned in time: the connection is cut without an answer, never a 503. */
export class OutcomeUnknown extends Data.TaggedError("OutcomeUnknown")<{ readonly reason: string }> {}

/** A checked value, or why it is refused. */
export type Checked<A> = Result.Result<A, ApiError>

/** All that an endpoint may fail with. */
export type RequestFailure = ApiError | Unavailable | OutcomeUnknown

/**
 * A refusal is an answer like others: nobody reads where in the program it was made, and to note that takes ten times as
 * long as all the rest of it.
 */
const make = (
  code: ErrorCode,
  msg: string,
  fields: JsonObject = {},
  headers: Readonly<Record<string, string>> = {},
  status: number = errorStatus[code],
) => {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return new ApiError({ code, status, msg, fields, headers })
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** The same refusal with further fields, for clients that read it in a form of their own. */
export const withFields = ({ code, msg, fields, headers, status }: ApiError, more: JsonObject): ApiError =>
  make(code, msg, { ...fields, ...more }, headers, status)

export const badRequest = (msg: string, fields: JsonObject = {}) => make("BAD_REQUEST", msg, fields)
export const missingVariable = (name: string) =>
  make("REQUEST_VARIABLE_MISSING", `Missing '${name}' argument`, { var_name: name })
export const confusingVariables = (first: string, second: string) =>
  make("REQUEST_CONFUSING_VAR", `Can't decide between '${first}' and '${second}' arguments`, {
    var_name1: first,
    var_name2: second,
  })
/** Characters of a value that is told back: a request may have a megabyte of them. */
const mostTold = 100

/** A parameter whose value is none of those that it takes. */
export const badValue = (name: string, value: string | number) => {
  const told = typeof value === "number" ? value : value.slice(0, mostTold).toWellFormed()
  return make("REQUEST_VARIABLE_INVALID", `Bad value for '${name}': ${told}`, { var_name: name, bad_value: told })
}
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
const archivedHas = (name: string): string =>
  `An archived channel has the name '${name}': take another one, or bring that channel back.`
/** As channelExists, for those who may know that the channel is archived. */
export const channelIsArchived = (name: string) =>
  make("CHANNEL_ALREADY_EXISTS", archivedHas(name), { channel_name: name })
/** Whoever subscribes to a channel by its name may have meant a new one. */
export const archivedUnjoinable = (name: string) => badRequest(archivedHas(name))
/** The current value is not the one that the request expects; `field` names the parameter's part with that value. */
export const expectationMismatch = (field: string) =>
  make("EXPECTATION_MISMATCH", `'${field}' value does not match the expected value.`, { field_name: field })
/** Some messages of the topic are too old to be moved by the requester, who may move the newer ones. */
export const tooOldToMove = (first: number | null, total: number, allowed: number) =>
  make(
    "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
    `You only have permission to move the ${allowed}/${total} most recent messages in this topic.`,
    {
      first_message_id_allowed_to_move: first,
      total_messages_in_topic: total,
      total_messages_allowed_to_move: allowed,
    },
  )
/** A mention of everybody, by a sender who may not mention many. */
export const wildcardRefused = (of: "channel" | "topic") =>
  make(
    of === "channel" ? "STREAM_WILDCARD_MENTION_NOT_ALLOWED" : "TOPIC_WILDCARD_MENTION_NOT_ALLOWED",
    `You do not have permission to use ${of} wildcard mentions in this ${of}.`,
  )
export const systemGroupRequired = (setting: string) =>
  make("SYSTEM_GROUP_REQUIRED", `'${setting}' must be a system user group.`, { setting_name: setting })
/** `objections`: each permission and group that the group is part of. */
export const groupInUse = (objections: ReadonlyArray<JsonObject>) =>
  make("CANNOT_DEACTIVATE_GROUP_IN_USE", "Cannot deactivate user group in use.", { objections })
/** `isOwner`: there are others, but no other owner. */
export const lastUser = (isOwner: boolean) => {
  const entity = isOwner ? "organization owner" : "user"
  return make("CANNOT_DEACTIVATE_LAST_USER", `Cannot deactivate the only ${entity}.`, {
    is_last_owner: isOwner,
    entity,
  })
}
export const principalUnauthorized = (msg: string) => make("UNAUTHORIZED_PRINCIPAL", msg)
export const reactionExists = () => make("REACTION_ALREADY_EXISTS", "Reaction already exists.")
export const reactionMissing = () => make("REACTION_DOES_NOT_EXIST", "Reaction doesn't exist.")
export const unauthorized = (msg: string) =>
  make("UNAUTHORIZED", msg, {}, { "WWW-Authenticate": 'Basic realm="zulip"' })
/** A key in an address, where it is missing, has not the form of one, or is no bot's. */
export const invalidApiKey = (msg: string) => make("INVALID_API_KEY", msg)
/** What another service sent cannot be read. */
export const invalidJson = (msg = "Malformed JSON") => make("INVALID_JSON", msg)
/** No Authorization header where one is needed, also for a visitor where the organization admits none. */
export const notSignedIn = () => unauthorized("Not signed in: this endpoint needs an email address and an API key")
export const webhookBotRefused = () => unauthorized("This API is not available to incoming webhook bots.")
/** An endpoint about people, such as their status, asked by a bot for itself. */
export const botRefused = () => badRequest("This endpoint does not accept bot requests.")
/** The answers of those endpoints that hand out keys, and of those that take one in their address; a signed request is answered `unauthorized`. */
export const signInFailed = (code: "AUTHENTICATION_FAILED" | "USER_DEACTIVATED", msg: string) => make(code, msg)
export const realmDeactivated = () => make("REALM_DEACTIVATED", "This organization has been deactivated")
export const passwordAuthDisabled = () =>
  make("PASSWORD_AUTH_DISABLED", "This organization does not allow signing in with a password")
export const passwordResetRequired = () =>
  make("PASSWORD_RESET_REQUIRED", "Your password has been disabled and must be set anew")
/** `errors`: address, reason, and whether it has an account that is deactivated. The others were sent where `sent` says so. */
export const invitationFailed = (
  msg: string,
  {
    errors = [],
    sent = false,
    isOverLimit = false,
  }: {
    readonly errors?: ReadonlyArray<readonly [address: string, reason: string, isDeactivated: boolean]>
    readonly sent?: boolean
    readonly isOverLimit?: boolean
  },
) =>
  make("INVITATION_FAILED", msg, {
    errors,
    sent_invitations: sent,
    license_limit_reached: false,
    daily_limit_reached: isOverLimit,
  })
export const noSuchUser = () => badRequest("No such user")
/** 404: a private object (a draft, a snippet) that does not exist or belongs to another user. */
export const notThere = (msg: string) => make("BAD_REQUEST", msg, {}, {}, 404)
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
/** A request that is to carry a file has none. */
export const noUpload = () => badRequest("You must specify a file to upload")
export const requestTooLarge = (limit: number) => make("REQUEST_TOO_LARGE", `The request is larger than ${limit} bytes`)
/** 431: the request's line and headers, where its body would be 413. */
export const headersTooLarge = (limit: number) =>
  make("REQUEST_TOO_LARGE", `The request's address and headers are larger than ${limit} bytes`, {}, {}, 431)
/** 403: a page of another origin asked for a WebSocket. */
export const originRefused = () => make("BAD_REQUEST", "Web pages of this origin may not connect", {}, {}, 403)
export const badHost = () => badRequest("The Host header is not the name of a host")
/** 403: development mode, and the Host is no name of this machine. */
export const hostRefused = () =>
  make(
    "BAD_REQUEST",
    "Development mode answers only to names of this machine, such as localhost: use production mode for any other",
    {},
    {},
    403,
  )
/** 426: a plain request to the address of the WebSockets. */
export const upgradeNeeded = () =>
  make(
    "BAD_REQUEST",
    "This address is for WebSockets: an upgrade is needed",
    {},
    { Connection: "Upgrade", Upgrade: "websocket" },
    426,
  )
/** Worth a retry after `seconds`, to the millisecond in the body and in whole ones in the header, as HTTP has it. */
export const rateLimited = (seconds: number, msg = "Too many requests: wait before you send the next one") =>
  make(
    "RATE_LIMIT_HIT",
    msg,
    { "retry-after": Math.ceil(seconds * 1000) / 1000 },
    { "Retry-After": String(Math.ceil(seconds)) },
  )
export const internalError = (requestId: string) =>
  make("INTERNAL_SERVER_ERROR", `Internal server error (request ${requestId})`, {}, { "X-Request-Id": requestId })
/** 503: a read that took too long; the same request would again. */
export const readTooSlow = (seconds: number) =>
  make("SERVICE_UNAVAILABLE", `This takes longer than ${seconds} seconds: ask for less`, { "retry-after": seconds })
/** The request has certainly changed nothing; worth a retry after `seconds`. */
export const serviceUnavailable = (seconds: number) =>
  make(
    "SERVICE_UNAVAILABLE",
    "The server cannot do this right now; nothing was done",
    { "retry-after": seconds },
    {
      "Retry-After": String(seconds),
    },
  )

const upgradeSeconds = 10
/** What programs that still serve the database do not know; nothing was done, and soon it can be. */
export const upgradeUnderWay = () =>
  make(
    "UPGRADE_UNDER_WAY",
    "The server is being upgraded, and cannot do this until that is over; nothing was done",
    { "retry-after": upgradeSeconds },
    { "Retry-After": String(upgradeSeconds) },
  )
