/**
 * Loaded into PGlite's thread by synced-files.test.ts: while the file that its own address names exists, syncs of files fail
 * with the error code that it holds.
 */
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"

const flag = new URL(import.meta.url).searchParams.get("flag") ?? ""
const { fdatasyncSync } = fs

Reflect.set(fs, "fdatasyncSync", (descriptor: number): void => {
  if (fs.existsSync(flag)) throw Object.assign(new Error("fdatasync"), { code: fs.readFileSync(flag, "utf8") })
  fdatasyncSync(descriptor)
})
syncBuiltinESMExports()
