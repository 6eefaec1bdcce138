/**
 * One PGlite for the servers of a test file, lent to one at a time and emptied in between: opening one takes a second
 * of processor time. Every start gets a `Database` of its own on it, with a new holder, as a restarted server does.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import tap, { type Test } from "tap"
import type { AppOptions } from "../../src/app.ts"
import type { DatabaseConfig } from "../../src/config.ts"
import { readyImage, unpackImage } from "../../src/db/image.ts"
import { migrated, openMigratedDatabase, readFiles } from "../../src/db/open.ts"
import { pgliteChannel, pgliteServices } from "../../src/db/pglite.ts"
import { type Channel, Scripts } from "../../src/db/statement.ts"
import { adminUrl, createPostgresDatabase } from "./test-database.ts"

const empty = `do $$ begin
  execute (select 'truncate ' || string_agg(quote_ident(tablename), ', ') || ' restart identity' from pg_tables
    where schemaname = 'public' and tablename not in ('schema_migrations', 'schema_functions'));
  insert into server_state default values;
end $$`

interface Lent {
  readonly channel: Channel
  free: boolean
}

const all: Array<Lent> = []

const open = async (): Promise<Lent> => {
  const folder = await mkdtemp(join(tmpdir(), "parley-test-"))
  await unpackImage(folder, readyImage)
  const scope = await Effect.runPromise(Scope.make())
  const opening = pgliteChannel(folder).pipe(Scope.provide(scope), Effect.provide(Logger.layer([])))
  const lent: Lent = { channel: await Effect.runPromise(opening), free: true }
  tap.teardown(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await rm(folder, { recursive: true, force: true })
  })
  all.push(lent)
  return lent
}

/** An empty, migrated database until the test ends. `furtherSql`: paths of functions that only the test has. */
const borrowPglite = async (t: Test, furtherSql: ReadonlyArray<string>) => {
  const lent = all.find(({ free }) => free) ?? (await open())
  lent.free = false
  t.teardown(() => {
    lent.free = true
  })
  const services = Layer.syncContext(() => pgliteServices(lent.channel))
  await Effect.runPromise(Scripts.use((scripts) => scripts.run(empty)).pipe(Effect.provide(services)))
  return migrated(readFiles(furtherSql)).pipe(Layer.provideMerge(services))
}

/** For a server of a test: an empty database, on PostgreSQL one of its own. */
export const testDatabase = async (
  t: Test,
  furtherSql: ReadonlyArray<string> = [],
): Promise<{ readonly database: DatabaseConfig; readonly layer: NonNullable<AppOptions["database"]> }> => {
  if (adminUrl === undefined)
    return { database: { kind: "pglite", folder: "" }, layer: await borrowPglite(t, furtherSql) }
  const database: DatabaseConfig = { kind: "postgres", url: await createPostgresDatabase(t, adminUrl) }
  return { database, layer: openMigratedDatabase(database, furtherSql) }
}
