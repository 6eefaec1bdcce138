/**
 * The HTTP server: sends each request to the API, to a plain page or to the WebSocket endpoint, and ends in three steps:
 * `leave` serves on and ends one connection after the other, `drain` refuses new requests and waits for those in flight, `close`
 * closes the remaining connections. Started by src/app.ts and by tests.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { DownloadSource } from "../api/downloads.ts"
import type { Caller, EndpointReply, RequestInput, Route } from "../api/endpoint.ts"
import {
  type ApiError,
  badRequest,
  headersTooLarge,
  hostRefused,
  notFound,
  serviceUnavailable,
  upgradeNeeded,
} from "../api/errors.ts"
import { each, gauge, type MetricFamily } from "../api/metrics.ts"
import type { LivePages, PictureSource, PlainPages } from "../api/pages.ts"
import type { WebPage } from "../api/web-page.ts"
import type { ClockShape } from "../clock.ts"
import type { ConfigShape } from "../config/config.ts"
import type { Notes } from "../events/peers/notes.ts"
import type { LargeAnswersShape } from "../fairness/large-answers.ts"
import type { RefusalsShape } from "../fairness/refusals.ts"
import { makeOrigins } from "./answer/cors.ts"
import { answersFor } from "./answer/make-answers.ts"
import { makeApi } from "./api/api.ts"
import type { AnswerLine } from "./api/exchange.ts"
import type { Freshness } from "./api/fresh-requests.ts"
import { makeRouter } from "./api/router.ts"
import { PartPool } from "./bodies/part-pool.ts"
import { makeBodies } from "./bodies/request-bodies.ts"
import { makeClientAddresses } from "./connections/client-address.ts"
import { makeConnectionAdmission } from "./connections/connections.ts"
import { mostConnections, openFileLimit } from "./connections/file-limit.ts"
import { makeServedHosts } from "./connections/hosts.ts"
import { makeLivePages } from "./downloads/live-pages.ts"
import { makePlainPages } from "./downloads/plain-pages.ts"
import { makeDownloads } from "./downloads/serve-downloads.ts"
import { makePictures } from "./downloads/serve-pictures.ts"
import { type LogDefect, logDefect, makeRunner } from "./entrance/effect-runner.ts"
import type { EntranceServices } from "./entrance/entrance.ts"
import { InFlight } from "./entrance/in-flight.ts"
import { RequestTurns } from "./entrance/request-turns.ts"
import { leaving, readyPath } from "./health-pages.ts"
import { leavePort } from "./leave-port.ts"
import { makeMetricsPage, metricsPath } from "./metrics/metrics-page.ts"
import { RequestTallies } from "./metrics/request-tally.ts"
import { closeCounts } from "./network/close-reasons.ts"
import { openPort, type PortInUse, type PortListener, socketPath, type WireRequest } from "./network/uws.ts"
import type { PlatformUnsupported } from "./network/uws-loader.ts"
import type { WireResponse } from "./network/uws-response.ts"
import { hasLargeHeaders, mostHeaderBytes } from "./request/request-headers.ts"
import type { AccountLookup, FoundAccount } from "./senders/account-lookup.ts"
import { makeAnonymousRequests } from "./senders/anonymous-requests.ts"
import { makeRateLimit, refusalOf, withVerdict } from "./senders/rate-limit.ts"
import { makeSocketEndpoint, type SocketOptions } from "./sockets/socket-endpoint.ts"
import { makeWebPages } from "./web-pages.ts"

export interface HttpServerOptions<R> extends AccountLookup {
  readonly config: ConfigShape
  readonly clock: ClockShape
  readonly largeAnswers: LargeAnswersShape
  readonly refusals: RefusalsShape
  readonly routes: ReadonlyArray<Route<R>>
  /** Where several processes serve the database. */
  readonly freshness?: Freshness | null
  /** Where they count requests together: how they tell each other. */
  readonly otherCounts?: Notes | null
  readonly socket: SocketOptions<R>
  /** Pages outside the API by their path, such as `/health`; answered to GET and HEAD, while draining too. */
  readonly plain: PlainPages
  /** Reads further figures for `GET /metrics`. */
  readonly metrics?: () => ReadonlyArray<MetricFamily>
  /** Whether an account may read all figures; nobody by their account if absent. `host`: by which it asks, without its port. */
  readonly readsMetrics?: (host: string, account: FoundAccount) => boolean
  /** Pages that are made anew for each request, by their path. */
  readonly livePages: LivePages<R>
  /** Pictures outside the API, by how their paths begin. */
  readonly pictures: ReadonlyArray<PictureSource<R>>
  /** Pages for people outside the API, by how their paths begin. */
  readonly webPages: ReadonlyArray<WebPage<R>>
  /** What is found for whoever signs the request, by how its path begins; of the API's paths only what is read. */
  readonly downloads: ReadonlyArray<DownloadSource<R>>
  /** The open port; where there is none yet, it is opened here. */
  readonly listener?: PortListener | undefined
  /** Told of each request that an endpoint has handled; absent: nobody wants to know. */
  readonly logAnswer?: ((line: AnswerLine) => void) | undefined
  /** Logs defects; the Effect logger if absent. */
  readonly logDefect?: LogDefect
  /** Milliseconds, for the length of the turns in which requests are begun; of the process if absent. */
  readonly elapsed?: () => number
}

