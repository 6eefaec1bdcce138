/** The writer under random schedules. PARLEY_SEED=<seed> plays those from that one on. */
import t from "tap"
import { seed } from "../../kit/share.ts"
import { Random } from "../model/random.ts"
import { play, type Seen } from "./schedule.ts"

const schedules = 150

t.test("I6 I7 I8 I9: no schedule of a writer breaks a promise", async (t) => {
  const seen: Seen = { overlapped: 0, stale: 0, answered: 0, unavailable: 0 }
  for (let n = 0; n < schedules; n++) t.same(await play(new Random(seed + n), seen), [], `seed ${seed + n}`)
  for (const [what, count] of Object.entries(seen)) t.ok(count > 0, `${count} ${what}`)
})
