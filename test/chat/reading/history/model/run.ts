/** One random run of a scene from one seed, with comparisons and a restart on its way. */
import type { Test } from "tap"
import { withServer } from "../../../../kit/with-server.ts"
import { Acts } from "./acts.ts"
import { Listeners } from "./listeners.ts"
import { Looks } from "./looks.ts"
import { channels, Disagreement, Scene } from "./scene.ts"

/** Fails the test with the first disagreement. */
const inScene = (
  t: Test,
  seed: number,
  act: (acts: Acts, looks: Looks, listeners: Listeners) => Promise<void>,
): Promise<void> =>
  withServer(t, { channels }, async (server) => {
    const scene = new Scene(server, seed)
    const looks = new Looks(scene, seed)
    const listeners = new Listeners(scene)
    try {
      await scene.begin()
      await act(new Acts(scene, listeners), looks, listeners)
      t.pass(`seed ${seed}`)
    } catch (error) {
      if (!(error instanceof Disagreement)) throw error
      t.same(error.message.split("\n"), [], `the model's seed ${seed}`)
    }
  })

/**
 * Random requests; after each what all queues hear of it, and every `between` of them what a share of all users is shown.
 * The server restarts in the middle.
 */
export const runVisibility = (t: Test, seed: number, steps: number, between: number, share = 1): Promise<void> =>
  inScene(t, seed, async (acts, looks, listeners) => {
    await listeners.begin()
    for (let n = 1; n <= steps; n++) {
      await listeners.heed(() => acts.step())
      if (n === Math.floor(steps / 2)) await acts.scene.server.restart()
      if (n % between === 0 || n === steps) await listeners.heed(() => looks.all(share))
    }
    await listeners.end()
  })

/** Messages of random steps, then many narrows of each user. */
export const runNarrows = (t: Test, seed: number, steps: number, count: number): Promise<void> =>
  inScene(t, seed, async (acts, looks) => {
    for (let n = 0; n < 25; n++) await acts.sends()
    for (let n = 0; n < steps; n++) await acts.step()
    for (const user of acts.scene.world.activeUsers()) {
      const flags = await looks.flags(user)
      for (let n = 0; n < count; n++) {
        const narrow = looks.narrows.some(user, flags)
        await looks.narrow(user, narrow)
        looks.judged(user, narrow, flags)
      }
    }
  })
