/** The interface of a scenario, and the steps that several scenarios share. */

import type { FigureRow } from "../src/command-line/bench/figure-table.ts"
import { median, spread } from "../src/command-line/bench/statistics.ts"
import { alternate, type Measured, Pair, type Readers, type Servers, type Shape } from "./bench.ts"

export type { FigureRow as Row } from "../src/command-line/bench/figure-table.ts"

export interface Settings {
  /** The address of an empty PostgreSQL database; null: the embedded one. */
  readonly fresh: () => Promise<string | null>
  /** The numbers of readers to measure with; null: the scenario's own. */
  readonly sizes: ReadonlyArray<number> | null
  readonly seconds: number
  readonly rounds: number
  readonly progress: (text: string) => void
}

/** At most, or at least; `of`: the labels of the rows that it is for, all where it is absent. */
export interface Target {
  readonly most?: number
  readonly least?: number
  readonly of?: string | RegExp
}

export interface Scenario {
  readonly name: string
  /** A sentence that says what is measured. */
  readonly about: string
  /** The project's targets by figure. The first one that is for a row counts. */
  readonly targets: Readonly<Record<string, Target | ReadonlyArray<Target>>>
  /** Whether the program ends with code 1 where a target is missed. */
  readonly asserts?: true
  readonly run: (settings: Settings) => Promise<ReadonlyArray<FigureRow>>
  /** A plot of the rows as SVG; null where they hold nothing to draw. */
  readonly draw?: (rows: ReadonlyArray<FigureRow>) => string | null
}

/** Text that makes an event of about 600 bytes. */
export const textBytes = 134
export const eventBytes = 600

export const steady = (inFlight: number, { seconds }: Settings): Shape => ({
  inFlight,
  perSecond: null,
  warmUpSeconds: 0.5,
  seconds,
  paceMilliseconds: 1,
  textBytes,
})

/** Starts both servers, connects the same readers, and applies a first load that is not counted. */
export const startPair = async (
  settings: Settings,
  people: number,
  readers: Readers,
): Promise<readonly [Pair, Pair]> => {
  const servers: Servers = { databaseUrl: await settings.fresh(), people, furniture: null, eventBytes }
  const pairs = [await Pair.start("bare", servers), await Pair.start("parley", servers)] as const
  for (const pair of pairs) {
    settings.progress(`${pair.kind}: ${readers.readers} readers connect`)
    await pair.connect(readers)
    settings.progress(`${pair.kind}: warm-up`)
    const most = readers.event === "typing" || readers.transport === "poll" ? 1 : 64
    await pair.measure({ ...steady(most, settings), warmUpSeconds: 0, seconds: 3 })
  }
  return pairs
}

export const stopPair = async (pairs: ReadonlyArray<Pair>): Promise<void> => {
  for (const pair of pairs) await pair.stop()
}

/** If the clients used more of their core than this share, they and not the server set the pace. */
const clientLimit = 0.9

/** The remark where the clients used so large a share of their core. */
export const clientBound = (busy: number): ReadonlyArray<string> => (busy > clientLimit ? ["client-bound"] : [])

/** Figures of both servers from paired rounds: [bare, parley]. */
export const compared = (rounds: ReadonlyArray<readonly [Measured, Measured]>): FigureRow["figures"] => {
  const cpu = ({ serverCpu, deliveries }: Measured) => serverCpu / deliveries
  const rate = ({ deliveries, seconds }: Measured) => deliveries / seconds
  const of = (which: 0 | 1, figure: (measured: Measured) => number) =>
    median(rounds.map((round) => figure(round[which])))
  const ratios = rounds.map(([bare, parley]) => cpu(parley) / cpu(bare))
  return {
    "cpu us": of(1, cpu),
    "bare cpu us": of(0, cpu),
    ratio: median(ratios),
    spread: spread(ratios),
    "deliveries/s": of(1, rate),
    "bare deliveries/s": of(0, rate),
    "events/frame": of(1, ({ deliveries, frames }) => deliveries / frames),
    "p50 ms": of(1, ({ p50 }) => p50 ?? Number.NaN),
    "p99 ms": of(1, ({ p99 }) => p99 ?? Number.NaN),
    "p999 ms": of(1, ({ p999 }) => p999 ?? Number.NaN),
    "bare p50 ms": of(0, ({ p50 }) => p50 ?? Number.NaN),
    "bare p99 ms": of(0, ({ p99 }) => p99 ?? Number.NaN),
  }
}

export const remarksOf = (rounds: ReadonlyArray<readonly [Measured, Measured]>): ReadonlyArray<string> => {
  const busy = (which: 0 | 1) => median(rounds.map((round) => round[which].clientBusy))
  const bound = (["bare", "parley"] as const).filter((_, which) => busy(which === 0 ? 0 : 1) > clientLimit)
  return bound.length === 0 ? [] : [`client-bound: ${bound.join(", ")}`]
}

export const alternating = (pairs: readonly [Pair, Pair], settings: Settings, label: string, shape: Shape) =>
  alternate(pairs, settings.rounds, (pair, round) => {
    settings.progress(`${label}: round ${round + 1} of ${settings.rounds}, ${pair.kind}`)
    return pair.measure(shape)
  })
