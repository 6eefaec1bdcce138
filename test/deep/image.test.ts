/** Without its image, PGlite makes a folder itself, which takes 4 s of processor time. */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import t from "tap"
import { prepareFolder } from "../../src/db/pglite/pglite-image.ts"
import { createFolder } from "../kit/test-database.ts"

t.test("a folder is prepared without the image", async (t) => {
  const parent = await createFolder(t)
  await prepareFolder(join(parent, "slow"), { sync: false, image: join(parent, "no-image") })
  t.same(await readdir(parent), ["slow"])
  t.ok((await readdir(join(parent, "slow"))).includes("PG_VERSION"))
})
