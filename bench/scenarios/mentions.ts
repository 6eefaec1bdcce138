/** The cost of a mention for its sender: a message that names N people, beside one that names nobody. */
import * as Schema from "effect/Schema"
import { median, quantile } from "../../src/command-line/bench/statistics.ts"
import { startClient, startServer } from "../bench.ts"
import { eventBytes, type Row, type Scenario } from "../scenario.ts"

const Sent = Schema.decodeUnknownSync(Schema.Struct({ times: Schema.Array(Schema.Array(Schema.Number)) }))

const people = 1000
/** Sends of each text before those that count. */
const warmUp = 30

export const mentions: Scenario = {
  name: "mentions",
  about: `a message to ${people} subscribers that mentions N of them by name`,
  targets: { "send ms": { most: 10 } },
  run: async (settings) => {
    const rows: Array<Row> = []
    for (const named of settings.sizes ?? [1, 20, 200]) {
      settings.progress(`${named} people: start`)
      const databaseUrl = await settings.fresh()
      const { server, started } = await startServer("parley", { databaseUrl, people, furniture: null, eventBytes })
      const client = startClient("client/mentioner.js")
      const naming = Array.from({ length: named }, (_, n) => `@**Reader ${n + 2}**`).join(" ")
      const contents = [naming, "@**all**", "x".repeat(naming.length)]
      await client.ask("send", { ...started, contents, rounds: warmUp }, Sent)
      settings.progress(`${named} people: sends`)
      const { times } = await client.ask("send", { ...started, contents, rounds: 20 * settings.rounds }, Sent)
      const [mentioning = [], everybody = [], plain = []] = times
      rows.push({
        label: `${named} people`,
        figures: {
          "send ms": median(mentioning),
          "p99 ms": quantile(mentioning, 0.99),
          "everybody ms": median(everybody),
          "plain ms": median(plain),
        },
        remarks: [],
      })
      await client.stop()
      await server.stop()
    }
    return rows
  },
}
