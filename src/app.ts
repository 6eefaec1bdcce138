/**
 * Every layer wired in one picture; the only file that knows everyone.
 *
 *   http server ── routes ── chat capabilities ── Realms ── events (log, writer, hub, queues) ── Database
 *                            Bulk, Typing ────────┘                Jobs ── Uptime ──── WriteHealth ──┘
 *
 * `startApp` serves until its scope closes. Used by main.ts and by the test kit.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LogLevel from "effect/LogLevel"
import type * as Scope from "effect/Scope"
import {
  bulkKinds,
  downloads,
  endpoints,
  eventKinds,
  featuresLayer,
  jobs,
  livePages,
  namedFiles,
  pages,
  pictures,
  projectionParts,
  registerSections,
  webPages,
} from "./chat/features.ts"
import { BulkKinds } from "./chat/ground/bulk/bulk-kind.ts"
import { Files } from "./chat/ground/files/files.ts"
import { claimFiles, type FilesRefused } from "./chat/ground/files/folder-mark.ts"
import { Catalog } from "./chat/ground/kinds/catalog.ts"
import type { EventKind } from "./chat/ground/kinds/event-kind.ts"
import { OutboundNetwork } from "./chat/ground/outbound/network.ts"
import { Realms } from "./chat/ground/realm/realms.ts"
import { authenticateBot, tryAuthenticateBotNow } from "./chat/ground/sign-in/bot-keys.ts"
import { authenticate, knownSenders } from "./chat/ground/sign-in/sign-in.ts"
import { listenForCommands } from "./chat/server/commands/command-socket.ts"
import { ServerCommands } from "./chat/server/commands/server-commands.ts"
import { loadAwaited } from "./chat/server/runtime/awaited-realms.ts"
import { readsFigures } from "./chat/server/runtime/figure-readers.ts"
import { joinCluster } from "./chat/server/runtime/join-cluster.ts"
import { realmsLayer } from "./chat/server/runtime/realms-layer.ts"
import { saveProgress } from "./chat/server/runtime/runtime-jobs.ts"
import { serverMetrics } from "./chat/server/runtime/server-metrics.ts"
import { refuseDemo, seedDemo } from "./chat/server/setup/demo.ts"
import { findQueues, sendAway } from "./chat/server/sync/connected-queues.ts"
import { webClient } from "./chat/server/web-client/page-files.ts"
import { Clock, type ClockShape, systemClock } from "./clock.ts"
import { Config, type ConfigShape } from "./config/config.ts"
import { agreedClock } from "./db/cluster/cluster-clock.ts"
import { Database } from "./db/database.ts"
import { WriteHealth, writeHealthLayer } from "./db/faults/write-health.ts"
import { identityOf } from "./db/open/identity.ts"
import { openMigratedDatabase } from "./db/open/open-database.ts"
import { type DatabaseHeld, DatabaseUnusable } from "./db/open-failures.ts"
import { UserReads } from "./db/reads.ts"
import { Uptime } from "./db/uptime.ts"
import { LargeAnswers } from "./fairness/large-answers.ts"
import { Refusals, refusalsLayer } from "./fairness/refusals.ts"
import { plainPages } from "./http/health-pages.ts"
import type { PortInUse, PortListener } from "./http/network/uws.ts"
import type { PlatformUnsupported } from "./http/network/uws-loader.ts"
import { readBasic } from "./http/request/basic-auth.ts"
import type { AccountLookup } from "./http/senders/account-lookup.ts"
import { freshAccounts } from "./http/senders/fresh-accounts.ts"
import { freshSources } from "./http/senders/fresh-sources.ts"
import { type RunningServer, startServer } from "./http/server.ts"
import { prepareSocket } from "./http/sockets/queue-socket.ts"
import type { RealmId } from "./ids.ts"
import { ClockWatch, watchClock } from "./jobs/clock-watch.ts"
import type { JobServices } from "./jobs/job.ts"
import { JobRuns } from "./jobs/job-runs.ts"
import { Jobs } from "./jobs/jobs.ts"
import { othersOutboxJob } from "./jobs/outbox/others-outbox.ts"
import { Outbox } from "./jobs/outbox/outbox.ts"
import { forgetGivenUpJob } from "./jobs/outbox/outbox-kind.ts"
import { ServerEnd } from "./jobs/server-end.ts"

export interface AppOptions {
  readonly config: ConfigShape
  /** Of several processes only its durations and timers count, and the time is the database's. */
  readonly clock: ClockShape
  /** Milliseconds for the time of commits, and in place of the database's, where a test holds the clock; else null. */
  readonly commitTime: () => number | null
  /** Called once, with the reason: this server can no longer follow its database and must end. */
  readonly onForeign: (why: string) => void
  /** The hash of the demo organization's password, where main.ts has begun it. */
  readonly demoHash?: Effect.Effect<string> | undefined
  /** SQL functions and kinds of events that exist only in a test. */
  readonly further?: { readonly sql: ReadonlyArray<string>; readonly kinds: ReadonlyArray<EventKind> }
  /** The port, which main.ts opens before it makes anything; where it is absent, the app opens it. */
  readonly listener?: PortListener
  /** In tests what stands for the internet. */
  readonly network?: Layer.Layer<OutboundNetwork>
  /** Opened already by main.ts; in tests what cuts the program off from its database. */
  readonly database?: Layer.Layer<Database, DatabaseHeld | DatabaseUnusable>
}

