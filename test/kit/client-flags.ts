/**
 * The part of ClientState about what is unread and what is starred: applies messages and flags to the sections of a
 * register, as the author of a client would.
 */
import { type Fields, numbersIn, objectIn, objectsIn, type Sections, sorted } from "./client-sections.ts"

/** An unread message: where it is shown, and whether it mentions the user. */
interface Unread {
  /** `channel id:topic` or `direct:the other participants`. */
  readonly place: string
  readonly channel: number | null
  readonly mentioned: boolean
}

const ofChannel = (channel: number, topic: unknown, mentioned: boolean): Unread => ({
  // Topics that differ only in case are one.
  place: `${channel}:${String(topic).toLowerCase()}`,
  channel,
  mentioned,
})
const ofPeople = (others: ReadonlyArray<number>, mentioned: boolean): Unread => ({
  place: `direct:${sorted(others)}`,
  channel: null,
  mentioned,
})

const readRegister = (unread: Fields, user: number): Map<number, Unread> => {
  const mentions = new Set(numbersIn(unread["mentions"]))
  const found = new Map<number, Unread>()
  const take = (ids: unknown, make: (mentioned: boolean) => Unread) => {
    for (const id of numbersIn(ids)) found.set(id, make(mentions.has(id)))
  }
  for (const { stream_id, topic, unread_message_ids: ids } of objectsIn(unread["streams"]))
    take(ids, (mentioned) => ofChannel(Number(stream_id), topic, mentioned))
  for (const { other_user_id, unread_message_ids: ids } of objectsIn(unread["pms"]))
    take(ids, (mentioned) => ofPeople(other_user_id === user ? [] : [Number(other_user_id)], mentioned))
  for (const { user_ids_string, unread_message_ids: ids } of objectsIn(unread["huddles"])) {
    const others = String(user_ids_string).split(",").map(Number)
    take(ids, (mentioned) =>
      ofPeople(
        others.filter((id) => id !== user),
        mentioned,
      ),
    )
  }
  return found
}

const isMentioning = (flags: ReadonlyArray<unknown>): boolean =>
  flags.includes("mentioned") || flags.includes("wildcard_mentioned")

export class FlagState {
  readonly #user: number
  readonly #sections: Sections
  /** null: the section was not asked for. */
  readonly #unread: Map<number, Unread> | null
  readonly #starred: Set<number> | null
  /** The channels of messages, as far as this client knows them; null: a direct message. */
  readonly #places = new Map<number, number | null>()

  constructor(register: Fields, user: number, sections: Sections) {
    this.#user = user
    this.#sections = sections
    const { unread_msgs: unread, starred_messages: starred } = register
    this.#unread = unread === undefined ? null : readRegister(objectIn(unread), user)
    this.#starred = starred === undefined ? null : new Set(numbersIn(starred))
    const count = this.#count()
    if (unread !== undefined && count !== null && count !== objectIn(unread)["count"])
      throw new Error(`${count} messages are unread and not muted, the register says ${JSON.stringify(unread)}`)
  }

