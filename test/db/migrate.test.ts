/** Bringing a database to the program's version, and its SQL functions to their newest text. */
import { readFile } from "node:fs/promises"
import t from "tap"
import { migrate } from "../../src/db/migrate.ts"
import { type Migrations, readMigrations } from "../../src/db/migrations.ts"
import { openDatabase } from "../../src/db/open.ts"
import { packageFile } from "../../src/db/package-root.ts"
import { createDatabase, openLayer } from "../kit/test-database.ts"

t.test("migrations", async (t) => {
  const { database, query, run, script } = await openLayer(t, openDatabase(await createDatabase(t)))
  const emptied = "drop schema public cascade; create schema public"

  await t.test("a database is brought to each version in turn, whole or not at all", async (t) => {
    const old: Migrations = {
      schema: "create table fruits (id int primary key); insert into fruits values (1);",
      steps: [],
    }
    const next: Migrations = {
      schema: "create table fruits (id int primary key, name text not null default 'apple');",
      steps: [
        { version: 2, name: "002-name.sql", sql: "alter table fruits add column name text; -- and fill it\n" },
        {
          version: 3,
          name: "003-required.sql",
          sql: "update fruits set name = 'apple'; alter table fruits alter column name set not null",
        },
      ],
    }
    const broken: Migrations = {
      schema: next.schema,
      steps: [...next.steps, { version: 4, name: "004-bad.sql", sql: "create table half (); select 1 / 0;" }],
    }
    const ask = {
      name: "ask.sql",
      sql: "create or replace function ask_1() returns int language sql as 'select answer_1()';",
    }
    const answer = (value: number) => ({
      name: "it's/answer.sql",
      sql: `create or replace function answer_1() returns int language sql as 'select ${value}'; -- done`,
    })
    await run(migrate(old, [ask, answer(42)]))
    t.match(await query("select ask_1() as value"), [{ value: 42 }], "functions call each other whatever the order")
    const before = database.statements()
    await run(migrate(old, [ask, answer(42)]))
    t.equal(database.statements() - before, 3, "a database that is up to date takes three queries")
    await run(migrate(old, [ask, answer(43)]))
    t.match(await query("select ask_1() as value"), [{ value: 43 }], "a changed text is created again")

    await run(migrate(next, []))
    t.match(await query("select id, name from fruits"), [{ id: 1, name: "apple" }])
    t.match(await query("select max(version) as version from schema_migrations"), [{ version: 3 }])
    await t.rejects(run(migrate(broken, [])), { name: "DatabaseUnusable", message: /004-bad\.sql: division by zero/ })
    t.match(await query("select to_regclass('half') as half, max(version) as version from schema_migrations"), [
      { half: null, version: 3 },
    ])
    await t.rejects(run(migrate(old, [])), { name: "DatabaseUnusable", message: /version 3, made by a newer program/ })
  })

  await t.test("a database of the first schema becomes what the newest schema makes", async (t) => {
    const newest = await readMigrations()
    const first: Migrations = { schema: await readFile(packageFile("test/kit/schema-001.sql"), "utf8"), steps: [] }
    const shape = async () => [
      await query(`select table_name, column_name, data_type, is_nullable, column_default
      from information_schema.columns where table_schema = 'public' order by table_name, column_name`),
      await query("select indexdef from pg_indexes where schemaname = 'public' order by indexdef"),
    ]
    await script(emptied)
    await run(migrate(first, []))
    await script(`insert into realm values (1, 'test.example', 'e', 0, '{}');
    insert into account (realm_id, id, email, full_name, joined_at) values (1, 1, 'hamlet@test.example', 'Hamlet', 0)`)
    await run(migrate(newest, []))
    const migrated = await shape()
    t.match(await query("select full_name, settings::text as settings, must_reset_password from account"), [
      { full_name: "Hamlet", settings: "{}", must_reset_password: false },
    ])
    await script(emptied)
    await run(migrate(newest, []))
    t.same(migrated, await shape())
    t.ok(
      migrated.flat().some((column) => column["table_name"] === "schema_migrations"),
      "the version is recorded",
    )
  })
})
