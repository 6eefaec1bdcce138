/** Preparing a PGlite folder from the image that the build makes. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import t from "tap"
import { pgliteLayer } from "../../../src/db/pglite/pglite.ts"
import { prepareFolder, readyImage, unpackImage } from "../../../src/db/pglite/pglite-image.ts"
import { inTurn, some } from "../../kit/share.ts"
import { createFolder, openLayer } from "../../kit/test-database.ts"

t.test("a folder is prepared whole, and one that holds a database is left alone", async (t) => {
  const parent = await createFolder(t)
  const folder = join(parent, "cluster")
  await prepareFolder(join(parent, "stranger"), { sync: false })
  await prepareFolder(`${folder}.new-not-ours`, { sync: false })
  await writeFile(join(parent, ".cluster.new-123456"), "half made")
  await prepareFolder(folder, { sync: false })
  t.same((await readdir(parent)).sort(), ["cluster", "cluster.new-not-ours", "stranger"], "half made ones are removed")
  t.ok((await readdir(folder)).includes("PG_VERSION"), "the image was there")
  const { script, query, close } = await openLayer(t, pgliteLayer(folder, { sync: false }))
  await script("create table kept (n int); insert into kept values (1)")
  await close()
  await prepareFolder(folder, { sync: false })
  const again = await openLayer(t, pgliteLayer(folder, { sync: false }))
  t.match(await again.query("select n from kept"), [{ n: 1 }])
  t.match(await query("select 1").catch((error: unknown) => error), { name: "Unavailable" }, "closed is closed")
})

t.test(
  "an image that is cut anywhere fills no folder",
  inTurn(2, "an image that is cut anywhere fills no folder"),
  async (t) => {
    const parent = await createFolder(t)
    const whole = await readFile(readyImage)
    const unpack = async (bytes: Buffer, name: string) => {
      const [image, folder] = [join(parent, `${name}.gz`), join(parent, name)]
      await writeFile(image, bytes)
      await mkdir(folder)
      return unpackImage(folder, image)
    }
    t.equal(await unpack(whole, "whole"), true)
    for (const size of some([20, 2000, whole.length >> 1, whole.length - 1], 2, "cut images")) {
      await t.rejects(unpack(whole.subarray(0, size), `${size}`), { code: "Z_BUF_ERROR" }, `${size} bytes`)
    }
    const [image, folder] = [join(parent, "half.gz"), join(parent, "cluster")]
    await writeFile(image, whole.subarray(0, whole.length >> 1))
    await t.rejects(prepareFolder(folder, { sync: false, image }), { code: "Z_BUF_ERROR" })
    t.notOk((await readdir(parent)).includes("cluster"), "the copy beside it was not renamed")
  },
)
