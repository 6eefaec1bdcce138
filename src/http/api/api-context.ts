/**
 * Parts that the steps of an API request work with. api.ts makes them once per server and hands them to each of them:
 * receive-request.ts gets the request's body and its turn, handle-request.ts finds who asks and runs the endpoint.
 */
import type { Caller, EndpointReply, RequestInput, Route } from "../../api/endpoint.ts"
import type { ApiError } from "../../api/errors.ts"
import type { LargeAnswersShape } from "../../fairness/large-answers.ts"
import type { BodyAuthorizer } from "../bodies/body-authorizer.ts"
import type { PartPool } from "../bodies/part-pool.ts"
import type { RequestBodies } from "../bodies/request-bodies.ts"
import type { EntranceServices } from "../entrance/entrance.ts"
import type { RequestTurns } from "../entrance/request-turns.ts"
import type { RequestTallies } from "../metrics/request-tally.ts"
import { refusalOf } from "../senders/rate-limit.ts"
import type { AnswerLine, ApiExchange, Responder } from "./exchange.ts"
import type { Freshness } from "./fresh-requests.ts"
import type { RouteTable } from "./router.ts"

export interface ApiServices<R> extends EntranceServices<R> {
  readonly router: RouteTable<R>
  readonly largeAnswers: LargeAnswersShape
  readonly turns: RequestTurns
  readonly bodies: RequestBodies
  readonly partPool: PartPool
  readonly tallies: RequestTallies
  /** Absent: nobody reads them. */
  readonly logAnswer?: ((line: AnswerLine) => void) | undefined
  /** Null: this process serves its database alone. */
  readonly freshness: Freshness | null
  /** Routes that may be answered at once. */
  readonly quick: ReadonlyMap<Route<R>, (input: RequestInput<Caller>) => EndpointReply | undefined>
}

/** The parts that server.ts gives, and what is made of them. */
export interface ApiContext<R> extends ApiServices<R> {
  readonly responder: Responder<R>
  readonly authorizeBody: BodyAuthorizer<R>
}

/** A request's own values, whoever asks. */
export type InputWithoutSender = Omit<RequestInput<never>, "who">

/** The address that a request is counted under. */
export const countedAddressOf = <R>({ strangers }: ApiContext<R>, { request, response }: ApiExchange<R>): string =>
  strangers.addressOf(request, response)

/**
 * Counts a request with a key that is not valid on its address; answers `error`, or the rate limit's once there are
 * too many. One that has been counted when it came is not counted again.
 */
export const countInvalidKey = <R>(
  { strangers }: ApiContext<R>,
  exchange: ApiExchange<R>,
  address: string,
  error: ApiError,
): ApiError => {
  exchange.verdict ??= strangers.count(exchange.response, address)
  return refusalOf(exchange.verdict) ?? error
}
