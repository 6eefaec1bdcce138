/** What a hub is made with, and the work that it does, one after the other (hub.ts). `since`: when it was put to the hub, in milliseconds. */

import type { Cohorts } from "./cohorts.ts"
import type { Encoder } from "./encode.ts"
import type { EventBody, LogRow, Membership, Receivers } from "./event.ts"
import type { Started } from "./given-ids.ts"
import type { Queue } from "./queue.ts"

export interface RowWork {
  readonly kind: "row"
  readonly since: number
  readonly row: LogRow
  readonly receivers: Receivers
}

export interface EphemeralWork {
  readonly kind: "ephemeral"
  readonly since: number
  readonly body: EventBody
  readonly receivers: Receivers
}

export interface HeartbeatWork {
  readonly kind: "heartbeat"
  readonly since: number
  readonly queues: ReadonlyArray<Queue>
}

export type Work = RowWork | EphemeralWork | HeartbeatWork

export interface HubOptions {
  readonly encoder: Encoder
  readonly people: Membership
  /** Absent: every queue is offered each event by itself. */
  readonly cohorts?: Cohorts
  /** Ephemerals are given only at positions above it. */
  readonly started: Started
  /** Asks for a no-op row: ephemerals need one before they can have ids. */
  readonly appendNoop: () => void
  /** Runs the rest in a later turn of the loop. */
  readonly defer: (task: () => void) => void
  /** Milliseconds, for the length of a slice. */
  readonly elapsed?: () => number
  readonly offersPerLook?: number
  /** Called with the error where offering to one queue threw. The other queues still get the event. */
  readonly onFault: (fault: unknown) => void
}
