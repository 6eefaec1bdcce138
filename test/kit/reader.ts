/**
 * A reader of one queue that checks on its own what every queue promises: ids rise strictly, and none comes twice. It
 * reads by poll or by WebSocket and may change from one to the other between two events. It shows each answer and frame as it
 * came, never tries again, and takes an id that comes twice for a fault: what src/client is there to hide.
 */
import * as Predicate from "effect/Predicate"
import type { Fields, Person } from "./client.ts"
import { connect, type SocketClient } from "./socket-client.ts"
import { checkEvents } from "./wire-schemas.ts"

export interface ReadEvent {
  readonly id: number
  readonly type: string
  readonly [key: string]: unknown
}

const isEvent = (value: unknown): value is ReadEvent =>
  Predicate.isObject(value) && Predicate.isNumber(value["id"]) && Predicate.isString(value["type"])

/** The events of an answer or of a frame, each of them as the API has it. */
export const eventsOf = (value: unknown): ReadonlyArray<ReadEvent> => {
  if (!Array.isArray(value)) throw new Error(`not a list of events: ${JSON.stringify(value)}`)
  checkEvents(value)
  return value.map((each: unknown) => {
    if (!isEvent(each)) throw new Error(`not an event: ${JSON.stringify(each)}`)
    return each
  })
}

export class Reader {
  readonly person: Person
  readonly port: number
  /** The whole answer of the register. */
  readonly state: Readonly<Record<string, unknown>>
  readonly queueId: string
  /** All events so far, in order. */
  readonly events: Array<ReadEvent> = []
  lastId: number
  #socket: SocketClient | null = null

  constructor(person: Person, port: number, state: Readonly<Record<string, unknown>>) {
    this.person = person
    this.port = port
    this.state = state
    this.queueId = String(state["queue_id"])
    this.lastId = Number(state["last_event_id"])
  }

  #take(events: ReadonlyArray<ReadEvent>): ReadonlyArray<ReadEvent> {
    for (const event of events) {
      if (event.id <= this.lastId) throw new Error(`id ${event.id} came after ${this.lastId}`)
      this.lastId = event.id
      this.events.push(event)
    }
    return events
  }

  /** One GET /events. It waits for events unless `wait` is false. */
  async poll(wait = true, fields: Fields = {}): Promise<ReadonlyArray<ReadEvent>> {
    const body = await this.person.must.get("/events", {
      queue_id: this.queueId,
      last_event_id: this.lastId,
      dont_block: !wait,
      ...fields,
    })
    return this.#take(eventsOf(body["events"]))
  }

  /** Opens a WebSocket that continues after the reader's last event. */
  async open(form: "json" | "msgpack" = "json"): Promise<SocketClient> {
    const { email, key } = this.person.account
    this.#socket = await connect({
      port: this.port,
      path: `/api/v1/events/ws?queue_id=${this.queueId}&last_event_id=${this.lastId}`,
      headers: { Authorization: `Basic ${Buffer.from(`${email}:${key}`).toString("base64")}` },
      protocol: `parley.v1.${form}`,
    })
    return this.#socket
  }

  /** The next frame of the WebSocket, acknowledged. */
  async frame(): Promise<ReadonlyArray<ReadEvent>> {
    const socket = this.#socket
    if (socket === null) throw new Error("no WebSocket is open")
    const events = this.#take(eventsOf(JSON.parse(await socket.next())))
    socket.say({ ack: this.lastId })
    return events
  }

  /** Reads until `count` events other than heartbeats have come by this call. */
  async take(count: number): Promise<ReadonlyArray<ReadEvent>> {
    const taken: Array<ReadEvent> = []
    while (taken.length < count) {
      const events = this.#socket === null ? await this.poll() : await this.frame()
      taken.push(...events.filter((event) => event.type !== "heartbeat"))
    }
    return taken
  }

  /** Reads until an event passes; answers it. */
  async until(passes: (event: ReadEvent) => boolean): Promise<ReadEvent> {
    for (;;) {
      const events = this.#socket === null ? await this.poll() : await this.frame()
      const found = events.find(passes)
      if (found !== undefined) return found
    }
  }

  /** All events that there are now, without waiting. */
  async rest(): Promise<ReadonlyArray<ReadEvent>> {
    const taken: Array<ReadEvent> = []
    for (;;) {
      const events = await this.poll(false)
      if (events.length === 0) return taken
      taken.push(...events)
    }
  }

  /** Forgets the events after `id`, as if their answer had been lost. */
  rewind(id: number): void {
    this.lastId = id
    while ((this.events.at(-1)?.id ?? -1) > id) this.events.pop()
  }

  dropSocket(): void {
    this.#socket?.destroy()
    this.#socket = null
  }
}
