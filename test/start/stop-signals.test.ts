/** Which signals end a server in good order, and which at once. */
import t from "tap"
import { stopSignals } from "../../src/start/stop-signals.ts"

t.test("the first signal stops, the same one by another way is none, a later one ends at once", async (t) => {
  const done: Array<string> = []
  let now = 1000
  const onSignal = stopSignals({
    now: () => now,
    stop: (signal) => done.push(`stop by ${signal}`),
    endAtOnce: (signal) => done.push(`end by ${signal}`),
  })
  onSignal("SIGINT")
  onSignal("SIGINT")
  now += 1000
  onSignal("SIGTERM")
  t.same(done, ["stop by SIGINT"], "npm passes on what the terminal has sent already")
  now += 1
  onSignal("SIGTERM")
  t.same(done, ["stop by SIGINT", "end by SIGTERM"])
})
