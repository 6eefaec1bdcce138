/**
 * Delivery within one realm: puts one row or ephemeral at a time to the live queues it is meant for, in order. The
 * hub may lag behind the projection; a row comes with its receivers, judged in the turn the projection passed it.
 * Long audiences are walked in slices, so that requests are served in between. Plain functions over shared bytes:
 * nothing here waits for a receiver (I11).
 */
import type { UserId, WireId } from "../ids.ts"
import type { Item } from "./chain.ts"
import type { Encoder } from "./encode.ts"
import {
  type EventBody,
  idSpan,
  type LogRow,
  lastIdOf,
  lastOf,
  type Membership,
  type Receivers,
  wireId,
} from "./event.ts"
import { LiveQueues } from "./live-queues.ts"
import type { Queue } from "./queue.ts"
import { isContained, type Wishes } from "./queue-spec.ts"

/**
 * A slice hands over after so long. It takes 2-3 ms to offer a row to 10,000 queues, longer where the code is cold. A
 * flush has a turn between two slices, so shorter ones would keep new rows waiting behind it: with 2,000 offers per
 * slice 16 rows for 10,000 queues took half a second.
 */
const sliceMilliseconds = 4
/** Offers between two looks at the clock. */
const defaultOffersPerLook = 1000
/** Ephemerals that wait for the row which makes their ids safe. */
const waitingLimit = 1000

const nothing: ReadonlyArray<Item> = []
const nobody: ReadonlyArray<Queue> = []

interface EphemeralWork {
  readonly kind: "ephemeral"
  readonly body: EventBody
  readonly receivers: Receivers
}
interface HeartbeatWork {
  readonly kind: "heartbeat"
  readonly queues: ReadonlyArray<Queue>
}
interface RowWork {
  readonly kind: "row"
  readonly row: LogRow
  readonly receivers: Receivers
}
type Work = RowWork | EphemeralWork | HeartbeatWork

export const heartbeat: EventBody = { type: "heartbeat", payload: {} }

export interface HubOptions {
  readonly encoder: Encoder
  readonly people: Membership
  /** The newest row when this process began, or row 0. Ephemerals are given only at positions above it. */
  readonly started: { readonly position: number; readonly width: number }
  /** Asks for a no-op row: ephemerals need one before they can have ids. */
  readonly appendNoop: () => void
  /** Runs the rest in a later turn of the loop. */
  readonly defer: (task: () => void) => void
  /** Milliseconds, for the length of a slice. */
  readonly elapsed?: () => number
  readonly offersPerLook?: number
  /** What offering to one queue threw: a bug, which must not cost the others this event or the next. */
  readonly onFault: (fault: unknown) => void
}

export class Hub {
  readonly #options: HubOptions
  readonly #live = new LiveQueues()
  readonly #work: Array<Work> = []
  /** Whom the item at work is put to, and how far it has come; null between items. */
  #targets: ReadonlyArray<Queue> | null = null
  #at = 0
  /** The queues that read the row at work along. They come after its receivers, because their copy is another. */
  #along: ReadonlyArray<Queue> = nobody
  #isAlong = false
  /** Set where a target is a receiver only if this says so. */
  #check: ((user: UserId) => boolean) | null = null
  /** What the item at work is to queues with the same wishes: found once, then a comparison of pointers. */
  #wishes: Wishes | null = null
  #items: ReadonlyArray<Item> = nothing
  #deferred = false
  #newest: number
  #width: number
  /** The next ephemeral's n at the newest position. */
  #next: number
  #noopAsked = false
  readonly #waiting: Array<EphemeralWork | HeartbeatWork> = []
  /** What is to be done once a row has been put to all queues, in the order of the rows. */
  readonly #afterwards: Array<{ readonly position: number; readonly task: () => void }> = []

  constructor(options: HubOptions) {
    this.#options = options
    this.#newest = options.started.position
    this.#width = options.started.width
    this.#next = options.started.width
  }

  /** The newest row that has been put to all queues. */
  get newest(): number {
    return this.#newest
  }

