/**
 * What a client holds of messages: a register, the messages that it has read since, and the events after it applied, as
 * the author of a client would do it. It asks for messages that an `update_message` names and it does not know, reads a
 * channel when it is subscribed, and drops what is in a private channel that it is out of.
 */
import type { Fields, Person } from "../../kit/client.ts"
import { numbersIn, objectIn, objectsIn } from "../../kit/client-sections.ts"
import { ClientState } from "../../kit/client-state.ts"
import { type ReadEvent, Reader } from "../../kit/reader.ts"
import { recordsIn } from "../../kit/records.ts"

/** A message as a client holds it. */
export interface Kept {
  content: unknown
  subject: unknown
  channel: number
  readonly reactions: Set<string>
  readonly flags: Set<string>
  /** Whether the server tells this client of its changes; false: it was only looked at, and may be out of date. */
  isTold: boolean
}

const types = ["message", "update_message_flags", "stream", "subscription", "user_topic"]
export const registerFields: Fields = {
  event_types: [...types, "update_message", "delete_message", "reaction"],
  fetch_event_types: [...types, "starred_messages", "update_message"],
  client_gravatar: false,
  client_capabilities: {
    notification_settings_null: true,
    bulk_message_deletion: true,
    empty_topic_name: true,
    archived_channels: true,
  },
}
/** How this client reads messages. */
export const looks: Fields = { apply_markdown: false, allow_empty_topic_name: true, client_gravatar: false }

const reactionOf = ({ emoji_name, user_id }: Fields): string => `${emoji_name} ${user_id}`
const flagsIn = (flags: unknown): Set<string> => new Set(Array.isArray(flags) ? flags.map(String) : [])

export const keptOf = (message: Fields, flags = message["flags"]): Kept => ({
  content: message["content"],
  subject: message["subject"],
  channel: Number(message["stream_id"]),
  reactions: new Set(objectsIn(message["reactions"]).map(reactionOf)),
  flags: flagsIn(flags),
  isTold: true,
})

export class Picture {
  readonly label: string
  readonly user: number
  readonly person: Person
  readonly reader: Reader
  readonly state: ClientState
  /** Messages of channels by id. */
  readonly messages = new Map<number, Kept>()
  readonly events: Array<ReadEvent> = []
  /** Messages that an event named and that are not known yet. */
  readonly #wanted = new Set<number>()
  /** The messages that events have named since it was emptied, deletions apart. */
  readonly named = new Set<number>()

  private constructor(label: string, person: Person, port: number, user: number, register: Fields) {
    this.label = label
    this.user = user
    this.person = person
    this.reader = new Reader(person, port, register)
    this.state = new ClientState(register, user, registerFields)
  }

  static async open(label: string, person: Person, port: number, user: number): Promise<Picture> {
    const register = await person.must.post("/register", registerFields)
    return new Picture(label, person, port, user, register)
  }

  /** Applies the events of a poll, which are all that there are now if the queue is live; answers their number. */
  async poll(): Promise<number> {
    const events = await this.reader.poll(false)
    for (const event of events) await this.#apply(event)
    await this.#fetch()
    return events.length
  }

  /** Applies all events that there are now. */
  async settle(): Promise<void> {
    while ((await this.poll()) > 0);
  }

  /** The same by a WebSocket, up to the event of this id, which has come or will. */
  async settleBySocket(last: number): Promise<void> {
    if (this.reader.lastId >= last) return
    await this.reader.open()
    while (this.reader.lastId < last) for (const event of await this.reader.frame()) await this.#apply(event)
    await this.#fetch()
    this.reader.dropSocket()
  }

  /** Reads a channel, as a client does that shows it. */
  async look(channel: number): Promise<void> {
    const narrow = [{ operator: "channel", operand: channel }]
    const page = { anchor: "newest", num_before: 1000, num_after: 0, narrow, ...looks }
    const { status, body } = await this.person.get("/messages", page)
    if (status === 200) this.#load(body["messages"], this.state.isSubscribed(channel))
  }

