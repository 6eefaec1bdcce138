/**
 * Prints the sum of several test runs as `N passed, N failed`, the last line of .ci/run.
 *
 *     node scripts/count-tests.mjs [--failed=N] <folder of results>...
 *
 * A folder is a copy of .tap/test-results, one file of TAP for each test file. tap's own totals are not used: after a
 * time-out they lack whole files. Here every test file of dist/test must have its result, which must hold a test and be
 * complete; otherwise it counts as one failure. `--failed` adds what failed outside of the runs.
 * Exits 1 if anything failed or nothing ran.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { TapReader } from "./tap-results.mjs"

const { values, positionals: folders } = parseArgs({
  options: { failed: { type: "string", default: "0" } },
  allowPositionals: true,
})

const tests = fileURLToPath(new URL("../dist/test", import.meta.url))
const names = existsSync(tests)
  ? readdirSync(tests, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".test.js"))
  : []

let passed = 0
let failed = Number(values.failed)

/** @param {string} file @param {string} text */
const add = (file, text) => {
  const reader = new TapReader()
  for (const line of text.split("\n")) reader.read(line)
  const { count, broken } = reader.end()
  passed += count.passed
  failed += count.failed
  if (broken === undefined || count.failed > 0) return
  failed++
  console.log(`${file}: ${broken}`)
}

for (const folder of folders) {
  for (const name of names) {
    const file = join(folder, "dist", "test", `${name}.tap`)
    add(file, existsSync(file) ? readFileSync(file, "utf8") : "")
  }
}

if (passed === 0 && failed === 0) {
  failed = 1
  console.log("no test ran")
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
