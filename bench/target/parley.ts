/** Parley in a process of its own, with an organization whose people are all in one channel. */
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setTimeout } from "node:timers/promises"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { expireMessages, soonMilliseconds } from "../../src/chat/changing/message-expiry/expiry.ts"
import { Realms } from "../../src/chat/ground/realm/realms.ts"
import { threadsOf } from "../../src/command-line/bench/process-figures.ts"
import { type ConfigShape, type DatabaseConfig, defaultLimits } from "../../src/config/config.ts"
import type { ProcessesConfig } from "../../src/config/processes-config.ts"
import { Database } from "../../src/db/database.ts"
import { openMigratedDatabase } from "../../src/db/open/open-database.ts"
import { RealmId } from "../../src/ids.ts"
import { natsAt } from "../../test/kit/nats-server.ts"
import { productionConfig } from "../../test/kit/production-config.ts"
import { serveCommands } from "../remote.ts"
import { writeHistory } from "./history.ts"
import { settledMemory } from "./memory.ts"
import { channel, hostOf, settle, writeProfiles } from "./people.ts"
import { writePrivateChannels } from "./private-channels.ts"
import { peopleOf, serveOpened } from "./serve.ts"
import { writeUnread } from "./unread.ts"

const Start = Schema.decodeUnknownSync(
  Schema.Struct({
    databaseUrl: Schema.NullOr(Schema.String),
    people: Schema.Number,
    sync: Schema.optional(Schema.Boolean),
    unread: Schema.optional(
      Schema.Struct({ channels: Schema.Number, messages: Schema.Number, topics: Schema.optional(Schema.Number) }),
    ),
    history: Schema.optional(
      Schema.Struct({ channels: Schema.Number, messages: Schema.Number, topics: Schema.Number }),
    ),
    privateChannels: Schema.optional(
      Schema.Struct({
        channels: Schema.Number,
        leavers: Schema.Number,
        each: Schema.Number,
        areTheirs: Schema.Boolean,
      }),
    ),
    profileFields: Schema.optional(Schema.Number),
    retention: Schema.optional(Schema.Boolean),
    together: Schema.optional(
      Schema.Struct({
        bus: Schema.String,
        filesFolder: Schema.String,
        isFirst: Schema.Boolean,
        organizations: Schema.Number,
      }),
    ),
    furniture: Schema.NullOr(Schema.Struct({ channels: Schema.Number, groups: Schema.Number })),
  }),
)

const scope = await Effect.runPromise(Scope.make())
const folder = await mkdtemp(join(tmpdir(), "parley-bench-"))
const blocks = monitorEventLoopDelay({ resolution: 1 })

/** Messages are kept for a month, but for those of the channel where everybody writes. */
const limitAges = Effect.gen(function* () {
  const database = yield* Database
  yield* database.query(`update realm set settings = settings || '{"message_retention_days": 30}'`)
  yield* database.query("update channel set retention_days = -1 where id = $1", [channel.id])
})

const peopleOfAll = (services: Context.Context<Realms>, secret: string, organizations: ReadonlyArray<number>) =>
  Effect.map(
    Effect.forEach(organizations, (realm) => Context.get(services, Realms).get(RealmId(realm))),
    (runtimes) =>
      runtimes.flatMap((runtime) =>
        peopleOf(runtime, secret).map((each) => ({ ...each, host: hostOf(runtime.realm.id) })),
      ),
  )

const busOf = (bus: string): ProcessesConfig["bus"] => (bus === "none" || bus === "notify" ? bus : natsAt(bus))

const farMilliseconds = 1000 * 24 * 3600_000

const configOf = (database: DatabaseConfig, changed: Partial<ConfigShape>): ConfigShape =>
  productionConfig({
    dataFolder: folder,
    database,
    secret: "a secret that is only used in benchmarks, and long enough",
    limits: { ...defaultLimits, typingChannelSubscribers: 100_000 },
    ...changed,
  })

