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
import type { Chain, Item } from "./chain.ts"
import type { Receiver } from "./encode.ts"
import { positionOf } from "./event.ts"
import type { Contained, QueueSpec, Wishes } from "./queue-spec.ts"

/** Why a connection's turn is over, as both transports understand it. */
export type EndReason =
  /** A newer connection took the queue. */
  | "replaced"
  /** Held long enough, or the server is going away: come back. */
  | "waited"
  | "going-away"
  /** The client ended the queue itself. */
  | "deleted"
  /** The queue expired, or the log no longer holds what it lacks: register again. */
  | "gone"
  /** The owner was deactivated, has another key than the connection began with, or the whole organization is closed. */
  | "unauthorized"
  | "key-changed"
  | "realm-deactivated"
  | "unavailable"
  | "slow"
  | "no-ack"
  | "bad-ack"

/** A poll that waits, or a socket. Neither calls back into the queue from within these functions. */
export interface Connection {
  readonly kind: "poll" | "socket"
  /** Waits for events. A poll that does not is answered as soon as the queue knows that there are none. */
  readonly waits: boolean
  /** `done`: a poll has been answered. `stalled`: taken, but the socket owes too much to get more. */
  readonly send: (events: Chain) => "open" | "stalled" | "done"
  readonly end: (reason: EndReason) => void
}

/** What a queue needs of its surroundings. */
export interface QueueHost {
  /** The empty run that new lists of this moment grow from. */
  readonly root: () => Chain
  readonly pendingEvents: number
  readonly pendingBytes: number
  /** The queue has something to send, or to read: see to it at the end of this turn. */
  readonly wake: (queue: Queue) => void
  /** Begins a reading for a queue that is behind. */
  readonly read: (queue: Queue) => void
  readonly turnedLive: (queue: Queue) => void
  readonly fellBehind: (queue: Queue) => void
}

export type QueueState = "live" | "behind" | "ended"

export class Queue {
  readonly spec: QueueSpec
  /** Beside `spec`, because they are looked at for each event: an object less to fetch. */
  readonly wishes: Wishes
  readonly contained: Contained | null
  /** Set by whoever will serve it at the end of the turn, so that it stands in that list once. */
  isAwake = false
  readonly #host: QueueHost
  #state: QueueState = "behind"
  #connection: Connection | null = null
  #stalled = false
  /** Why the connection ends as soon as it has been sent everything; null: it stays. */
  #farewell: EndReason | null = null
  /** Changes with each connection and each fall behind; a reading that began under another value is void. */
  #reading = 0
  #sent: WireId
  #examined: WireId
  #acked: WireId
  #pending: Chain

  constructor(spec: QueueSpec, host: QueueHost, cursor: WireId) {
    this.spec = spec
    this.wishes = spec.wishes
    this.contained = spec.contained
    this.#host = host
    this.#sent = cursor
    this.#examined = cursor
    this.#acked = cursor
    this.#pending = host.root()
  }

  get receiver(): Receiver {
    return { user: this.spec.user, rendering: this.wishes.rendering, along: false }
  }
  get state(): QueueState {
    return this.#state
  }
  get connection(): Connection | null {
    return this.#connection
  }
  /** The highest id handed to a connection, or brought by one. */
  get sent(): WireId {
    return this.#sent
  }
  /** Every event up to here has been looked at: it is in the list, was sent, or is not for this queue. */
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

  /** A connection that could send now. */
  get isReady(): boolean {
    return this.#connection !== null && !this.#stalled
  }

  /** Takes over from whatever connection there was. `cursor` is a `last_event_id` that has been found acceptable. */
  attach(connection: Connection, cursor: WireId): void {
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
    }
    this.#host.wake(this)
  }

  /** The connection went away by itself. Another one's farewell changes nothing. */
  detach(connection: Connection): void {
    if (this.#connection !== connection) return
    this.#connection = null
    this.#stalled = false
    this.#farewell = null
    this.#reading++
  }

  /** A socket says what it has. False: it names what this process has never known. */
  acknowledge(id: WireId, head: number): boolean {
    if (positionOf(id) > head) return false
    const counted = id < this.#sent ? id : this.#sent
    if (counted > this.#acked) this.#acked = counted
    return true
  }

  /** An event could not be made for it: nothing is passed over, it is read from the log by whoever connects next. */
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

  /** Ends the connection once it has been sent all that the queue owes it; one that is behind reads to the end first. */
  dismiss(reason: EndReason): void {
    if (this.#connection === null) return
    this.#farewell = reason
    this.#host.wake(this)
  }

  /**
   * From the hub, of a row or ephemeral whose audience this queue's owner is in. `last` is the last id that belongs
   * to it: what is at or below `examined` has been read from the log already, or belongs to the past.
   */
  offer(items: ReadonlyArray<Item>, last: WireId): void {
    if (this.#state !== "live" || last <= this.#examined) return
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

  /** Sends what is pending, if there is anything and someone to send it to. */
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

  /** A queue that is behind reads only while somebody waits, and not while a page waits to be sent. */
  get mayRead(): boolean {
    return this.#state === "behind" && this.isReady && this.#pending.count === 0
  }

  /** Begins a reading; what comes of it must be given back with this number. */
  beginReading(): number {
    return ++this.#reading
  }

  isReading(reading: number): boolean {
    return this.#state === "behind" && this.#reading === reading
  }

  /** A page was read: `events` of the rows up to the position and width given. */
  pageRead(reading: number, events: Chain, through: WireId): void {
    if (!this.isReading(reading)) return
    if (through > this.#examined) this.#examined = through
    this.#pending = events
    if (events.count > 0) this.#host.wake(this)
  }

  /** The reading has passed all that the hub has delivered: from here on the hub serves this queue. */
  turnLive(reading: number): void {
    if (!this.isReading(reading)) return
    this.#state = "live"
    this.#host.turnedLive(this)
    // The answer of a poll that does not wait may be that there is nothing.
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
