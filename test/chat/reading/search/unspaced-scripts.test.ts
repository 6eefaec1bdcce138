/** Scripts that write no spaces: the program and the database take the same characters for theirs. */
import t from "tap"
import { pairsOf, takeRuns, unspaced } from "../../../../src/chat/reading/search/unspaced-scripts.ts"
import { openEmpty } from "../../../kit/lent-database.ts"
import { some } from "../../../kit/share.ts"

const scripts = [
  "Han",
  "Hiragana",
  "Katakana",
  "Bopomofo",
  "Thai",
  "Lao",
  "Khmer",
  "Myanmar",
  "Yi",
  "Tai_Le",
  "Tai_Viet",
]
const others = [
  "Latin",
  "Greek",
  "Cyrillic",
  "Arabic",
  "Hebrew",
  "Devanagari",
  "Tamil",
  "Hangul",
  "Ethiopic",
  "Tibetan",
]
const of = (names: ReadonlyArray<string>) => new RegExp(names.map((name) => `\\p{Script=${name}}`).join("|"), "u")
const every = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter(
  (character, code) => code > 0 && character.isWellFormed(),
)
const characters = some(every, 7, "characters of Unicode")
const isUnspaced = new RegExp(`^${unspaced}$`, "u")

t.test("letters, marks and digits of these scripts, and no others", async (t) => {
  const written = /[\p{L}\p{M}\p{Nd}]/u
  const [ofThese, ofOthers] = [of(scripts), of(others)]
  const missing = characters.filter((each) => ofThese.test(each) && written.test(each) && !isUnspaced.test(each))
  t.same(missing, [])
  t.same(
    characters.filter((each) => isUnspaced.test(each) && (ofOthers.test(each) || /\p{P}|\p{Z}/u.test(each))),
    [],
  )
  t.ok([..."々ー〆ｰ๐๙ໆ"].every((each) => isUnspaced.test(each)))
})

t.test("the database has the same", async (t) => {
  const { query } = await openEmpty(t)
  const rows = await query(
    "select each from jsonb_array_elements_text($1::text::jsonb) as each where each ~ ('^' || unspaced_v1() || '$')",
    [JSON.stringify(characters)],
  )
  const differing = new Set(characters.filter((each) => isUnspaced.test(each)))
  for (const { each } of rows) if (!differing.delete(String(each))) differing.add(String(each))
  t.same([...differing], [])
})

t.test("runs and pieces", async (t) => {
  t.same(takeRuns("Parley的API文档，v2"), [["的", "文档"], "Parley API ，v2"])
  t.same(takeRuns("fox"), [[], "fox"])
  t.same(pairsOf("東京都"), ["東京", "京都"])
  t.same(pairsOf("𠮷野家"), ["𠮷野", "野家"])
  t.same(pairsOf("猫"), [])
})
