/** The time of a send that makes its sender follow the topic, by how many topics they follow already. */
import { median, quantile } from "../../src/command-line/bench/statistics.ts"
import { startServer } from "../bench.ts"
import { timedAsk } from "../client/timed-ask.ts"
import { eventBytes, type Row, type Scenario } from "../scenario.ts"

/** Sends before those that count. */
const warmUp = 50

export const policies: Scenario = {
  name: "policies",
  about: "a send to a new topic by somebody who follows N topics, and what they start",
  targets: {},
  run: async (settings) => {
    const rows: Array<Row> = []
    for (const followed of settings.sizes ?? [10, 3000, 9000]) {
      settings.progress(`${followed} topics followed: start`)
      const databaseUrl = await settings.fresh()
      const { server, started } = await startServer("parley", { databaseUrl, people: 2, furniture: null, eventBytes })
      const { port, accounts } = started
      const [sender] = accounts
      if (sender === undefined) throw new Error("too few accounts")
      for (let n = 0; n < followed; n++)
        await timedAsk(port, sender, "POST", "/user_topics", {
          stream_id: "1",
          topic: `old ${n}`,
          visibility_policy: "3",
        })
      let topics = 0
      const sends = async (count: number): Promise<ReadonlyArray<number>> => {
        const times: Array<number> = []
        for (let n = 0; n < count; n++) {
          const form = { type: "stream", to: "1", topic: `new ${topics++}`, content: "text" }
          times.push(await timedAsk(port, sender, "POST", "/messages", form))
        }
        return times
      }
      settings.progress(`${followed} topics followed: sends`)
      await sends(warmUp)
      const plain = await sends(40 * settings.rounds)
      await timedAsk(port, sender, "PATCH", "/settings", { automatically_follow_topics_policy: "3" })
      await sends(warmUp)
      const following = await sends(40 * settings.rounds)
      rows.push({
        label: `${followed} topics followed`,
        figures: {
          "following ms": median(following),
          "following p99 ms": quantile(following, 0.99),
          "plain ms": median(plain),
          "plain p99 ms": quantile(plain, 0.99),
        },
        remarks: [],
      })
      await server.stop()
    }
    return rows
  },
}
