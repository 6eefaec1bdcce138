/** How long a server takes to end its connections. */
import t from "tap"
import { drainSteps } from "../../../../src/chat/server/sync/connected-queues.ts"

t.test("more connections are ended over a longer time, within bounds", async (t) => {
  const seconds = (connections: number) => drainSteps(connections) / 10
  for (const few of [0, 1, 20, 2_000]) t.equal(seconds(few), 2, `${few}`)
  t.equal(seconds(26_000), 6, "half of the way")
  for (const many of [50_000, 1_000_000]) t.equal(seconds(many), 10, `${many}`)
  let last = 0
  for (let connections = 0; connections <= 60_000; connections += 500) {
    t.ok(drainSteps(connections) >= last, `${connections}`)
    last = drainSteps(connections)
  }
})
