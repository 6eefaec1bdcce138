/**
 * Flags compared with a row for each message of each user, from a fresh seed: one run at least, and further ones while
 * there is time. Short runs with fixed seeds: test/chat/reading/flags/flags-model.test.ts.
 */
import t from "tap"
import { runSeed } from "../chat/reading/flags/model/run.ts"
import { announceSeed, sized, timeout, timer } from "./budget.ts"

const first = announceSeed("flags")
const steps = sized(400, 40)

t.test(`flags from seed ${first} on`, { timeout }, async (t) => {
  const goesOn = timer()
  let seed = first
  do {
    await t.test(`seed ${seed}`, (t) => runSeed(t, seed, steps))
    seed++
  } while (goesOn())
})
