/**
 * Blocks between fences, ```` ``` ```` or `~~~`: code, and by the word after the fence quotes, spoilers and formulas. A
 * rule of markdown-it. Within a quote or spoiler a fence with a word begins a block of its own, so that a fence of the
 * same length may be used for both.
 */
import type { StateBlock, Token } from "markdown-it"
import { contextOf } from "../context/render-context.ts"

const fence = /^(`{3,}|~{3,})[ \t]*([^\n]*?)[ \t]*$/

interface Opening {
  readonly mark: string
  /** The kind of block that the word after the fence makes; `code` for all other words. */
  readonly kind: "quote" | "spoiler" | "math" | "code"
  readonly word: string
  /** The rest of the line. */
  readonly rest: string
}

const lineAt = (state: StateBlock, line: number): string =>
  state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line])

const kindOf = (word: string): Opening["kind"] => {
  const lower = word.toLowerCase()
  return lower === "quote" || lower === "spoiler" || lower === "math" ? lower : "code"
}

const readOpening = (text: string): Opening | undefined => {
  const [, mark, info = ""] = fence.exec(text) ?? []
  if (mark === undefined || (mark.startsWith("`") && info.includes("`"))) return undefined
  const [word = ""] = info.split(/\s/, 1)
  return { mark, kind: kindOf(word), word, rest: info.slice(word.length).trim() }
}

const isContainer = ({ kind }: Opening): boolean => kind === "quote" || kind === "spoiler"

const closes = (text: string, mark: string): boolean =>
  text.startsWith(mark) && text.trimEnd().replaceAll(mark.charAt(0), "") === ""

/** The line of the closing fence, or `end` where there is none. Fences within a container are paired. */
const findEnd = (state: StateBlock, first: number, end: number, opening: Opening): number => {
  const open: Array<Opening> = [opening]
  for (let line = first; line < end; line++) {
    const top = open.at(-1)
    // A line that is less indented ends the list or quote that the fence stands in.
    if (top === undefined || ((state.sCount[line] ?? 0) < state.blkIndent && !state.isEmpty(line))) return line
    if ((state.sCount[line] ?? 0) - state.blkIndent >= 4) continue
    const text = lineAt(state, line)
    const first = text.charAt(0)
    if (first !== "`" && first !== "~") continue
    if (closes(text, top.mark)) {
      open.pop()
      if (open.length === 0) return line
    } else if (isContainer(top)) {
      const inner = readOpening(text)
      if (inner !== undefined) open.push(inner)
    }
  }
  return end
}

const parseInside = (state: StateBlock, first: number, last: number, isQuote: boolean): void => {
  const { lineMax, parentType, blkIndent } = state
  state.lineMax = last
  state.parentType = isQuote ? "blockquote" : "root"
  state.md.block.tokenize(state, first, last)
  Object.assign(state, { lineMax, parentType, blkIndent })
}

const pushInline = (state: StateBlock, content: string): void => {
  const paragraph = state.push("paragraph_open", "p", 1)
  paragraph.block = true
  const token: Token = state.push("inline", "", 0)
  token.content = content
  token.children = []
  state.push("paragraph_close", "p", -1)
}

const pushSpoiler = (state: StateBlock, header: string, first: number, last: number): void => {
  state.push("spoiler_open", "div", 1)
  if (header !== "") pushInline(state, header)
  state.push("spoiler_header_close", "div", -1)
  parseInside(state, first, last, false)
  state.push("spoiler_close", "div", -1)
}

const pushText = (state: StateBlock, opening: Opening, content: string): void => {
  if (opening.kind === "math") {
    const token = state.push("math_block", "", 0)
    token.content = content.replace(/\n$/, "")
    const { extras } = contextOf(state)
    token.meta = extras === null ? null : { html: extras.math(token.content, true) }
    return
  }
  const token = state.push("fence", "code", 0)
  token.content = content
  token.info = opening.word
}

export const fencedBlock = (state: StateBlock, start: number, end: number, silent: boolean): boolean => {
  if ((state.sCount[start] ?? 0) - state.blkIndent >= 4) return false
  const first = state.src.charAt((state.bMarks[start] ?? 0) + (state.tShift[start] ?? 0))
  if (first !== "`" && first !== "~") return false
  const line = lineAt(state, start)
  const opening = readOpening(line)
  if (opening === undefined) return false
  if (silent) return true
  const last = findEnd(state, start + 1, end, opening)
  const isClosed = last < end && closes(lineAt(state, last), opening.mark)
  if (opening.kind === "quote") {
    state.push("blockquote_open", "blockquote", 1)
    parseInside(state, start + 1, last, true)
    state.push("blockquote_close", "blockquote", -1)
  } else if (opening.kind === "spoiler") {
    pushSpoiler(state, opening.rest, start + 1, last)
  } else {
    pushText(state, opening, state.getLines(start + 1, last, state.sCount[start] ?? 0, true))
  }
  state.line = last + (isClosed ? 1 : 0)
  return true
}
