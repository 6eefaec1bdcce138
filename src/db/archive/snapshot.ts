/**
 * All rows of a database as they are at one moment, read in one transaction while others go on writing. The database is one
 * of `openToRead`, which sends all statements by one connection: one that is lost takes the transaction with it, and the
 * next read fails instead of showing another moment.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Unavailable } from "../../api/errors.ts"
import { Database, type DatabaseShape } from "../database.ts"
import { DatabaseUnusable } from "../open-failures.ts"
import { findVersion } from "../sql/migrate.ts"
import { archiveQueryOf } from "./archive-query.ts"
import { CatalogTable, findCounters, findTables, rowsSql, TableCounter } from "./catalog-tables.ts"

/** What is known of a database beside its rows. */
export const SnapshotContents = Schema.Struct({
  /** The version of its schema. */
  version: Schema.Number,
  tables: Schema.Array(CatalogTable),
  counters: Schema.Array(TableCounter),
  /** Milliseconds that servers have run on it. */
  ranFor: Schema.Number,
  /** See secret-fingerprint.ts; null where it was never served. */
  secretFingerprint: Schema.NullOr(Schema.String),
  /** Its organizations, and the position of the newest row of each log. */
  realms: Schema.Array(Schema.Struct({ id: Schema.Number, host: Schema.String, position: Schema.Number })),
})
export type SnapshotContents = typeof SnapshotContents.Type

const beginSql = "begin isolation level repeatable read read only"
/** An operator's setting would end it while the archive's disk is slow. */
const unlimitedSql = "set local idle_in_transaction_session_timeout = 0"

const realmsSql = `select id, host, coalesce((select max(position) from log where realm_id = realm.id), 0) as position
  from realm order by id`
const readRealms = Schema.decodeUnknownSync(SnapshotContents.fields.realms)

/** Rows that are read at a time: of the largest messages some 20 MB. */
const rowsAtOnce = 500
const fetchSql = `fetch ${rowsAtOnce} from backup_rows`

export interface Snapshot {
  readonly contents: SnapshotContents
  /** Calls `take` with the rows of a table, as texts in JSON, some at a time. */
  readonly read: <E>(
    table: CatalogTable,
    take: (rows: ReadonlyArray<string>) => Effect.Effect<void, E>,
  ) => Effect.Effect<void, E | Unavailable>
}

/** Begins the transaction, which ends with the connection. */
export const takeSnapshot = Effect.fnUntraced(function* (
  database: DatabaseShape,
): Effect.fn.Return<Snapshot, Unavailable | DatabaseUnusable> {
  const ask = archiveQueryOf(database)
  yield* ask(beginSql)
  yield* ask(unlimitedSql)
  const version = yield* Effect.provideService(findVersion, Database, database)
  if (version === null) return yield* new DatabaseUnusable({ message: "The database has no tables of this program" })
  const [state] = yield* ask("select ran_for, secret_fingerprint from server_state")
  const fingerprint = state?.["secret_fingerprint"]
  const contents: SnapshotContents = {
    version,
    tables: yield* findTables(ask),
    counters: yield* findCounters(ask),
    ranFor: Number(state?.["ran_for"] ?? 0),
    secretFingerprint: typeof fingerprint === "string" ? fingerprint : null,
    realms: readRealms(yield* ask(realmsSql)),
  }
  return {
    contents,
    read: (table, take) =>
      Effect.gen(function* () {
        yield* ask(`declare backup_rows no scroll cursor for ${rowsSql(table)}`)
        for (;;) {
          const rows = yield* ask(fetchSql)
          if (rows.length === 0) break
          yield* take(rows.map(({ row }) => String(row)))
        }
        yield* ask("close backup_rows")
      }),
  }
})
