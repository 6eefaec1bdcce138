/** The time that messages take to go that are as old as they may be, and that others' sends take meanwhile. */
import * as Schema from "effect/Schema"
import { quantile } from "../../src/command-line/bench/statistics.ts"
import { memoryOf, startServer } from "../bench.ts"
import { sendMeanwhile } from "../client/send-meanwhile.ts"
import { timedAsk } from "../client/timed-ask.ts"
import { eventBytes, type Row, type Scenario } from "../scenario.ts"

const people = 200
const channels = 200
/** Milliseconds between two sends of others. */
const pace = 100
/** Of the kind of messages that the history is made of: five topics in each channel. */
const topics = 5 * channels

export const retention: Scenario = {
  name: "retention",
  about: `N messages in ${topics} topics are as old as they may be, and go; others send ten messages a second meanwhile`,
  targets: { "all s": { most: 3600 }, "send p99 ms": { most: 50 } },
  run: async (settings) => {
    const rows: Array<Row> = []
    for (const messages of settings.sizes ?? [20_000]) {
      settings.progress(`${messages} messages`)
      const { server, started } = await startServer("parley", {
        databaseUrl: await settings.fresh(),
        people,
        furniture: null,
        history: { channels, messages, topics: 0 },
        retention: true,
        eventBytes,
      })
      const { port, accounts, channel } = started
      const [sender] = accounts
      if (sender === undefined) throw new Error("nobody is there")
      const send = () =>
        timedAsk(port, sender, "POST", "/messages", {
          type: "stream",
          to: String(channel.id),
          topic: "elsewhere",
          content: "text",
        })
      for (let n = 0; n < 20; n++) await send()
      const before = (await memoryOf(server)).position
      const began = performance.now()
      const expired = server
        .ask("expire", {}, Schema.decodeUnknownSync(Schema.Struct({})))
        .then(() => performance.now() - began)
      const sends = await sendMeanwhile(send, pace, expired)
      const { position } = await memoryOf(server)
      rows.push({
        label: `${messages} messages`,
        figures: {
          "all s": (await expired) / 1000,
          "send p50 ms": quantile(sends, 0.5),
          "send p99 ms": quantile(sends, 0.99),
          "send most ms": Math.max(...sends),
          positions: position - before - sends.length,
        },
        remarks: ["a row has as many positions as messages"],
      })
      await server.stop()
    }
    return rows
  },
}
