/**
 * Brackets and quotes of any script, and which of them belong together. Where quotes begin and end differs by language:
 * »a« and „a“ end with what begins «a» and “a”.
 */

/** Unicode's Ps, Pi: what may open, and two of Pf. Pe, Pf, Pi: what may close. */
const bracket = /[\p{Ps}\p{Pi}\p{Pe}\p{Pf}]/gu
const opener = /[\p{Ps}\p{Pi}\u00bb\u203a]/u
const closer = /[\p{Pe}\p{Pf}]/u

/** Those whose closing one is not the next of Unicode's table, or the one after it. */
const others: Readonly<Record<string, string>> = {
  "\u00ab": "\u00bb",
  "\u00bb": "\u00ab",
  "\u203a": "\u2039",
  "\u201a": "\u2018\u2019",
  "\u201b": "\u2019",
  "\u201e": "\u201c\u201d",
  "\u201f": "\u201d",
  "\u2e42": "\u201d",
  "\u301d": "\u301e\u301f",
  "\ufd3f": "\ufd3e",
}

export const isOpener = (character: string): boolean => opener.test(character)

/** The characters of which one closes what this opens; empty: nothing is known to. */
const closersOf = (character: string): string => {
  const other = others[character]
  if (other !== undefined) return other
  const code = character.charCodeAt(0)
  return [code + 1, code + 2].map((next) => String.fromCharCode(next)).find((next) => closer.test(next)) ?? ""
}

export type BracketPairs = ReadonlyMap<number, number>
const noPairs: ReadonlyMap<number, number> = new Map()

/**
 * For the place of each that is closed the place of what closes it, and the other way round. Found in one pass, so that
 * thousands take no longer.
 */
export const pairsIn = (text: string): BracketPairs => {
  let pairs: Map<number, number> | undefined
  const open: Array<{ readonly at: number; readonly closers: string }> = []
  /** How many are open that a character closes. */
  const awaited = new Map<string, number>()
  const count = (closers: string, by: 1 | -1): void => {
    for (const each of closers) awaited.set(each, (awaited.get(each) ?? 0) + by)
  }
  for (const { 0: character, index } of text.matchAll(bracket)) {
    if ((awaited.get(character) ?? 0) === 0) {
      if (!isOpener(character)) continue
      const closers = closersOf(character)
      open.push({ at: index, closers })
      count(closers, 1)
      continue
    }
    // What was opened after it stays open.
    for (let last = open.pop(); last !== undefined; last = open.pop()) {
      count(last.closers, -1)
      if (!last.closers.includes(character)) continue
      pairs ??= new Map()
      pairs.set(last.at, index).set(index, last.at)
      break
    }
  }
  return pairs ?? noPairs
}
