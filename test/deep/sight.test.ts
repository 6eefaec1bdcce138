/**
 * Sight and narrows (who may see what, and what is found) from a fresh seed: one run of each at least, and further ones
 * while there is time. Short runs with fixed seeds: test/chat/reading/history/sight-model.test.ts and
 * narrow-model.test.ts.
 */
import t from "tap"
import { runNarrows, runVisibility } from "../chat/reading/history/model/run.ts"
import { announceSeed, sized, timeout, timer } from "./budget.ts"

const first = announceSeed("sight")
const steps = sized(120, 30)

t.test(`sight from seed ${first} on`, { timeout }, async (t) => {
  const goesOn = timer()
  let seed = first
  do {
    await t.test(`seed ${seed}`, (t) => runVisibility(t, seed, steps, 30))
    await t.test(`narrows, seed ${seed}`, (t) => runNarrows(t, seed, steps, sized(20, 5)))
    seed++
  } while (goesOn())
})
