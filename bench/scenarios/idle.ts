/** What a queue costs that waits: resident memory of the server per queue, with a socket and with a poll. */
import { Pair } from "../bench.ts"
import { eventBytes, type Row, type Scenario, type Settings } from "../scenario.ts"

/** Readers that are there before the counting begins: pools and code have grown by then. */
const first = 6000
const people = 1000

const measure = async (settings: Settings, kind: "parley" | "bare", transport: "socket" | "poll", readers: number) => {
  const pair = await Pair.start(kind, { databaseUrl: await settings.fresh(), people, eventBytes })
  const shape = { transport, event: "message", stalled: 0, stride: 1 } as const
  const empty = await pair.stats()
  await pair.connect({ ...shape, readers: first })
  const before = await pair.stats()
  settings.progress(`${kind}: ${readers} ${transport}s connect`)
  await pair.connect({ ...shape, readers: readers - first })
  const after = await pair.stats()
  await pair.stop()
  const per = (figure: "resident" | "heap") => (after[figure] - before[figure]) / (readers - first)
  return { resident: per("resident"), heap: per("heap"), empty: empty.resident }
}

export const idle: Scenario = {
  name: "idle",
  about: "resident bytes of the server per idle queue",
  targets: { "socket bytes": { most: 3072 }, "poll bytes": { most: 4096 } },
  run: async (settings) => {
    const rows: Array<Row> = []
    for (const readers of settings.sizes ?? [18_000]) {
      const socket = await measure(settings, "parley", "socket", readers)
      const poll = await measure(settings, "parley", "poll", readers)
      const bareSocket = await measure(settings, "bare", "socket", readers)
      const barePoll = await measure(settings, "bare", "poll", readers)
      rows.push({
        label: `${readers} queues`,
        figures: {
          "socket bytes": socket.resident,
          "socket heap bytes": socket.heap,
          "bare socket bytes": bareSocket.resident,
          "poll bytes": poll.resident,
          "poll heap bytes": poll.heap,
          "bare poll bytes": barePoll.resident,
          "process MB": socket.empty / 1024 / 1024,
        },
        remarks: [],
      })
    }
    return rows
  },
}
