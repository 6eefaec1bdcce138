/**
 * One server process: the program's own classes around a model realm. Deferred work becomes a task, and each query of the
 * database a read; the schedule decides when they run. A kill drops all of them.
 */
import * as Effect from "effect/Effect"
import type { makeEncoder, RowEncoder } from "../../../src/events/encode.ts"
import type { LogRow } from "../../../src/events/event.ts"
import { type FedProjection, makeFeed, type RealmFeed } from "../../../src/events/feed.ts"
import { QueueFlusher } from "../../../src/events/flusher.ts"
import type { DeliveryHub, HubOptions } from "../../../src/events/hub.ts"
import type { LogPage } from "../../../src/events/log.ts"
import { CatchUpLine } from "../../../src/events/past/catch-up-line.ts"
import type { PastReader, ReaderOptions } from "../../../src/events/past/past-reader.ts"
import { listsOf } from "../../../src/events/past/row-page.ts"
import type { PagesOptions, RowPages } from "../../../src/events/past/row-pages.ts"
import type { RowRing } from "../../../src/events/past/row-ring.ts"
import type { Queue, QueueHost } from "../../../src/events/queue.ts"
import type { QueueSpec } from "../../../src/events/queue-spec.ts"
import { type UserId, WireId } from "../../../src/ids.ts"
import type { Description } from "./expected.ts"
import type { Journal } from "./journal.ts"
import { echo, typeOf } from "./model-events.ts"
import type { ModelRealm } from "./model-realm.ts"
import { Violation } from "./violation.ts"

/** How each part of a process is made; a test plants a fault by replacing one. */
export interface Parts {
  readonly realm: (journal: Journal) => ModelRealm
  readonly ring: (limitBytes: number) => RowRing
  readonly pages: (options: PagesOptions) => RowPages
  readonly encoder: typeof makeEncoder
  readonly hub: (options: HubOptions) => DeliveryHub
  readonly reader: (options: ReaderOptions) => PastReader
  readonly queue: (spec: QueueSpec, host: QueueHost, cursor: WireId) => Queue
  readonly spec: (stored: Description) => QueueSpec
  readonly page: (page: LogPage) => LogPage
}

/** Limits and page sizes, small enough to be reached often. */
export interface Sizes {
  readonly ringBytes: number
  readonly ringRowsAtStart: number
  readonly pendingEvents: number
  readonly pendingBytes: number
  readonly offersPerLook: number
  readonly sendsPerTurn: number
  readonly fetchesAtOnce: number
  /** Rows that one statement answers at most, and where the shared pages begin. */
  readonly pageRows: number
  readonly pageSpan: number
  readonly pastBytes: number
}

/** A statement on its way to the database, or its answer on the way back. */
export interface Read {
  readonly after: number
  readonly through: number
  readonly done: (page: LogPage | null) => void
  /** null: the database has not run it yet. */
  page: LogPage | null
}

export class Process {
  readonly realm: ModelRealm
  readonly ring: RowRing
  readonly pages: RowPages
  readonly encoder: RowEncoder
  readonly hub: DeliveryHub
  readonly feed: RealmFeed
  readonly reader: PastReader
  readonly queues = new Map<string, Queue>()
  readonly tasks: Array<() => void> = []
  readonly reads: Array<Read> = []
  /** No-op rows asked for and not yet written. */
  noops = 0
  /** Errors that hub or flusher reported and survived; often a Violation. The schedule fails if there are any. */
  readonly #thrown: Array<unknown> = []
  readonly #parts: Parts
  readonly #journal: Journal
  readonly #sizes: Sizes
  readonly #host: QueueHost

