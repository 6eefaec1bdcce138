/** Words as PostgreSQL's text search takes them: which it compares, and which words of a text are meant by them. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { UserRead } from "../../../db/reads.ts"
import type { SearchText } from "./search-words.ts"

/** A text to search for, as the database compares it. `apart`: of one that has words in the index it is empty. */
export interface FoundWords extends SearchText {
  /** A tsquery of all words and pieces; null: nothing but what the index leaves out. */
  readonly query: string | null
  /** One of the words that must stand side by side; null: there are none. */
  readonly sequence: string | null
  /** The words as the index has them. */
  readonly keys: ReadonlyArray<string>
  /** Likewise those beside the phrases, which are marked wherever they stand. */
  readonly marked: ReadonlyArray<string>
  /** The query and the keys for messages that are still to be renewed, where these are others. */
  readonly older: { readonly query: string | null; readonly keys: ReadonlyArray<string> } | null
}

const readWords = Schema.decodeUnknownSync(
  Schema.Tuple([
    Schema.Struct({
      query: Schema.String,
      sequence: Schema.NullOr(Schema.String),
      keys: Schema.Array(Schema.String),
      marked: Schema.Array(Schema.String),
      older: Schema.String,
      olderKeys: Schema.Array(Schema.String),
    }),
  ]),
)
const wordsSql = `select plainto_tsquery('english', $1::text || ' ' || $2::text)::text as query,
    to_json(tsvector_to_array(to_tsvector('english', $1::text || ' ' || $2::text))) as keys,
    to_json(tsvector_to_array(to_tsvector('english', $1::text))) as marked,
    (select string_agg('(' || each.query::text || ')', ' & ') from (
       select phraseto_tsquery('english', words) as query
         from jsonb_array_elements_text($3::text::jsonb) as words) as each
      where numnode(each.query) > 1) as sequence,
    plainto_tsquery('english', $4::text)::text as older,
    to_json(tsvector_to_array(to_tsvector('english', $4::text))) as "olderKeys"`

/** The key of messages with more pieces than are stored (pairs_of_v1). */
const manyPairs = "…"

/** A request asks for the words of its text twice: to search, and to mark what was found. */
const foundWordsByText = new WeakMap<SearchText, FoundWords>()

export const findWords = Effect.fnUntraced(function* (reading: UserRead, text: SearchText) {
  const before = foundWordsByText.get(text)
  if (before !== undefined) return before
  const { words, within, sequences, pairs, former } = text
  const parameters = [words, within, JSON.stringify(sequences), former]
  const [row] = readWords(yield* reading.query(wordsSql, parameters, "generic"))
  const spaced = row.query === "" ? [] : [`(${row.query})`]
  const unspaced = pairs.length === 0 ? [] : [`(${pairs.map((pair) => `'${pair}'`).join(" & ")} | '${manyPairs}')`]
  const query = [...spaced, ...unspaced].join(" & ")
  const isOther = row.older !== row.query || text.runs.length > 0
  const found: FoundWords = {
    ...text,
    apart: query === "" ? text.apart : [],
    query: query === "" ? null : query,
    sequence: row.sequence,
    keys: [...row.keys, ...pairs],
    marked: row.marked,
    older: isOther ? { query: row.older === "" ? null : row.older, keys: row.olderKeys } : null,
  }
  foundWordsByText.set(text, found)
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
  reading: UserRead,
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
