/** A writer to a PGlite folder that is killed at random moments, for PARLEY_DEEP_SECONDS. */
import { join } from "node:path"
import t from "tap"
import { checkKilledWriter } from "../db/killed-writer.ts"
import { createFolder } from "../kit/test-database.ts"

t.test("the folder of a killed server can be opened at once, with every acknowledged row", async (t) => {
  const parent = await createFolder(t)
  const endAt = performance.now() + 1000 * Number(process.env["PARLEY_DEEP_SECONDS"] ?? 15)
  for (let round = 1; round === 1 || performance.now() < endAt; round++)
    await checkKilledWriter(t, join(parent, `${round}`), 1 + Math.floor(Math.random() * 200))
})
