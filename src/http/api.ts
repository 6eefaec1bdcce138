/**
 * One API request from its first line to its answer: match, read, authenticate, handle, answer. A client that goes
 * away does not stop the work: a send in flight must finish, and its answer is simply not written. Called by
 * server.ts for every request below the API's root.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { Account } from "../chat/sign-in.ts"
import type { ConfigShape } from "../config.ts"
import type { Caller, Handled, HeldReply, Reply, RequestInput, Route } from "../endpoint.ts"
import {
  type ApiError,
  badRequest,
  type Failure,
  internalError,
  methodNotAllowed,
  notFound,
  requestTooLarge,
  type Unavailable,
} from "../errors.ts"
import type { RealmId } from "../ids.ts"
import { readBasic } from "./basic-auth.ts"
import type { Origins } from "./cors.ts"
import type { InFlight } from "./in-flight.ts"
import { type Fields, readBody, readQuery } from "./params.ts"
import { type Answers, answersFor, onlyFailure, toldError } from "./reply.ts"
import { clientName, hostName, readHost } from "./request.ts"
import type { Match, RoutePlace, Router } from "./router.ts"
import type { Runner } from "./runner.ts"
import type { WireRequest } from "./uws.ts"
import type { WireResponse } from "./uws-response.ts"

/** Who is who: asked for each request. `host` has no port and is in lower case. */
export interface Directory {
  readonly authenticate: (host: string, email: string, key: string) => Effect.Effect<Account, ApiError | Unavailable>
  readonly findRealm: (host: string) => Effect.Effect<RealmId | null, Unavailable>
  /** Who an Authorization header belongs to, told at once; undefined where `authenticate` has to start the realm. */
  readonly known: (host: string, authorization: string) => Result.Result<Account, ApiError> | undefined
}

export interface ApiParts<R> {
  readonly config: ConfigShape
  readonly router: Router<R>
  readonly directory: Directory
  readonly origins: Origins
  readonly runner: Runner<R>
  readonly inFlight: InFlight
  readonly isDraining: () => boolean
  /** Routes that may be answered at once. */
  readonly quick: ReadonlyMap<Route<R>, (input: RequestInput<Caller>) => Reply | undefined>
}

type UserRoute<R> = Extract<Route<R>, { readonly access: "user" }>
type OpenRoute<R> = Extract<Route<R>, { readonly access: "anyone" }>

/** One request under way. */
interface Exchange<R> {
  readonly request: WireRequest
  readonly response: WireResponse
  readonly answers: Answers
  readonly match: Match<R>
  readonly host: string
}

const overrides: ReadonlySet<string> = new Set(["PATCH", "DELETE", "PUT", "GET"])

const badHost = badRequest("The Host header is not the name of a host")

/** The method that is meant: a POST may name another one in its form, for clients that can send nothing else. */
const meantMethod = (sent: string, form: Fields | undefined): string => {
  const named = sent === "POST" ? form?.get("method") : undefined
  return named !== undefined && overrides.has(named) ? named : sent
}

/** Everything the request carries, the body over the query, under the method that is meant. */
const readAll = (
  request: WireRequest,
  body: Uint8Array | undefined,
): Result.Result<{ readonly method: string; readonly source: Fields }, ApiError> => {
  const query = readQuery(request.query)
  if (Result.isFailure(query)) return Result.fail(query.failure)
  const source = query.success
  if (body === undefined) return Result.succeed({ method: request.method, source })
  const form = readBody(body, request.contentType)
  if (Result.isFailure(form)) return Result.fail(form.failure)
  const method = meantMethod(request.method, form.success)
  for (const [name, value] of form.success) source.set(name, value)
  if (method !== request.method) source.delete("method")
  return Result.succeed({ method, source })
}

