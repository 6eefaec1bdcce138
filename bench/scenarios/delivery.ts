/**
 * A delivery's own cost beside that of a bare server in the same process: no request, no commit. In `fan-out` these are
 * part of the cost, and at one message at a time, where a send runs through cold caches, the largest part of the difference.
 */
import * as Schema from "effect/Schema"
import { median, spread } from "../../src/command-line/bench/statistics.ts"
import { serverCore, startClient } from "../bench.ts"
import { Remote } from "../remote.ts"
import { eventBytes, type Row, type Scenario, type Settings, textBytes } from "../scenario.ts"

const anything = (value: unknown) => value
const Started = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Unknown))
const Spent = Schema.decodeUnknownSync(Schema.Struct({ cpu: Schema.Number }))
const Counted = Schema.decodeUnknownSync(Schema.Struct({ events: Schema.Number, faults: Schema.Array(Schema.String) }))

const sides = ["bare", "parley"] as const
/** Lists in one measurement, which is repeated in turn. */
const lists = 20
const measure = async (settings: Settings, readers: number): Promise<ReadonlyArray<Row>> => {
  const server = Remote.start("target/delivery.js", serverCore)
  const client = startClient("client/counters.js")
  try {
    settings.progress(`${readers} sockets connect to each`)
    const started = await server.ask("start", { people: readers, eventBytes }, Started)
    await client.ask("connect", { ...started, textBytes }, anything)
    const sent = { bare: 0, parley: 0 }
    const spent = async () => (await server.ask("cpu", {}, Spent)).cpu
    const put = async (to: (typeof sides)[number], events: number): Promise<number> => {
      const began = await spent()
      for (let list = 0; list < lists; list++) {
        await server.ask("publish", { to, events }, anything)
        sent[to] += readers * events
        // Each list is there before the next one begins: two lists in one frame would cost half.
        const counted = await client.ask("await", { from: to, events: sent[to] }, Counted)
        if (counted.events !== sent[to]) throw new Error(`${to}: ${counted.events} of ${sent[to]} events came`)
        if (counted.faults.length > 0) throw new Error(counted.faults.join("; "))
      }
      return ((await spent()) - began) / (readers * lists * events)
    }
    const rows: Array<Row> = []
    for (const events of [1, 16]) {
      for (const to of sides) await put(to, events)
      const found = { bare: [0], parley: [0] }
      for (const to of sides) found[to] = []
      const until = performance.now() + 2000 * settings.seconds * settings.rounds
      for (let round = 0; performance.now() < until; round++)
        for (const to of round % 2 === 0 ? sides : sides.toReversed()) found[to].push(await put(to, events))
      const ratios = found.parley.map((cpu, round) => cpu / (found.bare[round] ?? Number.NaN))
      rows.push({
        label: `${readers} sockets, ${events} at once`,
        figures: {
          "cpu us": median(found.parley),
          "bare cpu us": median(found.bare),
          ratio: median(ratios),
          spread: spread(ratios),
          rounds: ratios.length,
        },
        remarks: [],
      })
    }
    return rows
  } finally {
    await client.stop()
    await server.stop()
  }
}

export const delivery: Scenario = {
  name: "delivery",
  about:
    "a delivery to N WebSockets without the request and the commit before it, and the bare server in the same process",
  targets: { ratio: { most: 1.1, of: "1000 sockets, 1 at once" } },
  run: async (settings) => {
    const rows: Array<Row> = []
    for (const readers of settings.sizes ?? [1000, 5000]) rows.push(...(await measure(settings, readers)))
    return rows
  },
}
