/** Bringing a database to the program's version while others serve it. */
import t from "tap"
import { openDatabase } from "../../../src/db/open/open-database.ts"
import { functionFile } from "../../../src/db/sql/function-files.ts"
import { migrate } from "../../../src/db/sql/migrate.ts"
import { migrateBeside } from "../../../src/db/sql/migrate-beside.ts"
import type { Migrations } from "../../../src/db/sql/migrations.ts"
import { createDatabase, openLayer, until } from "../../kit/test-database.ts"

const schema = `create table fruits (id int primary key);
  create table server_state (speaks int not null); insert into server_state values (1);`
const old: Migrations = { schema, steps: [] }
const named = { version: 2, name: "002-name.sql", sql: "alter table fruits add column name text" }
const next: Migrations = { schema, steps: [named] }
const answers = (value: number) =>
  functionFile("answer.sql", `create or replace function answer_1() returns int language sql as 'select ${value}';`)

const isPostgres = process.env["PARLEY_TEST_DATABASE_URL"] !== undefined

t.test("steps and functions beside others", async (t) => {
  const { query, run, script } = await openLayer(t, openDatabase(await createDatabase(t)))
  const answer = async () => (await query("select answer_1() as value"))[0]?.["value"]
  const version = async () => (await query("select max(version) as version from schema_migrations"))[0]?.["version"]
  await run(migrate(old, [answers(1)]))

  await run(migrateBeside(next, [answers(2)]))
  t.same([await version(), await answer()], [2, 2], "a newer program brings its step and its functions")
  await run(migrateBeside(old, [answers(1)]))
  t.same([await version(), await answer()], [2, 2], "an older one joins, and leaves both as they are")
  await t.rejects(run(migrateBeside(next, [answers(3)])), {
    message: "Other processes serve this database with another program of the same version (2): end them all first",
  })
  t.equal(await answer(), 2, "two programs of one version would take it from each other")

  await script("update server_state set speaks = 2")
  await t.rejects(run(migrateBeside(old, [answers(1)])), {
    name: "DatabaseUnusable",
    message:
      /^A newer program serves the database \(version 2\), and this one \(1\) may not any more: start the newer one$/,
  })

  const alone = {
    version: 3,
    name: "003-gone.sql",
    sql: "-- alone: programs read it\ndrop table fruits",
    isAlone: true,
  }
  const further = { version: 4, name: "004-sort.sql", sql: "alter table fruits add column sort text" }
  await t.rejects(run(migrateBeside({ schema, steps: [named, alone, further] }, [answers(3)])), {
    name: "DatabaseUnusable",
    message: "Other processes serve this database, and cannot go on beside the step 003-gone.sql: end them all first",
  })
  t.same([await version(), await answer()], [2, 2], "nothing of it is done")
  const broken = { version: 3, name: "003-bad.sql", sql: "select 1 / 0" }
  await t.rejects(run(migrateBeside({ schema, steps: [named, broken] }, [])), {
    message: "The database refuses migration 003-bad.sql with the functions: division by zero",
  })
  const good = { ...broken, sql: "select 1" }
  const bad = functionFile("bad.sql", "create or replace function bad_1() returns int language nothing as ''")
  await t.rejects(run(migrateBeside({ schema, steps: [named, good] }, [answers(3), bad])), {
    message: 'The database refuses migration 003-bad.sql with the functions: language "nothing" does not exist',
  })
  t.same([await version(), await answer()], [2, 2], "a version is never there without its functions")
  await run(migrateBeside({ schema, steps: [named, good] }, [answers(3)]))
  t.same([await version(), await answer()], [3, 3], "who comes next brings both")
})

t.test("a step waits for whoever works on its table, and nobody waits behind it for long", async (t) => {
  if (!isPostgres) return void t.pass("the embedded database has one process")
  const config = await createDatabase(t)
  const { query, run } = await openLayer(t, openDatabase(config))
  if (config.kind !== "postgres") return
  const { postgresLayer } = await import("../../../src/db/postgres/postgres.ts")
  const other = await openLayer(t, postgresLayer(config.url))
  await run(migrate(old, []))
  const third = await openLayer(t, postgresLayer(config.url))
  const holder = await openLayer(t, postgresLayer(config.url, { size: 1 }))
  await holder.query("select pg_advisory_lock(1)")
  const working = other.script("lock table fruits in share mode; select pg_advisory_xact_lock(1)")
  const waits = `select count(*)::int as n from pg_locks where relation = 'fruits'::regclass and granted and mode = 'ShareLock'`
  await until("the table is worked on", 2000, async () => (await query(waits))[0]?.["n"] === 1)
  const migrated = run(migrateBeside(next, []))
  const asks = `select count(*)::int as n from pg_locks where relation = 'fruits'::regclass and not granted`
  await until("the step waits", 3000, async () => (await query(asks))[0]?.["n"] === 1)
  let isRead = false
  const reading = third.query("select from fruits").then(() => {
    isRead = true
  })
  await until("who only reads does not wait behind it until the work is done", 20_000, async () => isRead)
  await holder.query("select pg_advisory_unlock(1)")
  await Promise.all([migrated, working, reading])
  t.match(await query("select max(version) as version from schema_migrations"), [{ version: 2 }])
})
