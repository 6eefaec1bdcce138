/** A run against a server, from finding out who may read it to the report. */
import { setMaxListeners } from "node:events"
import { loadavg } from "node:os"
import { type Account, Client } from "../../client/index.ts"
import { findAccounts } from "./accounts.ts"
import type { BenchArguments } from "./bench-arguments.ts"
import { type BenchScene, clientsOf, makeChannel } from "./bench-channel.ts"
import { BenchImpossible, reasonOf } from "./bench-impossible.ts"
import type { TellProgress } from "./bench-progress.ts"
import { type BenchReport, thisMachine } from "./bench-report.ts"
import { BenchFindings } from "./findings.ts"
import { accountsFor, always, countRoom, type MadeAccounts, makeAccounts } from "./room-for-queues.ts"
import { scenarios } from "./scenarios.ts"
import { BenchStage, type Measurement } from "./stage.ts"
import { findTransport } from "./transport.ts"
import { serverAddressOf } from "./wire/server-address.ts"

/** Every step of a run; what it has found so far stays when one of them is interrupted. */
const measureAll = async (
  scene: BenchScene,
  orders: BenchArguments,
  add: (outcome: Measurement) => void,
): Promise<void> => {
  const transport = await findTransport(scene, orders.transport)
  const connections = Math.max(32, ...orders.inFlight)
  for (const size of orders.queues) {
    const stage = await BenchStage.open({ scene, transport, size, textBytes: orders.textBytes, connections })
    try {
      for (const name of orders.scenarios) await scenarios[name](stage, orders, add)
    } finally {
      await stage.close()
    }
  }
}

/** Who else uses this machine, before anything is begun. */
const crowdedness = (cores: number): ReadonlyArray<string> => {
  const [lately = 0] = loadavg()
  return lately > cores ? [`others use this machine: a load of ${lately.toFixed(1)} on ${cores} cores`] : []
}

const greetingMilliseconds = 10_000

/** The version of the API, by which it is also known that there is a server. */
const versionOf = async (url: string, signal: AbortSignal): Promise<string> => {
  const options = { signal, retries: false, patienceMilliseconds: greetingMilliseconds }
  try {
    return (await new Client({ server: url }).call("GET /server_settings", {}, options)).zulip_version
  } catch (error) {
    signal.throwIfAborted()
    throw new BenchImpossible(`${url} does not answer as a server of this API: ${reasonOf(error)}`)
  }
}

interface Server {
  readonly url: string
  readonly pid: number | null
}

const cannotHold = (held: number, queues: number, needed: number, accounts: number): string =>
  `an account holds ${held} queues on this server: ${queues} queues need ${needed} accounts, and there ${accounts === 1 ? "is" : "are"} ${accounts}: name more by --account or --accounts, or fewer --queues`

interface Seating {
  readonly server: Server
  readonly orders: BenchArguments
  readonly accounts: ReadonlyArray<Account>
  readonly signal: AbortSignal
  readonly tell: TellProgress
}

/** The accounts that are needed beside those that are there: made where keys are for the asking, else named in the refusal. */
const furtherAccounts = async ({ server, orders, accounts, signal, tell }: Seating): Promise<MadeAccounts> => {
  const none = { accounts: [], leave: () => Promise.resolve(null) }
  const [founder] = accounts
  const queues = Math.max(...orders.queues)
  const wanted = Math.ceil(queues / accounts.length)
  // A server that was started for this has no limit.
  if (server.pid !== null || wanted <= always || founder === undefined) return none
  const client = new Client({ server: server.url, account: founder })
  const held = await countRoom({ client, wanted, signal, tell })
  if (held >= wanted) return none
  const needed = accountsFor(queues, held)
  const isNamed = orders.accounts.length > 0 || orders.accountsFile !== null || orders.channel !== null
  if (isNamed || held === 0) throw new BenchImpossible(cannotHold(held, queues, needed, accounts.length))
  tell(`${queues} queues need ${needed} accounts`, `an account holds ${held}`)
  return makeAccounts({ server: server.url, founder, count: needed - accounts.length, signal, tell })
}

interface Company {
  readonly accounts: ReadonlyArray<Account>
  readonly signal: AbortSignal
  readonly tell: TellProgress
}

/** In a channel that all accounts are in. */
const measureWith = async (
  { url, pid }: Server,
  orders: BenchArguments,
  { accounts, signal: interrupted, tell }: Company,
) => {
  const findings = new BenchFindings()
  const clients = clientsOf(url, accounts, { findings, tell })
  const channel =
    orders.channel === null
      ? await makeChannel(clients, interrupted)
      : { name: orders.channel, leave: () => Promise.resolve(null) }
  const broken = new AbortController()
  setMaxListeners(0, broken.signal)
  const signal = AbortSignal.any([interrupted, broken.signal])
  setMaxListeners(0, signal)
  const place = serverAddressOf(new URL(url))
  const giveUp = (why: string) => broken.abort(new BenchImpossible(why))
  const shared = { server: url, place, accounts, clients, channel: channel.name, findings, pid, tell }
  const outcomes: Array<Measurement> = []
  let endedEarly: string | null = null
  let left: string | null = null
  try {
    await measureAll({ ...shared, signal, giveUp }, orders, (outcome) => void outcomes.push(outcome))
  } catch (error) {
    // Whatever waited was interrupted by it.
    const why: unknown = broken.signal.aborted ? broken.signal.reason : error
    const reason = reasonOf(why)
    if (!interrupted.aborted && (outcomes.length === 0 || reason === null)) throw why
    if (!interrupted.aborted) endedEarly = reason
  } finally {
    tell("clearing away")
    left = await channel.leave()
  }
  return { outcomes, endedEarly, left, isInterrupted: interrupted.aborted }
}

interface Measured {
  readonly version: string
  readonly accounts: ReadonlyArray<Account>
  readonly outcomes: ReadonlyArray<Measurement>
  readonly endedEarly: string | null
  readonly isInterrupted: boolean
  readonly doubts: ReadonlyArray<string | null>
}

const reportOf = ({ url, pid }: Server, { seconds, textBytes }: BenchArguments, measured: Measured): BenchReport => {
  const { version, accounts, outcomes, endedEarly, isInterrupted, doubts } = measured
  const early = endedEarly === null ? null : `it ended early: ${endedEarly}`
  return {
    date: new Date().toISOString(),
    server: { url, isOwn: pid !== null, version },
    client: thisMachine(),
    accounts: accounts.length,
    seconds,
    textBytes,
    isInterrupted,
    endedEarly,
    outcomes,
    doubts: [early, ...doubts].filter((doubt) => doubt !== null),
  }
}

/** Measures what the orders say, and clears away what it made for that. */
export const runOn = async (
  server: Server,
  orders: BenchArguments,
  signal: AbortSignal,
  tell: TellProgress,
): Promise<BenchReport> => {
  const { url } = server
  const crowded = crowdedness(thisMachine().cores)
  const version = await versionOf(url, signal)
  const found = await findAccounts({ server: url, named: orders.accounts, file: orders.accountsFile, signal })
  const further = await furtherAccounts({ server, orders, accounts: found, signal, tell })
  const accounts = [...found, ...further.accounts]
  try {
    const { left, ...measured } = await measureWith(server, orders, { accounts, signal, tell })
    const made = await further.leave()
    return reportOf(server, orders, { ...measured, version, accounts, doubts: [...crowded, left, made] })
  } catch (error) {
    await further.leave()
    throw error
  }
}
