/** What a browser must fetch before the page is there. */
import { readFileSync, statSync } from "node:fs"
import t from "tap"
import { packageFile } from "../../src/db/package-root.ts"

const mostBytes = 150_000

t.test("script and style are small, as they are sent", async (t) => {
  const names: unknown = JSON.parse(readFileSync(packageFile("dist/page/index.json"), "utf8"))
  const files = Object.values(Object(names)).map((name) => packageFile(`dist/page/${String(name)}.br`))
  t.equal(files.length, 2)
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0)
  t.ok(bytes < mostBytes, `${bytes} bytes`)
  t.ok(bytes > 10_000, "and are there")
})
