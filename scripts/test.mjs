/**
 * Runs tests by tap: `npm test` and its kin.
 *
 *     node scripts/test.mjs [--kind=<kind>] [--changed] [--jobs=N] [--table] [--timeout=<seconds>] [<file>...]
 *
 * `--kind`: which files (test/suites/test-files.ts); `quick` by default, `full` with PARLEY_TEST_FULL=1. `--changed`: only what
 * may see what has changed since the main branch (scripts/changed-tests.mjs). Files are compiled ones, `dist/test/<path>.test.js`.
 * Deep tests and those of the browser have a process each; all others are taken by a few processes from one line, the longest
 * first. What was run is written beside the results, for the final count (scripts/count-tests.mjs). A quick run fails that asks
 * for more than its budget. `--table` prints what each file has asked for.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { changedFiles } from "./changed-tests.mjs"
import { readProcesses } from "./tap-results.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const results = join(root, ".tap", "test-results")
const line = join(root, ".tap", "line")

/**
 * The most that a quick run may ask of the machine: what it asks, and a tenth. In counts, which are the same everywhere: a run
 * that took a little longer with every change would be slow one day, and no change to blame.
 */
const asked = /** @type {const} */ (["requests", "registers", "servers", "programs"])
const budget = { requests: 39_500, registers: 3_100, servers: 790, programs: 8 }

const { values, positionals } = parseArgs({
  options: {
    kind: { type: "string", default: process.env["PARLEY_TEST_FULL"] === "1" ? "full" : "quick" },
    changed: { type: "boolean", default: false },
    jobs: { type: "string" },
    table: { type: "boolean", default: false },
    timeout: { type: "string", default: "1800" },
    coverage: { type: "boolean", default: false },
  },
  allowPositionals: true,
})

const { kind } = values
// What a run has of the full one, it has whole; deep tests have no shares.
if (/^(full|turn|deep)/.test(kind)) process.env["PARLEY_TEST_FULL"] = "1"
// Deep tests draw anew each time, unless somebody says what.
if (kind.startsWith("deep")) process.env["PARLEY_SEED"] ??= String(Math.floor(Math.random() * 1_000_000_000))

const suites = join(root, "dist", "test", "suites")
/** @type {typeof import("../test/suites/test-files.ts")} */
const { allFiles, compiledFile, filesOf, seed } = await import(join(suites, "test-files.js"))

const chosen = () => {
  if (positionals.length > 0) return positionals.map((file) => relative("dist/test", file.replace(/\.js$/, ".ts")))
  if (!values.changed) return filesOf(kind)
  const { own, sees } = changedFiles(root)
  // Whoever has changed something does not wait for its tests' turn, unless nearly all would be run.
  const files = new Set(filesOf(sees === undefined || kind !== "quick" ? kind : "all-quick"))
  return filesOf(kind === "quick" ? "full" : kind).filter(
    (file) => own.has(file) || (files.has(file) && (sees?.(file) ?? true)),
  )
}
const files = chosen()
const unknown = files.filter((file) => !existsSync(compiledFile(file)))
if (unknown.length > 0) {
  process.stderr.write(`there is no test file called ${unknown.join(", ")}\n`)
  process.exit(2)
}

if (files.length === 0) {
  process.stderr.write("no test may see what has changed\n")
  process.exit(0)
}

const haveProcesses = files.every((file) => /^(deep|browser)\//.test(file))
/** Main thread and database's thread wait for each other, so two processes leave a part of two cores idle, and four are slower. */
const atOnce = 3
const jobs = Number(values.jobs ?? (kind.startsWith("browser") ? 1 : haveProcesses ? 2 : atOnce))

rmSync(results, { recursive: true, force: true })
rmSync(line, { recursive: true, force: true })
mkdirSync(line, { recursive: true })
writeFileSync(join(line, "files"), files.join("\n"))

const programs = haveProcesses
  ? files.map((file) => compiledFile(file))
  : readdirSync(suites)
      .filter((file) => /^process-\d+\.suite\.js$/.test(file))
      .slice(0, Math.min(jobs, files.length))
      .map((file) => join(suites, file))

process.stderr.write(`${files.length} of ${allFiles().length} test files, PARLEY_SEED=${seed}\n`)
const { status } = spawnSync(
  process.execPath,
  [
    join(root, "node_modules", "tap", "dist", "esm", "run.mjs"),
    `--jobs=${jobs}`,
    `--timeout=${values.timeout}`,
    ...(values.coverage ? ["--no-disable-coverage"] : []),
    ...programs,
  ],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, PARLEY_SEED: String(seed), PARLEY_TEST_LINE: line, TAP_TIMEOUT: values.timeout },
  },
)
if (existsSync(results)) writeFileSync(join(results, "files"), files.join("\n"))

/** @param {number} milliseconds */
const inSeconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`

/** @typedef {import("../test/suites/tally.ts").Tally} Tally */

const isOverBudget = () => {
  const ran = readProcesses(results).flatMap(({ files }) =>
    files.flatMap(({ name, tally }) => (tally === undefined ? [] : [{ name, tally }])),
  )
  if (values.table)
    for (const { name, tally } of ran.sort((a, b) => b.tally.processorMilliseconds - a.tally.processorMilliseconds))
      console.log([inSeconds(tally.processorMilliseconds), ...asked.map((what) => tally[what]), name].join("\t"))
  const sums = asked.map((what) => ({ what, sum: ran.reduce((sum, { tally }) => sum + tally[what], 0) }))
  const processor = ran.reduce((sum, { tally }) => sum + tally.processorMilliseconds, 0)
  console.log([...sums.map(({ what, sum }) => `${sum} ${what}`), `${inSeconds(processor)} of the processor`].join(", "))
  if (kind !== "quick" || values.changed || positionals.length > 0) return false
  const over = sums.filter(({ what, sum }) => sum > budget[what])
  for (const { what } of over)
    console.log(`FAILED  a quick run has a budget of ${budget[what]} ${what}: scripts/test.mjs`)
  return over.length > 0
}

process.exitCode = [status !== 0, !haveProcesses && isOverBudget()].includes(true) ? 1 : 0
