/**
 * Random organizations from a fresh seed, for as long as PARLEY_DEEP_SECONDS says (15 where it is not set): the first
 * run always, further ones while there is time. The same runs with fixed seeds, and what they compare:
 * test/walks/realm-model.test.ts. PARLEY_REALM_SEED=n repeats from one seed on, PARLEY_REALM_STEPS=n makes runs longer.
 */
import { randomInt } from "node:crypto"
import t from "tap"
import { runSeed } from "../walks/model-realm/seed.ts"

const seconds = Number(process.env["PARLEY_DEEP_SECONDS"] ?? 15)
const first = Number(process.env["PARLEY_REALM_SEED"] ?? randomInt(2 ** 31))
const steps = Number(process.env["PARLEY_REALM_STEPS"] ?? 60)

t.comment(`PARLEY_REALM_SEED=${first}`)

t.test(`random organizations from seed ${first} on`, async (t) => {
  let longest = 0
  const began = performance.now()
  for (let seed = first; ; seed++) {
    const start = performance.now()
    await t.test(`seed ${seed}`, async (t) => {
      const given = await runSeed(t, seed, steps)
      t.comment(`given: ${[...given].sort().join(", ")}`)
    })
    longest = Math.max(longest, performance.now() - start)
    if (performance.now() - began + longest > 1000 * seconds) break
  }
})
