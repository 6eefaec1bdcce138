/** Work that the hub does, one after the other (hub.ts). `since`: when it was put to the hub, in milliseconds. */
import type { EventBody, LogRow, Receivers } from "./event.ts"
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
