/**
 * The disturbance of the kill test: the server dies by SIGKILL at random moments, while it starts up too, and comes
 * back a moment later with other limits, so that small lists, small frames and a short memory are met as well.
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
  PARLEY_POLL_HOLD_SECONDS: "1",
}

/** The ring holds what a life of a few seconds needs, frames are small. */
const modest: Settings = { ...often, PARLEY_PENDING_EVENTS: "40", PARLEY_SOCKET_BACKPRESSURE_BYTES: "32768" }

export const chooseSettings = (dice: Dice): Settings => dice.pick([often, modest, cramped, cramped])

/** One life and its end. */
const killOnce = async ({ server, dice, progress, addQueue }: Scene): Promise<void> => {
  const early = dice.chance(0.25)
  if (early) await sleep(dice.between(0, 1200))
  else {
    await server.ready()
    await addQueue()
    await progress(dice.between(5, 60))
    await sleep(dice.between(0, 700))
  }
  await server.kill()
  await sleep(dice.between(0, 200))
  server.start(chooseSettings(dice))
}

export const killServer =
  (kills: number) =>
  async (scene: Scene): Promise<void> => {
    for (let kill = 0; kill < kills && scene.world.running(); kill++) await killOnce(scene)
    await scene.server.ready()
    await scene.progress(60)
  }