export type AppServices =
  | Layer.Success<typeof featuresLayer>
  | Config
  | Clock
  | Database
  | WriteHealth
  | Uptime
  | Jobs
  | JobRuns
  | Outbox
  | Catalog
  | BulkKinds
  | Realms
  | Refusals
  | UserReads
  | LargeAnswers
  | ServerCommands

export interface App {
  readonly server: RunningServer
  readonly services: Context.Context<AppServices>
  /** Takes commands of operators up in the data folder, until the scope closes. Fails where it can hold no socket. */
  readonly takeCommands: Effect.Effect<void, unknown, Scope.Scope>
  /** Refuses new requests, answers those in flight, and closes polls and sockets so that their clients reconnect. */
  readonly drain: Effect.Effect<void>
}

export type StartFailure = DatabaseHeld | DatabaseUnusable | FilesRefused | PortInUse | PlatformUnsupported

type LogDefect = (what: string, cause: unknown, organization?: RealmId) => void

/** For callbacks outside of Effect: a function that writes what must not have happened to the current logger. */
const defectLog = Effect.map(
  Effect.context<never>(),
  (context) =>
    (what: string, cause: unknown, organization?: RealmId): void => {
      const logged = Effect.annotateLogs(Effect.logError(what, cause), { organization })
      Effect.runForkWith(context)(logged)
    },
)

const allJobs = [watchClock, forgetGivenUpJob, othersOutboxJob, ...jobs]

/** Runs them; when they have ended, what the queues have reached is stored once more. */
const jobsAtWork = Layer.effectDiscard(
  Effect.gen(function* () {
    const services = yield* Effect.context<Effect.Services<typeof saveProgress>>()
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.provide(saveProgress, services)))
    const isAlone = (yield* Database).cluster === undefined
    const wanted = allJobs.filter((job) => !isAlone || job !== othersOutboxJob)
    yield* (yield* Jobs).start<JobServices<(typeof allJobs)[number]>>(wanted)
  }),
)

/** Passes on the first reason only: each commit under way, and the last save of an ending server, finds another. */
const once = (tell: (why: string) => void): ((why: string) => void) => {
  let isTold = false
  return (why) => {
    if (isTold) return
    isTold = true
    tell(why)
  }
}

/** Everything but what runs by itself and the network. */
const capabilities = (options: AppOptions, logDefect: LogDefect) => {
  const { config, commitTime } = options
  const onForeign = once(options.onForeign)
  const { processes } = config
  const database = options.database ?? openMigratedDatabase(config.database, options.further?.sql, { processes })
  const time = Layer.provide(agreedClock(options.clock, commitTime), database)
  const kinds = [...eventKinds, ...(options.further?.kinds ?? [])]
  const catalog = Layer.succeed(
    Catalog,
    Catalog.listing({ kinds, sections: registerSections, parts: projectionParts, files: namedFiles }),
  )
  return ServerCommands.layer.pipe(
    Layer.provideMerge(featuresLayer),
    Layer.provideMerge(realmsLayer({ commitTime, onForeign, logDefect })),
    Layer.provideMerge(
      Layer.mergeAll(catalog, Layer.succeed(BulkKinds, bulkKinds), options.network ?? OutboundNetwork.layer),
    ),
    Layer.provideMerge(Uptime.layer),
    Layer.provideMerge(Layer.mergeAll(UserReads.layer, LargeAnswers.layer, Outbox.layer, JobRuns.layer)),
    Layer.provideMerge(Layer.provide(writeHealthLayer, database)),
    Layer.provideMerge(refusalsLayer),
    Layer.provideMerge(Layer.mergeAll(Jobs.layer, ClockWatch.layer, Layer.succeed(ServerEnd, { end: onForeign }))),
    Layer.provideMerge(Layer.mergeAll(Layer.succeed(Config, config), time)),
  )
}

