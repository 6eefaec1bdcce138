/** Copies of an embedded database that is written meanwhile: what opens is the database as a crash at one moment leaves it. */
import { existsSync } from "node:fs"
import { mkdir, readdir, rm, writeFile } from "node:fs/promises"
import type { Worker } from "node:worker_threads"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import t, { type Test } from "tap"
import { Database } from "../../../src/db/database.ts"
import {
  copiedCluster,
  copyFolder,
  copyUnopened,
  openDatabase,
  openToRead,
} from "../../../src/db/open/open-database.ts"
import { copyCluster } from "../../../src/db/pglite/copy-cluster.ts"
import { pgliteChannel, pgliteLayer, pgliteServices } from "../../../src/db/pglite/pglite.ts"
import { prepareFolder } from "../../../src/db/pglite/pglite-image.ts"
import { sinceCheckpoint } from "../../../src/db/pglite/since-checkpoint.ts"
import { inTurn, some } from "../../kit/share.ts"
import { adminUrl, createFolder, openLayer, until } from "../../kit/test-database.ts"

/** They open the embedded database whatever a run is on: the run on PGlite tries them, and once is enough. */
const onPglite = { skip: adminUrl === undefined ? false : "this run is on PostgreSQL" }
const inTurnOnPglite = (name: string) => (adminUrl === undefined ? inTurn(2, name) : onPglite)

const makeConfig = async (t: Test) => {
  const config = { kind: "pglite", folder: await createFolder(t), sync: false } as const
  await mkdir(copyFolder(config))
  return config
}

type Config = Awaited<ReturnType<typeof makeConfig>>

const openCopy = (t: Test, config: Config) => openLayer(t, openToRead({ ...config, folder: copyFolder(config) }))

t.test("a copy beside a writer has each commit up to one moment, and nothing after it", onPglite, async (t) => {
  const config = await makeConfig(t)
  const source = await openLayer(t, openDatabase(config))
  await source.script(`create table total (one boolean primary key, n int not null);
    insert into total values (true, 0);
    create table counted (n int primary key, pad text not null);
    create index counted_pad on counted (pad);
    create table filler as select n, repeat(md5(n::text), 200) as text from generate_series(1, 4000) as n;`)
  let [answered, isOver] = [0, false]
  const write = async () => {
    isOver = false
    while (!isOver) {
      const [row] = await source.write(`with next as (update total set n = n + 1 returning n)
        insert into counted select n, md5(n::text) || repeat('x', 2000) from next returning n`)
      answered = Number(row?.["n"])
    }
  }
  const { copy } = source.database
  if (copy === undefined) throw new Error("the embedded database has no copies")
  for (const at of some([100, 300, 500], 3, "copies beside a writer")) {
    const writing = write()
    await until("it is written", 60_000, () => answered > at)
    const before = answered
    await Effect.runPromise(copy(copiedCluster(config)))
    const sent = answered + 1
    // Nothing is to be seen of a writer while the copy is opened.
    isOver = true
    await writing
    const copied = await openCopy(t, config)
    const [row] = await copied.query(`select (select n from total) as total, count(*)::int as rows, max(n) as last,
      (select count(*)::int from counted where pad > '') as found, (select count(*)::int from filler) as filler from counted`)
    t.same(row, {
      total: row?.["total"],
      rows: row?.["total"],
      last: row?.["total"],
      found: row?.["total"],
      filler: 4000,
    })
    t.ok(Number(row?.["total"]) >= before, `has the ${before} commits that were answered before it began`)
    t.ok(Number(row?.["total"]) <= sent, "has none that were sent after it")
    await copied.close()
  }
  t.equal(source.database.kind, "pglite")
})

t.test(
  "a copy of a database that nobody has open, and none while somebody has",
  inTurnOnPglite("unopened"),
  async (t) => {
    const config = await makeConfig(t)
    const source = await openLayer(t, openDatabase(config))
    await source.script("create table fruits as select 'apple' as name")
    await t.rejects(Effect.runPromise(copyUnopened(config)), { name: "DatabaseHeld" })
    await source.close()
    const before = await readdir(config.folder)
    await Effect.runPromise(copyUnopened(config))
    const copied = await openCopy(t, config)
    t.match(await copied.query("select name from fruits"), [{ name: "apple" }])
    t.same(await readdir(config.folder), before, "the folder is as it was")
  },
)

