/**
 * What it costs that N people tell once a minute that they are there, and read each time who else is: all of them are, so each
 * answer has all others. Everybody has come once before the measuring begins, so the first minute is not counted.
 */
import { setTimeout as wait } from "node:timers/promises"
import * as Schema from "effect/Schema"
import { cpuOf } from "../../src/command-line/bench/process-figures.ts"
import { median, quantile } from "../../src/command-line/bench/statistics.ts"
import { memoryOf, startClient, startServer } from "../bench.ts"
import { ask } from "../client/http.ts"
import { megabyte } from "../crowd/crowd.ts"
import { eventBytes, type Row, type Scenario, type Settings } from "../scenario.ts"

const Pinged = Schema.decodeUnknownSync(
  Schema.Struct({
    count: Schema.Number,
    seconds: Schema.Number,
    bytes: Schema.Number,
    failed: Schema.Number,
    times: Schema.Array(Schema.Number),
  }),
)

const roundSeconds = 60
const registers = 20
const warmUps = 50

/** A ping, as most are. */
const plain = { pingOnly: false, gzip: false, health: false, status: "active" }

/** How pings are sent; the second is gone through before the compressed ones are, whose answers nobody reads. */
const kinds = [
  { label: "with lists", ...plain },
  { label: "pings only", ...plain, pingOnly: true },
  { label: "/health as often", ...plain, health: true },
  { label: "with lists, gzip", ...plain, gzip: true },
]

const measure = async (settings: Settings, people: number): Promise<ReadonlyArray<Row>> => {
  const wanted = { databaseUrl: await settings.fresh(), people, furniture: null, eventBytes }
  const { server, started } = await startServer("parley", wanted)
  const client = startClient("client/pingers.js")
  const { port, accounts, pid, databaseThreads } = started
  const perSecond = people / roundSeconds
  const ping = (kind: typeof plain, seconds: number) =>
    client.ask("ping", { port, accounts, perSecond, seconds, ...kind }, Pinged)
  /** The server's processor time while something is done, in microseconds: all of it, and without the database. */
  const cpuDuring = async <A>(act: () => Promise<A>) => {
    const [all, own] = [cpuOf(pid), cpuOf(pid, databaseThreads)]
    const answer = await act()
    return { answer, all: cpuOf(pid) - all, own: cpuOf(pid, databaseThreads) - own }
  }
  const rows: Array<Row> = []
  try {
    // So that what the server keeps of a requester, compiled code and connections are not taken for memory of presences.
    const refused = { port, accounts, ...plain, perSecond: people, seconds: 1, status: "none", pingOnly: true }
    await client.ask("ping", refused, Pinged)
    const [first] = accounts
    if (first === undefined) throw new Error("there is nobody")
    const before = await memoryOf(server)
    settings.progress(`${people} people: a first minute`)
    await ping(plain, roundSeconds)
    const after = await memoryOf(server)
    const pause = 10 * settings.seconds
    settings.progress(`${people} people: nobody asks`)
    const idle = await cpuDuring(() => wait(1000 * pause))
    const idleShare = (microseconds: number) => (100 * microseconds) / pause / 1e6
    rows.push({
      label: "nobody asks",
      figures: { "% of a core": idleShare(idle.all), "% without the database": idleShare(idle.own) },
      remarks: [],
    })
    for (const { label, ...kind } of kinds) {
      settings.progress(`${people} people: ${label}`)
      // The others come in between, so that everybody comes a minute after their last ping.
      await ping(plain, kind.gzip ? roundSeconds : 0)
      const { answer: pinged, all, own } = await cpuDuring(() => ping(kind, pause))
      const shareOf = (microseconds: number) => (100 * perSecond * microseconds) / pinged.count / 1e6
      rows.push({
        label: `${people} people, ${label}`,
        figures: {
          "% of a core": shareOf(all),
          "% without the database": shareOf(own),
          "ms per ping": median(pinged.times),
          "p99 ms": quantile(pinged.times, 0.99),
          "KB per answer": pinged.bytes / pinged.count / 1024,
          "MB per second": (pinged.bytes / pinged.seconds / megabyte) * (perSecond / (pinged.count / pinged.seconds)),
          "not 200": pinged.failed,
        },
        remarks: [],
      })
    }
    settings.progress(`${people} people: registers`)
    const register = async (slim: boolean) => {
      const form = `slim_presence=${slim}&fetch_event_types=["presence"]&event_types=["presence"]`
      const began = performance.now()
      await ask(port, "/api/v1/register", first, form)
      return performance.now() - began
    }
    for (const slim of [true, false]) {
      for (let n = 0; n < warmUps; n++) await register(slim)
      const cpu = cpuOf(pid, databaseThreads)
      const times: Array<number> = []
      for (let n = 0; n < registers; n++) times.push(await register(slim))
      rows.push({
        label: `${people} people, register ${slim ? "by id" : "by address"}`,
        figures: {
          "register CPU ms": (cpuOf(pid, databaseThreads) - cpu) / 1000 / registers,
          // The queue is stored and synced before the answer.
          "with its queue ms": median(times),
        },
        remarks: [],
      })
    }
    rows.push({
      label: `${people} people, memory`,
      figures: {
        "bytes each": (after.heap + after.buffers - before.heap - before.buffers) / people,
        "of them buffers": (after.buffers - before.buffers) / people,
      },
      remarks: [],
    })
    return rows
  } finally {
    await client.stop()
    await server.stop()
  }
}

export const presence: Scenario = {
  name: "presence",
  about: "N people who tell once a minute that they are there, and read who else is",
  targets: {
    // Lists that are not compressed are a hundred megabytes per second, which the system alone copies for longer.
    "% of a core": { most: 5, of: /only|gzip/ },
    "bytes each": { most: 200 },
    "register CPU ms": { most: 10 },
    "not 200": { most: 0 },
  },
  run: async (settings) => {
    const rows: Array<Row> = []
    for (const people of settings.sizes ?? [10_000]) rows.push(...(await measure(settings, people)))
    return rows
  },
}
