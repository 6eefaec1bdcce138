/** Bringing a database to the program's version, and its SQL functions to their newest text. */
import { readFile } from "node:fs/promises"
import * as Effect from "effect/Effect"
import t from "tap"
import { badCharacterAt, fold } from "../../../src/chat/ground/realm/domain-values.ts"
import { openDatabase } from "../../../src/db/open/open-database.ts"
import { packageFile } from "../../../src/db/package-root.ts"
import { functionFile, readAllFunctions } from "../../../src/db/sql/function-files.ts"
import { migrate } from "../../../src/db/sql/migrate.ts"
import { type Migrations, readMigrations } from "../../../src/db/sql/migrations.ts"
import { makeLog } from "../../../src/start/log.ts"
import { some } from "../../kit/share.ts"
import { createDatabase, openLayer } from "../../kit/test-database.ts"

/** The characters that a name may have, 256 in a text; then texts in which the neighbours of a character matter. */
const foldedTexts = (): ReadonlyArray<string> => {
  const characters = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code))
  const allowed = characters.filter((character) => badCharacterAt(character) === undefined)
  const texts = Array.from({ length: Math.ceil(allowed.length / 256) }, (_, n) =>
    allowed.slice(n * 256, (n + 1) * 256).join(""),
  )
  const special = ["ΟΔΟΣ", "Οδος", "ΣΣ σς", "İ", "I\u0307", "İ\u0307\u0307", "i\u0307", "ı", "ẞ ß SS", "STRASSE", ""]
  return [...some(texts, 8, "characters of names"), ...special]
}

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
    const ask = functionFile(
      "ask.sql",
      "create or replace function ask_1() returns int language sql as 'select answer_1()';",
    )
    const answer = (value: number) =>
      functionFile(
        "it's-answer.sql",
        `create or replace function answer_1() returns int language sql as 'select ${value}'; -- done`,
      )
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

  await t.test("the log says which migration runs, of how many, and how long it took", async (t) => {
    await script(emptied)
    const lines: Array<string> = []
    const { layer } = makeLog({ form: "text", level: "info", secrets: [], write: (line) => void lines.push(line) })
    const logged = (migrations: Migrations) => run(Effect.provide(migrate(migrations, []), layer))
    const first: Migrations = { schema: "create table fruits (id int primary key);", steps: [] }
    await logged(first)
    const steps = [
      { version: 2, name: "002-name.sql", sql: "alter table fruits add column name text" },
      { version: 3, name: "003-sort.sql", sql: "alter table fruits add column sort text" },
    ]
    t.same(lines, [], "a database that is made is none that is migrated")
    await logged({ ...first, steps })
    t.same(
      lines.map((line) =>
        line
          .replace(/^\S+ INFO +/, "")
          .replace(/\d+\.\d s\n$/, "N s")
          .trimEnd(),
      ),
      [
        "migration 1 of 2, 002-name.sql, runs",
        "migration 1 of 2, 002-name.sql, took N s",
        "migration 2 of 2, 003-sort.sql, runs",
        "migration 2 of 2, 003-sort.sql, took N s",
        "the tables are up to date, after N s",
      ],
    )
    await logged({ ...first, steps })
    t.equal(lines.length, 5, "an up-to-date one says nothing")
    await script(emptied)
  })

  await t.test("a file of functions that moves is not run anew", async (t) => {
    const newest = await readMigrations()
    const first = { schema: await readFile(packageFile("src/db/migrations/001-schema.sql"), "utf8"), steps: [] }
    const before: Migrations = { ...first, steps: newest.steps.slice(0, 24) }
    const functions = await readAllFunctions()
    const [doubled, changed] = functions
    if (doubled === undefined || changed === undefined) throw new Error("there are no functions")
    const told = () => query(`select name, digest, xmin::text as xmin from schema_functions order by name collate "C"`)
    await script(emptied)
    await run(migrate(first, []))
    await run(
      migrate(
        before,
        functions.map((file) => ({ ...file, name: `src/chat/${file.name}` })),
      ),
    )
    await script(`insert into schema_functions select replace(name, 'chat/', 'old/'), digest from schema_functions
      where name = 'src/chat/${doubled.name}';
      update schema_functions set digest = 'other' where name = 'src/chat/${changed.name}'`)
    await run(migrate(newest, functions))
    const [names, known] = [functions.map(({ name }) => name).sort(), await told()]
    t.same(
      known.map(({ name }) => name),
      names,
      "each is known by its name without folders",
    )
    const created = new Set([changed.name, doubled.name])
    const [own] = known.filter(({ name }) => name === changed.name)
    t.same(
      known.filter(({ xmin }) => xmin === own?.["xmin"]).map(({ name }) => name),
      names.filter((name) => created.has(name)),
      "only a changed one, and one that stood there twice, was created",
    )
    await run(migrate(newest, functions))
    t.same(await told(), known, "and none by the next start")
  })

  await t.test("start pages get the words of the API", async (t) => {
    const newest = await readMigrations()
    const first: Migrations = {
      schema: await readFile(packageFile("src/db/migrations/001-schema.sql"), "utf8"),
      steps: [],
    }
    const at = newest.steps.findIndex(({ name }) => name.endsWith("-answers.sql"))
    await script(emptied)
    await run(migrate(first, []))
    await run(migrate({ ...first, steps: newest.steps.slice(0, at) }, []))
    await script(`insert into realm values (1, 'test.example', 'e', 0, '{}');
      insert into account (realm_id, id, email, email_folded, full_name, joined_at, settings)
      select 1, n, n || '@test.example', n || '@test.example', 'N', 0, value::jsonb
        from unnest(array['{}', '{"web_home_view":"recent","color_scheme":2}', '{"web_home_view":"all"}',
                          '{"web_home_view":"inbox"}', '{"emojiset":"text"}']) with ordinality as each(value, n)`)
    await run(migrate(newest, []))
    t.same(
      (await query("select settings::text as settings from account order by id")).map(({ settings }) =>
        JSON.parse(String(settings)),
      ),
      [
        {},
        { web_home_view: "recent_topics", color_scheme: 2 },
        { web_home_view: "all_messages" },
        { web_home_view: "inbox" },
        { emojiset: "text" },
      ],
    )
  })

  await t.test("a database of the first schema becomes what the newest schema makes", async (t) => {
    const newest = await readMigrations()
    const first: Migrations = {
      schema: await readFile(packageFile("src/db/migrations/001-schema.sql"), "utf8"),
      steps: [],
    }
    const shape = async () => [
      await query(`select table_name, column_name, data_type, is_nullable, column_default, collation_name
      from information_schema.columns where table_schema = 'public' order by table_name, column_name`),
      await query("select indexdef from pg_indexes where schemaname = 'public' order by indexdef"),
    ]
    await script(emptied)
    await run(migrate(first, []))
    await script(`insert into realm values (1, 'test.example', 'e', 0, '{}');
    insert into account (realm_id, id, email, full_name, joined_at) values (1, 1, 'Hamlet@test.example', 'Hamlet', 0);
    insert into channel (realm_id, id, name, created_at, permissions) values (1, 1, 'ΟΔΟΣ', 0, '{}');
    insert into subscription_span (realm_id, channel_id, user_id, opened, closed) values (1, 1, 1, 5, 9), (1, 1, 1, 12, null)`)
    const texts = foldedTexts()
    await query(
      `insert into message (realm_id, id, sender_id, channel_id, channel_since, topic, content, rendered, client,
                            read_by_sender, sent_at)
       select 1, n, 1, 1, n, topic, '', '', '', true, 0
         from jsonb_array_elements_text($1::text::jsonb) with ordinality as each(topic, n)`,
      [JSON.stringify(texts)],
    )
    await run(migrate(newest, []))
    const migrated = await shape()
    t.match(
      await query("select full_name, settings::text as settings, must_reset_password, email_folded from account"),
      [{ full_name: "Hamlet", settings: "{}", must_reset_password: false, email_folded: "hamlet@test.example" }],
    )
    t.match(await query("select name, name_folded from channel"), [{ name: "ΟΔΟΣ", name_folded: fold("ΟΔΟΣ") }])
    t.match(await query("select opened, reads_from from subscription_span order by opened"), [
      { opened: 5, reads_from: 5 },
      { opened: 12, reads_from: 12 },
    ])
    const topics = await query("select topic, topic_folded from message order by id")
    t.same(
      topics.map(({ topic }) => topic),
      texts,
    )
    t.same(
      topics.filter(({ topic, topic_folded }) => topic_folded !== fold(String(topic))),
      [],
      "the migration folds every character as the program does",
    )
    await script(emptied)
    await run(migrate(newest, []))
    t.same(migrated, await shape())
    t.ok(
      migrated.flat().some((column) => column["table_name"] === "schema_migrations"),
      "the version is recorded",
    )
  })
})
