/**
 * Which database this is, as the folder for files is marked with it (chat/ground/files/folder-mark.ts). A copy that `pg_dump` or
 * `cp` makes has the same id, so the place belongs to it: for PostgreSQL the cluster and the database in it, without the
 * timeline, which a failover changes; for the embedded database where its folder is, seen from the folder for files, so that
 * both may be moved together.
 */
import { existsSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import * as Effect from "effect/Effect"
import type { DatabaseConfig } from "../../config/config.ts"
import { archiveQueryOf } from "../archive/archive-query.ts"
import type { DatabaseShape } from "../database.ts"

export interface DatabaseIdentity {
  /** A UUID, which a database gets when it is asked for the first time, and one that is restored newly. */
  readonly database: string
  readonly kind: DatabaseConfig["kind"]
  readonly place: string
}

const clusterAndDatabase = `select (select system_identifier from pg_control_system()) || '/' ||
  (select oid from pg_database where datname = current_database()) as place`

const placeOf = (database: DatabaseShape, config: DatabaseConfig, folder: string) =>
  config.kind === "pglite"
    ? Effect.succeed(relative(folder, config.folder))
    : Effect.map(archiveQueryOf(database)(clusterAndDatabase), ([row]) => String(row?.["place"]))

const withPlace = Effect.fnUntraced(function* (
  id: string,
  database: DatabaseShape,
  config: DatabaseConfig,
  folder: string,
) {
  const identity: DatabaseIdentity = {
    database: id,
    kind: config.kind,
    place: yield* placeOf(database, config, folder),
  }
  return identity
})

/** `folder`: the one for files. */
export const identityOf = Effect.fnUntraced(function* (
  database: DatabaseShape,
  config: DatabaseConfig,
  folder: string,
) {
  const [row] = yield* archiveQueryOf(database)(
    "update server_state set id = coalesce(id, gen_random_uuid()) returning id::text as id",
  )
  return yield* withPlace(String(row?.["id"]), database, config, folder)
})

/** The same of a database that is only read; null: it has none yet, because no program that gives one has served it. */
export const readIdentity = Effect.fnUntraced(function* (
  database: DatabaseShape,
  config: DatabaseConfig,
  folder: string,
) {
  const ask = archiveQueryOf(database)
  const [found] = yield* ask("select to_regclass('server_state')::text as name")
  if (found === undefined || found["name"] === null) return null
  const [row] = yield* ask("select to_jsonb(s) ->> 'id' as id from server_state s")
  return row === undefined || row["id"] === null ? null : yield* withPlace(String(row["id"]), database, config, folder)
})

/** Whether an embedded database is no longer where a mark says: it was moved, and not copied. */
export const isGoneFrom = (place: string, folder: string): boolean =>
  !existsSync(join(resolve(folder, place), "cluster", "PG_VERSION"))
