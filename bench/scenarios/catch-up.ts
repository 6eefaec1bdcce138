/**
 * Many queues return at once, and what they lack is older than the ring: it is read from the log in the database. Up to
 * 3,000 queues each lack 1,002 of 3,340 messages, with a ring that is made so small that it holds none of them. More
 * queues than that return after half an hour of ten messages a second: 18,000, of which each lacks 1,000, with the usual
 * ring, which holds the newer part.
 */
import * as Schema from "effect/Schema"
import { growth } from "../../src/command-line/bench/plot.ts"
import { clientCore } from "../bench.ts"
import { measured, megabyte, type Place, serve, withCrowd } from "../crowd/crowd.ts"
import type { Plan } from "../crowd/plan.ts"
import { Remote } from "../remote.ts"
import { clientBound, type Row, type Scenario, type Settings, textBytes } from "../scenario.ts"

const Returned = Schema.decodeUnknownSync(
  Schema.Struct({
    seconds: Schema.Number,
    busy: Schema.Number,
    bytes: Schema.Number,
    events: Schema.Number,
    missing: Schema.Number,
    complete: Schema.Number,
    medianSeconds: Schema.NullOr(Schema.Number),
    incidents: Schema.Record(Schema.String, Schema.Number),
    faults: Schema.Array(Schema.String),
  }),
)

const fewQueues = 3000
const patienceSeconds = 240

interface Shape {
  readonly plan: Plan
  readonly messages: number
  /** Number of messages of 10,000 characters that fill the ring after those that are lacking. */
  readonly longMessages: number
  readonly settings: Readonly<Record<string, string>>
  readonly remark: string
}

const shapeOf = (people: number): Shape =>
  people <= fewQueues
    ? {
        plan: { people, channels: 10, fewest: 3, most: 3, common: 0 },
        messages: 3340,
        longMessages: 30,
        settings: { PARLEY_RING_BYTES: String(megabyte) },
        remark: "ring of 1 MB",
      }
    : {
        plan: { people, channels: 54, fewest: 3, most: 3, common: 0 },
        messages: 18_000,
        longMessages: 0,
        settings: {},
        remark: "the usual ring",
      }

const labelOf = (people: number, transport: string): string =>
  `${people} ${transport}s, 1,000 of ${shapeOf(people).messages.toLocaleString("en")}`

const measure = async (
  place: Place,
  { plan, settings, remark }: Shape,
  transport: "socket" | "poll",
  calm: number,
): Promise<Row> => {
  const { people, lack } = place.crowd
  const server = await serve(place, settings)
  const client = Remote.start("client/returners.js", clientCore)
  try {
    const orders = { port: server.port, transport, people, plan, lack, patienceSeconds }
    const back = () => client.ask("return", orders, Returned)
    const { answer, figures, remarks } = await measured(server, place.crowd, calm, back)
    const { faults, incidents, complete, missing, busy } = answer
    if (faults.length > 0) throw new Error(faults.join("; "))
    return {
      label: labelOf(people.length, transport),
      figures: {
        seconds: missing > 0 ? Number.NaN : answer.seconds,
        "median seconds": answer.medianSeconds ?? Number.NaN,
        "events/s": answer.events / answer.seconds,
        "MB in all": answer.bytes / megabyte,
        ...figures,
        "client busy": busy,
      },
      remarks: [
        remark,
        ...remarks,
        ...(missing > 0
          ? [
              `given up after ${Math.round(answer.seconds)} s: only ${complete} queues have all, ${missing} events are missing`,
            ]
          : []),
        ...Object.entries(incidents).map(([what, times]) => `${times} connections lost: ${what}`),
        ...clientBound(busy),
      ],
    }
  } finally {
    await client.stop()
    await server.stop()
  }
}

const run = async (settings: Settings): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const people of settings.sizes ?? [100, 300, 1000]) {
    const shape = shapeOf(people)
    settings.progress(`${people} queues: seeding`)
    const wanted = { databaseUrl: await settings.fresh(), queues: true, textBytes, ...shape }
    await withCrowd(wanted, async (place) => {
      for (const transport of ["socket", "poll"] as const) {
        settings.progress(`${people} ${transport}s return`)
        rows.push(await measure(place, shape, transport, 2 * settings.seconds))
      }
    })
  }
  return rows
}

export const catchUp: Scenario = {
  name: "catch-up",
  about:
    "N queues return at once and read 1,000 events each from the log in the database, while 20 messages/s are sent",
  targets: {
    seconds: [
      { most: 5, of: /^1000 / },
      { most: 60, of: /^10000 / },
    ],
    "send p50 ms": { most: 10, of: /^1000 / },
    "send p99 ms": { most: 80, of: /^1000 / },
  },
  run,
  draw: (rows) =>
    growth("Until all queues have what they lack, s", "queues", "s", rows, [
      { name: "sockets", label: /^(\d+) sockets/, figure: "seconds" },
      { name: "polls", label: /^(\d+) polls/, figure: "seconds" },
    ]),
}
