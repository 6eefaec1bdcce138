/**
 * Tables, as markdown-it reads them, but not where the rows lack most of their cells: it fills them up, and 1,000
 * characters then make 65,000 cells. A rule of markdown-it.
 */
import type { StateBlock } from "markdown-it"
import { blockRule } from "./block-rule.ts"

const table = blockRule("table")

/** A table may have this many cells that are not written, and one for each character besides. */
const fewCells = 200

const hasCells = (state: StateBlock, start: number, end: number): boolean => {
  const from = state.bMarks[start + 1] ?? 0
  const columns = state.src.slice(from, state.eMarks[start + 1]).split("|").length
  let last = start
  while (last < end && !state.isEmpty(last)) last++
  const length = (state.eMarks[last - 1] ?? 0) - (state.bMarks[start] ?? 0)
  return columns * (last - start) <= fewCells + length
}

export const boundedTable = (state: StateBlock, start: number, end: number, silent: boolean): boolean =>
  // The second line of a table has nothing but these, which is seen before lines are counted.
  /^[|:\s-]{2,}$/.test(state.src.slice(state.bMarks[start + 1], state.eMarks[start + 1])) &&
  (silent || hasCells(state, start, end)) &&
  table(state, start, end, silent)
