/** A part of `npm run fuzz`: as many inputs as come within the time of a deep test. */
import { join } from "node:path"
import t from "tap"
import { fuzz } from "../fuzz/fuzz.ts"
import { FuzzServer } from "../fuzz/fuzz-server.ts"
import { adminUrl, createFolder, createPostgresDatabase } from "../kit/test-database.ts"
import { announceSeed, deepSeconds, timeout } from "./budget.ts"

t.test("bytes at random neither end the server nor make it fail", { timeout }, async (t) => {
  const seed = announceSeed("fuzz")
  const folder = await createFolder(t)
  const url = adminUrl === undefined ? undefined : await createPostgresDatabase(t, adminUrl)
  const server = await FuzzServer.start(join(folder, "data"), url)
  t.teardown(() => server.stop())
  const { faults, inputs, mostResident, longestBlock } = await fuzz(server, {
    seed,
    inputs: Number.POSITIVE_INFINITY,
    seconds: deepSeconds,
    atOnce: 8,
    mostMemory: 1500 * 2 ** 20,
    mostBlock: 1000,
    from: 0,
    say: () => {},
  })
  t.comment(`${inputs} inputs, ${Math.round(mostResident / 2 ** 20)} MB, ${Math.round(longestBlock)} ms`)
  t.same(faults, [])
  t.ok(inputs > 0)
})
