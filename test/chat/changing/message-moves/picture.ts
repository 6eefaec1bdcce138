/**
 * A client that believes what it is told: it keeps each message that it hears of, changes it by the events, asks for one
 * that it does not know when it is told of its move, and drops what is deleted or stands in a private channel that it left.
 */
import type { Test } from "tap"
import type { Fields, Person } from "../../../kit/client.ts"
import { numbersIn, objectIn, objectsIn } from "../../../kit/client-sections.ts"
import type { ReadEvent, Reader } from "../../../kit/reader.ts"
import { recordsIn } from "../../../kit/records.ts"

interface Known {
  content: unknown
  subject: unknown
  channel: number
  flags: ReadonlyArray<string>
  readonly reactions: Set<string>
  /** Read in a channel without being told of it: nobody tells of what changes there. */
  isOld: boolean
}

const flagsIn = (flags: unknown): ReadonlyArray<string> => (Array.isArray(flags) ? flags.map(String).sort() : [])
const reactionOf = ({ emoji_name, user_id }: Fields): string => `${emoji_name} of ${user_id}`

const knownOf = (message: Fields, flags: unknown): Known => ({
  content: message["content"],
  subject: message["subject"],
  channel: Number(message["stream_id"]),
  flags: flagsIn(flags),
  reactions: new Set(objectsIn(message["reactions"]).map(reactionOf)),
  isOld: false,
})
const plain = ({ isOld: _, reactions, ...known }: Known) => ({ ...known, reactions: [...reactions].sort() })

export const asked = {
  event_types: ["message", "update_message", "delete_message", "reaction", "update_message_flags", "subscription"],
  apply_markdown: false,
  client_capabilities: { empty_topic_name: true, bulk_message_deletion: true },
}
const shown = { apply_markdown: false, allow_empty_topic_name: true }
/** Messages of other ways and notices that may stand among those of one. */
const others = 10

export class Picture {
  readonly known = new Map<number, Known>()
  /** All that it was told. */
  readonly told: Array<ReadEvent> = []
  readonly #person: Person
  readonly #reader: Reader
  readonly #subscribed: Set<number>

  constructor(person: Person, reader: Reader, subscribed: Iterable<number>) {
    this.#person = person
    this.#reader = reader
    this.#subscribed = new Set(subscribed)
  }

  /** Applies all that has come. */
  async settle(): Promise<void> {
    await this.#take(await this.#reader.rest())
  }

  /** Applies what one request gives: mostly all that has come. */
  async read(): Promise<void> {
    await this.#take(await this.#reader.poll(false))
  }

  async #take(events: ReadonlyArray<ReadEvent>): Promise<void> {
    for (const event of events) {
      this.told.push(event)
      await this.#apply(event)
    }
  }

  /** Asks for a message, as one who looks into a channel without being in it does. */
  async look(id: number): Promise<void> {
    if (this.known.has(id)) return
    await this.#fetch(id)
    const known = this.known.get(id)
    if (known !== undefined) known.isOld = true
  }

  async #fetch(id: number): Promise<void> {
    const { status, body } = await this.#person.get(`/messages/${id}`, shown)
    const message = objectIn(body["message"] ?? {})
    if (status === 200) this.known.set(id, knownOf(message, message["flags"]))
  }

  async #apply(event: ReadEvent): Promise<void> {
    switch (event.type) {
      case "message":
        this.known.set(Number(objectIn(event["message"])["id"]), knownOf(objectIn(event["message"]), event["flags"]))
        return
      case "update_message":
        return this.#updated(event)
      case "delete_message":
        for (const id of numbersIn(event["message_ids"])) this.known.delete(id)
        return
      case "reaction":
        if (event["op"] === "add") this.known.get(Number(event["message_id"]))?.reactions.add(reactionOf(event))
        else this.known.get(Number(event["message_id"]))?.reactions.delete(reactionOf(event))
        return
      case "update_message_flags":
        return this.#flagged(event)
      case "subscription":
        return this.#subscriptions(event)
    }
  }

  async #updated({ message_id, message_ids, flags, content, subject, new_stream_id: to }: Fields): Promise<void> {
    for (const id of numbersIn(message_ids)) {
      const known = this.known.get(id)
      if (known === undefined) {
        await this.#fetch(id)
        continue
      }
      known.isOld = false
      if (subject !== undefined) known.subject = subject
      if (to !== undefined) known.channel = Number(to)
      if (to !== undefined && !this.#subscribed.has(Number(to)) && !known.flags.includes("read"))
        known.flags = [...known.flags, "read"].sort()
      if (id !== message_id) continue
      known.flags = flagsIn(flags)
      if (content !== undefined) known.content = content
    }
  }

  #flagged({ op, flag, messages }: Fields): void {
    for (const id of numbersIn(messages)) {
      const known = this.known.get(id)
      const others = known?.flags.filter((each) => each !== flag) ?? []
      if (known !== undefined) known.flags = op === "add" ? [...others, String(flag)].sort() : others
    }
  }

  #subscriptions({ op, subscriptions }: Fields): void {
    for (const { stream_id } of objectsIn(subscriptions ?? [])) {
      if (op === "add") this.#subscribed.add(Number(stream_id))
      if (op === "remove") this.#subscribed.delete(Number(stream_id))
    }
  }

  /** Compares what it knows of these messages with what the server shows now: they, or those in the reader's own feed. */
  async compare(t: Test, what: string, ids: ReadonlyArray<number>): Promise<void> {
    const page = { ...shown, anchor: Math.min(...ids), num_before: 0, num_after: ids.length + others, narrow: [] }
    const own = recordsIn((await this.#person.must.get("/messages", page))["messages"])
    const found = new Map(own.map((message) => [Number(message["id"]), message]))
    const is: Record<number, unknown> = {}
    const must: Record<number, unknown> = {}
    for (const id of ids) {
      const known = this.known.get(id)
      const stands = found.get(id)
      if (stands !== undefined) must[id] = plain(knownOf(stands, stands["flags"]))
      // What it only looked at stands as it was then; but not where it may not read it any more.
      if (known?.isOld === true && stands === undefined) continue
      if (known !== undefined) is[id] = plain(known)
      if (known !== undefined && stands === undefined) {
        const { status, body } = await this.#person.get(`/messages/${id}`, shown)
        const message = objectIn(body["message"] ?? {})
        if (status === 200) must[id] = plain(knownOf(message, message["flags"]))
      }
    }
    t.same(is, must, what)
  }
}
