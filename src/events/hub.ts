/**
 * Delivery within one realm: offers one row or ephemeral event at a time, in order, to the live queues of its
 * receivers. The hub may lag behind the projection, so each row comes with its receivers, judged in the turn in which
 * the projection was moved over it. Long lists of queues are walked in slices, and requests are served in between.
 * Nothing here waits for a receiver (I11).
 */
import type { UserId, WireId } from "../ids.ts"
import type { EncodedEvent } from "./bytes/encoded-event.ts"
import type { RowEncoder } from "./encode.ts"
import {
  type EventBody,
  emptyUserSet,
  type LogRow,
  lastOf,
  type Membership,
  type Receivers,
  type UserSet,
} from "./event.ts"
import { failQueue } from "./flusher.ts"
import { type EphemeralWork, type HeartbeatWork, type HubWork, sliceEnd } from "./hub-work.ts"
import { IssuedIds, type StartPosition } from "./issued-ids.ts"
import { LiveQueues } from "./live-queues.ts"
import type { Queue } from "./queue.ts"
import { isContained } from "./queue-spec.ts"
import { SharedItems } from "./shared-items.ts"

/**
 * Work between two looks at the clock, in offers. A term of a narrow that is compared counts as one, too, and so does what the
 * wire form of a row compares (`weight`): an offer takes 0.2 µs, but 100 terms before it take longer.
 */
const defaultOffersPerLook = 1000
/** Most ephemerals that wait for the row that they need before they can have ids. */
const waitingLimit = 1000

const nothing: ReadonlyArray<EncodedEvent> = []
const nobody: ReadonlyArray<Queue> = []

export const heartbeat: EventBody = { type: "heartbeat", payload: {} }

export interface HubOptions {
  readonly encoder: RowEncoder
  readonly people: Membership
  /** Ephemerals are given only at positions above it. */
  readonly started: StartPosition
  /** Asks for a no-op row: ephemerals need one before they can have ids. */
  readonly appendNoop: () => void
  /** Runs the rest in a later turn of the loop. */
  readonly defer: (task: () => void) => void
  /** Milliseconds, for the length of a slice. */
  readonly elapsed?: () => number
  readonly offersPerLook?: number
  /** Called with the error where offering to one queue threw. The other queues still get the event. */
  readonly onFault: (fault: unknown) => void
}

export class DeliveryHub {
  readonly #options: HubOptions
  readonly #elapsed: () => number
  readonly #live = new LiveQueues()
  readonly #work: Array<HubWork> = []
  /** The queues that the current item is offered to, and the index of the next one; null between items. */
  #targets: ReadonlyArray<Queue> | null = null
  #at = 0
  /** Queues that also get a public channel's message, though their owner is not subscribed. Their copy differs. */
  #extra: ReadonlyArray<Queue> = nobody
  #isAtExtra = false
  /** Whether a target's owner is a receiver; null where all targets are. */
  #check: ((user: UserId) => boolean) | null = null
  readonly #shared = new SharedItems()
  /** What the current offer has compared: terms of narrows, and what the wire form of a row compares for each receiver. */
  #compared = 0
  #weight = 0
  #deferred = false
  readonly #ids: IssuedIds
  #noopAsked = false
  readonly #waiting: Array<EphemeralWork | HeartbeatWork> = []
  /** Tasks that wait until a row has been offered to all queues, in the order of the rows. */
  readonly #afterwards: Array<{ readonly position: number; readonly task: () => void }> = []

  constructor(options: HubOptions) {
    this.#options = options
    this.#elapsed = options.elapsed ?? (() => performance.now())
    this.#ids = new IssuedIds(options.started)
  }

  /** The position of the newest row that has been offered to all queues. */
  get newest(): number {
    return this.#ids.newest
  }

  /** The highest id that was given at that position; some queues may have the ephemeral that is being offered. */
  get newestId(): WireId {
    return this.#targets === null || this.#work[0]?.kind === "row" ? this.#ids.highest : this.#ids.next
  }

