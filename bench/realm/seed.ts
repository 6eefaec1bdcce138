/**
 * The process that makes a large organization in an empty database, and ends before a server is measured on it: what the
 * database takes in memory while it is filled is not the server's.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { DatabaseConfig } from "../../src/config/config.ts"
import { Database } from "../../src/db/database.ts"
import { openMigratedDatabase } from "../../src/db/open/open-database.ts"
import { serveCommands } from "../remote.ts"
import { copyChannel, settle } from "../target/people.ts"
import { fewChannel, fewPeople, lastChannel, Orders, sharesOf } from "./plan.ts"

const decodeOrders = Schema.decodeUnknownSync(Orders)

/** Users whose subscriptions are written by one statement. */
const atOnce = 5000

/**
 * $1 to $2: users, $3: the last channel, $4: in one of so many of these a user is. User by user, as people come to an
 * organization: the subscribers of a channel stand far from each other then, which is the worse case for whoever reads them.
 */
const pairs = `from generate_series($1::integer, $2::integer) n, generate_series(2, $3::integer) c
  where c % $4::integer = n % $4::integer`
const statements = [
  `insert into subscription_span (realm_id, channel_id, user_id, opened, reads_from) select 1, c, n, 0, 0 ${pairs}`,
  `insert into subscription_setting (realm_id, user_id, channel_id, color) select 1, n, c, '#76ce90' ${pairs}`,
]

const fill = Effect.fnUntraced(function* ({ people, subscriptions }: Orders) {
  const { query } = yield* Database
  yield* settle(people, null)
  yield* copyChannel(fewChannel)
  for (let from = 1; from <= people; from += atOnce)
    for (const statement of statements)
      yield* query(statement, [
        from,
        Math.min(people, from + atOnce - 1),
        lastChannel,
        sharesOf({ people, subscriptions }),
      ])
  const few = `from generate_series(1, ${Math.min(people, fewPeople)}) n`
  yield* query(`insert into subscription_span (realm_id, channel_id, user_id, opened, reads_from)
    select 1, ${fewChannel}, n, 0, 0 ${few}`)
  yield* query(`insert into subscription_setting (realm_id, user_id, channel_id, color)
    select 1, n, ${fewChannel}, '#76ce90' ${few}`)
  // As autovacuum does later, and the embedded database's upkeep.
  for (const table of ["account", "role_span", "subscription_span", "subscription_setting"])
    yield* query(`analyze ${table}`)
  const [row] = yield* query("select count(*)::integer as count from subscription_span")
  return { subscriptions: Number(row?.["count"]) }
})

const seed = async (orders: Orders) => {
  const database: DatabaseConfig =
    orders.databaseUrl === null
      ? { kind: "pglite", folder: join(orders.folder, "database"), sync: false }
      : { kind: "postgres", url: orders.databaseUrl }
  const scope = await Effect.runPromise(Scope.make())
  try {
    const opened = await Effect.runPromise(Scope.provide(Layer.build(openMigratedDatabase(database)), scope))
    return await Effect.runPromise(Effect.provide(fill(orders), opened))
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

serveCommands({ seed: (wanted) => seed(decodeOrders(wanted)) }, async () => {})
