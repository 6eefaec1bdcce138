/** How far the queues in memory have come, stored now and then, and the end of those that nobody has used for long. Used by queues.ts. */
import * as Effect from "effect/Effect"
import type { Unavailable } from "../../api/errors.ts"
import type { DatabaseShape } from "../../db/database.ts"
import type { RealmId } from "../../ids.ts"
import { deleteExpired, type QueueHolders, saveMarks } from "../queue-store.ts"
import type { HeldQueue, HeldQueues } from "./held-queues.ts"

export interface QueueProgressOptions {
  readonly realm: RealmId
  readonly database: DatabaseShape
  readonly held: HeldQueues
  /** Milliseconds that servers have run on this database. */
  readonly running: () => number
  /** After how long without use a queue leaves the memory. */
  readonly idleMilliseconds: number
  readonly holders: () => QueueHolders
  /** The queue is gone for good. */
  readonly forget: (id: string) => void
  /** Another process has it. */
  readonly letGo: (entry: HeldQueue) => void
  /** It leaves the memory; it is loaded again when it is asked for. */
  readonly drop: (entry: HeldQueue) => void
}

export interface QueueProgress {
  /** Stores the acknowledged ids and the last use of all queues that have changed. */
  readonly save: () => Effect.Effect<void, Unavailable>
  /** Deletes queues that have expired, and drops from memory those unused for long, which are loaded when needed. */
  readonly sweep: () => Effect.Effect<void, Unavailable>
}

/** How old the stored `seen` of a connected queue may be. Storing thousands of them at each save would be costly. */
const seenSlackMilliseconds = 60_000
const marksAtOnce = 1000

export const makeQueueProgress = (options: QueueProgressOptions): QueueProgress => {
  const { realm, database, held, running, holders } = options

  const save = Effect.fnUntraced(function* () {
    const changed = held.marks(running(), seenSlackMilliseconds)
    for (let from = 0; from < changed.length; from += marksAtOnce) {
      const part = changed.slice(from, from + marksAtOnce)
      const lost = yield* saveMarks(database, realm, part, holders().holder)
      const known = new Map(part.map(({ id, since }) => [String(id), since]))
      const lostIds = new Set(lost.map(({ id }) => id))
      held.saved(part.filter(({ id }) => !lostIds.has(id)))
      for (const { id, exists } of lost) {
        const entry = held.get(id)
        if (!exists) options.forget(id)
        // A request that came here meanwhile is newer than what was stored.
        else if (entry !== undefined && entry.since === known.get(id)) options.letGo(entry)
      }
    }
  })

  const sweep = Effect.fnUntraced(function* () {
    const began = running()
    yield* save()
    const busy = [...held.values()].filter(({ queue, seen }) => queue.connection !== null || seen > began)
    const ids = busy.map(({ queue }) => queue.spec.id)
    const gone = yield* deleteExpired(database, realm, began - seenSlackMilliseconds, ids, holders().living)
    for (const id of gone) options.forget(id)
    for (const entry of held.values())
      if (entry.queue.connection === null && entry.seen + options.idleMilliseconds < began) options.drop(entry)
  })

  return { save, sweep }
}
