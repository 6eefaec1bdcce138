/**
 * The amount of work before a pattern can be used, told from its text: to compile `(?i)[B-\x{1E940}]` takes 5 ms,
 * because of each letter of a range all other cases are looked for, and a pattern has room for 60 of them. What is told
 * is rather too much: where a class begins and ends is not looked at.
 */

/** Letters that are looked at, 25 to a microsecond. Of classes by property about so many. */
const mostLetters = 60_000
const lettersOfProperty = { folded: 6000, plain: 600 }

/** The last character that has another case is 1E943. */
const lastWithCase = 0x1e943

/** Flags that begin a pattern or a group, of which one is `i`. */
const folds = /\(\?[a-zA-Z-]*i/
const properties = /\\p/gi
/** A range by its end, and by its beginning where that is far from zero. */
const ranges =
  /(?:\\x\{([0-9a-f]{1,8})\}|([^\\\0-\x7f]))?-(?:\\x\{([0-9a-f]{1,8})\}|\\x([0-9a-f]{2})|\\([0-7]{1,3})|([^\\]))/giu

const numberOf = (hex: string | undefined, letter: string | undefined): number =>
  hex === undefined ? (letter?.codePointAt(0) ?? 0) : Number.parseInt(hex, 16)

/** Repetitions, but not the braces of `\x{1000}`. */
const repetitions = /(?<!\\[xpP])\{(\d{1,4})(?:,(\d{0,4}))?\}/g

/** Whether a pattern is too much work. `mostRepetitions`: a program with more would be too large anyway. */
export const isMuchWork = (pattern: string, mostRepetitions: number): boolean => {
  for (const [, least, most] of pattern.matchAll(repetitions)) {
    const count = Math.max(Number(least), Number(most ?? 0))
    // Above that it is no repetition but a fault, which is told as such.
    if (count > mostRepetitions && count <= 1000) return true
  }
  const isFolded = folds.test(pattern)
  const perProperty = isFolded ? lettersOfProperty.folded : lettersOfProperty.plain
  let letters = perProperty * [...pattern.matchAll(properties)].length
  if (isFolded)
    for (const [, fromHex, from, toHex, toShort, toOctal, to] of pattern.matchAll(ranges)) {
      const end = toOctal === undefined ? numberOf(toHex ?? toShort, to) : Number.parseInt(toOctal, 8)
      letters += Math.max(0, Math.min(end, lastWithCase) - numberOf(fromHex, from))
    }
  return letters > mostLetters
}
