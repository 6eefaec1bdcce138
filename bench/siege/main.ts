/**
 * `npm run siege -- [--database=postgres|pglite|both] [--seconds=60] ...`: a guest, a member, nobody and a slow client
 * attack a server at once while five honest users talk. Ends with code 1 if the honest users notice more than they may.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { loadavg } from "node:os"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { adminUrl, createPostgresDatabase } from "../../test/kit/test-database.ts"
import { machine } from "../report.ts"
import { attacks } from "./attacks/all.ts"
import { passes, report, summary } from "./report.ts"
import { type Outcome, siege } from "./siege.ts"

const help = `npm run siege -- [options]

  --database both      postgres, pglite or both. PostgreSQL: an administrator's address in PARLEY_TEST_DATABASE_URL
  --seconds 60         how long the attacks last
  --quiet-first 10     seconds without attacks before them, to compare with
  --only NAME,...      these attacks only, or all but those with a "-" before the name
  --each               one attack after the other, each alone on a server of its own; the worst first in a table
  --one-account        all attacks of members share one account and its allowance; else each has its own
  --full               1,000,000 hidden messages and 5,000 long ones, instead of 200,000 and 2,000
  --users 2000         people of the organization
  --most-memory 6000   megabytes at which the server is ended, and started again

${attacks.map(({ name, about }) => `  ${name.padEnd(20)} ${about}`).join("\n")}
`

const { values } = parseArgs({
  options: {
    database: { type: "string", default: "both" },
    seconds: { type: "string", default: "60" },
    "quiet-first": { type: "string", default: "10" },
    only: { type: "string" },
    each: { type: "boolean", default: false },
    "one-account": { type: "boolean", default: false },
    full: { type: "boolean", default: false },
    users: { type: "string", default: "2000" },
    "most-memory": { type: "string", default: "6000" },
    help: { type: "boolean", default: false },
  },
})

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const refuse = (why: string): never => {
  process.stderr.write(`siege: ${why}\n`)
  process.exit(2)
}

const positive = (name: string, text: string): number => {
  const value = Number(text)
  return value > 0 && Number.isFinite(value) ? value : refuse(`--${name} ${text} is not a positive number`)
}

const chosenNames = (only: string | undefined): ReadonlyArray<string> => {
  const all = attacks.map(({ name }) => name)
  const asked = only === undefined ? [] : only.split(",")
  for (const name of asked) if (!all.includes(name.replace(/^-/, ""))) refuse(`no attack ${name}; see --help`)
  const wanted = asked.filter((name) => all.includes(name))
  const unwanted = asked.map((name) => name.slice(1))
  return (wanted.length > 0 ? wanted : all).filter((name) => !unwanted.includes(name))
}

const chosenDatabases = (word: string): ReadonlyArray<"PGlite" | "PostgreSQL"> => {
  if (word !== "pglite" && adminUrl === undefined) refuse("PARLEY_TEST_DATABASE_URL is not set; or --database=pglite")
  if (word === "both") return ["PGlite", "PostgreSQL"]
  return word === "pglite" ? ["PGlite"] : word === "postgres" ? ["PostgreSQL"] : refuse(`no database ${word}`)
}

const folder = fileURLToPath(new URL("../../../bench/results/", import.meta.url))

const run = async (): Promise<boolean> => {
  const databases = chosenDatabases(values.database)
  const names = chosenNames(values.only)
  const options = {
    users: positive("users", values.users),
    secretMessages: values.full ? 1_000_000 : 200_000,
    longMessages: values.full ? 5_000 : 2_000,
    quietSeconds: positive("quiet-first", values["quiet-first"]),
    seconds: positive("seconds", values.seconds),
    accountEach: !values["one-account"],
    mostMemory: positive("most-memory", values["most-memory"]) * 2 ** 20,
  }
  const { cpu, cores, system, node } = machine()
  say(`${cpu}, ${cores} cores, ${system}, Node ${node}\n`)
  mkdirSync(folder, { recursive: true })
  const stem = `${folder}siege-${new Date().toISOString().replaceAll(":", "-")}`
  const outcomes: Array<{ readonly label: string; readonly load: number; readonly outcome: Outcome }> = []
  let passed = true
  for (const database of databases) {
    for (const some of values.each ? names.map((name) => [name]) : [names]) {
      const cleaning: Array<() => Promise<void>> = []
      const t = { teardown: (clean: () => Promise<void>) => void cleaning.push(clean) }
      const databaseUrl =
        database === "PostgreSQL" && adminUrl !== undefined ? await createPostgresDatabase(t, adminUrl) : null
      const label = values.each ? `${database}, ${some.join()}` : database
      const progress = (text: string) => void process.stderr.write(`${label}: ${text}\n`)
      try {
        const load = loadavg()[0] ?? Number.NaN
        const log = `${stem}-${database}.log`
        const outcome = await siege({ ...options, databaseUrl, names: some, log, progress })
        outcomes.push({ label, load, outcome })
        say(report(`${label} (load before: ${load.toFixed(1)})`, outcome))
        passed &&= passes(outcome)
      } finally {
        for (const clean of cleaning) await clean()
      }
    }
  }
  if (values.each) say(`${summary(outcomes)}\n`)
  writeFileSync(`${stem}.json`, `${JSON.stringify({ ...options, outcomes }, null, 2)}\n`)
  say(`written: ${stem}.json, and what the server said: ${stem}-*.log`)
  say(passed ? "All targets are met." : "Targets are MISSED.")
  return passed
}

if (values.help) say(help)
else process.exitCode = (await run()) ? 0 : 1
