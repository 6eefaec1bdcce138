/** Jumps of the machine's clock. */
import t from "tap"
import { makeClockWatch } from "../../src/jobs/clock-watch.ts"
import { manualClock } from "../kit/manual-clock.ts"

const hour = 3600_000

t.test("each jump of the clock is logged, and ages are not trusted for an hour", (t) => {
  const clock = manualClock(Date.UTC(2026, 0, 1))
  const lines: Array<string> = []
  const watch = makeClockWatch(clock, (text) => lines.push(text))
  clock.advance(hour - 1)
  t.equal(watch.isTrusted(), false, "a server that has just started")
  clock.advance(1)
  t.equal(watch.isTrusted(), true)

  for (let look = 0; look < 100; look++) {
    clock.jump(9_000)
    watch.look()
  }
  t.same(lines, [], "small steps are no jump")
  clock.jump(-900_000)
  watch.look()
  t.equal(lines.length, 1)
  clock.advance(hour)
  t.equal(watch.isTrusted(), true)

  clock.jump(400 * 24 * hour)
  t.equal(watch.isTrusted(), false, "noticed at once")
  clock.advance(hour - 1)
  t.equal(watch.isTrusted(), false)
  clock.jump(-400 * 24 * hour)
  watch.look()
  clock.advance(1)
  t.equal(watch.isTrusted(), false, "an hour from the last jump")
  clock.advance(hour)
  t.equal(watch.isTrusted(), true)
  t.same(lines, [
    "the clock jumped back by 900 s, to 2026-01-01T01:00:00.000Z: nothing is pruned for an hour",
    "the clock jumped ahead by 34560000 s, to 2027-02-05T02:00:00.000Z: nothing is pruned for an hour",
    "the clock jumped back by 34560000 s, to 2026-01-01T02:59:59.999Z: nothing is pruned for an hour",
  ])
  t.end()
})
