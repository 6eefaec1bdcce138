/** The embedded database with sync: a commit whose sync fails is never answered as done. */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { temporaryPgliteLayer } from "../../../src/db/pglite/pglite.ts"
import { adminUrl, openLayer, until } from "../../kit/test-database.ts"

/** The module with the file by which it breaks syncs: the environment would be that of all tests of the process. */
const failingWhile = (flag: string): string => {
  const failing = new URL("./failing-syncs.js", import.meta.url)
  failing.searchParams.set("flag", flag)
  return failing.href
}

const skip = adminUrl === undefined ? false : "this run is on PostgreSQL"

t.test("a sync that fails ends the thread, and the next one goes on with what is on the disk", { skip }, async (t) => {
  const flag = join(t.testdir(), "failing")
  const options = { sync: true, threadArguments: ["--import", failingWhile(flag)] }
  const { database, query, write } = await openLayer(t, temporaryPgliteLayer(options))
  t.match(await query("select current_setting('fsync') as fsync, current_setting('full_page_writes') as pages"), [
    { fsync: "on", pages: "on" },
  ])
  await query("create table marks (n int primary key)")
  await write("insert into marks values (0) returning n")
  const insert = "insert into marks values (1) returning n"
  // ESOMETHING stands for all that nobody thought of.
  for (const [code, statement] of [
    ["EIO", insert],
    ["ENOSPC", "checkpoint"],
    ["ESOMETHING", insert],
  ] as const) {
    writeFileSync(flag, code)
    await t.rejects(write(statement), { name: "Uncertain", reason: /fsync/ }, `${code}, ${statement}`)
    t.equal(database.up(), false)
    rmSync(flag)
    await until("it is open again", 20_000, () => database.up())
    await query("delete from marks where n > 0")
  }
  t.match(await query("select n from marks"), [{ n: 0 }])
})
