/**
 * Headings and lists, as markdown-it reads them, but not where they begin with a marker that nothing follows: `-` as a
 * whole message is what somebody says, and would vanish as an empty list. Items within a list may be empty. Rules of
 * markdown-it.
 */
import { type BlockRule, blockRule, lineAt } from "./block-rule.ts"

const heading = blockRule("heading")
const list = blockRule("list")
const marks = /^#+[ \t]*(?:[ \t]#+[ \t]*)?$/
const bullet = /^(?:[*+-]|\d{1,9}[.)])[ \t]*$/

export const headingWithText: BlockRule = (state, start, end, silent) =>
  !marks.test(lineAt(state, start)) && heading(state, start, end, silent)

export const listWithText: BlockRule = (state, start, end, silent) => {
  // A marker before where the text of an item begins is the next item of the list around it.
  const isWithin = (state.sCount[start] ?? 0) >= state.blkIndent
  return !(isWithin && bullet.test(lineAt(state, start))) && list(state, start, end, silent)
}