export interface RunningServer {
  readonly port: number
  /**
   * Serves on for `leaveSeconds`: `/ready` says that it leaves, and each connection ends with its next answer, so that a proxy
   * turns to others while the port is still open. `isReplaced`: another process has opened this port, too. Then this one takes
   * no new connection, and the port stays ready.
   */
  readonly leave: (isReplaced: boolean) => Effect.Effect<void>
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

export const startServer = <R>(
  options: HttpServerOptions<R>,
): Effect.Effect<RunningServer, PortInUse | PlatformUnsupported, R | Scope.Scope> =>
  Effect.gen(function* () {
    const { config, clock, refusals } = options
    const runner = makeRunner(yield* Effect.context<R>(), options.logDefect ?? logDefect)
    const origins = makeOrigins(config)
    const addresses = makeClientAddresses(config.trustedProxies)
    const rateLimit = makeRateLimit(clock, config, refusals, addresses.isNear, options.otherCounts)
    const quick = new Map<Route<R>, (input: RequestInput<Caller>) => EndpointReply | undefined>()
    for (const route of options.routes)
      if (route.access === "user" && route.quick !== undefined) quick.set(route, yield* route.quick)
    // Nothing waits from here to `serve`: who comes by a port that is opened only now is served.
    const listener = options.listener ?? (yield* openPort(config))
    const most = mostConnections(config.limits.connectionsInAll, openFileLimit())
    const admission = makeConnectionAdmission(clock, config, addresses, refusals, most)
    const isCrowded = () => admission.isCrowded(listener.connections())
    const strangers = makeAnonymousRequests(rateLimit, addresses, isCrowded)
    const turns = new RequestTurns({
      defer: (task) => void setImmediate(task),
      elapsed: options.elapsed ?? (() => performance.now()),
    })
    const servesHost = makeServedHosts(config)
    const inFlight = new InFlight()
    const plain = new Map(Object.entries(options.plain))
    let draining = false
    const isDraining = () => draining
    const entrance: EntranceServices<R> = {
      config,
      clock,
      accounts: options,
      origins,
      runner,
      inFlight,
      isDraining,
      rateLimit,
      strangers,
      refusals,
    }
    const { largeAnswers } = options
    const bodies = makeBodies(clock, config.limits, refusals)
    const partPool = new PartPool(clock)
    const tallies = new RequestTallies()
    const api = makeApi({
      ...entrance,
      freshness: options.freshness ?? null,
      quick,
      router: makeRouter(options.routes),
      largeAnswers,
      turns,
      bodies,
      partPool,
      tallies,
      logAnswer: options.logAnswer,
    })
    const door = makeSocketEndpoint({ ...entrance, turns, isCrowded, socket: options.socket })
    const sendFile = makeDownloads<R>(entrance)
    const answers = answersFor(origins, "")
    const sendPicture = makePictures<R>({ runner, inFlight, strangers, answers, largeAnswers })
    const sendPage = makeLivePages<R>({ runner, inFlight, strangers, addresses, answers, largeAnswers })
    const sendPlain = makePlainPages({ strangers, answers, largeAnswers })
    const ofNetwork = (): ReadonlyArray<MetricFamily> => [
      gauge("parley_connections", "Open connections, sockets included.", listener.connections()),
      each("counter", "parley_sockets_closed_total", "Sockets that the server closed.", "reason", closeCounts),
    ]
    const livePages = new Map(Object.entries(options.livePages))
    const sendWebPage = makeWebPages<R>({ ...entrance, bodies })
    const webPages = options.webPages.filter(({ isServed }) => isServed?.(options.config) ?? true)
    const findWebPage = (path: string) => webPages.find(({ prefix }) => path.startsWith(prefix))
    const findDownload = ({ path, method }: WireRequest) => {
      const source = options.downloads.find(({ prefix }) => path.startsWith(prefix))
      const isOther = path.startsWith(apiRoot) && method !== "GET" && method !== "HEAD"
      return isOther ? undefined : source
    }
    const findSource = (path: string) => options.pictures.find(({ prefix }) => path.startsWith(prefix))

    const countAndRefuse = (request: WireRequest, response: WireResponse, error: ApiError, isLast = false): void => {
      const verdict = strangers.count(response, strangers.addressOf(request, response))
      const refusal = answersFor(origins, request.origin).error(refusalOf(verdict) ?? error)
      response.send(withVerdict(refusal, verdict), isLast)
    }
    const sendMetrics = makeMetricsPage<R>({
      ...entrance,
      mayRead: options.readsMetrics ?? (() => false),
      token: config.metricsToken,
      addresses,
      answers,
      refuse: countAndRefuse,
      families: () => [...tallies.families(), ...ofNetwork(), ...(options.metrics?.() ?? [])],
    })

    /** Refuses what is refused before anything is looked for: false where there is nothing to refuse. */
    const isRefused = (request: WireRequest, response: WireResponse): boolean => {
      if (request.fault !== "") {
        countAndRefuse(request, response, badRequest(request.fault), true)
        return true
      }
      if (servesHost(request.host)) return false
      refusals.note("hosts in development mode", strangers.addressOf(request, response))
      countAndRefuse(request, response, hostRefused(), true)
      return true
    }

    listener.serve({
      request: (request, response) => {
        if (isRefused(request, response)) return
        const { path } = request
        const page = plain.get(path)
        const download = findDownload(request)
        if (page !== undefined) {
          sendPlain(page, request, response)
        } else if (draining) {
          response.send(answersFor(origins, request.origin).error(serviceUnavailable(1)))
        } else if (hasLargeHeaders(request)) {
          countAndRefuse(request, response, headersTooLarge(mostHeaderBytes), true)
        } else if (download !== undefined) {
          sendFile(download, request, response)
        } else if (path === socketPath && request.method === "GET") {
          countAndRefuse(request, response, upgradeNeeded())
        } else if (path.startsWith(apiRoot) && path.charAt(apiRoot.length) === "/") {
          api(path.slice(apiRoot.length), request, response)
        } else {
          const make = livePages.get(path)
          const webPage = findWebPage(path)
          const source = findSource(path)
          if (make !== undefined) sendPage(make, request, response)
          else if (webPage !== undefined) sendWebPage(webPage, request, response)
          else if (source !== undefined) sendPicture(source, request, response)
          else if (path === metricsPath) sendMetrics(request, response)
          else countAndRefuse(request, response, notFound())
        }
      },
      upgrade: (request, response) => {
        if (!isRefused(request, response)) door.open(request, response)
      },
      admits: admission.admits,
      fault: (fault) => runner.defect(Cause.die(fault)),
    })

    let replaced = false
    const endConnections = () => {
      listener.endConnections()
      // Where others serve at the port, whoever asks on a connection that this process has would send nobody there.
      if (replaced) listener.stopListening()
      else plain.set(readyPath, () => leaving)
    }
    const stop = () => {
      draining = true
      endConnections()
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
      leave: (isReplaced) =>
        Effect.suspend(() => {
          replaced = isReplaced
          endConnections()
          return leavePort(clock, listener, config.leaveSeconds)
        }),
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
