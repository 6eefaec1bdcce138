/** Databases that are lent to one server after the other: all servers on one have the same sessions. */

import type { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import t, { type Test } from "tap"
import { Database } from "../../src/db/database.ts"
import { type LentDatabase, LentDatabases } from "../../src/testing/lent-databases.ts"
import { inTurn } from "../kit/share.ts"
import { administer, adminUrl, until } from "../kit/test-database.ts"

const lending = (t: Test, onWorker?: (thread: Worker) => void): LentDatabases => {
  const databases = new LentDatabases({ admin: adminUrl, onWorker })
  t.teardown(() => databases.close())
  return databases
}

/** What a server's start on a lent database would be answered. */
const ask = ({ layerOf }: LentDatabase, sql: string) =>
  Effect.runPromise(Database.use((database) => database.query(sql)).pipe(Effect.provide(layerOf([])), Effect.exit))

const countRows = "select count(*)::integer as n from realm"
const addRealm = "insert into realm (id, host, epoch, created_at, settings) values (7, 'of-a-test', 'e', 0, '{}')"

t.test("a database is lent again without the rows of the one before", async (t) => {
  const databases = lending(t)
  const first = await databases.lend(null)
  t.match(await ask(first, addRealm), { _tag: "Success" })
  t.match(await ask(first, countRows), { value: [{ n: 1 }] })
  first.giveBack()
  const second = await databases.lend(null)
  t.equal(second.config, first.config, "it is the same one")
  t.match(await ask(second, countRows), { value: [{ n: 0 }] })
  const third = await databases.lend(null)
  t.match(await ask(third, addRealm), { _tag: "Success" })
  t.match(await ask(second, countRows), { value: [{ n: 0 }] }, "two that are lent at once know nothing of each other")
})

t.test(
  "a server has the sessions of the one before it",
  inTurn(2, "a server has the sessions of the one before it"),
  async (t) => {
    const lent = await lending(t).lend(null)
    // Such a table goes with the session that has made it.
    t.match(await ask(lent, "create temporary table mark ()"), { _tag: "Success" })
    const sessions = `select (select count(*)::integer from pg_class where relname = 'mark') as marks,
    array(select pid from pg_stat_activity where datname = current_database() order by pid)::text as pids`
    const first = await ask(lent, sessions)
    t.match(first, { value: [{ marks: 1 }] })
    t.same(await ask(lent, sessions), first)
  },
)

/** Ends what does the statements of a lent database: its thread, or its connections. */
const lose = async ({ config }: LentDatabase, thread: Worker | undefined): Promise<void> => {
  await thread?.terminate()
  if (config.kind === "pglite" || adminUrl === undefined) return
  const name = new URL(config.url).pathname.slice(1)
  // Else it would be connected again at once.
  await administer(adminUrl, `alter database ${name} allow_connections false`)
  await administer(adminUrl, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
}

t.test(
  "one whose sessions were lost is not lent again",
  inTurn(2, "one whose sessions were lost is not lent again"),
  async (t) => {
    const threads: Array<Worker> = []
    const databases = lending(t, (thread) => threads.push(thread))
    const first = await databases.lend(null)
    t.equal(threads.length, first.config.kind === "pglite" ? 1 : 0)
    await lose(first, threads[0])
    await until("the loss is seen", 5_000, async () => (await ask(first, countRows))._tag === "Failure")
    first.giveBack()
    const second = await databases.lend(null)
    t.not(second.config, first.config)
    t.match(await ask(second, countRows), { value: [{ n: 0 }] })
  },
)
