/** Lines of the log while something fails: how many there are. */
import t from "tap"
import { makeBackoff } from "../../../src/db/faults/backoff.ts"
import { makeFaultLog } from "../../../src/db/faults/fault-log.ts"
import { manualClock } from "../../kit/manual-clock.ts"

t.test("a fault has a line when it begins, one a minute while it lasts, and one when it is over", (t) => {
  const clock = manualClock()
  const lines: Array<string> = []
  const faults = makeFaultLog(clock.elapsed, (text) => lines.push(text), {
    begins: (reason) => `begins: ${reason}`,
    lasts: (reason, times) => `lasts, ${times}: ${reason}`,
    ends: (seconds) => `over after ${seconds}`,
  })
  faults.over()
  t.same(lines.splice(0), [], "nothing has begun")
  for (let tries = 0; tries < 121; tries++) {
    faults.met("disk")
    clock.advance(1000)
  }
  faults.over()
  faults.over()
  t.same(lines.splice(0), ["begins: disk", "lasts, 60: disk", "lasts, 60: disk", "over after 121"])
  // It comes and goes, every 6 seconds.
  for (let tries = 0; tries < 30; tries++) {
    clock.advance(3000)
    faults.met("disk")
    clock.advance(3000)
    faults.over()
  }
  t.same(lines, ["lasts, 11: disk", "over after 3", "lasts, 10: disk", "over after 3"], "one fault")
  t.end()
})

t.test("the pauses between tries are doubled up to a bound, and begin anew after a reset", (t) => {
  const backoff = makeBackoff(100, 1000)
  const next = (count: number) => Array.from({ length: count }, () => backoff.next())
  t.same(next(6), [100, 200, 400, 800, 1000, 1000])
  backoff.reset()
  t.same(next(2), [100, 200])
  t.end()
})
