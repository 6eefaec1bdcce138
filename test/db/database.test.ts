/** The database contract on both drivers, and what opens a database: holding it, preparing it, migrating it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import t from "tap"
import { prepareFolder } from "../../src/db/image.ts"
import { migrate } from "../../src/db/migrate.ts"
import { type Migrations, readMigrations } from "../../src/db/migrations.ts"
import { openDatabase } from "../../src/db/open.ts"
import { packageFile } from "../../src/db/package-root.ts"
import { pgliteLayer, temporaryPgliteLayer } from "../../src/db/pglite.ts"
import { adminUrl, createDatabase, createFolder, openLayer, until } from "../kit/test-database.ts"

t.test("values come back as they went in, alike on both databases", async (t) => {
  const { query } = await openLayer(t, openDatabase(await createDatabase(t)))
  const text = `it's "quoted" \\ back\nslash\ttab ü 漢字 😀`
  const [row] = await query(
    `select $1::text as text, $2::int8 as big, $3::bool as yes, $4::text as nothing, $5::text::jsonb as json,
       $6::float8 as fraction, (select count(*) from generate_series(1, 3)) as count, $7::jsonb as plain_json,
       timestamptz '2024-02-03 04:05:06.789Z' as time, 12.50::numeric as numeric, array[1, 2] as numbers,
       array['a'] as texts, '\\x00ff'::bytea as bytes, false as no, 7::int2 as small`,
    [text, 2 ** 45, true, null, JSON.stringify({ a: [1, "é", null] }), 0.1, '["x"]'],
  )
  t.match(row, {
    text,
    big: 2 ** 45,
    yes: true,
    no: false,
    nothing: null,
    json: { a: [1, "é", null] },
    plain_json: ["x"],
    fraction: 0.1,
    count: 3,
    time: new Date("2024-02-03T04:05:06.789Z"),
    numeric: "12.50",
    numbers: "{1,2}",
    texts: "{a}",
    small: 7,
  })
  const bytes = row?.["bytes"]
  t.ok(bytes instanceof Uint8Array && Buffer.from(bytes).equals(Buffer.from([0, 255])), "bytea is bytes")
  const list = await query("select value::int as n from jsonb_array_elements_text($1::text::jsonb)", ["[3,1,2]"])
  t.same(
    list.map((each) => each["n"]),
    [3, 1, 2],
    "lists travel as JSON text",
  )
  t.same(await query("select 1 as n where false"), [], "no rows are no rows")
  t.match(await query("select $1::text as a, $2::text as b, $3::int as c", [1.5, false, "42"]), [
    { a: "1.5", b: "false", c: 42 },
  ])
  const long = "x".repeat(3_000_000)
  const [echo] = await query("select $1::text as long", [long])
  t.equal(echo?.["long"], long, "3 MB pass")
})

t.test("a refused statement says why and leaves the database usable", async (t) => {
  const { database, query, write } = await openLayer(t, openDatabase(await createDatabase(t)))
  await query("create table things (id int primary key, at timestamptz default clock_timestamp())")
  t.match(await write("insert into things values ($1) returning id", [1]), [{ id: 1 }])
  await t.rejects(write("insert into things values ($1) returning id", [1]), { name: "Rejected", code: "23505" })
  await t.rejects(write("selec"), { name: "Rejected", code: "42601" })
  await t.rejects(write("select $1::int as n", ["no number"]), { name: "Rejected", code: "22P02" })
  await t.rejects(write("select $1::text as n", ["a\u0000b"]), { name: "Rejected", code: "22021" })
  await t.rejects(write("delete from things where id = 5 returning id"), { name: "Uncertain" }, "no row is no answer")
  const exit = await Effect.runPromiseExit(database.query("select no_such_column"))
  t.ok(Exit.isFailure(exit) && exit.cause.reasons.every((reason) => reason._tag === "Die"), "a bad query is a defect")
  t.match(await query("select count(*) as n from things"), [{ n: 1 }])
  t.equal(database.up(), true)
})

t.test("statements are counted, many at once are all answered, and each server has its own name", async (t) => {
  const { database, query } = await openLayer(t, openDatabase(await createDatabase(t)))
  const before = database.statements()
  const answers = await Promise.all(Array.from({ length: 300 }, (_, n) => query("select $1::int as n", [n])))
  t.same(
    answers.map(([row]) => row?.["n"]),
    Array.from({ length: 300 }, (_, n) => n),
  )
  t.equal(database.statements() - before, 300)
  t.equal(database.kind, adminUrl === undefined ? "pglite" : "postgres")
  t.match(database.holder, /^[0-9a-f-]{36}$/)
  t.match(await query("show transaction_isolation"), [{ transaction_isolation: "read committed" }])
})

t.test("a second server on the same database is refused, and may follow when the first one is gone", async (t) => {
  const config = await createDatabase(t)
  const first = await openLayer(t, openDatabase(config))
  await t.rejects(openLayer(t, openDatabase(config)), { name: "DatabaseHeld", message: /^Another server is using .+$/ })
  t.match(await first.query("select 1 as still"), [{ still: 1 }])
  await first.close()
  const second = await openLayer(t, openDatabase(config))
  t.match(await second.query("select 1 as now"), [{ now: 1 }])
  t.not(second.database.holder, first.database.holder)
})

t.test("migrations", async (t) => {
  const config = await createDatabase(t)
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
  const { database, query, run } = await openLayer(t, openDatabase(config))

  await run(migrate(old, [ask, answer(42)]))
  t.match(await query("select ask_1() as value"), [{ value: 42 }], "functions call each other whatever the order")
  const before = database.statements()
  await run(migrate(old, [ask, answer(42)]))
  t.equal(database.statements() - before, 3, "nothing to do takes three questions")
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

t.test("the program's own schema is accepted", async (t) => {
  const migrations = await readMigrations()
  const { query, run } = await openLayer(t, openDatabase(await createDatabase(t)))
  await run(migrate(migrations, []))
  const [row] = await query(
    "select count(*) as n from information_schema.tables where table_name = 'schema_migrations'",
  )
  t.equal(row?.["n"], 1)
})

t.test("a database of the first schema becomes what the newest one makes", async (t) => {
  const newest = await readMigrations()
  const first: Migrations = { schema: await readFile(packageFile("test/kit/schema-001.sql"), "utf8"), steps: [] }
  const open = async () => openLayer(t, openDatabase(await createDatabase(t)))
  const [old, fresh] = [await open(), await open()]
  await old.run(migrate(first, []))
  await old.script(`insert into realm values (1, 'test.example', 'e', 0, '{}');
    insert into account (realm_id, id, email, full_name, joined_at) values (1, 1, 'hamlet@test.example', 'Hamlet', 0)`)
  await old.run(migrate(newest, []))
  await fresh.run(migrate(newest, []))
  const columns = `select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns
    where table_schema = 'public' order by table_name, column_name`
  t.same(await old.query(columns), await fresh.query(columns))
  const indexes = "select indexdef from pg_indexes where schemaname = 'public' order by indexdef"
  t.same(await old.query(indexes), await fresh.query(indexes))
  t.match(await old.query("select full_name, settings::text as settings, must_reset_password from account"), [
    { full_name: "Hamlet", settings: "{}", must_reset_password: false },
  ])
})

t.test("PGlite", { skip: adminUrl === undefined ? false : "this run is on PostgreSQL" }, async (t) => {
  await t.test("a killed server's folder can be opened at once, with every acknowledged row", async (t) => {
    const folder = await createFolder(t)
    for (let round = 1; round <= 2; round++) {
      const child = spawn(process.execPath, [
        fileURLToPath(new URL("./hold-child.js", import.meta.url)),
        join(folder, `${round}`),
      ])
      t.teardown(() => void child.kill("SIGKILL"))
      const lines = createInterface({ input: child.stdout })
      let acknowledged = 0
      lines.on("line", (line) => {
        acknowledged = Number(line)
      })
      await until("the child has written", 20_000, () => acknowledged >= 20 * round)
      await t.rejects(openLayer(t, openDatabase({ kind: "pglite", folder: join(folder, `${round}`) })), {
        name: "DatabaseHeld",
      })
      const began = performance.now()
      child.kill("SIGKILL")
      const opening = openLayer(t, openDatabase({ kind: "pglite", folder: join(folder, `${round}`) }))
      await once(child, "close")
      const { query, close } = await opening
      t.comment(`open ${Math.round(performance.now() - began)} ms after the kill, ${acknowledged} rows acknowledged`)
      const [row] = await query("select count(*) as n, max(n) as last from acknowledged")
      t.ok(Number(row?.["last"]) >= acknowledged, "nothing acknowledged is missing")
      t.equal(row?.["n"], row?.["last"], "and nothing in between")
      await close()
    }
  })

  await t.test("a leftover file of any kind never refuses a start", async (t) => {
    const folder = await createFolder(t)
    await writeFile(join(folder, "hold.sock"), "left by somebody")
    const { query, close } = await openLayer(t, openDatabase({ kind: "pglite", folder }))
    t.match(await query("select 1 as n"), [{ n: 1 }])
    await close()
    t.notOk((await readdir(folder)).includes("hold.sock"), "and a clean stop leaves none")
  })

  await t.test("a folder is prepared whole or not at all", async (t) => {
    const parent = await createFolder(t)
    const folder = join(parent, "cluster")
    await prepareFolder(join(parent, "stranger"))
    await prepareFolder(`${folder}.new-not-ours`)
    await writeFile(join(parent, ".cluster.new-123456"), "half made")
    await prepareFolder(folder)
    await prepareFolder(join(parent, "slow"), join(parent, "no-image"))
    t.same((await readdir(parent)).sort(), ["cluster", "cluster.new-not-ours", "slow", "stranger"])
    t.ok((await readdir(join(parent, "slow"))).includes("PG_VERSION"), "without the image it takes longer")
    t.ok((await readdir(folder)).includes("PG_VERSION"), "the image was there")
    const { script, query, close } = await openLayer(t, pgliteLayer(folder))
    await script("create table kept (n int); insert into kept values (1)")
    await close()
    await prepareFolder(folder)
    const again = await openLayer(t, pgliteLayer(folder))
    t.match(await again.query("select n from kept"), [{ n: 1 }], "a folder with a cluster in it is left alone")
    t.match(await query("select 1").catch((error: unknown) => error), { name: "Unavailable" }, "closed is closed")
  })

  await t.test("a damaged folder is refused with one line", async (t) => {
    const folder = await createFolder(t)
    await prepareFolder(join(folder, "cluster"))
    await writeFile(join(folder, "cluster", "global", "pg_control"), "")
    await t.rejects(openLayer(t, openDatabase({ kind: "pglite", folder })), {
      name: "DatabaseUnusable",
      message: /^The database in .+ cannot be opened: .+$/,
    })
    const file = join(folder, "file")
    await writeFile(file, "")
    await t.rejects(openLayer(t, openDatabase({ kind: "pglite", folder: file })), { name: "DatabaseUnusable" })
  })

  await t.test("a thread that ends takes what was in flight with it and is replaced within a second", async (t) => {
    const threads: Array<Worker> = []
    const layer = temporaryPgliteLayer({ onWorker: (worker) => threads.push(worker) })
    const { database, query, write } = await openLayer(t, layer)
    await query("create table marks (n int primary key)")
    await write("insert into marks values (0) returning n")
    const lost = write("insert into marks select count(*) from generate_series(1, 30000000) returning n")
    const asked = query("select 1 as n")
    const lostFails = t.rejects(lost, { name: "Uncertain" })
    const askedFails = t.rejects(asked, { name: "Unavailable" })
    await threads[0]?.terminate()
    await Promise.all([lostFails, askedFails])
    t.equal(database.up(), false)
    await t.rejects(write("insert into marks values (1) returning n"), { name: "Unavailable" })
    t.comment(`up again after ${Math.round(await until("it is up again", 5_000, () => database.up()))} ms`)
    t.match(await query("select n from marks order by n"), [{ n: 0 }])
  })

  await t.test("a thread that falls silent is replaced", async (t) => {
    const { database, query, write } = await openLayer(t, temporaryPgliteLayer({ silenceMs: 300 }))
    const stuck = write("select count(*) as n from generate_series(1, 2000000000)")
    await t.rejects(stuck, { name: "Uncertain" })
    await until("it is up again", 5_000, () => database.up())
    t.match(await query("select 1 as n"), [{ n: 1 }])
  })

  await t.test("the log of changes is checkpointed away", async (t) => {
    const { query } = await openLayer(t, temporaryPgliteLayer())
    await query("create table bulk (n int, filler text)")
    for (let i = 0; i < 200; i++) {
      await query("insert into bulk select g, repeat('x', 2000) from generate_series(1, 400) g")
    }
    const [row] = await query("select sum(size)::int8 / 1048576 as megabytes from pg_ls_waldir()")
    const [since] = await query(
      "select ((pg_current_wal_insert_lsn() - redo_lsn) / 1048576)::int8 as megabytes from pg_control_checkpoint()",
    )
    t.ok(Number(since?.["megabytes"]) < 128, `at most two limits of WAL to replay: ${since?.["megabytes"]} MB`)
    t.comment(`${row?.["megabytes"]} MB of WAL files`)
    await until("a pause is used for the rest", 5_000, async () => {
      await new Promise((resolve) => setTimeout(resolve, 150))
      const [rest] = await query(
        "select (pg_current_wal_insert_lsn() - redo_lsn)::float8 < 9 * 1048576 as done from pg_control_checkpoint()",
      )
      return rest?.["done"] === true
    })
  })

  await t.test("two layers of one program are two databases", async (t) => {
    const both = await Promise.all([
      openLayer(t, temporaryPgliteLayer()),
      openLayer(t, Layer.fresh(temporaryPgliteLayer())),
    ])
    await both[0].query("create table here (n int)")
    t.match(await both[1].query("select to_regclass('here') as here"), [{ here: null }])
  })
})
