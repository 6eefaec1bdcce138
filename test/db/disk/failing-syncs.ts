/**
 * Loaded into PGlite's thread by disk.test.ts: while the file at PARLEY_TEST_FAILING_SYNCS exists, syncs of files fail
 * with the error code that it holds.
 */
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"

const flag = process.env["PARLEY_TEST_FAILING_SYNCS"] ?? ""
const { fdatasyncSync } = fs

Reflect.set(fs, "fdatasyncSync", (descriptor: number): void => {
  if (fs.existsSync(flag)) throw Object.assign(new Error("fdatasync"), { code: fs.readFileSync(flag, "utf8") })
  fdatasyncSync(descriptor)
})
syncBuiltinESMExports()
