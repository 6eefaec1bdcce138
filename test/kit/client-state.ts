/**
 * What a client makes of a register and the events after it, as a client writer would: the sections that events change,
 * kept up to date, and everything else as it came. Used by settles.ts, which compares it with a later register.
 */
import * as Predicate from "effect/Predicate"
import { type Fields, move, numbersIn, PeopleState, type Records, without } from "./client-people.ts"
import type { ReadEvent } from "./reader.ts"
import { kindOf } from "./wire-schemas.ts"

/** Of one register, not of the state; `server_timestamp` is the moment's. */
const passing = ["result", "msg", "queue_id", "last_event_id", "idle_queue_timeout_secs", "server_timestamp"]

/** Each list of records, with the field that names a record. */
const lists = {
  realm_users: "user_id",
  realm_non_active_users: "user_id",
  realm_user_groups: "id",
  realm_bots: "user_id",
  streams: "stream_id",
  subscriptions: "stream_id",
  unsubscribed: "stream_id",
  never_subscribed: "stream_id",
} as const
type List = keyof typeof lists
const listNames = Object.keys(lists) as ReadonlyArray<List>

const objectsIn = (value: unknown): ReadonlyArray<Fields> => {
  if (!Array.isArray(value) || !value.every(Predicate.isObject)) throw new Error(`not a list of objects: ${value}`)
  return value
}

const sorted = (numbers: Iterable<number>): ReadonlyArray<number> => [...numbers].sort((a, b) => a - b)
/** What comes with a register only: a bot's key, and its picture, which is never left to the client to make. */
const untold: Readonly<Partial<Record<List, ReadonlyArray<string>>>> = { realm_bots: ["api_key", "avatar_url"] }

