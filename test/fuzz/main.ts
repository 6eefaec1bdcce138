/**
 * `npm run fuzz -- [--inputs 20000] [--seconds 600] [--seed n] [--only n | --from n]`: see fuzz.ts. Ends with code 1 where the server has a
 * fault, and says how to send the same input again. On PGlite, or on the empty database of PARLEY_FUZZ_DATABASE_URL.
 */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { seed } from "../kit/share.ts"
import { mostSuspect } from "./blame.ts"
import { type FuzzOptions, type FuzzReport, fuzz, show } from "./fuzz.ts"
import { FuzzServer } from "./fuzz-server.ts"

const { values } = parseArgs({
  options: {
    inputs: { type: "string", default: "20000" },
    seconds: { type: "string", default: "600" },
    seed: { type: "string" },
    only: { type: "string" },
    /** The first number, where it is not 0. */
    from: { type: "string", default: "0" },
    /** What requests are refused for most, to see that inputs get far. */
    refusals: { type: "boolean", default: false },
    "at-once": { type: "string", default: "8" },
    "most-memory": { type: "string", default: "1500" },
    "most-block": { type: "string", default: "1000" },
  },
})

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const positive = (name: string, text: string): number => {
  const value = Number(text)
  if (Number.isFinite(value) && value >= 0) return value
  process.stderr.write(`fuzz: --${name} ${text} is not a number\n`)
  return process.exit(2)
}

const tell = (report: FuzzReport): void => {
  const { seed, inputs, seconds, answers, late, blocks, longestBlock, blamed, mostResident, faults, refusals } = report
  say(`\nseed ${seed}: ${inputs} inputs in ${Math.round(seconds)} s, ${Math.round(mostResident / 2 ** 20)} MB at most`)
  for (const [key, count] of [...answers].sort()) say(`  ${key.padEnd(20)} ${count}`)
  say(
    `the loop was late by more than 15 ms ${late} times; ${blocks} times by its own work, at most ${longestBlock.toFixed(1)} ms`,
  )
  for (const { block, suspects } of mostSuspect(blamed, 8)) {
    say(`  ${block.own.toFixed(1)} ms, while there were`)
    for (const { number, input } of suspects) say(`    --only ${number}: ${show(input).slice(0, 200)}`)
  }
  if (values.refusals)
    for (const [refusal, count] of [...refusals].sort(([, a], [, b]) => b - a).slice(0, 60))
      say(`  ${count} ${refusal}`)
  for (const fault of faults) say(`FAULT ${fault}`)
  say(faults.length === 0 ? "no faults" : `${faults.length} faults`)
}

const only = values.only === undefined ? undefined : positive("only", values.only)
const options: FuzzOptions = {
  seed: values.seed === undefined ? seed : positive("seed", values.seed),
  inputs: only === undefined ? positive("inputs", values.inputs) : 1,
  seconds: positive("seconds", values.seconds),
  atOnce: positive("at-once", values["at-once"]),
  mostMemory: positive("most-memory", values["most-memory"]) * 2 ** 20,
  mostBlock: positive("most-block", values["most-block"]),
  from: only ?? positive("from", values.from),
  say,
}

say(`--seed ${options.seed}`)
const folder = mkdtempSync(join(tmpdir(), "parley-fuzz-"))
const server = await FuzzServer.start({ folder, databaseUrl: process.env["PARLEY_FUZZ_DATABASE_URL"] })
try {
  const report = await fuzz(server, options)
  tell(report)
  process.exitCode = report.faults.length === 0 ? 0 : 1
} finally {
  await server.stop()
}
