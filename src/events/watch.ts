/**
 * Watches connections on a wheel of seconds: heartbeats that are due, polls that have been held long enough, sockets
 * that owe too much for too long or acknowledge nothing. One timer for all of them.
 */
import type { ClockShape } from "../clock.ts"
import type { Limits } from "../config.ts"
import type { Connection, Queue } from "./queue.ts"

interface Watched {
  readonly queue: Queue
  readonly connection: Connection
  readonly since: number
  acknowledgedAt: number
  stalledAt: number | null
}

export interface Watch {
  readonly add: (queue: Queue, connection: Connection) => void
  readonly acknowledged: (queue: Queue) => void
  readonly stop: () => void
}

/** A stalled socket is looked at again after so many seconds. */
const stalledLook = 5

/** `beat` gets all queues whose heartbeat is due in one tick. */
export const makeWatch = (
  clock: ClockShape,
  limits: Limits,
  beat: (queues: ReadonlyArray<Queue>) => void,
  random: () => number = Math.random,
): Watch => {
  const wheel = new Map<number, Array<Watched>>()
  const watched = new WeakMap<Connection, Watched>()
  const second = () => Math.floor(clock.now() / 1000)
  let last = second()

  const schedule = (entry: Watched, seconds: number) => {
    const due = Math.max(last + 1, second() + seconds)
    const bucket = wheel.get(due)
    if (bucket === undefined) wheel.set(due, [entry])
    else bucket.push(entry)
  }

  const untilHeartbeat = () => {
    const { heartbeatMinSeconds: least, heartbeatMaxSeconds: most } = limits
    return least + Math.floor(random() * (most - least + 1))
  }

  /** What one connection needs now; true: a heartbeat. */
  const look = (entry: Watched, now: number): boolean => {
    const { queue, connection } = entry
    if (queue.connection !== connection) return false
    if (connection.kind === "poll") {
      if (now - entry.since >= limits.pollHoldSeconds * 1000) {
        queue.disconnect("waited")
        return false
      }
      schedule(entry, Math.max(1, limits.pollHoldSeconds - Math.floor((now - entry.since) / 1000)))
      return queue.state === "live"
    }
    if (now - entry.acknowledgedAt >= limits.socketUnackedSeconds * 1000) {
      queue.disconnect("no-ack")
      return false
    }
    entry.stalledAt = queue.isStalled ? (entry.stalledAt ?? now) : null
    if (entry.stalledAt !== null && now - entry.stalledAt >= limits.socketStalledSeconds * 1000) {
      queue.disconnect("slow")
      return false
    }
    schedule(entry, entry.stalledAt === null ? untilHeartbeat() : stalledLook)
    return queue.state === "live" && queue.isReady
  }

  const tick = () => {
    const now = clock.now()
    const due: Array<Queue> = []
    for (const end = second(); last < end; ) {
      last++
      const bucket = wheel.get(last)
      wheel.delete(last)
      for (const entry of bucket ?? []) if (look(entry, now)) due.push(entry.queue)
    }
    beat(due)
  }
  const timer = clock.every(1000, tick)

  return {
    add: (queue, connection) => {
      const now = clock.now()
      const entry: Watched = { queue, connection, since: now, acknowledgedAt: now, stalledAt: null }
      watched.set(connection, entry)
      schedule(entry, untilHeartbeat())
    },
    acknowledged: (queue) => {
      const entry = queue.connection === null ? undefined : watched.get(queue.connection)
      if (entry !== undefined) entry.acknowledgedAt = clock.now()
    },
    stop: () => timer.cancel(),
  }
}
