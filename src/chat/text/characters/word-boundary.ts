/**
 * Where words end, in any script. Mentions, links to channels, what linkifiers match and alert words all count only
 * where no word goes on beside them, and all ask here. A word is made of letters, digits and marks of scripts that put
 * spaces between words. Those of other scripts, such as Han, Kana and Thai, belong to no word: one may begin or end
 * beside each of them.
 */

/** Scripts that put no spaces between words, by their names in Unicode. */
const unspacedScripts = [
  "Ahom",
  "Balinese",
  "Bopomofo",
  "Han",
  "Hiragana",
  "Javanese",
  "Katakana",
  "Khitan_Small_Script",
  "Khmer",
  "Lao",
  "Myanmar",
  "New_Tai_Lue",
  "Nushu",
  "Tai_Le",
  "Tai_Tham",
  "Tai_Viet",
  "Tangut",
  "Thai",
  "Tibetan",
  "Yi",
]

/**
 * Letters that several of them share, so that Unicode counts them to no script, such as the long mark of Kana; and the
 * mark of a keycap, which makes a picture of a digit. In hexadecimal.
 */
const unspacedLetters = ["20e3", "3006", "3031-3035", "303c", "30fc", "a9cf", "ff70", "ff9e-ff9f"]

/** As the inside of a class of a regular expression. `script` and `letter` write the names and numbers there. */
const unspacedBy = (script: (name: string) => string, letter: (hex: string) => string): string =>
  [...unspacedScripts.map(script), ...unspacedLetters.map((range) => range.split("-").map(letter).join("-"))].join("")

const letters = "\\p{L}\\p{M}\\p{Nd}\\p{Nl}"

/** Needs the flag `v`, as all that is made of it. */
export const unspaced = unspacedBy(
  (name) => `\\p{Script=${name}}`,
  (hex) => `\\u{${hex}}`,
)
const ofWord = `[[${letters}]--[${unspaced}\\p{Script=Inherited}]]`
/** Marks of no script of their own, as accents and selectors of emoji: they belong to what stands before them. */
const attached = "[[\\p{M}&&\\p{Script=Inherited}]--[\\u{20e3}]]"

const behindWord = new RegExp(`(?<=${ofWord}${attached}*)`, "vy")
const wordCharacter = new RegExp(`^${ofWord}$`, "v")
const attachedMark = new RegExp(`^${attached}$`, "v")

const isAsciiOfWord = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39)

/** Whether a word ends right before a place of a text. Takes steps for the marks before it only. */
export const isBehindWord = (text: string, at: number): boolean => {
  const code = at === 0 ? 0 : text.charCodeAt(at - 1)
  if (code < 0x80) return isAsciiOfWord(code)
  behindWord.lastIndex = at
  return behindWord.test(text)
}

/** Whether a word stands right behind a character, where one did or did not stand right before it. */
export const isWordBehind = (character: string, isWordBefore: boolean): boolean => {
  const code = character.charCodeAt(0)
  if (code < 0x80) return isAsciiOfWord(code)
  return wordCharacter.test(character) || (isWordBefore && attachedMark.test(character))
}

const unspacedInRe2 = unspacedBy(
  (name) => `\\p{${name}}`,
  (hex) => `\\x{${hex}}`,
)
const noWordInRe2 = `[^${letters}]|[${unspacedInRe2}]`

/**
 * The same for patterns of RE2, which cannot look behind: what stands before a match and behind it, as parts of the
 * pattern. What stands behind is one character.
 */
export const beforeInRe2 = `(?:^|${noWordInRe2})\\p{Inherited}*`
export const behindInRe2 = `(?:$|${noWordInRe2})`
