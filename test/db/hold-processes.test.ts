/** The lock of a data folder ends with its process, however that ends. */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import t from "tap"
import { holdFolder } from "../../src/db/folder-lock.ts"
import { createFolder } from "../kit/test-database.ts"
import { runHoldLoop } from "./hold-loop.ts"

t.test("two starters that are killed again and again never hold the folder both", async (t) => {
  const parent = await createFolder(t)
  const { kills, holds, doubles, longestWait, namespaces } = await runHoldLoop(parent, 2)
  t.comment(`${kills} kills, ${holds} holds, ${namespaces} network namespaces, longest wait ${longestWait} ms`)
  t.same(doubles, [], "one holder at a time")
  t.ok(kills > 0 && holds >= kills, "each starter has held it")
  await t.resolves(Effect.runPromise(Effect.scoped(holdFolder(join(parent, "held")))), "nobody holds it afterwards")
})
