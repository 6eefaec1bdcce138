/** A part of `npm run fuzz`: 100,000 inputs, or as many as come within the seconds that are given for a deep test. */
import { join } from "node:path"
import t from "tap"
import { fuzz } from "../fuzz/fuzz.ts"
import { FuzzServer } from "../fuzz/fuzz-server.ts"
import { adminUrl, createFolder, createPostgresDatabase } from "../kit/test-database.ts"
import { announceSeed, deepSeconds, isUsual, timeout } from "./budget.ts"

const usual = {
  inputs: Number.POSITIVE_INFINITY,
  atOnce: 8,
  mostMemory: 1500 * 2 ** 20,
  mostBlock: 1000,
  from: 0,
  say: () => {},
}

t.test("bytes at random neither end the server nor make it fail", { timeout }, async (t) => {
  const seed = announceSeed("fuzz")
  const folder = await createFolder(t)
  const url = adminUrl === undefined ? undefined : await createPostgresDatabase(t, adminUrl)
  const server = await FuzzServer.start({ folder: join(folder, "data"), databaseUrl: url })
  t.teardown(() => server.stop())
  const measure = isUsual ? { inputs: 100_000, seconds: 800 } : { seconds: deepSeconds }
  const { faults, inputs, mostResident, longestBlock } = await fuzz(server, { ...usual, seed, ...measure })
  t.comment(`${inputs} inputs, ${Math.round(mostResident / 2 ** 20)} MB, ${Math.round(longestBlock)} ms`)
  t.same(faults, [])
  t.ok(isUsual ? inputs === 100_000 : inputs > 0, `${inputs} inputs`)
})

t.test("what is planted is found, and told with the input that finds it", { timeout }, async (t) => {
  // A defect in what reads parameters that are JSON, and one that keeps the loop for a second.
  const planted = `const { parse } = JSON
    let odd = 0
    JSON.parse = (text, ...rest) => {
      if (String(text).includes("__proto__")) odd += 1
      if (odd === 1) {
        odd += 1
        const began = process.cpuUsage().user
        while (process.cpuUsage().user < began + 1_500_000);
      }
      if (odd > 2) throw new TypeError("planted")
      return parse(text, ...rest)
    }`
  const server = await FuzzServer.start({ folder: join(await createFolder(t), "data"), planted })
  t.teardown(() => server.stop())
  const { faults, longestBlock } = await fuzz(server, {
    ...usual,
    mostBlock: 300,
    inputs: 3000,
    seed: 1,
    seconds: 800,
  })
  t.ok(
    faults.some((fault) => /^--seed 1 --only \d+: /.test(fault) || /the log has an error: .*planted/.test(fault)),
    faults.join("\n"),
  )
  t.ok(longestBlock > 300, `${longestBlock} ms`)
  t.ok(faults.some((fault) => /the loop worked for \d+ ms/.test(fault)))
})
