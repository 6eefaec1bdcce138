import t from "tap"
import { makeRefusals } from "../../src/fairness/refusals.ts"
import { manualClock } from "../kit/manual-clock.ts"

t.test("refusals are logged once a minute, with who was refused most", (t) => {
  const clock = manualClock()
  const lines: Array<string> = []
  const refusals = makeRefusals(clock, (text) => lines.push(text))
  for (let n = 0; n < 300; n++) refusals.note("requests of an address", "10.0.0.1")
  for (let n = 0; n < 3000; n++) refusals.note("requests of an address", `10.1.${n >> 8}.${n & 255}`)
  refusals.note("queues of a user", "user 5 of realm 1")
  t.same(lines, [], "nothing at once")
  clock.advance(60_000)
  t.equal(lines.length, 2)
  t.match(lines[0], /^refused 3300 times in a minute, limit "requests of an address": 10\.0\.0\.1 \(300\), /)
  t.match(lines[0], /others \(2996\)$/)
  t.equal(lines[1], 'refused 1 times in a minute, limit "queues of a user": user 5 of realm 1 (1)')
  clock.advance(600_000)
  t.equal(lines.length, 2, "a quiet minute has no line")
  refusals.note("queues of a user", "user 5 of realm 1")
  clock.advance(60_000)
  t.equal(lines.length, 3)
  t.equal(refusals.counts().get("queues of a user"), 2, "counted since the start")
  t.end()
})
