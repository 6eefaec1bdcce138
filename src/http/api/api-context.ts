/**
 * Parts that the steps of an API request work with. api.ts makes them once per server and hands them to each of them:
 * receive.ts gets the request's body and its turn, handle.ts finds who asks and runs the endpoint.
 */
import type { Caller, Reply, RequestInput, Route } from "../../api/endpoint.ts"
import type { ApiError } from "../../api/errors.ts"
import type { LargeAnswersShape } from "../../fairness/large-answers.ts"
import type { Bodies } from "../bodies/bodies.ts"
import type { BodyJudge } from "../bodies/body-judge.ts"
import type { PartPool } from "../bodies/part-pool.ts"
import type { Entrance } from "../entrance/entrance.ts"
import type { RequestTurns } from "../entrance/request-turns.ts"
import type { RequestTallies } from "../metrics/request-tally.ts"
import { refusalOf } from "../senders/rate-limit.ts"
import type { Answering, AnswerLine, Exchange } from "./exchange.ts"
import type { Router } from "./router.ts"

export interface ApiParts<R> extends Entrance<R> {
  readonly router: Router<R>
  readonly largeAnswers: LargeAnswersShape
  readonly turns: RequestTurns
  readonly bodies: Bodies
  readonly partPool: PartPool
  readonly tallies: RequestTallies
  /** Absent: nobody reads them. */
  readonly logAnswer?: ((line: AnswerLine) => void) | undefined
  /** Routes that may be answered at once. */
  readonly quick: ReadonlyMap<Route<R>, (input: RequestInput<Caller>) => Reply | undefined>
}

/** The parts that server.ts gives, and what is made of them. */
export interface Api<R> extends ApiParts<R> {
  readonly answering: Answering<R>
  readonly judgeBody: BodyJudge<R>
}

/** A request's own values, whoever asks. */
export type Asked = Omit<RequestInput<never>, "who">

/** The address that a request is counted under. */
export const addressOf = <R>({ strangers }: Api<R>, { request, response }: Exchange<R>): string =>
  strangers.addressOf(request, response)

/**
 * Counts a request with a key that is not valid on its address; answers `error`, or the rate limit's once there are
 * too many. One that has been counted when it came is not counted again.
 */
export const countUnsigned = <R>(
  { strangers }: Api<R>,
  exchange: Exchange<R>,
  address: string,
  error: ApiError,
): ApiError => {
  exchange.verdict ??= strangers.count(exchange.response, address)
  return refusalOf(exchange.verdict) ?? error
}
