/**
 * The changes that an edit made to a message, as HTML (`content_html_diff`). The tags are those of the new version, and
 * only texts are compared, by words: so the answer is well-formed whatever was changed. A change of tags alone, as of
 * the address of a link, is not marked.
 */
import { diffArrays } from "diff"
import * as Effect from "effect/Effect"
import { nextSlice } from "../../../slices.ts"

/** A tag, or else what is compared: a word, white space, a reference, or other signs side by side. */
const token = /<(\/?)([a-z0-9]+)[^<>]*>|&[#a-zA-Z0-9]+;|[\p{L}\p{N}\p{M}_]+|\s+|[^\p{L}\p{N}\p{M}_\s<&]+|[<&]/gu
const formula = /^<span class="katex">|^<(?:math|svg)\b/
const isEmpty: ReadonlySet<string> = new Set(["area", "br", "hr", "img", "input", "source", "track", "wbr"])
/** Elements into which a removed text may be put though they have no text at that place. Lists and tables may not hold any. */
const holdsText: ReadonlySet<string> = new Set("p li td th h1 h2 h3 h4 h5 h6 pre code em strong del".split(" "))

interface HtmlPiece {
  readonly html: string
  /** The tag's name; undefined for a text. */
  readonly tag?: string | undefined
  readonly isEnd?: boolean
}

/** Undefined if the tags do not match, which the renderer's do. A formula is one text, as it allows no spans inside. */
const piecesOf = (html: string): ReadonlyArray<HtmlPiece> | undefined => {
  const pieces: Array<HtmlPiece> = []
  const open: Array<string> = []
  let formulaAt = 0
  /** Number of elements that were open when the formula began. */
  let outside: number | undefined
  for (const { 0: text, 1: slash, 2: tag, index } of html.matchAll(token)) {
    if (tag === undefined) {
      if (text === "<") return undefined
      if (outside === undefined) pieces.push({ html: text })
      continue
    }
    if (outside === undefined && formula.test(text)) {
      outside = open.length
      formulaAt = index
    }
    const isEnd = slash === "/"
    if (isEnd) {
      if (open.pop() !== tag) return undefined
    } else if (!isEmpty.has(tag) && !text.endsWith("/>")) open.push(tag)
    if (outside === undefined) pieces.push({ html: text, tag, isEnd })
    else if (open.length === outside) {
      pieces.push({ html: html.slice(formulaAt, index + text.length) })
      outside = undefined
    }
  }
  return open.length === 0 ? pieces : undefined
}

/** Texts that were replaced, and how many of the new ones are as before after that. */
interface DiffStep {
  readonly removed: ReadonlyArray<string>
  readonly added: number
  readonly kept: number
}

/** More changes than this are not looked for: the time grows with their square. */
const mostChanges = 120

/** The steps from one list to the other. White space alone between two changes counts as changed, too: it reads better. */
const stepsBetween = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<DiffStep> => {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const [cutBefore, cutAfter] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  const changes = diffArrays(cutBefore, cutAfter, { maxEditLength: mostChanges })
  const steps: Array<DiffStep> = [{ removed: [], added: 0, kept: start }]
  let [removed, added]: [Array<string>, number] = [[], 0]
  if (changes === undefined) [removed, added] = [cutBefore, cutAfter.length]
  for (const [at, change] of (changes ?? []).entries()) {
    const isKept = !change.added && !change.removed
    const isBetween = at > 0 && at + 1 < (changes ?? []).length
    const isJoined = isKept && isBetween && change.value.every((text) => text.trim() === "")
    if (isKept && !isJoined) {
      steps.push({ removed, added, kept: change.count })
      ;[removed, added] = [[], 0]
      continue
    }
    if (change.removed || isJoined) removed.push(...change.value)
    if (change.added || isJoined) added += change.count
  }
  return [...steps, { removed, added, kept: end }]
}

const marked = (what: "deleted" | "inserted", html: string): string =>
  html === "" ? "" : `<span class="highlight_text_${what}">${html}</span>`

/** Writes the new version's pieces in order, with the texts that were removed or inserted. */
const writer = () => {
  const open: Array<string> = []
  const written: Array<string> = []
  /** A removed text that waits for a place, and inserted ones that stand side by side. */
  let [removed, inserted] = ["", ""]
  const endInserted = () => {
    written.push(marked("inserted", inserted))
    inserted = ""
  }
  const place = () => {
    written.push(marked("deleted", removed))
    removed = ""
  }
  const mayHold = () => holdsText.has(open.at(-1) ?? "")
  return {
    tag: ({ html, tag = "", isEnd = false }: HtmlPiece) => {
      endInserted()
      written.push(html)
      if (isEnd) open.pop()
      else if (!isEmpty.has(tag)) open.push(tag)
      if (!isEnd && mayHold()) place()
    },
    text: (html: string, isInserted: boolean) => {
      // White space between the rows of a table, say, is no text that anybody sees.
      const isSeen = html.trim() !== "" || mayHold()
      if (isSeen && removed !== "") {
        endInserted()
        place()
      }
      if (isInserted && isSeen) inserted += html
      else {
        endInserted()
        written.push(html)
      }
    },
    /** To be put after what was written last, if `isText` says that this is a text, or else as soon as may be. */
    remove: (html: string, isText: boolean) => {
      endInserted()
      removed += html
      if (isText || mayHold()) place()
    },
    end: () => {
      endInserted()
      if (removed.trim() !== "") written.push(`<p>${marked("deleted", removed)}</p>`)
      return written.join("")
    },
  }
}

/** The new version with what was removed and inserted. */
const write = (pieces: ReadonlyArray<HtmlPiece>, steps: ReadonlyArray<DiffStep>): string => {
  /** By the number of a text of the new version: what was removed before it, and whether it is new itself. */
  const removedBefore = new Map<number, string>()
  const isInserted: Array<boolean> = []
  for (const { removed, added, kept } of steps) {
    const at = isInserted.length
    if (removed.length > 0) removedBefore.set(at, (removedBefore.get(at) ?? "") + removed.join(""))
    for (let n = 0; n < added + kept; n++) isInserted.push(n < added)
  }
  const out = writer()
  const remove = (at: number, isText: boolean) => {
    const text = removedBefore.get(at)
    if (text !== undefined) out.remove(text, isText)
  }
  let at = 0
  remove(at, false)
  for (const piece of pieces) {
    if (piece.tag !== undefined) out.tag(piece)
    else {
      out.text(piece.html, isInserted[at] === true)
      at += 1
      remove(at, piece.html.trim() !== "")
    }
  }
  return out.end()
}

/** Longer versions together, in characters, are not compared: each part of the work is to end within milliseconds. */
export const mostCompared = 40_000

/** Spans may make the answer longer than both versions; by more than this, and there is none. */
const mostAdded = 50_000

/** Most characters of both versions together that are compared in one slice: it takes about a millisecond. */
export const comparedAtOnce = 4_000

const textsOf = (pieces: ReadonlyArray<HtmlPiece>) =>
  pieces.flatMap(({ html, tag }) => (tag === undefined ? [html] : []))

/**
 * The new version's HTML with the class `highlight_text_inserted` around each new text and `highlight_text_deleted` around
 * each that was removed. Undefined where the versions are too long, or either is not well-formed. Works in slices.
 */
export const htmlDiff = Effect.fnUntraced(function* (before: string, after: string) {
  const length = before.length + after.length
  if (length > mostCompared) return undefined
  const rest = length > comparedAtOnce ? nextSlice : Effect.void
  yield* rest
  const old = piecesOf(before)
  yield* rest
  const pieces = piecesOf(after)
  if (old === undefined || pieces === undefined) return undefined
  yield* rest
  const steps = stepsBetween(textsOf(old), textsOf(pieces))
  yield* rest
  const html = write(pieces, steps)
  return html.length > length + mostAdded ? undefined : html
})
