/**
 * Serves uploaded files outside of the API: whole or a part, as fast as their client reads, some at a time. Who asks is
 * found as in the API, or is told by the address itself; who may read what is the chat's business. Made by server.ts.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { DownloadFile, DownloadRedirect, DownloadSource } from "../../api/downloads.ts"
import { type Caller, requesterKind, requesterName, type Visitor } from "../../api/endpoint.ts"
import {
  type ApiError,
  badHost,
  internalError,
  methodNotAllowed,
  notThere,
  type RequestFailure,
} from "../../api/errors.ts"
import { answersFor, errorToSend, onlyFailure, sharingHeaders } from "../answer/make-answers.ts"
import { ClientPace } from "../bodies/client-pace.ts"
import { admitAccount } from "../entrance/admit-account.ts"
import type { FailureContext } from "../entrance/effect-runner.ts"
import type { EntranceServices } from "../entrance/entrance.ts"
import { answerOptions } from "../entrance/preflight.ts"
import type { WireRequest } from "../network/uws.ts"
import type { WireResponse } from "../network/uws-response.ts"
import { clientName, hostName, originOf, readHost } from "../request/request-headers.ts"
import { findAccount } from "../senders/find-account.ts"
import { refusalOf } from "../senders/rate-limit.ts"
import { readRange } from "./byte-ranges.ts"
import { makeDownloadTurns } from "./download-turns.ts"

/** How the paths of uploaded files begin. */
const downloadPrefix = "/user_uploads/"
/** Addresses that say themselves who may read: a page full of pictures asks for many at once. */
const signedPrefix = `${downloadPrefix}temporary/`
/** Such as were given to a member, who has the turns of one: members' clients show pictures by them. */
const membersAddress = /^\/user_uploads\/temporary\/\d/

/** Whether a client has the bytes of an etag already, by its If-None-Match. `*`: it has some, and there are no others. */
const isAmong = (known: string, etag: string): boolean =>
  known.trim() === "*" || known.split(",").some((each) => each.trim().replace(/^W\//, "") === etag)

const methods = ["GET", "HEAD"]

const absent = notThere("There is no such file.")

export const makeDownloads = <R>(
  parts: EntranceServices<R>,
): ((source: DownloadSource<R>, request: WireRequest, response: WireResponse) => void) => {
  const { clock, accounts, runner, inFlight, strangers, refusals } = parts
  const turns = makeDownloadTurns(clock, refusals)

  /** Finds who asks; counts the request. */
  const findWho = (
    request: WireRequest,
    response: WireResponse,
    shownHost: string,
  ): Effect.Effect<Caller | Visitor, RequestFailure> => {
    const host = hostName(shownHost)
    const address = strangers.addressOf(request, response)
    const countStranger = (kind?: "page"): ApiError | undefined => refusalOf(strangers.count(response, address, kind))
    if (request.authorization === "") {
      const refusal = countStranger(request.path.startsWith(signedPrefix) ? "page" : undefined)
      if (refusal !== undefined) return Effect.fail(refusal)
      const client = clientName(request.userAgent)
      const visitor = { client, host, origin: originOf(parts, shownHost), address }
      return Effect.map(accounts.findRealm(host), (realm) => ({ ...visitor, realm }))
    }
    const account = findAccount(accounts, { host, authorization: request.authorization, botKey: undefined })
    return Effect.flatMap(
      Effect.mapError(account, (failure) => (failure._tag === "ApiError" ? (countStranger() ?? failure) : failure)),
      (found) => Effect.fromResult(admitAccount(parts, found, { request, host: shownHost, response }, {}).caller),
    )
  }

  const send = (request: WireRequest, response: WireResponse, file: DownloadFile, done: () => void): void => {
    const { size, etag } = file
    const headers = [
      ...file.headers,
      ["ETag", etag] as const,
      ["Accept-Ranges", "bytes"] as const,
      ...sharingHeaders(parts.origins, request.origin),
    ]
    if (isAmong(request.ifNoneMatch, etag)) return response.send({ status: 304, headers, body: "" }, false, done)
    const isAsked = request.ifRange === "" || request.ifRange === etag
    const range = isAsked && request.method === "GET" ? readRange(request.range, size) : "all"
    if (range === "none") {
      const unsatisfied = [...headers, ["Content-Range", `bytes */${size}`] as const]
      return response.send({ status: 416, headers: unsatisfied, body: "" }, false, done)
    }
    const part = range === "all" ? { start: 0, end: size } : range
    const status = range === "all" ? 200 : 206
    const shown =
      range === "all"
        ? headers
        : [...headers, ["Content-Range", `bytes ${part.start}-${part.end - 1}/${size}`] as const]
    const pace = new ClientPace(clock, () => response.cut())
    const read = async function* () {
      for await (const bytes of file.read(part)) {
        pace.count(bytes.length)
        yield bytes
      }
    }
    response.sendParts({ status, headers: shown }, part.end - part.start, read, false, () => {
      pace.end()
      done()
    })
  }

  /** Sends the file, and ends when it has left. */
  const deliver = (request: WireRequest, response: WireResponse, file: DownloadFile): Effect.Effect<void> =>
    Effect.callback((resume) => {
      runner.guard(
        () => send(request, response, file, () => resume(Effect.void)),
        () => {
          response.cut()
          resume(Effect.void)
        },
      )
    })

  /** What somebody finds there may be another picture a moment later. */
  const sendAway = (request: WireRequest, response: WireResponse, { location }: DownloadRedirect): void =>
    response.send({
      status: 302,
      headers: [
        ["Location", location],
        ["Cache-Control", "private, no-cache"],
        ["Cross-Origin-Resource-Policy", "cross-origin"],
        ...sharingHeaders(parts.origins, request.origin),
      ],
      body: "",
    })

  return ({ prefix, find }, request, response) => {
    const answers = answersFor(parts.origins, request.origin)
    const refuse = (error: ApiError) => response.send(answers.error(error))
    if (request.method === "OPTIONS") return answerOptions(parts, request, response, methods)
    const host = readHost(request.host)
    if (host === undefined) return refuse(badHost())
    if (!methods.includes(request.method)) return refuse(methodNotAllowed(methods))
    inFlight.enter()
    response.onAbort(() => {})
    let about: FailureContext = { endpoint: `${request.method} ${prefix}` }
    const served = Effect.gen(function* () {
      const who = yield* findWho(request, response, host)
      if (who.realm !== null) about = { ...about, organization: who.realm }
      const file = yield* find(who, request.path, request.query)
      if (file === null) return yield* absent
      if ("location" in file) return runner.guard(() => sendAway(request, response, file))
      const kind = membersAddress.test(request.path) ? undefined : requesterKind(who)
      yield* turns(kind)(requesterName(who), deliver(request, response, file))
    })
    runner.run(served, (exit) => {
      inFlight.leave()
      if (Exit.isSuccess(exit)) return
      const failure = onlyFailure(exit.cause)
      const error = failure === undefined ? internalError(runner.defect(exit.cause, about)) : errorToSend(failure)
      runner.guard(() => (error === undefined ? response.cut() : refuse(error)))
    })
  }
}
