/** Long polls on one connection, one after the other. Their answers are read whole, so any server of the API can be read. */
import * as Predicate from "effect/Predicate"
import { EventReader, type EventSink } from "./event-reader.ts"
import { parseAnswer } from "./http-answer.ts"
import type { ServerAddress } from "./server-address.ts"

const emptyPollDelayMilliseconds = 50

/** The last event's id; -1 where there is none, undefined for something else than an answer of the API. */
const lastIdIn = (body: string): number | undefined => {
  try {
    const answer: unknown = JSON.parse(body)
    if (!Predicate.hasProperty(answer, "events") || !Array.isArray(answer.events)) return undefined
    const ids = answer.events.map((event: unknown) => (Predicate.hasProperty(event, "id") ? Number(event.id) : -1))
    return Math.max(-1, ...ids)
  } catch {
    return undefined
  }
}

export class PollReader extends EventReader {
  readonly #request: () => string
  #carry: Buffer | null = null

  /** `request` makes the whole request for the events after the last one that the sink was given. */
  constructor(place: ServerAddress, request: () => string, sink: EventSink, opened: () => void) {
    super(place, sink)
    this.#request = request
    this.socket.setNoDelay(true)
    this.socket.once(place.isSecure ? "secureConnect" : "connect", () => {
      this.#ask()
      opened()
    })
  }

  #ask(): void {
    if (!this.socket.destroyed) this.socket.write(this.#request(), "latin1")
  }

  protected read(bytes: Uint8Array, length: number): void {
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, length)
    const all = this.#carry === null ? view : Buffer.concat([this.#carry, view])
    const answer = parseAnswer(all)
    this.#carry = answer === null ? Buffer.from(all) : null
    if (answer === null) return
    const { status, body } = answer
    const last = status === 200 ? lastIdIn(body.toString("utf8")) : undefined
    if (last === undefined) return this.sink.onClose(all.toString("utf8", 0, 600))
    if (last < 0) return void setTimeout(() => this.#ask(), emptyPollDelayMilliseconds)
    this.sink.onBytes?.(body, 0, body.length)
    this.sink.onFrame(last, body.length)
    this.#ask()
  }
}
