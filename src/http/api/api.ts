/**
 * One API request from its first line to its endpoint: match, read, authenticate, count, handle. exchange.ts writes the
 * answer. Called by server.ts for every request below the API's root.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import {
  type Caller,
  type Handled,
  type Reply,
  type RequestInput,
  type Route,
  requesterName,
} from "../../api/endpoint.ts"
import {
  type ApiError,
  badHost,
  type Checked,
  type Failure,
  internalError,
  methodNotAllowed,
  notFound,
} from "../../api/errors.ts"
import { ClientPresence, type LargeAnswersShape } from "../../fairness/large-answers.ts"
import { makeCompressor } from "../answer/compressor.ts"
import { answersFor } from "../answer/reply.ts"
import type { Bodies, WholeBody } from "../bodies/bodies.ts"
import { makeBodyJudge } from "../bodies/body-judge.ts"
import type { PartPool } from "../bodies/part-pool.ts"
import { admitAccount } from "../entrance/admit-account.ts"
import type { Entrance } from "../entrance/entrance.ts"
import { answerOptions } from "../entrance/preflight.ts"
import type { RequestTurns } from "../entrance/request-turns.ts"
import type { WireRequest } from "../network/uws.ts"
import type { WireResponse } from "../network/uws-response.ts"
import { readBasic } from "../request/basic-auth.ts"
import type { FilePart } from "../request/multipart.ts"
import { type Fields, overrides, readRequest } from "../request/params.ts"
import { clientName, hostName, originOf, readHost } from "../request/request.ts"
import type { Account } from "../senders/directory.ts"
import { isStubborn, refusalOf } from "../senders/rate-limit.ts"
import { senderOf } from "../senders/sender.ts"
import { type Exchange, makeAnswering, presenceOf } from "./exchange.ts"
import type { RoutePlace, Router } from "./router.ts"
import { readUpload } from "./uploads.ts"

export interface ApiParts<R> extends Entrance<R> {
  readonly router: Router<R>
  readonly largeAnswers: LargeAnswersShape
  readonly turns: RequestTurns
  readonly bodies: Bodies
  readonly partPool: PartPool
  /** Routes that may be answered at once. */
  readonly quick: ReadonlyMap<Route<R>, (input: RequestInput<Caller>) => Reply | undefined>
}

type RouteFor<R, Access extends Route<R>["access"]> = Extract<Route<R>, { readonly access: Access }>
type SignedRoute<R> = RouteFor<R, "user"> | RouteFor<R, "either">
type OpenRoute<R> = RouteFor<R, "anyone"> | RouteFor<R, "either">

type Asked = Omit<RequestInput<never>, "who">

/** Files are copied, because the body's memory is the network's; and only for routes that take them. */
const askedOf = <R>({ route, nameSet }: RoutePlace<R>, source: Fields, files: ReadonlyArray<FilePart>): Asked =>
  route.takesImage
    ? { source, pathNames: nameSet, files: files.map(({ name, bytes }) => ({ name, bytes: Buffer.from(bytes) })) }
    : { source, pathNames: nameSet }

