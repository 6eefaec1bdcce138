/**
 * Reads past rows for queues that are behind, page by page: from the ring where it reaches back far enough, else from
 * pages of the log that all queues share. A reading goes up to the projection's position and never beyond. When it has
 * passed the row that the hub is delivering, the queue turns live in that same turn. Its result is dropped if the queue
 * has had a new connection or has fallen behind again meanwhile.
 */
import type { UserId, WireId } from "../../ids.ts"
import type { EncodedEvent } from "../bytes/encoded-event.ts"
import type { EventReceiver, RowEncoder } from "../encode.ts"
import { isReceiver, type LogRow, lastIdOf, lastOf, type Membership, positionOf } from "../event.ts"
import { type EventChain, ManyEvents } from "../event-chain.ts"
import type { DeliveryHub } from "../hub.ts"
import type { Queue } from "../queue.ts"
import { isContained } from "../queue-spec.ts"
import type { CatchUp, CatchUpLine } from "./catch-up-line.ts"
import { listsOf, RowPage } from "./row-page.ts"
import type { PageOutcome, RowPages } from "./row-pages.ts"
import type { RowRing } from "./row-ring.ts"

const nothing: ReadonlyArray<EncodedEvent> = []
/** Up to so many events are linked one by one: queues that lack the same last ones share them as live queues do. */
const fewEvents = 16
/** How far a new queue is read at register: further back, it waits for its first connection. */
const pagesAtBegin = 8

export interface ReaderOptions {
  readonly ring: RowRing
  readonly pages: RowPages
  readonly line: Pick<CatchUpLine, "enter" | "again" | "leave">
  readonly hub: DeliveryHub
  readonly people: Membership
  readonly encoder: RowEncoder
  /** The projection's position. */
  readonly head: () => number
  readonly root: () => EventChain
  readonly pendingEvents: number
  readonly pendingBytes: number
  /** For whom the turns of the line are counted. */
  readonly ownerOf: (user: UserId) => string
  /** Whether a long poll of this owner would find room for a large answer. */
  readonly hasRoom: (owner: string) => boolean
  /** The log no longer holds what the queue lacks. */
  readonly onGap: (queue: Queue) => void
}

export interface PastReader {
  /** Begins a reading if the queue wants one; its events come in a later turn. */
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
const receiverOf = (row: LogRow, queue: Queue, { people, encoder }: ReaderOptions): EventReceiver | undefined => {
  const { clientOptions, contained } = queue
  if (!clientOptions.wants(row.type) || isContained(contained, row)) return undefined
  const receiver = receiverByAudience(row, queue, people)
  return receiver !== undefined && encoder.passes(row, receiver, clientOptions.passes) ? receiver : undefined
}

const receiverByAudience = (row: LogRow, queue: Queue, people: Membership): EventReceiver | undefined => {
  const { user } = queue.spec
  if (isReceiver(row.audience, row.position, user, people)) return queue.receiver
  return isOpenTo(row, queue, user, people) ? { ...queue.receiver, viaPublicStreams: true } : undefined
}

const isOpenTo = (row: LogRow, queue: Queue, user: UserId, people: Membership): boolean =>
  queue.clientOptions.openToPublic &&
  row.type === "message" &&
  row.audience.kind === "subscribers" &&
  !row.audience.was.isPrivate &&
  people.memberAt(user, row.position)

/** A reading under way. */
class QueueRead {
  readonly queue: Queue
  readonly number: number
  readonly events: Array<EncodedEvent> = []
  /** Bytes of `events`, with a comma for each. */
  bytes = 0
  /** Every event up to this id is in `events`, or is not for this queue. */
  through: WireId
  /** The last position that has been read. */
  after: number
  isFull = false
  /** The page that it has waited for, or why there is none. */
  outcome: PageOutcome | null = null

  constructor(queue: Queue) {
    this.queue = queue
    this.number = queue.beginReading()
    this.through = queue.examined
    // The cursor may be inside a wide row, so the reading begins with that row.
    this.after = Math.max(0, positionOf(queue.examined) - 1)
  }

