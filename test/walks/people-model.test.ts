/**
 * Random requests about people, bots and what they have (addresses, pictures, domains, whom guests know, views, presence):
 * what clients have by events must be what a register says (I13), for each role, over restarts, and the projection what the
 * tables say (I12). Here with a fixed seed that makes nearly every kind of request; after each single step, and with a fresh seed
 * each time: test/deep/people-model.test.ts.
 */
import t from "tap"
import { kinds } from "./model-people/run.ts"
import { runSeed } from "./model-people/seed.ts"

const seeds = [1]
const steps = 80

/** All is compared after so many steps: a register for each person after each one takes long. */
const each = 8

const given = new Set<string>()

for (const seed of seeds) {
  t.test(`seed ${seed}`, async (t) => {
    for (const kind of await runSeed(t, seed, steps, each)) given.add(kind)
  })
}

t.test("the fixed seed makes these kinds of requests succeed", async (t) => {
  t.same(
    kinds.filter((kind) => !given.has(kind)),
    [],
  )
})
