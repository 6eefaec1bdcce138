/**
 * A request that has been read, up to its endpoint: who asks is found and counted, then the route handles it.
 * exchange.ts writes the answer. The request counts as in flight; it leaves here, at its end. Called by receive-request.ts.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Caller, HandledRequest, Route, Visitor } from "../../api/endpoint.ts"
import { type ApiError, type Checked, internalError, type RequestFailure, type Unavailable } from "../../api/errors.ts"
import { ClientPresence } from "../../fairness/client-presence.ts"
import { admitAccount } from "../entrance/admit-account.ts"
import { clientName, hostName, originOf } from "../request/request-headers.ts"
import type { FoundAccount } from "../senders/account-lookup.ts"
import { findAccount, knownAccount } from "../senders/find-account.ts"
import { refusalOf } from "../senders/rate-limit.ts"
import { type ApiContext, countedAddressOf, countInvalidKey, type InputWithoutSender } from "./api-context.ts"
import { type ApiExchange, aboutOf, presenceOf } from "./exchange.ts"
import { handleFreshly } from "./fresh-requests.ts"
import { signatureOf } from "./webhook-requests.ts"

type RouteFor<R, Access extends Route<R>["access"]> = Extract<Route<R>, { readonly access: Access }>
type SignedRoute<R> = RouteFor<R, "user"> | RouteFor<R, "either">
type OpenRoute<R> = RouteFor<R, "anyone"> | RouteFor<R, "either">

export const handle = <R>(
  api: ApiContext<R>,
  exchange: ApiExchange<R>,
  route: Route<R>,
  asked: InputWithoutSender,
): void => {
  exchange.tally = api.tallies.of(route)
  exchange.began = performance.now()
  if (route.access === "anyone") handleOpen(api, exchange, route, asked)
  else if (route.access === "either" && exchange.request.authorization === "") handleOpen(api, exchange, route, asked)
  else handleSigned(api, exchange, route, asked)
}

/** For a visitor, or for whoever asks where it does not matter. */
const handleOpen = <R>(
  api: ApiContext<R>,
  exchange: ApiExchange<R>,
  route: OpenRoute<R>,
  { source, pathNames }: InputWithoutSender,
): void => {
  const { accounts, strangers, responder, inFlight } = api
  const { request } = exchange
  const host = hostName(exchange.host)
  const address = countedAddressOf(api, exchange)
  if (request.authorization !== "") exchange.verdict = strangers.count(exchange.response, address, route.limit)
  const refusal = refusalOf(exchange.verdict)
  if (refusal !== undefined) {
    responder.refuse(exchange, refusal)
    return inFlight.leave()
  }
  exchange.requester = { address }
  const visitor = { client: clientName(request.userAgent), host, origin: originOf(api, exchange.host), address }
  const handled = Effect.flatMap(accounts.findRealm(host), (realm) => {
    exchange.organization = realm ?? undefined
    return handleFreshly<Visitor, R>(api.freshness, route, { who: { ...visitor, realm }, source, pathNames })
  })
  start(api, exchange, handled)
}

/** For the account of the request's key, which is mostly known at once. */
const handleSigned = <R>(
  api: ApiContext<R>,
  exchange: ApiExchange<R>,
  route: SignedRoute<R>,
  asked: InputWithoutSender,
): void => {
  const signature = signatureOf(exchange, [route])
  const known = knownAccount(api.accounts, signature)
  if (known === undefined)
    return start(api, exchange, handleOnceFound(api, exchange, route, asked, findAccount(api.accounts, signature)))
  const admitted = Result.isSuccess(known)
    ? admit(api, exchange, route, known.success)
    : Result.fail(countInvalidKey(api, exchange, countedAddressOf(api, exchange), known.failure))
  if (Result.isFailure(admitted)) api.responder.refuse(exchange, admitted.failure)
  else {
    const input = { who: admitted.success, ...asked }
    // A fiber costs more than a poll that finds its queue at work, or a ping.
    const reply = api.quick.get(route)?.(input)
    if (reply === undefined) return start(api, exchange, handleFreshly<Caller, R>(api.freshness, route, input))
    api.responder.reply(exchange, { reply, ignored: [] })
  }
  api.inFlight.leave()
}

/** Handles a request whose account must be found first. */
const handleOnceFound = <R>(
  api: ApiContext<R>,
  exchange: ApiExchange<R>,
  route: SignedRoute<R>,
  asked: InputWithoutSender,
  found: Effect.Effect<FoundAccount, ApiError | Unavailable>,
): Effect.Effect<HandledRequest, RequestFailure, R> => {
  // Read now: the connection may be gone when the account is known.
  const address = countedAddressOf(api, exchange)
  return found.pipe(
    Effect.mapError((failure) =>
      failure._tag === "ApiError" ? countInvalidKey(api, exchange, address, failure) : failure,
    ),
    Effect.flatMap((account) => Effect.fromResult(admit(api, exchange, route, account))),
    Effect.flatMap((who) => handleFreshly<Caller, R>(api.freshness, route, { who, ...asked })),
  )
}

/** Counts a request with a valid key; answers its caller, or the error if it may not be handled. */
const admit = <R>(
  api: ApiContext<R>,
  exchange: ApiExchange<R>,
  route: SignedRoute<R>,
  account: FoundAccount,
): Checked<Caller> => {
  const { verdict, caller } = admitAccount(api, account, exchange, route)
  exchange.verdict = verdict
  exchange.organization = account.realm
  if (Result.isSuccess(caller)) exchange.requester = account
  return caller
}

const start = <R>(
  { runner, responder, inFlight }: ApiContext<R>,
  exchange: ApiExchange<R>,
  effect: Effect.Effect<HandledRequest, RequestFailure, R>,
): void =>
  runner.run(Effect.provideService(effect, ClientPresence, presenceOf(exchange)), (exit) => {
    runner.guard(
      () => responder.finish(exchange, exit),
      (requestId) => responder.refuse(exchange, internalError(requestId)),
      () => aboutOf(exchange),
    )
    inFlight.leave()
  })
