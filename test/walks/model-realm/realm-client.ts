/**
 * A strict client: it applies events to the state of its register and complains of each event that does not fit: about
 * a channel that it does not know, an addition of a user who is in the list already, a removal of one who is not in it.
 * compare.ts compares its state with the model.
 */
import * as Predicate from "effect/Predicate"
import type { Fields } from "../../kit/client.ts"
import type { ReadEvent } from "../../kit/reader.ts"
import { recordsIn } from "../../kit/records.ts"

const numbersIn = (value: unknown): ReadonlyArray<number> => {
  if (!Array.isArray(value) || !value.every(Predicate.isNumber))
    throw new Error(`not numbers: ${JSON.stringify(value)}`)
  return value
}
const objectIn = (value: unknown): Fields => {
  if (!Predicate.isObject(value)) throw new Error(`not an object: ${JSON.stringify(value)}`)
  return { ...value }
}

export interface KnownChannel {
  record: Fields
  readonly subscribers: Set<number>
}
export interface KnownGroup {
  record: Fields
  readonly members: Set<number>
  readonly subgroups: Set<number>
}

export interface KnownPerson {
  fullName: string
  readonly profile: Map<number, string>
}

export class RealmClient {
  readonly people = new Map<number, KnownPerson>()
  readonly channels = new Map<number, KnownChannel>()
  readonly subscribed = new Set<number>()
  readonly groups = new Map<number, KnownGroup>()
  readonly settings = new Map<string, unknown>()
  defaults: ReadonlyArray<number> = []
  /** Ids of messages that came, in order. */
  readonly messages: Array<number> = []
  /** The events that did not fit its state. */
  readonly complaints: Array<string> = []
  /** The text of each event, in order, for the report of a difference. */
  readonly heard: Array<string> = []
  readonly #user: number

  constructor(user: number, register: Fields) {
    this.#user = user
    for (const list of ["realm_users", "realm_non_active_users"])
      for (const { user_id, full_name, profile_data = {} } of recordsIn(register[list])) {
        const values = Object.entries(objectIn(profile_data)).map(
          ([field, value]) => [Number(field), String(objectIn(value)["value"])] as const,
        )
        this.people.set(Number(user_id), { fullName: String(full_name), profile: new Map(values) })
      }
    for (const record of recordsIn(register["streams"])) this.#learn(record)
    for (const list of ["subscriptions", "unsubscribed", "never_subscribed"]) {
      for (const record of recordsIn(register[list])) {
        const id = Number(record["stream_id"])
        const known = this.channels.get(id)
        if (known === undefined) this.complaints.push(`register: ${id} is in ${list}, but not in streams`)
        for (const each of numbersIn(record["subscribers"])) known?.subscribers.add(each)
        if (list === "subscriptions") this.subscribed.add(id)
      }
    }
    for (const group of recordsIn(register["realm_user_groups"])) this.#learnGroup(group)
    for (const [name, value] of Object.entries(register))
      if (name.startsWith("realm_can_")) this.settings.set(name.slice("realm_".length), value)
    this.defaults = numbersIn(register["realm_default_streams"])
  }

  apply(event: ReadEvent): void {
    const { id: _, ...content } = event
    this.heard.push(JSON.stringify(content))
    const about = `${event.type}/${String(event["op"] ?? "")}`
    switch (about) {
      case "message/":
        this.messages.push(Number(objectIn(event["message"])["id"]))
        return
      case "stream/create":
        for (const record of recordsIn(event["streams"])) {
          const id = Number(record["stream_id"])
          if (this.channels.has(id)) this.#complain(event, `channel ${id} is known`)
          this.#learn(record)
        }
        return
      case "stream/update":
        return this.#change(event)
      case "stream/delete":
        for (const id of numbersIn(event["stream_ids"])) {
          this.#require(event, id)
          this.channels.delete(id)
          this.subscribed.delete(id)
        }
        return
      case "subscription/add":
        return this.#subscribe(event)
      case "subscription/remove":
        for (const record of recordsIn(event["subscriptions"])) {
          const id = Number(record["stream_id"])
          if (!this.subscribed.delete(id)) this.#complain(event, `not subscribed to ${id}`)
          this.#require(event, id)?.subscribers.delete(this.#user)
        }
        return
      case "subscription/peer_add":
      case "subscription/peer_remove":
        return this.#peers(event, about.endsWith("add"))
      case "default_streams/":
        this.defaults = numbersIn(event["default_streams"])
        return
      case "realm_user/update":
        return this.#person(objectIn(event["person"]))
      case "custom_profile_fields/":
        return this.#fields(recordsIn(event["fields"]))
      case "realm/update":
        this.settings.set(String(event["property"]), event["value"])
        return
      case "realm/update_dict":
        for (const [name, value] of Object.entries(objectIn(event["data"]))) this.settings.set(name, value)
        return
    }
    if (event.type === "user_group") return this.#group(event)
    if (!harmless.has(event.type)) this.#complain(event, "this client does not know such events")
  }

