/** A writer to a PGlite folder that is killed at random moments, for PARLEY_DEEP_SECONDS. */
import { join } from "node:path"
import t from "tap"
import { checkKilledWriter } from "../db/killed-writer.ts"
import { Dice } from "../faults/kill/dice.ts"
import { createFolder } from "../kit/test-database.ts"
import { announceSeed, timeout, timer } from "./budget.ts"

t.test("the folder of a killed server can be opened at once, with every acknowledged row", { timeout }, async (t) => {
  const parent = await createFolder(t)
  const dice = new Dice(announceSeed("killed-writer"))
  const goesOn = timer()
  for (let round = 1; round === 1 || goesOn(); round++)
    await checkKilledWriter(t, join(parent, `${round}`), dice.between(1, 200))
})
