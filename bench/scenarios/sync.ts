/** The cost of having every commit on the disk before it is answered: two servers with the embedded database. */

import { median, spread } from "../../src/command-line/bench/statistics.ts"
import { alternate, type Measured, Pair } from "../bench.ts"
import { eventBytes, type Row, type Scenario, type Settings, steady } from "../scenario.ts"

const reader = { transport: "socket", event: "message", readers: 1, stalled: 0, stride: 1 } as const

const startWith = async (sync: boolean, settings: Settings): Promise<Pair> => {
  const pair = await Pair.start("parley", { databaseUrl: null, people: 64, furniture: null, eventBytes, sync })
  await pair.connect(reader)
  await pair.measure({ ...steady(64, settings), warmUpSeconds: 0, seconds: 3 })
  return pair
}

export const sync: Scenario = {
  name: "sync",
  about: "messages/s of N senders with the embedded database, with and without syncs to the disk",
  targets: { ratio: { least: 0.8, of: "64 senders" } },
  run: async (settings) => {
    const rows: Array<Row> = []
    const pairs = [await startWith(false, settings), await startWith(true, settings)] as const
    for (const senders of settings.sizes ?? [1, 16, 64]) {
      const rounds = await alternate(pairs, settings.rounds, (pair, round) => {
        settings.progress(`${senders} senders: round ${round + 1} of ${settings.rounds}`)
        return pair.measure({ ...steady(senders, settings), paceMilliseconds: 0 })
      })
      const rate = ({ messages, seconds }: Measured) => messages / seconds
      const ratios = rounds.map(([without, within]) => rate(within) / rate(without))
      rows.push({
        label: `${senders} senders`,
        figures: {
          "messages/s": median(rounds.map(([, within]) => rate(within))),
          "without sync": median(rounds.map(([without]) => rate(without))),
          ratio: median(ratios),
          spread: spread(ratios),
          "p50 ms": median(rounds.map(([, within]) => within.p50 ?? Number.NaN)),
          "p99 ms": median(rounds.map(([, within]) => within.p99 ?? Number.NaN)),
          "p50 ms without": median(rounds.map(([without]) => without.p50 ?? Number.NaN)),
          "p99 ms without": median(rounds.map(([without]) => without.p99 ?? Number.NaN)),
        },
        remarks: [],
      })
    }
    for (const pair of pairs) await pair.stop()
    return rows
  },
}
