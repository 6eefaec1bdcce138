/** One random run from one seed, with its restarts and the comparisons at its end. */
import type { Test } from "tap"
import { withServer } from "../../kit/with-server.ts"
import { Difference, Run } from "./run.ts"

/** Fails the test with the first difference between model and server. Answers the kinds of requests that succeeded. */
const longRun = 60

export const runSeed = async (t: Test, seed: number, steps: number): Promise<ReadonlySet<string>> => {
  const given = new Set<string>()
  await withServer(t, {}, async (server) => {
    const run = new Run(server, seed)
    let taken = 0
    try {
      await run.begin()
      for (; taken < steps; taken++) {
        await run.step()
        if (taken === Math.floor(steps / 2)) await run.restart()
      }
      await run.settle()
      await run.wake("late")
      await run.sameAfresh()
      await run.restart()
      await run.wake("asleep")
      await run.settle()
      await run.sameAfresh()
      t.ok(run.given.size > 0, `seed ${seed}: ${run.given.size} kinds given`)
      // Of a few steps none may be refused.
      if (steps >= longRun) t.ok(run.refused > 0, `seed ${seed}: some are refused`)
      for (const kind of run.given) given.add(kind)
    } catch (error) {
      if (!(error instanceof Difference)) throw error
      t.same(error.message.split("\n"), [], `the model's seed ${seed}, step ${taken + 1}`)
    }
  })
  return given
}
