/**
 * The operand of the narrow `search`: words, all of which a message or its topic must have, in any form and order; and
 * quoted phrases, which it must have letter by letter, but for upper and lower case. A phrase may begin and end within
 * a word. Where the index leaves out every word, each is a phrase, too, but one of whole words: what people type stands in
 * messages, after all. Words are parted by the same separators as those of messages (search-words.sql); what is typed joined, like an
 * address, must have its parts side by side. What is too long is refused, because every word costs a look into each place.
 */
import * as Result from "effect/Result"
import { refined, type Shape, string } from "../../../api/shapes.ts"
import { foldPhrase } from "./phrases.ts"
import { stopWords } from "./stop-words.ts"
import { pairsOf, takeRuns } from "./unspaced-scripts.ts"

export interface SearchText {
  /** The words beside the phrases, apart: without separators and what has no spaces. */
  readonly words: string
  /** Words that every message with the phrases has: by these the index finds it. */
  readonly within: string
  /** As `foldPhrase` makes them. */
  readonly phrases: ReadonlyArray<string>
  /**
   * What stands between white space, likewise: phrases that begin and end with a word. They count where the index has none
   * of the words, and there is nothing else to look for.
   */
  readonly apart: ReadonlyArray<string>
  /** Words that must stand side by side, like those of an address. */
  readonly sequences: ReadonlyArray<string>
  /** Runs without spaces, which a message must have whole, and their pieces: by these the index finds it. */
  readonly runs: ReadonlyArray<string>
  readonly pairs: ReadonlyArray<string>
  /** What was typed joined, and runs, as `foldPhrase` makes them: they are marked as a whole. */
  readonly joined: ReadonlyArray<string>
  /** The words as those of messages that are still to be renewed are compared (search-renewal.sql). */
  readonly former: string
}

const longest = 1000
const mostWords = 50
/** Runs that are looked for in a message's text. */
const mostRuns = 16

const quoted = /"([^"]*)"/g
/** A word between white space is the same word in a message. Another may be a part of one, or of an address, say. */
const wholeWord = /(?<=\s)[\p{L}\p{N}]+(?=\s)/gu
/** Words with the separators between and before them. */
const unit = /[./_@:?+-]*[\p{L}\p{M}\p{N}]+(?:[./_@:?+-]+[\p{L}\p{M}\p{N}]+)*/gu
const separators = /[./_@:?+-]+/g
const ignored: ReadonlySet<string> = new Set(stopWords)
/** What has letters, from the first to the last of them; of `what?` the word. */
const lettered = /[\p{L}\p{N}](?:.*[\p{L}\p{M}\p{N}])?/u
/** Says that a character is to be shown as an emoji; many texts have the emoji without it. */
const emojiStyle = /\ufe0f$/

const apartOf = (typed: string): string => typed.match(lettered)?.[0] ?? typed.replace(emojiStyle, "")

export const readSearchText = (operand: string): SearchText => {
  const phrases = Array.from(operand.matchAll(quoted), ([, phrase = ""]) => phrase.trim()).filter((each) => each !== "")
  const isQuoted = phrases.length > 0
  // Nor is anything here a tag.
  const words = operand.replace(quoted, " ").replace(/["<>&]/g, " ")
  const within = phrases.flatMap((phrase) => phrase.match(wholeWord) ?? []).join(" ")
  const [runs, spaced] = takeRuns(words)
  const [runsWithin, spacedWithin] = takeRuns(within)
  const allRuns = [...new Set([...runs, ...runsWithin])].sort((a, b) => b.length - a.length)
  const joined = [...runs]
  const sequences: Array<string> = []
  for (const typed of spaced.match(unit) ?? []) {
    const parts = typed.split(separators).filter((part) => part !== "")
    if (parts.length === 1 && parts[0] === typed) continue
    joined.push(typed)
    if (parts.length === 1) continue
    // Words that are ignored alone are none in the index: of `who.is` only the text itself tells.
    if (parts.every((part) => ignored.has(part.toLowerCase()))) phrases.push(typed)
    else sequences.push(parts.join(" "))
  }
  const typed = isQuoted || allRuns.length > 0 ? [] : operand.replaceAll('"', " ").split(/\s+/).map(apartOf)
  return {
    words: spaced.replaceAll(separators, " "),
    within: spacedWithin,
    phrases: phrases.map(foldPhrase),
    apart: [...new Set(typed.map(foldPhrase))].filter((each) => each !== ""),
    sequences: [...new Set(sequences)],
    runs: allRuns.slice(0, mostRuns),
    pairs: [...new Set(allRuns.flatMap(pairsOf))],
    joined: [...new Set(joined.map(foldPhrase))],
    former: `${words} ${within}`,
  }
}

/** A text that can be searched for. */
export const searchOperand: Shape<string> = refined(string, (text, path) => {
  if (text.trim() === "") return Result.fail(`${path} cannot be blank.`)
  if (text.length > longest) return Result.fail(`${path} is too long (limit: ${longest} characters)`)
  return text.split(/\s+/, mostWords + 1).length > mostWords
    ? Result.fail(`${path} has too many words (limit: ${mostWords})`)
    : Result.succeed(text)
})
