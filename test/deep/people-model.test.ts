/**
 * Random requests about people, bots and what they have, from a fresh seed: one run at least and further ones while there
 * is time. What they compare: test/walks/model-people/run.ts. PARLEY_REALM_STEPS=n makes runs longer than 60 steps.
 */
import t from "tap"
import { runSeed } from "../walks/model-people/seed.ts"
import { announceSeed, sized, timeout, timer } from "./budget.ts"

const first = announceSeed("people-model")
const steps = Number(process.env["PARLEY_REALM_STEPS"] ?? sized(60, 20))

t.test(`random people from seed ${first} on`, { timeout }, async (t) => {
  const goesOn = timer()
  let seed = first
  do {
    await t.test(`seed ${seed}`, async (t) => {
      const given = await runSeed(t, seed, steps, 1)
      t.comment(`given: ${[...given].sort().join(", ")}`)
    })
    seed++
  } while (goesOn())
})
