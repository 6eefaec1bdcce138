/**
 * Parley and the bare server in one process, which delivers by itself: rows are put to the hub as the feed would, events to
 * the bare server's list, each list of them in one turn of the loop. What is left of the cost is a delivery's own: no
 * request, no commit, and the same caches and the same minute for both.
 */
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { RealmRuntime } from "../../src/chat/ground/realm/realms.ts"
import { cpuOf, threadsOf } from "../../src/command-line/bench/process-figures.ts"
import { type DatabaseConfig, defaultLimits } from "../../src/config/config.ts"
import { openMigratedDatabase } from "../../src/db/open/open-database.ts"
import { type LogRow, userSet } from "../../src/events/event.ts"
import { Position } from "../../src/ids.ts"
import { productionConfig } from "../../test/kit/production-config.ts"
import { serveCommands } from "../remote.ts"
import { startBare } from "./bare-server.ts"
import { channel, settle } from "./people.ts"
import { serveOpened } from "./serve.ts"

const Start = Schema.decodeUnknownSync(Schema.Struct({ people: Schema.Number, eventBytes: Schema.Number }))
const Publish = Schema.decodeUnknownSync(
  Schema.Struct({ to: Schema.Literals(["parley", "bare"]), events: Schema.Number }),
)

const scope = await Effect.runPromise(Scope.make())
const folder = await mkdtemp(join(tmpdir(), "parley-bench-"))

const newestMessage = ({ ring }: RealmRuntime): LogRow => {
  for (let position = ring.newest?.position ?? 0; position > 0; position--) {
    const row = ring.at(position)
    if (row?.type === "message") return row
  }
  throw new Error("there is no message")
}

/** Puts copies of the newest message to the hub, as rows that follow the newest row. */
const publisherOf = (runtime: RealmRuntime) => {
  const message = newestMessage(runtime)
  let { newest } = runtime.hub
  const users = userSet(runtime.realm.users.keys())
  const receivers = { users, includes: () => true }
  return () => {
    runtime.hub.put({ ...message, origin: null, position: Position(++newest) }, receivers)
  }
}

const start = async ({ people, eventBytes }: ReturnType<typeof Start>) => {
  const database: DatabaseConfig = { kind: "pglite", folder: join(folder, "database"), sync: false }
  const secret = "a secret that is only used in benchmarks, and long enough"
  const config = productionConfig({ dataFolder: folder, database, secret, limits: defaultLimits })
  await Promise.all(Array.from({ length: 8 }, () => readdir(folder)))
  const before = threadsOf(process.pid)
  const opened = await Effect.runPromise(Scope.provide(Layer.build(openMigratedDatabase(database)), scope))
  const databaseThreads = threadsOf(process.pid).filter((id) => !before.includes(id))
  await Effect.runPromise(Effect.provide(settle(people, null), opened))
  const served = await Effect.runPromise(Scope.provide(serveOpened(config, opened), scope))
  const { port, runtime, people: accounts } = served
  const bare = await startBare(eventBytes)
  let publish: (() => void) | null = null
  let number = 0
  const publishAll = async ({ to, events }: ReturnType<typeof Publish>) => {
    publish ??= publisherOf(runtime)
    for (let event = 0; event < events; event++) to === "bare" ? bare.publish(number++) : publish()
    return {}
  }
  const cpu = async () => ({ cpu: cpuOf(process.pid, databaseThreads) })
  return {
    publishAll,
    cpu,
    started: { port, barePort: bare.port, pid: process.pid, databaseThreads, accounts, channel },
  }
}

let running: Awaited<ReturnType<typeof start>> | null = null
serveCommands(
  {
    start: async (wanted) => {
      running = await start(Start(wanted))
      return running.started
    },
    publish: async (wanted) => running?.publishAll(Publish(wanted)) ?? {},
    cpu: async () => running?.cpu() ?? {},
  },
  async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await rm(folder, { recursive: true, force: true })
  },
)
