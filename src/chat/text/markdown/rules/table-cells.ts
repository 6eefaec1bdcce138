/**
 * The cells of a row of a table: what stands between its pipes. A pipe within code, a formula, a mention, a link or a
 * reference to a channel belongs to it, and `\|` is a pipe that divides nothing, in code too, as tables are written for
 * other programs; in a formula it is a sign of its own. Takes time linear in the length of the row.
 */
import { longestName } from "../context/markdown-names.ts"
import { BacktickRuns } from "./backtick-runs.ts"

/** What may hold a pipe, each as it begins; code is known by its backticks. */
const atomicTokenPatterns = [
  // Formulas, as inlineMath reads them.
  /(?<![\w$])\$\$[^\s$](?:\\\$|[^$\n])*\$\$(?!\$)/,
  // Mentions by an id; the name before it may have pipes, too.
  new RegExp(`@_?\\*\\*[^*\\n]{0,${longestName}}\\|\\d+\\*\\*`),
  new RegExp(`@_?\\*[^*\\n]{0,${longestName}}\\|\\d+\\*`),
  /#\*\*[^*\n]+\*\*/,
  /\[[^[\]\n]*\]\([^\s()]*\)/,
]
const pieces = new RegExp(["\\\\?\\|", "`+", ...atomicTokenPatterns.map(({ source }) => source)].join("|"), "g")

const splitCells = (row: string): Array<string> => {
  const runs = new BacktickRuns(row)
  const cells: Array<string> = []
  let cell = ""
  let from = 0
  pieces.lastIndex = 0
  for (let found = pieces.exec(row); found !== null; found = pieces.exec(row)) {
    const [piece] = found
    if (piece === "|" || piece === "\\|") {
      cell += row.slice(from, found.index)
      from = found.index + piece.length
      if (piece === "|") {
        cells.push(cell)
        cell = ""
      } else cell += "|"
    } else if (piece.startsWith("`")) {
      const close = runs.next(piece.length, pieces.lastIndex)
      if (close === undefined) continue
      cell += row.slice(from, close).replaceAll("\\|", "|")
      from = close
      pieces.lastIndex = close + piece.length
    }
  }
  cells.push(cell + row.slice(from))
  return cells
}

/** Without what stands before a pipe at the beginning and behind one at the end, which is nothing. */
export const cellsOf = (line: string): Array<string> => {
  const cells = splitCells(line.trim())
  if (cells[0] === "") cells.shift()
  if (cells.at(-1) === "") cells.pop()
  return cells.map((cell) => cell.trim())
}
