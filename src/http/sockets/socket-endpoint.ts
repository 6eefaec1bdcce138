/**
 * The endpoint for WebSockets: `GET /api/v1/events/ws?queue_id=...&last_event_id=...`, with a subprotocol of frame-form.ts. With
 * an Authorization header everything is checked before the upgrade, and refused with the API's JSON errors. A browser
 * cannot send that header: it signs in with its first frame, and is refused by a close with a reason
 * (close-reasons.ts). Used by server.ts.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { Caller } from "../../api/endpoint.ts"
import {
  type ApiError,
  badHost,
  badRequest,
  type Checked,
  headersTooLarge,
  internalError,
  missingVariable,
  originRefused,
  type RequestFailure,
  rateLimited,
  serviceUnavailable,
} from "../../api/errors.ts"
import { object, string } from "../../api/shapes.ts"
import type { AllowedOrigins } from "../answer/cors.ts"
import { answersFor, errorToSend, onlyFailure } from "../answer/make-answers.ts"
import { admitAccount } from "../entrance/admit-account.ts"
import type { EntranceServices } from "../entrance/entrance.ts"
import type { RequestTurns } from "../entrance/request-turns.ts"
import { type CloseReason, closeReasons } from "../network/close-reasons.ts"
import type { AttachSocket } from "../network/socket-peer.ts"
import { longestSocketMessage, type WireUpgrade } from "../network/uws.ts"
import type { WireResponse } from "../network/uws-response.ts"
import { type BasicCredentials, readBasic, readCredentials } from "../request/basic-auth.ts"
import { readQuery } from "../request/request-fields.ts"
import { hasLargeHeaders, hostName, mostHeaderBytes, readHost } from "../request/request-headers.ts"
import { refusalOf, withVerdict } from "../senders/rate-limit.ts"
import { senderOf } from "../senders/request-sender.ts"
import { frameForms, type SocketFrameForm, usualForm } from "./frame-form.ts"
import { type OwnedConnection, ofSocket, sessionAwaitingSignIn, sessionWithOwner } from "./socket-session.ts"

export interface SocketOptions<R> {
  /** Finds the queue of its owner. Reserves nothing: the connection may be gone before it is handed over. */
  readonly prepare: (
    who: Caller,
    queueId: string,
    lastEventId: string,
    form: SocketFrameForm,
  ) => Effect.Effect<AttachSocket, RequestFailure, R>
}

export interface SocketEndpointParts<R> extends EntranceServices<R> {
  readonly turns: RequestTurns
  /** Few connections are left. */
  readonly isCrowded: () => boolean
  readonly socket: SocketOptions<R>
}

export interface SocketEndpoint {
  readonly open: (request: WireUpgrade, response: WireResponse) => void
  /** Closes those that have no owner yet. */
  readonly drain: () => void
}

const wrongVersion = badRequest("Only version 13 of the WebSocket protocol is spoken here")
const wrongProtocol = badRequest(
  `None of the offered subprotocols is spoken here; these are: ${frameForms.map(({ protocol }) => protocol).join(", ")}`,
)
const wrongOrigin = originRefused()
/** What sockets that have not signed in may make the network layer keep, all together. */
const strangersBytes = 1024 * 1024 * 1024
const mostWaiting = strangersBytes / longestSocketMessage
const tooManyWaiting = rateLimited(1, "Too many connections from this address have not signed in")

interface UpgradeRequest {
  readonly request: WireUpgrade
  /** As `readHost` answers it. */
  readonly host: string
  readonly address: string
  /** The subprotocol that is agreed on; empty where the client offers none. */
  readonly protocol: string
  readonly form: SocketFrameForm
  readonly queueId: string
  readonly lastEventId: string
}

const readUpgrade = (request: WireUpgrade, address: string, origins: AllowedOrigins): Checked<UpgradeRequest> => {
  if (hasLargeHeaders(request)) return Result.fail(headersTooLarge(mostHeaderBytes))
  if (request.version !== "13") return Result.fail(wrongVersion)
  const host = readHost(request.host)
  if (host === undefined) return Result.fail(badHost())
  if (!origins.mayConnect(request.origin, host)) return Result.fail(wrongOrigin)
  const offered = request.protocols.split(",").map((each) => each.trim())
  // The client's order is that of its wishes.
  const wished = offered.flatMap((name) => frameForms.filter(({ protocol }) => protocol === name))[0]
  if (wished === undefined && request.protocols !== "") return Result.fail(wrongProtocol)
  return Result.flatMap(readQuery(request.query), (fields) => {
    const queueId = fields.get("queue_id")
    const lastEventId = fields.get("last_event_id")
    if (queueId === undefined) return Result.fail(missingVariable("queue_id"))
    if (lastEventId === undefined) return Result.fail(missingVariable("last_event_id"))
    return Result.succeed({
      request,
      host,
      address,
      protocol: wished?.protocol ?? "",
      form: wished ?? usualForm,
      queueId,
      lastEventId,
    })
  })
}

const authFrame = object({ auth: object({ email: string, api_key: string }) })

/** The credentials in a first frame; undefined where it is not one. */
const readAuthFrame = (message: unknown): Checked<BasicCredentials> | undefined => {
  const frame = authFrame(message, "frame")
  if (Result.isFailure(frame)) return undefined
  return readCredentials(frame.success.auth.email, frame.success.auth.api_key)
}

