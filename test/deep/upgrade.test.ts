/**
 * Three processes are replaced by those of a next program, one after the other under load: every queue gets every event exactly
 * once and in order, nobody registers again, clients hear once of the new program; what it has new waits until no older process
 * is left, and then none is taken again.
 */
import t from "tap"
import type { ServerProcess } from "../faults/kill/server-process.ts"
import { runGroup, type Stage } from "../faults/processes/run-group.ts"
import { makeNextProgram } from "../faults/upgrade/next-program.ts"
import { emailOf } from "../kit/cast.ts"
import { request } from "../kit/client.ts"
import { adminUrl, createFolder, createPostgresDatabase, openLayer, until } from "../kit/test-database.ts"
import { timeout } from "./budget.ts"

const skip = adminUrl === undefined ? "needs PostgreSQL: set PARLEY_TEST_DATABASE_URL" : false

t.test("I1 I3 I4 I8 I9: processes are upgraded one after the other", { skip, timeout }, async (t) => {
  if (adminUrl === undefined) return
  const url = await createPostgresDatabase(t, adminUrl)
  const next = await makeNextProgram(t)
  const { postgresLayer } = await import("../../src/db/postgres/postgres.ts")
  const { query } = await openLayer(t, postgresLayer(url, { size: 1, readers: 1 }))
  const restarts = async () =>
    Number((await query("select count(*)::int as n from log where type = 'restart'"))[0]?.["n"])

  await runGroup(t, "upgrade", url, "notify", async ({ group, people }: Stage) => {
    const owner = people.find(({ email }) => email === emailOf("desdemona"))
    if (owner === undefined) return
    const path = "/realm/user_settings_defaults"
    const change = (server: ServerProcess, value: boolean) =>
      request(server.origin, "PATCH", path, { twenty_four_hour_time: value }, { account: owner })
    const before = await restarts()
    const [first, ...others] = group.servers
    if (first === undefined) return
    const upgrade = async (server: ServerProcess) => {
      await server.stop()
      await group.start(server, next.main)
    }
    await upgrade(first)
    for (const [n, server] of others.entries()) {
      t.match(await change(first, n === 0), { status: 503, body: { code: "UPGRADE_UNDER_WAY" } })
      t.match(await change(server, n === 0), { status: 200 }, "the older ones write what they know")
      t.equal(await restarts(), before, "clients do not hear of it yet")
      await upgrade(server)
    }
    await until("what is new is written", 20_000, async () => (await change(first, true)).status === 200)
    await until("clients are told", 20_000, async () => (await restarts()) > before)
    t.equal(await restarts(), before + 1, "once")
    t.match(group.tryOne(await createFolder(t)), {
      status: 2,
      stderr: /A newer program serves the database \(version \d+\), and this one/,
    })
    t.match(await query("select max(version) as version from schema_migrations"), [{ version: next.version }])
  })
  t.equal((await query("select count(*)::int as n from schema_functions where digest like 'next%'"))[0]?.["n"], 1)
})
