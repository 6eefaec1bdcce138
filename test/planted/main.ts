/**
 * `npm run planted -- [--seed 123] [--seeds 8] [--only name | --some 5] [--beside] [--jobs 2] [--limit 120]`: plants forty faults, one at a
 * time, and counts those that the tests find. With PARLEY_TEST_FULL=1 all must be found; by the tests of one seed nine of
 * ten, by those of several seeds together all. A fault that is not found wants a test.
 */
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { seed as givenSeed, hashOf, isFull } from "../kit/share.ts"
import { complaintsOf, type Fault } from "./fault.ts"
import { faults as allFaults } from "./faults.ts"
import { type Outcome, Proof } from "./proof.ts"
import { dependsOnSeed } from "./test-files.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(givenSeed) },
    /** As many, one after the other. */
    seeds: { type: "string", default: "1" },
    /** A part of a fault's name, or of its file's. */
    only: { type: "string", multiple: true },
    /** As many faults, in turn by the seed. */
    some: { type: "string" },
    /** Asks only the tests that stand beside each line. */
    beside: { type: "boolean", default: false },
    jobs: { type: "string", default: "2" },
    limit: { type: "string", default: isFull ? "900" : "180" },
  },
})

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const stop = (text: string): never => {
  process.stderr.write(`planted: ${text}\n`)
  return process.exit(2)
}

const whole = (name: string, text: string): number =>
  /^\d{1,15}$/.test(text) ? Number(text) : stop(`--${name} ${text} is not a whole number`)

const first = whole("seed", values.seed)

/** Some of them are in turn in the full run as well, so test/kit/share does not choose them. */
const choose = (): ReadonlyArray<Fault> => {
  const { only, some } = values
  if (only !== undefined)
    return allFaults.filter(({ name, file }) => only.some((part) => name.includes(part) || file.includes(part)))
  if (some === undefined) return allFaults
  const runs = Math.ceil(allFaults.length / Math.max(1, whole("some", some)))
  return allFaults.filter((_, index) => (index + hashOf("planted") + first) % runs === 0)
}

const project = fileURLToPath(new URL("../../..", import.meta.url))
const complaints = complaintsOf(project, allFaults)
if (complaints.length > 0) stop(complaints.join("\n"))
const faults = choose()
if (faults.length === 0) stop("no fault is called so")
const seeds = Array.from({ length: isFull ? 1 : whole("seeds", values.seeds) }, (_, index) => first + index)
const { jobs, limit } = { jobs: whole("jobs", values.jobs), limit: whole("limit", values.limit) }

const tell = ({ fault, seed, found, seconds }: Outcome): void => {
  const time = `${seconds.toFixed(1)} s`.padStart(8)
  say(
    found === null
      ? `NOT found ${time}  ${fault.name} (${fault.file}), seed ${seed}`
      : `found     ${time}  ${fault.name}\n                      by ${found.file}: ${found.failure}`,
  )
}

const outcomes: Array<Outcome> = []
/** Found by tests that no seed leaves out. */
const certain = new Set<Fault>()

// Copies are removed, and runs ended, as the process ends.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))
const proof = await Proof.begin({ project, faults: allFaults, jobs, limit, isBeside: values.beside, say })
for (const seed of seeds) {
  const left = faults.filter((fault) => !certain.has(fault))
  await proof.run(left, seed, (outcome) => {
    outcomes.push(outcome)
    if (outcome.found !== null && !dependsOnSeed(outcome.found.file)) certain.add(outcome.fault)
    tell(outcome)
  })
}

const wasFound = (fault: Fault, seed?: number): boolean =>
  certain.has(fault) ||
  outcomes.some(
    (outcome) => outcome.fault === fault && outcome.found !== null && (seed === undefined || outcome.seed === seed),
  )

/** Says how many faults were found; whether that is enough. */
const count = (what: string, found: ReadonlyArray<Fault>, demanded: number): boolean => {
  say(`${what}: ${found.length} of ${faults.length}${found.length < demanded ? `, demanded ${demanded}` : ""}`)
  return found.length >= demanded
}

const together = faults.filter((fault) => wasFound(fault))
const perSeed = seeds.map((seed) =>
  count(
    isFull ? "full" : `seed ${seed}`,
    faults.filter((fault) => wasFound(fault, seed)),
    isFull ? faults.length : Math.floor(faults.length * 0.9),
  ),
)
const isEnough = seeds.length === 1 || count(`${seeds.length} seeds`, together, faults.length)
for (const fault of faults.filter((each) => !together.includes(each)))
  say(`no test finds: ${fault.name} (${fault.file})`)
process.exitCode = isEnough && perSeed.every(Boolean) ? 0 : 1
