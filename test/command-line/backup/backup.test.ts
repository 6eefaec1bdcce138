/**
 * Backups and restores by the program's commands, in this process: what is refused, and a restore after all that. Beside a server
 * that is written, and from each database to each: backup-processes.test.ts.
 */
import { existsSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import t from "tap"
import { createFolder } from "../../kit/test-database.ts"
import { makePlace } from "./places.ts"

t.test("what is refused, in one line, with nothing written", async (t) => {
  const source = await makePlace(t)
  const file = join(await createFolder(t), "backup.tar.gz")
  const nothing = await makePlace(t)
  const missing = await nothing.run(["backup", file])
  t.match(missing, { code: 2, out: "", err: /^parley: (There is no database in|The database has no tables) [^\n]+\n$/ })
  t.notOk(existsSync(file) || existsSync(`${file}.part`))
  const created = await source.run([
    "org",
    "create",
    "first.example",
    "--name",
    "First",
    "--owner-email",
    "a@first.example",
    "--owner-name",
    "Ann",
    "--no-password",
  ])
  t.match(created, { code: 0 })
  t.match(await source.run(["backup", file]), { code: 0 })

  const target = await makePlace(t)
  const other = { PARLEY_SECRET: "another secret, which is long enough as well" }
  const secrets: ReadonlyArray<readonly [Readonly<Record<string, string>>, RegExp]> = [
    [other, /^parley: the secret is not the one that the API keys of the backup come from: .+--other-secret/m],
    [{ PARLEY_SECRET: "" }, /^parley: a backup has no secret, and there is none here: /m],
  ]
  for (const [env, err] of secrets) t.match(await target.run(["restore", file], env), { code: 2, out: "", err })
  t.match(await target.run(["restore", join(target.folder, "none")]), {
    code: 2,
    err: /none cannot be restored: ENOENT/,
  })
  t.same(await readdir(target.folder), [], "no refusal has made a database")
  t.match(await target.run(["restore", file, "--other-secret"], other), { code: 0, out: /^All API keys are void/m })
  t.match(
    await target.run(["org", "list"]),
    { code: 0, out: /^first\.example/ },
    "it is still the database of that secret",
  )
})
