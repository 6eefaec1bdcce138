/**
 * A client of one queue, and its memory: the id it has come to, what it accepted, all that it ever saw. It checks that
 * every event meant for it comes exactly once and nothing else does, that no id ever means two things, and that its
 * state after all events is the one that a fresh register would answer.
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
  /** What came and was not thrown away, in order. */
  readonly #accepted: Array<WireItem> = []
  /** The next of the expected events. */
  #next = 0
  readonly #seen = new Map<number, string>()
  readonly #heard = new Set<unknown>()
  last: number
  /** The connections it reads. */
  readonly links: Array<Link> = []
  /** The server has a reason to say that the queue is gone. */
  mayGo = false
  /** It has been told. */
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

  /** The ids that it could name as its last one, the true one last. */
  get ids(): ReadonlyArray<number> {
    return [-1, this.start, ...this.#accepted.map(({ id }) => id)]
  }

  /** The server hands it an event, of which `next` is the expected one; answers which one is expected after it. */
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

  /** Reads an event off one of its connections; what it has already is passed over. */
  accept(event: WireItem): void {
    if (event.id <= this.last) return
    const due = this.expected.events[this.#next]
    if (due !== undefined && due.id < event.id) throw new Violation(`${due.text} never reached its reader`)
    if (due?.id === event.id) this.#next++
    this.#accepted.push(event)
    this.last = event.id
  }

  /** Goes on after an id that it never had: its state is worth nothing from now on. */
  leap(id: number): void {
    this.#kept.length = 0
    this.rewind(id)
  }

  /** Forgets what came after `id`, as if it had crashed; what is still on its way to it is lost. */
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

  /** I13: what it was told at register, and all events since, are what a register would tell it now. */
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
