/**
 * The server is killed while messages are sent, and started again at once on the same data; all its clients come back at
 * the same moment. Timed from the moment that it says it is ready until every queue has a message that was sent since.
 */
import { setTimeout as wait } from "node:timers/promises"
import * as Schema from "effect/Schema"
import { growth } from "../../src/command-line/bench/plot.ts"
import { clientCore } from "../bench.ts"
import { anything, megabyte, type Place, serve, withCrowd } from "../crowd/crowd.ts"
import type { Plan } from "../crowd/plan.ts"
import { Remote } from "../remote.ts"
import { clientBound, type Row, type Scenario, type Settings, textBytes } from "../scenario.ts"

const Back = Schema.decodeUnknownSync(
  Schema.Struct({
    seconds: Schema.Number,
    medianSeconds: Schema.Number,
    sinceKill: Schema.Number,
    away: Schema.Number,
    refused: Schema.Number,
    missing: Schema.Number,
    people: Schema.Number,
    messages: Schema.Number,
    busy: Schema.Number,
    incidents: Schema.Record(Schema.String, Schema.Number),
    faults: Schema.Array(Schema.String),
  }),
)

const perSecond = 10
const patienceSeconds = 120

const measure = async (place: Place, transport: "socket" | "poll", calm: number): Promise<Row> => {
  const { people, talkers, lack } = place.crowd
  const [author] = talkers
  const server = await serve(place, {})
  const client = Remote.start("client/stormers.js", clientCore)
  try {
    const orders = { port: server.port, transport, people, author, lack, perSecond, patienceSeconds }
    await client.ask("begin", orders, anything)
    await wait(1000 * calm)
    const back = client.ask("back", {}, Back)
    await server.kill()
    server.clear()
    await server.revive()
    const answer = await back
    const { faults, incidents, missing } = answer
    if (faults.length > 0) throw new Error(faults.join("; "))
    return {
      label: `${people.length} ${transport}s`,
      figures: {
        seconds: missing > 0 ? Number.NaN : answer.seconds,
        "median seconds": answer.medianSeconds,
        "since the kill": answer.sinceKill,
        "not served": answer.away,
        messages: answer.messages,
        "server cpu s": server.ownCpu / 1e6,
        "peak MB": server.mostResident / megabyte,
        "longest block ms": await server.longestBlock(),
        "client busy": answer.busy,
      },
      remarks: [
        ...(missing > 0 ? [`given up: ${missing} queues are not back`] : []),
        ...Object.entries(incidents).map(([what, times]) => `${times} connections lost again: ${what}`),
        ...clientBound(answer.busy),
      ],
    }
  } finally {
    await client.stop()
    await server.stop()
  }
}

const run = async (settings: Settings): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const people of settings.sizes ?? [1000, 10_000]) {
    settings.progress(`${people} queues: seeding`)
    const plan: Plan = { people, channels: 10, fewest: 3, most: 3, common: 0 }
    const databaseUrl = await settings.fresh()
    const wanted = { databaseUrl, plan, queues: true, messages: 0, textBytes, longMessages: 0 }
    await withCrowd(wanted, async (place) => {
      for (const transport of ["socket", "poll"] as const) {
        settings.progress(`${people} ${transport}s`)
        rows.push(await measure(place, transport, settings.seconds))
      }
    })
  }
  return rows
}

export const storm: Scenario = {
  name: "storm",
  about: "the server is killed while 10 messages/s go to N queues, and started again: until all have a new message",
  targets: {
    seconds: [
      { most: 3, of: /^10000 sockets/ },
      { most: 5, of: /^10000 polls/ },
    ],
  },
  run,
  draw: (rows) =>
    growth("From ready until all queues are back, s", "queues", "s", rows, [
      { name: "sockets", label: /^(\d+) sockets/, figure: "seconds" },
      { name: "polls", label: /^(\d+) polls/, figure: "seconds" },
    ]),
}
