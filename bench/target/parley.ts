/** Parley in a process of its own, with an organization whose people are all in one channel. */
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { threadsOf } from "../../src/command-line/bench/process-figures.ts"
import { type ConfigShape, type DatabaseConfig, defaultLimits } from "../../src/config/config.ts"
import { openMigratedDatabase } from "../../src/db/open/open.ts"
import { productionConfig } from "../../test/kit/production-config.ts"
import { serveCommands } from "../remote.ts"
import { writeHistory } from "./history.ts"
import { settledMemory } from "./memory.ts"
import { channel, settle, writeProfiles } from "./people.ts"
import { writePrivateChannels } from "./private-channels.ts"
import { serveOpened } from "./serve.ts"
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
    furniture: Schema.NullOr(Schema.Struct({ channels: Schema.Number, groups: Schema.Number })),
  }),
)

const scope = await Effect.runPromise(Scope.make())
const folder = await mkdtemp(join(tmpdir(), "parley-bench-"))
const blocks = monitorEventLoopDelay({ resolution: 1 })

const configOf = (database: DatabaseConfig): ConfigShape =>
  productionConfig({
    dataFolder: folder,
    database,
    secret: "a secret that is only used in benchmarks, and long enough",
    limits: { ...defaultLimits, typingChannelSubscribers: 100_000 },
  })

const start = async (wanted: ReturnType<typeof Start>) => {
  const { databaseUrl, people, furniture, unread, history, privateChannels, profileFields, sync = true } = wanted
  const database: DatabaseConfig =
    databaseUrl === null
      ? { kind: "pglite", folder: join(folder, "database"), sync }
      : { kind: "postgres", url: databaseUrl }
  // Starts the thread pool of the file system first, so that the only new thread later is the database's.
  await Promise.all(Array.from({ length: 8 }, () => readdir(folder)))
  const before = threadsOf(process.pid)
  const opened = await Effect.runPromise(Scope.provide(Layer.build(openMigratedDatabase(database)), scope))
  const databaseThreads = databaseUrl === null ? threadsOf(process.pid).filter((id) => !before.includes(id)) : []
  await Effect.runPromise(Effect.provide(settle(people, furniture), opened))
  if (unread !== undefined) await Effect.runPromise(Effect.provide(writeUnread(people, unread), opened))
  if (history !== undefined) await Effect.runPromise(Effect.provide(writeHistory(people, history), opened))
  if (privateChannels !== undefined)
    await Effect.runPromise(Effect.provide(writePrivateChannels(people, privateChannels), opened))
  if (profileFields !== undefined) await Effect.runPromise(Effect.provide(writeProfiles(people, profileFields), opened))
  const served = serveOpened(configOf(database), opened)
  const { port, runtime, people: accounts } = await Effect.runPromise(Scope.provide(served, scope))
  const stats = async () => ({
    ...(await settledMemory()),
    encodes: runtime.encoder.encodes(),
    position: runtime.feed.position,
    liveQueues: runtime.hub.liveQueues,
  })
  return { stats, port, pid: process.pid, databaseThreads, accounts, channel }
}

let running: Awaited<ReturnType<typeof start>> | null = null
serveCommands(
  {
    start: async (wanted) => {
      running = await start(Start(wanted))
      const { stats, ...rest } = running
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
    stats: async () => (running === null ? {} : running.stats()),
  },
  async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await rm(folder, { recursive: true, force: true })
  },
)
