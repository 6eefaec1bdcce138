/**
 * `parley bench`: measures a server of this API, one that runs or one that is started for it, and clears away what it made.
 * Loaded by cli.ts for this command alone.
 */
import { setMaxListeners } from "node:events"
import { writeFileSync } from "node:fs"
import { loadavg } from "node:os"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Client, Refused, Unanswered } from "../../client/index.ts"
import type { Environment } from "../../config/source.ts"
import { readBy } from "../read-wanted.ts"
import { findAccounts } from "./accounts.ts"
import { Findings } from "./findings.ts"
import { makeBenchCommand, type Orders } from "./orders.ts"
import { startOwnServer } from "./own-server.ts"
import { progressTo, type Shown, type Tell } from "./progress.ts"
import { plotOf, type Report, textOf, thisMachine } from "./report.ts"
import { scenarios } from "./scenarios.ts"
import { clientsOf, makeChannel, type Scene } from "./scene.ts"
import { type Outcome, Stage } from "./stage.ts"
import { findTransport } from "./transport.ts"
import { Unfit } from "./unfit.ts"
import { placeOf } from "./wire/place.ts"

export interface BenchConsole {
  readonly env: Environment
  readonly version: string
  readonly print: (text: string) => void
  /** Where the progress is shown. */
  readonly stderr: Shown
}

/** Every step of a run; what it has found so far stays when one of them is interrupted. */
const measureAll = async (scene: Scene, orders: Orders, add: (outcome: Outcome) => void): Promise<void> => {
  const transport = await findTransport(scene, orders.transport)
  const connections = Math.max(32, ...orders.inFlight)
  for (const size of orders.queues) {
    const stage = await Stage.open({ scene, transport, size, textBytes: orders.textBytes, connections })
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

interface Server {
  readonly url: string
  readonly pid: number | null
}

const runOn = async ({ url, pid }: Server, orders: Orders, signal: AbortSignal, tell: Tell): Promise<Report> => {
  const client = thisMachine()
  const doubts = [...crowdedness(client.cores)]
  const { zulip_version } = await new Client({ server: url }).call("GET /server_settings", {}, { signal })
  const accounts = await findAccounts({ server: url, named: orders.accounts, file: orders.accountsFile, signal })
  const findings = new Findings()
  const clients = clientsOf(url, accounts, { findings, tell })
  const channel =
    orders.channel === null
      ? await makeChannel(clients, signal)
      : { name: orders.channel, leave: () => Promise.resolve(null) }
  const place = placeOf(new URL(url))
  const scene: Scene = { server: url, place, accounts, clients, channel: channel.name, findings, signal, pid, tell }
  const outcomes: Array<Outcome> = []
  try {
    await measureAll(scene, orders, (outcome) => void outcomes.push(outcome))
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    tell("clearing away")
    const left = await channel.leave()
    if (left !== null) doubts.push(left)
  }
  return {
    date: new Date().toISOString(),
    server: { url, isOwn: pid !== null, version: zulip_version },
    client,
    accounts: accounts.length,
    seconds: orders.seconds,
    textBytes: orders.textBytes,
    isInterrupted: signal.aborted,
    outcomes,
    doubts,
  }
}

const perform = async (orders: Orders, { env, stderr }: BenchConsole, signal: AbortSignal): Promise<Report> => {
  const progress = progressTo(stderr)
  try {
    if (orders.url !== null)
      return await runOn({ url: orders.url.replace(/\/$/, ""), pid: null }, orders, signal, progress.tell)
    progress.tell("a server is started")
    const own = await startOwnServer(env, signal)
    try {
      return await runOn(own, orders, signal, progress.tell)
    } finally {
      await own.stop()
    }
  } finally {
    progress.end()
  }
}

const failure = (error: unknown): Result.Result<void, string> => {
  const isTold = error instanceof Unfit || error instanceof Refused || error instanceof Unanswered
  if (isTold) return Result.fail(error.message)
  throw error
}

/** A failure is one line that says why nothing was measured. The exit code is 1 where events were lost or doubled, too. */
export const bench = async (argv: ReadonlyArray<string>, to: BenchConsole): Promise<Result.Result<void, string>> => {
  const read = await Effect.runPromise(readBy(makeBenchCommand, argv, to.version))
  if (read._tag === "Refused") return Result.fail(read.why)
  if (read._tag === "Help") return Result.succeed(to.print(read.text))
  const orders = read.wanted
  const interrupted = new AbortController()
  // Each request that is under way listens to it.
  setMaxListeners(0, interrupted.signal)
  const interrupt = () => {
    // Whoever says it twice does not wait for what is cleared away.
    if (interrupted.signal.aborted) process.exit(130)
    interrupted.abort(new Unfit("interrupted"))
  }
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, interrupt)
  try {
    const report = await perform(orders, to, interrupted.signal)
    const drawn = orders.plot === null ? null : plotOf(report)
    if (orders.plot !== null && drawn !== null) writeFileSync(orders.plot, `${drawn}\n`)
    to.print(orders.json ? `${JSON.stringify(report, null, 2)}\n` : textOf(report))
    if (report.outcomes.some(({ counts }) => counts.lost + counts.doubled > 0)) process.exitCode = 1
    return report.isInterrupted
      ? Result.fail("interrupted; what was measured before stands above")
      : Result.succeed(undefined)
  } catch (error) {
    return failure(error)
  } finally {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.removeListener(name, interrupt)
  }
}
