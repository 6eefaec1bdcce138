/**
 * Prints the sum of several test runs as `N passed, N failed`, the last line of .ci/run.
 *
 *     node scripts/count-tests.mjs [--failed=N] <folder>...
 *
 * A folder is a copy of .tap/test-results: one file of TAP for each process, and the list of the files that the run was to run
 * (test.mjs). tap's own totals are not used: after a time-out they lack whole files. Here every process must have a complete
 * result with a test in it, and each file of the list must have been run once; each violation counts as one failure.
 * `--failed` adds failures outside of the runs. What failed is named once more, in front of the sum: the log of all runs is
 * long, and may have been cut. Exits 1 if anything failed or nothing ran.
 */
import { existsSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { parseArgs } from "node:util"
import { readProcesses } from "./tap-results.mjs"

const { values, positionals: folders } = parseArgs({
  options: { failed: { type: "string", default: "0" } },
  allowPositionals: true,
})

let passed = 0
let failed = Number(values.failed)

/** @param {string} what @param {string} why */
const complain = (what, why) => {
  failed++
  console.log(`${what}: ${why}`)
}

for (const folder of folders) {
  const list = join(folder, "files")
  if (!existsSync(list)) complain(folder, "there is no list of what was to be run")
  const wanted = existsSync(list) ? readFileSync(list, "utf8").split("\n") : []
  /** @type {string[]} */
  const ran = []
  const processes = readProcesses(folder, ({ path }) =>
    console.log(`failed in ${basename(folder)}: ${path.join(" > ")}`),
  )
  for (const { path, count, broken, files } of processes) {
    passed += count.passed
    failed += count.failed
    if (broken !== undefined && count.failed === 0) complain(join(folder, path), broken)
    // A process with one file only does not name it.
    if (files.length === 0) ran.push(path.replace(/^dist\/test\//, "").replace(/js\.tap$/, "ts"))
    for (const file of files) if (file.points > 0) ran.push(file.name)
  }
  for (const file of wanted) {
    const times = ran.filter((name) => name === file).length
    if (times !== 1) complain(`${basename(folder)}: ${file}`, `${times} processes have run it`)
  }
}

if (passed === 0 && failed === 0) {
  failed = 1
  console.log("no test ran")
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
