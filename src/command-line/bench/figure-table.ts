/** Rows of figures as lines of text, for people. */

/** One line of a table. Figures by name; NaN where the machine cannot tell. */
export interface FigureRow {
  readonly label: string
  readonly figures: Readonly<Record<string, number>>
  readonly remarks: ReadonlyArray<string>
}

/** Three significant digits, or as many as an integer needs. */
export const format = (value: number | null): string =>
  value === null || Number.isNaN(value)
    ? "-"
    : Math.abs(value) >= 1000
      ? Math.round(value).toLocaleString("en")
      : String(Number(value.toPrecision(3)))

/** Lines of cells in columns: the first one to the left, the others to the right. */
export const print = (lines: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join("  "),
    )
    .join("\n")
}