/** Before anything of the folder for files is read or removed, and before anything is served. */
const filesClaimed = Layer.effectDiscard(
  Effect.gen(function* () {
    const { filesFolder, database: config } = yield* Config
    const database = yield* Database
    const identity = yield* identityOf(database, config, filesFolder)
    yield* claimFiles(filesFolder, identity, database, namedFiles)
    yield* joinCluster
  }),
)

const layers = (options: AppOptions, logDefect: LogDefect) =>
  Layer.provideMerge(jobsAtWork, Layer.provideMerge(filesClaimed, capabilities(options, logDefect)))

/** For a command of an operator where no server runs: it holds the database until the scope closes, and serves nobody. */
export const openForCommands = Effect.fnUntraced(function* (config: ConfigShape, database: Layer.Layer<Database>) {
  const options: AppOptions = { config, database, clock: systemClock, commitTime: () => null, onForeign: () => {} }
  const services = Layer.provideMerge(filesClaimed, capabilities(options, yield* defectLog))
  return Context.get(yield* Layer.build(services), ServerCommands)
})

export const startApp = (options: AppOptions): Effect.Effect<App, StartFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const { config } = options
    /** By how much what is made now is dated back: nothing, once the demo organization is there. */
    let back = 0
    const commitTime = () => (back === 0 ? options.commitTime() : options.clock.now() - back)
    const services = yield* Layer.build(layers({ ...options, commitTime }, yield* defectLog))
    const realms = Context.get(services, Realms)
    const database = Context.get(services, Database)
    const clock = Context.get(services, Clock)
    const provided = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, services)

    const seed = seedDemo(options.demoHash, (ms) => {
      back = ms
    })
    const past = { ...clock, now: () => clock.now() - back }
    if (config.mode === "development")
      yield* Effect.catchTag(
        provided(Effect.provideService(seed, Clock, past)),
        ["ApiError", "OutcomeUnknown"],
        (failure) => Effect.die(failure),
      )
    else yield* provided(refuseDemo())
    yield* provided(loadAwaited)
    const metrics = yield* provided(serverMetrics)
    const context = yield* Effect.context<never>()
    const isTold = yield* LogLevel.isEnabled("Debug")
    const sources = { downloads, pictures, webPages }
    const accounts: AccountLookup = {
      authenticate: (host, email, key) => provided(authenticate(host, email, key)),
      ofBotKey: (host, key) => provided(authenticateBot(host, key)),
      findRealm: (host) => realms.find(host),
      isOneOfSeveral: realms.isOneOfSeveral,
      known: knownSenders(realms, config.secret, readBasic),
      knownBot: tryAuthenticateBotNow(realms, config.secret),
    }
    if (database.replaced !== undefined)
      yield* Effect.forkScoped(Effect.map(database.replaced, (why) => options.onForeign(why)))
    const server = yield* provided(
      startServer<AppServices>({
        config,
        clock,
        largeAnswers: Context.get(services, LargeAnswers),
        refusals: Context.get(services, Refusals),
        routes: endpoints,
        listener: options.listener,
        ...(realms.isAlone ? accounts : freshAccounts(accounts, realms.fresh)),
        freshness: realms.isAlone
          ? null
          : { fresh: realms.fresh, position: (realm) => realms.running(realm)?.feed.position ?? 0 },
        otherCounts: config.processes?.sharesLimits === true ? realms.everywhere : null,
        socket: { prepare: (who, ...wanted) => prepareSocket(findQueues, who, ...wanted) },
        metrics,
        logAnswer: isTold
          ? (line) => void Effect.runForkWith(context)(Effect.annotateLogs(Effect.logDebug("answered"), { ...line }))
          : undefined,
        readsMetrics: readsFigures(realms, config),
        ...(realms.isAlone ? sources : freshSources<AppServices>(realms, sources)),
        livePages,
        plain: {
          ...pages,
          ...plainPages({
            databaseUp: () => database.up() && database.cluster?.isCounted() !== false,
            writesFail: () => Context.get(services, WriteHealth).fault() !== null,
            filesFail: Context.get(services, Files).isFailing,
            servesNobody: realms.hasNone,
            frame: webClient?.frame ?? null,
          }),
        },
      }),
    )
    return {
      server,
      services,
      takeCommands: Effect.provide(listenForCommands(config), services),
      drain: Effect.andThen(
        Effect.all([server.drain(), sendAway(realms, clock)], { concurrency: 2 }),
        // Again, for queues that were connected by a request that was in flight.
        sendAway(realms, clock),
      ),
    }
  }).pipe(
    Effect.catchTag("Unavailable", ({ reason }) =>
      Effect.fail(new DatabaseUnusable({ message: `The database was lost while the server started: ${reason}` })),
    ),
  )