t.test("the end of the database's thread ends a copy, of which nothing stays", inTurnOnPglite("ended"), async (t) => {
  const config = await makeConfig(t)
  const cluster = `${config.folder}/cluster`
  await prepareFolder(cluster, { sync: false })
  let worker: Worker | undefined
  const onWorker = (made: Worker) => {
    worker ??= made
  }
  const { database, script } = await openLayer(t, pgliteLayer(cluster, { sync: false, onWorker }))
  await script("create table filler as select n, repeat(md5(n::text), 200) as text from generate_series(1, 4000) as n")
  const { copy } = database
  if (copy === undefined) throw new Error("the embedded database has no copies")
  const copying = Effect.runPromise(copy(copiedCluster(config)))
  const ended = t.rejects(copying, { name: "Unavailable" })
  await until("the copy has begun", 10_000, () => existsSync(`${copiedCluster(config)}/base`))
  await worker?.terminate()
  await ended
  t.notOk(existsSync(copiedCluster(config)))
})

t.test(
  "no checkpoint is done while the files are held, and the next one when they are not",
  inTurnOnPglite("held"),
  async (t) => {
    const cluster = `${(await makeConfig(t)).folder}/cluster`
    await prepareFolder(cluster, { sync: false })
    let thread: Worker | undefined
    const onWorker = (made: Worker) => {
      thread ??= made
    }
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const channel = yield* pgliteChannel(cluster, { sync: false, onWorker })
          const database = Context.get(pgliteServices(channel), Database)
          const ask = (sql: string) => Effect.runPromise(database.query(sql))
          const checkpoint = async () =>
            (await ask("select redo_lsn::text as at from pg_control_checkpoint()"))[0]?.["at"]
          /** Several times the log after which there is a checkpoint else. */
          const write = async () => {
            for (let n = 0; n < 48; n++) await ask("insert into long values (repeat('x', 640000))")
          }
          yield* Effect.promise(() => ask("create table long (text text)"))
          // As it is: else it would be compressed before it is written.
          yield* Effect.promise(() => ask("alter table long alter text set storage external"))
          const { signal } = new AbortController()
          if (thread === undefined) throw new Error("there is no thread")
          const held = { thread, send: channel.send, signal }
          const before = yield* Effect.promise(checkpoint)
          let during: unknown
          yield* Effect.promise(() =>
            sinceCheckpoint(held, async () => {
              during = await checkpoint()
              await write()
              t.equal(await checkpoint(), during)
            }),
          )
          t.not(during, before, "it begins with one")
          yield* Effect.promise(write)
          t.not(yield* Effect.promise(checkpoint), during)
        }),
      ),
    )
  },
)

t.test("one that is interrupted has ended before the next one begins", inTurnOnPglite("interrupted"), async (t) => {
  const config = await makeConfig(t)
  const source = await openLayer(t, openDatabase(config))
  await source.script(
    "create table filler as select n, repeat(md5(n::text), 200) as text from generate_series(1, 4000) as n",
  )
  const { copy } = source.database
  if (copy === undefined) throw new Error("the embedded database has no copies")
  const first = Effect.runFork(copy(copiedCluster(config)))
  await until("the copy has begun", 10_000, () => existsSync(`${copiedCluster(config)}/base`))
  const interrupted = Effect.runPromise(Fiber.interrupt(first)).then(() => existsSync(copiedCluster(config)))
  t.notOk(await interrupted, "who interrupts it waits until its files are gone")
  const aborted = Effect.runFork(copy(copiedCluster(config)))
  const next = Effect.runPromise(copy(copiedCluster(config)))
  await Effect.runPromise(Fiber.interrupt(aborted))
  await next
  const copied = await openCopy(t, config)
  t.match(await copied.query("select count(*)::int as rows from filler where text > ''"), [{ rows: 4000 }])
})

t.test("a disk that fills meanwhile ends a copy, and so does a copy's folder that goes away", async (t) => {
  const [from, to] = [await createFolder(t), `${await createFolder(t)}/copy`]
  await mkdir(`${from}/pg_wal`)
  for (const name of ["a", "b", "c"]) await writeFile(`${from}/${name}`, name)
  const { signal } = new AbortController()
  const gigabyte = 1024 ** 3
  let looks = 0
  const filling = copyCluster(from, to, signal, async () => (++looks > 2 ? 200 * 1024 * 1024 : gigabyte))
  await t.rejects(filling, { message: /has room for 200 MB by now, and 256 MB must stay free$/ })
  t.notOk(existsSync(to))
  const little = copyCluster(from, to, signal, async () => 200 * 1024 * 1024)
  await t.rejects(little, { message: /has room for 200 MB, and a copy needs 257 MB$/ })
  const losing = copyCluster(from, to, signal, async () => {
    await rm(to, { recursive: true, force: true })
    return gigabyte
  })
  await t.rejects(losing, { code: "ENOENT" })
  let asked = 0
  await copyCluster(from, to, signal, async () => {
    // Before all, before the first file, before the second.
    if (++asked === 3) await rm(`${from}/b`)
    return gigabyte
  })
  t.same((await readdir(to)).sort(), ["a", "c", "pg_wal"], "a file that the database has dropped is left out")
})
