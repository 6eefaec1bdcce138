/** What a queue has to do with: a poll or a socket, and its realm. */
import type { Chain } from "../chain.ts"

/** Why the server ends a connection. Polls and sockets each translate it into what their client reads. */
export type EndReason =
  /** A newer connection took the queue. */
  | "replaced"
  /** The poll was held for its whole time, or the server is stopping: the client comes back. */
  | "waited"
  | "going-away"
  /** The client ended the queue itself. */
  | "deleted"
  /** The queue expired, or the log no longer holds the rows it lacks: the client registers again. */
  | "gone"
  /** The owner was deactivated, has a new API key, or the whole organization is deactivated. */
  | "unauthorized"
  | "key-changed"
  | "realm-deactivated"
  | "unavailable"
  | "slow"
  | "no-ack"
  | "bad-ack"

/** A poll or a socket that reads the queue. It must not call back into the queue from within these functions. */
export interface Connection {
  readonly kind: "poll" | "socket"
  /** Whether it waits for events. If not, a poll is answered as soon as the queue knows that there are none. */
  readonly waits: boolean
  /** `done`: a poll has been answered. `stalled`: sent, but the socket's buffer is full: nothing more yet. */
  readonly send: (events: Chain) => "open" | "stalled" | "done"
  readonly end: (reason: EndReason) => void
}

/** The functions and limits that a queue is given by its realm. */
export interface HostOf<Q> {
  /** The empty chain of events that every new pending list starts from. */
  readonly root: () => Chain
  readonly pendingEvents: number
  readonly pendingBytes: number
  /** Asks for the queue to be served at the end of this turn, because it has something to send or to read. */
  readonly wake: (queue: Q) => void
  /** Begins a reading for a queue that is behind. */
  readonly read: (queue: Q) => void
  readonly turnedLive: (queue: Q) => void
  readonly fellBehind: (queue: Q) => void
  /** The queue has sent all that it had: it may go on together with others that have sent the same. */
  readonly gather: (queue: Q) => void
}
