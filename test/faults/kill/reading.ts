/**
 * The events that the client of one queue has read. Checks what a client can check by itself: ids rise, no id stands
 * for two events, an ephemeral comes once. audit.ts compares the events with the log.
 */
import * as Predicate from "effect/Predicate"
import type { ReadEvent } from "../../kit/reader.ts"
import type { Faults, Member } from "./world.ts"

export interface Seen {
  readonly id: number
  readonly label: string
}

const ephemeral: ReadonlySet<string> = new Set(["heartbeat", "typing"])

const fieldOf = (value: unknown, name: string): unknown => (Predicate.isObject(value) ? value[name] : undefined)

/** The word that a message's content begins with. */
const tokenIn = (content: string): string => /m-\d+-[\w-]+/.exec(content)?.[0] ?? content.slice(0, 30)

export interface MessageFacts {
  readonly id: number
  readonly sender: number
  readonly content: string
  readonly localId: string | null
}

export const messageLabel = ({ id, sender, content, localId }: MessageFacts): string =>
  `message ${id} of ${sender}: ${tokenIn(content)}, ${content.length} characters${localId === null ? "" : ` as ${localId}`}`

const list = (value: unknown): string => (Array.isArray(value) ? value.map(String).sort().join(",") : String(value))

/** A text that identifies an event among those of its kind; audit.ts makes the same text from the log's row. */
const labelOf = (event: ReadEvent): string => {
  const { type } = event
  switch (type) {
    case "message": {
      const message = event["message"]
      const localId = event["local_message_id"]
      return messageLabel({
        id: Number(fieldOf(message, "id")),
        sender: Number(fieldOf(message, "sender_id")),
        content: String(fieldOf(message, "content")),
        localId: Predicate.isString(localId) ? localId : null,
      })
    }
    case "typing":
      return `typing ${String(event["op"])} ${String(event["topic"])}`
    case "stream": {
      const streams = event["streams"]
      const ids = Array.isArray(streams)
        ? streams.map((each: unknown) => fieldOf(each, "stream_id"))
        : event["stream_id"]
      return `stream ${String(event["op"])} ${list(ids)}`
    }
    case "subscription": {
      const subscriptions = event["subscriptions"]
      const ids = Array.isArray(subscriptions)
        ? subscriptions.map((each: unknown) => fieldOf(each, "stream_id"))
        : event["stream_ids"]
      const users = event["user_ids"] === undefined ? "" : ` ${list(event["user_ids"])}`
      return `subscription ${String(event["op"])} ${list(ids)}${users}`
    }
    default:
      return type
  }
}

export class Reading {
  readonly name: string
  readonly owner: Member
  readonly queueId: string
  /** The id to go on from. */
  lastId: number
  /** Stored events in order, each counted once however often the client went back. */
  readonly stored: Array<Seen> = []
  /** The event of every id that ever came. */
  readonly labels = new Map<number, string>()
  readonly ephemerals = new Map<number, string>()
  readonly #faults: Faults
  readonly #isMoved: boolean

  /** `isMoved`: several processes serve the queue, each with ids of its own for what is not stored. */
  constructor(
    name: string,
    owner: Member,
    state: Readonly<Record<string, unknown>>,
    { faults, isMoved = false }: { readonly faults: Faults; readonly isMoved?: boolean },
  ) {
    this.name = name
    this.owner = owner
    this.queueId = String(state["queue_id"])
    this.lastId = Number(state["last_event_id"])
    this.#faults = faults
    this.#isMoved = isMoved
  }

  take(events: ReadonlyArray<ReadEvent>): void {
    for (const event of events) {
      const { id, type } = event
      const label = labelOf(event)
      if (id <= this.lastId) this.#faults.add(`${this.name}: ${label} has id ${id}, after ${this.lastId}`)
      const known = this.labels.get(id)
      if (known !== undefined && known !== label)
        this.#faults.add(`${this.name}: id ${id} stood for "${known}" and now for "${label}"`)
      this.lastId = id
      this.labels.set(id, label)
      if (!ephemeral.has(type)) this.stored.push({ id, label })
      else if (this.ephemerals.has(id)) this.#faults.add(`${this.name}: the ephemeral ${label} came twice`)
      else this.ephemerals.set(id, label)
    }
  }

  /** Forgets the last `count` stored events and what came after them, as a client that crashed. */
  forget(count: number): void {
    const first = this.stored.at(-count)
    if (first === undefined) return
    this.lastId = first.id - 1
    this.stored.splice(-count)
    if (!this.#isMoved) return
    // Another process may give such an id to something else: whoever goes back has not heard of it any more.
    for (const id of [...this.ephemerals.keys()].filter((each) => each > this.lastId)) {
      this.ephemerals.delete(id)
      this.labels.delete(id)
    }
  }
}
