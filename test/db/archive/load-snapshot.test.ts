/** Rows of one database that become those of another: all or none, and those of older versions too. */
import { randomUUID } from "node:crypto"
import type { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import t, { type Test } from "tap"
import { Unavailable } from "../../../src/api/errors.ts"
import type { DatabaseConfig } from "../../../src/config/config.ts"
import { leftOut } from "../../../src/db/archive/catalog-tables.ts"
import { beginSnapshotLoad } from "../../../src/db/archive/load-snapshot.ts"
import { type SnapshotContents, takeSnapshot } from "../../../src/db/archive/snapshot.ts"
import type { DatabaseShape } from "../../../src/db/database.ts"
import { openDatabase, openMigratedDatabase } from "../../../src/db/open/open-database.ts"
import { pgliteLayer } from "../../../src/db/pglite/pglite.ts"
import { prepareFolder, readyImage } from "../../../src/db/pglite/pglite-image.ts"
import { migrate } from "../../../src/db/sql/migrate.ts"
import { newestVersion, readMigrations } from "../../../src/db/sql/migrations.ts"
import { inTurn } from "../../kit/share.ts"
import { administer, adminUrl, createDatabase, openLayer, until } from "../../kit/test-database.ts"

type Opened = Awaited<ReturnType<typeof openLayer>>

const isForTransaction = true

const openNew = async (t: Test): Promise<Opened> =>
  openLayer(t, openMigratedDatabase(await createDatabase(t), [], { isForTransaction }))

/** All that a snapshot has, and rows of a table. */
const readAll = (opened: Opened) =>
  opened.run(
    Effect.gen(function* () {
      const snapshot = yield* takeSnapshot(opened.database)
      const rows = new Map<string, ReadonlyArray<string>>()
      for (const table of snapshot.contents.tables)
        yield* snapshot.read(table, (read) =>
          Effect.sync(() => rows.set(table.name, [...(rows.get(table.name) ?? []), ...read])),
        )
      return { contents: snapshot.contents, rows }
    }),
  )

const begin = async (target: Opened, contents: SnapshotContents) => {
  const migrations = await readMigrations()
  return target.run(beginSnapshotLoad(target.database, migrations, contents, randomUUID()))
}

const load = async (target: Opened, contents: SnapshotContents, rows: ReadonlyMap<string, ReadonlyArray<string>>) => {
  const loading = await begin(target, contents)
  for (const [table, each] of rows) await target.run(loading.add(table, each))
  await target.run(loading.finish)
}

const someRows = `
  insert into realm (id, host, epoch, created_at, settings) values (1, 'test.example', 'before', 0, '{"name": null, "n": 1e3}');
  insert into account (realm_id, id, email, email_folded, full_name, joined_at, password_hash)
    select 1, n, n || '@a', n || '@a', E'N "\\\\ \\n\\t' || n, 0, case when n > 1 then 'null' end from generate_series(1, 1203) as n;
  insert into device_token values (1, 1, 'apns', '\\x00ff0a', E'a\\nb', null, 7);
  insert into read_ranges values (1, 1, 2, 0, '{[1,5),[9,12)}');
  insert into message_search values (1, 1, 'a:1 ''b c'':2', null);
  insert into search_word values (1, 2, 0, 'ä', '{1,2,3}');
  insert into outbox (realm_id, kind, payload, added_at, due_at, next_at) values (1, 'k', 'null', 0, 0, 0), (1, 'k', '"t"', 0, 0, 0);
  delete from outbox where payload = '"t"';
  update server_state set ran_for = 12345, secret_fingerprint = 'salt.hash';`

/** A database with these rows, and all that was read of it: each test loads them into one of its own. */
const opening = (async () => {
  const source = await openNew(t)
  await source.script(someRows)
  return { source, ...(await readAll(source)) }
})()

t.test("rows of every type come out as they went in, and numbers go on", async (t) => {
  const { contents, rows } = await opening
  t.match(contents, {
    ranFor: 12345,
    secretFingerprint: "salt.hash",
    realms: [{ id: 1, host: "test.example", position: 0 }],
  })
  const target = await openNew(t)
  await load(target, contents, rows)
  const again = await readAll(target)
  for (const [table, each] of rows) if (table !== "realm") t.same(again.rows.get(table), each, table)
  t.match(
    await target.query(
      "select host, epoch = 'before' as same, settings::text as settings, ran_for, trust from realm, server_state",
    ),
    [{ host: "test.example", same: false, settings: '{"n": 1000, "name": null}', ran_for: 12345, trust: "" }],
  )
  await target.query("rollback")
  const added = await target.query(
    "insert into outbox (realm_id, kind, payload, added_at, due_at, next_at) values (1, 'k', '1', 0, 0, 0) returning id",
  )
  t.same(added, [{ id: 3 }], "an id that was given before is not given again")
})

t.test("each table is read, or named as left out", async (t) => {
  const { source, contents } = await opening
  const named = [...contents.tables.map(({ name }) => name), ...Object.keys(leftOut)].sort()
  const there = await source.query("select tablename::text as name from pg_tables where schemaname = 'public'")
  t.same(named, there.map(({ name }) => String(name)).sort())
})

t.test("what does not fit is refused, and nothing of it stays", inTurn(2, "rows that do not fit"), async (t) => {
  const { source, contents, rows } = await opening
  await t.rejects(begin(source, contents), {
    name: "DatabaseUnusable",
    message: /^The database is not empty \(there are rows in [\w, ]*account/,
  })
  const target = await openNew(t)
  const [first, ...others] = contents.tables
  if (first === undefined) throw new Error("there are no tables")
  const odd = {
    ...contents,
    tables: [{ ...first, columns: [{ name: "id); drop table realm; --", type: "integer" }] }, ...others],
  }
  await t.rejects(begin(target, odd), { name: "DatabaseUnusable", message: /not those of its version/ })
  await target.query("rollback")
  const loading = await begin(target, contents)
  await target.run(loading.add("realm", rows.get("realm") ?? []))
  await t.rejects(target.run(loading.add("account", ['["1"]'])), { name: "Unavailable" })
  await t.rejects(target.run(loading.add("event_queue", ["[]"])), {
    name: "DatabaseUnusable",
    message: /rows of no table: event_queue/,
  })
  await target.query("rollback")
  t.same(await target.query("select id from realm"), [])
})

/** Ends the connection, and waits for the next one. */
const loseConnection = async (config: DatabaseConfig, worker: Worker | undefined, { database }: Opened) => {
  // From now on: it is down for a moment only.
  const lost = until("the connection is lost", 20_000, () => !database.up())
  if (config.kind === "pglite") await worker?.terminate()
  else if (adminUrl !== undefined)
    await administer(
      adminUrl,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${new URL(config.url).pathname.slice(1)}'`,
    )
  await lost
  await until("there is another one", 20_000, database.up)
}

t.test(
  "a connection that is lost in the middle takes everything with it",
  inTurn(2, "connections lost while loading"),
  async (t) => {
    const { contents, rows } = await opening
    const config = await createDatabase(t)
    let worker: Worker | undefined
    const onWorker = (made: Worker) => {
      worker ??= made
    }
    const open = async () => {
      if (config.kind === "postgres") return openMigratedDatabase(config, [], { isForTransaction })
      await prepareFolder(`${config.folder}/cluster`, { sync: false, image: readyImage })
      return pgliteLayer(`${config.folder}/cluster`, { sync: false, upkeep: "checkpoints", onWorker })
    }
    const target = await openLayer(t, await open())
    const loading = await begin(target, contents)
    await target.run(loading.add("realm", rows.get("realm") ?? []))
    await loseConnection(config, worker, target)
    await t.rejects(target.run(loading.add("account", rows.get("account") ?? [])), {
      name: "Unavailable",
      reason: /lost/,
    })
    await t.rejects(target.run(loading.finish), { name: "Unavailable", reason: /lost/ })
    t.same(await target.query("select id from realm"), [])
  },
)

t.test(
  "tables of an older version are not made outside of the transaction",
  inTurn(2, "tables of an older version"),
  async (t) => {
    const { contents } = await opening
    const target = await openNew(t)
    // As if the connection had been lost after it, and opened again.
    const database: DatabaseShape = {
      ...target.database,
      query: (sql, parameters) => target.database.query(sql === "begin" ? "select 1" : sql, parameters),
    }
    const migrations = await readMigrations()
    const older = { ...contents, version: 1 }
    await t.rejects(target.run(beginSnapshotLoad(database, migrations, older, randomUUID())), {
      name: "Unavailable",
      reason: /lost/,
    })
    t.match(
      await target.query("select max(version) as version from schema_migrations"),
      [{ version: newestVersion(migrations) }],
      "its tables are there",
    )
  },
)

t.test(
  "a commit without an answer is told as one that may have been done",
  inTurn(2, "commits without an answer"),
  async (t) => {
    const { contents } = await opening
    const target = await openNew(t)
    const database: DatabaseShape = {
      ...target.database,
      query: (sql, parameters) =>
        sql === "commit"
          ? Effect.fail(new Unavailable({ reason: "it went away" }))
          : target.database.query(sql, parameters),
    }
    const loading = await target.run(beginSnapshotLoad(database, await readMigrations(), contents, randomUUID()))
    await t.rejects(target.run(loading.finish), {
      name: "Unavailable",
      reason: /^it went away; whether the rows are in is not known/,
    })
  },
)

t.test("rows of an older version are brought up to date", inTurn(2, "rows of an older version"), async (t) => {
  const migrations = await readMigrations()
  const { first = "", steps } = migrations
  const at = steps.findIndex(({ name }) => name.endsWith("-answers.sql"))
  const source = await openLayer(t, openDatabase(await createDatabase(t), undefined, { isForTransaction }))
  await source.run(migrate({ schema: first, steps: [] }, []))
  await source.run(migrate({ schema: first, steps: steps.slice(0, at) }, []))
  await source.script(`insert into realm (id, host, epoch, created_at, settings) values (1, 'old.example', 'e', 0, '{}');
    insert into account (realm_id, id, email, email_folded, full_name, joined_at, settings)
      values (1, 1, 'a@a', 'a@a', 'A', 0, '{"web_home_view":"recent"}')`)
  const { contents, rows } = await readAll(source)
  t.equal(contents.version, at + 1)
  const target = await openNew(t)
  await load(target, contents, rows)
  const { functions } = await import("../../../src/db/sql/built-sql.ts").then((built) => built.readBuiltSql())
  await target.run(migrate(migrations, functions))
  t.match(await target.query("select host, account.settings::text as settings from realm, account"), [
    { host: "old.example", settings: '{"web_home_view": "recent_topics"}' },
  ])
  t.match(await target.query("select max(version) as version from schema_migrations"), [
    { version: newestVersion(migrations) },
  ])
})
