/** A queue without a server, for the table of its states and events: records each call that it makes to its host. */

import { type EncodedEvent, encodedEventOf } from "../../../src/events/bytes/encoded-event.ts"
import { indexOf, positionOf, wireId } from "../../../src/events/event.ts"
import { EventChain } from "../../../src/events/event-chain.ts"
import { Queue, type QueueConnection, type QueueState } from "../../../src/events/queue.ts"
import { QueueId, UserId, type WireId } from "../../../src/ids.ts"
import { queueHost } from "../../kit/queue-host.ts"
import { renderings } from "./model-events.ts"

/** Ids as `position.n`. */
export interface Seen {
  readonly state: QueueState
  readonly connection: "none" | "ready" | "stalled"
  readonly sent: string
  readonly examined: string
  readonly acked: string
  readonly pending: number
  /** The events sent to connections, and the reasons of their ends. */
  readonly out: ReadonlyArray<string>
  readonly told: ReadonlyArray<string>
  /** The calls to the host: wake, read, turnedLive, fellBehind. */
  readonly asked: ReadonlyArray<"wake" | "read" | "enter" | "leave">
  readonly answer: boolean | null
}
export const at = (position: number, n = 0): WireId => wireId(position, n)
const told = (id: WireId): string => (indexOf(id) === 0 ? `${positionOf(id)}` : `${positionOf(id)}.${indexOf(id)}`)
export const item = (position: number, n = 0): EncodedEvent => encodedEventOf(at(position, n), Buffer.from("{}"), true)
export const chain = (...items: ReadonlyArray<EncodedEvent>): EventChain =>
  items.reduce((run, each) => run.append(each), EventChain.root())

/** The newest row of the log. */
const head = 9

/** A queue whose start is 1, and a record of all that it does. */
export class Subject {
  readonly queue: Queue
  reading = 0
  stalls = false
  #out: Array<string> = []
  #told: Array<string> = []
  #asked: Array<"wake" | "read" | "enter" | "leave"> = []
  #answer: boolean | null = null

  constructor(cursor: number) {
    const host = queueHost({
      pendingEvents: 4,
      pendingBytes: 1000,
      wake: () => void this.#asked.push("wake"),
      read: () => void this.#asked.push("read"),
      turnedLive: () => void this.#asked.push("enter"),
      fellBehind: () => void this.#asked.push("leave"),
    })
    const spec = {
      id: QueueId("queue"),
      user: UserId(1),
      clientOptions: { rendering: renderings[0], openToPublic: false, wants: () => true, terms: 0, passes: () => true },
      start: at(1),
      contained: null,
      idleMilliseconds: 0,
    }
    this.queue = new Queue(spec, host, at(cursor))
  }

  connect(): QueueConnection {
    return {
      kind: "socket",
      waits: true,
      send: (events) => {
        this.#out.push(...events.items().map(({ id }) => told(id)))
        return this.stalls ? "stalled" : "open"
      },
      end: (reason) => void this.#told.push(reason),
    }
  }

  attach(cursor: number): void {
    this.queue.attach(this.connect(), at(cursor))
  }

  detach(): void {
    if (this.queue.connection !== null) this.queue.detach(this.queue.connection)
  }

  readToEnd(reading: number): void {
    this.queue.pageRead(reading, chain(item(4)), at(6))
    this.queue.turnLive(reading)
  }

  acknowledge(position: number): void {
    this.#answer = this.queue.acknowledge(at(position), at(head))
  }

  /** The state of the queue, and the calls recorded since the last call of this. */
  look(): Seen {
    const { queue } = this
    const seen: Seen = {
      state: queue.state,
      connection: queue.connection === null ? "none" : queue.isStalled ? "stalled" : "ready",
      sent: told(queue.sent),
      examined: told(queue.examined),
      acked: told(queue.acked),
      pending: queue.pendingCount,
      out: this.#out,
      told: this.#told,
      asked: this.#asked,
      answer: this.#answer,
    }
    this.#out = []
    this.#told = []
    this.#asked = []
    this.#answer = null
    return seen
  }
}

/** Behind, at 3; where it stalls, 3 is what it was given last. */
export const behind = (stalls: boolean): Subject => {
  const subject = new Subject(stalls ? 2 : 3)
  subject.attach(stalls ? 2 : 3)
  subject.reading = subject.queue.beginReading()
  if (stalls) {
    subject.stalls = true
    subject.queue.pageRead(subject.reading, chain(item(3)), at(3))
    subject.queue.flush()
    subject.stalls = false
  }
  return subject
}

export const live = (stalls: boolean): Subject => {
  const subject = behind(stalls)
  subject.queue.pageRead(subject.reading, chain(), at(3))
  subject.queue.turnLive(subject.reading)
  subject.queue.offer([item(5)], at(5))
  subject.queue.offer([], at(6))
  return subject
}

export const withoutConnection = (subject: Subject): Subject => {
  subject.detach()
  return subject
}

export const ended = (subject: Subject): Subject => {
  subject.queue.end("deleted")
  return subject
}
