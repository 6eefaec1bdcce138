/** What the log says of a database when a server has started on it, and what figures say of its size. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Unavailable } from "../api/errors.ts"
import type { JsonObject } from "../json.ts"
import type { DatabaseShape } from "./database.ts"

const products = { pglite: "PGlite", postgres: "PostgreSQL" } as const

/** Further ones are counted only. */
const mostEpochs = 10

/** An organization's number and the epoch of its log: another epoch than at the last start has ended all queues. */
const readEpochs = (value: unknown): JsonObject =>
  Predicate.isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([realm, epoch]) => [realm, String(epoch)]))
    : {}

export const describeDatabase = (database: DatabaseShape): Effect.Effect<JsonObject, Unavailable> =>
  Effect.map(
    database.query(
      `select current_setting('server_version') as version,
         (select max(version) from schema_migrations) as schema,
         (select count(*)::integer from realm) as organizations,
         (select json_object_agg(id, epoch order by id)
            from (select id, epoch from realm order by id limit $1) as first) as epochs`,
      [mostEpochs],
    ),
    ([row]) => ({
      database: `${products[database.kind]} ${String(row?.["version"])}`,
      schema: Number(row?.["schema"]),
      organizations: Number(row?.["organizations"]),
      log_epochs: readEpochs(row?.["epochs"]),
    }),
  )

/** Size of the database on its disk, its write-ahead log not counted. */
export const databaseBytes = (database: DatabaseShape): Effect.Effect<number, Unavailable> =>
  Effect.map(database.query("select pg_database_size(current_database())::text as bytes"), ([row]) =>
    Number(row?.["bytes"]),
  )
