/**
 * Places with a database and a folder for files, and the program there: servers, and commands beside or without them. Most
 * commands are run in this process: a process of their own has half a second more of the processor to do.
 */
import { join } from "node:path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Test } from "tap"
import type { DatabaseConfig } from "../../../src/config/config.ts"
import { type OperatorSettings, readCommand } from "../../../src/config/read-settings.ts"
import { leftOut } from "../../../src/db/archive/catalog-tables.ts"
import { openDatabase } from "../../../src/db/open/open-database.ts"
import { findFreePort } from "../../../src/testing/free-port.ts"
import { copyDemo, type DemoPlace, demoSecret, placeFlags } from "../../kit/demo-place.ts"
import { Program } from "../../kit/program.ts"
import { type Outcome, runCommand } from "../../kit/run-command.ts"
import { adminUrl, createFolder, createPostgresDatabase, openLayer, until } from "../../kit/test-database.ts"

export type Kind = DatabaseConfig["kind"]

/** The database of this run. */
export const ownKind: Kind = adminUrl === undefined ? "pglite" : "postgres"

export interface Place {
  readonly kind: Kind
  readonly folder: string
  readonly config: DatabaseConfig
  /** Serves in development mode until the test ends. */
  readonly serve: (port: number) => Promise<Program>
  /** Starts a command, and ends it with the test. */
  readonly start: (args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) => Program
  /** Those that the program has there. */
  readonly settings: () => OperatorSettings
  /** Runs a command to its end, in this process. */
  readonly run: (args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) => Promise<Outcome>
  /** The same in a process of its own. */
  readonly runApart: Place["run"]
}

const endOf = async (program: Program): Promise<Outcome> => {
  const { code } = await program.ended
  return { code, out: program.out, err: program.err }
}

const placeAt = (t: Test, place: DemoPlace): Place => {
  const { folder, databaseUrl } = place
  const config: DatabaseConfig =
    databaseUrl === undefined
      ? { kind: "pglite", folder: join(folder, "database"), sync: false }
      : { kind: "postgres", url: databaseUrl }
  const flags = placeFlags(place)
  const secret = { PARLEY_SECRET: demoSecret }
  const start: Place["start"] = (args, env = {}) => new Program(t, [...args, ...flags], { ...secret, ...env })
  return {
    kind: config.kind,
    folder,
    config,
    start,
    settings: () => {
      const command = Result.getOrThrow(readCommand(secret, flags))
      if (command._tag !== "Serve") throw new Error("these are no settings of a server")
      return command.settings
    },
    run: (args, env = {}) => runCommand([...args, ...flags], { ...secret, ...env }),
    runApart: (args, env) => endOf(start(args, env)),
    serve: async (port) => {
      const program = start(["--port", String(port)])
      // It says so when it serves; asking it meanwhile would slow its start.
      await until("it is ready", 180_000, () => {
        if (!program.isRunning) throw new Error(program.err)
        return program.isServing
      })
      return program
    },
  }
}

/** An empty one. */
export const makePlace = async (t: Test, kind: Kind = ownKind): Promise<Place> => {
  const folder = await createFolder(t)
  if (kind === "pglite" || adminUrl === undefined) return placeAt(t, { folder, databaseUrl: undefined })
  return placeAt(t, { folder, databaseUrl: await createPostgresDatabase(t, adminUrl) })
}

/** One with the demo organization, on the database of this run. */
export const makeDemoPlace = async (t: Test): Promise<Place> => placeAt(t, await copyDemo(t))

export { findFreePort }

const readTables = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ name: Schema.String })))

/** What a restore makes anew. */
const renewed: Readonly<Record<string, string>> = { realm: "epoch", realm_lock: "holder" }

/** All rows of all tables that a backup has, each table's in an order that is the same for both databases. */
export const rowsOf = async (t: Test, { config }: Place): Promise<Readonly<Record<string, ReadonlyArray<string>>>> => {
  const { query, close } = await openLayer(t, openDatabase(config))
  const tables = readTables(await query("select tablename::text as name from pg_tables where schemaname = 'public'"))
  const found: Record<string, ReadonlyArray<string>> = {}
  for (const { name } of tables) {
    if (Object.hasOwn(leftOut, name)) continue
    const without = renewed[name]
    const rows = await query(
      `select (to_jsonb(t) ${without === undefined ? "" : `- '${without}'`})::text as row from "${name}" as t`,
    )
    found[name] = rows.map(({ row }) => String(row)).sort()
  }
  await close()
  return found
}

type Rows = Awaited<ReturnType<typeof rowsOf>>

/** That a place has the rows of another. */
export const checkSame = async (t: Test, before: Rows, other: Place, moreMessagesThan = 10) => {
  const after = await rowsOf(t, other)
  t.same(Object.keys(after).sort(), Object.keys(before).sort())
  t.ok((before["message"]?.length ?? 0) > moreMessagesThan)
  for (const [table, rows] of Object.entries(before)) t.same(after[table], rows, table)
}
