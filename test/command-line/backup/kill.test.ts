/** Backups and restores that are killed at any moment: nothing half is left, and the same command can be run again. */
import { existsSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import t from "tap"
import { checkArchive } from "../../../src/command-line/backup/archive-reader.ts"
import type { Program } from "../../kit/program.ts"
import { createFolder, until } from "../../kit/test-database.ts"
import { makeDemoPlace, makePlace, rowsOf } from "./places.ts"

/** Kills a command when it has said this, or a moment later. */
const killAt = async (program: Program, line: string): Promise<boolean> => {
  await until(`it says: ${line}`, 60_000, () => program.err.includes(line) || !program.isRunning)
  const wasRunning = program.isRunning
  await program.kill()
  return wasRunning
}

t.test("killed backups and restores", async (t) => {
  const source = await makeDemoPlace(t)
  const folder = await createFolder(t)
  const file = join(folder, "backup.tar.gz")

  let killed = 0
  for (const line of ["parley: backup: reads the rows", "parley: backup: copies", "reads the files"]) {
    if (line.includes("copies") && source.kind === "postgres") continue
    if (await killAt(source.start(["backup", file]), line)) killed += 1
    if (!existsSync(file)) continue
    // It was whole before it was killed.
    t.match(await checkArchive(file, () => {}), { ending: { missing: [] } }, line)
    break
  }
  t.ok(killed > 0, "one was killed before its end")
  const last = join(folder, "last.tar.gz")
  const { code, err } = await source.run(["backup", last])
  t.equal(code, 0, err)
  t.match(
    (await readdir(folder)).filter((name) => name.startsWith("last")),
    ["last.tar.gz"],
  )
  t.match(await checkArchive(last, () => {}), { ending: { missing: [] } })
  const stopped = source.start(["backup", join(folder, "stopped.tar.gz")])
  await until("it has begun", 60_000, () => stopped.err.includes("parley: backup: ") || !stopped.isRunning)
  stopped.signal("SIGTERM")
  const { code: stoppedCode } = await stopped.ended
  const left = (await readdir(folder)).filter((name) => name.startsWith("stopped"))
  t.same(left, stoppedCode === 0 ? ["stopped.tar.gz"] : [], "one that a signal ends leaves nothing")

  const before = await rowsOf(t, source)
  for (const line of ["reads the whole archive", "writes rows and files", "makes it all valid"]) {
    const target = await makePlace(t)
    await killAt(target.start(["restore", last]), `parley: restore: ${line}`)
    const again = await target.run(["restore", last])
    // Either nothing was there, or all: then it was over when it was killed.
    if (again.code !== 0) t.match(again, { code: 2, err: /The database is not empty/ }, line)
    const after = await rowsOf(t, target)
    for (const [table, rows] of Object.entries(before)) t.same(after[table], rows, `${line}: ${table}`)
  }
})
