/** One random run from one seed, with a restart in the middle and one at its end. */
import type { Test } from "tap"
import { mailing } from "../../chat/people/accounts/accounts-scene.ts"
import { plainPicture } from "../../kit/some-pictures.ts"
import { withServer } from "../../kit/with-server.ts"
import { Difference, Run } from "./run.ts"
import { channels, Scene } from "./scene.ts"

const longRun = 60

/**
 * Fails the test with the first difference. Answers the kinds of requests that succeeded. `each`: after how many steps
 * all is compared.
 */
export const runSeed = async (t: Test, seed: number, steps: number, each: number): Promise<ReadonlySet<string>> => {
  let given: ReadonlySet<string> = new Set()
  await withServer(t, { ...mailing, channels }, async (server) => {
    const scene = new Scene(server, await plainPicture(200, 200).png().toBuffer())
    const run = new Run(t, scene, seed)
    let taken = 0
    try {
      await run.begin()
      for (; taken < steps; taken++) {
        await run.step((taken + 1) % each === 0)
        if (taken === Math.floor(steps / 2)) await run.restart()
      }
      await run.compare(true)
      await run.restart()
      await run.compare(true)
      t.ok(run.given.size > 0, `seed ${seed}: ${run.given.size} kinds given`)
      // Of a few steps none may be refused.
      if (steps >= longRun) t.ok(run.refused > 0, `seed ${seed}: some are refused`)
    } catch (error) {
      if (!(error instanceof Difference)) throw error
      t.same(error.message.split("\n"), [], `the model's seed ${seed}, step ${taken + 1}`)
    }
    given = run.given
  })
  return given
}
