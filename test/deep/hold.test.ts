/** The lock of a data folder under kills for PARLEY_DEEP_SECONDS; test/db/folder-lock.test.ts does the same for two seconds. */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import t from "tap"
import { holdFolder } from "../../src/db/folder-lock.ts"
import { runHoldLoop } from "../db/hold-loop.ts"
import { createFolder } from "../kit/test-database.ts"
import { deepSeconds, timeout } from "./budget.ts"

t.test("two starters that are killed again and again never hold the folder both", { timeout }, async (t) => {
  const parent = await createFolder(t)
  const { kills, holds, doubles, longestWait, namespaces } = await runHoldLoop(parent, deepSeconds)
  t.comment(`${kills} kills, ${holds} holds, ${namespaces} network namespaces, longest wait ${longestWait} ms`)
  t.same(doubles, [], "one holder at a time")
  t.ok(kills > 0 && holds >= kills, "each starter has held it")
  await Effect.runPromise(Effect.scoped(holdFolder(join(parent, "held"))))
})
