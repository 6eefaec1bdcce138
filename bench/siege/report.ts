/** The figures of a siege as a table, and what of them misses the project's targets. */
import { format, print } from "../../src/command-line/bench/figure-table.ts"
import { attacks } from "./attacks/all.ts"
import type { Outcome, Phase } from "./siege.ts"

interface Line {
  readonly name: string
  readonly of: (phase: Phase) => number
  /** The most that the siege may take. */
  readonly most?: number
}

const megabyte = 2 ** 20
const orNaN = (value: number | null): number => value ?? Number.NaN
const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0)

const lines: ReadonlyArray<Line> = [
  { name: "messages sent", of: ({ honest }) => honest.sends.count },
  { name: "send p50, ms", of: ({ honest }) => orNaN(honest.sends.p50) },
  { name: "send p99, ms", of: ({ honest }) => orNaN(honest.sends.p99), most: 100 },
  { name: "send longest, ms", of: ({ honest }) => orNaN(honest.sends.most) },
  { name: "events got by others", of: ({ honest }) => honest.events.socket.count + honest.events.poll.count },
  { name: "event by WebSocket p50, ms", of: ({ honest }) => orNaN(honest.events.socket.p50) },
  { name: "event by WebSocket p99, ms", of: ({ honest }) => orNaN(honest.events.socket.p99), most: 250 },
  { name: "event by WebSocket longest, ms", of: ({ honest }) => orNaN(honest.events.socket.most) },
  { name: "event by poll p50, ms", of: ({ honest }) => orNaN(honest.events.poll.p50) },
  { name: "event by poll p99, ms", of: ({ honest }) => orNaN(honest.events.poll.p99), most: 250 },
  { name: "event by poll longest, ms", of: ({ honest }) => orNaN(honest.events.poll.most) },
  { name: "events lost", of: ({ honest }) => honest.lost, most: 0 },
  { name: "events doubled", of: ({ honest }) => honest.doubled, most: 0 },
  { name: "sends failed", of: ({ honest }) => sum(honest.failures), most: 0 },
  { name: "queues lost", of: ({ honest }) => honest.queuesLost, most: 0 },
  { name: "connections lost", of: ({ honest }) => honest.reconnections },
  { name: "server's memory at most, MB", of: ({ mostResident }) => mostResident / megabyte, most: 1024 },
  { name: "server's longest block, ms", of: ({ longestBlock }) => longestBlock },
  { name: "server's processors", of: ({ cpu }) => cpu },
]

/** One line for each siege, those that hurt the honest users most first. */
export const summary = (sieges: ReadonlyArray<{ readonly label: string; readonly outcome: Outcome }>): string => {
  const worst = ({ siege: { honest } }: Outcome): number =>
    Math.max(orNaN(honest.events.socket.p99), orNaN(honest.events.poll.p99))
  const harm = ({ siege }: Outcome): number => sum(siege.honest.failures) * 1e6 + orNaN(siege.honest.sends.p99)
  const sorted = [...sieges].sort((a, b) => harm(b.outcome) - harm(a.outcome))
  return print([
    [
      "",
      "send p99, ms",
      "longest",
      "event p99, ms",
      "failed sends",
      "lost",
      "memory, MB",
      "block, ms",
      "processors",
      "",
    ],
    ...sorted.map(({ label, outcome }) => {
      const { honest, mostResident, longestBlock, cpu } = outcome.siege
      const { p99, most } = honest.sends
      const figures = [
        p99,
        most,
        worst(outcome),
        sum(honest.failures),
        honest.lost,
        mostResident / megabyte,
        longestBlock,
      ]
      const verdict = outcome.deaths.length > 0 ? "DIED" : passes(outcome) ? "ok" : "MISSED"
      return [label, ...[...figures, cpu].map(format), verdict]
    }),
  ])
}

/** NaN, no figure at all, misses a target too. */
const misses = ({ of, most }: Line, phase: Phase): boolean => most !== undefined && !(of(phase) <= most)

export const passes = ({ siege, deaths }: Outcome): boolean =>
  deaths.length === 0 && !lines.some((line) => misses(line, siege))

const counts = (tally: Readonly<Record<string, number>>): string =>
  Object.entries(tally)
    .map(([what, count]) => `${what}: ${count.toLocaleString("en")}`)
    .join(", ")

export const report = (database: string, outcome: Outcome): string => {
  const { quiet, siege, deaths, tallies, faults, ownBlock } = outcome
  const table = print([
    [`siege, ${database}`, "in peace", "besieged", "at most", ""],
    ...lines.map((line) => {
      const target = line.most === undefined ? ["", ""] : [format(line.most), misses(line, siege) ? "MISSED" : "ok"]
      return [line.name, format(line.of(quiet)), format(line.of(siege)), ...target]
    }),
  ])
  const remarks = [
    ...deaths.map((death) => `THE SERVER DIED: ${death}`),
    ...(sum(siege.honest.failures) === 0 ? [] : [`failed sends: ${counts(siege.honest.failures)}`]),
    `longest block of the honest users' own event loop: ${format(ownBlock)} ms`,
    ...faults.map((fault) => `an attack failed: ${fault}`),
  ]
  const answers = attacks
    .filter(({ name }) => tallies[name] !== undefined)
    .map(({ name, about }) => `  ${name.padEnd(20)} ${about}\n${" ".repeat(23)}${counts(tallies[name] ?? {})}`)
  return [table, ...remarks, "what the attacks were answered:", ...answers, ""].join("\n")
}
