/** What the queues of one realm are made with (queues.ts). */
import type { ClockShape } from "../../clock.ts"
import type { Limits } from "../../config/config.ts"
import type { DatabaseShape } from "../../db/database.ts"
import type { RealmId, UserId } from "../../ids.ts"
import type { ConnectionWatch } from "../connection-watch.ts"
import type { RealmFeed } from "../feed.ts"
import type { DeliveryHub } from "../hub.ts"
import type { PastReader } from "../past/past-reader.ts"
import type { Peers } from "../peers/peers.ts"
import type { QueueHost } from "../queue.ts"
import type { QueueSpec } from "../queue-spec.ts"
import type { StoredQueue } from "../queue-store.ts"

export interface QueuesOptions {
  readonly realm: RealmId
  readonly epoch: string
  readonly database: DatabaseShape
  readonly clock: ClockShape
  readonly limits: Limits
  readonly feed: RealmFeed
  readonly hub: Pick<DeliveryHub, "raise">
  readonly host: QueueHost
  readonly peers: Pick<Peers, "own" | "tell" | "hear">
  readonly reader: Pick<PastReader, "begin" | "finish">
  readonly watch: ConnectionWatch
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
