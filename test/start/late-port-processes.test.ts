/** One of several processes opens its port when it can serve: a proxy passes on what comes before, and nobody is refused. */
import t from "tap"
import { postgresLayer } from "../../src/db/postgres/postgres.ts"
import { findFreePort } from "../../src/testing/free-port.ts"
import { Program } from "../kit/program.ts"
import { ask } from "../kit/raw-http.ts"
import { adminUrl, createFolder, createPostgresDatabase, openLayer, until } from "../kit/test-database.ts"

const skip = adminUrl === undefined ? "needs PostgreSQL" : false
/** Held by whoever joins (db/postgres/postgres-session.ts). */
const joining = "1886413932, 1785686382"

t.test("until it has joined the others, its port is closed", { skip }, async (t) => {
  const [url, port] = [await createPostgresDatabase(t, adminUrl ?? ""), await findFreePort()]
  const { query } = await openLayer(t, postgresLayer(url, { size: 1, readers: 1 }))
  await query(`select pg_advisory_lock(${joining})`)
  const program = new Program(t, ["--port", String(port), "--data-dir", await createFolder(t)], {
    PARLEY_MODE: "production",
    PARLEY_SECRET: "a secret for this test only, and long enough",
    PARLEY_EXTERNAL_URL: "https://first.example",
    PARLEY_PROCESSES: "many",
    DATABASE_URL: url,
  })
  const asks = `select from pg_stat_activity where query like '%pg_try_advisory_lock(${joining})%' and pid <> pg_backend_pid()`
  await until("it waits until it may join", 30_000, async () => (await query(asks)).length > 0)
  t.equal(await ask(port, { path: "/health" }), undefined)
  await query(`select pg_advisory_unlock(${joining})`)
  await until("it serves", 30_000, async () => (await ask(port, { path: "/ready" }))?.status === 200)
  t.ok(program.isRunning)
})
