/** The client as a page loads it: one file that needs nothing beside a browser, and small. */
import { gzipSync } from "node:zlib"
import t from "tap"
import { bundled } from "./bundled.ts"

const mostBytes = 15 * 1024

t.test("bundled for a browser it imports nothing and has at most 15 KB, compressed", async (t) => {
  const { code, imports, dynamicImports } = await bundled()
  t.same([imports, dynamicImports], [[], []])
  t.notMatch(code, /\bprocess\b|\bBuffer\b|\brequire\b/)
  const { length } = gzipSync(code)
  t.comment(`${length} bytes`)
  t.ok(length <= mostBytes, `${length}`)
})
