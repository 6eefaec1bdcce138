/** Ctrl-C: what npm passes on again is no second one. */
import t from "tap"
import { BenchImpossible } from "../../../src/command-line/bench/bench-impossible.ts"
import { interruptBy } from "../../../src/command-line/bench/interrupts.ts"

t.test("the first ends the run in good order, its echo does nothing, a later one ends it at once", async (t) => {
  const cases: ReadonlyArray<readonly [times: ReadonlyArray<number>, codes: ReadonlyArray<number>]> = [
    [[0], []],
    [[0, 3], []],
    [[5000, 5001, 5020, 5999], []],
    [[5000, 5003, 6000], [130]],
    [[0, 60_000], [130]],
  ]
  for (const [times, expected] of cases) {
    const interrupted = new AbortController()
    const codes: Array<number> = []
    let now = 0
    const interrupt = interruptBy({ interrupted, exit: (code) => void codes.push(code), now: () => now })
    for (now of times) interrupt()
    t.same(codes, expected, String(times))
    t.match(interrupted.signal.reason, new BenchImpossible("interrupted"))
  }
})