  /** The position that a queue must have read before it may turn live: of the current row, else of the newest. */
  get frontier(): number {
    const work = this.#work[0]
    return this.#targets !== null && work?.kind === "row" ? work.row.position : this.newest
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

  /** A client comes with an id that another process gave it: ids of ephemerals go on above it (IssuedIds). */
  raise(id: WireId): void {
    this.#ids.raise(id, this.#targets !== null)
  }

  put(row: LogRow, receivers: Receivers): void {
    this.#work.push({ kind: "row", since: this.#elapsed(), row, receivers })
    this.#run()
  }

  /** Runs a task once the row at this position, which was put to the hub before, has been offered to all queues. */
  whenPassed(position: number, task: () => void): void {
    if (position <= this.newest) task()
    else this.#afterwards.push({ position, task })
  }

  /** Delivers an event that is not stored, at most once, to live queues only. */
  ephemeral(body: EventBody, receivers: Receivers): void {
    this.#wait({ kind: "ephemeral", since: this.#elapsed(), body, receivers })
  }

  /** Sends one heartbeat to these queues. Its id tells their clients how far the quiet queue has come. */
  heartbeat(queues: ReadonlyArray<Queue>): void {
    if (queues.length > 0) this.#wait({ kind: "heartbeat", since: this.#elapsed(), queues })
  }

  #wait(work: EphemeralWork | HeartbeatWork): void {
    if (this.#ids.maySpend) {
      this.#work.push(work)
      this.#run()
      return
    }
    if (this.#waiting.length < waitingLimit) this.#waiting.push(work)
    this.#askNoop()
  }

  #askNoop(): void {
    if (this.#noopAsked) return
    this.#noopAsked = true
    this.#options.appendNoop()
  }

  /** The no-op row could not be written: the ephemerals that waited for it are dropped. */
  noopFailed(): void {
    this.#noopAsked = false
    this.#waiting.length = 0
  }

  #run(): void {
    if (this.#deferred) return
    const { offersPerLook = defaultOffersPerLook } = this.#options
    const now = this.#elapsed()
    const end = sliceEnd(now, this.#work[0]?.since ?? now)
    let budget = offersPerLook
    for (let work = this.#work[0]; work !== undefined; work = this.#work[0]) {
      if (this.#targets === null) {
        this.#targets = this.#begin(work)
        budget -= this.#weight
      }
      budget = this.#slice(work, this.#targets, budget)
      if (budget <= 0 && this.#elapsed() < end) {
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
      if (this.#turnToExtra()) continue
      this.#targets = null
      this.#work.shift()
      if (work.kind === "row") this.#passed(work.row)
    }
  }

  #begin(work: HubWork): ReadonlyArray<Queue> {
    this.#at = 0
    this.#check = null
    this.#isAtExtra = false
    this.#shared.begin(this.#apartIn(work))
    this.#weight = work.kind === "row" ? this.#options.encoder.weight(work.row) : 0
    this.#extra = work.kind === "row" ? this.#live.publicQueues(work.row, work.receivers, this.#options.people) : nobody
    if (work.kind === "row") return this.#gather(work.receivers)
    if (!this.#ids.maySpend) {
      this.#askNoop()
      return nobody
    }
    return work.kind === "heartbeat" ? work.queues : this.#gather(work.receivers)
  }

  /** Goes on from the row's receivers to `#extra`; false if there are none, or they are done already. */
  #turnToExtra(): boolean {
    if (this.#isAtExtra || this.#extra.length === 0) return false
    this.#isAtExtra = true
    this.#targets = this.#extra
    this.#at = 0
    this.#shared.restart()
    return true
  }

  /** Offers the item to as many queues as the budget allows. Answers what is left of it: above 0 if all are done. */
  #slice(work: HubWork, targets: ReadonlyArray<Queue>, budget: number): number {
    // The ephemeral's id, or the last id of the row. Computed once for all queues.
    const id = work.kind === "row" ? lastOf(work.row) : this.#ids.next
    let left = budget
    for (let queue = targets[this.#at]; queue !== undefined; queue = targets[this.#at]) {
      this.#at++
      try {
        if (this.#check === null || this.#check(queue.spec.user)) this.#offer(work, queue, id)
      } catch (fault) {
        failQueue(queue, fault, this.#options.onFault)
      }
      left -= 1 + this.#compared
      this.#compared = 0
      if (left <= 0) return 0
    }
    if (work.kind !== "row") this.#ids.spend()
    return left
  }

  #offer(work: HubWork, queue: Queue, id: WireId): void {
    if (work.kind === "row") {
      queue.offer(this.#itemsOf(work.row, queue), id)
    } else if (work.kind === "heartbeat") {
      if (queue.isReady) queue.offer(this.#ephemeralOf(heartbeat, id, queue), id)
    } else if (queue.clientOptions.wants(work.body.type)) {
      queue.offer(this.#ephemeralOf(work.body, id, queue), id)
    }
  }

  #itemsOf(row: LogRow, queue: Queue): ReadonlyArray<EncodedEvent> {
    const { clientOptions } = queue
    if (isContained(queue.contained, row)) return nothing
    const echoes = row.origin !== null && row.origin.queueId === queue.spec.id
    if (echoes || this.#shared.isApart(queue.spec.user)) return this.#encode(row, queue, echoes)
    return this.#shared.find(clientOptions) ?? this.#shared.keep(clientOptions, this.#encode(row, queue, false))
  }

  #encode(row: LogRow, queue: Queue, echoes: boolean): ReadonlyArray<EncodedEvent> {
    const { clientOptions } = queue
    const { encoder } = this.#options
    if (!clientOptions.wants(row.type)) return nothing
    this.#compared = clientOptions.terms + this.#weight
    const receiver = this.#isAtExtra ? { ...queue.receiver, viaPublicStreams: true } : queue.receiver
    return encoder.passes(row, receiver, clientOptions.passes) ? encoder.row(row, receiver, echoes) : nothing
  }

  #ephemeralOf(body: EventBody, id: WireId, { clientOptions, spec, receiver }: Queue): ReadonlyArray<EncodedEvent> {
    const { encoder } = this.#options
    if (this.#shared.isApart(spec.user)) return encoder.ephemeral(body, id, receiver)
    return this.#shared.find(clientOptions) ?? this.#shared.keep(clientOptions, encoder.ephemeral(body, id, receiver))
  }

  #apartIn(work: HubWork): UserSet | null {
    if (work.kind === "heartbeat") return emptyUserSet
    return this.#options.encoder.apart(work.kind === "row" ? work.row : work.body)
  }

  #passed(row: LogRow): void {
    this.#ids.pass(row)
    this.#noopAsked = false
    this.#work.push(...this.#waiting.splice(0))
    while ((this.#afterwards[0]?.position ?? Number.POSITIVE_INFINITY) <= this.newest) this.#afterwards.shift()?.task()
  }

  #gather({ users, includes }: Receivers): ReadonlyArray<Queue> {
    if (users !== null) return this.#live.ofUsers(users)
    // Audiences without a list are judged by spans, queue by queue, when its slice comes.
    this.#check = includes
    return this.#live.all()
  }
}
