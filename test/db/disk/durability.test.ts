/** The mark that a power cut can have taken nothing, and what a start after another boot makes of it. */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { openMigratedDatabase } from "../../../src/db/open/open-database.ts"
import { takeOver } from "../../../src/db/server-state.ts"
import { inTurn } from "../../kit/share.ts"
import { adminUrl, createFolder, openLayer } from "../../kit/test-database.ts"

const skip = adminUrl === undefined ? false : "this run is on PostgreSQL"

interface Start {
  readonly folder: string
  readonly sync: boolean
  /** Whether the machine was started since the last server. */
  readonly reboots: boolean
  /** Whether this server is killed and not stopped. */
  readonly killed: boolean
}

/**
 * Starts and ends a server's database. Answers the realm's epoch, and whether the mark was there when the database was
 * open, when it was taken over, and at the end.
 */
const start = async (t: Test, { folder, sync, reboots, killed }: Start) => {
  const mark = join(folder, "synced")
  const { database, query, run, close } = await openLayer(t, openMigratedDatabase({ kind: "pglite", folder, sync }))
  const marks = [existsSync(mark)]
  await query("insert into realm values (1, 'host', 'first', 0, '{}') on conflict do nothing")
  if (reboots) await query("update server_state set trust = 'another boot'")
  await run(takeOver(database))
  marks.push(existsSync(mark))
  const [realm] = await query("select epoch from realm")
  await query("update realm set epoch = 'first'")
  await close()
  // A killed server does nothing at its end.
  if (killed && marks.at(-1) === false) rmSync(mark)
  marks.push(existsSync(mark))
  return { epoch: realm?.["epoch"] === "first" ? "stays" : "new", marks }
}

t.test("what is trusted after another boot", { skip }, async (t) => {
  const parent = await createFolder(t)
  const folder = join(parent, "database")
  const checkOn =
    (t: Test) => async (what: string, given: Omit<Start, "folder">, epoch: string, marks: ReadonlyArray<boolean>) =>
      void t.same(await start(t, { folder, ...given }), { epoch, marks }, what)
  const check = checkOn(t)

  const on = { sync: true, reboots: true, killed: true }
  const off = { ...on, sync: false }
  const boot = { reboots: false }
  await check("a new database is marked when it is taken over", { ...on, ...boot }, "stays", [false, true, true])
  const copy = join(parent, "copy")
  const restored = join(parent, "restored")
  for (const to of [copy, restored]) cpSync(folder, to, { recursive: true })
  await check("after a lost run with sync", on, "stays", [true, true, true])
  await check("after one more; this one is without", off, "stays", [false, false, false])
  await check("after a lost run without, in the same boot", { ...off, ...boot }, "stays", [false, false, false])
  await check("in another boot", off, "new", [false, false, false])
  await check("so too with sync", on, "new", [false, true, true])
  const stopped = { ...off, killed: false }
  await t.test("a run without sync that is stopped has synced all", inTurn(2, "stopped without sync"), async (t) => {
    const check = checkOn(t)
    await check("the first", stopped, "stays", [false, false, true])
    await check("one after it", stopped, "stays", [false, false, true])
  })

  const mark = join(folder, "synced")
  writeFileSync(mark, readFileSync(mark, "utf8").slice(0, -1))
  await check("a mark that is torn is none", on, "new", [false, true, true])
  await t.test("nor is a copied one", inTurn(2, "copied marks"), async (t) => {
    t.same(await start(t, { folder: copy, ...on }), { epoch: "new", marks: [false, true, true] })
    t.same(
      await start(t, { folder: restored, ...on, ...boot }),
      { epoch: "new", marks: [false, true, true] },
      "and a copy is none in the same boot either: it may have taken another way than the original",
    )
  })
})
