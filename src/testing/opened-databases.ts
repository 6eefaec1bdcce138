/**
 * Databases that stay open while servers come and go (lent-databases.ts): embedded ones in temporary folders, and databases of
 * a PostgreSQL server. All servers on one share its thread or its connections, which have their statements prepared by then:
 * eight new sessions of PostgreSQL for each server cost several times what the server asks of them.
 */
import { randomBytes } from "node:crypto"
import type { Worker } from "node:worker_threads"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import type { AppOptions } from "../app.ts"
import type { DatabaseConfig } from "../config/config.ts"
import { Database } from "../db/database.ts"
import { migrated, readSql } from "../db/open/open-database.ts"
import { pgliteChannel, pgliteServices, pgliteThread } from "../db/pglite/pglite.ts"
import { pack, unpackImage } from "../db/pglite/pglite-image.ts"
import type { Scripts, StatementChannel } from "../db/statement.ts"
import { makeTemporaryFolder, removeTemporaryFolder } from "./temporary-folders.ts"

/** The database for one start of a server: brought to the program's version, with SQL that only the test has. */
export type LayerOf = (furtherSql: ReadonlyArray<string>) => NonNullable<AppOptions["database"]>

export interface OpenedDatabase {
  readonly config: DatabaseConfig
  readonly layerOf: LayerOf
  /** The open database, without a server. */
  readonly services: Layer.Layer<Database | Scripts>
  /** Whether it can be used: not after its thread or its connections were lost. */
  readonly isUp: () => boolean
  readonly close: () => Promise<void>
  /** Closes it, and answers it as an image. */
  readonly pack: () => Promise<Buffer>
}

export type OnWorker = (worker: Worker) => void

/** Threads of a database: they keep the process alive while it is lent. */
export class DatabaseThreads {
  readonly #workers = new Set<Worker>()
  readonly #onWorker: OnWorker | undefined
  #isHeld: boolean

  constructor(isHeld: boolean, onWorker?: OnWorker) {
    this.#isHeld = isHeld
    this.#onWorker = onWorker
  }

  readonly add = (worker: Worker): void => {
    this.#workers.add(worker)
    this.#onWorker?.(worker)
    worker.once("exit", () => this.#workers.delete(worker))
    if (!this.#isHeld) worker.unref()
  }

  readonly hold = (isHeld: boolean): void => {
    this.#isHeld = isHeld
    for (const worker of this.#workers) {
      if (isHeld) worker.ref()
      else worker.unref()
    }
  }
}

/** What servers get of an open channel. Each start of one has a `Database` with a holder of its own. */
const served = (
  channel: StatementChannel,
  serve: (channel: StatementChannel) => Context.Context<Database | Scripts>,
) => {
  const services = Layer.syncContext(() => serve(channel))
  return {
    layerOf: (furtherSql: ReadonlyArray<string>) =>
      migrated(readSql(furtherSql)).pipe(Layer.provideMerge(Layer.fresh(services))),
    services,
    isUp: channel.up,
  }
}

export const openPglite = async (threads: DatabaseThreads, image: string): Promise<OpenedDatabase> => {
  const folder = await makeTemporaryFolder()
  const scope = await Effect.runPromise(Scope.make())
  // It loads PGlite while the image is unpacked.
  const thread = await Effect.runPromise(Effect.provideService(pgliteThread(folder, false), Scope.Scope, scope))
  const end = () => Effect.runPromise(Scope.close(scope, Exit.void))
  const opening = pgliteChannel(folder, { sync: false, thread, onWorker: threads.add }).pipe(
    Scope.provide(scope),
    Effect.provide(Logger.layer([])),
  )
  const unpacked = unpackImage(folder, image)
  const channel = await unpacked
    .then(() => Effect.runPromise(opening))
    .catch(async (error: unknown) => {
      await end()
      await removeTemporaryFolder(folder)
      throw error
    })
  return {
    config: { kind: "pglite", folder: "", sync: false },
    ...served(channel, pgliteServices),
    close: async () => {
      await end()
      await removeTemporaryFolder(folder)
    },
    pack: async () => {
      await end()
      return pack(folder)
    },
  }
}

export const databaseAt = (admin: string, name: string): string => {
  const url = new URL(admin)
  url.pathname = `/${name}`
  return url.href
}

/** The driver is loaded only where it is used. */
const driver = () => import("../db/postgres/postgres.ts")

/** Runs a statement on the server itself, to make and drop databases. */
export const administer = async (admin: string, sql: string) => {
  const { postgresLayer } = await driver()
  return Effect.runPromise(
    Database.use((database) => database.query(sql)).pipe(
      // A database is copied and synced to disk while other tests do the same.
      Effect.provide(postgresLayer(admin, { size: 1, readers: 1, statementMs: 60_000 })),
      Effect.provide(Logger.layer([])),
    ),
  )
}

/** As many as a server opens. To empty large tables may take longer than a statement of a server may. */
const connections = { statementMs: 60_000 }

export const openPostgres = async (admin: string): Promise<OpenedDatabase> => {
  const { postgresChannel, postgresServices } = await driver()
  const name = `parley_${randomBytes(6).toString("hex")}`
  await administer(admin, `create database ${name}`)
  const url = databaseAt(admin, name)
  const scope = await Effect.runPromise(Scope.make())
  const drop = async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await administer(admin, `drop database ${name} with (force)`)
  }
  const channel = await Effect.runPromise(
    postgresChannel(url, connections).pipe(Scope.provide(scope), Effect.provide(Logger.layer([]))),
  ).catch(async (error: unknown) => {
    await drop()
    throw error
  })
  return {
    config: { kind: "postgres", url },
    ...served(channel, postgresServices),
    close: drop,
    pack: async () => Promise.reject(new Error("only an embedded database becomes an image")),
  }
}