  /** Whether the queue still wants it. */
  get isWanted(): boolean {
    return this.queue.isReading(this.number)
  }
}

export const makeReader = (options: ReaderOptions): PastReader => {
  const { ring, pages, line, hub, people, encoder, head, root } = options

  /** The events of a row that this queue gets. */
  const itemsOf = (row: LogRow, queue: Queue): ReadonlyArray<EncodedEvent> => {
    const receiver = receiverOf(row, queue, options)
    return receiver === undefined ? nothing : encoder.row(row, receiver, row.origin?.queueId === queue.spec.id)
  }

  const isFull = ({ events, bytes }: QueueRead, next: EncodedEvent): boolean =>
    events.length > 0 && (events.length >= options.pendingEvents || bytes + next.bytes.length >= options.pendingBytes)

  const listsFor = (queue: Queue) => {
    const { user } = queue.spec
    return listsOf(user, queue.clientOptions.openToPublic ? null : people.channelsEver(user))
  }

  /** Adds a page's events until the reading is full. */
  const collect = (reading: QueueRead, page: RowPage, lists: ReturnType<typeof listsOf>): void => {
    const { queue } = reading
    for (const row of page.select(reading.after, lists)) {
      for (const item of itemsOf(row, queue)) {
        if (item.id <= queue.examined) continue
        reading.isFull = isFull(reading, item)
        if (reading.isFull) return
        reading.events.push(item)
        reading.bytes += item.bytes.length + 1
        reading.through = item.id
      }
      const last = lastOf(row)
      if (last > reading.through) reading.through = last
    }
    const end = lastIdOf(page.through, page.newest?.width ?? 0)
    if (end > reading.through) reading.through = end
    reading.after = page.through
  }

  const many = new ManyEvents()

  /** Few are linked to the present root, as what comes live is; many make a list of their own. */
  const listOf = (events: ReadonlyArray<EncodedEvent>): EventChain =>
    events.length > fewEvents ? many.listOf(events) : events.reduce((list, item) => list.append(item), root())

  /** Hands over what has been read. */
  const deliver = (reading: QueueRead): void => {
    const { queue, number, events, through, isFull } = reading
    queue.pageRead(number, listOf(events), through)
    if (!isFull && positionOf(through) >= head() && head() >= hub.frontier) queue.turnLive(number)
  }

  /** Reads in memory until the reading is full or at the end, or `isOver`. Answers the position that is not in memory. */
  const advance = (reading: QueueRead, isOver: () => boolean): number | "delivered" | "paused" => {
    // The projection does not move within this call.
    const lists = listsFor(reading.queue)
    while (reading.after < head()) {
      const next = reading.after + 1
      const waited = reading.outcome
      const held = waited instanceof RowPage && next > waited.after && next <= waited.through ? waited : undefined
      const page = held ?? ring.pageOf(next) ?? pages.find(next)
      if (page === undefined) return next
      collect(reading, page, lists)
      if (reading.isFull) break
      if (reading.after < head() && isOver()) return "paused"
    }
    deliver(reading)
    return "delivered"
  }

  const begun = new WeakMap<Queue, QueueRead>()

  const leave = (queue: Queue): void => {
    begun.delete(queue)
    line.leave(queue)
  }

  /** Ends a reading that cannot go on. */
  const giveUp = (reading: QueueRead, why: "gap" | "unavailable"): void => {
    const { queue } = reading
    leave(queue)
    if (why === "gap") return options.onGap(queue)
    if (reading.events.length > 0) deliver(reading)
    else queue.disconnect("unavailable")
  }

  const work = (each: CatchUp, isOver: () => boolean): void => {
    const { queue } = each
    let reading = begun.get(queue)
    if (reading === undefined || !reading.isWanted) {
      if (!queue.mayRead) return leave(queue)
      reading = new QueueRead(queue)
      begun.set(queue, reading)
    }
    const current = reading
    if (typeof current.outcome === "string") return giveUp(current, current.outcome)
    const next = current.after + 1
    if (next <= head() && ring.pageOf(next) === undefined && pages.isGone(next)) return giveUp(current, "gap")
    const outcome = advance(current, isOver)
    if (outcome === "paused") line.again(each)
    else if (outcome === "delivered") {
      leave(queue)
      queue.serve()
    } else
      pages.want(outcome, (found) => {
        current.outcome = found
        line.again(each)
      })
  }

  return {
    read: (queue) => {
      if (!queue.mayRead) return
      const owner = options.ownerOf(queue.spec.user)
      const each: CatchUp = {
        queue,
        owner,
        // Events that have been read already are to go out, whoever waits.
        hasRoom: () =>
          begun.get(queue)?.isWanted === true || queue.connection?.kind !== "poll" || options.hasRoom(owner),
        work: (isOver) => work(each, isOver),
      }
      line.enter(each)
    },
    begin: (queue) => {
      if (queue.state !== "behind") return
      const reading = new QueueRead(queue)
      let left = pagesAtBegin
      advance(reading, () => --left <= 0)
    },
    finish: (queue) => {
      if (queue.state !== "live" || hub.newest >= head()) return
      const lists = listsFor(queue)
      for (let at = hub.newest; at < head(); ) {
        const page = ring.pageOf(at + 1)
        if (page === undefined) return
        for (const row of page.select(at, lists)) queue.offer(itemsOf(row, queue), lastOf(row))
        at = page.through
      }
    },
  }
}
