/**
 * How phrases are compared with texts: letter by letter, but for upper and lower case and for the two forms of the apostrophe.
 * Some must begin and end with a word.
 */
import { fold } from "../../ground/realm/domain-values.ts"
import { unspaced } from "./unspaced-scripts.ts"

/** A letter of a word, as a regular expression with the flag v. Scripts without spaces have no words. */
export const letter = `[[\\p{L}\\p{M}\\p{N}]--${unspaced}]`
const isLetter = new RegExp(`^${letter}$`, "v")

/** A text as it is compared. Whether people type ' or ’ is a matter of their keyboard. */
export const foldPhrase = (text: string): string => {
  const folded = fold(text)
  return folded.includes("’") ? folded.replaceAll("’", "'") : folded
}

/** Whether a word goes on at this place. */
export const goesOn = (text: string, at: number): boolean =>
  at > 0 && at < text.length && isLetter.test(text.charAt(at - 1)) && isLetter.test(text.charAt(at))

/** Places of one phrase that are looked at in a message: an ordinary text has some dozens within its words. */
const mostPlaces = 2000

/** Whether a phrase stands in a text so that it begins and ends with a word; both as `foldPhrase` makes them. */
export const standsApart = (text: string, phrase: string): boolean => {
  let at = text.indexOf(phrase)
  for (let places = 0; at >= 0 && places < mostPlaces; places++) {
    if (!goesOn(text, at) && !goesOn(text, at + phrase.length)) return true
    at = text.indexOf(phrase, at + 1)
  }
  return false
}
