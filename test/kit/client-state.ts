/**
 * The state of a client: a register with the events after it applied, as the author of a client would do it. Used by
 * settles.ts, which compares it with a later register.
 */
import * as Predicate from "effect/Predicate"
import type { Appliers } from "./client-appliers.ts"
import { ChannelState } from "./client-channels.ts"
import { FlagState } from "./client-flags.ts"
import { MessageStates } from "./client-messages.ts"
import { PeopleState } from "./client-people.ts"
import { type Fields, type List, numbersIn, objectIn, objectsIn, Sections, sorted, without } from "./client-sections.ts"
import type { ReadEvent } from "./reader.ts"
import { appliersOfRooms } from "./walk-rows-of-features.ts"
import { kindOf } from "./wire-schemas.ts"

/** Fields that only a register has, because no event carries them: a bot's API key and picture. */
const untold: Readonly<Partial<Record<List, ReadonlyArray<string>>>> = { realm_bots: ["api_key", "avatar_url"] }

const sets: ReadonlySet<string> = new Set(["subscribers", "members", "direct_subgroup_ids", "realm_default_streams"])
/** Sorts the keys of a record and its lists of users, whose order does not matter. */
const tidy = (record: Fields): Fields =>
  Object.fromEntries(
    Object.entries(record)
      .map(([name, value]) => [name, sets.has(name) ? sorted(numbersIn(value)) : value] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

/** Names of an event for `seen`: `stream/update`, and `stream/update name` for each property. */
const seenIn = (event: ReadEvent): ReadonlyArray<string> => {
  const { property, data } = event
  const names = Predicate.isObject(data) ? Object.keys(data) : Predicate.isString(property) ? [property] : []
  return [kindOf(event), ...names.map((name) => `${kindOf(event)} ${name}`)]
}

/** A client's drafts after an event, the one edited last first. */
const draftsAfter = (known: ReadonlyArray<Fields>, { op, draft, drafts, draft_id }: Fields): ReadonlyArray<Fields> => {
  const came = op === "add" ? objectsIn(drafts) : op === "update" ? objectsIn([draft]) : []
  const gone = new Set([draft_id, ...came.map(({ id }) => id)])
  return [...known.filter(({ id }) => !gone.has(id)), ...came].sort(
    (a, b) => Number(b["timestamp"]) - Number(a["timestamp"]) || Number(b["id"]) - Number(a["id"]),
  )
}

export class ClientState {
  /** The events that came, in order, by their type, op and properties. */
  readonly seen: Array<string> = []
  /** The ids of the messages that came as events. */
  readonly messages: Array<number> = []
  /** The newest message of the register; null if the section was not asked for. */
  readonly since: number | null
  /** Additions to those messages by events. */
  readonly added: MessageStates
  readonly #user: number
  readonly #appliers: Appliers
  readonly #sections: Sections
  readonly #people: PeopleState
  readonly #channels: ChannelState
  readonly #flags: FlagState
  #newestMessage: number | null

  /** `user`: the id of the client's user. `asked`: the parameters of the register. */
  constructor(register: Fields, user: number, asked: Fields, appliers: Appliers = {}) {
    const { include_subscribers = false, client_gravatar = true, client_capabilities } = asked
    const isIncomplete = objectIn(client_capabilities ?? {})["user_list_incomplete"] === true
    this.#user = user
    this.added = new MessageStates(asked)
    this.#appliers = { ...appliersOfRooms, ...appliers }
    this.#sections = new Sections(register)
    this.since = "max_message_id" in register ? Number(register["max_message_id"]) : null
    this.#newestMessage = this.since
    this.#people = new PeopleState(user, this.#sections, client_gravatar === true, isIncomplete)
    this.#channels = new ChannelState(user, this.#sections, include_subscribers !== false)
    this.#flags = new FlagState(register, user, this.#sections)
  }

  /** The channels that came into sight by an event, which does not say whether the user was ever subscribed. */
  get shown(): ReadonlySet<number> {
    return this.#channels.shown
  }

  /** The highest id of the channels in sight. */
  get newestChannel(): number {
    return this.#channels.newest
  }

  /** A channel's record in whichever list it is; undefined: it is out of sight. */
  channel(id: number): Fields | undefined {
    return (["subscriptions", "unsubscribed", "never_subscribed", "streams"] as const)
      .map((list) => this.#sections.list(list)?.get(id))
      .find((record) => record !== undefined)
  }

  isSubscribed(channel: number): boolean {
    return this.#sections.list("subscriptions")?.has(channel) === true
  }

  /** A message that the client has asked for, with the flags that it has now. */
  loaded(message: Fields): void {
    this.#flags.loaded(message)
  }

  /** Messages of a channel that the client may not read any more, of which no event tells one by one. */
  dropped(message_ids: ReadonlyArray<number>): void {
    this.#flags.deleted({ message_ids })
  }

  /** What is unread and what is starred. */
  get flags(): Fields {
    return this.#flags.plain()
  }

  /**
   * Plain data that is equal for equal states. For channels of `either` it ignores whether the user was ever
   * subscribed.
   */
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
    const { user_topics: topics } = this.#sections.rest
    const byText =
      topics === undefined
        ? {}
        : {
            user_topics: objectsIn(topics)
              .map((each) => JSON.stringify(tidy(each)))
              .sort(),
          }
    const rest = { ...tidy(this.#sections.rest), ...this.#flags.plain(), ...byText }
    return { ...rest, max_message_id: this.#newestMessage, ...named, unlisted }
  }

  apply(event: ReadEvent): void {
    this.seen.push(...seenIn(event))
    switch (event.type) {
      case "heartbeat":
      case "typing":
      case "typing_edit_message":
      // Of what no register has.
      case "invites_changed":
      case "realm_export":
      case "realm_export_consent":
        return
      case "update_message_flags":
        return this.#flags.flags(event)
      case "message":
        return this.#message(event)
      case "update_message":
        this.added.updated(event)
        return this.#flags.edited(event)
      case "delete_message":
        return this.#flags.deleted(event)
      case "user_topic":
        return this.#userTopic(event)
      case "muted_topics":
        return this.#sections.set({ muted_topics: event["muted_topics"] })
      case "muted_users":
        return this.#sections.set({ muted_users: event["muted_users"] })
      case "reaction":
        return this.added.reaction(event)
      case "submessage":
        return this.added.submessage(event)
      case "realm_user":
        return this.#people.realmUser(event)
      case "custom_profile_fields":
        return this.#people.profileFields(event)
      case "user_status":
        return this.#people.userStatus(event)
      case "user_settings":
        // Whoever turns drafts off has none on the server; no event says so.
        if (event["property"] === "enable_drafts_synchronization" && event["value"] === false) this.#drafts(() => [])
        return this.#people.userSettings(event)
      case "drafts":
        return this.#drafts((known) => draftsAfter(known, event))
      case "update_display_settings":
      case "update_global_notifications":
        return this.#people.olderSetting(event)
      case "user_group":
        return this.#people.userGroup(event)
      case "realm":
        return this.#people.realm(event)
      case "realm_bot":
        return this.#people.realmBot(event)
      case "realm_emoji":
        return this.#sections.set({ realm_emoji: event["realm_emoji"] })
      case "realm_linkifiers":
        return this.#sections.set({ realm_linkifiers: event["realm_linkifiers"] })
      case "default_streams":
        return this.#channels.defaults(event)
      case "default_stream_groups":
        return this.#channels.defaultGroups(event)
      case "channel_folder":
        return this.#channels.folder(event)
      case "stream":
        if (event["op"] === "update" && event["property"] === "name") this.#renamed(event)
        return this.#channels.stream(event)
      case "subscription":
        if (event["op"] === "remove") for (const id of this.#channels.privateIn(event)) this.#forget(id)
        return this.#channels.subscription(event)
      default:
        return this.#further(event)
    }
  }

  /** Whoever leaves a private channel is out of it: a client keeps none of its messages. What it still may read it is told. */
  #forget(channel: number): void {
    this.added.forget(channel)
    this.#flags.forget(channel)
  }

  /** The starred messages of which this client does not know where they are. */
  get unplaced(): ReadonlyArray<number> {
    return this.#flags.unplaced
  }

  /** Drops messages that it asked for and was not shown. */
  drop(ids: ReadonlyArray<number>): void {
    this.#flags.deleted({ message_ids: ids })
  }

  /** Learns from a message that was fetched where it is. */
  place(message: Fields): void {
    this.#flags.place(Number(message["id"]), message["stream_id"])
  }

  #further(event: ReadEvent): void {
    const { key, apply } = this.#appliers[event.type] ?? {}
    if (key === undefined || apply === undefined) throw new Error(`this client does not know ${event.type}`)
    const known = this.#sections.rest[key]
    if (known !== undefined) this.#sections.set({ [key]: apply(known, event) })
  }

  #drafts(change: (known: ReadonlyArray<Fields>) => ReadonlyArray<Fields>): void {
    const { drafts: known } = this.#sections.rest
    if (known !== undefined) this.#sections.set({ drafts: change(objectsIn(known)) })
  }

  /** The last one about a topic counts; a policy of 0 is none. */
  #userTopic({ stream_id, topic_name, last_updated, visibility_policy }: Fields): void {
    const { user_topics: known } = this.#sections.rest
    if (known === undefined) return
    const keyOf = (id: unknown, topic: unknown) => `${id}:${String(topic).toLowerCase()}`
    const key = keyOf(stream_id, topic_name)
    const others = objectsIn(known).filter((each) => keyOf(each["stream_id"], each["topic_name"]) !== key)
    const record = { stream_id, topic_name, last_updated, visibility_policy }
    this.#sections.set({ user_topics: visibility_policy === 0 ? others : [...others, record] })
  }

  /** The older list of muted topics names their channels. */
  #renamed({ name, value }: Fields): void {
    const { muted_topics: known } = this.#sections.rest
    if (!Array.isArray(known)) return
    const muted_topics = known.map(([channel, ...topic]) => [channel === name ? value : channel, ...topic])
    this.#sections.set({ muted_topics })
  }

  #message({ message, flags }: Fields): void {
    if (!Predicate.isObject(message)) throw new Error("a message event without a message")
    const id = Number(message["id"])
    this.messages.push(id)
    this.added.message(message)
    this.#flags.message(message, flags)
    if (this.#newestMessage !== null) this.#newestMessage = Math.max(this.#newestMessage, id)
    if ("display_recipient" in message) this.#recent(id, message["display_recipient"])
  }

  /** Moves the conversation of a direct message to the front; it is named by the other participants. */
  #recent(max_message_id: number, recipients: unknown): void {
    const { recent_private_conversations: known } = this.#sections.rest
    if (!Array.isArray(recipients) || known === undefined) return
    const user_ids = sorted(objectsIn(recipients).map(({ id }) => Number(id))).filter((id) => id !== this.#user)
    const others = objectsIn(known).filter((each) => String(each["user_ids"]) !== String(user_ids))
    this.#sections.set({ recent_private_conversations: [{ max_message_id, user_ids }, ...others] })
  }
}
