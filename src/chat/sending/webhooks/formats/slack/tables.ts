/** Slack's tables and charts as tables and lists of Markdown. */
import { bold, bullets, gather, plain } from "../markup.ts"
import { at, either, listAt, textAt } from "../payload.ts"
import { nameOf, textOf } from "./elements.ts"

const cell = (value: unknown): string =>
  textOf(value)
    .replace(/\s*\n\s*/g, " ")
    .replaceAll("|", "\\|")

/** The first row is the head, as Slack shows it. */
export const table = (block: unknown): string => {
  const rows = gather(listAt(block, "rows"), (row) => {
    const cells = Array.isArray(row) ? row : listAt(row, "cells")
    return cells.length === 0 ? "" : `| ${cells.map(cell).join(" | ")} |`
  })
  const [head = ""] = rows
  if (head === "") return plain(nameOf(at(block, "caption")))
  const [first] = listAt(block, "rows").filter((row) => Array.isArray(row) || listAt(row, "cells").length > 0)
  const columns = Array.isArray(first) ? first.length : listAt(first, "cells").length
  const caption = bold(nameOf(at(block, "caption")))
  return [...(caption === "" ? [] : [caption, ""]), head, `|${"---|".repeat(columns)}`, ...rows.slice(1)].join("\n")
}

const point = (given: unknown): string =>
  `${plain(either(textAt(given, "label"), textAt(given, "name"), textAt(given, "x")))}: ${plain(either(textAt(given, "value"), textAt(given, "y")))}`

/** A chart by its numbers. */
export const chart = (block: unknown): string => {
  const given = at(block, "chart")
  const series = listAt(given, "series").map((one) => {
    const points = gather(listAt(one, "data"), point).join(", ")
    return `${plain(textAt(one, "name"))}: ${points}`
  })
  const all = [...listAt(given, "segments").map(point), ...series]
  return [bold(nameOf(at(block, "title"))), bullets(all, (line) => line)].filter((line) => line !== "").join("\n")
}
