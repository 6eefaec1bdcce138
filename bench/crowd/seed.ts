/**
 * The process that makes a crowd in an empty database: an organization, if wanted a queue for each user, and then the
 * messages that these queues lack. It ends before the server that is measured starts.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { type DatabaseConfig, defaultLimits } from "../../src/config/config.ts"
import type { Database } from "../../src/db/database.ts"
import { openMigratedDatabase } from "../../src/db/open/open-database.ts"
import { productionConfig } from "../../test/kit/production-config.ts"
import { controlOf, leave, send } from "../client/control.ts"
import { serveCommands } from "../remote.ts"
import type { Account } from "../siege/target.ts"
import { serveOpened } from "../target/serve.ts"
import { type Crowd, channelName, channelOfMessage, type Lack, Plan, talkChannel } from "./plan.ts"
import { copyQueue, settleCrowd } from "./seed-steps.ts"

const Seed = Schema.decodeUnknownSync(
  Schema.Struct({
    databaseUrl: Schema.NullOr(Schema.String),
    /** The data folder of the server that will serve the database. */
    folder: Schema.String,
    secret: Schema.String,
    plan: Plan,
    /** Whether each user has a queue for messages, from before the messages. */
    queues: Schema.Boolean,
    messages: Schema.Number,
    textBytes: Schema.Number,
    /** Messages of the greatest length that nobody of the crowd gets, after all others. */
    longMessages: Schema.Number,
  }),
)
type Seed = ReturnType<typeof Seed>

const queueSeconds = 24 * 3600
const longText = 10_000
const registration = {
  event_types: ["message"],
  fetch_event_types: [],
  apply_markdown: true,
  idle_queue_timeout: queueSeconds,
}

/** Sends messages, several at a time; answers their ids. */
const sendAll = async (
  port: number,
  account: Account,
  count: number,
  channel: (n: number) => number,
  bytes: number,
) => {
  const sendOne = (_: unknown, n: number) =>
    send(port, account, channelName(channel(n)), "bench", `${n} ${"x".repeat(bytes)}`.slice(0, bytes))
  return Promise.all(Array.from({ length: count }, sendOne))
}

/** Serves the database while `act` goes on. */
const served = async <A>(
  { folder, secret }: Seed,
  database: DatabaseConfig,
  opened: Context.Context<Database>,
  act: (port: number, accounts: ReadonlyArray<Account>) => Promise<A>,
): Promise<A> => {
  const scope = await Effect.runPromise(Scope.make())
  try {
    const config = productionConfig({ dataFolder: folder, database, secret, limits: defaultLimits })
    const { port, people } = await Effect.runPromise(Scope.provide(serveOpened(config, opened), scope))
    return await act(port, people)
  } finally {
    leave()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const seed = async (wanted: Seed): Promise<Crowd> => {
  const { databaseUrl, plan, queues, messages, textBytes, longMessages } = wanted
  const database: DatabaseConfig =
    databaseUrl === null
      ? { kind: "pglite", folder: join(wanted.folder, "database"), sync: false }
      : { kind: "postgres", url: databaseUrl }
  const scope = await Effect.runPromise(Scope.make())
  const folder = await mkdtemp(join(tmpdir(), "parley-seed-"))
  try {
    const opened = await Effect.runPromise(Scope.provide(Layer.build(openMigratedDatabase(database)), scope))
    const run = <A, E>(effect: Effect.Effect<A, E, Database>) => Effect.runPromise(Effect.provide(effect, opened))
    await run(settleCrowd(plan))
    const talk = talkChannel(plan)
    return await served({ ...wanted, folder }, database, opened, async (port, accounts) => {
      const people = accounts.filter(({ id }) => id <= plan.people)
      const talkers = accounts.filter(({ id }) => id > plan.people)
      const [one, author] = [people[0], talkers[0]]
      if (one === undefined || author === undefined) throw new Error("nobody is there")
      // The first message of a channel changes the channel, too: before anything that is counted.
      await sendAll(port, author, plan.channels, (n) => channelOfMessage(n, plan), textBytes)
      await sendAll(port, author, 1, () => talk, textBytes)
      let lack: Lack = { queues: [], last: -1, positions: [], channels: [] }
      if (queues) {
        const { last_event_id: last = -1 } = await controlOf(port, one).call("POST /register", registration)
        const ids = await run(copyQueue(plan.people))
        const positions = await sendAll(port, author, messages, (n) => channelOfMessage(n, plan), textBytes)
        const channels = positions.map((_, n) => channelOfMessage(n, plan))
        lack = { queues: ids, last, positions, channels }
      }
      await sendAll(port, author, longMessages, () => talk, longText)
      return { people, talkers, talk: channelName(talk), lack }
    })
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await rm(folder, { recursive: true, force: true })
  }
}

serveCommands({ seed: (wanted) => seed(Seed(wanted)) }, async () => {})
