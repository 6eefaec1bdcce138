/** Power cuts of a server with an embedded database, in short: test/deep/power-cut.test.ts has hundreds of them. */
import { join } from "node:path"
import t from "tap"
import { createFolder } from "../kit/test-database.ts"
import { Dice, seedFromEnvironment } from "./kill/dice.ts"
import { brokenPromises, countsOf, cutPower } from "./power/cuts.ts"
import { record } from "./power/history.ts"

const dice = new Dice(seedFromEnvironment())
t.comment(`PARLEY_SEED=${dice.seed}`)

t.test("what a power cut leaves of a server that syncs holds all that was acknowledged", async (t) => {
  const parent = await createFolder(t)
  const history = await record(parent, [{ sync: true, sends: 60, end: "kill" }], dice)
  const cuts = await cutPower({ history, folder: join(parent, "image"), images: 5, dice })
  t.comment(countsOf(cuts))
  t.same(brokenPromises(cuts), [], `seed ${dice.seed}`)
})

t.test("what it leaves of one that does not may lack some", async (t) => {
  const parent = await createFolder(t)
  const history = await record(parent, [{ sync: false, sends: 60, end: "kill" }], dice)
  const cuts = await cutPower({ history, folder: join(parent, "image"), images: 4, dice })
  t.comment(countsOf(cuts))
  t.not(brokenPromises(cuts).length, 0, `seed ${dice.seed}`)
  t.ok(
    cuts.every(({ trusted, acknowledged }) => trusted !== true || acknowledged === 0),
    "and its past is never trusted",
  )
})
