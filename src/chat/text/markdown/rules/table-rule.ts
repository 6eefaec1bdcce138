/**
 * Tables: a line of heads, one of dashes that says how many columns there are, and rows. Nothing in them is lost: where
 * a row has more cells than there are heads, the table has as many columns, and the further heads are empty. A table has
 * few cells that nobody wrote: 1,000 characters could make 65,000 of them. A row that would make too many is text
 * below it. A rule of markdown-it.
 */
import type { StateBlock } from "markdown-it"
import { type BlockRule, lineAt } from "./block-rule.ts"
import { cellsOf } from "./table-cells.ts"

/** A table may have this many cells that are not written, and one for each character besides. */
const fewCells = 200

// A dash and a space begin a list.
const divider = /^(?!-[ \t])[|:-][|: \t-]+$/
const column = /^(:?)-+(:?)$/

/** How the columns are aligned; undefined for a line that divides no heads from rows. */
const sidesOf = (line: string): ReadonlyArray<string> | undefined => {
  if (!divider.test(line)) return undefined
  const parts = line.split("|").map((part) => part.trim())
  if (parts[0] === "") parts.shift()
  if (parts.at(-1) === "") parts.pop()
  const sides: Array<string> = []
  for (const part of parts) {
    const found = column.exec(part)
    if (found === null) return undefined
    sides.push(found[2] === "" ? (found[1] === "" ? "" : "left") : found[1] === "" ? "right" : "center")
  }
  return sides
}

const isIndented = (state: StateBlock, line: number): boolean => (state.sCount[line] ?? 0) - state.blkIndent >= 4
const isOutside = (state: StateBlock, line: number): boolean => (state.sCount[line] ?? 0) < state.blkIndent

/** The cells of the rows from this line on, up to what begins another block, and their greatest number. */
const readRows = (state: StateBlock, start: number, end: number, heads: number) => {
  const enders = state.md.block.ruler.getRules("blockquote")
  const rows: Array<ReadonlyArray<string>> = []
  let width = heads
  for (let line = start + 2; line < end; line++) {
    const text = lineAt(state, line)
    if (isOutside(state, line) || isIndented(state, line) || text.trim() === "") break
    if (enders.some((begins) => begins(state, line, end, true))) break
    const cells = cellsOf(text)
    while (cells.length > heads && cells.at(-1) === "") cells.pop()
    const wider = Math.max(width, cells.length)
    const length = (state.eMarks[line] ?? 0) - (state.bMarks[start] ?? 0)
    if (wider * (rows.length + 2) > fewCells + length) break
    width = wider
    rows.push(cells)
  }
  return { rows, width }
}

export const table: BlockRule = (state, start, end, silent) => {
  if (start + 2 > end || isOutside(state, start + 1) || isIndented(state, start + 1)) return false
  const sides = sidesOf(lineAt(state, start + 1))
  const head = lineAt(state, start)
  if (sides === undefined || !head.includes("|") || isIndented(state, start)) return false
  const heads = cellsOf(head)
  if (heads.length === 0 || heads.length !== sides.length) return false
  if (silent) return true

  const { parentType } = state
  state.parentType = "table"
  const { rows, width } = readRows(state, start, end, heads.length)
  state.parentType = parentType

  const pushRow = (tag: "th" | "td", cells: ReadonlyArray<string>): void => {
    state.push("tr_open", "tr", 1)
    for (let at = 0; at < width; at++) {
      const side = sides[at] ?? ""
      const open = state.push(`${tag}_open`, tag, 1)
      if (side !== "") open.attrs = [["style", `text-align: ${side};`]]
      const token = state.push("inline", "", 0)
      token.content = cells[at] ?? ""
      token.children = []
      state.push(`${tag}_close`, tag, -1)
    }
    state.push("tr_close", "tr", -1)
  }
  state.push("table_open", "table", 1)
  state.push("thead_open", "thead", 1)
  pushRow("th", heads)
  state.push("thead_close", "thead", -1)
  if (rows.length > 0) {
    state.push("tbody_open", "tbody", 1)
    for (const cells of rows) pushRow("td", cells)
    state.push("tbody_close", "tbody", -1)
  }
  state.push("table_close", "table", -1)
  state.line = start + 2 + rows.length
  return true
}
