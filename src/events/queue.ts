/**
 * One event queue: an owner, a filter and a cursor. In memory it is a cache of its stored description, nothing more.
 * It is plain code, driven by the hub (new events), the reader (old events) and one connection at a time.
 *
 *              offer            overflow          read to the end      attach below sent
 *   live    -> live             behind            -                    behind
 *   behind  -> behind (ignored) -                 live                 behind (reads again)
 *   ended   -> ended in every case
 *
 * Guarantees: ids handed to a connection rise strictly (I3); an event is put into the list at most once, because only
 * ids above `examined` are taken (I4); what does not fit is read from the log later, never thinned out (I10).
 */
import type { WireId } from "../ids.ts"
import type { EncodedEvent } from "./bytes/encoded-event.ts"
import type { EventReceiver } from "./encode.ts"
import { positionOf } from "./event.ts"
import type { EventChain } from "./event-chain.ts"
import type { ContainedRows, QueueClientOptions, QueueSpec } from "./queue-spec.ts"

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
export interface QueueConnection {
  readonly kind: "poll" | "socket"
  /** Whether it waits for events. If not, a poll is answered as soon as the queue knows that there are none. */
  readonly waits: boolean
  /** `done`: a poll has been answered. `stalled`: sent, but the socket's buffer is full: nothing more yet. */
  readonly send: (events: EventChain) => "open" | "stalled" | "done"
  readonly end: (reason: EndReason) => void
}

/** The functions and limits that a queue is given by its realm. */
export interface QueueHost {
  /** The empty chain of events that every new pending list starts from. */
  readonly root: () => EventChain
  readonly pendingEvents: number
  readonly pendingBytes: number
  /** Asks for the queue to be served at the end of this turn, because it has something to send or to read. */
  readonly wake: (queue: Queue) => void
  /** Begins a reading for a queue that is behind. */
  readonly read: (queue: Queue) => void
  readonly turnedLive: (queue: Queue) => void
  readonly fellBehind: (queue: Queue) => void
}

export type QueueState = "live" | "behind" | "ended"

export class Queue {
  readonly spec: QueueSpec
  /** Copied from `spec`, because they are read for each event: one object less to load. */
  readonly clientOptions: QueueClientOptions
  readonly contained: ContainedRows | null
  /** Set by the flusher while the queue is in its list of queues to serve, so that it is listed once. */
  isAwake = false
  readonly #host: QueueHost
  #state: QueueState = "behind"
  #connection: QueueConnection | null = null
  #stalled = false
  /** Why the connection is ended once it has been sent everything; null: it stays open. */
  #farewell: EndReason | null = null
  /** Counts connections and falls behind. The result of a reading that began under another number is dropped. */
  #reading = 0
  #sent: WireId
  #examined: WireId
  #acked: WireId
  #pending: EventChain

  constructor(spec: QueueSpec, host: QueueHost, cursor: WireId) {
    this.spec = spec
    this.clientOptions = spec.clientOptions
    this.contained = spec.contained
    this.#host = host
    this.#sent = cursor
    this.#examined = cursor
    this.#acked = cursor
    this.#pending = host.root()
  }

  get receiver(): EventReceiver {
    return { user: this.spec.user, rendering: this.clientOptions.rendering, viaPublicStreams: false }
  }
  get state(): QueueState {
    return this.#state
  }
  get connection(): QueueConnection | null {
    return this.#connection
  }
  /** The highest event id sent to a connection, or named by one as its `last_event_id`. */
  get sent(): WireId {
    return this.#sent
  }
  /** Every event up to this id is in the pending list, was sent, or is not for this queue. */
  get examined(): WireId {
    return this.#examined
  }
  /** The highest id the client is known to have. */
  get acked(): WireId {
    return this.#acked
  }
  get pendingCount(): number {
    return this.#pending.count
  }
  get isStalled(): boolean {
    return this.#stalled
  }

  /** Whether there is a connection that can send now. */
  get isReady(): boolean {
    return this.#connection !== null && !this.#stalled
  }

