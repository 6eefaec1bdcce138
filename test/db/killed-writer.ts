/** A process that writes to a PGlite folder and is killed; its folder is then opened by the test. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { Test } from "tap"
import { openDatabase } from "../../src/db/open/open-database.ts"
import { openLayer, until } from "../kit/test-database.ts"

const program = fileURLToPath(new URL("./killed-writer-child.js", import.meta.url))

/** Kills a writer on the empty `folder` after about `rows` rows, and asserts that none it had acknowledged is lost. */
export const checkKilledWriter = async (t: Test, folder: string, rows: number): Promise<void> => {
  const child = spawn(process.execPath, [program, folder], { stdio: ["ignore", "pipe", "inherit"] })
  t.teardown(() => void child.kill("SIGKILL"))
  let acknowledged = 0
  createInterface({ input: child.stdout }).on("line", (line) => {
    acknowledged = Number(line)
  })
  await until("the child has written", 20_000, () => acknowledged >= rows)
  await t.rejects(openLayer(t, openDatabase({ kind: "pglite", folder, sync: false })), { name: "DatabaseHeld" })
  const began = performance.now()
  child.kill("SIGKILL")
  const opening = openLayer(t, openDatabase({ kind: "pglite", folder, sync: false }))
  await once(child, "close")
  const { query, close } = await opening
  t.comment(`open ${Math.round(performance.now() - began)} ms after the kill, ${acknowledged} rows acknowledged`)
  const [row] = await query("select count(*) as n, max(n) as last from acknowledged")
  t.ok(Number(row?.["last"]) >= acknowledged, "no acknowledged row is missing")
  t.equal(row?.["n"], row?.["last"], "there is no gap between the rows")
  await close()
}
