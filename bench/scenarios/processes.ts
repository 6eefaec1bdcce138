/**
 * What several processes on one PostgreSQL database cost: one, two and three of them write to one organization, and all three
 * follow (`of one`: against one of them that writes); beside them a process that is alone on a database of its own (`of alone`). All
 * are up at once and are put under load in turn. On two cores more processes have nothing to gain: it is what they cost that shows.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Schema from "effect/Schema"
import { cpuOf } from "../../src/command-line/bench/process-figures.ts"
import { median, quantile, spread } from "../../src/command-line/bench/statistics.ts"
import { clientCore, serverCore, startClient, startServer } from "../bench.ts"
import type { Remote } from "../remote.ts"
import { eventBytes, type Row, type Scenario, type Settings } from "../scenario.ts"
import { channel } from "../target/people.ts"

const Put = Schema.Struct({
  sends: Schema.Number,
  seconds: Schema.Number,
  p50: Schema.Number,
  p99: Schema.Number,
  faults: Schema.Array(Schema.String),
})
type Put = typeof Put.Type
const decodePut = Schema.decodeUnknownSync(Put)
const decodeTrace = Schema.decodeUnknownSync(
  Schema.Struct({ applied: Schema.Array(Schema.Tuple([Schema.Number, Schema.Number])) }),
)
const decodeBackends = Schema.decodeUnknownSync(Schema.Struct({ pids: Schema.Array(Schema.Number) }))
const anything = (value: unknown) => value

const senders = 48
const paced = 200
/** Until the code is compiled: what was measured after one second was three times as dear. */
const warmUpSeconds = 15
const content = encodeURIComponent("The quick brown fox jumps over the lazy dog and runs away from the hunter.")

interface Standing {
  readonly server: Remote
  readonly client: Remote
  readonly started: Awaited<ReturnType<typeof startServer>>["started"]
}

/** Processes stand on both cores in turn, as the system would put them. */
const stand = async (
  databaseUrl: string | null,
  number: number,
  together?: Parameters<typeof startServer>[1]["together"],
) => {
  const common = { databaseUrl, people: senders, furniture: null, eventBytes }
  const core = number % 2 === 0 ? serverCore : clientCore
  const { server, started } = await startServer(
    "parley",
    together === undefined ? common : { ...common, together },
    core,
  )
  return { server, client: startClient("client/senders.js"), started }
}

/** The first `writers` of `group` are written through, all of it is up. */
const put = async (group: ReadonlyArray<Standing>, writers: number, seconds: number, perSecond?: number) => {
  const [first] = group
  if (first === undefined) throw new Error("there is no server")
  const { pids } = await first.server.ask("backends", {}, decodeBackends)
  const of = (all: ReadonlyArray<number>) => all.reduce((sum, pid) => sum + cpuOf(pid), 0)
  const nodes = () => group.map(({ started }) => cpuOf(started.pid))
  for (const { server } of group) await server.ask("trace", {}, anything)
  const [before, postgres, began] = [nodes(), of(pids), performance.now()]
  const puts = await Promise.all(
    group.slice(0, writers).map(({ client, started }) =>
      client.ask(
        "put",
        {
          ...started,
          senders: perSecond === undefined ? senders / writers : 4,
          perSecond,
          channels: [channel.name],
          content,
          warmUpSeconds: 0,
          seconds,
        },
        decodePut,
      ),
    ),
  )
  const took = (performance.now() - began) / 1000
  const [after, spent] = [nodes(), of(pids) - postgres]
  const traces: Array<ReadonlyMap<number, number>> = []
  for (const { server } of group) traces.push(new Map((await server.ask("traced", {}, decodeTrace)).applied))
  const faults = puts.flatMap((each) => each.faults)
  if (faults.length > 0) throw new Error(faults.join("; "))
  const [own, ...others] = traces
  // Of rows that one writes: it has applied them when it tells the others.
  const delays = (writers === 1 ? [...(own ?? [])] : []).flatMap(([position, at]) =>
    others.flatMap((trace) => (trace.has(position) ? [(trace.get(position) ?? 0) - at] : [])),
  )
  const rows = own?.size ?? 0
  const cpu = after.map((each, n) => each - (before[n] ?? 0))
  const following = cpu.slice(writers)
  return {
    perSecond: rows / took,
    node: cpu.reduce((sum, each) => sum + each, 0) / rows,
    postgres: spent / rows,
    follower: following.reduce((sum, each) => sum + each, 0) / Math.max(1, following.length) / rows,
    delay50: delays.length === 0 ? 0 : quantile(delays, 0.5),
    delay99: delays.length === 0 ? 0 : quantile(delays, 0.99),
    p50: median(puts.map((each: Put) => each.p50)),
    p99: median(puts.map((each: Put) => each.p99)),
  }
}
type Measure = Awaited<ReturnType<typeof put>>

