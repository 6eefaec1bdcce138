/**
 * The way into the API: matches a request by its first line and headers, refuses what no endpoint takes, counts who
 * shows no key, and hands on the rest: to receive-request.ts, which reads it, and from there to handle-request.ts, which has it handled.
 * Called by server.ts for every request below the API's root.
 */
import * as Result from "effect/Result"
import { type ApiError, badHost, methodNotAllowed, notFound } from "../../api/errors.ts"
import type { RateVerdict } from "../../fairness/rate-counter.ts"
import { makeCompressor } from "../answer/compressor.ts"
import { answersFor } from "../answer/make-answers.ts"
import { makeBodyAuthorizer } from "../bodies/body-authorizer.ts"
import { answerOptions } from "../entrance/preflight.ts"
import type { WireRequest } from "../network/uws.ts"
import type { WireResponse } from "../network/uws-response.ts"
import { hostName, readHost } from "../request/request-headers.ts"
import { isStubborn, refusalOf } from "../senders/rate-limit.ts"
import { type ApiContext, type ApiServices, countedAddressOf } from "./api-context.ts"
import { type ApiExchange, makeResponder, nobodyYet } from "./exchange.ts"
import { receive } from "./receive-request.ts"

/** `path`: without the API's root. */
type AnswerRequest = (path: string, request: WireRequest, response: WireResponse) => void

export const makeApi = <R>(parts: ApiServices<R>): AnswerRequest => {
  const { config, accounts, runner, inFlight, largeAnswers, rateLimit, tallies, logAnswer } = parts
  const compressor = makeCompressor()
  const api: ApiContext<R> = {
    ...parts,
    responder: makeResponder(runner, largeAnswers, inFlight, compressor, tallies.unrouted, logAnswer),
    authorizeBody: makeBodyAuthorizer(accounts, rateLimit, runner, config.limits),
  }
  return (path, request, response) => enter(api, path, request, response)
}

const enter = <R>(api: ApiContext<R>, path: string, request: WireRequest, response: WireResponse): void => {
  const { router, origins, strangers, responder, inFlight } = api
  const match = router.find(path)
  if (match === undefined) return refuseUnrouted(api, request, response, notFound())
  const { place } = match
  if (request.method === "OPTIONS") return answerOptions(api, request, response, place.allowed)
  const mayOverride = request.method === "POST" && request.hasBody
  const found = place.find(request.method)
  if (!mayOverride && found === undefined)
    return refuseUnrouted(api, request, response, methodNotAllowed(place.allowed))
  const host = readHost(request.host)
  if (host === undefined) return refuseUnrouted(api, request, response, badHost())
  const answers = answersFor(origins, request.origin)
  // With all that is set later: an object that grows costs another one.
  const exchange: ApiExchange<R> = {
    request,
    response,
    answers,
    match,
    host,
    verdict: undefined,
    tally: undefined,
    began: undefined,
    requester: nobodyYet,
    requestId: undefined,
    organization: undefined,
  }
  // The key of a web hook is in its address, and looked at as those in headers are.
  if (request.authorization === "" && found?.route.takesWebhook === undefined) {
    exchange.verdict = strangers.count(response, countedAddressOf(api, exchange), found?.route.limit)
    const refusal = refusalOf(exchange.verdict)
    if (refusal !== undefined) return responder.refuse(exchange, refusal)
  }
  inFlight.enter()
  receive(api, exchange, found)
}

/** Refuses a request that no endpoint takes. */
const refuseUnrouted = <R>(api: ApiContext<R>, request: WireRequest, response: WireResponse, error: ApiError): void => {
  const verdict = countUnrouted(api, request, response)
  if (isStubborn(verdict)) response.closeAfterwards()
  const answers = answersFor(api.origins, request.origin)
  api.responder.refuse({ response, answers, verdict, requester: nobodyYet }, refusalOf(verdict) ?? error)
}

/** Such a request counts on its account if its key is known to be valid, else on its address. */
const countUnrouted = <R>(
  { accounts, rateLimit, strangers }: ApiContext<R>,
  request: WireRequest,
  response: WireResponse,
): RateVerdict | undefined => {
  const host = readHost(request.host)
  const known =
    host === undefined || request.authorization === ""
      ? undefined
      : accounts.known(hostName(host), request.authorization)
  return known !== undefined && Result.isSuccess(known)
    ? rateLimit.ofUser(known.success)
    : strangers.count(response, strangers.addressOf(request, response))
}
