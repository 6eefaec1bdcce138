/** The event queues of a realm that this process has in memory, by id and by owner. Kept by queues.ts. */
import type { UserId } from "../../ids.ts"
import type { Queue } from "../queue.ts"
import type { QueueMark } from "../queue-store.ts"

export interface Held {
  readonly queue: Queue
  /** The last use: for a connected queue that is now, and is brought up to date when the marks are taken. */
  seen: number
  /** When a connection, or a request, last came or went. */
  used: number
  /** The marks that the database knows: the last use, and the last event that was acknowledged. */
  savedSeen: number
  savedAck: number
}

const none: ReadonlySet<Held> = new Set()

export class HeldQueues {
  readonly #byId = new Map<string, Held>()
  readonly #byUser = new Map<UserId, Set<Held>>()

  get size(): number {
    return this.#byId.size
  }

  get(id: string): Held | undefined {
    return this.#byId.get(id)
  }

  values(): IterableIterator<Held> {
    return this.#byId.values()
  }

  /** A copy: the user's queues as they are now. */
  ofUser(user: UserId): ReadonlyArray<Held> {
    return [...(this.#byUser.get(user) ?? none)]
  }

  /** `stored`: its last use that the database knows. */
  add(queue: Queue, now: number, stored: number): void {
    const { id, user } = queue.spec
    const entry: Held = { queue, seen: now, used: now, savedSeen: stored, savedAck: queue.acked }
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

  touch(id: string, now: number): void {
    const entry = this.#byId.get(id)
    if (entry === undefined) return
    entry.seen = now
    entry.used = now
  }

  /** The progress that the database does not know yet. `slack`: how old the stored use of a connected queue may be. */
  marks(now: number, slack: number): ReadonlyArray<QueueMark> {
    const changed: Array<QueueMark> = []
    for (const entry of this.values()) {
      const { queue } = entry
      if (queue.connection !== null) entry.seen = now
      const isFresh = entry.seen - entry.savedSeen < (queue.connection === null ? 1 : slack)
      if (isFresh && queue.acked === entry.savedAck) continue
      changed.push({ id: queue.spec.id, acked: queue.acked, seen: entry.seen })
    }
    return changed
  }

  /** These marks have been stored. */
  saved(marks: ReadonlyArray<QueueMark>): void {
    for (const { id, seen, acked } of marks) {
      const entry = this.#byId.get(id)
      if (entry === undefined) continue
      entry.savedSeen = seen
      entry.savedAck = acked
    }
  }
}
