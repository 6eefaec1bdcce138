/** Ephemeral events: "is typing" to everyone in a channel. Nothing is stored, so this is fan-out alone. */
import { alternating, compared, type Row, remarksOf, type Scenario, startPair, steady, stopPair } from "../scenario.ts"

export const typing: Scenario = {
  name: "typing",
  about: "POST /typing to N sockets, one at a time (the limit on subscribers of a channel is raised here)",
  targets: {},
  run: async (settings) => {
    const rows: Array<Row> = []
    for (const readers of settings.sizes ?? [1000]) {
      const shape = { transport: "socket", event: "typing", readers, stalled: 0, stride: 8 } as const
      const pairs = await startPair(settings, readers, shape)
      const rounds = await alternating(pairs, settings, `${readers} sockets`, steady(1, settings))
      rows.push({ label: `${readers} sockets, 1 in flight`, figures: compared(rounds), remarks: remarksOf(rounds) })
      await stopPair(pairs)
    }
    return rows
  },
}
