/**
 * A client of one queue: its last id, the events that it accepted, and all ids that it ever saw. It checks that every
 * event meant for the queue comes exactly once and nothing else does, that no id stands for two events, and that its
 * state after all events equals the answer of a fresh register.
 */
import { idSpan, lastIdOf } from "../../../src/events/event.ts"
import type { Json, JsonObject } from "../../../src/json.ts"
import { type Description, Expected } from "./expected.ts"
import { applyTo, type Journal, type State } from "./journal.ts"
import type { Link, WireItem } from "./link.ts"
import { Violation } from "./violation.ts"
import type { Whispers } from "./whispers.ts"

const ephemeralTypes: ReadonlyArray<string> = ["signal", "heartbeat"]

/** Parsed JSON, as the payload that it was. */
const payloadOf = (item: WireItem): JsonObject => {
  const payload: Record<string, Json> = {}
  for (const [key, value] of Object.entries(item))
    if (typeof value === "number" || typeof value === "string" || value === null) payload[key] = value
  return payload
}

const sectionOf = (key: string): string => key.split(":")[0] ?? key

const sections = (state: State, wanted: ReadonlyArray<string>): string =>
  [...state]
    .filter(([key]) => wanted.includes(sectionOf(key)))
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(" ")

export class Client {
  readonly queue: Description
  readonly expected: Expected
  /** The `last_event_id` that register answered. */
  readonly start: number
  readonly #journal: Journal
  readonly #whispers: Whispers
  /** The sections that register answered and whose events the queue brings. */
  readonly #kept: Array<string>
  readonly #state: State
  /** The events received and not forgotten, in order. */
  readonly #accepted: Array<WireItem> = []
  /** The next of the expected events. */
  #next = 0
  readonly #seen = new Map<number, string>()
  readonly #heard = new Set<unknown>()
  last: number
  /** The connections it reads. */
  readonly links: Array<Link> = []
  /** True once the queue was removed or its rows were pruned: the server may say that it is gone. */
  mayGo = false
  /** True once the server has said so. */
  isGone = false

  constructor(queue: Description, fetched: ReadonlyArray<string>, state: State, journal: Journal, whispers: Whispers) {
    this.queue = queue
    this.start = lastIdOf(queue.saw, queue.sawWidth)
    this.last = this.start
    this.expected = new Expected(journal, queue)
    this.#journal = journal
    this.#whispers = whispers
    this.#kept = fetched.filter((section) => queue.types === null || queue.types.includes(section))
    this.#state = new Map(state)
  }

  /** Ids that the client may send as `last_event_id`; the newest is its real one. */
  get ids(): ReadonlyArray<number> {
    return [-1, this.start, ...this.#accepted.map(({ id }) => id)]
  }

  /** Checks an event that the server sends against the expected event `next`; answers the index expected after it. */
  examine(event: WireItem, next: number): number {
    const text = JSON.stringify(event)
    const known = this.#seen.get(event.id)
    if (known !== undefined && known !== text) throw new Violation(`I4: one id, two events: ${known} and ${text}`)
    this.#seen.set(event.id, text)
    const due = this.expected.events[next]
    if (due !== undefined && due.id < event.id) throw new Violation(`${due.text} is passed over by ${text}`)
    if (ephemeralTypes.includes(event.type)) {
      this.#examineEphemeral(event, text)
      return next
    }
    if (due === undefined || due.id > event.id) throw new Violation(`${text} is not meant for user ${this.queue.user}`)
    if (due.text !== text) throw new Violation(`${text} should be ${due.text}`)
    return next + 1
  }

  #examineEphemeral(event: WireItem, text: string): void {
    const { types, user } = this.queue
    if (event.id % idSpan < this.#journal.widthOf(Math.floor(event.id / idSpan)))
      throw new Violation(`I5: ${text} takes an id of a row`)
    this.#whispers.examine(event, user)
    if (event.type === "heartbeat") return
    if (types !== null && !types.includes(event.type))
      throw new Violation(`${text} is of a type that was not asked for`)
    if (this.#heard.has(event["mark"])) throw new Violation(`${text} is sent a second time`)
    this.#heard.add(event["mark"])
  }

  /** Reads an event from one of its connections; skips events that it has already. */
  accept(event: WireItem): void {
    if (event.id <= this.last) return
    const due = this.expected.events[this.#next]
    if (due !== undefined && due.id < event.id) throw new Violation(`${due.text} never reached its reader`)
    if (due?.id === event.id) this.#next++
    this.#accepted.push(event)
    this.last = event.id
  }

  /** Goes on from an id that it never received: its state is not checked from now on. */
  leap(id: number): void {
    this.#kept.length = 0
    this.rewind(id)
  }

  /** Forgets the events after `id`, as a client that crashed; events on their way to it are lost. */
  rewind(id: number): void {
    for (const link of this.links.splice(0)) link.isDropped = true
    this.last = Math.max(id, this.start)
    while ((this.#accepted.at(-1)?.id ?? -1) > this.last) this.#accepted.pop()
    this.#next = this.expected.indexAfter(this.last)
  }

  drop(link: Link): void {
    link.isDropped = true
    const index = this.links.indexOf(link)
    if (index >= 0) this.links.splice(index, 1)
  }

  get isComplete(): boolean {
    return this.#next === this.expected.events.length
  }

  get missing(): string {
    return this.expected.events[this.#next]?.text ?? "nothing"
  }

  /** I13: the state of its register with all events since applied equals the state of a register now. */
  checkState(): void {
    const state = new Map(this.#state)
    for (const item of this.#accepted) {
      if (!this.#kept.includes(item.type)) continue
      try {
        applyTo(state, item.type, payloadOf(item))
      } catch (error) {
        throw new Violation(`I13: ${error instanceof Error ? error.message : error}`)
      }
    }
    const [own, fresh] = [sections(state, this.#kept), sections(this.#journal.state, this.#kept)]
    if (own !== fresh) throw new Violation(`I13: the state is ${own}, a register would answer ${fresh}`)
  }
}
