/**
 * What a queue has to do with: a poll or a socket, its realm, and others that it is served together with. How a queue and the cohort that it stands in (cohort.ts) see each other, so that neither file needs the other; and what the
 * flusher sees of both.
 */
import type { WireId } from "../ids.ts"
import type { Chain } from "./chain.ts"
import type { ClientOptions } from "./queue-spec.ts"

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

/** Something that has events to send at the end of a turn: a queue, or a cohort of them. */
export interface Served {
  /** Kept by the flusher: it is in its list of those to be served. */
  isAwake: boolean
  readonly pendingCount: number
  /** False while a service that was begun goes on in another call. */
  readonly isDone: boolean
  /** Sends to at most so many connections. Answers how many it has looked at, at least 1. */
  readonly serve: (most: number) => number
  /** After a bug while it was served. */
  readonly fail: () => void
}

/** Where a queue stands that has its place among others: what it has sent and is to send is written there. */
export interface Group {
  readonly examined: WireId
  readonly sentTo: (place: number) => WireId
  readonly pendingTo: (place: number) => number
  /** Gives the queue back what is its own, by `leave`. */
  readonly remove: (place: number) => void
}

/** A queue as its cohort sees it. */
export interface Member {
  readonly clientOptions: ClientOptions
  readonly connection: Connection | null
  readonly sent: WireId
  readonly examined: WireId
  /** It stands alone, has a socket that is ready, and nothing to send, to read or to end. */
  readonly isSettled: boolean
  readonly enter: (group: Group, place: number) => void
  /** It stands alone again, with this that it has sent, has examined and is to send. */
  readonly leave: (sent: WireId, examined: WireId, pending: Chain) => void
  /** It has just left, and its connection can take nothing more for now. */
  readonly stall: () => void
  /** It has just left with more to send than it may hold. */
  readonly overflow: () => void
  readonly fail: () => void
}

/** The part of a queue that knows where it stands. */
export abstract class Placed {
  /** Null: it stands alone, and what it has sent and is to send is its own. */
  group: Group | null = null
  place = 0

  enter(group: Group, place: number): void {
    this.group = group
    this.place = place
  }

  /** Steps out of its group, before anything is done to it alone. */
  protected step(): void {
    this.group?.remove(this.place)
  }
}
