/** Where the data is if nobody says. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { defaultDataFolder } from "../../src/config/data-folder.ts"
import { markFile } from "../../src/config/folder-mark-file.ts"

t.test("PostgreSQL has a folder of its own, but for installations that share one already", async (t) => {
  const root = t.testdir()
  const place = (name: string) => {
    const at = join(root, name)
    mkdirSync(join(at, "data"), { recursive: true })
    return at
  }
  const [fresh, files, secret, marked, both] = [place("a"), place("b"), place("c"), place("d"), place("e")]
  const of = (at: string) => [defaultDataFolder("pglite", at), defaultDataFolder("postgres", at)]
  const folders = (at: string, ...names: ReadonlyArray<string>) => names.map((name) => join(at, name))
  mkdirSync(join(files, "data", "files"))
  writeFileSync(join(secret, "data", "secret"), "x")
  mkdirSync(join(marked, "data", "files"))
  writeFileSync(join(marked, "data", "secret"), "x")
  const mark = (kind: string) => JSON.stringify({ database: "d", kind, place: "p" })
  writeFileSync(join(marked, "data", "files", markFile), mark("pglite"))
  mkdirSync(join(both, "data", "files"))
  mkdirSync(join(both, "data-postgresql"))
  t.same(of(fresh), folders(fresh, "data", "data-postgresql"))
  t.same(of(files), folders(files, "data", "data"), "uploads without a mark")
  t.same(of(secret), folders(secret, "data", "data"), "a secret without a mark")
  t.same(of(marked), folders(marked, "data", "data-postgresql"), "the embedded database's")
  t.same(of(both), folders(both, "data", "data-postgresql"), "once there is one, it stays")
  writeFileSync(join(marked, "data", "files", markFile), mark("postgres"))
  t.same(of(marked), folders(marked, "data", "data"), "its own by a mark")
})
