/** The event queues of a realm that this process has in memory, by id and by owner. Kept by queues.ts. */
import type { UserId } from "../../ids.ts"
import type { Queue } from "../queue.ts"
import type { QueueMark } from "../queue-store.ts"

export interface HeldQueue {
  readonly queue: Queue
  /** The last use: for a connected queue that is now, and is brought up to date when the marks are taken. */
  seen: number
  /** When a connection, or a request, last came or went. */
  used: number
  /** When the last request for it came, by the database's clock (queue-moves.ts). */
  since: number
  /** Whether the database knows that this process has it. */
  isStored: boolean
  /** Whether the other processes were told. */
  isTold: boolean
  /** The marks that the database knows: the last use, and the last event that was acknowledged. */
  savedSeen: number
  savedAck: number
  /** Whether the database knows it as connected, which matters to other processes only. */
  savedConnected: boolean
}

const noQueues: ReadonlySet<HeldQueue> = new Set()

export class HeldQueues {
  readonly #byId = new Map<string, HeldQueue>()
  readonly #byUser = new Map<UserId, Set<HeldQueue>>()

  get size(): number {
    return this.#byId.size
  }

  get(id: string): HeldQueue | undefined {
    return this.#byId.get(id)
  }

  values(): IterableIterator<HeldQueue> {
    return this.#byId.values()
  }

  /** A copy: the user's queues as they are now. */
  ofUser(user: UserId): ReadonlyArray<HeldQueue> {
    return [...(this.#byUser.get(user) ?? noQueues)]
  }

  /** `stored`: its last use that the database knows. `isStored`: whether that knows that this process has it. */
  add(queue: Queue, now: number, stored: number, hold: Pick<HeldQueue, "since" | "isStored" | "isTold">): void {
    const { id, user } = queue.spec
    const progress = { seen: now, used: now, savedSeen: stored, savedAck: queue.acked, savedConnected: false }
    const entry: HeldQueue = { queue, ...progress, ...hold }
    this.#byId.set(id, entry)
    const others = this.#byUser.get(user)
    if (others === undefined) this.#byUser.set(user, new Set([entry]))
    else others.add(entry)
  }

  delete(id: string): void {
    const entry = this.#byId.get(id)
    if (entry === undefined) return
    const { user } = entry.queue.spec
    const others = this.#byUser.get(user)
    this.#byId.delete(id)
    others?.delete(entry)
    if (others?.size === 0) this.#byUser.delete(user)
  }

  /** `since`: of the request that uses it. */
  touch(id: string, now: number, since: number): void {
    const entry = this.#byId.get(id)
    if (entry === undefined) return
    entry.seen = now
    entry.used = now
    entry.since = Math.max(entry.since, since)
  }

  /** The progress that the database does not know yet. `slack`: how old the stored use of a connected queue may be. */
  marks(now: number, slack: number): ReadonlyArray<QueueMark> {
    const changed: Array<QueueMark> = []
    for (const entry of this.values()) {
      const { queue } = entry
      if (queue.connection !== null) entry.seen = now
      const isFresh = entry.seen - entry.savedSeen < (queue.connection === null ? 1 : slack)
      const isKnown = entry.since === 0 || (queue.connection !== null) === entry.savedConnected
      if (isFresh && queue.acked === entry.savedAck && entry.isStored && isKnown) continue
      const { since } = entry
      changed.push({
        id: queue.spec.id,
        acked: queue.acked,
        seen: entry.seen,
        since,
        connected: queue.connection !== null,
      })
    }
    return changed
  }

  /** These marks have been stored. */
  saved(marks: ReadonlyArray<QueueMark>): void {
    for (const { id, seen, acked, connected } of marks) {
      const entry = this.#byId.get(id)
      if (entry === undefined) continue
      entry.savedSeen = seen
      entry.savedAck = acked
      entry.savedConnected = connected
      entry.isStored = true
    }
  }
}
