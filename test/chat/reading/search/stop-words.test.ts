/** The words that register says searches ignore are those that they ignore. */
import t from "tap"
import { stopWords } from "../../../../src/chat/reading/search/stop-words.ts"
import { openEmpty } from "../../../kit/lent-database.ts"

t.test("stop words", async (t) => {
  const { query } = await openEmpty(t)
  const kept = await query(
    "select word from jsonb_array_elements_text($1::text::jsonb) as word where to_tsvector('english', word) <> ''",
    [JSON.stringify(stopWords)],
  )
  t.same(kept, [])
  t.equal(new Set(stopWords).size, 127)
  const [ignored] = await query("select to_tsvector('english', 'fox')::text as words")
  t.match(ignored, { words: "'fox':1" })
})
