/**
 * One connection between a client and the server: frames that the server sent wait here until the client reads them, or
 * are lost. Checks each frame: ids rise, and the events are the expected ones.
 */
import * as Predicate from "effect/Predicate"
import type { EventChain } from "../../../src/events/event-chain.ts"
import type { EndReason, QueueConnection } from "../../../src/events/queue.ts"
import type { Client } from "./client.ts"
import { Violation } from "./violation.ts"

/** An event as a client reads it. */
export interface WireItem {
  readonly id: number
  readonly type: string
  readonly [key: string]: unknown
}

export type Message =
  | { readonly kind: "events"; readonly events: ReadonlyArray<WireItem> }
  | { readonly kind: "end"; readonly reason: EndReason | "cut" }

export interface FrameLimits {
  readonly pendingEvents: number
  readonly pendingBytes: number
}

const isItem = (value: unknown): value is WireItem =>
  Predicate.isObject(value) && Predicate.isNumber(value["id"]) && Predicate.isString(value["type"])

const readItems = (value: unknown): ReadonlyArray<WireItem> => {
  if (Array.isArray(value) && value.every(isItem)) return value
  throw new Violation(`not a list of events: ${JSON.stringify(value)}`)
}

const readBody = (text: string): ReadonlyArray<WireItem> => {
  const body: unknown = JSON.parse(text)
  return readItems(Predicate.isObject(body) && body["result"] === "success" ? body["events"] : body)
}

export class Link implements QueueConnection {
  readonly kind: "poll" | "socket"
  readonly waits: boolean
  readonly client: Client
  /** Events sent by the server and not read by the client yet. */
  readonly inbox: Array<Message> = []
  /** Frames that fit into the connection before the server must wait. */
  readonly #room: number
  readonly #limits: FrameLimits
  /** The last id that the server has handed to it, or its cursor. */
  handed: number
  /** The next of the client's expected events to come. */
  next: number
  /** True until the server ends the connection or notices that the client has left. */
  isOpen = true
  /** True once the client has stopped reading the connection. */
  isDropped = false
  /** True once the server has noticed the end. */
  isNoticed = false
  isStalled = false
  /** The hub's newest id. */
  readonly #now: () => number
  /**
   * The ids given while the connection was stalled lie between these two. The last one does not count: it may be that of
   * the heartbeat which the hub is offering, and has not come to this queue with yet.
   */
  #stalledFrom = 0
  #stalledTo = 0
  /** True where neither log nor ring held the first row to read: the client must be told so, and get nothing else. */
  mustGo = false

  constructor(
    client: Client,
    kind: "poll" | "socket",
    waits: boolean,
    cursor: number,
    room: number,
    limits: FrameLimits,
    now: () => number,
  ) {
    this.client = client
    this.kind = kind
    this.waits = waits
    this.#room = room
    this.#limits = limits
    this.#now = now
    this.handed = Math.max(cursor, client.start)
    this.next = client.expected.indexAfter(this.handed)
  }

  send(chain: EventChain): "open" | "stalled" | "done" {
    if (!this.isOpen) throw new Violation("a connection is written to after its end")
    if (this.isStalled) throw new Violation("a stalled socket is given more")
    if (this.mustGo) throw new Violation("a queue whose past is gone goes on")
    const text = (this.kind === "poll" ? chain.body() : chain.frame()).toString()
    const events = this.kind === "poll" ? readBody(text) : readItems(JSON.parse(text))
    if (events.length === 0 && this.waits) throw new Violation("a waiting connection is given nothing")
    if (events.length > this.#limits.pendingEvents) throw new Violation(`a frame of ${events.length} events`)
    const bytes = events.reduce((sum, event) => sum + JSON.stringify(event).length + 1, 0)
    if (events.length > 1 && bytes > this.#limits.pendingBytes) throw new Violation(`a frame of ${bytes} bytes`)
    for (const event of events) {
      if (event.type === "heartbeat" && event.id > this.#stalledFrom && event.id < this.#stalledTo)
        throw new Violation("a heartbeat waited behind a stalled socket")
      if (event.id <= this.handed) throw new Violation(`I3: id ${event.id} is sent after ${this.handed}`)
      this.next = this.client.examine(event, this.next)
      this.handed = event.id
    }
    this.inbox.push({ kind: "events", events })
    if (this.kind === "poll") {
      this.isOpen = false
      return "done"
    }
    this.isStalled = this.inbox.length >= this.#room
    if (this.isStalled) this.#stalledFrom = this.#now()
    return this.isStalled ? "stalled" : "open"
  }

  drained(): void {
    this.isStalled = false
    this.#stalledTo = this.#now()
  }

  end(reason: EndReason): void {
    if (!this.isOpen) throw new Violation(`a connection is ended twice (${reason})`)
    if (reason === "gone" && !this.client.mayGo) throw new Violation("a queue is gone that need not be")
    this.isOpen = false
    this.inbox.push({ kind: "end", reason })
  }

  /** The process died: the connection breaks without a farewell. */
  cut(): void {
    this.isOpen = false
    this.isNoticed = true
    this.inbox.push({ kind: "end", reason: "cut" })
  }

  /** A stalled socket with room again. */
  get isDrained(): boolean {
    return this.isStalled && 2 * this.inbox.length <= this.#room
  }
}
