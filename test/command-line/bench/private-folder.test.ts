/** The folder into which the benchmarks install other servers: only what is the user's own is used. */
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import t from "tap"
import { peerFolder } from "../../../bench/peers/install.ts"
import { cacheFolder, keepPrivate } from "../../../bench/peers/private-folder.ts"
import { createFolder } from "../../kit/test-database.ts"

t.test("it is below the user's cache", async (t) => {
  const usual = join(homedir(), ".cache")
  for (const [given, expected] of [
    [undefined, usual],
    ["", usual],
    ["relative/cache", usual],
    ["/var/cache/me", "/var/cache/me"],
  ] as const)
    t.equal(cacheFolder({ XDG_CACHE_HOME: given }), expected)
  t.equal(peerFolder, join(cacheFolder(process.env), "parley-peers"))
})

t.test("it is made for its user alone, and refused where others have a say", async (t) => {
  const root = await createFolder(t)
  const made = join(root, "cache", "parley-peers")
  t.equal(keepPrivate(made), null)
  t.equal(statSync(made).mode & 0o777, 0o700)
  t.equal(keepPrivate(made), null, "it is there")
  t.match(keepPrivate(made, (process.getuid?.() ?? 0) + 1), /belongs to another user$/)
  for (const mode of [0o777, 0o720, 0o1777]) {
    const open = join(root, mode.toString(8))
    mkdirSync(open)
    chmodSync(open, mode)
    t.match(keepPrivate(open), /^others may write into /)
  }
  symlinkSync(made, join(root, "link"))
  t.match(keepPrivate(join(root, "link")), /./)
  writeFileSync(join(root, "file"), "")
  t.match(keepPrivate(join(root, "file")), /./)
})
