/**
 * The door for WebSockets: `GET /api/v1/events/ws?queue_id=...&last_event_id=...`, subprotocol `parley.v1.json`. All
 * that can be refused before the upgrade is refused as the API's JSON errors; with an Authorization header that is
 * everything. A browser cannot send one: it signs in with its first frame, and what is refused then is a close with a
 * reason (close-reasons.ts). Used by server.ts.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { Credentials } from "../chat/sign-in.ts"
import type { ClockShape } from "../clock.ts"
import type { ConfigShape } from "../config.ts"
import type { Caller } from "../endpoint.ts"
import { ApiError, badRequest, type Failure, internalError, missingVariable, serviceUnavailable } from "../errors.ts"
import { object, string } from "../shapes.ts"
import type { Directory } from "./api.ts"
import { readBasic, readCredentials } from "./basic-auth.ts"
import { type CloseReason, closeReasons } from "./close-reasons.ts"
import type { Origins } from "./cors.ts"
import type { InFlight } from "./in-flight.ts"
import { readQuery } from "./params.ts"
import { answersFor, onlyFailure, toldError } from "./reply.ts"
import { clientName, hostName, readHost } from "./request.ts"
import type { Runner } from "./runner.ts"
import type { Attach } from "./socket-peer.ts"
import { ownedSeat, waitingSeat } from "./socket-session.ts"
import type { WireUpgrade } from "./uws.ts"
import type { WireResponse } from "./uws-response.ts"

export interface SocketOptions<R> {
  /** Looks the queue up for its owner. Holds nothing: the connection may be gone before it is handed over. */
  readonly prepare: (who: Caller, queueId: string, lastEventId: string) => Effect.Effect<Attach, Failure, R>
}

export interface DoorParts<R> {
  readonly config: ConfigShape
  readonly clock: ClockShape
  readonly directory: Directory
  readonly origins: Origins
  readonly runner: Runner<R>
  readonly inFlight: InFlight
  readonly isDraining: () => boolean
  readonly socket: SocketOptions<R>
}

export interface SocketDoor {
  readonly open: (request: WireUpgrade, response: WireResponse) => void
  /** Closes those that have no owner yet. */
  readonly drain: () => void
}

const subprotocol = "parley.v1.json"

const wrongVersion = badRequest("Only version 13 of the WebSocket protocol is spoken here")
const wrongHost = badRequest("The Host header is not the name of a host")
const wrongProtocol = badRequest(`None of the offered subprotocols is spoken here; ${subprotocol} is`)
const wrongOrigin = new ApiError({
  code: "BAD_REQUEST",
  status: 403,
  msg: "Web pages of this origin may not connect",
  fields: {},
  headers: {},
})
/** For a plain GET: what comes to this door has asked for an upgrade. */
export const upgradeNeeded = new ApiError({
  code: "BAD_REQUEST",
  status: 426,
  msg: "This address is for WebSockets: an upgrade is needed",
  fields: {},
  headers: { Connection: "Upgrade", Upgrade: "websocket" },
})
const tooManyWaiting = new ApiError({
  code: "RATE_LIMIT_HIT",
  status: 429,
  msg: "Too many connections from this address have not signed in",
  fields: { "retry-after": 1 },
  headers: { "Retry-After": "1" },
})

interface Wanted {
  readonly host: string
  readonly client: string
  readonly protocol: string
  readonly queueId: string
  readonly lastEventId: string
}

