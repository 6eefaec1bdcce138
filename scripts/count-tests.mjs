/**
 * Prints the sum of several test runs as `N passed, N failed`, the last line of .ci/run.
 *
 *     node scripts/count-tests.mjs [--failed=N] [--deep=<folder>]... [--browser=<folder>]...
 *                                  [--other-node=<folder>]... <folder>...
 *
 * A folder is a copy of .tap/test-results, one file of TAP for each process: of `npm test`, or, behind `--deep`, of
 * `npm run test:deep`, behind `--browser` of `npm run test:browser`, behind `--other-node` of some files only. tap's own
 * totals are not used: after a time-out they lack whole files. Here every process must have a complete result with a test in it, and exactly one suite must
 * have run each test file; each violation counts as one failure. `--failed` adds failures outside of the runs.
 * What failed is named once more, in front of the sum: the log of all runs is long, and may have been cut.
 * Exits 1 if anything failed or nothing ran.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { TapReader } from "./tap-results.mjs"

const { values, positionals: folders } = parseArgs({
  options: {
    failed: { type: "string", default: "0" },
    deep: { type: "string", multiple: true, default: [] },
    browser: { type: "string", multiple: true, default: [] },
    "other-node": { type: "string", multiple: true, default: [] },
  },
  allowPositionals: true,
})

const tests = fileURLToPath(new URL("../dist/test", import.meta.url))
const compiled = existsSync(tests) ? readdirSync(tests, { recursive: true, encoding: "utf8" }) : []
/** Tests that are in no suite, because they take long, or because not every machine has a browser. */
const isIn = (/** @type {string} */ folder) => (/** @type {string} */ name) => name.startsWith(`${folder}/`)
const isDeep = isIn("deep")
const isOfBrowser = isIn("browser")
const testFiles = compiled.filter((name) => name.endsWith(".test.js"))

let passed = 0
let failed = Number(values.failed)

/** @param {string} what @param {string} why */
const complain = (what, why) => {
  failed++
  console.log(`${what}: ${why}`)
}

/** @param {string} folder @param {string} name */
const resultOf = (folder, name) => join(folder, "dist", "test", `${name}.tap`)

/** Adds the results of a process; answers the test files that it ran. @param {string} folder @param {string} name */
const read = (folder, name) => {
  const file = resultOf(folder, name)
  const onFailure = (/** @type {import("./tap-results.mjs").Failure} */ { path }) =>
    console.log(`failed in ${basename(folder)}: ${name} > ${path.join(" > ")}`)
  const reader = new TapReader({ onFailure })
  for (const line of existsSync(file) ? readFileSync(file, "utf8").split("\n") : []) reader.read(line)
  const { count, broken, files } = reader.end()
  passed += count.passed
  failed += count.failed
  if (broken !== undefined && count.failed === 0) complain(file, broken)
  return files
}

for (const folder of values.deep) for (const name of testFiles.filter(isDeep)) read(folder, name)
for (const folder of values.browser) for (const name of testFiles.filter(isOfBrowser)) read(folder, name)
for (const folder of values["other-node"])
  for (const name of testFiles.filter((each) => existsSync(resultOf(folder, each)))) read(folder, name)
for (const folder of folders) {
  const suites = compiled.filter((name) => name.endsWith(".suite.js"))
  const ran = suites.flatMap((name) => read(folder, name).flatMap((file) => (file.points > 0 ? [file.name] : [])))
  for (const name of testFiles.filter((each) => !isDeep(each) && !isOfBrowser(each))) {
    const times = ran.filter((file) => file === name.replace(/js$/, "ts")).length
    if (times !== 1) complain(name, `${times} suites have run it`)
  }
}

if (passed === 0 && failed === 0) {
  failed = 1
  console.log("no test ran")
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