const start = async (wanted: ReturnType<typeof Start>) => {
  const {
    databaseUrl,
    people,
    furniture,
    unread,
    history,
    privateChannels,
    profileFields,
    retention = false,
    sync = true,
    together,
  } = wanted
  const database: DatabaseConfig =
    databaseUrl === null
      ? { kind: "pglite", folder: join(folder, "database"), sync }
      : { kind: "postgres", url: databaseUrl }
  // Starts the thread pool of the file system first, so that the only new thread later is the database's.
  await Promise.all(Array.from({ length: 8 }, () => readdir(folder)))
  const processes =
    together === undefined ? null : { bus: busOf(together.bus), busUrl: null, sharesLimits: true, child: null }
  const before = threadsOf(process.pid)
  const opened = await Effect.runPromise(
    Scope.provide(Layer.build(openMigratedDatabase(database, [], { processes })), scope),
  )
  const databaseThreads = databaseUrl === null ? threadsOf(process.pid).filter((id) => !before.includes(id)) : []
  const organizations = Array.from({ length: together?.organizations ?? 1 }, (_, n) => n + 1)
  if (together?.isFirst !== false)
    for (const realm of organizations) await Effect.runPromise(Effect.provide(settle(people, furniture, realm), opened))
  if (unread !== undefined) await Effect.runPromise(Effect.provide(writeUnread(people, unread), opened))
  if (history !== undefined) await Effect.runPromise(Effect.provide(writeHistory(people, history), opened))
  if (privateChannels !== undefined)
    await Effect.runPromise(Effect.provide(writePrivateChannels(people, privateChannels), opened))
  if (profileFields !== undefined) await Effect.runPromise(Effect.provide(writeProfiles(people, profileFields), opened))
  if (retention) await Effect.runPromise(Effect.provide(limitAges, opened))
  const changed = together === undefined ? {} : { processes, filesFolder: together.filesFolder }
  const config = configOf(database, changed)
  const served = serveOpened(config, opened)
  const { port, runtime, services, people: own } = await Effect.runPromise(Scope.provide(served, scope))
  /** Those of the first organization; of several those of each, with its host. */
  const accounts =
    organizations.length === 1 ? own : await Effect.runPromise(peopleOfAll(services, config.secret, organizations))
  const applied: Array<readonly [position: number, at: number]> = []
  let isTracing = false
  runtime.watchRows(({ position }) => {
    if (isTracing) applied.push([position, performance.timeOrigin + performance.now()])
  })
  /** Notes when each row is applied, from here on. */
  const trace = async () => {
    applied.length = 0
    isTracing = true
    return {}
  }
  const traced = async () => {
    isTracing = false
    return { applied: [...applied] }
  }
  /** The processes of PostgreSQL that work for this database. */
  const backends = async () => {
    const rows = await Effect.runPromise(
      Effect.provide(
        Database.use((own) =>
          own.query("select pid::integer as pid from pg_stat_activity where datname = current_database()"),
        ),
        opened,
      ),
    )
    return { pids: rows.map(({ pid }) => Number(pid)) }
  }
  const stats = async () => ({
    ...(await settledMemory()),
    encodes: runtime.encoder.encodes(),
    position: runtime.feed.position,
    liveQueues: runtime.hub.liveQueues,
  })
  const expireAt = (now: number) => Effect.runPromise(Effect.provide(expireMessages(now), services))
  /** As the job does it, by times that let all that is limited go: a server's first hour is not waited for. */
  const expire = async () => {
    const now = Date.now()
    await expireAt(now)
    while (await expireAt(now + farMilliseconds)) await setTimeout(soonMilliseconds)
    return {}
  }
  return { expire, stats, trace, traced, backends, port, pid: process.pid, databaseThreads, accounts, channel }
}

let running: Awaited<ReturnType<typeof start>> | null = null
serveCommands(
  {
    start: async (wanted) => {
      running = await start(Start(wanted))
      const { stats, expire, trace, traced, backends, ...rest } = running
      return rest
    },
    // Runs only on request, because its timer would wake an idle server again and again.
    watch: async () => {
      blocks.reset()
      blocks.enable()
      return {}
    },
    unwatch: async () => {
      blocks.disable()
      return { longestBlock: blocks.max / 1e6 }
    },
    expire: async () => (running === null ? {} : running.expire()),
    stats: async () => (running === null ? {} : running.stats()),
    trace: async () => (running === null ? {} : running.trace()),
    traced: async () => (running === null ? {} : running.traced()),
    backends: async () => (running === null ? {} : running.backends()),
  },
  async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await rm(folder, { recursive: true, force: true })
  },
)