  /** The user's policies for topics, by their places; null where the client did not ask for them. */
  #policies(): ReadonlyMap<string, unknown> | null {
    const { user_topics: topics } = this.#sections.rest
    if (topics === undefined) return null
    return new Map(
      objectsIn(topics).map(({ stream_id, topic_name, visibility_policy }) => [
        ofChannel(Number(stream_id), topic_name, false).place,
        visibility_policy,
      ]),
    )
  }

  /**
   * Number of unread messages that are not muted: in a muted topic, or in a muted channel and not in a topic that is
   * unmuted or followed. null where the client does not know of all that it is subscribed to them, as of archived ones.
   */
  #count(): number | null {
    const subscriptions = this.#sections.list("subscriptions")
    const policies = this.#policies()
    if (subscriptions === undefined || this.#unread === null || policies === null) return null
    let count = 0
    for (const { channel, place } of this.#unread.values()) {
      if (channel !== null && !subscriptions.has(channel)) return null
      const policy = policies.get(place)
      const isMuted =
        policy === 1 || (policy === undefined && channel !== null && subscriptions.get(channel)?.["is_muted"] === true)
      if (!isMuted) count += 1
    }
    return count
  }

  /** The starred messages that it cannot place, because it knows no more of them than their ids. */
  get unplaced(): ReadonlyArray<number> {
    return [...(this.#starred ?? [])].filter((id) => !this.#places.has(id))
  }

  place(id: number, channel: unknown): void {
    this.#places.set(id, channel === undefined ? null : Number(channel))
  }

  /** Drops the messages of a channel. */
  forget(channel: number): void {
    for (const [id, of] of this.#places) if (of === channel) this.#starred?.delete(id)
    for (const [id, { channel: of }] of this.#unread ?? []) if (of === channel) this.#unread?.delete(id)
  }

  message(message: Fields, flags: unknown): void {
    this.place(Number(message["id"]), message["stream_id"])
    if (this.#unread === null || !Array.isArray(flags) || flags.includes("read")) return
    const mentioned = isMentioning(flags)
    const { stream_id, subject, display_recipient } = message
    this.#unread.set(
      Number(message["id"]),
      stream_id === undefined
        ? ofPeople(
            objectsIn(display_recipient)
              .map(({ id }) => Number(id))
              .filter((id) => id !== this.#user),
            mentioned,
          )
        : ofChannel(Number(stream_id), subject, mentioned),
    )
  }

  /** A message that the client has asked for. */
  loaded(message: Fields): void {
    this.#unread?.delete(Number(message["id"]))
    this.message(message, message["flags"])
  }

  /** An edit of a content may mention the user, or do so no more; it is about one message. */
  edited(event: Fields): void {
    const { content, flags, message_id, orig_subject } = event
    const known = this.#unread?.get(Number(message_id))
    if (content !== undefined && known !== undefined && Array.isArray(flags))
      this.#unread?.set(Number(message_id), { ...known, mentioned: isMentioning(flags) })
    if (orig_subject !== undefined) this.#moved(event)
  }

  /** Moves messages. Those that go to a channel that the user is not in are read. */
  #moved({
    message_ids,
    stream_id,
    new_stream_id: to = stream_id,
    orig_subject,
    subject = orig_subject,
  }: Fields): void {
    const subscriptions = this.#sections.list("subscriptions")
    for (const id of numbersIn(message_ids)) {
      if (this.#places.has(id)) this.place(id, to)
      const known = this.#unread?.get(id)
      if (known === undefined) continue
      if (subscriptions !== undefined && !subscriptions.has(Number(to))) this.#unread?.delete(id)
      else this.#unread?.set(id, ofChannel(Number(to), subject, known.mentioned))
    }
  }

  deleted({ message_ids, message_id }: Fields): void {
    for (const id of message_ids === undefined ? [Number(message_id)] : numbersIn(message_ids)) {
      this.#unread?.delete(id)
      this.#starred?.delete(id)
    }
  }

  flags({ op, flag, messages, all, message_details }: Fields): void {
    if (flag === "starred") {
      for (const id of numbersIn(messages)) {
        if (op === "add") this.#starred?.add(id)
        else this.#starred?.delete(id)
      }
    }
    if (flag !== "read" || this.#unread === null) return
    if (all === true) this.#unread.clear()
    for (const id of numbersIn(messages)) {
      if (op === "add") this.#unread.delete(id)
      else {
        const { type, stream_id, topic, user_ids, mentioned } = objectIn(objectIn(message_details)[String(id)])
        const isMentioned = mentioned === true
        this.#unread.set(
          id,
          type === "stream"
            ? ofChannel(Number(stream_id), topic, isMentioned)
            : ofPeople(numbersIn(user_ids), isMentioned),
        )
      }
    }
  }

  /** Plain data that is equal for equal states. */
  plain(): Fields {
    const unread = this.#unread
    return {
      ...(unread === null
        ? {}
        : { unread_msgs: sorted(unread.keys()).map((id) => ({ id, ...unread.get(id) })), unread_count: this.#count() }),
      ...(this.#starred === null ? {} : { starred_messages: sorted(this.#starred) }),
    }
  }
}
