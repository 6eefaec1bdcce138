/**
 * What a client makes of a register and the events after it, as a client writer would: the sections that events change,
 * kept up to date, and everything else as it came. Used by settles.ts, which compares it with a later register.
 */
import * as Predicate from "effect/Predicate"
import { ChannelState } from "./client-channels.ts"
import { PeopleState } from "./client-people.ts"
import { type Fields, type List, numbersIn, objectsIn, Sections, sorted, without } from "./client-sections.ts"
import type { ReadEvent } from "./reader.ts"
import { kindOf } from "./wire-schemas.ts"

/** What comes with a register only: a bot's key, and its picture, which is never left to the client to make. */
const untold: Readonly<Partial<Record<List, ReadonlyArray<string>>>> = { realm_bots: ["api_key", "avatar_url"] }

const sets: ReadonlySet<string> = new Set(["subscribers", "members", "direct_subgroup_ids", "realm_default_streams"])
/** Any order of keys, of subscribers and of members is the same. */
const tidy = (record: Fields): Fields =>
  Object.fromEntries(
    Object.entries(record)
      .map(([name, value]) => [name, sets.has(name) ? sorted(numbersIn(value)) : value] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

/** `stream/update`, and then `stream/update name`. */
const seenIn = (event: ReadEvent): ReadonlyArray<string> => {
  const { property, data } = event
  const names = Predicate.isObject(data) ? Object.keys(data) : Predicate.isString(property) ? [property] : []
  return [kindOf(event), ...names.map((name) => `${kindOf(event)} ${name}`)]
}

/** How events of one type change a key of the register, for types that only their own test knows. */
export type Applied = (known: unknown, event: ReadEvent) => unknown
export type Appliers = Readonly<Record<string, { readonly key: string; readonly apply: Applied }>>

export class ClientState {
  /** What each event was, and which properties it told of, in the order in which they came. */
  readonly seen: Array<string> = []
  /** The ids of the messages that came as events. */
  readonly messages: Array<number> = []
  /** The newest message that the register knew of; null where it carries no messages. */
  readonly since: number | null
  readonly #user: number
  readonly #appliers: Appliers
  readonly #sections: Sections
  readonly #people: PeopleState
  readonly #channels: ChannelState
  #newestMessage: number | null

  /** `user`: whose state it is. `asked`: the parameters of the register. */
  constructor(register: Fields, user: number, asked: Fields, appliers: Appliers = {}) {
    const { include_subscribers = false, client_gravatar = true } = asked
    this.#user = user
    this.#appliers = appliers
    this.#sections = new Sections(register)
    this.since = "max_message_id" in register ? Number(register["max_message_id"]) : null
    this.#newestMessage = this.since
    this.#people = new PeopleState(user, this.#sections, client_gravatar === true)
    this.#channels = new ChannelState(user, this.#sections, include_subscribers !== false)
  }

  /** The channels of which no event has told whether one was ever subscribed. */
  get shown(): ReadonlySet<number> {
    return this.#channels.shown
  }

  /** The newest channel in sight. */
  get newestChannel(): number {
    return this.#channels.newest
  }

  /** Equal for equal states. Whether one was ever subscribed to those of `either` that one is not in makes no difference. */
  plain(either: ReadonlySet<number> = new Set()): unknown {
    const named: Record<string, unknown> = {}
    for (const [list, records] of this.#sections.entries()) {
      const left = list === "unsubscribed" || list === "never_subscribed"
      const ids = sorted(records.keys()).filter((id) => !left || !either.has(id))
      named[list] = ids.map((id) => tidy(without(records.get(id) ?? {}, ...(untold[list] ?? []))))
    }
    const unlisted = sorted(either).flatMap((id) =>
      (["unsubscribed", "never_subscribed"] as const).flatMap((list) => {
        const record = this.#sections.list(list)?.get(id)
        return record === undefined ? [] : [tidy(ChannelState.unlisted(record))]
      }),
    )
    return { ...tidy(this.#sections.rest), max_message_id: this.#newestMessage, ...named, unlisted }
  }

  apply(event: ReadEvent): void {
    this.seen.push(...seenIn(event))
    switch (event.type) {
      case "heartbeat":
      case "typing":
      // Until read state exists every message counts as read.
      case "update_message_flags":
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
        return this.#people.realmBot(event)
      case "default_streams":
        return this.#channels.defaults(event)
      case "default_stream_groups":
        return this.#channels.defaultGroups(event)
      case "channel_folder":
        return this.#channels.folder(event)
      case "stream":
        return this.#channels.stream(event)
      case "subscription":
        return this.#channels.subscription(event)
      default:
        return this.#further(event)
    }
  }

  #further(event: ReadEvent): void {
    const { key, apply } = this.#appliers[event.type] ?? {}
    if (key === undefined || apply === undefined) throw new Error(`this client does not know ${event.type}`)
    const known = this.#sections.rest[key]
    if (known !== undefined) this.#sections.set({ [key]: apply(known, event) })
  }

  #message({ message }: Fields): void {
    if (!Predicate.isObject(message)) throw new Error("a message event without a message")
    const id = Number(message["id"])
    this.messages.push(id)
    if (this.#newestMessage !== null) this.#newestMessage = Math.max(this.#newestMessage, id)
    if ("display_recipient" in message) this.#recent(id, message["display_recipient"])
  }

  /** The conversation of this message is the newest now; it is named by the others in it. */
  #recent(max_message_id: number, recipients: unknown): void {
    const { recent_private_conversations: known } = this.#sections.rest
    if (!Array.isArray(recipients) || known === undefined) return
    const user_ids = sorted(objectsIn(recipients).map(({ id }) => Number(id))).filter((id) => id !== this.#user)
    const others = objectsIn(known).filter((each) => String(each["user_ids"]) !== String(user_ids))
    this.#sections.set({ recent_private_conversations: [{ max_message_id, user_ids }, ...others] })
  }
}