const sets: ReadonlySet<string> = new Set(["subscribers", "members"])
/** Any order of keys, of subscribers and of members is the same. */
const tidy = (record: Fields): Fields =>
  Object.fromEntries(
    Object.entries(record)
      .map(([name, value]) => [name, sets.has(name) ? sorted(numbersIn(value)) : value] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

export class ClientState {
  /** What each event was, in the order in which they came. */
  readonly seen: Array<string> = []
  /** The ids of the messages that came as events. */
  readonly messages: Array<number> = []
  /** The newest message that the register knew of; null where it carries no messages. */
  readonly since: number | null
  readonly #user: number
  readonly #listsSubscribers: boolean
  readonly #rest: Record<string, unknown>
  readonly #lists: ReadonlyMap<List, Records>
  readonly #people: PeopleState
  #newestMessage: number | null

  /** `user`: whose state it is. `asked`: the parameters of the register. */
  constructor(register: Fields, user: number, asked: Fields) {
    const { include_subscribers = false } = asked
    this.#user = user
    this.#listsSubscribers = include_subscribers !== false
    this.#rest = { ...without(register, ...passing, ...listNames, "max_message_id") }
    this.since = "max_message_id" in register ? Number(register["max_message_id"]) : null
    this.#newestMessage = this.since
    this.#lists = new Map(
      listNames
        .filter((list) => list in register)
        .map((list) => [list, new Map(objectsIn(register[list]).map((each) => [Number(each[lists[list]]), each]))]),
    )
    this.#people = new PeopleState(user, this.#rest, this.#lists)
  }

  /** Equal for equal states. */
  plain(): unknown {
    const named = [...this.#lists].map(([list, records]) => [
      list,
      sorted(records.keys()).map((id) => tidy(without(records.get(id) ?? {}, ...(untold[list] ?? [])))),
    ])
    return { ...tidy(this.#rest), max_message_id: this.#newestMessage, ...Object.fromEntries(named) }
  }

  apply(event: ReadEvent): void {
    this.seen.push(kindOf(event))
    switch (event.type) {
      case "heartbeat":
      case "typing":
        return
      case "message":
        return this.#message(event)
      case "realm_user":
        return this.#people.realmUser(event)
      case "user_settings":
        return this.#people.userSettings(event)
      case "user_group":
        return this.#people.userGroup(event)
      case "realm":
        return this.#people.realm(event)
      case "realm_bot":
        return this.#bot(event)
      case "default_streams":
        if ("realm_default_streams" in this.#rest) this.#rest["realm_default_streams"] = event["default_streams"]
        return
      case "stream":
        return this.#stream(event)
      case "subscription":
        return this.#subscription(event)
      default:
        throw new Error(`this client does not know ${event.type}`)
    }
  }

  #message({ message }: Fields): void {
    if (!Predicate.isObject(message)) throw new Error("a message event without a message")
    const id = Number(message["id"])
    this.messages.push(id)
    if (this.#newestMessage !== null) this.#newestMessage = Math.max(this.#newestMessage, id)
    if ("recent_private_conversations" in this.#rest && "display_recipient" in message)
      this.#recent(id, message["display_recipient"])
  }

  /** The conversation of this message is the newest now; it is named by the others in it. */
  #recent(max_message_id: number, recipients: unknown): void {
    if (!Array.isArray(recipients)) return
    const user_ids = sorted(objectsIn(recipients).map(({ id }) => Number(id))).filter((id) => id !== this.#user)
    const others = objectsIn(this.#rest["recent_private_conversations"]).filter(
      (each) => String(each["user_ids"]) !== String(user_ids),
    )
    this.#rest["recent_private_conversations"] = [{ max_message_id, user_ids }, ...others]
  }

  /** Of a bot the event tells what its user record does not; its key is read elsewhere. */
  #bot({ op, bot }: Fields): void {
    if (!Predicate.isObject(bot)) throw new Error("a realm_bot event without a bot")
    const record = { ...bot }
    const id = Number(record["user_id"])
    if (op === "delete") this.#lists.get("realm_bots")?.delete(id)
    const person = this.#lists.get("realm_users")?.get(id)
    if (op === "delete" || person === undefined) return
    const { full_name, email, bot_type, bot_owner_id } = person
    const known = { full_name, email, bot_type, owner_id: bot_owner_id, is_active: true }
    this.#lists.get("realm_bots")?.set(id, { ...known, ...record })
  }

  /** Changes a channel's record wherever it stands. */
  #change(id: number, change: (record: Fields) => Fields): void {
    for (const list of ["streams", "subscriptions", "unsubscribed", "never_subscribed"] as const) {
      const records = this.#lists.get(list)
      const record = records?.get(id)
      if (record !== undefined) records?.set(id, change(record))
    }
  }

  #stream(event: Fields): void {
    if (event["op"] === "create") {
      for (const stream of objectsIn(event["streams"])) {
        const id = Number(stream["stream_id"])
        this.#lists.get("streams")?.set(id, stream)
        this.#lists.get("never_subscribed")?.set(id, this.#listsSubscribers ? { ...stream, subscribers: [] } : stream)
      }
    } else if (event["op"] === "update") {
      const { property, value } = event
      this.#change(Number(event["stream_id"]), (record) => ({ ...record, [String(property)]: value }))
    } else {
      for (const id of numbersIn(event["stream_ids"])) {
        for (const list of ["streams", "subscriptions", "unsubscribed", "never_subscribed"] as const)
          this.#lists.get(list)?.delete(id)
      }
    }
  }

  #subscription(event: Fields): void {
    if (event["op"] === "add") return this.#subscribed(event)
    if (event["op"] === "remove") {
      for (const { stream_id } of objectsIn(event["subscriptions"])) {
        const id = Number(stream_id)
        move(id, this.#lists.get("subscriptions"), this.#lists.get("unsubscribed"))
        this.#change(id, (record) => withPeers(record, [this.#user], false))
      }
      return
    }
    const isAdded = event["op"] === "peer_add"
    for (const id of numbersIn(event["stream_ids"]))
      this.#change(id, (record) => withPeers(record, numbersIn(event["user_ids"]), isAdded))
  }

  #subscribed(event: Fields): void {
    for (const subscription of objectsIn(event["subscriptions"])) {
      const id = Number(subscription["stream_id"])
      this.#lists.get("never_subscribed")?.delete(id)
      this.#lists.get("unsubscribed")?.delete(id)
      const record = this.#listsSubscribers ? subscription : without(subscription, "subscribers")
      this.#lists.get("subscriptions")?.set(id, record)
      const { subscriber_count } = subscription
      this.#change(id, (each) => ({ ...each, subscriber_count }))
    }
  }
}

const withPeers = (record: Fields, users: ReadonlyArray<number>, isAdded: boolean): Fields => {
  const count = Number(record["subscriber_count"]) + (isAdded ? users.length : -users.length)
  if (!("subscribers" in record)) return { ...record, subscriber_count: count }
  const subscribers = new Set(numbersIn(record["subscribers"]))
  for (const user of users) {
    if (isAdded) subscribers.add(user)
    else subscribers.delete(user)
  }
  return { ...record, subscriber_count: count, subscribers: [...subscribers] }
}
