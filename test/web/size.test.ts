/** What a browser must fetch before the page is there, and what it fetches after that. */
import { readFileSync, statSync } from "node:fs"
import t from "tap"
import { packageFile } from "../../src/db/package-root.ts"

const sent = (name: unknown): number => statSync(packageFile(`dist/page/${String(name)}.br`)).size

t.test("script and style are small, as they are sent", async (t) => {
  const { script, style, parts } = Object(JSON.parse(readFileSync(packageFile("dist/page/index.json"), "utf8")))
  const bytes = {
    script: sent(script),
    style: sent(style),
    parts: [...parts].reduce((sum, each) => sum + sent(each), 0),
  }
  t.ok(bytes.script > 10_000 && bytes.script <= 55_000, `script: ${bytes.script} bytes`)
  t.ok(bytes.style > 1_000 && bytes.style <= 8_000, `style: ${bytes.style} bytes`)
  t.ok(bytes.parts > 1_000 && bytes.parts <= 30_000, `what is loaded later: ${bytes.parts} bytes`)
})