/** A round of a row, and in it what one process got that was alone, and one among followers. */
interface Round {
  readonly alone: Measure
  readonly one: Measure
  readonly measured: Measure
}

const rowOf = (label: string, rounds: ReadonlyArray<Round>): Row => {
  const of = (figure: (one: Measure) => number) => median(rounds.map(({ measured }) => figure(measured)))
  const ratios = rounds.map(({ one, measured }) => measured.perSecond / one.perSecond)
  return {
    label,
    figures: {
      "sends/s": of(({ perSecond }) => perSecond),
      "of one": median(ratios),
      spread: spread(ratios),
      "of alone": median(rounds.map(({ alone, measured }) => measured.perSecond / alone.perSecond)),
      "node us": of(({ node }) => node),
      "PostgreSQL us": of(({ postgres }) => postgres),
      "follower us": of(({ follower }) => follower),
      "delay p50 ms": of(({ delay50 }) => delay50),
      "delay p99 ms": of(({ delay99 }) => delay99),
      "p50 ms": of(({ p50 }) => p50),
      "p99 ms": of(({ p99 }) => p99),
    },
    remarks: [],
  }
}

const measure = async (settings: Settings): Promise<ReadonlyArray<Row>> => {
  const [own, shared] = [await settings.fresh(), await settings.fresh()]
  if (own === null || shared === null) throw new Error("several processes need PostgreSQL: --database URL")
  const counts = settings.sizes ?? [1, 2, 3]
  const filesFolder = await mkdtemp(join(tmpdir(), "parley-bench-files-"))
  const alone: Array<Standing> = []
  const group: Array<Standing> = []
  try {
    settings.progress("all processes start")
    alone.push(await stand(own, 0))
    for (let n = 0; n < Math.max(...counts); n++)
      group.push(await stand(shared, n, { bus: "notify", filesFolder, isFirst: n === 0 }))
    const seconds = settings.seconds / 4
    await put(alone, 1, warmUpSeconds)
    await put(group, 1, warmUpSeconds)
    await put(group, group.length, warmUpSeconds)
    const rounds = new Map<string, ReadonlyArray<Round>>()
    for (let round = 0; round < settings.rounds; round++) {
      settings.progress(`round ${round + 1} of ${settings.rounds}`)
      const single = await put(alone, 1, seconds)
      const one = await put(group, 1, seconds)
      const note = (label: string, measured: Measure) =>
        rounds.set(label, [...(rounds.get(label) ?? []), { alone: single, one, measured }])
      note("one process, alone", single)
      for (const writers of counts)
        note(`${writers} of ${group.length} processes write`, writers === 1 ? one : await put(group, writers, seconds))
      note(`one, alone, writes ${paced} a second`, await put(alone, 1, seconds, paced))
      note(`1 of ${group.length} writes ${paced} a second`, await put(group, 1, seconds, paced))
    }
    return [...rounds].map(([label, each]) => rowOf(label, each))
  } finally {
    for (const { client, server } of [...group, ...alone]) {
      await client.stop()
      await server.stop()
    }
    await rm(filesFolder, { recursive: true, force: true })
  }
}

export const processesScenario: Scenario = {
  name: "processes",
  about: "one, two and three processes write to one organization on one PostgreSQL database, and all of them follow",
  targets: {
    "of one": { least: 0.75, of: /^2 of/ },
    "follower us": { most: 40, of: /write$/ },
    "delay p50 ms": { most: 1.5, of: /^1 of .* second$/ },
  },
  run: measure,
}
