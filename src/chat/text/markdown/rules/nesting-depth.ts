/**
 * Limits of nesting: programs that show messages walk their elements recursively, and a message could hold thousands
 * within each other. Rules of markdown-it.
 */
import type { StateBlock, StateInline, Token } from "markdown-it"

/** Quotes, lists, items and spoilers within each other. */
const deepestBlock = 12
/** Emphasis within each other. */
const deepestInline = 8

/** Below the limit, whatever begins a block is a paragraph of the lines up to the next blank one. */
export const deepBlock = (state: StateBlock, start: number, end: number, silent: boolean): boolean => {
  if (silent || state.level < deepestBlock) return false
  let next = start + 1
  while (next < end && !state.isEmpty(next) && (state.sCount[next] ?? 0) >= state.blkIndent) next++
  state.line = next
  state.push("paragraph_open", "p", 1)
  const token = state.push("inline", "", 0)
  token.content = state.getLines(start, next, state.blkIndent, false).trim()
  token.children = []
  state.push("paragraph_close", "p", -1)
  return true
}

const emphasis: ReadonlySet<string> = new Set([
  "em_open",
  "em_close",
  "strong_open",
  "strong_close",
  "s_open",
  "s_close",
])

const toText = (token: Token): void => {
  token.type = "text"
  token.tag = ""
  token.nesting = 0
  token.content = token.markup
}

/** Emphasis below the limit is shown as it was written. */
export const deepEmphasis = (state: StateInline): void => {
  let depth = 0
  for (const token of state.tokens) {
    if (!emphasis.has(token.type)) continue
    if (token.nesting === 1) {
      depth++
      if (depth > deepestInline) toText(token)
    } else {
      if (depth > deepestInline) toText(token)
      depth--
    }
  }
}
