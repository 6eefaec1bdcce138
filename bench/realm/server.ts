/**
 * The program on a large organization, in a process of its own: how long a start takes that loads it, what it holds then, and
 * what a question costs that is asked for each message.
 */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { mayReadMessage } from "../../src/chat/ground/permissions/permissions.ts"
import type { Realm } from "../../src/chat/ground/realm/realm.ts"
import { SubscriptionSpans } from "../../src/chat/ground/realm/subscription-spans.ts"
import { apiKey } from "../../src/chat/ground/sign-in/sign-in.ts"
import { requireChannelToPost } from "../../src/chat/sending/messages/destination.ts"
import { type DatabaseConfig, defaultLimits } from "../../src/config/config.ts"
import { Database } from "../../src/db/database.ts"
import { openMigratedDatabase } from "../../src/db/open/open-database.ts"
import { ChannelId, UserId } from "../../src/ids.ts"
import { productionConfig } from "../../test/kit/production-config.ts"
import { serveCommands } from "../remote.ts"
import { settledMemory } from "../target/memory.ts"
import { startOpened } from "../target/serve.ts"
import { lastChannel, Orders } from "./plan.ts"

const decodeOrders = Schema.decodeUnknownSync(Orders)
const secret = "a secret that is only used in benchmarks, and long enough"
const checks = 200_000

const scope = await Effect.runPromise(Scope.make())

/** Tables in which a send may write. Words are indexed later, for all messages alike. */
const written = ["log", "message", "personal_message", "sent", "outbox", "conversation", "user_topic"]
const countSql = `select sum(n_live)::integer as count from (${written
  .map((name) => `select count(*) as n_live from ${name}`)
  .join(" union all ")}) c`

/** Milliseconds of the processor, of all threads: other programs take turns with them. */
const processorMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const start = async ({ databaseUrl, folder }: typeof Orders.Type) => {
  const database: DatabaseConfig =
    databaseUrl === null
      ? { kind: "pglite", folder: join(folder, "database"), sync: false }
      : { kind: "postgres", url: databaseUrl }
  await mkdir(folder, { recursive: true })
  const opened = await Effect.runPromise(Scope.provide(Layer.build(openMigratedDatabase(database)), scope))
  const config = productionConfig({ dataFolder: folder, database, secret, limits: defaultLimits })
  const [began, before] = [performance.now(), processorMs()]
  const { port, runtime } = await Effect.runPromise(Scope.provide(startOpened(config, opened), scope))
  const milliseconds = performance.now() - began
  const cpu = processorMs() - before
  const { realm } = runtime
  const first = realm.users.get(UserId(1))
  if (first === undefined) throw new Error("nobody is there")
  const count = async () => {
    const rows = await Effect.runPromise(
      Effect.provide(
        Effect.flatMap(Database, ({ query }) => query(countSql)),
        opened,
      ),
    )
    return { rows: Number(rows[0]?.["count"]) }
  }
  return {
    realm,
    count,
    port,
    milliseconds,
    cpu,
    account: { email: first.email, key: apiKey(secret, realm.id, first) },
  }
}

/** Microseconds of one check, of users and channels in no order. */
const timeChecks = (realm: Realm) => {
  const pairs = Array.from({ length: checks }, (_, n) => ({
    user: UserId(1 + ((n * 7919) % realm.users.size)),
    channel: ChannelId(1 + ((n * 31) % lastChannel)),
  }))
  const time = (check: (user: UserId, channel: ChannelId) => boolean) => {
    let yes = 0
    const before = processorMs()
    for (const { user, channel } of pairs) if (check(user, channel)) yes++
    const milliseconds = processorMs() - before
    if (yes === 0) throw new Error("nobody may: nothing was measured")
    return (1000 * milliseconds) / checks
  }
  const reads = (id: UserId, to: ChannelId): boolean => {
    const [user, channel] = [realm.users.get(id), realm.channels.get(to)]
    if (user === undefined || channel === undefined) return false
    return mayReadMessage(realm, user, channel, realm.subscriptions.heldAt(to, id, realm.position))
  }
  const posts = (id: UserId, to: ChannelId): boolean => {
    const user = realm.users.get(id)
    return user !== undefined && Result.isSuccess(requireChannelToPost(realm, user, to))
  }
  // Once for the compiler.
  time(reads)
  time(posts)
  return { read: time(reads), post: time(posts) }
}

const spanUsers = 10_000
const spansOfEach = 100

/** Bytes for each further closed subscription of somebody who was in the channel before. */
const measureSpans = async () => {
  const spans = new SubscriptionSpans()
  const fill = (from: number, to: number) => {
    for (let user = 1; user <= spanUsers; user++)
      for (let n = from; n < to; n++) spans.load(ChannelId(1), UserId(user), 2 * n, 2 * n + 1, 2 * n)
    for (const settle of spans.settling()) settle()
  }
  const held = () => {
    for (let times = 0; times < 2; times++) globalThis.gc?.()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  fill(0, 1)
  const before = held()
  fill(1, spansOfEach)
  const bytes = (held() - before) / (spanUsers * (spansOfEach - 1))
  if (spans.of(ChannelId(1), UserId(1)).length !== spansOfEach) throw new Error("spans are missing")
  return { bytes }
}

let running: Awaited<ReturnType<typeof start>> | null = null
const atWork = () => {
  if (running === null) throw new Error("not started")
  return running
}

serveCommands(
  {
    start: async (wanted) => {
      running = await start(decodeOrders(wanted))
      const { port, milliseconds, cpu, account } = running
      return { port, milliseconds, cpu, account }
    },
    memory: async () => ({ resident: (await settledMemory()).resident }),
    checks: async () => timeChecks(atWork().realm),
    rows: async () => atWork().count(),
    spans: async () => measureSpans(),
  },
  () => Effect.runPromise(Scope.close(scope, Exit.void)),
)
