/** The results for machines, as a table for people, and as a plot. */
import { cpus, release, type } from "node:os"
import { format, print } from "./figure-table.ts"
import { plot } from "./plot.ts"
import type { Measurement } from "./stage.ts"

export interface BenchReport {
  readonly date: string
  readonly server: { readonly url: string; readonly isOwn: boolean; readonly version: string }
  readonly client: { readonly cpu: string; readonly cores: number; readonly system: string; readonly node: string }
  readonly accounts: number
  readonly seconds: number
  readonly textBytes: number
  readonly isInterrupted: boolean
  /** Why a later step could not be measured; null: all were. */
  readonly endedEarly: string | null
  readonly outcomes: ReadonlyArray<Measurement>
  /** What is doubtful of all of them. */
  readonly doubts: ReadonlyArray<string>
}

export const thisMachine = (): BenchReport["client"] => ({
  cpu: cpus()[0]?.model.trim() ?? "unknown",
  cores: cpus().length,
  system: `${type()} ${release()}`,
  node: process.versions.node,
})

const percent = (share: number): string => `${Math.round(100 * share)} %`

const cellOf = (name: string, value: number | null): string =>
  value !== null && name.endsWith(" busy") ? percent(value) : format(value)

/** A table for each scenario, because their figures differ. */
const tablesOf = (outcomes: ReadonlyArray<Measurement>): ReadonlyArray<string> =>
  [...new Set(outcomes.map(({ scenario }) => scenario))].map((scenario) => {
    const rows = outcomes.filter((outcome) => outcome.scenario === scenario)
    const columns = [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))]
    const lines = rows.map(({ label, figures, counts, limit }) => [
      label,
      ...columns.map((name) => cellOf(name, figures[name] ?? null)),
      String(counts.lost),
      String(counts.doubled),
      limit,
    ])
    return print([[scenario, ...columns, "lost", "doubled", "limited by"], ...lines])
  })

const doubtsIn = ({ outcomes, doubts }: BenchReport): ReadonlyArray<string> => [
  ...doubts,
  ...outcomes.flatMap(({ scenario, label, doubts }) => doubts.map((doubt) => `${scenario}, ${label}: ${doubt}`)),
]

export const textOf = (report: BenchReport): string => {
  const { client, server, accounts, outcomes } = report
  const doubts = doubtsIn(report)
  return [
    `${server.url}${server.isOwn ? " (started for this, embedded database, no rate limits)" : ""}, API of Zulip ${server.version}; ${accounts} accounts`,
    `measured from ${client.cpu}, ${client.cores} cores, ${client.system}, Node ${client.node}`,
    "",
    ...tablesOf(outcomes).flatMap((table) => [table, ""]),
    ...(doubts.length === 0 ? [] : ["doubtful:", ...doubts.map((doubt) => `  ${doubt}`), ""]),
  ].join("\n")
}

/** The figures that are drawn, all in milliseconds, and what the legend calls them. */
const drawn: ReadonlyArray<readonly [scenario: string, figure: string, called: string]> = [
  ["fan-out", "p50 ms", "p50"],
  ["fan-out", "p99 ms", "p99"],
  ["rate", "last reader p50 ms", "last"],
  ["storm", "all back ms", "all back"],
]

/** Null where nothing was measured that could be drawn. */
export const plotOf = ({ outcomes }: BenchReport): string | null => {
  const series = drawn.flatMap(([scenario, figure, called]) => {
    const rows = outcomes.filter((outcome) => outcome.scenario === scenario)
    return [...new Set(rows.map(({ how }) => how))].map((how) => ({
      name: scenario === "storm" ? `storm, ${called}` : `${scenario} ${how}, ${called}`,
      points: rows.flatMap((row) => {
        const value = row.figures[figure] ?? null
        return row.how === how && value !== null && value > 0 ? [[row.queues, value] as const] : []
      }),
    }))
  })
  if (series.every(({ points }) => points.length === 0)) return null
  return plot("Delays by the number of queues", "queues", "ms", series)
}
