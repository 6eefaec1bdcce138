/**
 * Databases that the tests of a process reuse: each is lent to one server at a time and reset in between, because
 * opening one takes a second of processor time, resetting it a hundredth. A reset database holds only the cast
 * (cast.ts). Every start of a server gets a `Database` of its own on it, with a new holder, as a restarted server does.
 */
import { randomBytes } from "node:crypto"
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
import type { DatabaseConfig } from "../../src/config/config.ts"
import { migrated, openMigratedDatabase, readSql } from "../../src/db/open/open.ts"
import { readyImage, unpackImage } from "../../src/db/pglite/image.ts"
import { pgliteChannel, pgliteServices } from "../../src/db/pglite/pglite.ts"
import { postgresLayer } from "../../src/db/postgres/postgres.ts"
import { Scripts } from "../../src/db/statement.ts"
import { makeCast } from "./cast.ts"
import { manualClock } from "./manual-clock.ts"
import { startTestApp, testConfig } from "./test-app.ts"
import { administer, adminUrl, databaseAt } from "./test-database.ts"

/**
 * Tables are emptied by `delete`: `truncate` makes a new file for each table and index, which takes PGlite ten times as
 * long. What has grown large is truncated all the same, so that no later test walks over its dead rows.
 */
const clear = `
  delete from server_state;
  do $$
  declare
    name regclass;
    grown text;
  begin
    perform set_config('session_replication_role', 'replica', true);
    select string_agg(relation::text, ', ') filter (where pg_relation_size(relation) > 200000) into grown
      from beginning.test_table;
    if grown is not null then
      execute (select 'truncate ' || string_agg(relation::text, ', ') from beginning.test_table);
    else
      for name in select relation from beginning.test_table loop
        execute format('delete from %s', name);
      end loop;
    end if;
  end $$;
  insert into server_state default values;`

/** Saves the present rows for `restore`, and lists the program's tables except those with the schema's version. */
const keep = `
  create schema beginning;
  create view beginning.test_table as
    select format('public.%I', tablename)::regclass as relation, tablename as name from pg_tables
     where schemaname = 'public' and tablename not in ('schema_migrations', 'schema_functions', 'server_state');
  do $$
  declare
    name text;
  begin
    for name in select test_table.name from beginning.test_table loop
      execute format('create table beginning.%I as table public.%I', name, name);
    end loop;
  end $$`

const restore = `
  do $$
  declare
    name text;
  begin
    perform set_config('session_replication_role', 'replica', true);
    for name in select tablename from pg_tables where schemaname = 'beginning' loop
      execute format('insert into public.%I select * from beginning.%I', name, name);
    end loop;
  end $$`

interface Lent {
  readonly config: DatabaseConfig
  /** The database for one start of a server: brought to the program's version, with SQL that only the test has. */
  readonly layerOf: (furtherSql: ReadonlyArray<string>) => NonNullable<AppOptions["database"]>
  readonly script: (sql: string) => Promise<void>
  free: boolean
}

const all: Array<Lent> = []

const openPglite = async (): Promise<Lent> => {
  const folder = await mkdtemp(join(tmpdir(), "parley-test-"))
  await unpackImage(folder, readyImage)
  const scope = await Effect.runPromise(Scope.make())
  const opening = pgliteChannel(folder, { sync: false }).pipe(Scope.provide(scope), Effect.provide(Logger.layer([])))
  const channel = await Effect.runPromise(opening)
  tap.teardown(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await rm(folder, { recursive: true, force: true })
  })
  const services = () => Layer.syncContext(() => pgliteServices(channel))
  return {
    config: { kind: "pglite", folder: "", sync: false },
    layerOf: (furtherSql) => migrated(readSql(furtherSql)).pipe(Layer.provideMerge(services())),
    script: (sql) =>
      Effect.runPromise(Scripts.use((scripts) => scripts.run(sql)).pipe(Effect.asVoid, Effect.provide(services()))),
    free: false,
  }
}

const openPostgres = async (admin: string): Promise<Lent> => {
  const name = `parley_${randomBytes(6).toString("hex")}`
  await administer(admin, `create database ${name}`)
  tap.teardown(() => administer(admin, `drop database ${name} with (force)`))
  const url = databaseAt(admin, name)
  const config: DatabaseConfig = { kind: "postgres", url }
  const connection = postgresLayer(url, { size: 1, statementMs: 60_000 })
  return {
    config,
    layerOf: (furtherSql) => openMigratedDatabase(config, furtherSql),
    script: (sql) =>
      Effect.runPromise(Scripts.use((scripts) => scripts.run(sql)).pipe(Effect.asVoid, Effect.provide(connection))),
    free: false,
  }
}

/** Opens a database and puts the cast into it, by a server that is started and stopped as in a test. */
const open = async (): Promise<Lent> => {
  const lent = adminUrl === undefined ? await openPglite() : await openPostgres(adminUrl)
  const clock = manualClock()
  const { app, stop } = await startTestApp({
    config: testConfig(lent.config),
    clock,
    commitTime: () => clock.now(),
    onForeign: (why) => {
      throw new Error(`another server took the new database over: ${why}`)
    },
    database: lent.layerOf([]),
  })
  await Effect.runPromise(Effect.provide(makeCast(clock.now()), app.services))
  await stop()
  await lent.script(keep)
  all.push(lent)
  return lent
}

const lend = async (t: Test, furtherSql: ReadonlyArray<string>, sql: string) => {
  const lent = all.find(({ free }) => free) ?? (await open())
  lent.free = false
  t.teardown(() => {
    lent.free = true
  })
  await lent.script(sql)
  return { database: lent.config, layer: lent.layerOf(furtherSql) }
}

/** A database with the cast, until the test ends. `furtherSql`: paths of functions that only the test has. */
export const testDatabase = (t: Test, furtherSql: ReadonlyArray<string> = []) => lend(t, furtherSql, clear + restore)

/** A migrated database without any organization, until the test ends. */
export const emptyDatabase = (t: Test) => lend(t, [], clear)