  /** The last id that a heartbeat could have carried so far. */
  get newestId(): WireId {
    return lastIdOf(this.#newest, Math.max(this.#width, this.#next))
  }

  /** What a reading must have passed for its queue to turn live: the row at work, or between rows the newest. */
  get frontier(): number {
    const work = this.#work[0]
    return this.#targets !== null && work?.kind === "row" ? work.row.position : this.#newest
  }

  get liveQueues(): number {
    return this.#live.count
  }

  enter(queue: Queue): void {
    this.#live.add(queue)
  }

  leave(queue: Queue): void {
    this.#live.remove(queue)
  }

  put(row: LogRow, receivers: Receivers): void {
    this.#work.push({ kind: "row", row, receivers })
    this.#run()
  }

  /** Runs a task as soon as the row at this position, which it has been given, has been put to all queues. */
  whenPassed(position: number, task: () => void): void {
    if (position <= this.#newest) task()
    else this.#afterwards.push({ position, task })
  }

  /** At most once, to live queues only; lost with the process. */
  ephemeral(body: EventBody, receivers: Receivers): void {
    this.#wait({ kind: "ephemeral", body, receivers })
  }

  /** One event for all the queues whose heartbeat is due, which tells them how far they have come. */
  heartbeat(queues: ReadonlyArray<Queue>): void {
    if (queues.length > 0) this.#wait({ kind: "heartbeat", queues })
  }

  #wait(work: EphemeralWork | HeartbeatWork): void {
    if (this.#safe) {
      this.#work.push(work)
      this.#run()
      return
    }
    if (this.#waiting.length < waitingLimit) this.#waiting.push(work)
    this.#askNoop()
  }

  /** Ids at this position were never given by an earlier process, and there are some left. */
  get #safe(): boolean {
    return this.#newest > this.#options.started.position && this.#next < idSpan
  }

  #askNoop(): void {
    if (this.#noopAsked) return
    this.#noopAsked = true
    this.#options.appendNoop()
  }

  /** The no-op could not be written; what waited for it is dropped, as ephemerals may be. */
  noopFailed(): void {
    this.#noopAsked = false
    this.#waiting.length = 0
  }

  #run(): void {
    if (this.#deferred) return
    const { offersPerLook = defaultOffersPerLook, elapsed = () => performance.now() } = this.#options
    const end = elapsed() + sliceMilliseconds
    let budget = offersPerLook
    for (let work = this.#work[0]; work !== undefined; work = this.#work[0]) {
      this.#targets ??= this.#begin(work)
      budget = this.#slice(work, this.#targets, budget)
      if (budget <= 0 && elapsed() < end) {
        budget = offersPerLook
        continue
      }
      if (budget <= 0) {
        this.#deferred = true
        this.#options.defer(() => {
          this.#deferred = false
          this.#run()
        })
        return
      }
      if (this.#turnToAlong()) continue
      this.#targets = null
      this.#work.shift()
      if (work.kind === "row") this.#passed(work.row)
    }
  }

  #begin(work: Work): ReadonlyArray<Queue> {
    this.#at = 0
    this.#check = null
    this.#wishes = null
    this.#isAlong = false
    this.#along = work.kind === "row" ? this.#live.readingAlong(work.row, work.receivers, this.#options.people) : nobody
    if (work.kind === "row") return this.#gather(work.receivers)
    if (!this.#safe) {
      this.#askNoop()
      return nobody
    }
    return work.kind === "heartbeat" ? work.queues : this.#gather(work.receivers)
  }

  /** From the receivers of the row at work to those who read it along; false where there are none, or no more. */
  #turnToAlong(): boolean {
    if (this.#isAlong || this.#along.length === 0) return false
    this.#isAlong = true
    this.#targets = this.#along
    this.#at = 0
    this.#wishes = null
    return true
  }

  /** Offers to as many queues as the budget allows; a positive rest says that the item is done. */
  #slice(work: Work, targets: ReadonlyArray<Queue>, budget: number): number {
    // The id of an ephemeral, or the last one that belongs to the row; made once, each one made is garbage.
    const id = work.kind === "row" ? lastOf(work.row) : wireId(this.#newest, this.#next)
    let left = budget
    for (let queue = targets[this.#at]; queue !== undefined; queue = targets[this.#at]) {
      this.#at++
      try {
        if (this.#check === null || this.#check(queue.spec.user)) this.#offer(work, queue, id)
      } catch (fault) {
        this.#options.onFault(fault)
        queue.fail()
      }
      if (--left <= 0) return 0
    }
    if (work.kind !== "row") this.#next = Math.min(this.#next + 1, idSpan)
    return left
  }

  #offer(work: Work, queue: Queue, id: WireId): void {
    if (work.kind === "row") {
      queue.offer(this.#itemsOf(work.row, queue), id)
    } else if (work.kind === "heartbeat") {
      if (queue.isReady) queue.offer(this.#ephemeralOf(heartbeat, id, queue), id)
    } else if (queue.wishes.wants(work.body.type)) {
      queue.offer(this.#ephemeralOf(work.body, id, queue), id)
    }
  }

  #itemsOf(row: LogRow, queue: Queue): ReadonlyArray<Item> {
    const { wishes } = queue
    if (isContained(queue.contained, row)) return nothing
    const echoes = row.origin !== null && row.origin.queueId === queue.spec.id
    if (wishes === this.#wishes && !echoes) return this.#items
    const { encoder } = this.#options
    if (!wishes.wants(row.type) || !encoder.passes(row, wishes.passes)) return this.#share(queue, row.type, nothing)
    const receiver = this.#isAlong ? { ...queue.receiver, along: true } : queue.receiver
    const items = encoder.row(row, receiver, echoes)
    return echoes ? items : this.#share(queue, row.type, items)
  }

  #ephemeralOf(body: EventBody, id: WireId, queue: Queue): ReadonlyArray<Item> {
    if (queue.wishes === this.#wishes) return this.#items
    return this.#share(queue, body.type, this.#options.encoder.ephemeral(body, id, queue.receiver))
  }

  #share(queue: Queue, type: string, items: ReadonlyArray<Item>): ReadonlyArray<Item> {
    if (!this.#options.encoder.isPersonal(type)) {
      this.#wishes = queue.wishes
      this.#items = items
    }
    return items
  }

  #passed(row: LogRow): void {
    this.#newest = row.position
    this.#width = row.width
    this.#next = row.width
    this.#noopAsked = false
    this.#work.push(...this.#waiting.splice(0))
    while ((this.#afterwards[0]?.position ?? Number.POSITIVE_INFINITY) <= this.#newest) this.#afterwards.shift()?.task()
  }

  #gather({ users, includes }: Receivers): ReadonlyArray<Queue> {
    if (users !== null) return this.#live.ofUsers(users)
    // What comes from spans is asked slice by slice.
    this.#check = includes
    return this.#live.all()
  }
}