export const makeApi = <R>(
  parts: ApiParts<R>,
): ((path: string, request: WireRequest, response: WireResponse) => void) => {
  const { config, router, directory, origins, runner, inFlight, isDraining, quick: quickRoutes } = parts
  const limit = config.limits.maxRequestBytes

  const refuse = (exchange: Pick<Exchange<R>, "response" | "answers">, error: ApiError): void =>
    exchange.response.send(exchange.answers.error(error), isDraining())

  const fail = (exchange: Exchange<R>, failure: Failure): void => {
    const error = toldError(failure)
    if (error === undefined) exchange.response.cut()
    else refuse(exchange, error)
  }

  const heldReply = (exchange: Exchange<R>): HeldReply => {
    const { response, answers } = exchange
    return {
      send: (body) => response.send(answers.body(body), isDraining()),
      fail: (failure) => fail(exchange, failure),
      onClose: (task) => {
        if (response.aborted) queueMicrotask(() => runner.guard(task))
        else response.onAbort(task)
      },
    }
  }

  const hold = (exchange: Exchange<R>, reply: Extract<Reply, { readonly _tag: "Held" }>): void => {
    // Nobody waits any more: an answer that is held would only put out who waits now.
    if (exchange.response.open) reply.hold(heldReply(exchange))
  }

  const finish = (exchange: Exchange<R>, exit: Exit.Exit<Handled, Failure>): void => {
    const { response, answers } = exchange
    if (Exit.isSuccess(exit)) {
      const { reply, ignored } = exit.value
      if (reply._tag === "Held") hold(exchange, reply)
      else response.send(answers.success(reply.data, ignored), isDraining())
      return
    }
    const failure = onlyFailure(exit.cause)
    if (failure === undefined) refuse(exchange, internalError(runner.defect(exit.cause)))
    else fail(exchange, failure)
  }

  const start = (exchange: Exchange<R>, effect: Effect.Effect<Handled, Failure, R>): void =>
    runner.run(effect, (exit) => {
      runner.guard(
        () => finish(exchange, exit),
        (requestId) => refuse(exchange, internalError(requestId)),
      )
      inFlight.leave()
    })

  const runOpen = (
    exchange: Exchange<R>,
    route: OpenRoute<R>,
    source: Fields,
    pathNames: ReadonlySet<string>,
  ): void => {
    const { request, host } = exchange
    const name = hostName(host)
    const visitor = { client: clientName(request.userAgent), host: name, origin: originOf(config, host) }
    const handled = Effect.flatMap(directory.findRealm(name), (realm) =>
      route.handle({ who: { ...visitor, realm }, source, pathNames }),
    )
    start(exchange, handled)
  }

  const runSigned = (exchange: Exchange<R>, route: UserRoute<R>, source: Fields, pathNames: ReadonlySet<string>) => {
    const { authorization, userAgent } = exchange.request
    const host = hostName(exchange.host)
    const inputOf = (account: Account) => ({
      who: { ...account, client: clientName(userAgent) },
      source,
      pathNames,
    })
    const account = directory.known(host, authorization)
    if (account === undefined) {
      const handled = Effect.fromResult(readBasic(authorization)).pipe(
        Effect.flatMap(({ email, key }) => directory.authenticate(host, email, key)),
        Effect.flatMap((found) => route.handle(inputOf(found))),
      )
      return start(exchange, handled)
    }
    if (Result.isSuccess(account)) {
      const input = inputOf(account.success)
      const reply = quickRoutes.get(route)?.(input)
      // A fiber costs more than a poll that finds its queue at work.
      if (reply?._tag !== "Held") return start(exchange, route.handle(input))
      hold(exchange, reply)
    } else refuse(exchange, account.failure)
    inFlight.leave()
  }

  const run = (exchange: Exchange<R>, { route, nameSet }: RoutePlace<R>, source: Fields): void =>
    runner.guard(
      () => {
        if (route.access === "user") runSigned(exchange, route, source, nameSet)
        else runOpen(exchange, route, source, nameSet)
      },
      (requestId) => {
        refuse(exchange, internalError(requestId))
        inFlight.leave()
      },
    )

  /** The request counts as in flight already; it leaves here or, once it runs, at its end. */
  const proceed = (exchange: Exchange<R>, body: Uint8Array | undefined) => {
    const read = readAll(exchange.request, body)
    const { place, values } = exchange.match
    const found = Result.isSuccess(read) ? place.find(read.success.method) : undefined
    if (Result.isSuccess(read) && found !== undefined) {
      const { source } = read.success
      for (const [index, name] of found.names.entries()) source.set(name, values[index] ?? "")
      return run(exchange, found, source)
    }
    refuse(exchange, Result.isFailure(read) ? read.failure : methodNotAllowed(place.allowed))
    inFlight.leave()
  }

  const receive = (exchange: Exchange<R>): void => {
    const { response, answers } = exchange
    response.onAbort(() => inFlight.leave())
    response.readBody(limit, (body) => {
      response.onAbort(() => {})
      if (body !== undefined) return proceed(exchange, body)
      response.send(answers.error(requestTooLarge(limit)), true)
      inFlight.leave()
    })
  }

  return (path, request, response) => {
    const answers = answersFor(origins, request.origin)
    const match = router.find(path)
    if (match === undefined) return refuse({ response, answers }, notFound())
    if (request.method === "OPTIONS") return response.send(answers.options(match.place.allowed), isDraining())
    const mayOverride = request.method === "POST" && request.hasBody
    if (!mayOverride && match.place.find(request.method) === undefined) {
      return refuse({ response, answers }, methodNotAllowed(match.place.allowed))
    }
    const host = readHost(request.host)
    if (host === undefined) return refuse({ response, answers }, badHost)
    const exchange: Exchange<R> = { request, response, answers, match, host }
    inFlight.enter()
    if (request.hasBody) receive(exchange)
    else proceed(exchange, undefined)
  }
}

/** How clients reach this server: as configured, else as this one did. */
const originOf = (config: ConfigShape, host: string): string =>
  config.externalUrl ?? `http://${host === "" ? `${config.host}:${config.port}` : host}`
