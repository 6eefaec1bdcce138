/** The interface of database.ts, alike on both drivers. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import t from "tap"
import type { Parameter } from "../../src/db/database.ts"
import { openDatabase } from "../../src/db/open/open-database.ts"
import { mostKept } from "../../src/db/pglite/prepared-statements.ts"
import { adminUrl, createDatabase, openLayer } from "../kit/test-database.ts"

t.test("the database that this run is on", async (t) => {
  const { database, query, write, script } = await openLayer(t, openDatabase(await createDatabase(t)))

  await t.test("values come back as they went in, alike on both databases", async (t) => {
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

  await t.test(
    "no plan is compiled, which takes longer than running it",
    { skip: adminUrl === undefined },
    async (t) => {
      t.same(await query("select current_setting('jit') as jit"), [{ jit: "off" }])
    },
  )

  await t.test("reads of users give way: what the server writes is not behind them", async (t) => {
    const order: Array<string> = []
    const slow = "select count(*) as n from generate_series(1, 200000)"
    const note = (name: string) => () => void order.push(name)
    const reads = Array.from({ length: 12 }, () => Effect.runPromise(database.read(slow)).then(note("read")))
    await write("select 1 as n").then(note("write"))
    await Promise.all(reads)
    // As many as are sent at a time may have begun before.
    t.ok(order.indexOf("write") <= database.readsAtOnce, order.join(" "))
    t.equal(order.length, 13)
  })

  await t.test("reads of users go on while the server writes without a pause", async (t) => {
    const mostWrites = 20_000
    let writes = 0
    let isOver = false
    const keepWriting = async () => {
      for (; !isOver && writes < mostWrites; writes++) await write("select 1 as n")
    }
    // Enough that the embedded database never has all of them behind it.
    const writers = Array.from({ length: 300 }, keepWriting)
    // The first may find that none has been done for long.
    for (let n = 0; n < 3; n++) await Effect.runPromise(database.read("select 1 as n"))
    isOver = true
    t.ok(writes < mostWrites, `after ${writes} writes`)
    await Promise.all(writers)
  })

  await t.test("a refused statement says why and leaves the database usable", async (t) => {
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

  await t.test("reads with a plan for all values are answered like others", async (t) => {
    const read = (sql: string, parameters?: ReadonlyArray<Parameter>) =>
      Effect.runPromise(database.read(sql, parameters, "generic"))
    await query("create table counted (id int primary key, name text)")
    await query("insert into counted select n, case when n % 2 = 0 then 'even' end from generate_series(1, 1000) n")
    const named = "select id, name from counted where id = $1::int"
    for (const id of [1, 2, 1000, 1])
      t.same(await read(named, [id]), [{ id, name: id % 2 === 0 ? "even" : null }], `the values are those of ${id}`)
    t.same(await read(named, [1001]), [], "no rows are no rows")
    const divided = "select 6 / $1::int as share, '{\"a\":[1]}'::json as json, 5000000000 as big"
    const exit = await Effect.runPromiseExit(database.read(divided, [0], "generic"))
    t.ok(Exit.isFailure(exit) && exit.cause.reasons.every((reason) => reason._tag === "Die"), "it may be refused")
    t.same(await read(divided, [2]), [{ share: 3, json: { a: [1] }, big: 5_000_000_000 }], "and asked again")
    const wrong = await Effect.runPromiseExit(database.read("select no_such_column", [], "generic"))
    t.ok(Exit.isFailure(wrong) && wrong.cause.reasons.every((reason) => reason._tag === "Die"), "a bad one is a defect")
    const answers = await Promise.all(Array.from({ length: 300 }, (_, n) => read(`select ${n} + $1::int as n`, [1])))
    t.same(
      answers.map(([row]) => row?.["n"]),
      Array.from({ length: 300 }, (_, n) => n + 1),
      "so many texts that not all are kept",
    )
    t.same(await read("select 0 + $1::int as n", [5]), [{ n: 5 }], "one that is not kept any more is prepared anew")
    t.same(await read(named, [4]), [{ id: 4, name: "even" }])
    t.same(await query("select current_setting('plan_cache_mode') as mode"), [{ mode: "auto" }], "others are as before")
    if (database.kind === "postgres") return
    const [kept] = await query(
      "select count(*) as count, bool_or(custom_plans > 0) as custom from pg_prepared_statements",
    )
    t.ok(Number(kept?.["count"]) <= mostKept, `${kept?.["count"]} are kept`)
    t.equal(kept?.["custom"], false, "none is planned for the values of one execution")
    await script("alter table counted alter column name type int using id")
    t.same(await read(named, [4]), [{ id: 4, name: 4 }], "a table is not what it was when the statement was prepared")
  })

  await t.test("300 statements at once are all answered and counted", async (t) => {
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
})
