/** The embedded database: its thread is replaced when it is lost, and its write-ahead log is checkpointed away. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Worker } from "node:worker_threads"
import * as Layer from "effect/Layer"
import t from "tap"
import { temporaryPgliteLayer } from "../../../src/db/pglite/pglite.ts"
import { inTurn } from "../../kit/share.ts"
import { openLayer, until } from "../../kit/test-database.ts"

t.test("two embedded databases of one program", async (t) => {
  const threads: Array<Worker> = []
  const both = await Promise.all([
    openLayer(t, temporaryPgliteLayer({ onWorker: (worker) => threads.push(worker) })),
    openLayer(t, Layer.fresh(temporaryPgliteLayer({ silenceMs: 300 }))),
  ])
  const [{ database, query, write }, impatient] = both

  await t.test("are independent of each other", async (t) => {
    await query("create table here (n int)")
    // On a busy machine its thread may be too slow for so short a limit, and is replaced.
    const answers: Array<unknown> = []
    await until("a thread answers", 10_000, () =>
      impatient.query("select to_regclass('here') as here").then(
        ([row]) => answers.push(row?.["here"]) > 0,
        () => false,
      ),
    )
    t.same(answers, [null])
  })

  await t.test("files that cannot be written any more are a fault of the disk, which passes", async (t) => {
    // As PGlite does it for EROFS and EACCES.
    const raise = "begin raise insufficient_privilege using message = 'Read-only file system'; end"
    await query(`create function fail_to_write() returns int language plpgsql as $$ ${raise} $$`)
    const failure = { name: "Unavailable", code: "58030", reason: "Read-only file system" }
    await t.rejects(write("select fail_to_write() as n"), failure)
  })

  const log = inTurn(2, "150 MB of write-ahead log")
  await t.test("150 MB of write-ahead log are checkpointed away, and in a pause nearly all of it", log, async (t) => {
    const behind = "(pg_current_wal_insert_lsn() - redo_lsn)::float8 / 1048576"
    const megabytesBehind = async (): Promise<number> => {
      const [row] = await query(`select ${behind} as megabytes from pg_control_checkpoint()`)
      return Number(row?.["megabytes"])
    }
    const [began] = await query("select pg_current_wal_insert_lsn()::text as at")
    for (let statement = 0; statement < 150; statement++)
      await query("select pg_logical_emit_message(false, 'test', repeat('x', 1048576))")
    const [written] = await query("select ((pg_current_wal_insert_lsn() - $1::pg_lsn) / 1048576)::int8 as megabytes", [
      String(began?.["at"]),
    ])
    t.ok(Number(written?.["megabytes"]) >= 150, "so much was written")
    const left = await megabytesBehind()
    t.ok(left < 48, `at most thrice the limit is left for the next start: ${left} MB`)
    await until("a pause is used for the rest", 5_000, async () => {
      // Upkeep begins when nothing has been asked for 100 ms.
      await sleep(150)
      return (await megabytesBehind()) < 9
    })
  })

  await t.test("a thread that ends is replaced within a second; what was in flight is lost", async (t) => {
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

  await t.test("a thread that does not answer is replaced", async (t) => {
    const stuck = impatient.write("select count(*) as n from generate_series(1, 2000000000)")
    await t.rejects(stuck, { name: "Uncertain" })
    // On a busy machine the next thread may be too slow for so short a limit, too.
    await until("a thread answers", 10_000, () =>
      impatient.query("select 1 as n").then(
        ([row]) => row?.["n"] === 1,
        () => false,
      ),
    )
  })
})
