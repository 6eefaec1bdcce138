/**
 * A process with servers of `parley-server/testing`, as the package has it: prints how long each start took as one line of JSON. Started
 * by the scenario `kit`, which measures a first start in each process.
 */
import { setTimeout as pause } from "node:timers/promises"
import { packageFile } from "../../src/db/package-root.ts"
import type * as testing from "../../src/testing/exports.ts"

/** Milliseconds by the clock, and of the processor. */
export interface Took {
  readonly passed: number
  readonly processor: number
}

export interface KitReport {
  readonly load: Took
  readonly first: Took
  readonly further: ReadonlyArray<Took>
  /** Of each server when several are started together, after a first one: no database of theirs is open yet. */
  readonly together: ReadonlyArray<Took>
  /** The same when their databases are there. */
  readonly togetherAgain: ReadonlyArray<Took>
  /** Megabytes that the process takes for each further server. */
  readonly megabytes: number
}

const furtherStarts = 10
const serversTogether = 3

const processorMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const time = async <A>(work: () => Promise<A>): Promise<readonly [A, Took]> => {
  const [began, before] = [performance.now(), processorMs()]
  const answer = await work()
  return [answer, { passed: performance.now() - began, processor: processorMs() - before }]
}

const [{ startServer }, load] = await time(
  (): Promise<typeof testing> => import(packageFile("dist/program/testing.js")),
)

const startTogether = async (count: number) => {
  const started = await Promise.all(Array.from({ length: count }, () => time(() => startServer())))
  return { servers: started.map(([server]) => server), took: started.map(([, took]) => took) }
}

const [server, first] = await time(() => startServer())
await server.close()
const further: Array<Took> = []
for (let n = 0; n < furtherStarts; n++) {
  const [next, took] = await time(() => startServer())
  further.push(took)
  await next.close()
}
const one = process.memoryUsage.rss()
const together = await startTogether(serversTogether)
const megabytes = (process.memoryUsage.rss() - one) / (serversTogether - 1) / 1e6
// The database that is opened ahead for a further one.
await pause(2000)
for (const each of together.servers) await each.close()
const again = await startTogether(serversTogether)
for (const each of again.servers) await each.close()
const report: KitReport = { load, first, further, together: together.took, togetherAgain: again.took, megabytes }
process.stdout.write(`${JSON.stringify(report)}\n`)
