/**
 * Full registers of an organization with 10,000 users and 1,000 channels, with all subscribers: one alone, and many at
 * once by different users, as after an update of a client.
 */
import * as Schema from "effect/Schema"
import { growth } from "../../src/command-line/bench/plot.ts"
import { quantile } from "../../src/command-line/bench/statistics.ts"
import { clientCore } from "../bench.ts"
import { measured, megabyte, type Place, serve, withCrowd } from "../crowd/crowd.ts"
import { type Plan, talkerCount } from "../crowd/plan.ts"
import { Remote } from "../remote.ts"
import { clientBound, type Row, type Scenario, type Settings, textBytes } from "../scenario.ts"
import type { Server } from "../siege/server.ts"
import type { Account } from "../siege/target.ts"

const Registered = Schema.decodeUnknownSync(
  Schema.Struct({
    seconds: Schema.Number,
    busy: Schema.Number,
    statuses: Schema.Record(Schema.String, Schema.Number),
    whole: Schema.Number,
    bytes: Schema.Number,
    encodings: Schema.Array(Schema.String),
    times: Schema.Array(Schema.Number),
  }),
)

const channels = 1000
/** Besides these there are the one with everybody, and that of the talkers. */
const plan: Plan = { people: 10_000, channels: channels - 2, fewest: 20, most: 30, common: 3 }
const patienceSeconds = 240
const warmUps = 100
const counted = 20
/** Clients that do nothing else. */
const loopers = 8
const loopRounds = 60
/** So few that what they leave in memory hardly counts. */
const fewWarmUps = 2

/** Starts the program on the crowd's database, and has it asked by some of its people. */
const withServer = async <A>(
  place: Place,
  gzip: boolean,
  act: (
    server: Server,
    ask: (some: ReadonlyArray<Account>, together: boolean, rounds?: number) => Promise<ReturnType<typeof Registered>>,
  ) => Promise<A>,
): Promise<A> => {
  const server = await serve(place, {})
  const client = Remote.start("client/registrants.js", clientCore)
  try {
    return await act(server, (people, together, rounds = 1) => {
      const users = plan.people + talkerCount
      const orders = { port: server.port, people, gzip, together, rounds, users, channels, patienceSeconds }
      return client.ask("register", orders, Registered)
    })
  } finally {
    await client.stop()
    await server.stop()
  }
}

const remarksOf = ({ statuses, encodings, busy }: ReturnType<typeof Registered>, gzip: boolean) => [
  ...Object.entries(statuses).flatMap(([status, times]) => (status === "200" ? [] : [`${times} times ${status}`])),
  ...(gzip && !encodings.includes("gzip") ? ["not compressed"] : []),
  ...clientBound(busy),
]

const kindOf = (gzip: boolean): string => (gzip ? "gzip" : "plain")

/** One after the other, with nobody else there; the first one is the server's first request of all. */
const alone = (place: Place, gzip: boolean): Promise<Row> =>
  withServer(place, gzip, async (server, ask) => {
    const { people } = place.crowd
    const first = await ask(people.slice(0, 1), false)
    await ask(people.slice(1, 1 + warmUps), false)
    const before = server.ownCpu
    const answer = await ask(people.slice(1 + warmUps, 1 + warmUps + counted), false)
    const cpu = (server.ownCpu - before) / 1000 / counted
    return {
      label: `one alone, ${kindOf(gzip)}`,
      figures: {
        "one alone CPU ms": cpu,
        "one alone ms": quantile(answer.times, 0.5),
        "first ms": first.times[0] ?? Number.NaN,
        "not 200": counted - answer.whole,
        "MB per answer": answer.bytes / answer.whole / megabyte,
      },
      remarks: remarksOf(answer, gzip),
    }
  })

/** `rounds`: how often each of them registers, again as soon as they have their answer. */
const together = (place: Place, count: number, gzip: boolean, calm: number, rounds = 1): Promise<Row> =>
  withServer(place, gzip, async (server, ask) => {
    const { people } = place.crowd
    // From the other end of the list, so that nobody registers twice.
    await ask(people.slice(-fewWarmUps), false)
    const { answer, figures, remarks } = await measured(server, place.crowd, calm, () =>
      ask(people.slice(0, count), true, rounds),
    )
    const all = count * rounds
    return {
      label: `${rounds === 1 ? `${count} registers` : `${count} in a loop`}, ${kindOf(gzip)}`,
      figures: {
        seconds: answer.seconds,
        "not 200": all - answer.whole,
        "MB per answer": answer.bytes / answer.whole / megabyte,
        ...figures,
        "cpu ms each": (1000 * (figures["server cpu s"] ?? Number.NaN)) / all,
        "client busy": answer.busy,
      },
      remarks: [...remarks, ...remarksOf(answer, gzip)],
    }
  })

const run = async (settings: Settings): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  settings.progress("seeding")
  const databaseUrl = await settings.fresh()
  const wanted = { databaseUrl, plan, queues: false, messages: 0, textBytes, longMessages: 0 }
  await withCrowd(wanted, async (place) => {
    for (const gzip of [false, true]) {
      settings.progress(`one alone, ${kindOf(gzip)}`)
      rows.push(await alone(place, gzip))
      for (const count of settings.sizes ?? [1, 100, 1000]) {
        settings.progress(`${count} at once, ${kindOf(gzip)}`)
        rows.push(await together(place, count, gzip, 2 * settings.seconds))
      }
      settings.progress(`${loopers} in a loop, ${kindOf(gzip)}`)
      rows.push(await together(place, loopers, gzip, 2 * settings.seconds, loopRounds))
    }
  })
  return rows
}

export const register: Scenario = {
  name: "register",
  about:
    "N full registers at once, 10,000 users and 1,000 channels with their subscribers, while 20 messages/s are sent",
  targets: {
    seconds: { most: 12, of: /^1000 / },
    "peak MB": { most: 600, of: /^1000 / },
    "one alone CPU ms": { most: 8, of: /alone/ },
    "not 200": { most: 0 },
    "send p50 ms": { most: 10, of: /loop/ },
    "send p99 ms": { most: 40, of: /loop/ },
  },
  run,
  draw: (rows) =>
    growth("Until all full registers are answered, s", "registers at once", "s", rows, [
      { name: "plain", label: /^(\d+) registers, plain/, figure: "seconds" },
      { name: "gzip", label: /^(\d+) registers, gzip/, figure: "seconds" },
    ]),
}
