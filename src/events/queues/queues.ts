/**
 * The event queues of one realm: created at register, found in memory or loaded from the database, attached to
 * connections, deleted when they have been idle too long. Idle time counts only while a server runs.
 */
import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import { type ApiError, badEventQueue, type OutcomeUnknown, type Unavailable } from "../../api/errors.ts"
import type { ClockShape } from "../../clock.ts"
import type { Limits } from "../../config/config.ts"
import type { DatabaseShape } from "../../db/database.ts"
import { QueueId, type RealmId, type UserId, WireId } from "../../ids.ts"
import type { JsonObject } from "../../json.ts"
import { positionOf } from "../event.ts"
import type { Feed } from "../feed.ts"
import type { Hub } from "../hub.ts"
import { readHead } from "../log.ts"
import type { Reader } from "../past/reader.ts"
import { type Connection, type EndReason, Queue, type QueueHost } from "../queue.ts"
import type { QueueSpec } from "../queue-spec.ts"
import { deleteExpired, deleteQueue, insertQueue, loadQueues, type StoredQueue, saveMarks } from "../queue-store.ts"
import type { Watch } from "../watch.ts"
import { HeldQueues } from "./held-queues.ts"
import { makeQueueLoads } from "./queue-loads.ts"
import { UserLocks } from "./user-locks.ts"

export interface QueuesOptions {
  readonly realm: RealmId
  readonly epoch: string
  readonly database: DatabaseShape
  readonly clock: ClockShape
  readonly limits: Limits
  readonly feed: Feed
  readonly hub: Pick<Hub, "newestId">
  readonly host: QueueHost
  readonly reader: Pick<Reader, "begin" | "finish">
  readonly watch: Watch
  /** Milliseconds that servers have run on this database. */
  readonly running: () => number
  readonly toSpec: (stored: StoredQueue) => QueueSpec
  /** The log has fewer rows than this process has seen: its database was put back to an earlier state. */
  readonly onLostLog: () => void
  /** A queue of this user has ended because they made too many. */
  readonly onSurplus: (user: UserId) => void
  readonly defer: (task: () => void) => void
  /** Called with the error where sending to one connection or ending it threw. The other queues go on. */
  readonly onFault: (fault: unknown) => void
}

export interface Queues {
  /**
   * Stores and answers a new queue. Its cursor is `last`, the last event id that the register's state contains. If the
   * user has as many as they may, their oldest idle one ends.
   */
  readonly create: (
    user: UserId,
    description: JsonObject,
    idleMilliseconds: number,
    last: WireId,
  ) => Effect.Effect<Queue, Unavailable | OutcomeUnknown>
  /** The user's own queue. Unknown, expired and other users' queues are refused with the same error. */
  readonly require: (user: UserId, id: string) => Effect.Effect<Queue, ApiError | Unavailable>
  /** The same without waiting, if the queue is in memory and this process knows that `last` may have been given. */
  readonly known: (user: UserId, id: string, last: WireId) => Queue | undefined
  /**
   * Refuses a `last_event_id` above the newest id that was given: a queue that took it would drop what gets ids below it
   * from then on. The log's head is read from the database first, where this process may lag behind.
   */
  readonly requireCursor: (queue: Queue, last: WireId) => Effect.Effect<void, ApiError | Unavailable>
  readonly attach: (queue: Queue, connection: Connection, last: WireId) => void
  readonly detach: (queue: Queue, connection: Connection) => void
  /** Takes a socket's acknowledgement. False: no event has had this id. */
  readonly acknowledge: (queue: Queue, id: WireId) => boolean
  /** Deletes a queue. On `Unavailable` it certainly still exists. */
  readonly remove: (queue: Queue, reason: EndReason) => Effect.Effect<void, Unavailable | OutcomeUnknown>
  readonly disconnectUser: (user: UserId, reason: EndReason) => void
  /**
   * Ends all queues of these users, in the turn of the row whose commit has deleted them: each connection is first sent
   * what its queue was owed up to that row.
   */
  readonly endUsers: (users: ReadonlyArray<UserId>) => void
  /** Rows at these positions have changed: what queues have not sent of them is read again. */
  readonly reread: (positions: ReadonlyArray<number>) => void
  readonly disconnectAll: (reason: EndReason) => void
  readonly connected: () => ReadonlyArray<Queue>
  /** How many those are. */
  readonly countConnected: () => number
  /** Stores the acknowledged ids and the last use of all queues that have changed. */
  readonly save: () => Effect.Effect<void, Unavailable>
  /** Deletes queues that have expired, and drops from memory those unused for long, which are loaded when needed. */
  readonly sweep: () => Effect.Effect<void, Unavailable>
  readonly size: () => number
}

