/** The words that register says searches ignore are those that they ignore. */
import t from "tap"
import { stopWords } from "../../../../src/chat/reading/search/stop-words.ts"
import { openMigratedDatabase } from "../../../../src/db/open/open.ts"
import { createDatabase, openLayer } from "../../../kit/test-database.ts"

t.test("stop words", async (t) => {
  const { query } = await openLayer(t, openMigratedDatabase(await createDatabase(t)))
  const kept = await query(
    "select word from jsonb_array_elements_text($1::text::jsonb) as word where to_tsvector('english', word) <> ''",
    [JSON.stringify(stopWords)],
  )
  t.same(kept, [])
  t.equal(new Set(stopWords).size, 127)
  const [ignored] = await query("select to_tsvector('english', 'fox')::text as words")
  t.match(ignored, { words: "'fox':1" })
})
