/**
 * `npm run bench -- [scenario ...] [--n 1000,5000] [--seconds 2] [--rounds 5] [--database URL]`, or `--compare A B`.
 * Runs the scenarios, prints a table each, and leaves a JSON file and plots in bench/results; `--plot FILE` puts one plot there.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { createPostgresDatabase } from "../test/kit/test-database.ts"
import { mayPin } from "./remote.ts"
import { comparison, machine, misses, type Report, readReport, table } from "./report.ts"
import type { Scenario } from "./scenario.ts"
import { bigRealm } from "./scenarios/big-realm.ts"
import { catchUp } from "./scenarios/catch-up.ts"
import { deleteTopic } from "./scenarios/delete-topic.ts"
import { delivery } from "./scenarios/delivery.ts"
import { faces } from "./scenarios/faces.ts"
import { fanOut } from "./scenarios/fan-out.ts"
import { fanOutPoll } from "./scenarios/fan-out-poll.ts"
import { framesScenario } from "./scenarios/frames.ts"
import { history } from "./scenarios/history.ts"
import { idle } from "./scenarios/idle.ts"
import { kit } from "./scenarios/kit.ts"
import { leaving } from "./scenarios/leaving.ts"
import { loopBlock } from "./scenarios/loop-block.ts"
import { markdown } from "./scenarios/markdown.ts"
import { mentions } from "./scenarios/mentions.ts"
import { move } from "./scenarios/move.ts"
import { page } from "./scenarios/page.ts"
import { peersScenario } from "./scenarios/peers.ts"
import { peopleScenario } from "./scenarios/people.ts"
import { permissions } from "./scenarios/permissions.ts"
import { policies } from "./scenarios/policies.ts"
import { presence } from "./scenarios/presence.ts"
import { processesNatsScenario, processesScenario } from "./scenarios/processes.ts"
import { rate } from "./scenarios/rate.ts"
import { readState } from "./scenarios/read-state.ts"
import { register } from "./scenarios/register.ts"
import { restore } from "./scenarios/restore.ts"
import { retention } from "./scenarios/retention.ts"
import { sendScenario } from "./scenarios/send.ts"
import { slowMix } from "./scenarios/slow-mix.ts"
import { storm } from "./scenarios/storm.ts"
import { subscribeAll } from "./scenarios/subscribe-all.ts"
import { sync } from "./scenarios/sync.ts"
import { typing } from "./scenarios/typing.ts"

const scenarios: ReadonlyArray<Scenario> = [
  fanOut,
  fanOutPoll,
  delivery,
  rate,
  idle,
  slowMix,
  typing,
  presence,
  permissions,
  framesScenario,
  mentions,
  policies,
  markdown,
  readState,
  history,
  move,
  deleteTopic,
  subscribeAll,
  leaving,
  loopBlock,
  faces,
  peopleScenario,
  catchUp,
  register,
  storm,
  sync,
  kit,
  peersScenario,
  bigRealm,
  sendScenario,
  processesScenario,
  processesNatsScenario,
  page,
  retention,
  restore,
]

const help = `npm run bench -- [scenario ...] [options]

  --n 1000,5000     numbers of readers, instead of the scenario's own
  --seconds 2       the length of each measurement
  --rounds 5        how often each server is measured, in turn
  --database URL    an administrator's address of a PostgreSQL server; without it the embedded database
  --plot FILE       where the plot of the one scenario goes, as SVG
  --compare A B     the difference between two files of bench/results

${scenarios.map(({ name, about }) => `  ${name.padEnd(14)} ${about}`).join("\n")}
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    n: { type: "string" },
    seconds: { type: "string", default: "2" },
    rounds: { type: "string", default: "5" },
    database: { type: "string" },
    plot: { type: "string" },
    compare: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
})

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const refuse = (why: string): never => {
  process.stderr.write(`bench: ${why}\n`)
  process.exit(2)
}

const positive = (name: string, text: string): number => {
  const value = Number(text)
  return value > 0 && Number.isFinite(value) ? value : refuse(`--${name} ${text} is not a positive number`)
}

/** Shows the progress; on a terminal as one line that changes. */
const progress = (name: string) => (text: string) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${name}: ${text}`)
}

const folder = fileURLToPath(new URL("../../bench/results/", import.meta.url))

const run = async (): Promise<void> => {
  const wanted = positionals.map(
    (name) => scenarios.find((each) => each.name === name) ?? refuse(`no scenario ${name}; see --help`),
  )
  const { plot } = values
  if (plot !== undefined && (wanted.length !== 1 || wanted[0]?.draw === undefined))
    refuse("--plot is for one scenario that draws")
  const cleaning: Array<() => Promise<void>> = []
  const report = { date: new Date().toISOString(), machine: machine(), pinned: mayPin }
  const seconds = positive("seconds", values.seconds)
  const rounds = positive("rounds", values.rounds)
  const sizes = values.n === undefined ? null : values.n.split(",").map((each) => positive("n", each))
  mkdirSync(folder, { recursive: true })
  const stem = `${folder}${report.date.replaceAll(":", "-")}`
  const done: Array<Report["scenarios"][number]> = []
  say(`${report.machine.cpu}, ${report.machine.cores} cores, ${report.machine.system}, Node ${report.machine.node}`)
  say(
    `${values.database === undefined ? "PGlite" : "PostgreSQL"}; ${mayPin ? "server on core 0, client on core 1" : "not pinned"}\n`,
  )
  for (const scenario of wanted.length > 0 ? wanted : scenarios) {
    const t = { teardown: (clean: () => Promise<void>) => void cleaning.push(clean) }
    const fresh = async () => (values.database === undefined ? null : createPostgresDatabase(t, values.database))
    const rows = await scenario.run({ fresh, sizes, seconds, rounds, progress: progress(scenario.name) })
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[K")
    say(table(scenario, rows))
    if (scenario.asserts === true && misses(scenario, rows)) process.exitCode = 1
    done.push({ name: scenario.name, rows })
    const plotted = scenario.draw?.(rows) ?? null
    if (plotted !== null) writeFileSync(plot ?? `${stem}-${scenario.name}.svg`, `${plotted}\n`)
  }
  for (const clean of cleaning) await clean()
  const file = `${stem}.json`
  const database = values.database === undefined ? "PGlite" : "PostgreSQL"
  writeFileSync(file, `${JSON.stringify({ ...report, database, seconds, rounds, scenarios: done }, null, 2)}\n`)
  say(`written: ${file}`)
}

if (values.help) say(help)
else if (values.compare) {
  const [first, second] = positionals
  if (first === undefined || second === undefined) refuse("--compare takes two files")
  else say(comparison(readReport(first), readReport(second)))
} else await run()
