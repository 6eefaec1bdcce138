/**
 * Blocks between fences, ```` ``` ```` or `~~~`: code, and by the word after the fence quotes, spoilers and formulas. A
 * rule of markdown-it. Within a quote or spoiler a fence with a word begins a block of its own, so that a fence of the
 * same length may be used for both.
 */
import type { StateBlock, Token } from "markdown-it"
import { contextOf } from "../context/render-context.ts"
import { lineAt } from "./block-rule.ts"
import { type CodeFence, closes, findEnd, readFence } from "./fence-pairs.ts"

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
  state.push("spoiler_header_close", "div", 0)
  parseInside(state, first, last, false)
  state.push("spoiler_close", "div", -1)
}

const pushText = (state: StateBlock, opening: CodeFence, content: string): void => {
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
  const opening = readFence(line)
  if (opening === undefined) return false
  if (silent) return true
  const last = findEnd(state, start + 1, end, opening)
  const closing = last < end ? readFence(lineAt(state, last)) : undefined
  const isClosed = closing !== undefined && closes(closing, opening)
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
