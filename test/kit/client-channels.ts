/**
 * The part of ClientState about channels, folders, default channels and one's own subscriptions: applies their events
 * to the sections of a register, as the author of a client would.
 */
import { type Fields, numbersIn, objectIn, objectsIn, type Sections, without } from "./client-sections.ts"

const ofSubscriptions = ["subscriptions", "unsubscribed", "never_subscribed"] as const
const ofChannels = ["streams", ...ofSubscriptions] as const

/** The fields of a subscription that its channel does not have. */
const ownSettings = [
  "color",
  "is_muted",
  "in_home_view",
  "pin_to_top",
  "desktop_notifications",
  "audible_notifications",
  "push_notifications",
  "email_notifications",
  "wildcard_mentions_notify",
]

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

export class ChannelState {
  readonly #user: number
  readonly #sections: Sections
  readonly #listsSubscribers: boolean
  /** Channels that came into sight by an event, which does not say whether the user was ever subscribed. */
  readonly #shown = new Set<number>()

  constructor(user: number, sections: Sections, listsSubscribers: boolean) {
    this.#user = user
    this.#sections = sections
    this.#listsSubscribers = listsSubscribers
  }

  /** The channels that came into sight by an event. */
  get shown(): ReadonlySet<number> {
    return this.#shown
  }

  /** The highest id of the channels in sight. */
  get newest(): number {
    return Math.max(0, ...ofChannels.flatMap((list) => [...(this.#sections.list(list)?.keys() ?? [])]))
  }

  /** A channel record without the fields that depend on which list it is in. */
  static unlisted(record: Fields): Fields {
    return without(record, ...ownSettings)
  }

  /** Changes a channel's record in whichever lists it is; throws for a channel that this client does not know. */
  #change(event: Fields, id: number, change: (record: Fields) => Fields): void {
    const lists = ofChannels.filter((list) => this.#sections.list(list) !== undefined)
    if (lists.length > 0 && !lists.some((list) => this.#sections.list(list)?.has(id)))
      throw new Error(`of a channel that this client does not know: ${JSON.stringify(event)}`)
    for (const list of lists) this.#sections.change(list, id, change)
  }

  stream(event: Fields): void {
    const { op, property, value } = event
    if (op === "create") return this.#created(event)
    if (op === "delete") return this.#deleted(event)
    const beside = without(event, "id", "type", "op", "stream_id", "name", "property", "value")
    this.#change(event, Number(event["stream_id"]), (record) => ({ ...record, [String(property)]: value, ...beside }))
  }

  #created(event: Fields): void {
    for (const stream of objectsIn(event["streams"])) {
      const id = Number(stream["stream_id"])
      this.#shown.add(id)
      this.#sections.list("streams")?.set(id, stream)
      const record = this.#listsSubscribers ? { ...stream, subscribers: [] } : stream
      this.#sections.list("never_subscribed")?.set(id, record)
    }
  }

  #deleted(event: Fields): void {
    for (const id of numbersIn(event["stream_ids"]))
      for (const list of ofChannels) this.#sections.list(list)?.delete(id)
  }

  subscription(event: Fields): void {
    const { op } = event
    if (op === "add") return this.#subscribed(event)
    if (op === "remove") return this.#unsubscribed(event)
    if (op === "update") return this.#settled(event)
    const users = numbersIn(event["user_ids"])
    for (const id of numbersIn(event["stream_ids"]))
      this.#change(event, id, (record) => withPeers(record, users, op === "peer_add"))
  }

  #subscribed(event: Fields): void {
    for (const subscription of objectsIn(event["subscriptions"])) {
      const id = Number(subscription["stream_id"])
      this.#shown.delete(id)
      this.#sections.list("never_subscribed")?.delete(id)
      this.#sections.list("unsubscribed")?.delete(id)
      const record = this.#listsSubscribers ? subscription : without(subscription, "subscribers")
      this.#sections.list("subscriptions")?.set(id, record)
      const { subscriber_count } = subscription
      this.#change(event, id, (each) => ({ ...each, subscriber_count }))
    }
  }

  /** The private channels among those of an event that a subscription ended; all, where the client knows no channels. */
  privateIn(event: Fields): ReadonlyArray<number> {
    return objectsIn(event["subscriptions"])
      .map(({ stream_id }) => Number(stream_id))
      .filter((id) => {
        const known = ofChannels.map((list) => this.#sections.list(list)?.get(id)).filter((each) => each !== undefined)
        return known.length === 0 || known.some((record) => record["invite_only"] === true)
      })
  }

  #unsubscribed(event: Fields): void {
    for (const { stream_id } of objectsIn(event["subscriptions"])) {
      const id = Number(stream_id)
      this.#sections.move(id, "subscriptions", "unsubscribed")
      this.#change(event, id, (record) => withPeers(record, [this.#user], false))
    }
  }

  /** A changed setting of the user for a channel that they are subscribed to. */
  #settled(event: Fields): void {
    const { stream_id, property, value } = event
    const subscriptions = this.#sections.list("subscriptions")
    if (subscriptions !== undefined && !subscriptions.has(Number(stream_id)))
      throw new Error(`of a channel that this client is not in: ${JSON.stringify(event)}`)
    this.#sections.change("subscriptions", Number(stream_id), (record) => ({ ...record, [String(property)]: value }))
  }

  folder(event: Fields): void {
    const { op, channel_folder, channel_folder_id, data, order } = event
    if (op === "add") {
      const folder = objectIn(channel_folder)
      this.#sections.list("channel_folders")?.set(Number(folder["id"]), folder)
    } else if (op === "update") {
      const id = Number(channel_folder_id)
      this.#sections.change("channel_folders", id, (folder) => ({ ...folder, ...objectIn(data) }))
    } else {
      for (const [n, id] of numbersIn(order).entries())
        this.#sections.change("channel_folders", id, (folder) => ({ ...folder, order: n }))
    }
  }

  defaults({ default_streams }: Fields): void {
    this.#sections.set({ realm_default_streams: default_streams })
  }

  defaultGroups({ default_stream_groups }: Fields): void {
    this.#sections.set({ realm_default_stream_groups: default_stream_groups })
  }
}
