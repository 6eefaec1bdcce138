/**
 * The memory of an idle queue with a socket or a poll: the growth of the server's memory from one number of idle queues
 * to the next, per queue. `bytes` are the pages of V8's old spaces and the native heap together, `heap
 * bytes` the living JavaScript objects among them; the kernel's part of a connection is in neither.
 */
import { Pair } from "../bench.ts"
import { eventBytes, type Row, type Scenario, type Settings } from "../scenario.ts"

/** Readers that are connected before the counting, so that pools, compiled code and free pages have settled. */
const first = 6000
const people = 1000

const measure = async (settings: Settings, kind: "parley" | "bare", transport: "socket" | "poll", readers: number) => {
  const pair = await Pair.start(kind, { databaseUrl: await settings.fresh(), people, furniture: null, eventBytes })
  const shape = { transport, event: "message", stalled: 0, stride: 1 } as const
  const empty = await pair.stats()
  await pair.connect({ ...shape, readers: first })
  const before = await pair.stats()
  settings.progress(`${kind}: ${readers} ${transport}s connect`)
  await pair.connect({ ...shape, readers: readers - first })
  const after = await pair.stats()
  await pair.stop()
  const per = (figure: "held" | "heap") => (after[figure] - before[figure]) / (readers - first)
  return { held: per("held"), heap: per("heap"), empty: empty.resident }
}

export const idle: Scenario = {
  name: "idle",
  about: "bytes of the server's memory per idle queue",
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
          "socket bytes": socket.held,
          "socket heap bytes": socket.heap,
          "bare socket bytes": bareSocket.held,
          "poll bytes": poll.held,
          "poll heap bytes": poll.heap,
          "bare poll bytes": barePoll.held,
          "process MB": socket.empty / 1024 / 1024,
        },
        remarks: [],
      })
    }
    return rows
  },
}
