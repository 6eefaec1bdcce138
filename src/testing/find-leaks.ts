/**
 * What a stopped server has left: timers on its clock, connections and requests that it still counts, live queues that it
 * does not hold any more, its port. Looked for in the server itself, not in the process, which others run in, too.
 */
import { connect } from "node:net"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { App } from "../app.ts"
import { Realms } from "../chat/ground/realm/realms.ts"
import type { ManualClock } from "./test-clock.ts"

/** Milliseconds to wait: sockets close some turns of the loop later, a database answers a moment later. */
const patienceMilliseconds = 2_000

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

/** Looks again until nothing is left, for two seconds at most. */
export const waitUntilNone = async (
  look: () => ReadonlyArray<string>,
  patience = patienceMilliseconds,
): Promise<ReadonlyArray<string>> => {
  const giveUpAt = performance.now() + patience
  for (let turn = 0; ; turn++) {
    const leaks = look()
    if (leaks.length === 0 || performance.now() > giveUpAt) return leaks
    await new Promise((resolve) => (turn < 20 ? setImmediate(resolve) : setTimeout(resolve, 1)))
  }
}

/** For a server that has stopped: answers a function that tells what it has left. */
export const leaksOf = (app: App, clock: ManualClock, timersBefore = 0): (() => ReadonlyArray<string>) => {
  const isIdle = watchRequests(app)
  return () => {
    // The timer that ends the draining is not counted as a leak of the server.
    const timers = clock.pending() - timersBefore - (isIdle() ? 0 : 1)
    return [
      ...countedBy(app),
      ...(isIdle() ? [] : ["a request that is still worked on"]),
      ...(timers > 0 ? [`${timers} timers on the server's clock`] : []),
    ]
  }
}

/** Whether anybody takes connections at a port of this machine. */
export const isListenedTo = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    const end = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once("connect", () => end(true)).once("error", () => end(false))
  })
