/**
 * Finds what a server leaves open when it has stopped: what the kit finds in the server itself, and sockets, timers, workers
 * and other resources of this process. Used by with-server.ts, which fails the test that leaks.
 */
import type { App } from "../../src/app.ts"
import { leaksOf, waitUntilNone } from "../../src/testing/find-leaks.ts"
import type { ManualClock } from "../../src/testing/test-clock.ts"

type Counts = ReadonlyMap<string, number>

/** Open resources by kind, for example `TCPSocketWrap`; unreferenced timers and sockets are not among them. */
const openResources = (): Counts => {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

/** An unresolved file system request or a task of the current turn ends by itself. */
const passing: ReadonlySet<string> = new Set(["Immediate", "FSReqPromise", "FSReqCallback"])

const more = (before: Counts): ReadonlyArray<string> =>
  [...openResources()].flatMap(([kind, count]) => {
    const added = count - (before.get(kind) ?? 0)
    return added > 0 && !passing.has(kind) ? [`${added} ${kind} more than before the server's start`] : []
  })

export interface LeakWatch {
  /** Describes what is still open after `app` has stopped; checks again for a while until nothing is. */
  readonly find: (app: App) => Promise<ReadonlyArray<string>>
}

/** Call it before the server starts: what is open already is not counted as the server's. */
export const watchLeaks = (clock: ManualClock, patience?: number): LeakWatch => {
  const before = openResources()
  const timersBefore = clock.pending()
  return {
    find: (app) => {
      const look = leaksOf(app, clock, timersBefore)
      return waitUntilNone(() => [...more(before), ...look()], patience)
    },
  }
}
