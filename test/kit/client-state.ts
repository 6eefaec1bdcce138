/**
 * What a client makes of a register and the events after it, as a client writer would: the sections that events change,
 * kept up to date, and everything else as it came. Used by settles.ts, which compares it with a later register.
 */
import * as Predicate from "effect/Predicate"
import type { ReadEvent } from "./reader.ts"

type Fields = Readonly<Record<string, unknown>>
type Records = Map<number, Fields>

/** Of one register, not of the state; `server_timestamp` is the moment's. */
const passing = ["result", "msg", "queue_id", "last_event_id", "idle_queue_timeout_secs", "server_timestamp"]

/** Each list of records, with the field that names a record. */
const lists = {
  realm_users: "user_id",
  realm_non_active_users: "user_id",
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
const numbersIn = (value: unknown): ReadonlyArray<number> => {
  if (!Array.isArray(value) || !value.every(Predicate.isNumber)) throw new Error(`not a list of numbers: ${value}`)
  return value
}
const without = (fields: Fields, ...names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

const sorted = (numbers: Iterable<number>): ReadonlyArray<number> => [...numbers].sort((a, b) => a - b)
/** Any order of keys, and of subscribers, is the same. */
const tidy = (record: Fields): Fields =>
  Object.fromEntries(
    Object.entries(record)
      .map(([name, value]) => [name, name === "subscribers" ? sorted(numbersIn(value)) : value] as const)
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
  #newestMessage: number | null

  /** `user`: whose state it is. `listsSubscribers`: whether the client asked for them. */
  constructor(register: Fields, user: number, listsSubscribers: boolean) {
    this.#user = user
    this.#listsSubscribers = listsSubscribers
    this.#rest = { ...without(register, ...passing, ...listNames, "max_message_id") }
    this.since = "max_message_id" in register ? Number(register["max_message_id"]) : null
    this.#newestMessage = this.since
    this.#lists = new Map(
      listNames
        .filter((list) => list in register)
        .map((list) => [list, new Map(objectsIn(register[list]).map((each) => [Number(each[lists[list]]), each]))]),
    )
  }

  /** Equal for equal states. */
  plain(): unknown {
    const named = [...this.#lists].map(([list, records]) => [
      list,
      sorted(records.keys()).map((id) => tidy(records.get(id) ?? {})),
    ])
    return { ...tidy(this.#rest), max_message_id: this.#newestMessage, ...Object.fromEntries(named) }
  }

  apply(event: ReadEvent): void {
    this.seen.push("op" in event ? `${event.type}/${event["op"]}` : event.type)
    switch (event.type) {
      case "heartbeat":
      case "typing":
        return
      case "message":
        return this.#message(event)
      case "realm_user":
        return this.#realmUser(event)
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
  }

  #realmUser({ op, person }: Fields): void {
    if (!Predicate.isObject(person)) throw new Error("a realm_user event without a person")
    const id = Number(person["user_id"])
    const [active, others] = [this.#lists.get("realm_users"), this.#lists.get("realm_non_active_users")]
    if (op === "add") active?.set(id, without(person, "is_active"))
    else if (person["is_active"] === false) this.#move(id, active, others)
    else throw new Error(`unknown: ${JSON.stringify(person)}`)
  }

  #move(id: number, from: Records | undefined, to: Records | undefined): void {
    const record = from?.get(id)
    if (record === undefined || to === undefined) return
    from?.delete(id)
    to.set(id, record)
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
        this.#move(id, this.#lists.get("subscriptions"), this.#lists.get("unsubscribed"))
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
