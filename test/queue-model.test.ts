/**
 * The event core against a small model, under random schedules: commits, ephemerals, a hub that lags, sliced loops,
 * polls whose answers are lost, old ids, two connections at once, sockets that drop frames, kills, pruning. The seed is
 * printed; PARLEY_SEED repeats it.
 */
import t from "tap"
import { faults } from "./model/faults.ts"
import { soundParts } from "./model/parts.ts"
import type { Parts } from "./model/process.ts"
import { type Failure, runSchedule } from "./model/schedule.ts"
import { Violation } from "./model/violation.ts"

const schedules = 600
const stepsEach = 200
const given = process.env["PARLEY_SEED"]
const seed = given === undefined ? Date.now() % 1_000_000_000 : Number(given)

const findFailure = (parts: Parts, most: number): Failure | null => {
  for (let index = 0; index < most; index++) {
    const failure = runSchedule(seed + index, parts, stepsEach)
    if (failure !== null) return failure
  }
  return null
}

const tell = ({ seed, cause, steps }: Failure): string =>
  `PARLEY_SEED=${seed}: ${cause instanceof Violation ? cause.message : cause instanceof Error ? cause.stack : cause}\nafter ${steps.join(" ")}`

t.test("I3, I4, I5, I10, I13: every promise is kept under random schedules", async (t) => {
  t.comment(`seed ${seed}`)
  const failure = findFailure(soundParts, schedules)
  t.equal(failure === null ? "" : tell(failure), "")
})

t.test("each fault that is planted is found", async (t) => {
  for (const [name, parts] of Object.entries(faults)) {
    const failure = findFailure({ ...soundParts, ...parts }, schedules)
    t.ok(failure?.cause instanceof Violation, `${name}: ${failure === null ? "not found" : tell(failure)}`)
  }
})
