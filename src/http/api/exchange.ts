/**
 * One request and its one answer: the endpoint's reply or failure is turned into an HTTP answer. A client that
 * disconnects does not stop the work: a send in flight must finish, and its answer is not written. Made by
 * api.ts for each request.
 */
import * as Exit from "effect/Exit"
import {
  type EndpointReply,
  type HandledRequest,
  type HeldReply,
  type Requester,
  type Reservation,
  requesterName,
} from "../../api/endpoint.ts"
import { type ApiError, internalError, type RequestFailure } from "../../api/errors.ts"
import type { ClientWaiting, RequestAbout } from "../../fairness/client-presence.ts"
import { type LargeAnswersShape, smallBytes } from "../../fairness/large-answers.ts"
import type { RateVerdict } from "../../fairness/rate-counter.ts"
import type { JsonPieces } from "../../json-pieces.ts"
import { acceptsGzip } from "../answer/accept-encoding.ts"
import type { ServerAnswer } from "../answer/answer.ts"
import { weightOf } from "../answer/body-pieces.ts"
import { type Compressor, compressedAbove } from "../answer/compressor.ts"
import { type AnswerMaker, errorToSend, onlyFailure } from "../answer/make-answers.ts"
import { type EffectRunner, newRequestId } from "../entrance/effect-runner.ts"
import type { InFlight } from "../entrance/in-flight.ts"
import type { RouteTally } from "../metrics/request-tally.ts"
import type { WireRequest } from "../network/uws.ts"
import type { WireResponse } from "../network/uws-response.ts"
import { withVerdict } from "../senders/rate-limit.ts"
import type { RouteMatch } from "./router.ts"

export interface ApiExchange<R> {
  readonly request: WireRequest
  readonly response: WireResponse
  readonly answers: AnswerMaker
  readonly match: RouteMatch<R>
  readonly host: string
  /** The rate limit's verdict, sent with the answer. */
  verdict: RateVerdict | undefined
  /** Where its answer is counted, once it is known which endpoint handles it, and when that began. */
  tally?: RouteTally | undefined
  began?: number | undefined
  /** For whom a large answer is counted. */
  requester: Requester
  /** For the log: its id, given when something is told of it, and the organization that it is asked of. */
  requestId: string | undefined
  organization: number | undefined
}

type AnsweredExchange = Pick<ApiExchange<never>, "response" | "answers" | "verdict" | "requester" | "tally" | "began">

export interface Responder<R> {
  readonly refuse: (exchange: AnsweredExchange, error: ApiError) => void
  readonly finish: (exchange: ApiExchange<R>, exit: Exit.Exit<HandledRequest, RequestFailure>) => void
  readonly reply: (exchange: ApiExchange<R>, handled: HandledRequest) => void
}

/** Who asks, until it is known. */
export const nobodyYet: Requester = { address: "" }

type HeldAnswer = Extract<EndpointReply, { readonly _tag: "Held" }>

/** How the log names a request. */
export const aboutOf = <R>(exchange: ApiExchange<R>): RequestAbout => {
  exchange.requestId ??= newRequestId()
  const { requestId: request, organization, tally, match } = exchange
  // Before the method of its form is read, the path is what is known.
  const endpoint = tally?.name ?? match.place.name
  return organization === undefined ? { request, endpoint } : { request, endpoint, organization }
}

/** Whether the client still waits, for endpoints that wait themselves. */
export const presenceOf = <R>(exchange: ApiExchange<R>): ClientWaiting => ({
  isGone: () => exchange.response.aborted,
  onGone: (task) => exchange.response.onAbort(task),
  about: () => aboutOf(exchange),
})

interface ReplyWays {
  readonly send: (exchange: AnsweredExchange, answer: ServerAnswer) => void
  readonly fail: (exchange: AnsweredExchange, failure: RequestFailure) => void
  readonly guard: (task: () => void) => void
}

/**
 * A reply that stays open. Without closures and without the request: garbage collection copies whatever a poll holds
 * while it waits.
 */
class HeldExchange implements HeldReply, AnsweredExchange {
  readonly response: WireResponse
  readonly answers: AnswerMaker
  readonly verdict: RateVerdict | undefined
  readonly requester: Requester
  /** Its time is not told, because it waits by intention: it has no `began`. */
  readonly tally: RouteTally | undefined
  readonly #ignored: ReadonlyArray<string>
  readonly #ways: ReplyWays

  constructor(
    { response, answers, verdict, requester, tally }: AnsweredExchange,
    ignored: ReadonlyArray<string>,
    ways: ReplyWays,
  ) {
    this.response = response
    this.answers = answers
    this.verdict = verdict
    this.requester = requester
    this.tally = tally
    this.#ignored = ignored
    this.#ways = ways
  }

  send(body: Uint8Array): void {
    this.#ways.send(this, this.answers.body(body, this.#ignored))
  }

  fail(failure: RequestFailure): void {
    this.#ways.fail(this, failure)
  }

