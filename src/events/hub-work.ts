/** Work that the hub does, one after the other, in slices (hub.ts). `since`: when it was put to the hub, in milliseconds. */
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

export type HubWork = RowWork | EphemeralWork | HeartbeatWork

/**
 * Milliseconds that a slice may take. It takes 2-3 ms to offer a row to 10,000 queues, longer before the code is
 * compiled. A flush runs between two slices, so shorter slices would make new rows wait for it: with 2,000 offers per
 * slice 16 rows for 10,000 queues took half a second.
 */
const sliceMilliseconds = 2
/**
 * Milliseconds that what is offered has waited when slices get longer, and their length then. A row for 2,000 queues
 * with a hundred terms each takes 40 ms, and turns of 15 ms where many requests come: everything behind it would be a
 * third of a second late.
 */
const lateMilliseconds = 50
const lateSliceMilliseconds = 6
/** When a slice ends that begins now, whose work has waited since then. */
export const sliceEnd = (now: number, since: number): number =>
  now + (now - since > lateMilliseconds ? lateSliceMilliseconds : sliceMilliseconds)
