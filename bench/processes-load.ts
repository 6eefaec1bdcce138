/** Several processes on one PostgreSQL database and those who send through them: the load of the scenario `processes`. */
import * as Schema from "effect/Schema"
import { cpuOf } from "../src/command-line/bench/process-figures.ts"
import { median, quantile } from "../src/command-line/bench/statistics.ts"
import { clientCore, serverCore, startClient, startServer } from "./bench.ts"
import type { Remote } from "./remote.ts"
import { eventBytes } from "./scenario.ts"
import { channel, hostOf } from "./target/people.ts"

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
export const organizations = 3
const content = encodeURIComponent("The quick brown fox jumps over the lazy dog and runs away from the hunter.")

export interface Standing {
  readonly server: Remote
  readonly client: Remote
  readonly started: Awaited<ReturnType<typeof startServer>>["started"]
}

/** Processes stand on both cores in turn, as the system would put them. */
export const stand = async (
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

interface Load {
  /** The first so many processes of the group are written through. */
  readonly writers: number
  readonly seconds: number
  readonly perSecond?: number
  /** All write to the first organization, where absent; else to all of them, each process to one where each writes. */
  readonly isSpread?: boolean
}

/** Who sends through the process `number`, those of all organizations in turn. */
const accountsOf = ({ started }: Standing, number: number, { writers, isSpread = false }: Load) => {
  const hosts = Array.from({ length: organizations }, (_, n) => hostOf(n + 1))
  const wanted = !isSpread ? hosts.slice(0, 1) : writers === 1 ? hosts : hosts.slice(number, number + 1)
  const isWanted = ({ host }: { readonly host?: string | undefined }) => host === undefined || wanted.includes(host)
  return started.accounts.filter(isWanted).sort((a, b) => (a.email < b.email ? -1 : a.email > b.email ? 1 : 0))
}

/** All of `group` is up, some of it is written through. */
export const put = async (group: ReadonlyArray<Standing>, load: Load) => {
  const [first] = group
  if (first === undefined) throw new Error("there is no server")
  const { writers, seconds, perSecond, isSpread = false } = load
  const { pids } = await first.server.ask("backends", {}, decodeBackends)
  const of = (all: ReadonlyArray<number>) => all.reduce((sum, pid) => sum + cpuOf(pid), 0)
  const nodes = () => group.map(({ started }) => cpuOf(started.pid))
  for (const { server } of group) await server.ask("trace", {}, anything)
  const [before, postgres, began] = [nodes(), of(pids), performance.now()]
  const puts = await Promise.all(
    group.slice(0, writers).map((standing, number) =>
      standing.client.ask(
        "put",
        {
          ...standing.started,
          accounts: accountsOf(standing, number, load),
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
  const delays = (writers === 1 && !isSpread ? [...(own ?? [])] : []).flatMap(([position, at]) =>
    others.flatMap((trace) => (trace.has(position) ? [(trace.get(position) ?? 0) - at] : [])),
  )
  // Only the rows of the first organization are noted.
  const rows = isSpread ? puts.reduce((sum, { sends }) => sum + sends, 0) : (own?.size ?? 0)
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
export type Measure = Awaited<ReturnType<typeof put>>
