/**
 * The HTTP server: sends each request to the API, to a plain page or to the WebSocket door, and ends in two steps:
 * `drain` refuses new requests and waits for those in flight, `close` closes the remaining connections. Started by
 * src/app.ts and by tests.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ClockShape } from "../clock.ts"
import type { ConfigShape } from "../config.ts"
import type { Caller, Reply, RequestInput, Route } from "../endpoint.ts"
import {
  badRequest,
  headersTooLarge,
  hostRefused,
  methodNotAllowed,
  notFound,
  serviceUnavailable,
  upgradeNeeded,
} from "../errors.ts"
import type { LargeAnswersShape } from "../large-answers.ts"
import type { RefusalsShape } from "../refusals.ts"
import { type Directory, makeApi } from "./api.ts"
import { makeClientAddress } from "./client-address.ts"
import { makeOrigins } from "./cors.ts"
import { makeServedHosts } from "./edge/hosts.ts"
import { InFlight } from "./in-flight.ts"
import { makeRateLimit } from "./rate-limit.ts"
import { answersFor } from "./reply.ts"
import { hasLargeHeaders, mostHeaderBytes } from "./request.ts"
import { makeRouter } from "./router.ts"
import { type LogDefect, logDefect, makeRunner } from "./runner.ts"
import { makeSocketDoor, type SocketOptions } from "./socket.ts"
import { type Listener, openPort, type PortInUse, socketPath, type WireRequest } from "./uws.ts"
import type { PlatformUnsupported } from "./uws-loader.ts"
import type { WireResponse } from "./uws-response.ts"

export interface PlainAnswer {
  readonly status: number
  readonly body: string
  /** `application/json` if absent. */
  readonly contentType?: string
}

export interface ServerOptions<R> extends Directory {
  readonly config: ConfigShape
  readonly clock: ClockShape
  readonly largeAnswers: LargeAnswersShape
  readonly refusals: RefusalsShape
  readonly routes: ReadonlyArray<Route<R>>
  readonly socket: SocketOptions<R>
  /** Pages outside the API by their path, such as `/health`; answered to GET and HEAD, while draining too. */
  readonly plain: Readonly<Record<string, () => PlainAnswer>>
  /** The open port; where there is none yet, it is opened here. */
  readonly listener?: Listener | undefined
  /** Logs defects; the Effect logger if absent. */
  readonly logDefect?: LogDefect
}

export interface RunningServer {
  readonly port: number
  /**
   * Takes no new connections, answers new requests 503 and resolves when nothing but held replies and sockets is
   * left, after `waitMs` (10 s) at the latest.
   */
  readonly drain: (waitMs?: number) => Effect.Effect<void>
  /** Closes everything that is still open. */
  readonly close: Effect.Effect<void>
}

const apiRoot = "/api/v1"
const drainMs = 10_000

const sendPlain = (page: () => PlainAnswer, response: WireResponse, last: boolean): void => {
  const { status, body, contentType = "application/json" } = page()
  response.send(
    {
      status,
      headers: [
        ["Content-Type", contentType],
        ["Cache-Control", "no-store"],
      ],
      body,
    },
    last,
  )
}

export const startServer = <R>(
  options: ServerOptions<R>,
): Effect.Effect<RunningServer, PortInUse | PlatformUnsupported, R | Scope.Scope> =>
  Effect.gen(function* () {
    const { config, clock, refusals } = options
    const runner = makeRunner(yield* Effect.context<R>(), options.logDefect ?? logDefect)
    const origins = makeOrigins(config)
    const rateLimit = makeRateLimit(clock, config)
    const clientAddress = makeClientAddress(config.trustedProxies)
    const servesHost = makeServedHosts(config)
    const inFlight = new InFlight()
    const plain = new Map(Object.entries(options.plain))
    let draining = false
    const isDraining = () => draining
    const quick = new Map<Route<R>, (input: RequestInput<Caller>) => Reply | undefined>()
    for (const route of options.routes)
      if (route.access === "user" && route.quick !== undefined) quick.set(route, yield* route.quick)
    const api = makeApi({
      quick,
      config,
      router: makeRouter(options.routes),
      directory: options,
      origins,
      runner,
      inFlight,
      isDraining,
      rateLimit,
      largeAnswers: options.largeAnswers,
      clientAddress,
    })
    const door = makeSocketDoor({
      config,
      clock,
      directory: options,
      origins,
      runner,
      inFlight,
      isDraining,
      rateLimit,
      clientAddress,
      socket: options.socket,
    })

    const refuseFault = ({ fault }: WireRequest, response: WireResponse): void =>
      response.send(answersFor(origins, "").error(badRequest(fault)), true)
    const refuseHost = (request: WireRequest, response: WireResponse): void => {
      refusals.note("hosts in development mode", clientAddress(response.address(), request.forwarded))
      response.send(answersFor(origins, "").error(hostRefused()), true)
    }

    const listener = options.listener ?? (yield* openPort(config))
    listener.serve({
      request: (request, response) => {
        const { path } = request
        const page = plain.get(path)
        if (request.fault !== "") return refuseFault(request, response)
        if (!servesHost(request.host)) return refuseHost(request, response)
        const isApi = path.startsWith(apiRoot) && path.charAt(apiRoot.length) === "/"
        if (page !== undefined && (request.method === "GET" || request.method === "HEAD")) {
          sendPlain(page, response, draining)
        } else if (page !== undefined) {
          response.send(answersFor(origins, "").error(methodNotAllowed(["GET", "HEAD"])), draining)
        } else if (draining) {
          response.send(answersFor(origins, request.origin).error(serviceUnavailable(1)), true)
        } else if (hasLargeHeaders(request)) {
          response.send(answersFor(origins, request.origin).error(headersTooLarge(mostHeaderBytes)), true)
        } else if (path === socketPath && request.method === "GET") {
          response.send(answersFor(origins, request.origin).error(upgradeNeeded()))
        } else if (isApi) {
          api(path.slice(apiRoot.length), request, response)
        } else {
          response.send(answersFor(origins, request.origin).error(notFound()))
        }
      },
      upgrade: (request, response) => {
        if (request.fault !== "") refuseFault(request, response)
        else if (servesHost(request.host)) door.open(request, response)
        else refuseHost(request, response)
      },
      fault: (fault) => runner.defect(Cause.die(fault)),
    })

    const stop = () => {
      draining = true
      listener.stopListening()
      door.drain()
    }
    let open = true
    const close = Effect.sync(() => {
      if (!open) return
      open = false
      stop()
      listener.close()
    })
    yield* Effect.addFinalizer(() => close)
    return {
      port: listener.port,
      close,
      drain: (waitMs = drainMs) =>
        Effect.callback<void>((resume) => {
          stop()
          const timer = clock.after(waitMs, () => resume(Effect.void))
          inFlight.whenIdle(() => {
            timer.cancel()
            resume(Effect.void)
          })
        }),
    }
  })
