/**
 * Events that the queues of a user may get, and must get, of one request. `before` and `after`: what everybody may see
 * then. A user's clients hear of a message if the user holds it, or is in its channel and the history is shared
 * ("hears" in sight.ts).
 *
 * 1. message: whoever receives the message gets it, once. Beside them only queues that asked for all public channels or
 *    have a narrow: messages of channels that are not private, and not for guests.
 * 2. update_message, where the message stays in its channel: exactly who heard of it before. Where it gets another channel:
 *    who hears of it there. It names the old place to those who had it there or may read that channel, to others none.
 *    Subscribers of a channel whose history they may read only now hear of what they could not read there, as if it had been
 *    moved there from nowhere.
 * 3. delete_message: exactly who heard of the message before, if it is deleted or is moved to where they do not hear of it, or
 *    if they may not read it there any more, but for those who leave a private channel; and whoever deleted it. It names the
 *    place before. Those to whom it comes by a move may get one first.
 * 4. reaction: who heard of the message before; and who has put it there, who holds the message from then on.
 * 5. submessage: who holds the message; who is in its channel, where the history is shared; and whose it is.
 * 6. update_message_flags: the user's own messages only; what a request marks is named exactly.
 * 7. typing: who is in the channel or the conversation. typing_edit_message: who heard of the message before, of the place
 *    that it had then.
 * 8. attachment: of the messages that link a file those that its owner may read.
 * 9. stream: who knows of a channel only now is told of it, unless they are in it; who does no more is told that it is gone.
 * 10. An event of another type names only messages that the user may read before or after the request; and no event names a
 *    channel that they know at neither time, unless a message that they may read is there: they may hold some of channels that
 *    they have left.
 */
import * as Predicate from "effect/Predicate"
import { numbersIn, objectIn, objectsIn } from "../../../../kit/client-sections.ts"
import type { ReadEvent } from "../../../../kit/reader.ts"
import { Disagreement } from "./scene.ts"
import { type Known, of, type Visibility } from "./sight.ts"
import { isGuest, type User, type World } from "./world.ts"

/** A queue, with what it asked for beside what is its owner's. */
export interface ClientOptions {
  /** Whether it gets messages of public channels that its owner is not in. */
  readonly isOpen: boolean
  /** Its narrow. */
  readonly fits: (message: Known) => boolean
}

/** The part of a request's deeds that the world does not show. */
export interface Deed {
  readonly before: Visibility
  readonly after: Visibility
  /** Whose flags of which messages were changed; undefined: not known. */
  readonly flagged: { readonly user: User; readonly ids: ReadonlySet<number> } | undefined
  readonly deleter: User | undefined
}

/** The messages that an event is about. */
export const messagesOf = (event: ReadEvent): ReadonlyArray<number> => {
  switch (event.type) {
    case "message":
      return [Number(objectIn(event["message"])["id"])]
    case "update_message_flags":
      return [...numbersIn(event["messages"]), ...Object.keys(objectIn(event["message_details"] ?? {})).map(Number)]
    case "attachment":
      return objectsIn(objectIn(event["attachment"])["messages"] ?? []).map(({ id }) => Number(id))
    default:
      return "message_ids" in event
        ? numbersIn(event["message_ids"])
        : "message_id" in event
          ? [Number(event["message_id"])]
          : []
  }
}

/** The channels that an event names. */
const channelsOf = (event: ReadEvent): ReadonlyArray<number> => {
  const listed = [event["streams"], event["subscriptions"]].flatMap((list) =>
    objectsIn(list ?? []).map(({ stream_id }) => stream_id),
  )
  const recipient = objectIn(event["recipient"] ?? {})["channel_id"]
  const single = [event["stream_id"], event["new_stream_id"], objectIn(event["message"] ?? {})["stream_id"], recipient]
  const found = [...listed, ...single, ...numbersIn(event["stream_ids"] ?? [])]
  return [...new Set(found.filter(Predicate.isNumber))]
}

