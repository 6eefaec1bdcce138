/**
 * Scripts that write no spaces between words: Chinese and Japanese, Thai, Lao, Khmer, Myanmar and others of South-East Asia.
 * Nobody can say where a word of theirs ends, so searches take runs of their letters apart into pieces of two characters.
 */

/** Their letters, marks and digits, as a part of a regular expression with the flag u. The same stand in unspaced_v1. */
export const unspaced =
  "[\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0edf\u1000-\u1049\u1050-\u109d\u1780-\u17d3\u17d7\u17dc-\u17f9" +
  "\u1950-\u19da\u1a20-\u1a99\u1aa7\u1b00-\u1b4c\u1b50-\u1b59\u3005-\u3007\u3021-\u302d\u3031-\u3035\u3038-\u303c" +
  "\u3041-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\ua48c" +
  "\ua980-\ua9c0\ua9cf-\ua9d9\ua9e0-\ua9fe\uaa60-\uaa76\uaa7a-\uaadd\uf900-\ufad9\uff66-\uff9f" +
  "\u{116d0}-\u{1173b}\u{11740}-\u{11746}\u{16fe3}-\u{16fe4}\u{16ff0}-\u{1b2fb}\u{20000}-\u{3347f}]"

const runs = new RegExp(`${unspaced}+`, "gu")

/** The runs of a text, and the text with a space for each of them. */
export const takeRuns = (text: string): readonly [runs: ReadonlyArray<string>, rest: string] => [
  text.match(runs) ?? [],
  text.replace(runs, " "),
]

/** Pieces of two characters, which overlap; none of a run of one. */
export const pairsOf = (run: string): ReadonlyArray<string> => {
  const characters = [...run]
  return characters.slice(1).map((character, n) => `${characters[n]}${character}`)
}
