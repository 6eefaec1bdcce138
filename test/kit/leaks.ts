/**
 * Finds what a server leaves open when it has stopped: sockets, timers, workers and other resources of this process,
 * timers on its clock, connections and requests that it still counts, live queues that the server does not hold any
 * more. Used by with-server.ts, which fails the test that leaks.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { App } from "../../src/app.ts"
import { Realms } from "../../src/chat/ground/realm/realms.ts"
import type { ManualClock } from "./manual-clock.ts"

/** Milliseconds to wait: sockets close some turns of the loop later, PGlite's worker answers a moment later. */
const patienceMilliseconds = 2_000

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

/** Queues and connections that the stopped server still counts. */
const countedBy = ({ services }: App): ReadonlyArray<string> =>
  Context.get(services, Realms)
    .loaded()
    .flatMap(({ realm, hub, queues }) => {
      const connections = queues.connected().length
      const strays = hub.liveQueues - queues.size()
      return [
        ...(connections > 0 ? [`${connections} connections of queues of realm ${realm.id}`] : []),
        ...(strays > 0 ? [`${strays} live queues of realm ${realm.id} that the server does not hold`] : []),
      ]
    })

/** Requests that are never answered: draining, which waits for them, does not come to its end. */
const watchRequests = (app: App): (() => boolean) => {
  let isIdle = false
  Effect.runFork(
    Effect.map(app.server.drain(), () => {
      isIdle = true
    }),
  )
  return () => isIdle
}

export interface LeakWatch {
  /** Describes what is still open after `app` has stopped; checks again for a while until nothing is. */
  readonly find: (app: App) => Promise<ReadonlyArray<string>>
}

/** Call it before the server starts: what is open already is not counted as the server's. */
export const watchLeaks = (clock: ManualClock, patience = patienceMilliseconds): LeakWatch => {
  const before = openResources()
  const timersBefore = clock.pending()
  return {
    find: async (app) => {
      const isIdle = watchRequests(app)
      const look = (): ReadonlyArray<string> => {
        // The timer that ends the draining is not counted as a leak of the server.
        const timers = clock.pending() - timersBefore - (isIdle() ? 0 : 1)
        return [
          ...more(before),
          ...countedBy(app),
          ...(isIdle() ? [] : ["a request that is still worked on"]),
          ...(timers > 0 ? [`${timers} timers on the server's clock`] : []),
        ]
      }
      const giveUpAt = performance.now() + patience
      for (let turn = 0; ; turn++) {
        const leaks = look()
        if (leaks.length === 0 || performance.now() > giveUpAt) return leaks
        await new Promise((resolve) => (turn < 20 ? setImmediate(resolve) : setTimeout(resolve, 1)))
      }
    },
  }
}
