/** One reader in a hundred stops reading: the others must not become slower, nor memory grow by the missed events. */

import { median } from "../../src/command-line/bench/statistics.ts"
import { alternate, type Measured, Pair, type Shape } from "../bench.ts"
import { eventBytes, type Row, type Scenario, steady } from "../scenario.ts"

const longText = 3000

/** The kernel's buffers take some megabytes for a stalled reader before the server notices. */
const fillSeconds = 8
const mostFills = 6

/** Puts both servers under the same load until only `live` queues of the second server are live. */
const fill = async (pairs: readonly [Pair, Pair], load: Shape, live: number) => {
  const [healthy, mixed] = pairs
  for (let times = 1; ; times++) {
    await healthy.measure(load)
    await mixed.measure(load)
    const stats = await mixed.stats()
    if (stats.liveQueues <= live || times === mostFills) return stats
  }
}

const p99Of = ({ p99 }: Measured): number => p99 ?? Number.NaN

export const slowMix: Scenario = {
  name: "slow-mix",
  about: "16 messages of 3.5 KB in flight to N sockets, 1 % of them stalled, against a run without stalled ones",
  targets: { "p99 ratio": { most: 1.2 } },
  run: async (settings) => {
    const rows: Array<Row> = []
    for (const readers of settings.sizes ?? [1000]) {
      const start = async () =>
        Pair.start("parley", { databaseUrl: await settings.fresh(), people: readers, furniture: null, eventBytes })
      const shape = { transport: "socket", event: "message", readers, stride: 8 } as const
      const pairs = [await start(), await start()] as const
      const [healthy, mixed] = pairs
      await healthy.connect({ ...shape, stalled: 0 })
      const stalled = Math.ceil(readers / 100)
      await mixed.connect({ ...shape, stalled })
      const load = { ...steady(16, settings), textBytes: longText }
      const before = await fill(pairs, { ...load, warmUpSeconds: 0, seconds: fillSeconds }, readers - stalled)
      const rounds = await alternate(pairs, settings.rounds, (pair, round) => {
        settings.progress(`round ${round + 1} of ${settings.rounds}, ${pair === mixed ? "1 % stalled" : "all healthy"}`)
        return pair.measure(load)
      })
      const after = await mixed.stats()
      // Without a pause, so that stalled readers cannot catch up in between.
      const behind = readers - Math.max(before.liveQueues, after.liveQueues)
      const sent = rounds.reduce((sum, [, { messages }]) => sum + messages, 0)
      rows.push({
        label: `${readers} sockets, 1 % stalled`,
        figures: {
          "p99 ms": median(rounds.map(([, slow]) => p99Of(slow))),
          "healthy p99 ms": median(rounds.map(([without]) => p99Of(without))),
          "p99 ratio": median(rounds.map(([without, slow]) => p99Of(slow) / p99Of(without))),
          "deliveries/s": median(rounds.map(([, { deliveries, seconds }]) => deliveries / seconds)),
          "queues behind": behind,
          "grown MB": (after.resident - before.resident) / 1024 / 1024,
          "missed MB": (sent * longText * stalled) / 1024 / 1024,
        },
        remarks: behind < stalled ? ["not all that stalled fell behind"] : [],
      })
      for (const pair of pairs) await pair.stop()
    }
    return rows
  },
}
