/** Wide rows and ephemerals over restarts: rounds of test/events/queue-invariants.test.ts, others each time. */
import t from "tap"
import { playWideRows, sizes } from "../events/wide-rows.ts"
import { announceSeed, deepSeconds, timeout, timer } from "./budget.ts"

const seed = announceSeed("queue-invariants")
const all = Object.entries(sizes)
/** Rounds that hold each kind of event, however slow the machine is. */
const leastRounds = 12

for (const [what, limits] of all) {
  t.test(`I3, I4, I5, I10: wide rows and ephemerals, ${what}`, { timeout }, (t) => {
    const goesOn = timer(deepSeconds / all.length)
    return playWideRows(t, limits, seed, (rounds) => rounds < leastRounds || goesOn())
  })
}
