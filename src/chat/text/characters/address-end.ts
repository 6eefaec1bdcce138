/**
 * Where a web address ends that stands in a text of any script: before a closing bracket or quote that was not opened in
 * it, as in "(see https://example.com/a_(b))"; before a mark of a sentence in scripts that put no space behind it; and
 * before the punctuation that ends the sentence or the emphasis that it stands in.
 */
import { type BracketPairs, isOpener } from "./brackets.ts"
import { unspaced } from "./word-boundary.ts"

/** Marks of a sentence that a word may follow at once: of CJK, which Unicode counts to no script, and of those scripts. */
const sentenceMarks =
  "\\u2026\\u3001\\u3002\\ufe10-\\ufe16\\ufe19\\ufe50-\\ufe52\\ufe54-\\ufe57" +
  "\\uff01\\uff0c\\uff0e\\uff1a\\uff1b\\uff1f\\uff61\\uff64"
const marks = `[${sentenceMarks}[\\p{Terminal_Punctuation}&&[${unspaced}]]]`
const brackets = "[\\p{Ps}\\p{Pi}\\p{Pe}\\p{Pf}]"

const special = new RegExp(`${marks}|${brackets}`, "v")
const bracket = new RegExp(brackets, "v")

type CharacterKind = "plain" | "path" | "mark" | "bracket"
const kindOf = (character: string): CharacterKind => {
  if (/[/?#]/.test(character)) return "path"
  return !special.test(character) ? "plain" : bracket.test(character) ? "bracket" : "mark"
}
/** By the code: most characters of addresses are of ASCII. */
const asciiKinds: ReadonlyArray<CharacterKind> = Array.from({ length: 128 }, (_, code) =>
  kindOf(String.fromCharCode(code)),
)
const kindAt = (text: string, at: number): CharacterKind => asciiKinds[text.charCodeAt(at)] ?? kindOf(text.charAt(at))
const trailing = /[\p{Terminal_Punctuation}"'*~\uff02\uff07]/u

/** What parts two addresses that no space parts: brackets, quotes and marks, but no ASCII. As a class. */
export const parting = `[[${marks}${brackets}]--[\\u{0}-\\u{7f}]]`

/** Characters at which none ends, whatever they stand for: a text by entities may hold them. */
const neverIn = new RegExp(`[\\s<>"\`\\p{Cc}]|${marks}|${brackets}`, "v")
export const endsAddress = (characters: string): boolean => neverIn.test(characters)

/** An address keeps an opening bracket of ASCII that nothing closes: programs write them. */
const isKept = (character: string): boolean => character < "\u0080" && isOpener(character)

/**
 * Where the last address was broken off inside of brackets, and so ended at them. The next one ends at brackets around that
 * place, too: it need not be read up to there anew, which in nested brackets would be done for each.
 */
const brokenAt = new WeakMap<BracketPairs, number>()

/**
 * The end of the address that begins at `start` and has no space before `limit`, with the punctuation that may end it.
 * `scheme`: the length of its `https://`, 0 without. Looks at no character behind the one that ends it.
 */
export const endOfAddress = (
  text: string,
  start: number,
  limit: number,
  pairs: BracketPairs,
  scheme: number,
): number => {
  let isHost = true
  /** The outermost brackets around the place. */
  let [opened, closed] = [-1, -1]
  let end = start + scheme
  const broken = brokenAt.get(pairs) ?? -1
  for (; end < limit; end++) {
    const kind = kindAt(text, end)
    if (kind === "plain") continue
    if (kind === "mark") break
    if (kind === "path") {
      isHost = false
      continue
    }
    const character = text.charAt(end)
    const pair = pairs.get(end)
    if (pair !== undefined && pair < end) {
      if (pair < start) break
      continue
    }
    if (isHost && isOpener(character) && (character >= "\u0080" || scheme > 0)) {
      // An address of IPv6.
      if (character !== "[" || !/[/@]/.test(text.charAt(end - 1))) break
    }
    if (pair === undefined || pair >= limit) {
      if (!isKept(character)) break
    } else if (end > closed) {
      if (end < broken && broken < pair) return end
      ;[opened, closed] = [end, pair]
    }
  }
  if (closed < end) return end
  // A host after a scheme breaks off sooner than another one; there are no two such at one place.
  if (!isHost || scheme === 0) brokenAt.set(pairs, end)
  return opened
}

/** The length of an address without the punctuation that ends the sentence or the emphasis that it stands in. */
export const withoutTrailing = (address: string): number => {
  let length = address.length
  while (trailing.test(address.charAt(length - 1))) length--
  return length
}