const readUpgrade = (request: WireUpgrade, origins: Origins): Result.Result<Wanted, ApiError> => {
  if (request.version !== "13") return Result.fail(wrongVersion)
  const host = readHost(request.host)
  if (host === undefined) return Result.fail(wrongHost)
  if (!origins.mayConnect(request.origin, host)) return Result.fail(wrongOrigin)
  const offered = request.protocols.split(",").map((each) => each.trim())
  const protocol = offered.includes(subprotocol) ? subprotocol : ""
  if (protocol === "" && request.protocols !== "") return Result.fail(wrongProtocol)
  return Result.flatMap(readQuery(request.query), (fields) => {
    const queueId = fields.get("queue_id")
    const lastEventId = fields.get("last_event_id")
    if (queueId === undefined) return Result.fail(missingVariable("queue_id"))
    if (lastEventId === undefined) return Result.fail(missingVariable("last_event_id"))
    return Result.succeed({
      host: hostName(host),
      client: clientName(request.userAgent),
      protocol,
      queueId,
      lastEventId,
    })
  })
}

const authFrame = object({ auth: object({ email: string, api_key: string }) })

/** The credentials in a first frame; undefined where it is not one. */
const readAuthFrame = (text: string): Result.Result<Credentials, ApiError> | undefined => {
  try {
    const frame = authFrame(JSON.parse(text), "frame")
    if (Result.isFailure(frame)) return undefined
    return readCredentials(frame.success.auth.email, frame.success.auth.api_key)
  } catch {
    return undefined
  }
}

export const makeSocketDoor = <R>(parts: DoorParts<R>): SocketDoor => {
  const { config, directory, origins, runner, inFlight, isDraining } = parts
  const session = { clock: parts.clock, limits: config.limits, runner }
  const waitingByAddress = new Map<string, number>()
  const closers = new Set<(reason: CloseReason) => void>()

  const findOwner = (wanted: Wanted, { email, key }: Credentials): Effect.Effect<Attach, Failure, R> =>
    Effect.flatMap(directory.authenticate(wanted.host, email, key), ({ realm, user }) =>
      parts.socket.prepare({ realm, user, client: wanted.client }, wanted.queueId, wanted.lastEventId),
    )

  const openOwned = (wanted: Wanted, credentials: Credentials, request: WireUpgrade, response: WireResponse): void => {
    const answers = answersFor(origins, request.origin)
    inFlight.enter()
    runner.run(
      Effect.suspend(() => findOwner(wanted, credentials)),
      (exit) => {
        inFlight.leave()
        if (Exit.isSuccess(exit)) return request.accept(wanted.protocol, ownedSeat(session, exit.value))
        const failure = onlyFailure(exit.cause)
        const error = failure === undefined ? internalError(runner.defect(exit.cause)) : toldError(failure)
        if (error === undefined) response.cut()
        else response.send(answers.error(error))
      },
    )
  }

  const count = (address: string, change: 1 | -1): void => {
    const waiting = (waitingByAddress.get(address) ?? 0) + change
    if (waiting === 0) waitingByAddress.delete(address)
    else waitingByAddress.set(address, waiting)
  }

  const openWaiting = (wanted: Wanted, request: WireUpgrade): void => {
    const { address } = request
    let closer: ((reason: CloseReason) => void) | undefined
    request.accept(
      wanted.protocol,
      waitingSeat(session, {
        read: (text) => {
          const credentials = readAuthFrame(text)
          if (credentials === undefined) return undefined
          if (Result.isFailure(credentials)) return Effect.fail(credentials.failure)
          return Effect.suspend(() => findOwner(wanted, credentials.success))
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
      const wanted = readUpgrade(request, origins)
      if (Result.isFailure(wanted)) return response.send(answers.error(wanted.failure))
      if (request.authorization === "") {
        const waiting = waitingByAddress.get(request.address) ?? 0
        if (waiting >= config.limits.unauthenticatedSocketsPerAddress)
          return response.send(answers.error(tooManyWaiting))
        return openWaiting(wanted.success, request)
      }
      const credentials = readBasic(request.authorization)
      if (Result.isFailure(credentials)) return response.send(answers.error(credentials.failure))
      openOwned(wanted.success, credentials.success, request, response)
    },
    drain: () => {
      for (const close of [...closers]) close(closeReasons.goingAway)
    },
  }
}
