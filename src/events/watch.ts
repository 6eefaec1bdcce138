/**
 * Watches connections on a wheel of seconds: heartbeats that are due, polls that have been held long enough, sockets
 * that owe too much for too long or acknowledge nothing. One timer for all of them, one entry per queue.
 */
import type { ClockShape } from "../clock.ts"
import type { Limits } from "../config.ts"
import type { Connection, Queue } from "./queue.ts"

interface Watched {
  readonly queue: Queue
  /** The second in whose bucket it stands. */
  due: number
  /** When its present connection came, last acknowledged, was first found stalled; of the clock's `elapsed`. */
  since: number
  acknowledgedAt: number
  stalledAt: number | null
}

export interface Watch {
  /** Watches the queue's new connection, and no longer the one before. */
  readonly add: (queue: Queue) => void
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
  const wheel = new Map<number, Set<Watched>>()
  const watched = new Map<Queue, Watched>()
  const second = () => Math.floor(clock.elapsed() / 1000)
  let last = second()

  const schedule = (entry: Watched, seconds: number) => {
    entry.due = Math.max(last + 1, second() + seconds)
    const bucket = wheel.get(entry.due)
    if (bucket === undefined) wheel.set(entry.due, new Set([entry]))
    else bucket.add(entry)
    watched.set(entry.queue, entry)
  }

  const untilHeartbeat = () => {
    const { heartbeatMinSeconds: least, heartbeatMaxSeconds: most } = limits
    return least + Math.floor(random() * (most - least + 1))
  }

  const lookAtPoll = (entry: Watched, now: number): boolean => {
    const { queue, since } = entry
    const held = Math.floor((now - since) / 1000)
    if (held >= limits.pollHoldSeconds) {
      queue.disconnect("waited")
      return false
    }
    schedule(entry, limits.pollHoldSeconds - held)
    return queue.state === "live"
  }

  const lookAtSocket = (entry: Watched, now: number): boolean => {
    const { queue } = entry
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

  /** What a queue's connection needs now; true: a heartbeat. */
  const look = (entry: Watched, now: number): boolean => {
    const connection: Connection | null = entry.queue.connection
    watched.delete(entry.queue)
    if (connection === null) return false
    const age = (now - entry.since) / 1000
    // Places on the wheel are whole seconds. By more than one the connection is younger than its place.
    if (age < limits.heartbeatMinSeconds - 1) {
      schedule(entry, untilHeartbeat() - Math.floor(age))
      return false
    }
    return connection.kind === "poll" ? lookAtPoll(entry, now) : lookAtSocket(entry, now)
  }

  const tick = () => {
    const now = clock.elapsed()
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
    add: (queue) => {
      const now = clock.elapsed()
      const known = watched.get(queue)
      if (known === undefined) {
        schedule({ queue, due: 0, since: now, acknowledgedAt: now, stalledAt: null }, untilHeartbeat())
        return
      }
      // It stays where it is on the wheel: a poll comes for each event, too often to move it.
      known.since = now
      known.acknowledgedAt = now
      known.stalledAt = null
    },
    acknowledged: (queue) => {
      const entry = watched.get(queue)
      if (entry !== undefined) entry.acknowledgedAt = clock.elapsed()
    },
    stop: () => timer.cancel(),
  }
}
