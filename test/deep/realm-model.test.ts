/**
 * Random organizations from a fresh seed, one run at least and further ones while there is time. The same runs with fixed
 * seeds, and what they compare: test/walks/realm-model.test.ts. PARLEY_REALM_STEPS=n makes runs longer than 60 steps.
 */
import t from "tap"
import { runSeed } from "../walks/model-realm/seed.ts"
import { announceSeed, timeout, timer } from "./budget.ts"

const first = announceSeed("realm-model")
const steps = Number(process.env["PARLEY_REALM_STEPS"] ?? 60)

t.test(`random organizations from seed ${first} on`, { timeout }, async (t) => {
  const goesOn = timer()
  let seed = first
  do {
    await t.test(`seed ${seed}`, async (t) => {
      const given = await runSeed(t, seed, steps)
      t.comment(`given: ${[...given].sort().join(", ")}`)
    })
    seed++
  } while (goesOn())
})
