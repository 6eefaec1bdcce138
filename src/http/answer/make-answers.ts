/**
 * Makes answers: the envelopes of success and error, their headers, and the error for each kind of failure. Used by
 * server.ts, api.ts, exchange.ts, the sockets, and what answers outside of the API (downloads).
 */
import type * as Cause from "effect/Cause"
import type { ReplyMember } from "../../api/endpoint.ts"
import { type ApiError, type RequestFailure, serviceUnavailable } from "../../api/errors.ts"
import type { JsonObject } from "../../json.ts"
import type { JsonPiece } from "../../json-pieces.ts"
import type { ServerAnswer } from "./answer.ts"
import { type AllowedOrigins, answerHeaders, preflightHeaders } from "./cors.ts"

type AnswerHeader = readonly [name: string, value: string]

const vary: AnswerHeader = ["Vary", "Origin"]
/** The header of answers that are compressed for those who take it. */
const varies: AnswerHeader = ["Vary", "Origin, Accept-Encoding"]

/** The headers of every answer with a body, written as one: each header is a call into the native side (0.2 µs). */
const common: AnswerHeader = [
  "Content-Type",
  [
    "application/json",
    "Content-Language: en",
    "Cache-Control: max-age=0, no-cache, no-store, must-revalidate, private",
    varies.join(": "),
  ].join("\r\n"),
]
const plainHeaders: ReadonlyArray<AnswerHeader> = [common]

/** Makes the answers to one request. */
export interface AnswerMaker {
  readonly success: (data: JsonObject, ignored: ReadonlyArray<string>) => ServerAnswer
  /** The same from members that are JSON already. */
  readonly written: (members: ReadonlyArray<ReplyMember>, ignored: ReadonlyArray<string>) => ServerAnswer
  /** A whole body of a success that was encoded elsewhere, and is shared. */
  readonly body: (body: Uint8Array, ignored: ReadonlyArray<string>) => ServerAnswer
  readonly error: (error: ApiError) => ServerAnswer
  readonly options: (allowed: ReadonlyArray<string>) => ServerAnswer
}

const successBody = (data: JsonObject, ignored: ReadonlyArray<string>): string =>
  JSON.stringify(
    ignored.length === 0
      ? { result: "success", msg: "", ...data }
      : { result: "success", msg: "", ...data, ignored_parameters_unsupported: ignored },
  )

const ignoredMember = (ignored: ReadonlyArray<string>): string =>
  `"ignored_parameters_unsupported":${JSON.stringify(ignored)}`

const isText = (member: ReplyMember): member is string => typeof member === "string"

/** Members in pieces stay so: joined, a large answer would be in memory twice, and copying it would take its time. */
const writtenBody = (members: ReadonlyArray<ReplyMember>, ignored: ReadonlyArray<string>): ServerAnswer["body"] => {
  const all = ['"result":"success"', '"msg":""', ...members, ...(ignored.length === 0 ? [] : [ignoredMember(ignored)])]
  if (all.every(isText)) return `{${all.join(",")}}`
  const pieces: Array<JsonPiece> = []
  let text = "{"
  for (const [index, member] of all.entries()) {
    if (index > 0) text += ","
    if (isText(member)) text += member
    else {
      pieces.push(Buffer.from(text), ...member)
      text = ""
    }
  }
  return [...pieces, Buffer.from(`${text}}`)]
}

/** Copies a shared body to add the ignored parameters, which few requests have. */
const sharedBody = (body: Uint8Array, ignored: ReadonlyArray<string>): Uint8Array =>
  ignored.length === 0 ? body : Buffer.concat([body.subarray(0, -1), Buffer.from(`,${ignoredMember(ignored)}}`)])

const errorBody = ({ msg, code, fields }: ApiError): string => JSON.stringify({ result: "error", msg, code, ...fields })

const answersWith = (headers: ReadonlyArray<AnswerHeader>, allowedOrigin: string | undefined): AnswerMaker => ({
  success: (data, ignored) => ({ status: 200, headers, body: successBody(data, ignored) }),
  written: (members, ignored) => ({ status: 200, headers, body: writtenBody(members, ignored) }),
  body: (body, ignored) => ({ status: 200, headers, body: sharedBody(body, ignored) }),
  error: (error) => ({
    status: error.status,
    headers: [...headers, ...Object.entries(error.headers)],
    body: errorBody(error),
  }),
  options: (allowed) => ({
    status: 204,
    headers: [
      ["Allow", allowed.join(", ")],
      vary,
      ...(allowedOrigin === undefined ? [] : preflightHeaders(allowedOrigin, allowed)),
    ],
    body: "",
  }),
})

/** Shared by all requests that do not come from a web page. */
const plain = answersWith(plainHeaders, undefined)

export const answersFor = (origins: AllowedOrigins, origin: string): AnswerMaker =>
  origin === "" || !origins.mayUse(origin) ? plain : answersWith([...plainHeaders, ...answerHeaders(origin)], origin)

/** Headers of an answer that is no JSON, by which a page of an allowed origin may read it too. */
export const sharingHeaders = (origins: AllowedOrigins, origin: string): ReadonlyArray<AnswerHeader> =>
  origin === "" || !origins.mayUse(origin) ? [vary] : [vary, ...answerHeaders(origin)]

/** The error that is sent for a failure; undefined where the connection must be cut without an answer. */
export const errorToSend = (failure: RequestFailure): ApiError | undefined => {
  switch (failure._tag) {
    case "ApiError":
      return failure
    case "Unavailable":
      return serviceUnavailable(1)
    case "OutcomeUnknown":
      return undefined
  }
}

/** The failure of a cause that holds nothing else: a defect or an interruption beside it would be more important. */
export const onlyFailure = (cause: Cause.Cause<RequestFailure>): RequestFailure | undefined => {
  const [reason, ...others] = cause.reasons
  return reason?._tag === "Fail" && others.length === 0 ? reason.error : undefined
}