export const makeApi = <R>(
  parts: ApiParts<R>,
): ((path: string, request: WireRequest, response: WireResponse) => void) => {
  const { config, router, directory, origins, runner, inFlight, isDraining, rateLimit, strangers } = parts
  const judgeBody = makeBodyJudge(directory, rateLimit, runner, config.limits)
  const { refuse, finish, hold } = makeAnswering(runner, isDraining, parts.largeAnswers, inFlight, makeCompressor())

  const addressOf = ({ request, response }: Exchange<R>): string => strangers.addressOf(request, response)

  const start = (exchange: Exchange<R>, effect: Effect.Effect<Handled, Failure, R>): void =>
    runner.run(Effect.provideService(effect, ClientPresence, presenceOf(exchange)), (exit) => {
      runner.guard(
        () => finish(exchange, exit),
        (requestId) => refuse(exchange, internalError(requestId)),
      )
      inFlight.leave()
    })

  const runOpen = (exchange: Exchange<R>, route: OpenRoute<R>, { source, pathNames }: Asked): void => {
    const { request } = exchange
    const host = hostName(exchange.host)
    const address = addressOf(exchange)
    if (request.authorization !== "") exchange.verdict = strangers.count(exchange.response, address, route.limit)
    const refusal = refusalOf(exchange.verdict)
    if (refusal !== undefined) {
      refuse(exchange, refusal)
      return inFlight.leave()
    }
    exchange.requester = address
    const visitor = { client: clientName(request.userAgent), host, origin: originOf(config, exchange.host), address }
    const handled = Effect.flatMap(directory.findRealm(host), (realm) =>
      route.handle({ who: { ...visitor, realm }, source, pathNames }),
    )
    start(exchange, handled)
  }

  /** Counts a request with a valid key; answers its caller, or the error if it may not be handled. */
  const admit = (exchange: Exchange<R>, route: SignedRoute<R>, account: Account): Checked<Caller> => {
    const { verdict, caller } = admitAccount(parts, account, exchange, route)
    exchange.verdict = verdict
    if (Result.isSuccess(caller)) exchange.requester = requesterName(account)
    return caller
  }

  /**
   * Counts a request with a key that is not valid on its address; answers `error`, or the rate limit's once there are
   * too many. One without a key has been counted when it came.
   */
  const countUnsigned = (exchange: Exchange<R>, address: string, error: ApiError): ApiError => {
    const { request, response } = exchange
    if (request.authorization !== "") exchange.verdict = strangers.count(response, address)
    return refusalOf(exchange.verdict) ?? error
  }

  const runSigned = (exchange: Exchange<R>, route: SignedRoute<R>, asked: Asked): void => {
    const { authorization } = exchange.request
    const host = hostName(exchange.host)
    const known = directory.known(host, authorization)
    if (known === undefined) {
      // Read now: the connection may be gone when the account is known.
      const address = addressOf(exchange)
      const handled = Effect.fromResult(readBasic(authorization)).pipe(
        Effect.flatMap(({ email, key }) => directory.authenticate(host, email, key)),
        Effect.mapError((failure) =>
          failure._tag === "ApiError" ? countUnsigned(exchange, address, failure) : failure,
        ),
        Effect.flatMap((account) => Effect.fromResult(admit(exchange, route, account))),
        Effect.flatMap((who) => route.handle({ who, ...asked })),
      )
      return start(exchange, handled)
    }
    const admitted = Result.isSuccess(known)
      ? admit(exchange, route, known.success)
      : Result.fail(countUnsigned(exchange, addressOf(exchange), known.failure))
    if (Result.isFailure(admitted)) refuse(exchange, admitted.failure)
    else {
      const input = { who: admitted.success, ...asked }
      const reply = parts.quick.get(route)?.(input)
      // A fiber costs more than a poll that finds its queue at work.
      if (reply?._tag !== "Held") return start(exchange, route.handle(input))
      hold(exchange, reply, [])
    }
    inFlight.leave()
  }

  const run = (exchange: Exchange<R>, route: Route<R>, asked: Asked): void => {
    if (route.access === "anyone") runOpen(exchange, route, asked)
    else if (route.access === "either" && exchange.request.authorization === "") runOpen(exchange, route, asked)
    else runSigned(exchange, route, asked)
  }

  /** A request that cannot be read is counted on its address: its signature was not checked. */
  const refuseUnread = (exchange: Exchange<R>, error: ApiError): void =>
    refuse(exchange, countUnsigned(exchange, addressOf(exchange), error))

  /** The request counts as in flight already; it leaves here or, once it runs, at its end. */
  const begin = (exchange: Exchange<R>, body: Uint8Array | undefined): void => {
    // The client went away while the request waited for its turn.
    if (!exchange.response.open) return inFlight.leave()
    const read = readRequest(exchange.request, body)
    const { place, values } = exchange.match
    const found = Result.isSuccess(read) ? place.find(read.success.method) : undefined
    if (Result.isSuccess(read) && found !== undefined) {
      const { source, files } = read.success
      for (const [index, name] of found.names.entries()) source.set(name, values[index] ?? "")
      return run(exchange, found.route, askedOf(found, source, files))
    }
    refuseUnread(exchange, Result.isFailure(read) ? read.failure : methodNotAllowed(place.allowed))
    inFlight.leave()
  }

  /** Begins the request in its turn. What is thrown on the way is answered as a defect, and the request is over. */
  const proceed = (exchange: Exchange<R>, body: WholeBody | undefined): void => {
    const fail = (requestId: string): void => {
      body?.release()
      refuse(exchange, internalError(requestId))
      inFlight.leave()
    }
    const guard = (task: () => void): void => runner.guard(task, fail)
    parts.turns.enter({
      body,
      // A connection that is gone has no address any more.
      sender: () =>
        senderOf(directory, exchange.host, exchange.request, () => (exchange.response.open ? addressOf(exchange) : "")),
      isReturn: () => candidatesOf(exchange).some((route) => route.isReturn === true),
      begin: () => exchange.response.guard(() => guard(() => begin(exchange, body?.bytes()))),
      guard,
    })
  }

  /** All that the request may turn out to ask for. */
  const candidatesOf = ({ request, match }: Exchange<R>): ReadonlyArray<Route<R>> => {
    const methods = request.method === "POST" ? [request.method, ...overrides] : [request.method]
    return methods.flatMap((method) => match.place.find(method)?.route ?? [])
  }

  /** A body that the endpoint reads itself, once it is known who sends it. */
  const receiveUpload = (exchange: Exchange<R>, place: RoutePlace<R>): void => {
    const read = readUpload(parts, exchange, place, addressOf(exchange))
    if (Result.isSuccess(read)) return run(exchange, place.route, read.success)
    refuseUnread(exchange, read.failure)
    inFlight.leave()
  }

  const receive = (exchange: Exchange<R>): void => {
    const { request, response } = exchange
    const address = () => addressOf(exchange)
    const endReading = parts.bodies.receive(response, address, {
      judge: (decide) => {
        const stranger = address()
        const countStranger = (error: ApiError) => countUnsigned(exchange, stranger, error)
        const { authorization } = request
        const host = hostName(exchange.host)
        judgeBody({ host, authorization, address: stranger, routes: candidatesOf(exchange), countStranger }, decide)
      },
      onWhole: (body) => {
        response.onAbort(() => {})
        proceed(exchange, body)
      },
      onRefused: (error) => {
        // It leaves here, though its answer may be sent after this turn only.
        response.onAbort(() => {})
        // The rest of the body is not waited for.
        response.closeAfterwards()
        refuse(exchange, error.code === "REQUEST_TOO_LARGE" ? countUnsigned(exchange, address(), error) : error)
        inFlight.leave()
      },
      onCut: () => inFlight.leave(),
    })
    response.onAbort(() => {
      endReading()
      inFlight.leave()
    })
  }

  /** A request that no endpoint takes counts on its account if its key is known to be valid, else on its address. */
  const refuseUnrouted = (request: WireRequest, response: WireResponse, error: ApiError): void => {
    const host = readHost(request.host)
    const known =
      host === undefined || request.authorization === ""
        ? undefined
        : directory.known(hostName(host), request.authorization)
    const verdict =
      known !== undefined && Result.isSuccess(known)
        ? rateLimit.ofUser(known.success)
        : strangers.count(response, strangers.addressOf(request, response))
    if (isStubborn(verdict)) response.closeAfterwards()
    const answers = answersFor(origins, request.origin)
    refuse({ response, answers, verdict, requester: "" }, refusalOf(verdict) ?? error)
  }

  return (path, request, response) => {
    const match = router.find(path)
    if (match === undefined) return refuseUnrouted(request, response, notFound())
    const { place } = match
    if (request.method === "OPTIONS") return answerOptions(parts, request, response, place.allowed)
    const mayOverride = request.method === "POST" && request.hasBody
    const found = place.find(request.method)
    if (!mayOverride && found === undefined) return refuseUnrouted(request, response, methodNotAllowed(place.allowed))
    const host = readHost(request.host)
    if (host === undefined) return refuseUnrouted(request, response, badHost())
    const answers = answersFor(origins, request.origin)
    const exchange: Exchange<R> = { request, response, answers, match, host, verdict: undefined, requester: "" }
    if (request.authorization === "") {
      exchange.verdict = strangers.count(response, addressOf(exchange), found?.route.limit)
      const refusal = refusalOf(exchange.verdict)
      if (refusal !== undefined) return refuse(exchange, refusal)
    }
    inFlight.enter()
    if (request.hasBody && found?.route.takesUpload) receiveUpload(exchange, found)
    else if (request.hasBody) receive(exchange)
    else proceed(exchange, undefined)
  }
}
