/** Queues, hub and ring against a model of them, under random schedules: test/events/queue-model.test.ts for longer. */
import t from "tap"
import { faults } from "../events/model/faults.ts"
import { soundParts } from "../events/model/parts.ts"
import { findFailure, runOne, tell } from "../events/model/search.ts"
import { Violation } from "../events/model/violation.ts"
import { announceSeed, timeout, timer } from "./budget.ts"

const seed = announceSeed("queue-model")
/** The rarest planted fault needs about 50 schedules. */
const schedulesForFaults = 1500

t.test("I3, I4, I5, I10, I13: random schedules break no promise", { timeout }, async (t) => {
  const { failure, schedules } = await findFailure(soundParts, seed, timer())
  t.equal(tell(failure), "nothing", `${schedules} schedules from seed ${seed} on`)
})

t.test("each planted fault is found with any seed, and again with its own", { timeout }, async (t) => {
  for (const [name, part] of Object.entries(faults)) {
    const parts = { ...soundParts, ...part }
    const { failure } = await findFailure(parts, seed, (schedules) => schedules < schedulesForFaults)
    t.ok(failure?.cause instanceof Violation, `${name}: ${tell(failure)}`)
    if (failure !== null) t.equal(tell(runOne(failure.seed, parts)), tell(failure))
  }
})