  /** Makes this the queue's connection; an older one is ended. `cursor` is its `last_event_id`, already checked. */
  attach(connection: QueueConnection, cursor: WireId): void {
    if (this.#state === "ended") return connection.end("gone")
    const from = cursor < this.spec.start ? this.spec.start : cursor
    this.#connection?.end("replaced")
    this.#connection = connection
    this.#stalled = false
    this.#farewell = null
    this.#reading++
    if (from > this.#acked) this.#acked = from
    if (this.#state === "behind") {
      this.#rewind(from)
    } else if (from < this.#sent) {
      this.#fallBehind(from)
    } else {
      this.#pending = this.#pending.after(from, this.#host.root())
      this.#sent = from
      if (from > this.#examined) this.#examined = from
      // Nothing is there for it, and it waits: so nearly every poll comes, and serving it would do nothing.
      if (this.#pending.count === 0 && connection.waits) return
    }
    this.#host.wake(this)
  }

  /** A connection was closed by its client. Ignored where it is not the queue's connection any more. */
  detach(connection: QueueConnection): void {
    if (this.#connection !== connection) return
    this.#connection = null
    this.#stalled = false
    this.#farewell = null
    this.#reading++
  }

  /** Takes a socket's acknowledgement. False: it names an id above `newest`, the highest that was given. */
  acknowledge(id: WireId, newest: WireId): boolean {
    if (id > newest) return false
    const counted = id < this.#sent ? id : this.#sent
    if (counted > this.#acked) this.#acked = counted
    return true
  }

  /** Rows have changed: events about them that were not sent are read again, and a reading under way begins anew. */
  reread(positions: ReadonlySet<number>): void {
    if (this.#state === "behind") this.#rewind(this.#sent)
    else if (this.#state === "live" && this.#pending.items().some(({ id }) => positions.has(positionOf(id))))
      this.#fallBehind(this.#sent)
    else return
    if (this.isReady) this.#host.wake(this)
  }

  /** After a bug while the queue was served: its events are read from the log again by the next connection. */
  fail(): void {
    if (this.#state === "live") this.#fallBehind(this.#sent)
    this.disconnect("unavailable")
  }

  /** Ends the queue for good. */
  end(reason: EndReason): void {
    if (this.#state === "live") this.#host.fellBehind(this)
    this.#state = "ended"
    this.#pending = this.#host.root()
    this.disconnect(reason)
  }

  /** Ends the connection, not the queue. */
  disconnect(reason: EndReason): void {
    const connection = this.#connection
    if (connection === null) return
    this.detach(connection)
    connection.end(reason)
  }

  /** Ends the connection once it has been sent every event; a queue that is behind reads to the end first. */
  dismiss(reason: EndReason): void {
    if (this.#connection === null) return
    this.#farewell = reason
    this.#host.wake(this)
  }

  /**
   * Called by the hub with the events of a row or ephemeral, none where the filter drops it. `last` is the last id that
   * belongs to it. Ids at or below `examined` have been read from the log already, and are skipped.
   */
  offer(items: ReadonlyArray<EncodedEvent>, last: WireId): void {
    if (this.#state !== "live" || last <= this.#examined) return
    // An empty list begins at the present root, so that queues that were served at different times share their frames.
    if (this.#pending.count === 0 && items.length > 0) this.#pending = this.#host.root()
    for (const item of items) {
      if (item.id <= this.#examined) continue
      this.#pending = this.#pending.append(item)
    }
    this.#examined = last
    if (this.#pending.count > this.#host.pendingEvents || this.#pending.bytes > this.#host.pendingBytes)
      this.#fallBehind(this.#sent)
    if (this.isReady && (this.#pending.count > 0 || this.mayRead)) this.#host.wake(this)
  }

  /** At the end of a turn: reads if the queue is behind, then sends what there is. */
  serve(): void {
    if (this.mayRead) this.#host.read(this)
    this.flush()
    const isDone = this.#state === "live" && this.isReady && this.#pending.count === 0
    if (this.#farewell !== null && isDone) this.disconnect(this.#farewell)
  }

  /** Sends the pending events, if there are any and a connection can take them. */
  flush(): void {
    const connection = this.#connection
    const pending = this.#pending
    const last = pending.lastId
    if (connection === null || this.#stalled) return
    if (last === undefined && (connection.waits || this.#state === "behind")) return
    this.#pending = this.#host.root()
    if (last !== undefined) this.#sent = last
    const outcome = connection.send(pending)
    if (outcome === "done") this.detach(connection)
    else if (outcome === "stalled") this.#stalled = true
    if (this.#state === "behind" && this.isReady) this.#host.wake(this)
  }

  /** The socket has room again. */
  drained(): void {
    if (!this.#stalled) return
    this.#stalled = false
    this.#host.wake(this)
  }

  /** A queue that is behind reads only while it has a connection, and one page at a time. */
  get mayRead(): boolean {
    return this.#state === "behind" && this.isReady && this.#pending.count === 0
  }

  /** Begins a reading and answers its number, with which its pages must be handed in. */
  beginReading(): number {
    return ++this.#reading
  }

  isReading(reading: number): boolean {
    return this.#state === "behind" && this.#reading === reading
  }

  /** Takes a page that was read: the events of all rows up to the id `through`. */
  pageRead(reading: number, events: EventChain, through: WireId): void {
    if (!this.isReading(reading)) return
    if (through > this.#examined) this.#examined = through
    this.#pending = events
    if (events.count > 0) this.#host.wake(this)
  }

  /** Ends a reading that has passed every row the hub has delivered: from now on the hub delivers to this queue. */
  turnLive(reading: number): void {
    if (!this.isReading(reading)) return
    this.#state = "live"
    this.#host.turnedLive(this)
    // A poll that does not wait is answered now, even with no events.
    if (this.#connection?.waits === false || this.#farewell !== null) this.#host.wake(this)
  }

  #fallBehind(from: WireId): void {
    this.#state = "behind"
    this.#host.fellBehind(this)
    this.#rewind(from)
  }

  #rewind(from: WireId): void {
    this.#reading++
    this.#pending = this.#host.root()
    this.#sent = from
    this.#examined = from
  }
}
