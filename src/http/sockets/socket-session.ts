/**
 * One open WebSocket from its first frame to its close: signing in where the upgrade did not, then passing messages
 * to the owner of the queue. Until it is signed in nothing is looked up for it and it may not stay long. Made by
 * socket-endpoint.ts.
 */
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { ErrorCode, RequestFailure } from "../../api/errors.ts"
import type { ClockShape, Timer } from "../../clock.ts"
import type { Limits } from "../../config/config.ts"
import { onlyFailure } from "../answer/make-answers.ts"
import type { EffectRunner, FailureContext } from "../entrance/effect-runner.ts"
import { type CloseReason, closeReasons } from "../network/close-reasons.ts"
import type { AttachSocket, SocketHandlers } from "../network/socket-peer.ts"
import type { OnSocketOpen, SocketEvents, WireSocket } from "../network/uws-socket.ts"
import type { SocketFrameForm } from "./frame-form.ts"

export interface SessionParts<R> {
  readonly clock: ClockShape
  readonly limits: Limits
  readonly runner: EffectRunner<R>
}

/** Whose a connection is, once that is known. */
export interface OwnedConnection {
  readonly attachTo: AttachSocket
  readonly organization: number
}

/** How the log names what was asked for, by somebody who is not known yet. */
export const ofSocket: FailureContext = { endpoint: "GET /events/ws" }

/** Signs in a connection that is already open. */
export interface SocketSignIn<R> {
  /** Checks the first frame; undefined if it is no sign-in. */
  readonly read: (message: unknown) => Effect.Effect<OwnedConnection, RequestFailure, R> | undefined
  /** Called when the session begins, with the way to end it while it is not signed in. */
  readonly onWait: (close: (reason: CloseReason) => void) => void
  /** Called once: when the connection is signed in or closed. */
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

const refusalOf = (failure: RequestFailure): { readonly reason: CloseReason; readonly detail?: string } =>
  failure._tag === "ApiError"
    ? { reason: refusals[failure.code] ?? closeReasons.protocolError, detail: failure.msg }
    : { reason: closeReasons.unavailable }

const notSignedIn = 'the first message is {"auth":{"email":...,"api_key":...}}'

/**
 * A connection before and after its sign-in. `#signIn` is set while it waits for the sign-in, `#early` while that is
 * checked, `#handlers` once the owner of the queue has the connection.
 */
class SocketSession<R> implements SocketEvents {
  readonly #parts: SessionParts<R>
  readonly #form: SocketFrameForm
  readonly #socket: WireSocket
  #handlers: SocketHandlers | null = null
  #signIn: SocketSignIn<R> | null
  #organization: number | undefined
  #timer: Timer | null = null
  /** Frames that came while the sign-in was being checked. */
  #early: Array<unknown> | null = null

  constructor(parts: SessionParts<R>, form: SocketFrameForm, socket: WireSocket, signIn: SocketSignIn<R> | null) {
    this.#parts = parts
    this.#form = form
    this.#socket = socket
    this.#signIn = signIn
    if (signIn === null) return
    this.#timer = parts.clock.after(1000 * parts.limits.socketAuthSeconds, () =>
      socket.close(closeReasons.unauthorized, "no sign-in came in time"),
    )
    signIn.onWait((reason) => socket.close(reason))
  }

  attach({ attachTo, organization }: OwnedConnection): void {
    const { runner } = this.#parts
    this.#organization = organization
    runner.guard(
      () => {
        const early = this.#early ?? []
        this.#early = null
        const handlers = attachTo(this.#socket)
        if (!this.#socket.open) return this.#tellClosed(handlers)
        this.#handlers = handlers
        for (const message of early) if (this.#socket.open) handlers.onMessage(message)
      },
      (id) => this.#broken(id),
      this.#about,
    )
  }

  onFrame(frame: ArrayBuffer, isBinary: boolean): void {
    const { limits, runner } = this.#parts
    if (frame.byteLength > limits.socketFrameBytes) return this.#socket.close(closeReasons.tooLarge)
    const message = this.#form.read(frame, isBinary)
    if (message === undefined) return this.#socket.close(closeReasons.protocolError, this.#formText())
    const handlers = this.#handlers
    if (handlers !== null)
      return runner.guard(
        () => handlers.onMessage(message),
        (id) => this.#broken(id),
        this.#about,
      )
    if (this.#early === null) return this.#check(message)
    if (this.#early.length < mostEarlyFrames) this.#early.push(message)
    else this.#socket.close(closeReasons.protocolError, "too many messages before the sign-in was answered")
  }

  readonly #about = (): FailureContext =>
    this.#organization === undefined ? ofSocket : { ...ofSocket, organization: this.#organization }

  #formText(): string {
    return this.#form.isBinary ? "messages are MessagePack, in binary frames" : "messages are JSON, in text frames"
  }

  onDrain(): void {
    const handlers = this.#handlers
    if (handlers === null || !this.#socket.recovered()) return
    this.#parts.runner.guard(
      () => handlers.onDrain(),
      (id) => this.#broken(id),
      this.#about,
    )
  }

  onClose(): void {
    const handlers = this.#handlers
    this.#handlers = null
    this.#early = null
    this.#settle()
    if (handlers !== null) this.#tellClosed(handlers)
  }

  #check(message: unknown): void {
    const effect = this.#signIn?.read(message)
    if (effect === undefined) return this.#socket.close(closeReasons.protocolError, notSignedIn)
    this.#early = []
    this.#parts.runner.run(effect, (exit) => this.#signedIn(exit))
  }

  #signedIn(exit: Exit.Exit<OwnedConnection, RequestFailure>): void {
    if (!this.#socket.open) return
    this.#settle()
    if (Exit.isSuccess(exit)) return this.attach(exit.value)
    const failure = onlyFailure(exit.cause)
    if (failure === undefined) return this.#broken(this.#parts.runner.defect(exit.cause, ofSocket))
    const { reason, detail } = refusalOf(failure)
    this.#socket.close(reason, detail)
  }

  /** Ends the wait for a sign-in. */
  #settle(): void {
    const signIn = this.#signIn
    this.#signIn = null
    this.#timer?.cancel()
    this.#timer = null
    signIn?.onSettled()
  }

  #broken(requestId: string): void {
    this.#socket.close(closeReasons.internal, requestId)
  }

  /** Later in the turn: the owner may be the one who closes, in the middle of its own work. */
  #tellClosed(handlers: SocketHandlers): void {
    queueMicrotask(() => this.#parts.runner.guard(() => handlers.onClose(), undefined, this.#about))
  }
}

/** A connection whose owner was found before the upgrade. */
export const sessionWithOwner =
  <R>(parts: SessionParts<R>, form: SocketFrameForm, owned: OwnedConnection): OnSocketOpen =>
  (socket) => {
    const session = new SocketSession(parts, form, socket, null)
    session.attach(owned)
    return session
  }

/** A connection that signs in with its first frame. */
export const sessionAwaitingSignIn =
  <R>(parts: SessionParts<R>, form: SocketFrameForm, signIn: SocketSignIn<R>): OnSocketOpen =>
  (socket) =>
    new SocketSession(parts, form, socket, signIn)
