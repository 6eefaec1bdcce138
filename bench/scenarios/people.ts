/** The list of everybody, as clients ask for it: what it takes of the server's main thread, first and once it has been made. */
import { median } from "../../src/command-line/bench/statistics.ts"
import { startServer, type Taken, takenBy, takenFigures } from "../bench.ts"
import { leave } from "../client/http.ts"
import { timedAsk } from "../client/timed-ask.ts"
import { eventBytes, type Row, type Scenario } from "../scenario.ts"

const profileFields = 5
/** Milliseconds of the loop that such a list may take in all, in slices. */
const mostMilliseconds = 20

const ways = {
  "as it is": {},
  "with pictures": { client_gravatar: "false" },
  "with profile data": { client_gravatar: "false", include_custom_profile_fields: "true" },
} as const

export const peopleScenario: Scenario = {
  name: "people",
  about: `GET /users with N users, each with ${profileFields} profile fields; the first of each row and later ones`,
  targets: {
    "own CPU ms": { most: mostMilliseconds, of: /later/ },
    "longest block ms": { most: 15 },
  },
  run: async (settings) => {
    const rows: Array<Row> = []
    for (const people of settings.sizes ?? [10_000]) {
      settings.progress(`${people} users: start`)
      const databaseUrl = await settings.fresh()
      const running = await startServer("parley", { databaseUrl, people, furniture: null, profileFields, eventBytes })
      const { port, accounts } = running.started
      const [, asker] = accounts
      if (asker === undefined) throw new Error("too few accounts")
      const nothing: Array<Taken> = []
      for (let round = 0; round < settings.rounds; round++) nothing.push(await takenBy(running, async () => 0))
      rows.push({ label: "nothing, to compare with", figures: takenFigures(nothing), remarks: [] })
      const idle = median(nothing.map(({ cpu }) => cpu))
      const ask = (fields: Record<string, string>) =>
        takenBy(running, () => timedAsk(port, asker, "GET", "/users", fields))
      // A first answer of any kind has the compiler's work in it.
      for (let n = 0; n < 20; n++) await timedAsk(port, asker, "GET", "/users/me", {})
      for (const [label, fields] of Object.entries(ways)) {
        settings.progress(`${people} users: ${label}`)
        const first = await ask(fields)
        // For the compiler, which works beside.
        for (let n = 0; n < 3; n++) await ask(fields)
        const later: Array<Taken> = []
        for (let round = 0; round < settings.rounds; round++) later.push(await ask(fields))
        rows.push({ label: `${people} users, ${label}: the first`, figures: takenFigures([first], idle), remarks: [] })
        rows.push({ label: `${people} users, ${label}: later`, figures: takenFigures(later, idle), remarks: [] })
      }
      leave()
      await running.server.stop()
    }
    return rows
  },
}