export const makeSocketEndpoint = <R>(parts: SocketEndpointParts<R>): SocketEndpoint => {
  const { config, accounts, origins, runner, inFlight, isDraining, rateLimit, strangers } = parts
  const session = { clock: parts.clock, limits: config.limits, runner }
  const waitingByAddress = new Map<string, number>()
  let waitingInAll = 0
  const closers = new Set<(reason: CloseReason) => void>()

  /** The error for a wrong key, or the rate limit's once the address has tried too many. */
  const strangerError = ({ address }: UpgradeRequest, error: ApiError): ApiError =>
    refusalOf(rateLimit.ofAddress(address)) ?? error

  const findOwner = (
    wanted: UpgradeRequest,
    credentials: Checked<BasicCredentials>,
    response: WireResponse | null,
  ): Effect.Effect<OwnedConnection, RequestFailure, R> =>
    Effect.fromResult(credentials).pipe(
      Effect.flatMap(({ email, key }) => accounts.authenticate(hostName(wanted.host), email, key)),
      Effect.mapError((failure) => (failure._tag === "ApiError" ? strangerError(wanted, failure) : failure)),
      Effect.flatMap((account) => {
        const { request, host } = wanted
        return Effect.fromResult(admitAccount(parts, account, { request, host, response }, { limit: "poll" }).caller)
      }),
      Effect.flatMap((who) =>
        Effect.map(parts.socket.prepare(who, wanted.queueId, wanted.lastEventId, wanted.form), (attachTo) => ({
          attachTo,
          organization: who.realm,
        })),
      ),
    )

  const openOwned = (wanted: UpgradeRequest, request: WireUpgrade, response: WireResponse): void => {
    const answers = answersFor(origins, request.origin)
    const begin = (): void =>
      runner.run(
        Effect.suspend(() => findOwner(wanted, readBasic(request.authorization), response)),
        (exit) => {
          inFlight.leave()
          if (Exit.isSuccess(exit))
            return request.accept(wanted.protocol, sessionWithOwner(session, wanted.form, exit.value))
          const failure = onlyFailure(exit.cause)
          const error =
            failure === undefined ? internalError(runner.defect(exit.cause, ofSocket)) : errorToSend(failure)
          if (error === undefined) response.cut()
          else response.send(answers.error(error))
        },
      )
    inFlight.enter()
    parts.turns.enter({
      body: undefined,
      sender: () => {
        const { authorization } = request
        return senderOf(
          accounts,
          { host: hostName(wanted.host), authorization, botKey: undefined },
          () => wanted.address,
        )
      },
      isReturn: () => true,
      // The client may have gone away while it waited for its turn.
      begin: () => (response.open ? response.guard(begin) : inFlight.leave()),
      guard: (task) =>
        runner.guard(
          task,
          (requestId) => {
            inFlight.leave()
            response.send(answers.error(internalError(requestId)))
          },
          () => ofSocket,
        ),
    })
  }

  const count = (address: string, change: 1 | -1): void => {
    waitingInAll += change
    const waiting = (waitingByAddress.get(address) ?? 0) + change
    if (waiting === 0) waitingByAddress.delete(address)
    else waitingByAddress.set(address, waiting)
  }

  const openWaiting = (wanted: UpgradeRequest, request: WireUpgrade): void => {
    const { address } = wanted
    let closer: ((reason: CloseReason) => void) | undefined
    request.accept(
      wanted.protocol,
      sessionAwaitingSignIn(session, wanted.form, {
        read: (message) => {
          const credentials = readAuthFrame(message)
          return credentials === undefined ? undefined : Effect.suspend(() => findOwner(wanted, credentials, null))
        },
        onWait: (close) => {
          count(address, 1)
          closer = close
          closers.add(close)
        },
        onSettled: () => {
          count(address, -1)
          if (closer !== undefined) closers.delete(closer)
        },
      }),
    )
  }

  return {
    open: (request, response) => {
      const answers = answersFor(origins, request.origin)
      if (isDraining()) return response.send(answers.error(serviceUnavailable(1)), true)
      const address = strangers.addressOf(request, response)
      const wanted = readUpgrade(request, address, origins)
      if (Result.isSuccess(wanted) && request.authorization !== "") return openOwned(wanted.success, request, response)
      const verdict = strangers.count(response, address, Result.isSuccess(wanted) ? "page" : undefined)
      const refuse = (error: ApiError) =>
        response.send(withVerdict(answers.error(refusalOf(verdict) ?? error), verdict))
      if (Result.isFailure(wanted)) return refuse(wanted.failure)
      const waiting = waitingByAddress.get(address) ?? 0
      if (refusalOf(verdict) === undefined && parts.isCrowded()) parts.refusals.note("connections in all", address)
      if (refusalOf(verdict) !== undefined || parts.isCrowded()) return refuse(serviceUnavailable(1))
      if (waitingInAll >= mostWaiting) {
        parts.refusals.note("sockets that have not signed in", address)
        return refuse(serviceUnavailable(1))
      }
      if (waiting < config.limits.unauthenticatedSocketsPerAddress) return openWaiting(wanted.success, request)
      parts.refusals.note("sockets that have not signed in", address)
      refuse(tooManyWaiting)
    },
    drain: () => {
      for (const close of [...closers]) close(closeReasons.goingAway)
    },
  }
}
