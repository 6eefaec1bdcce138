/** Backups and restores that are killed or interrupted: nothing half is left, and the same command can be run again. */
import { existsSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import t from "tap"
import { checkArchive } from "../../../src/command-line/backup/archive-reader.ts"
import { restore } from "../../../src/command-line/backup/restore.ts"
import type { Program } from "../../kit/program.ts"
import { createFolder, until } from "../../kit/test-database.ts"
import { checkSame, makeDemoPlace, makePlace, rowsOf } from "./places.ts"

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

t.test("a restore that is interrupted ends what it has begun to commit, and one before leaves nothing", async (t) => {
  const source = await makePlace(t)
  const created = ["org", "create", "first.example", "--name", "First", "--owner-email", "a@first.example"]
  t.match(await source.run([...created, "--owner-name", "Ann", "--no-password"]), { code: 0 })
  const file = join(await createFolder(t), "backup.tar.gz")
  t.match(await source.run(["backup", file]), { code: 0 })
  const target = await makePlace(t)
  const settings = target.settings()
  const restoreUntil = (line: string) => {
    const interruption = new AbortController()
    const tell = (told: string) => told === line && interruption.abort()
    const restoring = restore(settings, { file, otherSecret: false }, tell)
    return Effect.runPromiseExit(restoring, { signal: interruption.signal, uninterruptible: true })
  }
  const early = await restoreUntil("writes rows and files")
  t.ok(Exit.isFailure(early) && Cause.hasInterruptsOnly(early.cause))
  t.match(await restoreUntil("makes it all valid"), { _tag: "Success", value: /^Restored from/ })
  await checkSame(t, await rowsOf(t, source), target, -1)
})
