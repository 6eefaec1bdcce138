/**
 * Opens the configured database for this server alone. `openDatabase` holds it (a second server is refused) and opens
 * it; `openMigratedDatabase` also brings it to the program's version. Called by main.ts, and by app.ts where it is
 * given none; both failures end the program with one line.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Unavailable } from "../../api/errors.ts"
import type { DatabaseConfig, EmbeddedConfig } from "../../config/config.ts"
import type { ProcessesConfig } from "../../config/processes-config.ts"
import { abortableWork } from "../abortable-work.ts"
import { findForeignFile, folderUnusable, requireUsable, useFolder } from "../data-folders.ts"
import { Database } from "../database.ts"
import { durabilityOf } from "../disk/durability.ts"
import { holdFolder } from "../folder-lock.ts"
import { oneLine } from "../one-line.ts"
import { type DatabaseHeld, DatabaseUnusable } from "../open-failures.ts"
import { copyCluster } from "../pglite/copy-cluster.ts"
import { pgliteLayer, pgliteThread } from "../pglite/pglite.ts"
import { prepareFolder, readyImage } from "../pglite/pglite-image.ts"
import { readBuiltSql, type Sql } from "../sql/built-sql.ts"
import { readFunctions } from "../sql/function-files.ts"
import { migrate } from "../sql/migrate.ts"
import { migrateBeside } from "../sql/migrate-beside.ts"
import { newestVersion } from "../sql/migrations.ts"
import type { Scripts } from "../statement.ts"

export interface OpenOptions {
  /** One of `threadAhead`. */
  readonly thread?: Worker | undefined
  /** Serves the database together with others (PostgreSQL only); null: alone. */
  readonly processes?: ProcessesConfig | null
  /** For a transaction of many statements: they share one connection, and nothing is done between them that would end it. */
  readonly isForTransaction?: boolean
}

/** The database is closed and then released when the layer's scope closes. An empty folder is filled from `image`. */
export const openDatabase = (
  config: DatabaseConfig,
  image?: string,
  { thread, isForTransaction = false }: OpenOptions = {},
): Layer.Layer<Database | Scripts, DatabaseHeld | DatabaseUnusable> =>
  Layer.unwrap(
    config.kind === "postgres"
      ? openPostgres(config.url, isForTransaction)
      : holdCluster(config, image).pipe(
          Effect.map(({ cluster, durability }) =>
            pgliteLayer(cluster, {
              sync: config.sync,
              durability,
              thread,
              ...(isForTransaction ? { upkeep: "checkpoints" } : {}),
            }),
          ),
        ),
  )

/**
 * The same without holding it or anything else, for reads in one transaction beside a server: of PostgreSQL, or of a copy of
 * an embedded database (`copyFolder`), which is opened as a killed server has left it.
 */
export const openToRead = (config: DatabaseConfig): Layer.Layer<Database | Scripts, DatabaseUnusable> =>
  config.kind === "postgres"
    ? Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("../postgres/postgres.ts")),
          ({ postgresLayer }) => postgresLayer(config.url, oneConnection),
        ),
      )
    : pgliteLayer(clusterIn(config.folder), { sync: false, upkeep: "none" })

/** The folder, beside an embedded database, for a copy that is read to back it up. */
export const copyFolder = ({ folder }: EmbeddedConfig): string => join(folder, ".backup")

/** Copies an embedded database that no server has open, without opening it, to where `openToRead` finds it. */
export const copyUnopened = (config: EmbeddedConfig): Effect.Effect<void, DatabaseHeld | DatabaseUnusable> =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* holdFolder(config.folder, "backup")
      yield* abortableWork(
        (signal) => copyCluster(clusterIn(config.folder), clusterIn(copyFolder(config)), signal),
        (error) => new DatabaseUnusable({ message: `The database cannot be copied: ${oneLine(error)}` }),
      )
    }),
  )

/** Where `copy` of a running server's database puts its files, for `openToRead`. */
export const copiedCluster = (config: EmbeddedConfig): string => clusterIn(copyFolder(config))

/** The thread of an embedded database, before its folder is held or even there; it touches nothing yet. */
export const threadAhead = (config: DatabaseConfig): Effect.Effect<Worker | undefined, never, Scope.Scope> =>
  config.kind === "postgres" ? Effect.undefined : pgliteThread(clusterIn(config.folder), config.sync)

/** Whether it is an embedded database that has still to be made. */
export const isMissing = (config: DatabaseConfig): boolean =>
  config.kind === "pglite" && !existsSync(clusterIn(config.folder))