  onClose(task: () => void): void {
    if (this.response.aborted) queueMicrotask(() => this.#ways.guard(task))
    else this.response.onAbort(task)
  }
}

const gzipped = ["Content-Encoding", "gzip"] as const

const piecesOf = ({ body }: ServerAnswer): JsonPieces =>
  typeof body === "string" ? [Buffer.from(body)] : body instanceof Uint8Array ? [body] : body

/** Told of each request that an endpoint has handled. */
export interface AnswerLine {
  readonly endpoint: string
  readonly status: number
  readonly milliseconds: number
  readonly who: string
}

export const makeResponder = <R>(
  runner: EffectRunner<R>,
  largeAnswers: Pick<LargeAnswersShape, "note">,
  inFlight: Pick<InFlight, "enter" | "leave">,
  compressor: Compressor,
  unrouted: RouteTally,
  logAnswer?: (line: AnswerLine) => void,
): Responder<R> => {
  /** A large answer that has no room yet is counted too; where there is none left, the client must come again. */
  const reservationFor = (requester: Requester, answer: ServerAnswer): Reservation | null | undefined => {
    const size = weightOf(answer)
    return size > smallBytes ? largeAnswers.note(requesterName(requester), size) : null
  }

  /** The reservation ends when the answer has left, or cannot be sent. */
  const sendIn = (
    { response, verdict, tally = unrouted, began, requester }: AnsweredExchange,
    answer: ServerAnswer,
    reservation: Reservation | null,
  ): void => {
    tally.note(answer.status, began)
    if (logAnswer !== undefined && began !== undefined) {
      const milliseconds = Math.round(performance.now() - began)
      logAnswer({ endpoint: tally.name, status: answer.status, milliseconds, who: requesterName(requester) })
    }
    try {
      reservation?.onCut(() => response.cut())
      response.send(withVerdict(answer, verdict), false, reservation?.leave)
    } catch (fault) {
      reservation?.leave()
      throw fault
    }
  }

  const send = (exchange: AnsweredExchange, answer: ServerAnswer, given: Reservation | null = null): void => {
    const reservation = given ?? reservationFor(exchange.requester, answer)
    if (reservation === undefined) exchange.response.cut()
    else sendIn(exchange, answer, reservation)
  }

  /** Compresses what is large, for a client that takes it. */
  const sendReply = (exchange: ApiExchange<R>, answer: ServerAnswer, given: Reservation | null = null): void => {
    const { request, response, requester } = exchange
    if (weightOf(answer) <= compressedAbove || !acceptsGzip(request.acceptEncoding))
      return send(exchange, answer, given)
    const reservation = given ?? reservationFor(requester, answer)
    if (reservation === undefined) return response.cut()
    inFlight.enter()
    runner.run(
      compressor.gzip(requesterName(requester), piecesOf(answer), () => response.open),
      (exit) => {
        runner.guard(
          () => sendCompressed(exchange, answer, reservation, exit),
          (requestId) => refuse(exchange, internalError(requestId)),
          () => aboutOf(exchange),
        )
        inFlight.leave()
      },
    )
  }

  const sendCompressed = (
    exchange: ApiExchange<R>,
    answer: ServerAnswer,
    reservation: Reservation | null,
    exit: Exit.Exit<ReadonlyArray<Uint8Array> | null>,
  ): void => {
    if (Exit.isSuccess(exit) && exit.value !== null)
      return sendIn(exchange, { ...answer, headers: [...answer.headers, gzipped], body: exit.value }, reservation)
    reservation?.leave()
    if (Exit.isFailure(exit)) refuse(exchange, internalError(runner.defect(exit.cause, aboutOf(exchange))))
  }

  const refuse = (exchange: AnsweredExchange, error: ApiError): void => send(exchange, exchange.answers.error(error))

  const fail = (exchange: AnsweredExchange, failure: RequestFailure): void => {
    const error = errorToSend(failure)
    if (error === undefined) exchange.response.cut()
    else refuse(exchange, error)
  }

  const ways: ReplyWays = { send, fail, guard: runner.guard }

  const hold = (exchange: AnsweredExchange, reply: HeldAnswer, ignored: ReadonlyArray<string>): void => {
    // Not if the client has disconnected: a held reply would replace the queue's present connection.
    if (exchange.response.open) reply.hold(new HeldExchange(exchange, ignored, ways))
  }

  const reply = (exchange: ApiExchange<R>, { reply, ignored }: HandledRequest): void => {
    switch (reply._tag) {
      case "Held":
        return hold(exchange, reply, ignored)
      case "Text":
        return sendReply(exchange, exchange.answers.written(reply.members, ignored), reply.reservation)
      case "Data":
        return sendReply(exchange, exchange.answers.success(reply.data, ignored))
    }
  }

  const finish = (exchange: ApiExchange<R>, exit: Exit.Exit<HandledRequest, RequestFailure>): void => {
    if (Exit.isSuccess(exit)) return reply(exchange, exit.value)
    const failure = onlyFailure(exit.cause)
    if (failure === undefined) refuse(exchange, internalError(runner.defect(exit.cause, aboutOf(exchange))))
    else fail(exchange, failure)
  }

  return { refuse, finish, reply }
}
