/** What comments of the program name, on the sources as they are and on planted ones. */
import t from "tap"
import { findLostNames } from "./named-files.ts"
import { readSources } from "./read-sources.ts"

t.test("each file that a comment names is there", async (t) => {
  t.strictSame(findLostNames([...readSources(), { path: "schema.sql", text: "" }]), [])
  const files = [
    { path: "src/http/api/a.ts", text: "" },
    { path: "src/chat/b.sql", text: "-- See api/a.ts.\n-- Not http/a.ts: select '/x/c.ts'" },
    {
      path: "src/chat/d.ts",
      text: '// a.ts, src/http/api/a.ts, b.sql, lost-*.ts, `./a.ts`, gone.sql\nconst e = "e.ts"',
    },
    { path: "src/db/migrations/002-f.sql", text: "-- dropped-drafts.ts" },
    { path: "test/g.test.ts", text: "// dropped-drafts.ts" },
  ]
  t.strictSame(findLostNames(files), [
    "src/chat/b.sql: a comment names http/a.ts, which is not there",
    "src/chat/d.ts: a comment names gone.sql, which is not there",
  ])
})
