/**
 * Marks in a message's HTML what a search found. Only the text between tags is looked at and wrapped, so no tag or
 * attribute is ever touched, and the rest stays as it is. An entity counts as the one character that it shows.
 */
import { foldPhrase, goesOn, letter } from "./phrases.ts"

/** Tags, an entity, or what stands between them. Values of attributes hold no `"` and `<` but as entities. */
const pieces = /(?:<[^<>"]*(?:"[^"]*"[^<>"]*)*>)+|&(?:#\d+|#x[\da-f]+|\w+);|[^<&]+|[<&]/gi
/** A formula allows no spans inside, and says everything twice: to the eye, and to readers aloud. */
const formula = '<span class="katex">'
const spans = /<(\/?)span\b/g
/** A word as the index has it, or two with an apostrophe between them; its parts are tried where the whole is not meant. */
const wholeWordPattern = new RegExp(`${letter}+(?:'${letter}+)*`, "gv")
const simple = new RegExp(`${letter}+`, "gv")
/** Where a word in camelCase has parts, as words_apart_v1 parts it. What follows is compared first: digits may be many. */
const humps = /(?=\p{Lu})(?<=\p{Ll}\d*)|(?=\p{Lu}\p{Ll}{2})(?<=[\p{L}\p{N}])/u

const entities: ReadonlyMap<string, string> = new Map([
  ["&amp;", "&"],
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&quot;", '"'],
  ["&#39;", "'"],
])

interface HtmlPiece {
  readonly html: string
  /** The text that readers see of it; null: tags, or a formula. */
  readonly shown: string | null
}

/** Characters of a message's text in which anything is marked; what is behind them stays as it is. */
const mostLooked = 40_000

/** Position at which the span ends that begins at `from`. */
const endOfSpan = (html: string, from: number): number => {
  spans.lastIndex = from
  let open = 0
  for (let tag = spans.exec(html); tag !== null; tag = spans.exec(html)) {
    open += tag[1] === "/" ? -1 : 1
    if (open === 0) return html.indexOf(">", tag.index) + 1
  }
  return html.length
}

/** The pieces of the beginning of a message, and what follows them. */
const piecesOf = (html: string): readonly [pieces: ReadonlyArray<HtmlPiece>, rest: string] => {
  const found: Array<HtmlPiece> = []
  const search = new RegExp(pieces)
  let left = mostLooked
  for (let match = search.exec(html); match !== null; match = search.exec(html)) {
    const { 0: piece, index } = match
    if (piece.startsWith("<") && piece.length > 1) {
      const at = piece.indexOf(formula)
      if (at >= 0) search.lastIndex = endOfSpan(html, index + at)
      found.push({ html: html.slice(index, search.lastIndex), shown: null })
      continue
    }
    const shown = piece.startsWith("&") && piece.length > 1 ? (entities.get(piece) ?? " ") : piece
    if (shown.length <= left) {
      found.push({ html: piece, shown })
      left -= shown.length
      continue
    }
    // Not within a character of two units.
    const end = left - (/[\ud800-\udbff]/.test(piece.charAt(left - 1)) ? 1 : 0)
    const begun = piece.slice(0, end)
    if (left > 0 && begun !== "") found.push({ html: begun, shown: begun })
    return [found, html.slice(index + (left > 0 ? end : 0))]
  }
  return [found, ""]
}

/** The parts of a word, with their positions: those beside an apostrophe, and those of camelCase. */
function* partsOf(word: string, index: number): Generator<readonly [part: string, index: number]> {
  if (word.includes("'"))
    for (const { 0: part, index: at } of word.matchAll(simple)) {
      yield [part, index + at]
      yield* humpsOf(part, index + at)
    }
  else yield* humpsOf(word, index)
}

function* humpsOf(word: string, index: number): Generator<readonly [part: string, index: number]> {
  const parts = word.split(humps)
  if (parts.length === 1) return
  let at = index
  for (const part of parts) {
    yield [part, at]
    at += part.length
  }
}

/** The words that readers see, in lower case: each once, as a whole and in parts. */
export const wordsIn = (html: string): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const { shown } of piecesOf(html)[0]) {
    if (shown === null) continue
    for (const { 0: word } of shown.matchAll(wholeWordPattern)) {
      found.add(word.toLowerCase())
      for (const [part] of partsOf(word, 0)) found.add(part.toLowerCase())
    }
  }
  return found
}

/** The words and phrases that are to be marked. */
export interface HighlightTerms {
  /** In lower case. */
  readonly words: ReadonlySet<string>
  /** As `foldPhrase` makes them. */
  readonly phrases: ReadonlyArray<string>
  /** Likewise, but marked only where they begin and end with a word. */
  readonly joined?: ReadonlyArray<string>
}

type TextRange = readonly [from: number, to: number]

function* wordRanges(text: string, words: ReadonlySet<string>): Generator<TextRange> {
  for (const { 0: word, index } of text.matchAll(wholeWordPattern))
    if (words.has(word.toLowerCase())) yield [index, index + word.length]
    else for (const [part, at] of partsOf(word, index)) if (words.has(part.toLowerCase())) yield [at, at + part.length]
}

/** The text as it is compared: as it is where folding changes its length, which a character at a time would not. */
const comparable = (text: string): string => {
  const folded = foldPhrase(text)
  return folded.length === text.length ? folded : text
}

/** Characters that are compared for all phrases of a message together, and places that are noted. */
const mostCompared = 2_000_000
const mostPlaces = 100_000

/** Notes where phrases stand. A narrow may have thousands of them: of a long message the first ones are looked for. */
const notePhrases = (
  text: string,
  { phrases, joined = [] }: HighlightTerms,
  note: (from: number, to: number) => void,
): void => {
  if (phrases.length + joined.length === 0) return
  const compared = comparable(text)
  const looked = [...phrases, ...joined].slice(0, Math.ceil(mostCompared / Math.max(1, text.length)))
  let places = 0
  for (const [n, phrase] of looked.entries())
    for (let at = compared.indexOf(phrase); at >= 0; at = compared.indexOf(phrase, at + phrase.length)) {
      if (++places > mostPlaces) return
      const end = at + phrase.length
      if (n < phrases.length || !(goesOn(compared, at) || goesOn(compared, end))) note(at, end)
    }
}

/** Most marks in one message: each has three times the bytes of a word. */
const mostMarks = 1000

/**
 * The first ranges of a text, in ascending order, those that overlap as one. `ends`: where the longest range ends that
 * begins at each character, else 0: phrases may be found a hundred thousand times in one message.
 */
const merged = (ends: Int32Array): ReadonlyArray<TextRange> => {
  const found: Array<[number, number]> = []
  for (const [from, to] of ends.entries()) {
    if (to === 0) continue
    const last = found.at(-1)
    if (last !== undefined && from < last[1]) last[1] = Math.max(last[1], to)
    else if (found.length < mostMarks) found.push([from, to])
    else break
  }
  return found
}

/** White space alone stays as it is: between the cells of a table, say, no span may stand. */
const wrap = (html: string): string => (html.trim() === "" ? html : `<span class="highlight">${html}</span>`)

/** The HTML, with everything that is wanted marked. */
export const highlightMatches = (html: string, wanted: HighlightTerms): string => {
  const [all, rest] = piecesOf(html)
  const text = all.map(({ shown }) => shown ?? "").join("")
  // Words do not go beyond a piece: `b<strong>old</strong>` has two.
  let at = 0
  const ends = new Int32Array(text.length)
  const note = (from: number, to: number): void => {
    if (to > (ends[from] ?? 0)) ends[from] = to
  }
  for (const { shown } of all) {
    if (shown === null) continue
    for (const [from, to] of wordRanges(shown, wanted.words)) note(at + from, at + to)
    at += shown.length
  }
  notePhrases(text, wanted, note)
  const ranges = merged(ends)
  let next = 0
  let position = 0
  const marked = all.map((piece) => {
    if (piece.shown === null) return piece.html
    const [begin, end] = [position, position + piece.shown.length]
    position = end
    let result = ""
    let done = begin
    for (let range = ranges[next]; range !== undefined && range[0] < end; range = ranges[next]) {
      const [from, to] = [Math.max(range[0], begin), Math.min(range[1], end)]
      // An entity shows one character, and is longer itself.
      const part = (a: number, b: number) =>
        piece.html === piece.shown ? piece.html.slice(a - begin, b - begin) : a < b ? piece.html : ""
      result += part(done, from) + wrap(part(from, to))
      done = to
      if (range[1] > end) break
      next++
    }
    const unmarked = piece.html === piece.shown ? piece.html.slice(done - begin) : done === begin ? piece.html : ""
    return result + unmarked
  })
  return marked.join("") + rest
}
