/**
 * The texts of a search as SQL about a message `m`: its words are compared by PostgreSQL's text search, with what the
 * index of words has stored or, where a message is newer, with the message itself. Phrases are compared here, because
 * only the program folds texts.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { UserRead } from "../../../../db/reads.ts"
import { foldPhrase, standsApart } from "../../search/phrases.ts"
import { type FoundWords, findWords } from "../../search/search-words-store.ts"
import type { BindParameter } from "./bind-parameters.ts"
import type { FoundText, Search } from "./search.ts"

const isOfPhrases = ({ phrases, apart }: FoundWords): boolean => phrases.length > 0 || apart.length > 0

/** A text of nothing but quotation marks is found nowhere. */
const isNowhere = (text: FoundWords): boolean => text.query === null && !isOfPhrases(text) && text.runs.length === 0

/** The search with its words as the database compares them; null where no message can match. */
export const withWords = Effect.fnUntraced(function* (reading: UserRead, search: Search) {
  const words: Array<FoundText> = []
  for (const { text, negated } of search.texts) {
    const found = yield* findWords(reading, text)
    if (!isNowhere(found)) words.push({ ...found, negated })
    else if (!negated) return null
  }
  return { ...search, words } satisfies Search
})

/**
 * The stored words of a message that was moved since are those of its content and of an earlier topic. Together with
 * those of its topic now they are all that it may have: where these do not match, which is the case for nearly all
 * messages, it need not be read. Else its words are made anew, of the first 40,000 characters of its HTML only: a
 * statement may do that for hundreds of messages of formulas or emoji, each of half a megabyte of HTML. What stands
 * behind these is found once the index has the message, a moment later.
 */
const matches = (query: string, wordsOf: "words_of_v2" | "words_of_v3"): string =>
  `coalesce((
    select case when w.move is not distinct from m.moves[1] then w.words @@ ${query}
                when not ((w.words || ${wordsOf}(m.topic, '')) @@ ${query}) then false end
      from message_search w where w.realm_id = $1::integer and w.message_id = m.id),
    ${wordsOf}(m.topic, left(m.rendered, 40000)) @@ ${query})`

/**
 * Stored words have no order. So of a message that has all words of a sequence, or all pieces of a run, the text is looked at,
 * but not for sequences in very long HTML.
 */
const inOrder = ({ sequence, runs }: FoundText, bind: BindParameter): ReadonlyArray<string> => [
  ...(sequence === null
    ? []
    : [
        `case when octet_length(m.rendered) > 40000 then true
    else has_sequence_v1(m.topic, m.rendered, ${bind(sequence)}::tsquery) end`,
      ]),
  ...(runs.length === 0 ? [] : [`has_runs_v1(m.topic, m.rendered, ${bind(JSON.stringify(runs))}::text::jsonb)`]),
]

const toBeRenewed = `m.id <= (select p.renewing from search_progress p where p.realm_id = $1::integer)`

const hasWords = (text: FoundText, bind: BindParameter): string => {
  const { query, older } = text
  const all = [...(query === null ? [] : [matches(`${bind(query)}::tsquery`, "words_of_v3")]), ...inOrder(text, bind)]
  // The cheapest first, whatever the planner thinks.
  const has = all.reduceRight(
    (then, first) => (then === "" ? first : `case when ${first} then ${then} else false end`),
    "",
  )
  if (has === "") return "true"
  if (older === null || older.query === null) return has
  return `(${has} or (${toBeRenewed} and ${matches(`${bind(older.query)}::tsquery`, "words_of_v2")}))`
}

/** The conditions that a message must fulfil before phrases are looked for. */
export const textConditions = ({ words }: Search, bind: BindParameter): ReadonlyArray<string> =>
  words.flatMap((each) => {
    if (!each.negated) return each.query === null && each.runs.length === 0 ? [] : [hasWords(each, bind)]
    return isOfPhrases(each) ? [] : [`not ${hasWords(each, bind)}`]
  })

const withPhrases = ({ words }: Search): ReadonlyArray<FoundText> => words.filter(isOfPhrases)

export const hasPhrases = (search: Search): boolean => withPhrases(search).length > 0

/** Whether the texts of messages are looked at that have all words. */
export const readsTexts = ({ words }: Search): boolean =>
  words.some(({ sequence, runs }) => sequence !== null || runs.length > 0)

/** The facts of a message that `hasTexts` needs, as JSON. */
export const phraseFacts = (search: Search, bind: BindParameter): string => {
  const some = withPhrases(search)
  if (some.length === 0) return "null::json"
  return `json_build_array(m.content, m.topic, json_build_array(${some.map((each) => hasWords(each, bind)).join(", ")}))`
}

/** Whether a message with these facts has the phrases that it must have, and not those that it must not. */
export const hasTexts = (search: Search, facts: unknown): boolean => {
  const some = withPhrases(search)
  if (some.length === 0) return true
  const [content, topic, words]: ReadonlyArray<unknown> = Array.isArray(facts) ? facts : []
  if (!Predicate.isString(content) || !Predicate.isString(topic)) throw new Error("a search lacks what it found")
  const texts = [foldPhrase(content), foldPhrase(topic)]
  return some.every(({ phrases, apart, negated }, at) => {
    const isThere =
      Array.isArray(words) &&
      words[at] === true &&
      phrases.every((phrase) => texts.some((text) => text.includes(phrase))) &&
      apart.every((phrase) => texts.some((text) => standsApart(text, phrase)))
    return isThere !== negated
  })
}