const fold = (topic: unknown): string => String(topic).replace("general chat", "").toLowerCase()

/** One user's queue, one request and the events that came. Throws at the first that breaks a rule. */
export class Hearing {
  readonly #world: World
  readonly #user: User
  readonly #clientOptions: ClientOptions
  readonly #deed: Deed
  readonly #events: ReadonlyArray<ReadEvent>

  constructor(world: World, user: User, clientOptions: ClientOptions, deed: Deed, events: ReadonlyArray<ReadEvent>) {
    this.#world = world
    this.#user = user
    this.#clientOptions = clientOptions
    this.#deed = deed
    this.#events = events
  }

  #fail(what: string, event: ReadEvent | undefined, ids: ReadonlyArray<number> = []): never {
    const told = ids.map((id) => this.#world.describe(id))
    throw new Disagreement([`${this.#user.name} ${what}`, JSON.stringify(event ?? {}), ...told].join("\n"))
  }

  #isOne(
    which: keyof Pick<Visibility, "reads" | "hears" | "holds" | "had">,
    when: "before" | "after",
    id: number,
  ): boolean {
    return of(this.#deed[when][which], this.#user).has(id)
  }

  /** Rule 10. */
  #within(event: ReadEvent): void {
    const mayRead = (id: number) => this.#isOne("reads", "before", id) || this.#isOne("reads", "after", id)
    const strange = messagesOf(event).filter((id) => !mayRead(id))
    if (strange.length > 0) this.#fail("hears of what they may not read", event, strange)
    const known = [this.#deed.before, this.#deed.after].flatMap((visibility) => [
      ...of(visibility.channels, this.#user),
      ...[...of(visibility.reads, this.#user)].map((id) => visibility.messages.get(id)?.channel ?? null),
    ])
    const hidden = channelsOf(event).filter((id) => !known.includes(id))
    if (hidden.length > 0) this.#fail(`hears of the channels ${hidden}`, event)
  }

  /** That events of a type are about all messages of `must`, each once, and about others of `may` only. */
  #exactly(type: string, must: (id: number) => boolean, may: (id: number) => boolean, among: Iterable<number>): void {
    const events = this.#events.filter((event) => event.type === type)
    const told = events.flatMap(messagesOf)
    const known = new Set(among)
    for (const event of events) {
      const strange = messagesOf(event).filter((id) => !known.has(id) || !may(id))
      if (strange.length > 0) this.#fail(`gets it, which is not for them`, event, strange)
    }
    for (const id of known) {
      const count = told.filter((each) => each === id).length
      if (count > 1) this.#fail(`gets ${count} ${type} of ${id}`, events[0], [id])
      if (count === 0 && must(id)) this.#fail(`gets no ${type} of ${id}`, undefined, [id])
    }
  }

  #received(): void {
    const { before, after } = this.#deed
    const isMeant = (id: number) => {
      const found = after.messages.get(id)
      if (found === undefined) return false
      return found.message.people.includes(this.#user.id) || found.message.received.has(this.#user)
    }
    const isOpen = (id: number) => {
      const channel = after.messages.get(id)?.channel ?? null
      return (
        this.#clientOptions.isOpen && channel !== null && !isGuest(this.#user) && !after.privateChannels.has(channel)
      )
    }
    const fits = (id: number) => {
      const found = after.messages.get(id)
      return found !== undefined && this.#clientOptions.fits(found)
    }
    const isFor = (id: number) => (isMeant(id) || isOpen(id)) && fits(id)
    const fresh = [...after.messages.keys()].filter((id) => !before.messages.has(id))
    this.#exactly("message", isFor, isFor, fresh)
    for (const event of this.#events.filter(({ type }) => type === "message")) {
      const { id, content } = objectIn(event["message"])
      if (content !== after.messages.get(Number(id))?.content) this.#fail("gets another content", event, [Number(id)])
    }
  }

  #changed(): void {
    const { before, after } = this.#deed
    const changes = [...before.messages].flatMap(([id, was]) => {
      const is = after.messages.get(id)
      const isChanged =
        is !== undefined && (is.content !== was.content || is.channel !== was.channel || is.topic !== was.topic)
      return isChanged ? [id] : []
    })
    const staysIn = (id: number) => before.messages.get(id)?.channel === after.messages.get(id)?.channel
    const heard = (id: number) => this.#isOne("hears", "before", id)
    const reads = (id: number) => this.#isOne("reads", "after", id)
    const hears = (id: number) => this.#isOne("hears", "after", id)
    const isIn = (id: number, { subscribers }: Visibility) => {
      const channel = before.messages.get(id)?.channel ?? null
      return channel !== null && of(subscribers, channel).has(this.#user)
    }
    const stays = [...before.messages.keys()].filter((id) => after.messages.has(id) && !changes.includes(id))
    const opened = stays.filter(
      (id) => !this.#isOne("reads", "before", id) && reads(id) && isIn(id, before) && isIn(id, after),
    )
    const closed = stays.filter((id) => heard(id) && !reads(id) && (!isIn(id, before) || isIn(id, after)))
    this.#exactly(
      "update_message",
      (id) => opened.includes(id) || (staysIn(id) ? heard(id) && reads(id) : hears(id)),
      (id) => opened.includes(id) || (staysIn(id) ? heard(id) : hears(id)),
      [...changes, ...opened],
    )
    for (const event of this.#events.filter(({ type }) => type === "update_message")) {
      if (!messagesOf(event).some((id) => opened.includes(id))) this.#place(event)
      else if (messagesOf(event).some((id) => fold(event["subject"]) !== fold(after.messages.get(id)?.topic)))
        this.#fail("is told of another place", event, messagesOf(event))
    }
    const gone = [...before.messages.keys()].filter((id) => !after.messages.has(id))
    const comes = (id: number) => !staysIn(id) && hears(id)
    const lost = (id: number) =>
      gone.includes(id)
        ? heard(id) || this.#deed.deleter === this.#user
        : staysIn(id)
          ? heard(id) && !reads(id)
          : this.#isOne("had", "before", id) && !hears(id)
    this.#exactly("delete_message", lost, (id) => lost(id) || comes(id), [...gone, ...changes, ...closed])
    for (const event of this.#events.filter(({ type }) => type === "delete_message"))
      for (const id of messagesOf(event)) {
        const was = before.messages.get(id)
        const isAt = (place: Known | undefined) =>
          event["stream_id"] === place?.channel && fold(event["topic"]) === fold(place?.topic)
        const isThere = was?.channel === null || isAt(this.#knowsPlace(id) ? was : after.messages.get(id))
        if (!isThere) this.#fail("is told of another place", event, [id])
      }
  }

  /** Whether they may hear where a message was that is moved. */
  #knowsPlace(id: number): boolean {
    const channel = this.#deed.before.messages.get(id)?.channel ?? null
    const isOpen = channel !== null && !this.#deed.before.privateChannels.has(channel)
    const { contents } = this.#deed.before
    return this.#isOne("had", "before", id) || (isOpen && of(contents, this.#user).has(channel))
  }

  /** Checks the message that an update names, and the place where the others were. */
  #place(event: ReadEvent): void {
    const { before, after } = this.#deed
    const [was, is] = [before, after].map(({ messages }) => messages.get(Number(event["message_id"])))
    for (const id of messagesOf(event)) {
      const each = before.messages.get(id)
      const isHidden = event["orig_subject"] === "(no topic)"
      if (isHidden && !this.#knowsPlace(id) && event["stream_id"] === after.messages.get(id)?.channel) continue
      if (each === undefined || (each.channel !== null && event["stream_id"] !== each.channel))
        this.#fail("is told of another place", event, [id])
    }
    const isRight = [
      !("orig_subject" in event) ||
        event["orig_subject"] === "(no topic)" ||
        fold(event["orig_subject"]) === fold(was?.topic),
      !("subject" in event) || fold(event["subject"]) === fold(is?.topic),
      (event["new_stream_id"] ?? was?.channel ?? null) === is?.channel,
      !("content" in event) || (event["content"] === is?.content && event["orig_content"] === was?.content),
    ]
    if (isRight.includes(false))
      this.#fail(`is told of another place or content (${isRight})`, event, messagesOf(event))
  }

  #takenPart(): void {
    const { before, after } = this.#deed
    const kept = [...after.messages].flatMap(([id, is]) => {
      const was = before.messages.get(id)
      return was === undefined ? [] : [{ id, was, is }]
    })
    const heard = (id: number) => this.#isOne("hears", "before", id)
    const reacted = kept.filter(({ was, is }) => [...was.reactions].join() !== [...is.reactions].join())
    this.#exactly(
      "reaction",
      heard,
      (id) => heard(id) || this.#isOne("holds", "after", id),
      reacted.map(({ id }) => id),
    )
    const voted = kept.filter(({ was, is }) => was.votes !== is.votes)
    const isOwn = (event: ReadEvent) => event["sender_id"] === this.#user.id
    const own = this.#events.filter((event) => event.type === "submessage" && isOwn(event)).flatMap(messagesOf)
    this.#exactly(
      "submessage",
      (id) => this.#isOne("holds", "before", id),
      (id) => heard(id) || own.includes(id),
      voted.map(({ id }) => id),
    )
  }

  #flagged(): void {
    const { flagged } = this.#deed
    const events = this.#events.filter(({ type }) => type === "update_message_flags")
    if (flagged === undefined) return
    const told = new Set(events.flatMap(messagesOf))
    const expected = flagged.user === this.#user ? flagged.ids : new Set<number>()
    const ids = [...told, ...expected].filter((id) => told.has(id) !== expected.has(id))
    if (ids.length > 0) this.#fail(`is told of the flags of ${[...told]}, not of ${[...expected]}`, events[0], ids)
  }

  #typed(): void {
    const { before } = this.#deed
    for (const event of this.#events) {
      if (event.type === "typing") {
        const people = objectsIn(event["recipients"] ?? []).map(({ user_id }) => user_id)
        const isIn = Predicate.isNumber(event["stream_id"])
          ? of(before.subscribers, event["stream_id"]).has(this.#user)
          : people.includes(this.#user.id)
        if (!isIn) this.#fail("sees somebody type", event)
      }
      if (event.type === "typing_edit_message") {
        const id = Number(event["message_id"])
        const was = before.messages.get(id)
        const { type, channel_id, topic } = objectIn(event["recipient"])
        const isThere = type === "direct" || (channel_id === was?.channel && fold(topic) === fold(was?.topic))
        if (!this.#isOne("hears", "before", id) || !isThere) this.#fail("sees somebody edit", event, [id])
      }
    }
  }

  #channels(): void {
    const [before, after] = [of(this.#deed.before.channels, this.#user), of(this.#deed.after.channels, this.#user)]
    const named = (op: string) =>
      new Set(this.#events.filter((event) => event.type === "stream" && event["op"] === op).flatMap(channelsOf))
    const sorted = (ids: Iterable<number>) => [...ids].sort((a, b) => a - b).join()
    const [shown, hidden] = [[...after].filter((id) => !before.has(id)), [...before].filter((id) => !after.has(id))]
    if (sorted(named("create")) !== sorted(shown))
      this.#fail(`is shown ${[...named("create")]}, not ${shown}`, undefined)
    if (sorted(named("delete")) !== sorted(hidden))
      this.#fail(`loses ${[...named("delete")]}, not ${hidden}`, undefined)
  }

  judge(): void {
    for (const event of this.#events) this.#within(event)
    this.#received()
    this.#changed()
    this.#takenPart()
    this.#flagged()
    this.#typed()
    this.#channels()
  }
}