  constructor(parts: Parts, sizes: Sizes, journal: Journal, onGap: (queue: Queue) => void) {
    this.#parts = parts
    this.#journal = journal
    this.#sizes = sizes
    const defer = (task: () => void) => void this.tasks.push(task)
    let looks = 0
    /** The slice is over whenever the clock is read. */
    const elapsed = () => (looks += 1000)
    const onFault = (fault: unknown) => void this.#thrown.push(fault)
    const realm = parts.realm(journal)
    const ring = parts.ring(sizes.ringBytes)
    const { oldest, head } = journal
    for (const row of journal.rows(Math.max(oldest - 1, head - sizes.ringRowsAtStart), head)) ring.push(row)
    const pages = parts.pages({
      limitBytes: sizes.pastBytes,
      head: () => realm.position,
      fetch: (after, through, done) => void this.reads.push({ after, through, done, page: null }),
      pageRows: sizes.pageSpan,
      fetchesAtOnce: sizes.fetchesAtOnce,
    })
    const grew = (row: LogRow, bytes: number) => {
      if (!ring.grew(row, bytes)) pages.grew(row, bytes)
    }
    const encoder = parts.encoder(typeOf, echo, grew, (_body, fault) => onFault(fault))
    const hub = parts.hub({
      encoder,
      people: realm,
      started: { position: head, width: ring.newest?.width ?? 0 },
      appendNoop: () => void this.noops++,
      defer,
      offersPerLook: sizes.offersPerLook,
      elapsed,
      onFault,
    })
    const projection: FedProjection = realm
    this.feed = makeFeed({
      onApplied: () => {},
      projection,
      ring,
      hub,
      read: (after) => Effect.sync(() => parts.page(journal.page(after, journal.head, sizes.pageRows))),
      onRow: () => {},
      onStuck: (_row, cause) => void this.#thrown.push(cause),
    })
    const after = (_milliseconds: number, task: () => void) => defer(task)
    const line = new CatchUpLine({ defer, after, expects: () => true, elapsed, onFault })
    const flusher = new QueueFlusher({
      defer,
      after,
      expects: () => true,
      elapsed,
      queuesPerLook: sizes.sendsPerTurn,
      onFault,
    })
    const reader = parts.reader({
      ring,
      pages,
      line,
      hub,
      people: realm,
      encoder,
      head: () => realm.position,
      root: flusher.root,
      pendingEvents: sizes.pendingEvents,
      pendingBytes: sizes.pendingBytes,
      ownerOf: String,
      hasRoom: () => true,
      onGap,
    })
    this.#host = {
      root: flusher.root,
      pendingEvents: sizes.pendingEvents,
      pendingBytes: sizes.pendingBytes,
      wake: flusher.wake,
      read: reader.read,
      turnedLive: (queue) => hub.enter(queue),
      fellBehind: (queue) => hub.leave(queue),
    }
    this.realm = realm
    this.ring = ring
    this.pages = pages
    this.encoder = encoder
    this.hub = hub
    this.reader = reader
  }

  /** The queue in memory, made from its stored description where it is not there. */
  load(stored: Description, acked: number): Queue {
    const known = this.queues.get(stored.id)
    if (known !== undefined) return known
    const queue = this.#parts.queue(this.#parts.spec(stored), this.#host, WireId(acked))
    this.queues.set(stored.id, queue)
    return queue
  }

  /** As the queues of the program have it. */
  get newestId(): WireId {
    return this.feed.newestId
  }

  /** Forgets an idle queue in memory; it stays in the database. */
  letGo(queue: Queue): void {
    this.queues.delete(queue.spec.id)
    if (queue.state === "live") this.#host.fellBehind(queue)
  }

  /** Up to `head` at least. */
  catchUp(head: number): void {
    Effect.runSync(this.feed.catchUp(head))
  }

  /** The database runs the query now; its answer comes later. */
  execute(read: Read): void {
    read.page = this.#parts.page(this.#journal.page(read.after, read.through, this.#sizes.pageRows))
  }

  /** The answer arrives; `isLost`: the query fails instead. */
  answer(read: Read, isLost: boolean): void {
    this.reads.splice(this.reads.indexOf(read), 1)
    if (read.page === null && !isLost) this.execute(read)
    read.done(isLost ? null : read.page)
  }

  /** The invariants that hold between any two steps; of the lists of the ring it checks those of one user. */
  check(user: UserId): void {
    const { queues, hub, feed, ring, reads } = this
    if (this.#thrown.length > 0) throw this.#thrown[0]
    let live = 0
    for (const queue of queues.values()) {
      if (queue.state === "live") live++
      if (queue.pendingCount > this.#sizes.pendingEvents) throw new Violation(`I10: ${queue.pendingCount} are kept`)
      if (queue.sent > queue.examined) throw new Violation(`sent ${queue.sent}, examined ${queue.examined}`)
    }
    if (hub.liveQueues !== live) throw new Violation(`the hub knows ${hub.liveQueues} live queues of ${live}`)
    if (reads.length > this.#sizes.fetchesAtOnce) throw new Violation(`${reads.length} pages are read at a time`)
    if (hub.newest > feed.position) throw new Violation("the hub is ahead of the projection")
    if ((ring.newest?.position ?? 0) !== feed.position) throw new Violation("the ring lacks the newest row")
    const oldest = ring.oldest ?? 1
    const page = ring.pageOf(oldest)
    const [first] = page?.select(oldest - 1, listsOf(user, this.realm.channelsEver(user))) ?? []
    if (first !== undefined && ring.at(first.position) !== first) throw new Violation("the ring lists what it lacks")
    if (ring.pageOf(oldest - 1) !== undefined) throw new Violation("the ring keeps what it dropped")
  }
}
