/** Waits for what a server does by itself, its jobs and its outbox, as they report it. */
import * as Context from "effect/Context"
import { Jobs } from "../../src/jobs/jobs.ts"
import { Outbox } from "../../src/jobs/outbox/outbox.ts"
import { until } from "./test-database.ts"
import type { TestServer } from "./with-server.ts"

type Reports<Service> = Service extends { readonly report: infer Report } ? { readonly report: Report } : never

export interface Work {
  readonly jobs: Reports<Jobs["Service"]>
  readonly outbox: Reports<Outbox["Service"]>
}

interface Named {
  readonly name: string
}

export const workOf = ({ app }: TestServer): Work => ({
  jobs: Context.get(app.services, Jobs),
  outbox: Context.get(app.services, Outbox),
})

const reportOf = ({ jobs }: Work, { name }: Named) => {
  const report = jobs.report().find((each) => each.name === name)
  if (report === undefined) throw new Error(`there is no job ${name}`)
  return report
}

/** Runs of a job that have ended. */
export const runsOf = (work: Work, job: Named): number => reportOf(work, job).runs

/** Lanes of a kind of the outbox that are worked on. */
export const underWay = ({ outbox }: Work, kind: Named): number =>
  outbox.report().find((each) => each.kind === kind.name)?.underWay ?? 0

/** Waits until a job neither runs nor is about to. */
export const atRest = (work: Work, job: Named) => until(`${job.name} rests`, 20_000, () => !reportOf(work, job).isAwake)

/** Waits until nothing of a kind of the outbox is worked on, and its job waits for its next time. */
export const asleep = (work: Work, kind: Named & { readonly job: Named }) =>
  until(`${kind.name} sleeps`, 20_000, () => underWay(work, kind) === 0 && !reportOf(work, kind.job).isAwake)

/** Does what has a job run, and waits until it has run since. */
export const untilRun = async (work: Work, job: Named, begin: () => unknown): Promise<void> => {
  await atRest(work, job)
  const before = runsOf(work, job)
  await begin()
  await until(`${job.name} has run`, 20_000, () => runsOf(work, job) > before && !reportOf(work, job).isAwake)
}
