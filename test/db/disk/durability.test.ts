/** The mark that a power cut can have taken nothing, and what a start after another boot makes of it. */
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { openMigratedDatabase } from "../../../src/db/open.ts"
import { takeOver } from "../../../src/db/server-state.ts"
import { adminUrl, createFolder, openLayer } from "../../kit/test-database.ts"

const skip = adminUrl === undefined ? false : "this run is on PostgreSQL"

interface Start {
  readonly folder: string
  readonly sync: boolean
  /** Whether the machine was started since the last server, and whether that one was stopped or lost. */
  readonly reboots: boolean
  readonly lost?: boolean
}

/** Starts and stops a server's database; answers the epoch that the realm has then, and whether the mark was there. */
const start = async (t: Test, { folder, sync, reboots, lost = true }: Start) => {
  const mark = join(folder, "synced")
  const { database, query, run, close } = await openLayer(t, openMigratedDatabase({ kind: "pglite", folder, sync }))
  const marks = [existsSync(mark)]
  await query("insert into realm values (1, 'host', 'first', 0, '{}') on conflict do nothing")
  if (reboots) await query("update server_state set trust = 'another boot', clean_stop = $1", [!lost])
  await run(takeOver(database))
  marks.push(existsSync(mark))
  const [realm] = await query("select epoch from realm")
  await query("update realm set epoch = 'first'")
  await close()
  return { epoch: realm?.["epoch"] === "first" ? "stays" : "new", marks }
}

t.test("what is trusted after another boot", { skip }, async (t) => {
  const parent = await createFolder(t)
  const folder = join(parent, "database")
  const check = async (what: string, given: Omit<Start, "folder">, epoch: string, marks: ReadonlyArray<boolean>) =>
    void t.same(await start(t, { folder, ...given }), { epoch, marks }, what)

  await check("a new database is marked once it is taken over", { sync: true, reboots: false }, "stays", [false, true])
  const copy = join(parent, "copy")
  cpSync(folder, copy, { recursive: true })
  await check("a run with sync was lost", { sync: true, reboots: true }, "stays", [true, true])
  await check("so it was; this one does not sync", { sync: false, reboots: true }, "stays", [false, false])
  await check("a run without sync was killed", { sync: false, reboots: false }, "stays", [false, false])
  await check("one was stopped", { sync: false, reboots: true, lost: false }, "stays", [false, false])
  await check("one was lost", { sync: true, reboots: true }, "new", [false, true])
  await check("the next one was synced", { sync: true, reboots: true }, "stays", [true, true])

  const mark = join(folder, "synced")
  writeFileSync(mark, readFileSync(mark, "utf8").slice(0, -1))
  await check("a mark that is torn is none", { sync: true, reboots: true }, "new", [false, true])
  t.same(await start(t, { folder: copy, sync: true, reboots: true }), { epoch: "new", marks: [false, true] }, "a copy")
})
