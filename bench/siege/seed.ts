/**
 * The process that fills an empty database for a siege: an organization of users and channels, many short messages in a
 * private channel, and long ones in a public one. The first of each is sent through a server; the rest are copies of its
 * row, made in the database, so that they have whatever columns this version of the program has.
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
import { type ConfigShape, type DatabaseConfig, defaultLimits } from "../../src/config/config.ts"
import type { Database } from "../../src/db/database.ts"
import { openMigratedDatabase } from "../../src/db/open/open-database.ts"
import { productionConfig } from "../../test/kit/production-config.ts"
import { leave, send as sendBy } from "../client/control.ts"
import { serveCommands } from "../remote.ts"
import { settle } from "../target/people.ts"
import { serveOpened } from "../target/serve.ts"
import { accounts, channelIds, copyMessages, copyNewestRow, furnish, longText } from "./seed-steps.ts"
import type { Target } from "./target.ts"

const Seed = Schema.decodeUnknownSync(
  Schema.Struct({
    databaseUrl: Schema.NullOr(Schema.String),
    /** The data folder of the server that will serve the database. */
    folder: Schema.String,
    secret: Schema.String,
    users: Schema.Number,
    channels: Schema.Number,
    /** Number of messages that the private channel and the channel of long messages get. */
    secretMessages: Schema.Number,
    longMessages: Schema.Number,
  }),
)
type Seed = ReturnType<typeof Seed>

const configOf = (wanted: Seed, database: DatabaseConfig, folder: string): ConfigShape =>
  productionConfig({ dataFolder: folder, database, secret: wanted.secret, limits: defaultLimits })

/** Serves the database until its first messages are sent; answers who is who. */
const sendFirst = async (config: ConfigShape, database: Context.Context<Database>): Promise<Target> => {
  const scope = await Effect.runPromise(Scope.make())
  const { port, people } = await Effect.runPromise(Scope.provide(serveOpened(config, database), scope))
  const some = ({ from, count }: { readonly from: number; readonly count: number }) =>
    people.filter(({ id }) => id >= from && id < from + count)
  const [author] = some(accounts.author)
  if (author === undefined) throw new Error("too few people")
  const channels = Object.fromEntries(Object.entries(channelIds).map(([name, id]) => [name, { id, name }]))
  const { talk, long, secret, noise } = channels
  if (!talk || !long || !secret || !noise) throw new Error("too few channels")
  const send = (name: string, topic: string, content: string) => sendBy(port, author, name, topic, content)
  await send("secret", "plans", "a short message that few may read")
  await send("long", "essays", longText())
  for (const each of ["talk", "noise"]) await send(each, "first", "first")
  leave()
  await Effect.runPromise(Scope.close(scope, Exit.void))
  return {
    honest: some(accounts.honest),
    guests: some(accounts.guests),
    members: some(accounts.members),
    slow: some(accounts.slow),
    author,
    channels: { talk, long, secret, noise },
    users: people.length,
    longMessages: { first: 0, count: 0 },
  }
}

const seed = async (wanted: Seed): Promise<object> => {
  const scope = await Effect.runPromise(Scope.make())
  const folder = await mkdtemp(join(tmpdir(), "parley-seed-"))
  const database: DatabaseConfig =
    wanted.databaseUrl === null
      ? { kind: "pglite", folder: join(wanted.folder, "database"), sync: true }
      : { kind: "postgres", url: wanted.databaseUrl }
  try {
    const opened = await Effect.runPromise(Scope.provide(Layer.build(openMigratedDatabase(database)), scope))
    const run = <A, E>(effect: Effect.Effect<A, E, Database>) => Effect.runPromise(Effect.provide(effect, opened))
    await run(settle(wanted.users, null))
    await run(furnish(wanted.channels))
    const target = await sendFirst(configOf(wanted, database, folder), opened)
    const first = await run(copyMessages(channelIds.secret, wanted.secretMessages))
    const longMessages = await run(copyMessages(channelIds.long, wanted.longMessages))
    await run(copyNewestRow)
    return { ...target, longMessages: first === undefined ? target.longMessages : longMessages }
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await rm(folder, { recursive: true, force: true })
  }
}

serveCommands({ seed: (wanted) => seed(Seed(wanted)) }, async () => {})
