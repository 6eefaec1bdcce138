/**
 * Another history of the database answers after a lost connection, as after a failover to a standby that lacks what was
 * committed last: what the server has in memory may never have happened there, so it ends.
 */
import { randomBytes } from "node:crypto"
import t from "tap"
import { administer, adminUrl, createPostgresDatabase, until } from "../kit/test-database.ts"
import { withServer } from "../kit/with-server.ts"

const skip = adminUrl === undefined ? "needs PostgreSQL: set PARLEY_TEST_DATABASE_URL" : false
const nameOf = (url: string): string => new URL(url).pathname.slice(1)

t.test("a server whose database is replaced by another one ends, and answers nothing of it", { skip }, async (t) => {
  // It went on, with rows in memory that the other database does not have.
  if (adminUrl === undefined) return
  const admin = adminUrl
  const [url, other] = [await createPostgresDatabase(t, admin), await createPostgresDatabase(t, admin)]
  const [own, away] = [nameOf(url), `parley_${randomBytes(6).toString("hex")}`]
  const run = (sql: string) => administer(admin, sql)
  const foreign: Array<string> = []
  const config = { database: { kind: "postgres", url } } as const
  await withServer(t, { config, onForeign: (why) => foreign.push(why) }, async (server) => {
    const hamlet = server.as("hamlet")
    t.equal((await hamlet.get("/users/me")).status, 200)
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${own}'`
    // Connections that are only lost come back.
    await run(end)
    await until("it is back", 10_000, async () => (await hamlet.get("/messages/1")).status !== 503)
    t.same(foreign, [])
    const closed = async () => {
      await run(`alter database ${own} allow_connections false`)
      await run(end)
    }
    await closed()
    await run(`alter database ${own} rename to ${away}`)
    await run(`alter database ${nameOf(other)} rename to ${own}`)
    await until("it ends", 10_000, () => foreign.length > 0)
    t.match(foreign, [/^another history of the database answers than before/])
    t.equal((await hamlet.get("/messages/1")).status, 503, "nothing is asked of the other one")
    // The lock's connection looks for it still.
    await closed()
    await run(`alter database ${own} rename to ${nameOf(other)}`)
    await run(`alter database ${away} rename to ${own}`)
    await run(`alter database ${own} allow_connections true`)
  })
})
