/** The folders that a start makes, and takes away again where it fails. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import t from "tap"
import { findForeignFile, requireUsable, useFolder } from "../../src/db/data-folders.ts"

const use = (folder: string, during: () => void = () => {}): Promise<void> =>
  Effect.runPromise(Effect.scoped(Effect.andThen(useFolder(folder), Effect.sync(during))))

t.test("folders are made for their owner only, and removed at the end if they are still empty", async (t) => {
  const parent = t.testdir()
  const folder = join(parent, "a", "b", "c")
  await use(folder, () => t.equal(statSync(folder).mode & 0o777, 0o700))
  t.same(readdirSync(parent), [])
  await use(folder, () => writeFileSync(join(parent, "a", "kept"), ""))
  t.same(readdirSync(join(parent, "a")), ["kept"])
  const existing = join(parent, "existing")
  mkdirSync(existing)
  await use(existing)
  t.ok(existsSync(existing), "a folder that was there before stays")
})

t.test("a path that cannot be a folder is refused in one line, and nothing is left behind", async (t) => {
  const parent = t.testdir({ file: "" })
  const refused = [join(parent, "file"), join(parent, "file", "below"), "/proc/parley/data"]
  if (existsSync("/proc/self")) refused.push("/proc/self")
  for (const folder of refused) {
    const message = new RegExp(`^The data folder ${folder} cannot be used: [^\\n]+$`)
    await t.rejects(use(folder), { name: "DatabaseUnusable", message })
  }
  t.same(readdirSync(parent), ["file"])
})

t.test("a folder in which something cannot be read or written is refused in one line that names it", async (t) => {
  const require = (folder: string): Promise<void> => Effect.runPromise(requireUsable(folder))
  const folder = t.testdir({ base: { "1": "", "2": "" }, PG_VERSION: "18" })
  await require(folder)
  // A volume for the log that is not mounted; nobody has the right to write there, whoever runs this test.
  symlinkSync("/no/such/volume", join(folder, "pg_wal"))
  await t.rejects(require(folder), {
    name: "DatabaseUnusable",
    message: new RegExp(`^The data folder ${folder} cannot be used: [^\\n]*${folder}/pg_wal'$`),
  })
  unlinkSync(join(folder, "pg_wal"))
  const isRoot = process.getuid?.() === 0
  await t.test("a file that is not ours", { skip: isRoot && "root may write everything" }, async (t) => {
    chmodSync(join(folder, "base", "2"), 0o400)
    await t.rejects(require(folder), { name: "DatabaseUnusable", message: /EACCES[^\n]*base\/2'$/ })
  })
})

t.test("files of other programs are found, those of servers are not", (t) => {
  const cases: ReadonlyArray<readonly [Parameters<typeof t.testdir>[0], string | undefined]> = [
    [{}, undefined],
    [{ "hold.lock": "", synced: "", cluster: {}, ".cluster.new-0a1b2c": {}, "lost+found": {} }, undefined],
    [{ cluster: { PG_VERSION: "17" }, "notes.txt": "" }, undefined],
    [{ "notes.txt": "" }, "notes.txt"],
    [{ "hold.lock": "", cluster: { "machine-1": "" } }, "cluster/machine-1"],
  ]
  for (const [content, foreign] of cases) t.equal(findForeignFile(t.testdir(content)), foreign)
  t.equal(findForeignFile("/no/such/folder"), undefined)
  t.end()
})
