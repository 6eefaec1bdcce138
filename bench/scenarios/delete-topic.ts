/** The time that deleting a whole topic takes, and that others' sends take meanwhile. */

import { quantile } from "../../src/command-line/bench/statistics.ts"
import { startServer } from "../bench.ts"
import { sendMeanwhile } from "../client/send-meanwhile.ts"
import { timedAsk } from "../client/timed-ask.ts"
import { eventBytes, type Row, type Scenario } from "../scenario.ts"

const people = 200
/** Milliseconds between two sends of others. */
const pace = 10

export const deleteTopic: Scenario = {
  name: "delete-topic",
  about: `a topic of N messages in a channel of ${people} is deleted; others send meanwhile`,
  targets: { "send p99 ms": { most: 50 } },
  run: async (settings) => {
    const rows: Array<Row> = []
    for (const messages of settings.sizes ?? [1000, 20_000]) {
      settings.progress(`${messages} messages`)
      const { server, started } = await startServer("parley", {
        databaseUrl: await settings.fresh(),
        people,
        furniture: null,
        unread: { channels: 2, messages: 2 * messages, topics: 1 },
        eventBytes,
      })
      const { port, accounts } = started
      const [deleter, sender] = accounts
      if (deleter === undefined || sender === undefined) throw new Error("too few accounts")
      const send = () =>
        timedAsk(port, sender, "POST", "/messages", { type: "stream", to: "2", topic: "elsewhere", content: "text" })
      for (let n = 0; n < 20; n++) await send()
      const deletion = timedAsk(port, deleter, "POST", "/streams/1/delete_topic", { topic_name: "topic 0" })
      const sends = await sendMeanwhile(send, pace, deletion)
      rows.push({
        label: `${messages} messages`,
        figures: {
          "all s": (await deletion) / 1000,
          "send p50 ms": quantile(sends, 0.5),
          "send p99 ms": quantile(sends, 0.99),
          "send most ms": Math.max(...sends),
        },
        remarks: [],
      })
      await server.stop()
    }
    return rows
  },
}
