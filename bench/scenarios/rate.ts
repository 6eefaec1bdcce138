/** Latency at a human pace: ten messages per second to a thousand sockets. */

import { quantile } from "../../src/command-line/bench/statistics.ts"
import { alternating, type Row, remarksOf, type Scenario, startPair, steady, stopPair } from "../scenario.ts"

const perSecond = 10

export const rate: Scenario = {
  name: "rate",
  about: "10 messages/s to N sockets: milliseconds from the request to the median and to the last reader",
  targets: { "median p50 ms": { most: 5 }, "last p50 ratio": { most: 1.3 }, "last p99 ratio": { most: 2 } },
  run: async (settings) => {
    const rows: Array<Row> = []
    for (const readers of settings.sizes ?? [1000]) {
      const shape = { transport: "socket", event: "message", readers, stalled: 0, stride: 1 } as const
      const pairs = await startPair(settings, readers, shape)
      const load = {
        ...steady(1, settings),
        inFlight: null,
        perSecond,
        seconds: 3 * settings.seconds,
        paceMilliseconds: 0,
      }
      const rounds = await alternating(pairs, settings, `${readers} sockets`, load)
      const pooled = (which: 0 | 1, figure: "medians" | "lasts") => rounds.flatMap((round) => round[which][figure])
      const [bare, parley] = [pooled(0, "lasts"), pooled(1, "lasts")]
      rows.push({
        label: `${readers} sockets, ${perSecond}/s`,
        figures: {
          "median p50 ms": quantile(pooled(1, "medians"), 0.5),
          "bare median p50 ms": quantile(pooled(0, "medians"), 0.5),
          "last p50 ms": quantile(parley, 0.5),
          "last p99 ms": quantile(parley, 0.99),
          "bare last p50 ms": quantile(bare, 0.5),
          "bare last p99 ms": quantile(bare, 0.99),
          "last p50 ratio": quantile(parley, 0.5) / quantile(bare, 0.5),
          "last p99 ratio": quantile(parley, 0.99) / quantile(bare, 0.99),
        },
        remarks: remarksOf(rounds),
      })
      await stopPair(pairs)
    }
    return rows
  },
}
