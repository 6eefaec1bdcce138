/**
 * `match_content` and `match_subject`: a message's HTML and its topic, in which what the narrow searches for is marked.
 */
import * as Effect from "effect/Effect"
import type { UserRead } from "../../../../db/reads.ts"
import { nextSlice } from "../../../../slices.ts"
import { showTopic } from "../../../ground/realm/domain-values.ts"
import { escapeHtml } from "../../../text/markdown/rules/code-block.ts"
import { type HighlightTerms, highlightMatches, wordsIn } from "../../search/highlight-matches.ts"
import { findMeant, findWords } from "../../search/search-words-store.ts"
import type { Narrow } from "../narrows/narrow.ts"

/** The texts of a message in which matches are marked. `channel_id`: null for a direct message, which has no topic. */
interface MarkedTexts {
  readonly channel_id: number | null
  readonly topic: string
  readonly rendered: string
}

export interface TextMatch {
  readonly match_content: string
  readonly match_subject: string
}

/** Texts that the narrow searches for: words as the index has them, and what is marked as a whole. */
export interface SoughtTexts {
  readonly keys: ReadonlyArray<string>
  readonly phrases: ReadonlyArray<string>
  readonly joined: ReadonlyArray<string>
}

/** Null where the narrow searches for no text. */
export const findSought = Effect.fnUntraced(function* (reading: UserRead, { conditions }: Narrow) {
  const texts = conditions.flatMap(({ matcher, negated }) =>
    matcher.kind === "text" && !negated ? [matcher.text] : [],
  )
  if (texts.length === 0) return null
  const found = yield* Effect.forEach(texts, (text) => findWords(reading, text))
  const sought: SoughtTexts = {
    keys: [...new Set(found.flatMap(({ marked }) => marked))],
    phrases: [...new Set(found.flatMap(({ phrases }) => phrases))],
    joined: [...new Set(found.flatMap(({ joined, apart }) => [...joined, ...apart]))],
  }
  return sought
})

const subjectOf = ({ channel_id, topic }: MarkedTexts, emptyTopicName: boolean): string =>
  channel_id === null ? "" : escapeHtml(showTopic(topic, emptyTopicName))

/** Makes matches without marks. */
export const plainMatch = (message: MarkedTexts, emptyTopicName: boolean): TextMatch => ({
  match_content: message.rendered,
  match_subject: subjectOf(message, emptyTopicName),
})

/** The characters that one slice looks at: some milliseconds. */
const atOnce = 16_384

const inTurns = Effect.fnUntraced(function* (
  messages: ReadonlyArray<MarkedTexts>,
  act: (message: MarkedTexts) => void,
) {
  let looked = 0
  for (const message of messages) {
    if (looked > atOnce) {
      yield* nextSlice
      looked = 0
    }
    act(message)
    looked += message.rendered.length
  }
})

/** Makes the matches of these messages. */
export const findMatches = Effect.fnUntraced(function* (
  reading: UserRead,
  { keys, phrases, joined }: SoughtTexts,
  messages: ReadonlyArray<MarkedTexts>,
  emptyTopicName: boolean,
) {
  const words = new Set<string>()
  // Every form of a word begins like what is stored of it.
  const initials = new Set(keys.map((key) => [...key][0] ?? ""))
  const gather = (html: string): void => {
    for (const word of wordsIn(html)) if (initials.has([...word][0] ?? "")) words.add(word)
  }
  yield* inTurns(messages, (message) => {
    gather(message.rendered)
    gather(subjectOf(message, emptyTopicName))
  })
  const wanted: HighlightTerms = { words: yield* findMeant(reading, [...words], keys), phrases, joined }
  const found = new Map<MarkedTexts, TextMatch>()
  yield* inTurns(messages, (message) =>
    found.set(message, {
      match_content: highlightMatches(message.rendered, wanted),
      match_subject: highlightMatches(subjectOf(message, emptyTopicName), wanted),
    }),
  )
  return (message: MarkedTexts): TextMatch => found.get(message) ?? plainMatch(message, emptyTopicName)
})
