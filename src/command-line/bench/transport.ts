/** Whether the server's queues are read by WebSocket: found out by opening one. */
import type { BenchArguments } from "./bench-arguments.ts"
import { authorizationOf, type BenchScene, newWord } from "./bench-channel.ts"
import { BenchImpossible } from "./bench-impossible.ts"
import { BenchQueue } from "./bench-queue.ts"

const patienceMilliseconds = 10_000

/** Null where it was opened; else why it was not. */
const tryOne = (scene: BenchScene, id: string, last: number): Promise<string | null> =>
  new Promise((resolve) => {
    const [account] = scene.accounts
    const queue = new BenchQueue({
      place: scene.place,
      transport: "socket",
      authorization: account === undefined ? "" : authorizationOf(account),
      id,
      last,
      mark: Buffer.from(newWord()),
      onNumbers: () => {},
      onOpen: () => settle(null),
      onLost: ({ why }) => settle(why),
    })
    const late = setTimeout(() => settle("no answer"), patienceMilliseconds)
    const settle = (found: string | null) => {
      clearTimeout(late)
      queue.close()
      resolve(found)
    }
    queue.open()
  })

export const findTransport = async (
  scene: BenchScene,
  wanted: BenchArguments["transport"],
): Promise<"socket" | "poll"> => {
  const [client] = scene.clients
  if (wanted === "poll" || client === undefined) return "poll"
  const params = { event_types: ["message"], fetch_event_types: ["message"] }
  const { queue_id, last_event_id } = await client.call("POST /register", params, { signal: scene.signal })
  if (queue_id === undefined || queue_id === null || last_event_id === undefined)
    throw new BenchImpossible("the server registers no queues")
  const fault = await tryOne(scene, queue_id, last_event_id)
  await client.call("DELETE /events", { queue_id }, { signal: scene.signal, retries: false }).catch(() => null)
  if (fault !== null && wanted === "socket")
    throw new BenchImpossible(`the server has no WebSocket at /api/v1/events/ws: ${fault}`)
  return fault === null ? "socket" : "poll"
}
