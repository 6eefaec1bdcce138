/**
 * Queues that have the same to send: their clients asked for the same, they have sent and examined the same, and each has a
 * socket that is ready. The hub offers an event once to all of them, and what they have to send is one list. What is left
 * for each delivery is a step in a flat list of connections; the queues themselves, each some cache lines that nothing else
 * has looked at since the last event, stay out of it.
 *
 *     sent, examined, pending    once for all. `flight`: the list that is being sent, over several turns of the loop;
 *                                members before `at` have it, the others do not yet
 *     members, connections       side by side; a hole where a queue has left, until the flight is over
 *
 * A queue leaves with exactly what it would have alone: a member before `at` has sent the flight, one behind it still has to.
 * It leaves by itself before anything is done to it alone (queue.ts), and is taken out where a row is not the same for it, or
 * not for it at all (cohorts.ts).
 */
import type { WireId } from "../ids.ts"
import type { Item } from "./bytes/item.ts"
import type { Chain } from "./chain.ts"
import type { Connection, Group, Member, Served } from "./group.ts"
import type { ClientOptions } from "./queue-spec.ts"

export interface CohortHost<M extends Member> {
  readonly root: () => Chain
  readonly pendingEvents: number
  readonly pendingBytes: number
  readonly wake: (served: Served) => void
  /** What was thrown while a member was served; it has left. */
  readonly failed: (member: M, fault: unknown) => void
  /** A member has come or gone. */
  readonly changed: () => void
  /** All that it had is sent. */
  readonly settled: (cohort: Cohort<M>) => void
}

export class Cohort<M extends Member> implements Group, Served {
  readonly clientOptions: ClientOptions
  isAwake = false
  readonly #host: CohortHost<M>
  #members: Array<M | null> = []
  #connections: Array<Connection | null> = []
  #count = 0
  #sent: WireId
  #examined: WireId
  #pending: Chain
  #flight: Chain | null = null
  #at = 0

  /** Empty, in the state of this queue. */
  constructor({ clientOptions, sent, examined }: Member, host: CohortHost<M>) {
    this.clientOptions = clientOptions
    this.#host = host
    this.#sent = sent
    this.#examined = examined
    this.#pending = host.root()
  }

  get count(): number {
    return this.#count
  }
  get examined(): WireId {
    return this.#examined
  }
  get pendingCount(): number {
    return this.#pending.count
  }
  get isDone(): boolean {
    return this.#flight === null
  }
  /** Any of its members: the events of all are the same. */
  get first(): M | null {
    return this.#members.find((member) => member !== null) ?? null
  }

  /** Whether one in this state, which has nothing to send, may stand here. */
  isLike({ clientOptions, sent, examined }: Pick<Member, "clientOptions" | "sent" | "examined">): boolean {
    const isIdle = this.#flight === null && this.#pending.count === 0
    return isIdle && clientOptions === this.clientOptions && sent === this.#sent && examined === this.#examined
  }

  /** `isLike` is true for it. */
  add(member: M): void {
    this.#connections.push(member.connection)
    member.enter(this, this.#members.push(member) - 1)
    this.#count++
    this.#host.changed()
  }

  /** Takes those of another one, which is in the same state. */
  absorb(other: Cohort<M>): void {
    const state = { clientOptions: other.clientOptions, sent: other.#sent, examined: other.#examined }
    if (other === this || !other.isLike(state) || !this.isLike(state)) return
    for (const member of other.#members) if (member !== null) this.add(member)
    other.#clear()
  }

  #hasFlight(place: number): boolean {
    return this.#flight === null || place < this.#at
  }

  sentTo(place: number): WireId {
    return this.#flight !== null && this.#hasFlight(place) ? (this.#flight.lastId ?? this.#sent) : this.#sent
  }

  pendingTo(place: number): number {
    return this.#pending.count + (this.#hasFlight(place) ? 0 : (this.#flight?.count ?? 0))
  }

  remove(place: number): void {
    const member = this.#members[place] ?? null
    if (member === null) return
    this.#members[place] = null
    this.#connections[place] = null
    this.#count--
    this.#host.changed()
    let owed = this.#hasFlight(place) ? this.#pending : (this.#flight ?? this.#pending)
    if (!this.#hasFlight(place)) for (const item of this.#pending.items()) owed = owed.append(item)
    member.leave(this.sentTo(place), this.#examined, owed)
  }

  /** As `offer` of a queue, for all of them. */
  offer(items: ReadonlyArray<Item>, last: WireId): void {
    if (last <= this.#examined) return
    if (this.#pending.count === 0 && items.length > 0) this.#pending = this.#host.root()
    for (const item of items) if (item.id > this.#examined) this.#pending = this.#pending.append(item)
    this.#examined = last
    const { count, bytes } = this.#pending
    if (count > this.#host.pendingEvents || bytes > this.#host.pendingBytes) this.scatter((member) => member.overflow())
    else if (count > 0) this.#host.wake(this)
  }

  /** All leave. */
  scatter(after: (member: M) => void): void {
    const members = this.#members
    for (let place = 0; place < members.length; place++) {
      const member = members[place] ?? null
      if (member === null) continue
      this.#try(member, () => {
        this.remove(place)
        after(member)
      })
    }
    if (this.#flight === null) this.#clear()
  }

  serve(most: number): number {
    if (this.#flight === null) {
      if (this.#pending.count === 0) return 1
      this.#flight = this.#pending
      this.#pending = this.#host.root()
      this.#at = 0
    }
    const flight = this.#flight
    const connections = this.#connections
    const from = this.#at
    const end = Math.min(connections.length, from + Math.max(1, most))
    while (this.#at < end) {
      const place = this.#at++
      const connection = connections[place]
      if (connection !== null && connection !== undefined) this.#send(connection, flight, place)
    }
    if (end === connections.length) this.#land(flight)
    return Math.max(1, end - from)
  }

  fail(): void {
    this.scatter((member) => member.fail())
  }

  #send(connection: Connection, flight: Chain, place: number): void {
    try {
      if (connection.send(flight) !== "open") this.#stalled(place)
    } catch (fault) {
      const member = this.#members[place] ?? null
      this.remove(place)
      if (member !== null) this.#host.failed(member, fault)
    }
  }

  #stalled(place: number): void {
    const member = this.#members[place]
    this.remove(place)
    member?.stall()
  }

  #land(flight: Chain): void {
    this.#sent = flight.lastId ?? this.#sent
    this.#flight = null
    if (2 * this.#count < this.#members.length) this.#close()
    this.#host.settled(this)
  }

  /** Closes the holes. */
  #close(): void {
    this.#connections = this.#connections.filter((connection) => connection !== null)
    this.#members = this.#members.filter((member) => member !== null)
    this.#members.forEach((member, place) => void member?.enter(this, place))
  }

  #clear(): void {
    this.#members = []
    this.#connections = []
    this.#count = 0
    this.#host.changed()
  }

  #try(member: M, act: () => void): void {
    try {
      act()
    } catch (fault) {
      this.#host.failed(member, fault)
    }
  }
}
