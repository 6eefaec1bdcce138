/** The events that a queue must deliver, computed from all rows without any code of the program. */
import { type ClientRendering, type EventReceiver, eventText, JsonText, wireOf } from "../../../src/events/encode.ts"
import { idSpan } from "../../../src/events/event.ts"
import type { QueueId, UserId } from "../../../src/ids.ts"
import type { Entry, Journal } from "./journal.ts"
import { echo, typeOf } from "./model-events.ts"

/** A queue's description as it was stored at register. */
export interface Description {
  readonly id: QueueId
  readonly user: UserId
  readonly rendering: ClientRendering
  /** null: every type. */
  readonly types: ReadonlyArray<string> | null
  readonly openToPublic: boolean
  /** The only sender whose messages pass; null: all do. */
  readonly narrow: UserId | null
  /** The register state is of row `saw` (of width `sawWidth`), that of the types in `contained` of row `took`. */
  readonly saw: number
  readonly sawWidth: number
  readonly took: number
  readonly contained: ReadonlyArray<string>
}

export interface ExpectedEvent {
  readonly id: number
  readonly text: string
}

export class Expected {
  readonly #journal: Journal
  readonly #queue: Description
  readonly #events: Array<ExpectedEvent> = []
  #looked: number

  constructor(journal: Journal, queue: Description) {
    this.#journal = journal
    this.#queue = queue
    this.#looked = queue.saw
  }

  /** The expected events in order, up to the newest row. */
  get events(): ReadonlyArray<ExpectedEvent> {
    const { entries } = this.#journal
    for (; this.#looked < entries.length; this.#looked++) {
      const entry = entries[this.#looked]
      if (entry !== undefined && this.#isMeant(entry)) this.#add(entry)
    }
    return this.#events
  }

  /** The index of the first expected event after `id`. */
  indexAfter(id: number): number {
    const index = this.events.findIndex((event) => event.id > id)
    return index < 0 ? this.#events.length : index
  }

  #isMeant({ row, readers, visitors }: Entry): boolean {
    const { user, types, openToPublic, narrow, took, contained } = this.#queue
    if (narrow !== null && row.type === "message" && row.payload["sender"] !== narrow) return false
    if (types !== null && !types.includes(row.type)) return false
    if (row.position <= took && contained.includes(row.type)) return false
    return readers.has(user) || (openToPublic && visitors.has(user))
  }

  #add({ row, readers }: Entry): void {
    const { user, rendering } = this.#queue
    const receiver: EventReceiver = { user, rendering, viaPublicStreams: !readers.has(user) }
    for (const { n, event } of wireOf(typeOf(row.type), row, receiver)) {
      const id = row.position * idSpan + n
      const echoes = row.origin?.queueId === this.#queue.id && !(event instanceof JsonText)
      this.#events.push({ id, text: eventText(echoes ? echo(row, event, receiver) : event, id) })
    }
  }
}