/** As `openDatabase`, then migrates. `furtherSql`: paths of functions that only a test has. */
export const openMigratedDatabase = (
  config: DatabaseConfig,
  furtherSql: ReadonlyArray<string> = [],
  opening: OpenOptions = {},
): Layer.Layer<Database | Scripts, DatabaseHeld | DatabaseUnusable> =>
  Layer.unwrap(
    // The SQL is read while the database opens.
    Effect.sync(() => {
      const sql = readSql(furtherSql)
      return config.kind === "postgres" && opening.processes != null
        ? openTogether(config.url, opening.processes, sql)
        : migrated(sql).pipe(Layer.provideMerge(openDatabase(config, readyImage, opening)))
    }),
  )

/** As `openMigratedDatabase`, together with the others that serve it, whose programs may be older or newer. */
const openTogether = (url: string, processes: ProcessesConfig, sql: Promise<Sql>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const [{ postgresLayer }, { joinPostgres }] = yield* Effect.promise(() =>
        Promise.all([import("../postgres/postgres.ts"), import("../postgres/postgres-cluster.ts")]),
      )
      const joining = yield* joinPostgres(url, processes)
      const prepared = migrated(sql, joining.others === 0 ? migrate : migrateBeside)
      const joined = Layer.effect(
        Database,
        Effect.gen(function* () {
          const database = yield* Database
          const { migrations } = yield* Effect.promise(() => sql)
          const cluster = yield* joining.join(database, newestVersion(migrations))
          return { ...database, holder: cluster.name, cluster }
        }),
      ).pipe(Layer.catchTag("Unavailable", lostAtStart))
      const opened = prepared.pipe(Layer.provideMerge(postgresLayer(url)))
      return joined.pipe(Layer.provideMerge(opened))
    }),
  )

const lostAtStart = ({ reason }: Unavailable) =>
  Layer.effectContext(
    Effect.fail(new DatabaseUnusable({ message: `The database was lost while it was opened: ${reason}` })),
  )

/** Starts reading the SQL; an error appears where it is awaited. */
export const readSql = (furtherSql: ReadonlyArray<string>): Promise<Sql> => {
  const further = Promise.all(furtherSql.map(readFunctions))
  const sql = Promise.all([readBuiltSql(), further]).then(([{ migrations, functions }, more]) => ({
    migrations,
    functions: [...functions, ...more],
  }))
  sql.catch(() => {})
  return sql
}

/** Brings the database to the program's version. */
export const migrated = (sql: Promise<Sql>, bring: typeof migrate = migrate) =>
  Layer.effectDiscard(
    Effect.flatMap(
      Effect.promise(() => sql),
      ({ migrations, functions }) => bring(migrations, functions),
    ),
  )

/** The driver is imported only where it is used: that takes 20 ms. */
const openPostgres = Effect.fnUntraced(function* (url: string, isForTransaction: boolean) {
  const { postgresLayer } = yield* Effect.promise(() => import("../postgres/postgres.ts"))
  const { holdPostgres } = yield* Effect.promise(() => import("../postgres/postgres-hold.ts"))
  yield* holdPostgres(url)
  return postgresLayer(url, isForTransaction ? oneConnection : {})
})

/** Statements of a transaction may take minutes: an index of a large table waits for nobody. */
const oneConnection = { size: 1, readers: 1, statementMs: 3_600_000 }

const clusterIn = (folder: string): string => join(folder, "cluster")

/** The folder holds the lock's file, and the cluster in a folder of its own below. */
const holdCluster = Effect.fnUntraced(function* ({ folder, sync }: EmbeddedConfig, image: string | undefined) {
  const cluster = clusterIn(folder)
  const foreign = yield* tryFolder(folder, async () => findForeignFile(folder))
  if (foreign !== undefined)
    return yield* new DatabaseUnusable({
      message: `The folder ${folder} holds ${foreign}, which is no database of this program: it is left alone`,
    })
  yield* useFolder(folder)
  yield* holdFolder(folder)
  const { open, close } = durabilityOf(folder, cluster, sync)
  yield* Effect.addFinalizer(() => close)
  // Not interrupted: the work would go on after the hold is gone.
  const durability = yield* Effect.uninterruptible(
    tryFolder(folder, async () => {
      const found = await open()
      await prepareFolder(cluster, { sync, image })
      return found
    }),
  )
  yield* requireUsable(cluster)
  return { cluster, durability }
})

const tryFolder = <A>(folder: string, act: () => Promise<A>): Effect.Effect<A, DatabaseUnusable> =>
  Effect.tryPromise({ try: act, catch: (error) => folderUnusable(folder, error) })
