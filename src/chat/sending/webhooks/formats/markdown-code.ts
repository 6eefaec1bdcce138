/** Where code stands in somebody's Markdown, in which nothing is markup: between fences and backticks, and indented. */
import { BacktickRuns } from "../../../text/markdown/rules/backtick-runs.ts"

const fence = /[ \t>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(?:(`{3,})(?=[^`\n]*$)|(~{3,}))/my

/** What code may begin with, and escapes, as alternatives of a regular expression with the flag `m`. */
export const codeStarts = "^[ \\t>]*(?:[-*+][ \\t]+|\\d{1,9}[.)][ \\t]+)?(?:`{3,}|~{3,})|^(?: {4}|\\t)|`+|\\\\[^\\n]"

const indented = /^(?: {4}| {0,3}\t)/
const listItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/

/** Where lines begin that are code by their indent: after an empty line, and not within a list. */
const indentedLines = (text: string): ReadonlySet<number> => {
  const starts = new Set<number>()
  let [at, isCode, isAfterGap, isList] = [0, false, true, false]
  for (const line of text.split("\n")) {
    if (line.trim() === "") isAfterGap = true
    else if (indented.test(line)) {
      isCode = (isCode || isAfterGap) && !isList
      if (isCode) starts.add(at)
      isAfterGap = false
    } else {
      isList = listItem.test(line) || (isList && (!isAfterGap || line.startsWith(" ")))
      isCode = false
      isAfterGap = false
    }
    at += line.length + 1
  }
  return starts
}

/** Places are asked for from left to right; all answers together take as long as the text. */
export class CodeFinder {
  readonly #text: string
  readonly #runs: BacktickRuns
  readonly #indented: ReadonlySet<number>

  constructor(text: string) {
    this.#text = text
    this.#runs = new BacktickRuns(text)
    this.#indented = indentedLines(text)
  }

  /** The end of the code that begins at a place; undefined if none does. */
  endOf(at: number): number | undefined {
    const isLine = at === 0 || this.#text[at - 1] === "\n"
    if (isLine && this.#indented.has(at)) return this.#lineEnd(at)
    fence.lastIndex = at
    const [, backticks, tildes] = (isLine ? fence.exec(this.#text) : null) ?? []
    const mark = backticks ?? tildes
    if (mark !== undefined) return this.#fenceEnd(this.#lineEnd(at), mark)
    return this.#text[at] === "`" ? this.#spanEnd(at) : undefined
  }

  /** Behind the line break, or the end of the text. */
  #lineEnd(at: number): number {
    const end = this.#text.indexOf("\n", at)
    return end < 0 ? this.#text.length : end + 1
  }

  #fenceEnd(from: number, mark: string): number {
    for (let start = from; start < this.#text.length; ) {
      const end = this.#lineEnd(start)
      const line = this.#text.slice(start, end).replace(/[\s>]/g, "")
      if (line.length >= mark.length && line === mark.charAt(0).repeat(line.length)) return end
      start = end
    }
    return this.#text.length
  }

  /** Within a paragraph. */
  #spanEnd(at: number): number | undefined {
    let length = 1
    while (this.#text[at + length] === "`") length++
    const end = this.#runs.next(length, at + length)
    return end === undefined || /\n[ \t]*\n/.test(this.#text.slice(at, end)) ? undefined : end + length
  }
}

/** Markdown with something done to all of it that is no code. */
export const mapProse = (text: string, map: (prose: string) => string): string => {
  const code = new CodeFinder(text)
  const starts = new RegExp(codeStarts, "gm")
  const pieces: Array<string> = []
  let done = 0
  for (let found = starts.exec(text); found !== null; found = starts.exec(text)) {
    const end = code.endOf(found.index)
    if (end === undefined) continue
    pieces.push(map(text.slice(done, found.index)), text.slice(found.index, end))
    done = end
    starts.lastIndex = end
  }
  return pieces.join("") + map(text.slice(done))
}
