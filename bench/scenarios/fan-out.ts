/** One channel, N subscribers with a socket each; durable sends through the API, 1 and 16 in flight. */
import { growth } from "../../src/command-line/bench/plot.ts"
import { alternating, compared, type Row, remarksOf, type Scenario, startPair, steady, stopPair } from "../scenario.ts"

export const fanOut: Scenario = {
  name: "fan-out",
  about: "POST /messages to N WebSockets; each message counts as in flight until the last reader has it",
  targets: {
    ratio: { most: 1.1, of: "1000 sockets, 1 in flight" },
    "deliveries/s": { least: 900_000, of: "1000 sockets, 16 in flight" },
    "longest block ms": { most: 15, of: "10000 sockets, 1 in flight" },
  },
  run: async (settings) => {
    const rows: Array<Row> = []
    for (const readers of settings.sizes ?? [10, 100, 1000, 5000, 10_000]) {
      const shape = { transport: "socket", event: "message", readers, stalled: 0, stride: 8 } as const
      const pairs = await startPair(settings, readers, shape)
      const [, parley] = pairs
      for (const inFlight of [1, 16]) {
        const label = `${readers} sockets, ${inFlight} in flight`
        const before = await parley.stats()
        const rounds = await alternating(pairs, settings, label, steady(inFlight, settings))
        const after = await parley.stats()
        rows.push({
          label,
          figures: {
            ...compared(rounds),
            "encodes/event": (after.encodes - before.encodes) / (after.position - before.position),
            "longest block ms": await parley.longestBlock(steady(inFlight, settings)),
          },
          remarks: remarksOf(rounds),
        })
      }
      await stopPair(pairs)
    }
    return rows
  },
  draw: (rows) =>
    growth("Server CPU per delivery, us", "sockets", "us", rows, [
      { name: "Parley, 1 in flight", label: /^(\d+) sockets, 1 in/, figure: "cpu us" },
      { name: "uWebSockets.js, 1", label: /^(\d+) sockets, 1 in/, figure: "bare cpu us" },
      { name: "Parley, 16 in flight", label: /^(\d+) sockets, 16 in/, figure: "cpu us" },
      { name: "uWebSockets.js, 16", label: /^(\d+) sockets, 16 in/, figure: "bare cpu us" },
    ]),
}
