/** A writer to a PGlite folder that is killed at random moments, for PARLEY_DEEP_SECONDS. */
import { join } from "node:path"
import t from "tap"
import { checkKilledWriter } from "../db/killed-writer.ts"
import { createFolder } from "../kit/test-database.ts"
import { timeout, timer } from "./budget.ts"

t.test("the folder of a killed server can be opened at once, with every acknowledged row", { timeout }, async (t) => {
  const parent = await createFolder(t)
  const goesOn = timer()
  for (let round = 1; round === 1 || goesOn(); round++)
    await checkKilledWriter(t, join(parent, `${round}`), 1 + Math.floor(Math.random() * 200))
})
