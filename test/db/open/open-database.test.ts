/** Opening a database: for one server at a time, and only where there is nothing else. */
import { mkdir, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import t from "tap"
import { openDatabase } from "../../../src/db/open/open-database.ts"
import { prepareFolder } from "../../../src/db/pglite/pglite-image.ts"
import { adminUrl, createDatabase, createFolder, openLayer } from "../../kit/test-database.ts"

const onPglite = { skip: adminUrl === undefined ? false : "this run is on PostgreSQL" }

t.test("a second server on the same database is refused until the first one has closed it", async (t) => {
  const config = await createDatabase(t)
  const first = await openLayer(t, openDatabase(config))
  await t.rejects(openLayer(t, openDatabase(config)), { name: "DatabaseHeld", message: /^Another server is using .+$/ })
  t.match(await first.query("select 1 as still"), [{ still: 1 }])
  await first.close()
  const second = await openLayer(t, openDatabase(config))
  t.match(await second.query("select 1 as now"), [{ now: 1 }])
  t.not(second.database.holder, first.database.holder)
})

t.test("an empty lock file of PostgreSQL, as a kill may leave it, refuses no start", onPglite, async (t) => {
  const folder = await createFolder(t)
  await prepareFolder(join(folder, "cluster"), { sync: false })
  await writeFile(join(folder, "cluster", "postmaster.pid"), "")
  const { query } = await openLayer(t, openDatabase({ kind: "pglite", folder, sync: false }))
  t.match(await query("select 1 as n"), [{ n: 1 }])
})

t.test("a damaged database is refused in one line", onPglite, async (t) => {
  const folder = await createFolder(t)
  await prepareFolder(join(folder, "cluster"), { sync: false })
  await writeFile(join(folder, "cluster", "global", "pg_control"), "")
  await t.rejects(openLayer(t, openDatabase({ kind: "pglite", folder, sync: false })), {
    name: "DatabaseUnusable",
    message: /^The database in .+ cannot be opened: .+$/,
  })
})

t.test("a path that is no folder, or cannot become one, is refused in one line that names it", async (t) => {
  const parent = await createFolder(t)
  await writeFile(join(parent, "file"), "")
  for (const folder of [join(parent, "file"), join(parent, "file", "below"), "/proc/parley/database"]) {
    const message = new RegExp(`^The data folder ${folder} cannot be used: .+$`)
    await t.rejects(openLayer(t, openDatabase({ kind: "pglite", folder, sync: false })), {
      name: "DatabaseUnusable",
      message,
    })
  }
  t.same(await readdir(parent), ["file"], "nothing is left behind")
})

t.test("a folder with files of another program is refused and left as it is", async (t) => {
  const parent = await createFolder(t)
  for (const [name, file] of [
    ["documents", "notes.txt"],
    ["cluster-of-machines", "cluster/machine-1"],
  ] as const) {
    const folder = join(parent, name)
    await mkdir(join(folder, file, ".."), { recursive: true })
    await writeFile(join(folder, file), "somebody's work")
    await t.rejects(openLayer(t, openDatabase({ kind: "pglite", folder, sync: false })), {
      name: "DatabaseUnusable",
      message: `The folder ${folder} holds ${file}, which is no database of this program: it is left alone`,
    })
    t.same(await readdir(folder), [file.split("/")[0]])
  }
})