/** How old the stored `seen` of a connected queue may be. Storing thousands of them at each save would be costly. */
const seenSlackMilliseconds = 60_000

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const makeQueues = (options: QueuesOptions): Queues => {
  const { realm, database, feed, host, watch, running, limits } = options
  const held = new HeldQueues()
  const locks = new UserLocks()
  /**
   * Number of times that queues of users were ended, and for each user the number at their last one. A queue whose
   * statement was under way meanwhile has ended too.
   */
  let endings = 0
  const endedAt = new Map<UserId, number>()
  const hasEnded = (user: UserId, since: number): boolean => (endedAt.get(user) ?? 0) > since

  const keep = (stored: StoredQueue, now: number): Queue => {
    const known = held.get(stored.id)
    if (known !== undefined) return known.queue
    const queue = new Queue(options.toSpec(stored), host, stored.acked)
    held.add(queue, now, stored.seen)
    return queue
  }

  const loads = makeQueueLoads({ load: (ids) => loadQueues(database, realm, ids, running()), defer: options.defer })

  const find = (id: string): Effect.Effect<Queue | null, Unavailable> => {
    const known = held.get(id)
    if (known !== undefined) return Effect.succeed(known.queue)
    // Ids of another form were never given out, and some of them the database could not even compare.
    if (!id.startsWith(`${options.epoch}-`) || !uuid.test(id.slice(options.epoch.length + 1)))
      return Effect.succeed(null)
    const before = endings
    // A stored description that cannot be decoded fails only the requests for its own queue.
    return Effect.map(loads.find(id), (stored) =>
      stored === null || hasEnded(stored.user, before) ? null : keep(stored, running()),
    )
  }

  /**
   * The highest id that may have been given: of the newest row, or of an ephemeral after it. The hub may lag behind the
   * feed, and readers do not wait for it. One process at a time serves a realm; if several did, each would have to
   * accept the others' ephemerals at the newest row, as it does for earlier processes.
   */
  const newestId = (): WireId => WireId(Math.max(options.hub.newestId, feed.newestId))

  const isOpenTo = (user: UserId, queue: Queue | null | undefined): queue is Queue =>
    queue?.spec.user === user && queue.state !== "ended"

  const touch = (queue: Queue) => held.touch(queue.spec.id, running())

  const save = Effect.fnUntraced(function* () {
    const changed = held.marks(running(), seenSlackMilliseconds)
    for (let from = 0; from < changed.length; from += 1000) {
      const part = changed.slice(from, from + 1000)
      yield* saveMarks(database, realm, part)
      held.saved(part)
    }
  })

  const forget = (id: string, reason: EndReason) => {
    const entry = held.get(id)
    held.delete(id)
    loads.end(id)
    entry?.queue.end(reason)
  }

  /** The feed calls this: an error that left here would count as a row that cannot be applied, and end the server. */
  const guard = (task: () => void) => {
    try {
      task()
    } catch (fault) {
      options.onFault(fault)
    }
  }

  const remove = (queue: Queue, reason: EndReason): Effect.Effect<void, Unavailable | OutcomeUnknown> => {
    const { id } = queue.spec
    const deletion = Effect.catchTag(deleteQueue(database, options.clock, realm, id), "OutcomeUnknown", (unknown) => {
      // The next request for it looks in the database whether it still exists.
      forget(id, "unavailable")
      return Effect.fail(unknown)
    })
    return Effect.andThen(
      deletion,
      Effect.sync(() => forget(id, reason)),
    )
  }

  /** Only one of a user's queues is made at a time, so that each counts those made before. */
  const create = Effect.fnUntraced(function* (
    user: UserId,
    description: JsonObject,
    idleMilliseconds: number,
    last: WireId,
  ) {
    const id = QueueId(`${options.epoch}-${randomUUID()}`)
    const stored = { id, user, description, acked: last, idleMilliseconds, seen: running() }
    const before = endings
    const known = held
      .ofUser(user)
      .map(({ queue, used }) => ({ id: queue.spec.id, used, connected: queue.connection !== null }))
    const ended = yield* insertQueue(database, realm, stored, { most: limits.queuesPerUser, known })
    for (const each of ended) guard(() => forget(each.id, "gone"))
    if (ended.some(({ surplus }) => surplus)) options.onSurplus(user)
    const queue = keep(stored, stored.seen)
    if (hasEnded(user, before)) yield* remove(queue, "gone")
    else options.reader.begin(queue)
    return queue
  })

  return {
    create: (user, ...wanted) => locks.run(user, create(user, ...wanted)),
    require: Effect.fnUntraced(function* (user, id) {
      const queue = yield* find(id)
      if (!isOpenTo(user, queue)) return yield* badEventQueue(id)
      // Marked as used now, so that no sweep drops it before its connection is attached.
      touch(queue)
      return queue
    }),
    known: (user, id, last) => {
      const queue = held.get(id)?.queue
      return isOpenTo(user, queue) && last <= newestId() ? queue : undefined
    },
    requireCursor: Effect.fnUntraced(function* (queue, last) {
      if (last <= newestId()) return
      const head = yield* readHead(database, realm)
      if (head < feed.position) options.onLostLog()
      if (positionOf(last) <= head) yield* feed.catchUp(head)
      if (last > newestId()) return yield* badEventQueue(queue.spec.id)
    }),
    attach: (queue, connection, last) => {
      touch(queue)
      queue.attach(connection, last)
      watch.add(queue)
    },
    detach: (queue, connection) => {
      if (queue.connection === connection) touch(queue)
      queue.detach(connection)
    },
    acknowledge: (queue, id) => {
      watch.acknowledged(queue)
      return queue.acknowledge(id, newestId())
    },
    remove,
    disconnectUser: (user, reason) => {
      for (const { queue } of held.ofUser(user)) guard(() => queue.disconnect(reason))
    },
    endUsers: (users) => {
      const ended = [...new Set(users)]
      endings += 1
      for (const user of ended) endedAt.set(user, endings)
      for (const { queue } of ended.flatMap((user) => held.ofUser(user))) {
        guard(() => {
          if (!queue.isReady) return
          options.reader.finish(queue)
          queue.flush()
        })
        guard(() => forget(queue.spec.id, "gone"))
      }
    },
    disconnectAll: (reason) => {
      for (const { queue } of held.values()) queue.disconnect(reason)
    },
    reread: (positions) => {
      const changed = new Set(positions)
      for (const { queue } of held.values()) queue.reread(changed)
    },
    connected: () => [...held.values()].map(({ queue }) => queue).filter((queue) => queue.connection !== null),
    countConnected: () => {
      let count = 0
      for (const { queue } of held.values()) if (queue.connection !== null) count += 1
      return count
    },
    save,
    sweep: Effect.fnUntraced(function* () {
      const began = running()
      yield* save()
      const busy = [...held.values()].filter(({ queue, seen }) => queue.connection !== null || seen > began)
      const gone = yield* deleteExpired(
        database,
        realm,
        began - seenSlackMilliseconds,
        busy.map(({ queue }) => queue.spec.id),
      )
      for (const id of gone) forget(id, "gone")
      for (const { queue, seen } of held.values()) {
        if (queue.connection === null && seen + limits.queueIdleSeconds * 1000 < began) {
          // It stays in the database and is loaded again when it is asked for.
          held.delete(queue.spec.id)
          if (queue.state === "live") host.fellBehind(queue)
        }
      }
    }),
    size: () => held.size,
  }
}
