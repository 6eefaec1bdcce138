/** Databases that are lent to one server after the other: its servers share the connections of a database on PostgreSQL. */
import * as Effect from "effect/Effect"
import t, { type Test } from "tap"
import { Database } from "../../src/db/database.ts"
import { type LentDatabase, LentDatabases } from "../../src/testing/lent-databases.ts"
import { administer, adminUrl, until } from "../kit/test-database.ts"

const lending = (t: Test): LentDatabases => {
  const databases = new LentDatabases({ admin: adminUrl })
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
  t.same(second.config, first.config)
  t.match(await ask(second, countRows), { value: [{ n: 0 }] })
  const third = await databases.lend(null)
  t.match(await ask(third, addRealm), { _tag: "Success" })
  t.match(await ask(second, countRows), { value: [{ n: 0 }] }, "two that are lent at once know nothing of each other")
})

t.test("servers share the connections of their database", { skip: adminUrl === undefined }, async (t) => {
  const lent = await lending(t).lend(null)
  const sessions =
    "select string_agg(pid::text, ' ' order by pid) as n from pg_stat_activity where datname = current_database()"
  const first = await ask(lent, sessions)
  t.match(first, { value: [{ n: /^\d+( \d+)+$/ }] })
  t.same(await ask(lent, sessions), first)
})

t.test("one whose connections were lost is not lent again", { skip: adminUrl === undefined }, async (t) => {
  const databases = lending(t)
  const first = await databases.lend(null)
  const { config } = first
  if (config.kind !== "postgres" || adminUrl === undefined) return t.fail("it is on PostgreSQL")
  const name = new URL(config.url).pathname.slice(1)
  await administer(adminUrl, `alter database ${name} allow_connections false`)
  await administer(adminUrl, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  await until("the loss is seen", 5_000, async () => (await ask(first, countRows))._tag === "Failure")
  first.giveBack()
  const second = await databases.lend(null)
  t.not(second.config, first.config)
  t.match(await ask(second, countRows), { value: [{ n: 0 }] })
})
