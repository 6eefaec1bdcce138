/**
 * The driver when PostgreSQL is lost: connections cut in the middle of statements, stalled,
 * refused, sessions ended, the lock's connection gone. The outcome that each write got must be true, and the database
 * must be used again soon after it can be reached. Any unhandled rejection fails the run by itself.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import t, { type Test } from "tap"
import type { Row } from "../../src/db/database.ts"
import { openDatabase } from "../../src/db/open/open-database.ts"
import { postgresLayer } from "../../src/db/postgres/postgres.ts"
import { openConnections } from "../../src/db/postgres/postgres-connections.ts"
import { startProxy } from "../../src/testing/fault-proxy.ts"
import { adminUrl, createPostgresDatabase, databaseAt, openLayer, until } from "../kit/test-database.ts"

type Opened = Awaited<ReturnType<typeof openLayer>>
interface Observer {
  readonly query: (sql: string) => Promise<ReadonlyArray<Row>>
}

/** A database with a table `marks`, reached directly and through a proxy. */
const proxied = async (t: Test, admin: string) => {
  const direct = new URL(await createPostgresDatabase(t, admin))
  const proxy = await startProxy(direct.hostname, Number(direct.port))
  t.teardown(() => proxy.close())
  // One session, that tests can tell from those of the database that they look at.
  const own = { url: direct.href, size: 1, openWithinMs: 5_000, statementMs: 10_000, onLost: () => {} }
  const session = await openConnections(own)
  t.teardown(session.end)
  const observer = { query: (sql: string) => session.run(sql, []) }
  await observer.query("create table marks (n int primary key)")
  const through = new URL(direct)
  through.hostname = "127.0.0.1"
  through.port = String(proxy.port)
  return { proxy, observer, direct: direct.href, url: through.href }
}

type Told = "done" | "Unavailable" | "Uncertain" | "Rejected"

const mark = async ({ database }: Opened, n: number): Promise<Told> => {
  const exit = await Effect.runPromiseExit(
    database.write("insert into marks select $1::int from pg_sleep(0.002) returning n", [n]),
  )
  if (Exit.isSuccess(exit)) return exit.value[0]?.["n"] === n ? "done" : "Rejected"
  const [reason] = exit.cause.reasons
  return reason?._tag === "Fail" ? reason.error._tag : "Rejected"
}

/** Compares the outcomes that writers got with the table, once no statement can still be running. */
const settled = async (observer: Observer, told: ReadonlyMap<number, Told>) => {
  await until("no session is at work any more", 10_000, async () => {
    const [row] = await observer.query(
      `select count(*) as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
         and state = 'active' and query like '%into marks%'`,
    )
    return row?.["n"] === 0
  })
  const stands = new Set((await observer.query("select n from marks")).map((row) => row["n"]))
  const count = { done: 0, Unavailable: 0, Uncertain: 0, Rejected: 0 }
  const lies: Array<string> = []
  for (const [n, outcome] of told) {
    count[outcome] += 1
    if (outcome === "done" && !stands.has(n)) lies.push(`${n} was done and is not there`)
    if (outcome === "Unavailable" && stands.has(n)) lies.push(`${n} was not done and is there`)
  }
  return { count, lies, stands }
}

/** Milliseconds; a quiet machine needs less than a fifth of it. */
const soon = 5_000

/** Milliseconds after `act` until a statement gets through. */
const backAfter = async (opened: Opened, act: () => unknown): Promise<number> => {
  await act()
  return until("a statement gets through", 10_000, () =>
    opened.query("select 1 as n").then(
      () => true,
      () => false,
    ),
  )
}

