/**
 * Reads one queue through the client for programs (src/client), as a stranger's program would: it leaves and comes back, by
 * socket or by poll, sometimes with an older id. What the client gives is put down as all others' events are; that it may
 * not give an id twice, and must not lose its queue, is checked here. What a client must not do is done by readers.ts.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { WebSocket } from "undici"
import { Client } from "../../../src/client/index.ts"
import { eventsOf } from "../../kit/reader.ts"
import { packedFrames } from "../../kit/socket-client.ts"
import type { Dice } from "./dice.ts"
import type { Habits } from "./readers.ts"
import type { Reading } from "./reading.ts"
import type { World } from "./world.ts"

const pauses = { firstMilliseconds: 20, mostMilliseconds: 200 }

/** Reads until the world stops. */
export const readByClient = async (world: World, reading: Reading, habits: Habits, dice: Dice): Promise<void> => {
  const { name, owner, queueId } = reading
  const account = { email: owner.email, apiKey: owner.key }
  const client = new Client({ server: world.server.origin, account, WebSocket, pauses })
  while (world.running()) {
    if (dice.chance(habits.forgets)) reading.forget(dice.between(1, 60))
    const reader = client.read(
      {},
      {
        queue: { queueId, lastEventId: reading.lastId },
        sockets: dice.chance(0.7),
        frames: dice.chance(0.5) ? packedFrames : undefined,
        keepQueue: true,
        heartbeats: true,
      },
    )
    const timer = setTimeout(() => reader.close(), dice.between(50, 4_000))
    try {
      for await (const item of reader) {
        if (item.kind === "state") return world.faults.add(`${name} lost its queue`)
        reading.take(eventsOf([item.event]))
        if (dice.chance(habits.stalls / 20)) await sleep(dice.between(50, 1_000))
        if (dice.chance(habits.drops / 50)) break
      }
    } catch (error) {
      return world.faults.add(`${name} could not be read: ${error}`)
    } finally {
      clearTimeout(timer)
    }
    if (reader.doubles > 0) world.faults.add(`${name} was given ${reader.doubles} ids twice`)
  }
}
