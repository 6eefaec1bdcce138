/** The time that moving a whole topic takes, and that others' sends take meanwhile. */

import { quantile } from "../../src/command-line/bench/statistics.ts"
import { startServer } from "../bench.ts"
import { sendMeanwhile } from "../client/send-meanwhile.ts"
import { timedAsk } from "../client/timed-ask.ts"
import { eventBytes, type Row, type Scenario } from "../scenario.ts"

const people = 200
/** Those who send meanwhile, in turn: each five messages a second. */
const others = 5
const pace = 200 / others

export const move: Scenario = {
  name: "move",
  about: `a topic of N messages in a channel of ${people} gets another name, then another channel; ${others} others send 25 messages a second meanwhile`,
  targets: {
    "topic s": { most: 5, of: "50000 messages" },
    "channel s": { most: 5, of: "50000 messages" },
    "send p99 ms": { most: 50 },
  },
  run: async (settings) => {
    const rows: Array<Row> = []
    for (const messages of settings.sizes ?? [1000, 50_000]) {
      settings.progress(`${messages} messages`)
      const databaseUrl = await settings.fresh()
      const unread = { channels: 2, messages: 2 * messages, topics: 1 }
      const { server, started } = await startServer("parley", {
        databaseUrl,
        people,
        furniture: null,
        unread,
        eventBytes,
      })
      const { port, accounts } = started
      const [mover, ...senders] = accounts
      if (mover === undefined || senders.length < others) throw new Error("too few accounts")
      let turn = 0
      const send = () => {
        const sender = senders[turn++ % others] ?? mover
        return timedAsk(port, sender, "POST", "/messages", {
          type: "stream",
          to: "2",
          topic: "elsewhere",
          content: "text",
        })
      }
      for (let n = 0; n < 20; n++) await send()
      const move = (fields: Record<string, string>) =>
        timedAsk(port, mover, "PATCH", `/messages/${2 * messages}`, { propagate_mode: "change_all", ...fields })
      // The first move after a start has its statements planned, tens of milliseconds in the embedded database.
      await move({ topic: "the first", propagate_mode: "change_one" })
      await move({ topic: "topic 0", propagate_mode: "change_one" })
      const topic = move({ topic: "another name" })
      const sends = [...(await sendMeanwhile(send, pace, topic))]
      const channel = move({ stream_id: "2" })
      sends.push(...(await sendMeanwhile(send, pace, channel)))
      rows.push({
        label: `${messages} messages`,
        figures: {
          "topic s": (await topic) / 1000,
          "channel s": (await channel) / 1000,
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
