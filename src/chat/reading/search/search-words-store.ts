/** Words as PostgreSQL's text search takes them: which it compares, and which words of a text are meant by them. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Reading } from "../../../db/reads.ts"
import type { SearchText } from "./search-words.ts"

/** A text to search for, as the database compares it. */
export interface FoundWords extends SearchText {
  /** A tsquery; null: nothing but words that searches ignore. */
  readonly query: string | null
  /** The words as the index has them. */
  readonly keys: ReadonlyArray<string>
  /** Likewise those beside the phrases, which are marked wherever they stand. */
  readonly marked: ReadonlyArray<string>
}

const readWords = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      query: Schema.String,
      keys: Schema.Array(Schema.String),
      marked: Schema.Array(Schema.String),
    }),
  ),
)
const wordsSql = `select plainto_tsquery('english', $1::text || ' ' || $2::text)::text as query,
    to_json(tsvector_to_array(to_tsvector('english', $1::text || ' ' || $2::text))) as keys,
    to_json(tsvector_to_array(to_tsvector('english', $1::text))) as marked`

/** A request asks for the words of its text twice: to search, and to mark what was found. */
const known = new WeakMap<SearchText, FoundWords>()

export const findWords = Effect.fnUntraced(function* (reading: Reading, text: SearchText) {
  const before = known.get(text)
  if (before !== undefined) return before
  const [row] = readWords(yield* reading.query(wordsSql, [text.words, text.within], "generic"))
  const { query = "", keys = [], marked = [] } = row ?? {}
  const found: FoundWords = { ...text, query: query === "" ? null : query, keys, marked }
  known.set(text, found)
  return found
})

/** Words that one statement compares. */
const wordsAtOnce = 1000
const meantSql = `select w.word from jsonb_array_elements_text($1::text::jsonb) as w(word)
  where tsvector_to_array(to_tsvector('english', w.word)) && array(
    select jsonb_array_elements_text($2::text::jsonb))`
const readMeant = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ word: Schema.String })))

/** Those of the words, in lower case, of which a form has one of these keys. */
export const findMeant = Effect.fnUntraced(function* (
  reading: Reading,
  words: ReadonlyArray<string>,
  keys: ReadonlyArray<string>,
) {
  const found = new Set<string>()
  for (let at = 0; at < words.length; at += wordsAtOnce) {
    const some = JSON.stringify(words.slice(at, at + wordsAtOnce))
    for (const { word } of readMeant(yield* reading.query(meantSql, [some, JSON.stringify(keys)], "generic")))
      found.add(word)
  }
  return found satisfies ReadonlySet<string>
})
