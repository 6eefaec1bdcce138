/**
 * Rules for lists where this API differs from CommonMark: they need no blank line before them, and two spaces nest a
 * list in an item of a numbered one. Rules of markdown-it, before its own rule for lists.
 */
import type { StateBlock } from "markdown-it"

const textAt = (state: StateBlock, line: number, most: number): string => {
  const from = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0)
  return state.src.slice(from, Math.min(from + most, state.eMarks[line] ?? from))
}

/** A single digit begins a list after a paragraph without a blank line, whichever it is; CommonMark wants a 1. */
export const listAfterText = (state: StateBlock, start: number, _end: number, silent: boolean): boolean => {
  if (!silent || state.parentType !== "paragraph") return false
  const indent = (state.sCount[start] ?? 0) - state.blkIndent
  return indent >= 0 && indent < 4 && /^\d[.)] +\S/.test(textAt(state, start, 20))
}

const numbered = /^\d{1,9}([.)])[ \t]/
const anyItem = /^(?:[*+-]|\d{1,9}[.)])[ \t]/

/**
 * Counts lists that are indented by two spaces or more below a numbered item as indented as far as its text, with all
 * that is in them. Changes only how far lines count as indented; the list itself is read by markdown-it's rule.
 */
export const nestInNumbered = (state: StateBlock, start: number, end: number, silent: boolean): boolean => {
  const first = numbered.exec(textAt(state, start, 12))
  if (silent || first === null) return false
  const base = state.sCount[start] ?? 0
  let width = first[0].length
  /** Lines from this indentation on are moved. */
  let from = Number.POSITIVE_INFINITY
  let shift = 0
  for (let line = start + 1; line < end; line++) {
    if (state.isEmpty(line)) continue
    const indent = state.sCount[line] ?? 0
    if (indent < base) break
    if (indent < base + 2) {
      const next = numbered.exec(textAt(state, line, 12))
      if (next === null || next[1] !== first[1]) break
      width = next[0].length
      from = Number.POSITIVE_INFINITY
    } else if (indent < from && indent < base + width && anyItem.test(textAt(state, line, 12))) {
      from = indent
      shift = base + width - indent
    }
    if (indent >= from) state.sCount[line] = indent + shift
  }
  return false
}
