/** The client as a page loads it: one file that needs nothing beside a browser, and small. */
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import t from "tap"
import { packageFile } from "../../src/db/package-root.ts"

const mostBytes = 15 * 1024

t.test("bundled for a browser it imports nothing and has at most 15 KB, compressed", async (t) => {
  const made = await rolldown({ input: packageFile("src/client/index.ts"), platform: "browser", logLevel: "silent" })
  const { output } = await made.generate({ format: "esm", minify: true })
  await made.close()
  t.equal(output.length, 1)
  const [{ code, imports, dynamicImports }] = output
  t.same([imports, dynamicImports], [[], []])
  t.notMatch(code, /\bprocess\b|\bBuffer\b|\brequire\b/)
  const { length } = gzipSync(code)
  t.comment(`${length} bytes`)
  t.ok(length <= mostBytes, `${length}`)
})
