/** The cost of telling somebody of all that they have not read, finding the first of it, and marking it as read. */

import { median } from "../../src/command-line/bench/statistics.ts"
import { startServer } from "../bench.ts"
import { timedAsk } from "../client/timed-ask.ts"
import { eventBytes, type Row, type Scenario } from "../scenario.ts"

const channels = 1000
/** Nobody marks twice. */
const peopleOf = (rounds: number): number => 4 * rounds

const sections = (...names: ReadonlyArray<string>) => ({ fetch_event_types: JSON.stringify(names) })

export const readState: Scenario = {
  name: "read-state",
  about: `N unread messages in ${channels} channels: told by a register, the first one found, all marked as read`,
  targets: { "unread_msgs ms": { most: 100, of: "50000 messages" }, "mark all ms": { most: 20 } },
  run: async (settings) => {
    const rows: Array<Row> = []
    for (const messages of settings.sizes ?? [1000, 50_000]) {
      settings.progress(`${messages} messages: start`)
      const databaseUrl = await settings.fresh()
      const people = peopleOf(settings.rounds)
      const unread = { channels, messages }
      const wanted = { databaseUrl, people, furniture: null, unread, eventBytes }
      const { server, started } = await startServer("parley", wanted)
      const { port, accounts } = started
      const times: Record<"with" | "without" | "first" | "all" | "one", Array<number>> = {
        with: [],
        without: [],
        first: [],
        all: [],
        one: [],
      }
      for (const [n, account] of accounts.slice(0, people).entries()) {
        settings.progress(`${messages} messages: ${n + 1} of ${people}`)
        const page = { anchor: "first_unread", num_before: "10", num_after: "10" }
        const marked = { op: "add", flag: "read", messages: JSON.stringify([messages - 1]) }
        const found = {
          without: await timedAsk(port, account, "POST", "/register", sections("message")),
          with: await timedAsk(port, account, "POST", "/register", sections("message", "update_message_flags")),
          first: await timedAsk(port, account, "GET", "/messages", page),
          one: await timedAsk(port, account, "POST", "/messages/flags", marked),
          all: await timedAsk(port, account, "POST", "/mark_all_as_read", {}),
        }
        // The first ones warm the server up.
        if (n < people / 2) continue
        for (const key of ["with", "without", "first", "one", "all"] as const) times[key].push(found[key])
      }
      rows.push({
        label: `${messages} messages`,
        figures: {
          "unread_msgs ms": median(times.with) - median(times.without),
          "first_unread ms": median(times.first),
          "mark one ms": median(times.one),
          "mark all ms": median(times.all),
        },
        remarks: [],
      })
      await server.stop()
    }
    return rows
  },
}
