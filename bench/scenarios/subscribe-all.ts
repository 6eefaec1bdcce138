/** One request that subscribes everybody: its duration, and the latency of sends meanwhile. */
import * as Schema from "effect/Schema"
import { median, quantile } from "../../src/command-line/bench/statistics.ts"
import { longestBlockOf, startClient, startServer } from "../bench.ts"
import { eventBytes, type Row, type Scenario } from "../scenario.ts"

const Times = Schema.Array(Schema.Number)
const Subscribed = Schema.decodeUnknownSync(Schema.Struct({ seconds: Schema.Number, calm: Times, meanwhile: Times }))

const perSecond = 100
const furniture = { channels: 999, groups: 1000 } as const

export const subscribeAll: Scenario = {
  name: "subscribe-all",
  about: `subscribing N users to a channel by one request, while ${perSecond} messages/s are sent (1,000 channels and groups)`,
  targets: { seconds: { most: 2 }, "send p99 ms": { most: 100 } },
  run: async (settings) => {
    const rows: Array<Row> = []
    for (const people of settings.sizes ?? [10_000]) {
      settings.progress(`${people} users: start`)
      const databaseUrl = await settings.fresh()
      const { server, started } = await startServer("parley", { databaseUrl, people, furniture, eventBytes })
      const client = startClient("client/subscriber.js")
      const rounds: Array<ReturnType<typeof Subscribed>> = []
      const blocks: Array<number> = []
      for (let round = 0; round < settings.rounds; round++) {
        settings.progress(`${people} users: round ${round + 1} of ${settings.rounds}`)
        const wanted = { ...started, name: `all ${round}`, perSecond, calmSeconds: settings.seconds }
        const subscribe = async () => rounds.push(await client.ask("subscribe", wanted, Subscribed))
        blocks.push(await longestBlockOf(server, subscribe))
      }
      const pooled = (which: "calm" | "meanwhile") => rounds.flatMap((round) => round[which])
      rows.push({
        label: `${people} users`,
        figures: {
          seconds: median(rounds.map(({ seconds }) => seconds)),
          "slowest seconds": Math.max(...rounds.map(({ seconds }) => seconds)),
          "send p50 ms": quantile(pooled("meanwhile"), 0.5),
          "send p99 ms": quantile(pooled("meanwhile"), 0.99),
          "calm p50 ms": quantile(pooled("calm"), 0.5),
          "calm p99 ms": quantile(pooled("calm"), 0.99),
          "sends meanwhile": pooled("meanwhile").length,
          "longest block ms": Math.max(...blocks),
        },
        remarks: [],
      })
      await client.stop()
      await server.stop()
    }
    return rows
  },
}
