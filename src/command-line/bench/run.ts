/** A run against a server, from finding out who may read it to the report. */
import { loadavg } from "node:os"
import { Client } from "../../client/index.ts"
import { findAccounts } from "./accounts.ts"
import { Findings } from "./findings.ts"
import type { Orders } from "./orders.ts"
import type { Tell } from "./progress.ts"
import { type Report, thisMachine } from "./report.ts"
import { scenarios } from "./scenarios.ts"
import { clientsOf, makeChannel, type Scene } from "./scene.ts"
import { type Outcome, Stage } from "./stage.ts"
import { findTransport } from "./transport.ts"
import { reasonOf, Unfit } from "./unfit.ts"
import { placeOf } from "./wire/place.ts"

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

const greetingMilliseconds = 10_000

/** The version of the API, by which it is also known that there is a server. */
const versionOf = async (url: string, signal: AbortSignal): Promise<string> => {
  const options = { signal, retries: false, patienceMilliseconds: greetingMilliseconds }
  try {
    return (await new Client({ server: url }).call("GET /server_settings", {}, options)).zulip_version
  } catch (error) {
    signal.throwIfAborted()
    throw new Unfit(`${url} does not answer as a server of this API: ${reasonOf(error)}`)
  }
}

interface Server {
  readonly url: string
  readonly pid: number | null
}

/** Measures what the orders say, and clears away what it made for that. */
export const runOn = async ({ url, pid }: Server, orders: Orders, signal: AbortSignal, tell: Tell): Promise<Report> => {
  const client = thisMachine()
  const doubts = [...crowdedness(client.cores)]
  const zulip_version = await versionOf(url, signal)
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
  let endedEarly: string | null = null
  try {
    await measureAll(scene, orders, (outcome) => void outcomes.push(outcome))
  } catch (error) {
    const reason = reasonOf(error)
    if (!signal.aborted && (outcomes.length === 0 || reason === null)) throw error
    if (!signal.aborted) endedEarly = reason
  } finally {
    tell("clearing away")
    const left = await channel.leave()
    if (left !== null) doubts.push(left)
  }
  if (endedEarly !== null) doubts.unshift(`it ended early: ${endedEarly}`)
  return {
    date: new Date().toISOString(),
    server: { url, isOwn: pid !== null, version: zulip_version },
    client,
    accounts: accounts.length,
    seconds: orders.seconds,
    textBytes: orders.textBytes,
    isInterrupted: signal.aborted,
    endedEarly,
    outcomes,
    doubts,
  }
}
