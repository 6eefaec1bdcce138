/**
 * The event queues of one realm: created at register, found in memory or loaded from the database, attached to
 * connections, deleted when they have been idle too long. Idle time counts only while a server runs.
 */
import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import { type ApiError, badEventQueue, type OutcomeUnknown, Unavailable } from "../../api/errors.ts"
import { QueueId, type UserId, type WireId } from "../../ids.ts"
import type { JsonObject } from "../../json.ts"
import { positionOf } from "../event.ts"
import { readHead } from "../log.ts"
import { type EndReason, Queue, type QueueConnection } from "../queue.ts"
import { deleteQueue, insertQueue, loadQueues, type StoredQueue } from "../queue-store.ts"
import { type HeldQueue, HeldQueues } from "./held-queues.ts"
import { makeQueueLoader } from "./queue-loader.ts"
import { makeQueueMoves } from "./queue-moves.ts"
import { makeQueueProgress, type QueueProgress } from "./queue-progress.ts"
import type { QueuesOptions } from "./queues-options.ts"
import { UserLocks } from "./user-locks.ts"

export interface EventQueues extends QueueProgress {
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
   * Refuses a `last_event_id` above the newest row: a queue that took it would drop the rows below it. At that row any is
   * taken, because nobody knows which of its ids were given to ephemerals. The log's head is read from the database first,
   * where this process may lag behind.
   */
  readonly requireCursor: (queue: Queue, last: WireId) => Effect.Effect<void, ApiError | Unavailable>
  readonly attach: (queue: Queue, connection: QueueConnection, last: WireId) => void
  readonly detach: (queue: Queue, connection: QueueConnection) => void
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
  readonly connected: () => ReadonlyArray<Queue>
  /** How many those are. */
  readonly countConnected: () => number
  readonly size: () => number
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const makeQueues = (options: QueuesOptions): EventQueues => {
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

  /** `isTold`: nobody has to be told that this process has it. */
  const keep = (stored: StoredQueue, since: number, isTold: boolean): Queue => {
    const known = held.get(stored.id)
    if (known !== undefined) return known.queue
    const queue = new Queue(options.toSpec(stored), host, stored.acked)
    const isStored = stored.heldBy === moves.holders().holder
    held.add(queue, running(), stored.seen, { since: moves.above(since, stored.heldSince), isStored, isTold })
    return queue
  }

  const loads = makeQueueLoader({ load: (ids) => loadQueues(database, realm, ids, running()), defer: options.defer })

  const find = (user: UserId, id: string, since: number): Effect.Effect<Queue | null, Unavailable> => {
    const known = held.get(id)
    if (known !== undefined) return Effect.succeed(known.queue)
    // Ids of another form were never given out, and some of them the database could not even compare.
    if (!id.startsWith(`${options.epoch}-`) || !uuid.test(id.slice(options.epoch.length + 1)))
      return Effect.succeed(null)
    const before = endings
    // Whoever it does not belong to takes it from nobody. A stored description that cannot be decoded fails only the requests for its own queue.
    return Effect.map(loads.find(id), (stored) =>
      stored === null || stored.user !== user || hasEnded(stored.user, before) ? null : keep(stored, since, false),
    )
  }

  const isOpenTo = (user: UserId, queue: Queue | null | undefined): queue is Queue =>
    queue?.spec.user === user && queue.state !== "ended"

  const touch = (queue: Queue, since: number) => held.touch(queue.spec.id, running(), since)

  const forget = (id: string, reason: EndReason) => {
    const entry = held.get(id)
    held.delete(id)
    loads.end(id)
    entry?.queue.end(reason)
  }

  /** It stays in the database, and is loaded again when it is asked for. */
  const drop = ({ queue }: HeldQueue) => {
    held.delete(queue.spec.id)
    if (queue.state === "live") host.fellBehind(queue)
  }

  const letGo = (entry: HeldQueue, reason: EndReason) => {
    drop(entry)
    entry.queue.disconnect(reason)
  }

  const progress = makeQueueProgress({
    realm,
    database,
    held,
    running,
    idleMilliseconds: limits.queueIdleSeconds * 1000,
    holders: () => moves.holders(),
    forget: (id) => guard(() => forget(id, "gone")),
    letGo: (entry) => guard(() => letGo(entry, "replaced")),
    drop,
  })
  const moves = makeQueueMoves({ peers: options.peers, held, letGo, forget, defer: options.defer })

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
      Effect.sync(() => {
        forget(id, reason)
        moves.ended([id], reason)
      }),
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
    const { holder, living } = moves.holders()
    const since = moves.arrival() ?? 0
    const stored = {
      id,
      user,
      description,
      acked: last,
      idleMilliseconds,
      seen: running(),
      heldBy: holder,
      heldSince: since,
    }
    const before = endings
    const known = held
      .ofUser(user)
      .map(({ queue, used }) => ({ id: queue.spec.id, used, connected: queue.connection !== null }))
    const ended = yield* insertQueue(database, realm, stored, { most: limits.queuesPerUser, known, living })
    for (const each of ended) guard(() => forget(each.id, "gone"))
    moves.ended(
      ended.map((each) => each.id),
      "gone",
    )
    if (ended.some(({ surplus }) => surplus)) options.onSurplus(user)
    const queue = keep(stored, since, true)
    if (hasEnded(user, before)) yield* remove(queue, "gone")
    else options.reader.begin(queue)
    return queue
  })

  return {
    create: (user, ...wanted) => locks.run(user, create(user, ...wanted)),
    require: Effect.fnUntraced(function* (user, id) {
      const since = moves.arrival()
      if (since === null) return yield* new Unavailable({ reason: "this process was stopped for a while" })
      const queue = yield* find(user, id, since)
      if (!isOpenTo(user, queue)) return yield* badEventQueue(id)
      // Marked as used now, so that no sweep drops it before its connection is attached.
      touch(queue, since)
      return queue
    }),
    known: (user, id, last) => {
      const queue = held.get(id)?.queue
      const since = moves.arrival()
      if (!isOpenTo(user, queue) || last > feed.newestId || since === null) return undefined
      held.touch(id, running(), since)
      return queue
    },
    requireCursor: Effect.fnUntraced(function* (queue, last) {
      if (last <= feed.newestId) return
      // The feed may move on while the database is asked, and then be above a head that was right when it was read.
      const known = feed.position
      const head = yield* readHead(database, realm)
      if (head < known) options.onLostLog()
      if (positionOf(last) <= head) yield* feed.catchUp(head)
      if (last > feed.newestId) return yield* badEventQueue(queue.spec.id)
    }),
    attach: (queue, connection, last) => {
      // Another process has taken it up since it was found here: whoever is connected comes again.
      if (held.get(queue.spec.id)?.queue !== queue && queue.state !== "ended") return connection.end("going-away")
      touch(queue, 0)
      // Elsewhere its client was given ids that this process has not given yet.
      if (options.peers.own !== null) options.hub.raise(last)
      moves.attached(queue.spec.id)
      queue.attach(connection, last)
      watch.add(queue)
    },
    detach: (queue, connection) => {
      if (queue.connection === connection) touch(queue, 0)
      queue.detach(connection)
    },
    acknowledge: (queue, id) => {
      watch.acknowledged(queue)
      return queue.acknowledge(id, feed.newestId)
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
    ...progress,
    size: () => held.size,
  }
}