const suite = async (t: Test, admin: string) => {
  await t.test("40 cuts in the middle of statements", async (t) => {
    const { proxy, observer, url } = await proxied(t, admin)
    const through = await openLayer(t, postgresLayer(url, { size: 3, statementMs: 3_000 }))
    const told = new Map<number, Told>()
    let next = 0
    let running = true
    const writers = Array.from({ length: 6 }, async () => {
      while (running) {
        const n = next++
        const outcome = await mark(through, n)
        told.set(n, outcome)
        if (outcome !== "done") await new Promise((resolve) => setTimeout(resolve, 1))
      }
    })
    let slowest = 0
    for (let cut = 0; cut < 40; cut++) {
      const done = [...told.values()].filter((outcome) => outcome === "done").length
      await until(
        "writes succeed between cuts",
        5_000,
        () => [...told.values()].filter((outcome) => outcome === "done").length > done + 3,
      )
      // At another moment of a statement each time.
      await new Promise((resolve) => setTimeout(resolve, cut % 5))
      slowest = Math.max(slowest, await backAfter(through, proxy.cut))
    }
    running = false
    await Promise.all(writers)
    const { count, lies } = await settled(observer, told)
    t.comment(JSON.stringify(count), `slowest return ${Math.round(slowest)} ms`)
    t.same(lies, [])
    t.equal(count.Rejected, 0)
    t.ok(count.Uncertain >= 20, "cuts did hit statements")
    t.ok(slowest < soon, `the slowest return took ${Math.round(slowest)} ms`)
  })

  await t.test("a commit whose answer is lost is uncertain, and stands", async (t) => {
    const { proxy, observer, url } = await proxied(t, admin)
    const through = await openLayer(t, postgresLayer(url, { size: 2, readers: 1, statementMs: 5_000 }))
    // Prepared first, so that nothing has to come back before the statement runs.
    const told = new Map<number, Told>([
      [0, await mark(through, 0)],
      [1, await mark(through, 1)],
    ])
    const both = await Promise.all([mark(through, 2), mark(through, 3)])
    told.set(2, both[0]).set(3, both[1])
    proxy.stall("answers")
    const lost = mark(through, 4)
    await until(
      "it is committed",
      5_000,
      async () => (await observer.query("select n from marks where n = 4")).length === 1,
    )
    proxy.cut()
    proxy.resume()
    t.equal(await lost, "Uncertain")
    told.set(4, "Uncertain")
    t.same((await settled(observer, told)).lies, [])
  })

  await t.test(
    "the watchdog drops a stalled connection, and statements get through once bytes flow again",
    async (t) => {
      const { proxy, observer, url } = await proxied(t, admin)
      const through = await openLayer(t, postgresLayer(url, { size: 2, readers: 1, statementMs: 500 }))
      const told = new Map<number, Told>()
      proxy.stall()
      const began = performance.now()
      const outcomes = await Promise.all(Array.from({ length: 5 }, (_, n) => mark(through, n)))
      for (const [n, outcome] of outcomes.entries()) told.set(n, outcome)
      const took = performance.now() - began
      t.ok(took > 400 && took < soon, `the watchdog took ${Math.round(took)} ms`)
      t.same([...outcomes].sort(), ["Unavailable", "Unavailable", "Unavailable", "Uncertain", "Uncertain"])
      t.equal(through.database.up(), false)
      // Long enough for attempts to reopen to stall too.
      await until("attempts were made", 5_000, () => proxy.accepted() > 6)
      const back = await backAfter(through, proxy.resume)
      t.ok(back < soon, `back after ${Math.round(back)} ms`)
      told.set(9, await mark(through, 9))
      t.equal(told.get(9), "done")
      t.same((await settled(observer, told)).lies, [])
    },
  )

  await t.test("PostgreSQL refuses connections for a while", async (t) => {
    const { proxy, url } = await proxied(t, admin)
    let failed = 0
    const onFailedAttempt = () => {
      failed += 1
    }
    const through = await openLayer(t, postgresLayer(url, { size: 2, readers: 1, onFailedAttempt }))
    await proxy.refuse()
    proxy.cut()
    await until("it is known to be down", 1_000, () => !through.database.up())
    await until("two attempts to reopen were refused", 5_000, () => failed >= 2)
    t.equal(await mark(through, 1), "Unavailable")
    await t.rejects(through.query("select 1"), { name: "Unavailable" })
    const back = await backAfter(through, proxy.accept)
    t.ok(back < soon, `back after ${Math.round(back)} ms`)
    t.equal(through.database.up(), true)
    t.equal(proxy.connections(), 3, "and nothing of former attempts is left")
  })

  await t.test("a proxy that accepts and closes at once", async (t) => {
    const { observer, url, proxy } = await proxied(t, admin)
    const through = await openLayer(t, postgresLayer(url, { size: 2, readers: 1 }))
    const before = proxy.accepted()
    const cutting = setInterval(proxy.cut, 1)
    t.teardown(() => clearInterval(cutting))
    await until("several attempts were made", 10_000, () => proxy.accepted() > before + 8)
    t.ok(proxy.accepted() < before + 60, "at a bearable pace")
    clearInterval(cutting)
    const back = await backAfter(through, proxy.cut)
    t.ok(back < soon, `back after ${Math.round(back)} ms`)
    const [row] = await observer.query(
      "select count(*) as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    )
    t.equal(row?.["n"], 3, "no session is left over")
  })

  await t.test("sessions that an operator ends", async (t) => {
    const { observer, url } = await proxied(t, admin)
    const through = await openLayer(t, postgresLayer(url, { size: 2, readers: 1 }))
    const told = new Map<number, Told>()
    for (let n = 0; n < 8; n++) {
      const writing = Promise.all([mark(through, 2 * n), mark(through, 2 * n + 1)])
      const ended = observer.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      )
      const [one, other] = await writing
      told.set(2 * n, one).set(2 * n + 1, other)
      await ended
      await backAfter(through, () => undefined)
    }
    const { lies, count } = await settled(observer, told)
    t.same(lies, [])
    t.equal(count.Rejected, 0, "an ended session is no refusal")
  })

  await t.test("PostgreSQL gives up a long statement before the watchdog does", async (t) => {
    const { url, proxy } = await proxied(t, admin)
    const through = await openLayer(t, postgresLayer(url, { size: 1, readers: 1, statementMs: 2_500 }))
    // It gives up half a second earlier, which a busy machine does not take away.
    await t.rejects(through.write("select 1 as n from pg_sleep(10)"), {
      name: "Unavailable",
      reason: /statement timeout/,
    })
    t.equal(through.database.up(), true, "and the connection stays")
    await through.script("select pg_sleep(2.6)")
    t.equal(proxy.accepted(), 2, "scripts have longer")
  })

  await t.test(
    "the lock is taken again when its connection is lost, and never keeps the server from running",
    async (t) => {
      const { proxy, observer, url, direct } = await proxied(t, admin)
      const through = await openLayer(t, openDatabase({ kind: "postgres", url }))
      const locks = async () => {
        const [row] = await observer.query(
          `select count(*) as n from pg_locks where locktype = 'advisory'
           and database = (select oid from pg_database where datname = current_database())`,
        )
        return row?.["n"]
      }
      t.equal(await locks(), 1)
      await backAfter(through, proxy.cut)
      await until("the lock is held again", 5_000, async () => (await locks()) === 1)
      await t.rejects(openLayer(t, openDatabase({ kind: "postgres", url: direct })), { name: "DatabaseHeld" })
      await through.close()
      await until("the lock is free", 5_000, async () => (await locks()) === 0)
      t.equal(proxy.connections(), 0, "closing leaves no connection")
    },
  )

  await t.test("a database that cannot be used is reported in one line", async (t) => {
    const refused = async (url: string, message: RegExp) => {
      await t.rejects(openLayer(t, openDatabase({ kind: "postgres", url })), { name: "DatabaseUnusable", message })
    }
    await refused(
      databaseAt(admin, "no_such_database"),
      /^PostgreSQL at .*no_such_database refuses us: .*does not exist$/,
    )
    const stranger = new URL(admin)
    stranger.username = "nobody_we_know"
    stranger.password = "secret"
    await refused(stranger.href, /^(?!.*secret)PostgreSQL at .* refuses us: .*nobody_we_know.*$/)
    const proxy = await startProxy("127.0.0.1", 9)
    await proxy.close()
    await refused(
      `postgres://x:secret@127.0.0.1:${proxy.port}/y`,
      /^PostgreSQL at 127\.0\.0\.1:\d+\/y cannot be reached: .*ECONNREFUSED/,
    )
    await refused("postgres://x@[half", /^PostgreSQL at .* cannot be reached: /)
  })
}

const skip = adminUrl === undefined ? "needs PostgreSQL: set PARLEY_TEST_DATABASE_URL" : false
t.test("PostgreSQL is lost and comes back", { skip }, (t) => suite(t, adminUrl ?? ""))