  /** Reads the own feed from a message on. */
  async readFeed(anchor: number): Promise<void> {
    const page = { anchor, num_before: 0, num_after: 1000, ...looks }
    this.#load((await this.person.must.get("/messages", page))["messages"], true)
  }

  #load(messages: unknown, isTold: boolean): void {
    for (const message of recordsIn(messages)) {
      if (message["type"] !== "stream") continue
      const id = Number(message["id"])
      const known = this.messages.get(id)
      this.messages.set(id, { ...keptOf(message), isTold: isTold || known?.isTold === true })
      this.state.loaded(message)
    }
  }

  async #apply(event: ReadEvent): Promise<void> {
    if (event.type !== "heartbeat") this.events.push(event)
    if (event.type === "subscription" && event["op"] === "remove") this.#left(event)
    this.state.apply(event)
    switch (event.type) {
      case "message": {
        const message = objectIn(event["message"])
        if (message["type"] !== "stream") return
        const id = Number(message["id"])
        this.named.add(id)
        this.messages.set(id, keptOf(message, event["flags"]))
        return
      }
      case "update_message":
        return this.#updated(event)
      case "delete_message":
        for (const id of numbersIn(event["message_ids"])) {
          this.messages.delete(id)
          this.#wanted.delete(id)
        }
        return
      case "update_message_flags":
        return this.#flagged(event)
      case "reaction": {
        const id = Number(event["message_id"])
        this.named.add(id)
        // Another client of the user has reacted, and so holds it from then on.
        if (event["user_id"] === this.user && !this.messages.has(id)) this.#wanted.add(id)
        const { reactions } = this.messages.get(id) ?? {}
        if (event["op"] === "add") reactions?.add(reactionOf(event))
        else reactions?.delete(reactionOf(event))
        return
      }
      case "subscription":
        if (event["op"] === "add")
          for (const { stream_id } of objectsIn(event["subscriptions"])) await this.look(Number(stream_id))
    }
  }

  #updated({ message_ids, message_id, content, subject, new_stream_id, flags }: Fields): void {
    for (const id of numbersIn(message_ids)) {
      this.named.add(id)
      const known = this.messages.get(id)
      if (known === undefined) {
        this.#wanted.add(id)
        continue
      }
      known.isTold = true
      if (subject !== undefined) known.subject = subject
      if (id === message_id && content !== undefined) known.content = content
      if (id === message_id) this.#reflag(known, flagsIn(flags))
      if (new_stream_id === undefined) continue
      known.channel = Number(new_stream_id)
      // What goes to a channel that one is not in is read.
      if (!this.state.isSubscribed(known.channel)) known.flags.add("read")
    }
  }

  /** Asks for the messages that are wanted; a client does so beside its events. */
  async #fetch(): Promise<void> {
    if (this.#wanted.size === 0) return
    const message_ids = [...this.#wanted]
    this.#wanted.clear()
    const { messages } = await this.person.must.get("/messages", { message_ids, ...looks })
    this.#load(messages, true)
  }

  #reflag(known: Kept, flags: ReadonlySet<string>): void {
    known.flags.clear()
    for (const flag of flags) known.flags.add(flag)
  }

  #flagged({ op, flag, messages, all }: Fields): void {
    const ids = all === true ? [...this.messages.keys()] : numbersIn(messages)
    for (const id of ids) {
      const { flags } = this.messages.get(id) ?? {}
      // Another client of the user has starred it.
      if (flags === undefined && op === "add" && flag === "starred") this.#wanted.add(id)
      if (op === "add") flags?.add(String(flag))
      else flags?.delete(String(flag))
    }
  }

  /** Who is out of a private channel has nothing of it. */
  #left({ subscriptions }: Fields): void {
    for (const { stream_id } of objectsIn(subscriptions)) {
      const channel = Number(stream_id)
      const here = [...this.messages].filter(([, kept]) => kept.channel === channel)
      // Of a public one it has what it received; of the rest it is told no more.
      for (const [, kept] of here) kept.isTold = false
      if (this.state.channel(channel)?.["invite_only"] !== true) continue
      const ids = here.map(([id]) => id)
      for (const id of ids) this.messages.delete(id)
      this.state.dropped(ids)
    }
  }
}
