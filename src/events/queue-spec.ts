/**
 * The part of a queue that is fixed at register and stored with it: its owner, which events its client wants and in
 * which form, where it begins, and which rows the register's state contained already. The parameters of register, and
 * how they are stored, are known to chat alone (chat/server/sync/queue-description.ts).
 *
 * Apart from queue.ts, because the hub and the reader decide by it for thousands of queues at once, without a queue's
 * states and connections.
 */
import type { QueueId, UserId, WireId } from "../ids.ts"
import type { ClientRendering, RowFilter } from "./encode.ts"
import type { LogRow } from "./event.ts"

/** Options of a client, given at register: one object for all queues that asked for the same, which is nearly all. */
export interface QueueClientOptions {
  readonly rendering: ClientRendering
  /** Receives messages of public channels that its owner is not subscribed to. */
  readonly openToPublic: boolean
  /** Whether the client wants this event at all, its audience aside. */
  readonly wants: (type: string) => boolean
  /** Number of terms of the narrow: the most comparisons that `passes` takes. */
  readonly terms: number
  /** Whether a receiver's copy of a stored row passes. It depends on the user only for those who are `apart`. */
  readonly passes: RowFilter
}

/** Rows of these types, after one position up to another, that the register's state contains already (I13). */
export interface ContainedRows {
  readonly after: number
  readonly through: number
  readonly types: ReadonlySet<string>
}

/** A queue as it was registered. */
export interface QueueSpec {
  readonly id: QueueId
  readonly user: UserId
  readonly clientOptions: QueueClientOptions
  /** Nothing at or below it is ever delivered: the last id of the row that the register's state ended with. */
  readonly start: WireId
  readonly contained: ContainedRows | null
  readonly idleMilliseconds: number
}

/** Whether the register's state contained the row already. */
export const isContained = (contained: ContainedRows | null, row: LogRow): boolean =>
  contained !== null &&
  row.position > contained.after &&
  row.position <= contained.through &&
  contained.types.has(row.type)
