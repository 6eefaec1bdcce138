/** The results as a table and as a JSON file, and the difference between two such files. */
import { readFileSync } from "node:fs"
import { cpus, release, type } from "node:os"
import * as Schema from "effect/Schema"
import { type FigureRow, format, print } from "../src/command-line/bench/figure-table.ts"
import type { Scenario, Target } from "./scenario.ts"

const Figure = Schema.NullOr(Schema.Number)
const ReportFile = Schema.Struct({
  date: Schema.String,
  machine: Schema.Struct({ cpu: Schema.String, cores: Schema.Number, system: Schema.String, node: Schema.String }),
  database: Schema.String,
  pinned: Schema.Boolean,
  rounds: Schema.Number,
  seconds: Schema.Number,
  scenarios: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      rows: Schema.Array(
        Schema.Struct({
          label: Schema.String,
          figures: Schema.Record(Schema.String, Figure),
          remarks: Schema.Array(Schema.String),
        }),
      ),
    }),
  ),
})
export type Report = typeof ReportFile.Type
const decodeReport = Schema.decodeUnknownSync(Schema.fromJsonString(ReportFile))

export const machine = (): Report["machine"] => ({
  cpu: cpus()[0]?.model.trim() ?? "unknown",
  cores: cpus().length,
  system: `${type()} ${release()}`,
  node: process.versions.node,
})

export const readReport = (file: string): Report => decodeReport(readFileSync(file, "utf8"))

const isFor = (of: Target["of"], label: string): boolean =>
  of === undefined || (typeof of === "string" ? of === label : of.test(label))

/** Whether a figure meets its target; undefined where it has none. */
const meets = ({ targets }: Scenario, row: FigureRow, column: string): boolean | undefined => {
  const value = row.figures[column] ?? Number.NaN
  const target = [targets[column] ?? []].flat().find(({ of }) => isFor(of, row.label))
  if (target === undefined) return undefined
  return value <= (target.most ?? Number.POSITIVE_INFINITY) && value >= (target.least ?? Number.NEGATIVE_INFINITY)
}

/** Whether any figure misses its target. */
export const misses = (scenario: Scenario, rows: ReadonlyArray<FigureRow>): boolean =>
  rows.some((row) => Object.keys(row.figures).some((column) => meets(scenario, row, column) === false))

/** One line per row, one column per figure; `!` marks a figure that misses its target. */
export const table = (scenario: Scenario, rows: ReadonlyArray<FigureRow>): string => {
  const { name, about } = scenario
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row.figures)))]
  const cell = (row: FigureRow, column: string): string => {
    const met = meets(scenario, row, column)
    const value = format(row.figures[column] ?? Number.NaN)
    return met === undefined ? value : `${value}${met ? " ok" : " !"}`
  }
  const lines = rows.map((row) => [row.label, ...columns.map((column) => cell(row, column)), row.remarks.join(", ")])
  return `${name}: ${about}\n${print([["", ...columns, ""], ...lines])}\n`
}

/** Each figure of the second report as a multiple of the first's. */
export const comparison = (first: Report, second: Report): string => {
  const lines = [["", "before", "after", "ratio"]]
  for (const { name, rows } of second.scenarios) {
    const before = first.scenarios.find((each) => each.name === name)
    for (const { label, figures } of rows) {
      const known = before?.rows.find((row) => row.label === label)?.figures
      for (const [figure, value] of Object.entries(figures)) {
        const old = known?.[figure] ?? null
        if (old === null || value === null) continue
        lines.push([`${name}, ${label}: ${figure}`, format(old), format(value), format(value / old)])
      }
    }
  }
  return print(lines)
}