  #person({ user_id, full_name, custom_profile_field }: Fields): void {
    const person = this.people.get(Number(user_id))
    if (person === undefined) return
    if (full_name !== undefined) person.fullName = String(full_name)
    if (custom_profile_field === undefined) return
    const { id, value } = objectIn(custom_profile_field)
    if (value === null) person.profile.delete(Number(id))
    else person.profile.set(Number(id), String(value))
  }

  /** With a field go all of its values, and with a choice those that name it. */
  #fields(fields: ReadonlyArray<Fields>): void {
    const isKept = (field: number, value: string) => {
      const { type, field_data } = fields.find(({ id }) => id === field) ?? {}
      return type !== undefined && (type !== 3 || Object.hasOwn(Object(JSON.parse(String(field_data))), value))
    }
    for (const { profile } of this.people.values())
      for (const [field, value] of [...profile]) if (!isKept(field, value)) profile.delete(field)
  }

  #complain(event: Fields, why: string): void {
    const { id: _, ...content } = event
    this.complaints.push(`${why}: ${JSON.stringify(content).slice(0, 300)}`)
  }

  #require(event: Fields, id: number): KnownChannel | undefined {
    const known = this.channels.get(id)
    if (known === undefined) this.#complain(event, `channel ${id} is unknown`)
    return known
  }

  #learn(record: Fields): void {
    this.channels.set(Number(record["stream_id"]), { record, subscribers: new Set() })
  }

  #change(event: Fields): void {
    const known = this.#require(event, Number(event["stream_id"]))
    if (known === undefined) return
    const { history_public_to_subscribers, is_web_public, rendered_description } = event
    const beside = Object.entries({ history_public_to_subscribers, is_web_public, rendered_description })
    const further = Object.fromEntries(beside.filter(([, value]) => value !== undefined))
    known.record = { ...known.record, ...further, [String(event["property"])]: event["value"] }
  }

  #subscribe(event: Fields): void {
    for (const record of recordsIn(event["subscriptions"])) {
      const id = Number(record["stream_id"])
      if (this.subscribed.has(id)) this.#complain(event, `subscribed to ${id} already`)
      const known = this.#require(event, id)
      this.subscribed.add(id)
      known?.subscribers.clear()
      for (const each of numbersIn(record["subscribers"])) known?.subscribers.add(each)
    }
  }

  #peers(event: Fields, isAdded: boolean): void {
    for (const id of numbersIn(event["stream_ids"])) {
      const known = this.#require(event, id)
      for (const user of numbersIn(event["user_ids"])) {
        if (user === this.#user) this.#complain(event, "that is me")
        if (known === undefined) continue
        const was = known.subscribers.has(user)
        if (was === isAdded) this.#complain(event, `${user} is ${was ? "in it already" : "not in it"}`)
        if (isAdded) known.subscribers.add(user)
        else known.subscribers.delete(user)
      }
    }
  }

  #learnGroup(group: Fields): void {
    this.groups.set(Number(group["id"]), {
      record: group,
      members: new Set(numbersIn(group["members"])),
      subgroups: new Set(numbersIn(group["direct_subgroup_ids"])),
    })
  }

  #group(event: Fields): void {
    if (event["op"] === "add") {
      const group = objectIn(event["group"])
      if (this.groups.has(Number(group["id"]))) this.#complain(event, "that group is known")
      return this.#learnGroup(group)
    }
    const id = Number(event["group_id"])
    const known = this.groups.get(id)
    if (known === undefined) return this.#complain(event, `group ${id} is unknown`)
    switch (event["op"]) {
      case "remove":
        this.groups.delete(id)
        return
      case "update":
        known.record = { ...known.record, ...objectIn(event["data"]) }
        return
      case "add_members":
        return this.#toggle(event, known.members, numbersIn(event["user_ids"]), true)
      case "remove_members":
        return this.#toggle(event, known.members, numbersIn(event["user_ids"]), false)
      case "add_subgroups":
        return this.#toggle(event, known.subgroups, numbersIn(event["direct_subgroup_ids"]), true)
      case "remove_subgroups":
        return this.#toggle(event, known.subgroups, numbersIn(event["direct_subgroup_ids"]), false)
    }
    this.#complain(event, "unknown op")
  }

  #toggle(event: Fields, set: Set<number>, ids: ReadonlyArray<number>, isAdded: boolean): void {
    for (const id of ids) {
      if (set.has(id) === isAdded) this.#complain(event, `${id} is ${isAdded ? "in it already" : "not in it"}`)
      if (isAdded) set.add(id)
      else set.delete(id)
    }
  }
}

/** Types of events that the model does not cover; a change of a channel shows and hides messages, too. */
const harmless: ReadonlySet<string> = new Set([
  "heartbeat",
  "update_message",
  "delete_message",
  "realm_user",
  "realm_bot",
  "update_message_flags",
  "channel_folder",
  "default_stream_groups",
  "user_settings",
])
