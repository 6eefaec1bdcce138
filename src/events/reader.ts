/**
 * Reads past rows for queues that are behind: from the ring where it reaches back far enough, else from the log in the
 * database. A reading goes up to the projection's position and never beyond. When it has passed the row that the hub is
 * delivering, the queue turns live in that same turn. Its result is dropped if the queue has had a new connection or
 * has fallen behind again meanwhile.
 */
import type { UserId, WireId } from "../ids.ts"
import type { Chain, Item } from "./chain.ts"
import type { Encoder, Receiver } from "./encode.ts"
import { isReceiver, type LogRow, lastIdOf, lastOf, type Membership, positionOf } from "./event.ts"
import type { Hub } from "./hub.ts"
import type { LogPage } from "./log.ts"
import type { Queue } from "./queue.ts"
import { isContained } from "./queue-spec.ts"
import type { Ring } from "./ring.ts"

/** Readings of the database at a time. More would delay commits, and many clients do not wait long enough anyway. */
const defaultReadingsAtOnce = 4
/** Rows looked at per turn. */
const defaultRowsPerTurn = 1000

const nothing: ReadonlyArray<Item> = []

export interface ReaderOptions {
  readonly ring: Ring
  readonly hub: Hub
  readonly people: Membership
  readonly encoder: Encoder
  /** The projection's position. */
  readonly head: () => number
  readonly root: () => Chain
  readonly pendingEvents: number
  readonly pendingBytes: number
  /** Reads rows (after, through] of the log for a user; null when the database cannot be asked. */
  readonly fetch: (user: UserId, after: number, through: number, done: (page: LogPage | null) => void) => void
  readonly defer: (task: () => void) => void
  readonly rowsPerTurn?: number
  readonly readingsAtOnce?: number
  /** The log no longer holds what the queue lacks. */
  readonly onGap: (queue: Queue) => void
}

export interface Reader {
  /** Begins a reading if the queue wants one. */
  readonly read: (queue: Queue) => void
  /**
   * Turns a new queue live in this turn, if the ring holds all rows that it lacks: from then on it gets ephemerals.
   * Otherwise it stays behind until it has a connection.
   */
  readonly begin: (queue: Queue) => void
  /** Gives a live queue, in this turn, the rows that the hub has not put to it yet, if the ring holds them all. */
  readonly finish: (queue: Queue) => void
}

/** The receiver as whom the queue gets a row; undefined where audience or filter say that it does not get it. */
const receiverOf = (row: LogRow, queue: Queue, { people, encoder }: ReaderOptions): Receiver | undefined => {
  const { wishes, contained } = queue
  const { user } = queue.spec
  if (!wishes.wants(row.type) || isContained(contained, row) || !encoder.passes(row, wishes.passes)) return undefined
  if (isReceiver(row.audience, row.position, user, people)) return queue.receiver
  return isOpenTo(row, queue, user, people) ? { ...queue.receiver, viaPublicStreams: true } : undefined
}

const isOpenTo = (row: LogRow, queue: Queue, user: UserId, people: Membership): boolean =>
  queue.wishes.openToPublic &&
  row.type === "message" &&
  row.audience.kind === "subscribers" &&
  !row.audience.was.isPrivate &&
  people.memberAt(user, row.position)

export const makeReader = (options: ReaderOptions): Reader => {
  const { ring, hub, people, encoder, head, root } = options
  const { rowsPerTurn = defaultRowsPerTurn, readingsAtOnce = defaultReadingsAtOnce } = options

  /** The events of a row that this queue gets. */
  const itemsOf = (row: LogRow, queue: Queue): ReadonlyArray<Item> => {
    const receiver = receiverOf(row, queue, options)
    return receiver === undefined ? nothing : encoder.row(row, receiver, row.origin?.queueId === queue.spec.id)
  }

  const collect = (queue: Queue, rows: ReadonlyArray<LogRow>, end: WireId) => {
    const { examined } = queue
    let events = root()
    let through = examined
    for (const row of rows) {
      for (const item of itemsOf(row, queue)) {
        if (item.id <= examined) continue
        const full = events.count >= options.pendingEvents || events.bytes + item.bytes.length >= options.pendingBytes
        if (full && events.count > 0) return { events, through, full }
        events = events.append(item)
        through = item.id
      }
      const last = lastOf(row)
      if (last > through) through = last
    }
    return { events, through: end > through ? end : through, full: false }
  }

  const takePage = (queue: Queue, reading: number, rows: ReadonlyArray<LogRow>, end: WireId) => {
    if (!queue.isReading(reading)) return
    const { events, through, full } = collect(queue, rows, end)
    queue.pageRead(reading, events, through)
    if (!full && positionOf(through) >= head() && head() >= hub.frontier) queue.turnLive(reading)
    // A page with no event for this queue: the next one is read from its end.
    else if (events.count === 0 && queue.connection !== null)
      options.defer(() => step(queue, reading, positionOf(through)))
  }

  const select = (queue: Queue, after: number, limit: number) => {
    const { user } = queue.spec
    return ring.select(after, limit, user, queue.wishes.openToPublic ? null : people.channelsEver(user))
  }

  /** Whether the ring holds every row from `position` on. */
  const isInRing = (position: number): boolean =>
    head() === 0 || (ring.oldest !== undefined && ring.oldest <= Math.max(1, position))

  const readRing = (queue: Queue, reading: number, after: number) => {
    const page = select(queue, after, rowsPerTurn)
    const width = ring.at(page.through)?.width ?? 0
    takePage(queue, reading, page.rows, lastIdOf(page.through, width))
  }

  let fetching = 0
  const waiting = new Map<Queue, { readonly reading: number; readonly after: number }>()

  /** Starts waiting readings until the limit is reached; those whose queue no longer waits are dropped. */
  const readNext = () => {
    for (const [queue, { reading, after }] of waiting) {
      waiting.delete(queue)
      if (!queue.isReading(reading)) continue
      step(queue, reading, after)
      if (fetching >= readingsAtOnce) return
    }
  }

  const readLog = (queue: Queue, reading: number, after: number, at: number) => {
    if (fetching >= readingsAtOnce) {
      waiting.set(queue, { reading, after })
      return
    }
    fetching++
    options.fetch(queue.spec.user, Math.max(0, after), head(), (page) => {
      fetching--
      options.defer(readNext)
      if (!queue.isReading(reading)) return
      if (page === null) return queue.disconnect("unavailable")
      if (page.oldest === null || page.oldest > Math.max(1, at)) return options.onGap(queue)
      const newest = page.rows.at(-1)
      if (newest === undefined) return options.onGap(queue)
      takePage(queue, reading, page.rows, lastOf(newest))
    })
  }

  const step = (queue: Queue, reading: number, after: number) => {
    if (!queue.isReading(reading)) return
    const at = positionOf(queue.examined)
    if (isInRing(at)) readRing(queue, reading, after)
    else readLog(queue, reading, after, at)
  }

  return {
    read: (queue) => {
      // The cursor may be inside a wide row, so the reading begins with that row.
      if (queue.mayRead) step(queue, queue.beginReading(), positionOf(queue.examined) - 1)
    },
    begin: (queue) => {
      const at = positionOf(queue.examined)
      if (queue.state === "behind" && isInRing(at)) readRing(queue, queue.beginReading(), at - 1)
    },
    finish: (queue) => {
      if (queue.state !== "live" || hub.newest >= head() || !isInRing(hub.newest + 1)) return
      for (const row of select(queue, hub.newest, Number.POSITIVE_INFINITY).rows)
        queue.offer(itemsOf(row, queue), lastOf(row))
    },
  }
}
