/** The writer under random schedules: test/events/writing/schedules.test.ts for longer. */
import t from "tap"
import { Random } from "../events/model/random.ts"
import { play, type Seen } from "../events/writing/schedule.ts"
import { announceSeed, timeout, timer } from "./budget.ts"

const seed = announceSeed("writer")

t.test("I6 I7 I8 I9: no schedule of a writer breaks a promise", { timeout }, async (t) => {
  const seen: Seen = { overlapped: 0, stale: 0, answered: 0, unavailable: 0 }
  const goesOn = timer()
  let broken: ReadonlyArray<string> = []
  let schedules = 0
  for (; broken.length === 0 && goesOn(); schedules++) broken = await play(new Random(seed + schedules), seen)
  t.same(broken, [], `seed ${seed + schedules - 1}`)
  for (const [what, count] of Object.entries(seen)) t.ok(count > 0, `${count} ${what} in ${schedules} schedules`)
})
