/** One server per data folder: a lock. That it ends with its process: hold-processes.test.ts. */
import { mkdir, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import t, { type Test } from "tap"
import { holdFolder, type LockHolder } from "../../src/db/folder-lock.ts"
import { createFolder } from "../kit/test-database.ts"

/** Resolves to what lets the folder go; rejects with the tagged error. */
const hold = async (t: Test, folder: string, holder?: LockHolder): Promise<() => Promise<void>> => {
  const scope = await Effect.runPromise(Scope.make())
  const release = () => Effect.runPromise(Scope.close(scope, Exit.void))
  t.teardown(release)
  await Effect.runPromise(Scope.provide(holdFolder(folder, holder), scope))
  return release
}

t.test("a held folder is refused, and free as soon as it is let go", async (t) => {
  const folder = join(await createFolder(t), "a-folder-with-a-long-name".repeat(8))
  await mkdir(folder)
  const release = await hold(t, folder)
  await t.rejects(hold(t, folder), {
    name: "DatabaseHeld",
    message: `Another server is using the data folder ${folder}`,
  })
  await release()
  await hold(t, folder)
})

t.test("who is kept out by a backup is told so, and nobody after it", async (t) => {
  const folder = await createFolder(t)
  const release = await hold(t, folder, "backup")
  const message = `A backup copies the database in ${folder}`
  await t.rejects(hold(t, folder), { name: "DatabaseHeld", message })
  await release()
  await hold(t, folder)
  await t.rejects(hold(t, folder, "backup"), { message: `Another server is using the data folder ${folder}` })
})

t.test("a file that a killed process has left does not refuse a start", async (t) => {
  const folder = await createFolder(t)
  await writeFile(join(folder, "hold.lock"), "left by a killed process")
  await hold(t, folder)
  t.same(await readdir(folder), ["hold.lock"])
})

t.test("a folder that cannot be locked is refused in one line", async (t) => {
  const folder = await createFolder(t)
  await mkdir(join(folder, "hold.lock"))
  await t.rejects(hold(t, folder), {
    name: "DatabaseUnusable",
    message: new RegExp(`^The data folder ${folder} cannot be locked: EISDIR.*$`),
  })
})
