/**
 * Finds connections for which something is due: heartbeats, polls that have been held long enough, sockets that do not
 * drain or acknowledge nothing for too long. A timer wheel of seconds: one timer for all, one entry per queue.
 */
import type { ClockShape } from "../clock.ts"
import type { Limits } from "../config/config.ts"
import type { Queue, QueueConnection } from "./queue.ts"

interface WatchedConnection {
  readonly queue: Queue
  /** The second of the wheel at which it is looked at next. */
  due: number
  /** When the present connection came, last acknowledged and was first found stalled, by the clock's `elapsed`. */
  since: number
  acknowledgedAt: number
  stalledAt: number | null
}

export interface ConnectionWatch {
  /** Watches the queue's new connection instead of the one before. */
  readonly add: (queue: Queue) => void
  readonly acknowledged: (queue: Queue) => void
  readonly stop: () => void
}

/** Seconds after which a stalled socket is looked at again. */
const stalledLook = 5

/** `beat` is called with all queues whose heartbeat is due in one tick. */
export const makeWatch = (
  clock: ClockShape,
  limits: Limits,
  beat: (queues: ReadonlyArray<Queue>) => void,
  random: () => number = Math.random,
): ConnectionWatch => {
  const wheel = new Map<number, Set<WatchedConnection>>()
  const watched = new Map<Queue, WatchedConnection>()
  const second = () => Math.floor(clock.elapsed() / 1000)
  let last = second()

  const schedule = (entry: WatchedConnection, seconds: number) => {
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

  const lookAtPoll = (entry: WatchedConnection, now: number): boolean => {
    const { queue, since } = entry
    const held = Math.floor((now - since) / 1000)
    if (held >= limits.pollHoldSeconds) {
      queue.disconnect("waited")
      return false
    }
    schedule(entry, limits.pollHoldSeconds - held)
    return queue.state === "live"
  }

  const lookAtSocket = (entry: WatchedConnection, now: number): boolean => {
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

  /** Ends a connection that has used up its time, else schedules the next look. True: its heartbeat is due. */
  const look = (entry: WatchedConnection, now: number): boolean => {
    const connection: QueueConnection | null = entry.queue.connection
    watched.delete(entry.queue)
    if (connection === null) return false
    const age = (now - entry.since) / 1000
    // The entry was scheduled for an older connection. Seconds of the wheel are whole, hence the 1.
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
      // The entry keeps its place on the wheel: polls come for each event, too often to move it.
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
