/** Like fan-out.ts, by long poll: each event answers every waiting poll, and each client asks again. */
import { alternating, compared, type Row, remarksOf, type Scenario, startPair, steady, stopPair } from "../scenario.ts"

export const fanOutPoll: Scenario = {
  name: "fan-out-poll",
  about: "POST /messages to N long polls, one event per poll; the cost includes each client's next poll",
  targets: { "cpu us": { most: 14, of: "1000 polls" } },
  run: async (settings) => {
    const rows: Array<Row> = []
    for (const readers of settings.sizes ?? [100, 1000]) {
      const shape = { transport: "poll", event: "message", readers, stalled: 0, stride: 8 } as const
      const pairs = await startPair(settings, readers, shape)
      const rounds = await alternating(pairs, settings, `${readers} polls`, steady(1, settings))
      rows.push({ label: `${readers} polls`, figures: compared(rounds), remarks: remarksOf(rounds) })
      await stopPair(pairs)
    }
    return rows
  },
}
