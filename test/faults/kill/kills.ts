/**
 * Kills a server by SIGKILL at random moments, also while it starts up, and starts it again a moment later with other
 * limits, so that short pending lists, small frames and a small ring occur too. Used by test/deep/kill.test.ts.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { Dice } from "./dice.ts"
import type { Scene } from "./scene.ts"
import type { Settings } from "./server-process.ts"

/** Heartbeats and expiries come often enough to be met within a life of a second or two. */
const often: Settings = {
  PARLEY_HEARTBEAT_MIN_SECONDS: "1",
  PARLEY_HEARTBEAT_MAX_SECONDS: "2",
  PARLEY_TYPING_STARTED_EXPIRY_MILLISECONDS: "700",
  PARLEY_TYPING_STARTED_WAIT_MILLISECONDS: "600",
  PARLEY_TYPING_STOPPED_WAIT_MILLISECONDS: "500",
}

/** Queues fall behind at once, and read the log because the ring holds a few rows only. */
const cramped: Settings = {
  ...often,
  PARLEY_PENDING_EVENTS: "15",
  PARLEY_PENDING_BYTES: "8192",
  PARLEY_RING_BYTES: "65536",
  PARLEY_SOCKET_BACKPRESSURE_BYTES: "4096",
}

/** The ring holds what a life of a few seconds needs, frames are small. */
const modest: Settings = { ...often, PARLEY_PENDING_EVENTS: "40", PARLEY_SOCKET_BACKPRESSURE_BYTES: "32768" }

/** Polls end early, whatever the queue has. Not in the last life, in which an empty answer shows that nothing is left. */
const hasty: Settings = { PARLEY_POLL_HOLD_SECONDS: "1" }

export const chooseSettings = (dice: Dice, isLast: boolean): Settings => ({
  ...dice.pick([often, modest, cramped, cramped]),
  ...(dice.chance(0.5) && !isLast ? hasty : {}),
})

/**
 * Kills the server while only ephemerals are sent: no new row separates the last ephemeral before the kill from the
 * first one after it, so the new server must write one before it gives ids.
 */
const killInSilence = async ({ server, dice, setQuiet }: Scene, next: Settings): Promise<void> => {
  await server.ready()
  setQuiet(true)
  await sleep(dice.between(200, 600))
  await server.kill()
  server.start(next)
  await server.ready()
  await sleep(dice.between(200, 600))
  setQuiet(false)
}

/** Lets the server run for a while and ends it, mostly by SIGKILL, now and then by SIGTERM. */
const endLife = async (
  { server, dice, progress, addQueue, flood }: Scene,
  next: Settings,
  milliseconds: number,
): Promise<void> => {
  await server.ready()
  await addQueue()
  await progress(dice.between(20, 150))
  if (dice.chance(0.5)) flood()
  await sleep(milliseconds)
  if (dice.chance(0.1)) await server.stop()
  else await server.kill()
  await sleep(dice.between(0, 200))
  server.start(next)
}

/** Kills the server soon after its start, mostly before it is ready. */
const killEarly = async ({ server, dice }: Scene, next: Settings): Promise<void> => {
  await sleep(dice.between(0, 1200))
  await server.kill()
  server.start(next)
}

/** Acknowledgements are written back every 5 s. */
const longLife = 6_000

/** Kills the server again and again while `goesOn` says so, then lets it come back. */
export const killServer =
  (goesOn: () => boolean) =>
  async (scene: Scene): Promise<void> => {
    const { dice, world } = scene
    for (let kill = 0, isLast = false; !isLast && world.running(); kill++) {
      isLast = !goesOn()
      const next = chooseSettings(dice, isLast)
      if (kill % 5 === 2) await killInSilence(scene, next)
      else if (kill % 10 === 8) await endLife(scene, next, longLife)
      else if (dice.chance(0.25)) await killEarly(scene, next)
      else await endLife(scene, next, dice.between(0, 700))
    }
    await scene.server.ready()
    await scene.progress(60)
  }
