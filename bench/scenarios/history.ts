/** The cost of reading and searching a long history, and the time that others' sends take meanwhile. */

import { median, quantile } from "../../src/command-line/bench/statistics.ts"
import { startServer } from "../bench.ts"
import { sendMeanwhile } from "../client/send-meanwhile.ts"
import { timedAsk } from "../client/timed-ask.ts"
import { eventBytes, type Row, type Scenario } from "../scenario.ts"
import { words } from "../target/history.ts"

const people = 20
const channels = 1000
const topics = 10_000
/** Requests of each kind in a round. */
const repeats = 8
/** Rounds of all kinds that come before those that are measured. */
const warmUps = 5
/** Milliseconds between two sends of others. */
const pace = 50

const page = (anchor: string, before: number, after: number, ...narrow: ReadonlyArray<object>) => ({
  anchor,
  num_before: String(before),
  num_after: String(after),
  narrow: JSON.stringify(narrow),
})
const search = (operand: string) => ({ operator: "search", operand })
/** Any but the first three, which hold more than the others. */
const someChannel = (n: number): number => 4 + ((n * 37) % (channels - 4))

interface Asked {
  readonly path: string
  /** The n-th request of the kind: each is about another channel. */
  readonly fields: (n: number) => Record<string, string>
}

const requests: Readonly<Record<string, Asked>> = {
  "first page of a channel": {
    path: "/messages",
    fields: (n) => page("newest", 50, 0, { operator: "channel", operand: someChannel(n) }),
  },
  "first page of everything": { path: "/messages", fields: () => page("newest", 50, 0) },
  "a rare word": { path: "/messages", fields: () => page("newest", 50, 0, search(words.rare)) },
  "a common word": { path: "/messages", fields: () => page("newest", 50, 0, search(words.common)) },
  first_unread: { path: "/messages", fields: () => page("first_unread", 10, 10) },
  "a channel excluded": {
    path: "/messages",
    fields: (n) => page("newest", 50, 0, { operator: "channel", operand: someChannel(n), negated: true }),
  },
  "10,000 topics": { path: "/users/me/2/topics", fields: () => ({}) },
}

export const history: Scenario = {
  name: "history",
  about: `pages and searches of somebody in ${channels} channels with N messages, while ${1000 / pace} messages/s are sent`,
  targets: {
    "median ms": [
      { most: 5, of: /^first page/ },
      { most: 20, of: /^(a rare|first_unread|a channel)/ },
      { most: 100, of: /^a common/ },
      { most: 50, of: /topics$/ },
    ],
    "send p99 ms": { most: 50 },
  },
  run: async (settings) => {
    const rows: Array<Row> = []
    for (const messages of settings.sizes ?? [1_000_000]) {
      settings.progress(`${messages} messages: seeding`)
      const databaseUrl = await settings.fresh()
      const wanted = { channels, messages, topics }
      const { server, started } = await startServer("parley", {
        databaseUrl,
        people,
        furniture: null,
        history: wanted,
        eventBytes,
      })
      const { port, accounts } = started
      const [reader, sender] = accounts
      if (reader === undefined || sender === undefined) throw new Error("too few accounts")
      const send = () =>
        timedAsk(port, sender, "POST", "/messages", { type: "stream", to: "3", topic: "talk", content: "text" })
      for (let n = 0; n < 20; n++) await send()
      const asker =
        ({ path, fields }: Asked) =>
        (n: number) =>
          timedAsk(port, reader, "GET", path, fields(n))
      // A server that runs for a minute has its code compiled: else the kind that comes first pays that for all.
      // About other channels than those that are measured.
      for (let n = 0; n < repeats * warmUps; n++)
        for (const asked of Object.values(requests)) await asker(asked)(repeats * settings.rounds + n)
      for (const [label, asked] of Object.entries(requests)) {
        settings.progress(`${messages} messages: ${label}`)
        const ask = asker(asked)
        const alone: Array<number> = []
        for (let n = 0; n < repeats * settings.rounds; n++) alone.push(await ask(n))
        const beside: Array<number> = []
        const again = async () => {
          for (let n = 0; n < repeats * settings.rounds; n++) beside.push(await ask(n))
        }
        const sends = await sendMeanwhile(send, pace, again())
        rows.push({
          label,
          figures: {
            "median ms": median(alone),
            "most ms": Math.max(...alone),
            "beside sends ms": median(beside),
            "send p99 ms": quantile(sends, 0.99),
            sends: sends.length,
          },
          remarks: [`${messages} messages`],
        })
      }
      await server.stop()
    }
    return rows
  },
}
