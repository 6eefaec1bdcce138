/**
 * The operand of the narrow `search`: words, all of which a message or its topic must have, in any form and order; and
 * quoted phrases, which it must have letter by letter, but for upper and lower case. A phrase may begin and end within
 * a word. What is too long is refused, because every word costs a look into each place.
 */
import * as Result from "effect/Result"
import { type Shape, string } from "../../../api/shapes.ts"
import { fold } from "../../ground/realm/values.ts"

export interface SearchText {
  /** The words beside the phrases. */
  readonly words: string
  /** Words that every message with the phrases has: by these the index finds it. */
  readonly within: string
  /** As `fold` makes them. */
  readonly phrases: ReadonlyArray<string>
}

const longest = 1000
const mostWords = 50

const quoted = /"([^"]*)"/g
/** A word between white space is the same word in a message. Another may be a part of one, or of an address, say. */
const wholeWord = /(?<=\s)[\p{L}\p{N}]+(?=\s)/gu

export const readSearchText = (operand: string): SearchText => {
  const phrases = Array.from(operand.matchAll(quoted), ([, phrase = ""]) => phrase.trim())
  return {
    // Nor is anything here a tag.
    words: operand.replace(quoted, " ").replace(/["<>&]/g, " "),
    within: phrases.flatMap((phrase) => phrase.match(wholeWord) ?? []).join(" "),
    phrases: phrases.map(fold).filter((each) => each !== ""),
  }
}

/** A text that can be searched for. */
export const searchOperand: Shape<string> = (value, path) =>
  Result.flatMap(string(value, path), (text) => {
    if (text.trim() === "") return Result.fail(`${path} cannot be blank.`)
    if (text.length > longest) return Result.fail(`${path} is too long (limit: ${longest} characters)`)
    return text.split(/\s+/, mostWords + 1).length > mostWords
      ? Result.fail(`${path} has too many words (limit: ${mostWords})`)
      : Result.succeed(text)
  })
