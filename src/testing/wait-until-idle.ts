/**
 * Waits until a server rests: none of its jobs runs, and nothing of its outbox is under way. Before time is advanced: a job that
 * is still at work has not said yet when it wants to run again.
 */
import * as Context from "effect/Context"
import type { App } from "../app.ts"
import { Jobs } from "../jobs/jobs.ts"
import { Outbox } from "../jobs/outbox/outbox.ts"

/** A job may wait for what the test has stalled. */
const patienceMilliseconds = 2_000
/** What has been woken in a turn begins in one of the next. */
const turns = 5

export const waitUntilIdle = async ({ services }: App): Promise<void> => {
  const [jobs, outbox] = [Context.get(services, Jobs), Context.get(services, Outbox)]
  const runs = () => jobs.report().reduce((sum, { runs }) => sum + runs, 0)
  const isBusy = () =>
    jobs.report().some(({ isAwake }) => isAwake) || outbox.report().some(({ underWay }) => underWay > 0)
  const giveUpAt = performance.now() + patienceMilliseconds
  for (;;) {
    const before = runs()
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
    if ((!isBusy() && runs() === before) || performance.now() > giveUpAt) return
  }
}
