/**
 * One open WebSocket from its first frame to its close: signing in where the upgrade did not, then passing messages
 * to the owner of the queue. Until it is signed in nothing is looked up for it and it may not stay long. Made by
 * socket.ts.
 */
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { ClockShape } from "../clock.ts"
import type { Limits } from "../config.ts"
import type { ErrorCode, Failure } from "../errors.ts"
import { type CloseReason, closeReasons } from "./close-reasons.ts"
import { onlyFailure } from "./reply.ts"
import type { Runner } from "./runner.ts"
import { type Attach, makePeer, type SocketHandlers } from "./socket-peer.ts"
import type { Seat, SocketEvents, WireSocket } from "./uws-socket.ts"

export interface SessionParts<R> {
  readonly clock: ClockShape
  readonly limits: Limits
  readonly runner: Runner<R>
}

/** How a connection that is open, but not signed in, gets its owner. */
export interface SignIn<R> {
  /** Undefined where the text is no sign-in. */
  readonly read: (text: string) => Effect.Effect<Attach, Failure, R> | undefined
  /** Called when the session begins, with the way to end it while it is not signed in. */
  readonly onWait: (close: (reason: CloseReason) => void) => void
  /** Called once: signed in or closed. */
  readonly onSettled: () => void
}

/** Frames that a client may send between its sign-in and the answer to it. */
const mostEarlyFrames = 16

const refusals: Partial<Record<ErrorCode, CloseReason>> = {
  BAD_EVENT_QUEUE_ID: closeReasons.badQueue,
  UNAUTHORIZED: closeReasons.unauthorized,
  AUTHENTICATION_FAILED: closeReasons.unauthorized,
  USER_DEACTIVATED: closeReasons.unauthorized,
  REALM_DEACTIVATED: closeReasons.unauthorized,
  NONEXISTENT_SUBDOMAIN: closeReasons.unauthorized,
  RATE_LIMIT_HIT: closeReasons.unavailable,
}

const refusalOf = (failure: Failure): { readonly reason: CloseReason; readonly detail?: string } =>
  failure._tag === "ApiError"
    ? { reason: refusals[failure.code] ?? closeReasons.protocolError, detail: failure.msg }
    : { reason: closeReasons.unavailable }

type Stage =
  | { readonly _tag: "Waiting" }
  | { readonly _tag: "Checking"; readonly early: Array<string> }
  | { readonly _tag: "Attached"; readonly handlers: SocketHandlers }
  | { readonly _tag: "Ended" }

/** The shared part: a connection that may have an owner. */
const makeSession = <R>(parts: SessionParts<R>, socket: WireSocket) => {
  const { limits, runner } = parts
  const peer = makePeer(socket, limits.socketBackpressureBytes)
  let stage: Stage = { _tag: "Waiting" }
  const broken = (requestId: string) => peer.close(closeReasons.internal, requestId)
  /** Later in the turn: the owner may be the one who closes, in the middle of its own work. */
  const tellClosed = (handlers: SocketHandlers) => queueMicrotask(() => runner.guard(handlers.onClose))
  const attach = (attachTo: Attach): void =>
    runner.guard(() => {
      const early = stage._tag === "Checking" ? stage.early : []
      const handlers = attachTo(peer)
      if (!socket.open) return tellClosed(handlers)
      stage = { _tag: "Attached", handlers }
      for (const text of early) if (socket.open) handlers.onMessage(text)
    }, broken)
  const events = (onFirst: (text: string) => void, onEnd: () => void): SocketEvents => ({
    onText: (text, bytes) => {
      if (bytes > limits.socketFrameBytes) return peer.close(closeReasons.tooLarge)
      if (stage._tag === "Waiting") return onFirst(text)
      if (stage._tag === "Attached") {
        const { handlers } = stage
        return runner.guard(() => handlers.onMessage(text), broken)
      }
      if (stage._tag !== "Checking") return
      if (stage.early.length < mostEarlyFrames) stage.early.push(text)
      else peer.close(closeReasons.protocolError, "too many messages before the sign-in was answered")
    },
    onBinary: () => peer.close(closeReasons.protocolError, "messages are text"),
    onDrain: () => {
      if (stage._tag !== "Attached" || !peer.recovered()) return
      const { handlers } = stage
      runner.guard(() => handlers.onDrain(), broken)
    },
    onClose: () => {
      const last = stage
      stage = { _tag: "Ended" }
      onEnd()
      if (last._tag === "Attached") tellClosed(last.handlers)
    },
  })
  return { peer, attach, broken, events, check: () => (stage = { _tag: "Checking", early: [] }) }
}

/** A connection whose owner was found before the upgrade. */
export const ownedSeat =
  <R>(parts: SessionParts<R>, attachTo: Attach): Seat =>
  (socket) => {
    const session = makeSession(parts, socket)
    session.attach(attachTo)
    return session.events(
      () => {},
      () => {},
    )
  }

/** A connection that signs in with its first frame. */
export const waitingSeat =
  <R>(parts: SessionParts<R>, signIn: SignIn<R>): Seat =>
  (socket) => {
    const session = makeSession(parts, socket)
    const { peer } = session
    const timer = parts.clock.after(1000 * parts.limits.socketAuthSeconds, () =>
      peer.close(closeReasons.unauthorized, "no sign-in came in time"),
    )
    let settled = false
    const settle = () => {
      if (settled) return
      settled = true
      timer.cancel()
      signIn.onSettled()
    }
    const finish = (exit: Exit.Exit<Attach, Failure>) => {
      if (!socket.open) return
      settle()
      if (Exit.isSuccess(exit)) return session.attach(exit.value)
      const failure = onlyFailure(exit.cause)
      if (failure === undefined) return session.broken(parts.runner.defect(exit.cause))
      const { reason, detail } = refusalOf(failure)
      peer.close(reason, detail)
    }
    signIn.onWait(peer.close)
    return session.events((text) => {
      const effect = signIn.read(text)
      if (effect === undefined)
        return peer.close(closeReasons.protocolError, 'the first message is {"auth":{"email":...,"api_key":...}}')
      session.check()
      parts.runner.run(effect, finish)
    }, settle)
  }
