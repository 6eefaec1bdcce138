/**
 * A queue for each user, read after each request, and others that nobody reads until the end: those get the same events, but
 * for what is not stored, and without the content of messages that are deleted by then.
 */
import { capabilityNames } from "../../../../../src/events/client-capabilities.ts"
import { objectIn } from "../../../../kit/client-sections.ts"
import { eventsOf, type ReadEvent } from "../../../../kit/reader.ts"
import { type ClientOptions, Hearing, messagesOf } from "./hearing.ts"
import { Disagreement, type Scene } from "./scene.ts"
import { visibilityOf } from "./sight.ts"
import type { User } from "./world.ts"

const modern = {
  apply_markdown: false,
  client_capabilities: Object.fromEntries(capabilityNames.map((name) => [name, true])),
  fetch_event_types: ["realm"],
}
/** Old clients get an event for each message, and the name of the empty topic. */
const old = { apply_markdown: false, client_capabilities: { archived_channels: true }, fetch_event_types: ["realm"] }

const own: ClientOptions = { isOpen: false, fits: () => true }

/** Clients beside one for each user: those that see public channels, and an old one. */
const further: ReadonlyArray<readonly [name: string, fields: object, clientOptions: ClientOptions]> = [
  ["shiva", { ...modern, all_public_streams: true }, { ...own, isOpen: true }],
  ["othello", { ...modern, all_public_streams: true }, { ...own, isOpen: true }],
  [
    "hamlet",
    { ...modern, narrow: [["topic", "rivers"]] },
    { isOpen: true, fits: ({ channel, topic }) => channel !== null && topic.toLowerCase() === "rivers" },
  ],
  [
    "polonius",
    { ...modern, narrow: [["topic", "Fox Hunt"]] },
    { isOpen: true, fits: ({ channel, topic }) => channel !== null && topic.toLowerCase() === "fox hunt" },
  ],
  ["cordelia", old, own],
]

interface Listener {
  readonly user: User
  readonly clientOptions: ClientOptions
  readonly queue: string
  last: number
  /** Events that were read before the request's end. */
  early: ReadonlyArray<ReadEvent>
  readonly heard: Array<ReadEvent>
  /** A queue like it that is read at the end. */
  readonly late: { readonly queue: string; readonly last: number } | undefined
}

/** The subject of an event, as both queues must have it; null: it is not stored. */
const gist = (event: ReadEvent): string | null =>
  event.type.startsWith("typing")
    ? null
    : JSON.stringify([event.type, event["op"], event["stream_id"], event["topic"], messagesOf(event)])
const gists = (events: ReadonlyArray<ReadEvent>): ReadonlyArray<string> => events.flatMap((event) => gist(event) ?? [])

export class Listeners {
  readonly #scene: Scene
  readonly #listeners: Array<Listener> = []

  constructor(scene: Scene) {
    this.#scene = scene
  }

  async begin(): Promise<void> {
    for (const user of this.#scene.world.activeUsers()) await this.#listen(user)
    for (const [name, fields, clientOptions] of further)
      await this.#add(this.#scene.userNamed(name), fields, clientOptions, false)
  }

  async #listen(user: User): Promise<void> {
    await this.#add(user, modern, own, true)
  }

  async #add(user: User, fields: object, clientOptions: ClientOptions, hasLate: boolean): Promise<void> {
    const register = async () => {
      const state = await this.#scene.as(user).must.post("/register", { ...fields })
      return { queue: String(state["queue_id"]), last: Number(state["last_event_id"]) }
    }
    const late = hasLate ? await register() : undefined
    this.#listeners.push({ user, clientOptions, ...(await register()), early: [], heard: [], late })
  }

  async #read(user: User, queue: string, last: number): Promise<ReadonlyArray<ReadEvent>> {
    const fields = { queue_id: queue, last_event_id: last, dont_block: true }
    return eventsOf((await this.#scene.as(user).must.get("/events", fields))["events"])
  }

  async #next(listener: Listener): Promise<ReadonlyArray<ReadEvent>> {
    const events = [...listener.early, ...(await this.#read(listener.user, listener.queue, listener.last))]
    listener.early = []
    listener.last = events.at(-1)?.id ?? listener.last
    listener.heard.push(...events)
    return events
  }

  /** Does something and judges what all queues hear of it. */
  async heed<A>(act: () => Promise<A>): Promise<A> {
    const { world } = this.#scene
    const before = visibilityOf(world)
    world.flagged = undefined
    world.deleter = undefined
    const answer = await act()
    const after = visibilityOf(world)
    const deed = { before, after, flagged: world.flagged, deleter: world.deleter }
    // A user who is away has no queue; who is back registers again.
    for (const listener of [...this.#listeners]) {
      if (listener.user.isActive)
        new Hearing(world, listener.user, listener.clientOptions, deed, await this.#next(listener)).judge()
      else this.#listeners.splice(this.#listeners.indexOf(listener), 1)
    }
    for (const user of world.activeUsers())
      if (!this.#listeners.some((each) => each.user === user)) await this.#listen(user)
    return answer
  }

  /**
   * Reads the user's queue to its end before something happens that is not stored: only a queue that was read to its end
   * hears of that, and after a restart, or new, it was not.
   */
  async attend(user: User): Promise<void> {
    const listener = this.#ownOf(user)
    if (listener === undefined) return
    const events = await this.#read(user, listener.queue, listener.last)
    listener.early = [...listener.early, ...events]
    listener.last = events.at(-1)?.id ?? listener.last
  }

  #ownOf(user: User): Listener | undefined {
    return this.#listeners.find((each) => each.user === user && each.late !== undefined)
  }

  /** Waits for an event that is not stored, which may come a moment after the answer. The user attended before. */
  async waitFor(user: User, type: string, op: string): Promise<void> {
    const listener = this.#ownOf(user)
    if (listener === undefined) return
    while (!listener.early.some((event) => event.type === type && event["op"] === op)) {
      const fields = { queue_id: listener.queue, last_event_id: listener.last }
      const events = eventsOf((await this.#scene.as(user).must.get("/events", fields))["events"])
      listener.early = [...listener.early, ...events]
      listener.last = events.at(-1)?.id ?? listener.last
    }
  }

  /** Compares the queues that were not read with those that were. */
  async end(): Promise<void> {
    const { world } = this.#scene
    for (const { user, late, heard } of this.#listeners) {
      if (late === undefined) continue
      const events: Array<ReadEvent> = []
      for (let { last } = late; ; ) {
        const page = await this.#read(user, late.queue, last)
        if (page.length === 0) break
        events.push(...page)
        last = page.at(-1)?.id ?? last
      }
      const [is, must] = [gists(events), gists(heard)]
      const at = is.findIndex((each, n) => each !== must[n])
      if (is.length !== must.length || at >= 0)
        throw new Disagreement(`${user.name} later hears ${is.length}, not ${must.length}: ${is[at]}, not ${must[at]}`)
      for (const event of events) {
        const contents = [event["content"], event["orig_content"], objectIn(event["message"] ?? {})["content"]]
        const isGone = messagesOf(event).some((id) => !world.messages.has(id))
        if (isGone && contents.some((each) => each !== undefined && each !== "" && each !== "{}"))
          throw new Disagreement(`${user.name} later hears what is deleted: ${JSON.stringify(event)}`)
      }
    }
  }
}
