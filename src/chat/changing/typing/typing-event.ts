/** The typing event, which is never stored: its payload, and its two forms on the wire. */
import * as Schema from "effect/Schema"
import type { ClientRendering, EventReceiver } from "../../../events/encode.ts"
import { type EventBody, emptyUserSet, inSet, joinSets } from "../../../events/event.ts"
import { idSchemas, type UserId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { noEvents, oneEvent } from "../../ground/kinds/event-kind-helpers.ts"
import { showTopic } from "../../ground/realm/domain-values.ts"
import { placeholderAddress } from "../../ground/realm/email-addresses.ts"
import { strangersToAll } from "../../ground/wire/receivers-who-do-not-know.ts"
import { Address, Id, opEvent } from "../../ground/wire/wire-values.ts"

const Person = Schema.Struct({ user_id: idSchemas.user, email: Schema.String })

const TypingPayload = Schema.Struct({
  op: Schema.Literals(["start", "stop"]),
  sender: Person,
  /** All participants of a direct conversation, the sender included. */
  people: Schema.optionalKey(Schema.Array(Person)),
  channel: Schema.optionalKey(Schema.Struct({ id: idSchemas.channel, topic: Schema.String })),
})
export type TypingPayload = typeof TypingPayload.Type

/** The event; null for typing in a channel, if the client has not asked for that. */
const wireTyping = (payload: TypingPayload, rendering: ClientRendering): JsonObject | null => {
  const { op, sender, channel, people } = payload
  const common = { type: "typing", op, sender }
  if (channel === undefined) return { message_type: "direct", recipients: people ?? [], ...common }
  if (!rendering.channelTyping) return null
  return {
    message_type: "stream",
    stream_id: channel.id,
    topic: showTopic(channel.topic, rendering.emptyTopicName),
    ...common,
  }
}

const nobody: ReadonlySet<UserId> = new Set()

const WirePerson = Schema.Struct({ user_id: Id, email: Address })

const event = (op: TypingPayload["op"]) =>
  Schema.Union([
    opEvent("typing", op, {
      sender: WirePerson,
      message_type: Schema.Literal("direct"),
      recipients: Schema.Array(WirePerson).check(Schema.isMinLength(1)),
    }),
    opEvent("typing", op, {
      sender: WirePerson,
      message_type: Schema.Literal("stream"),
      stream_id: Id,
      topic: Schema.String,
    }),
  ])

export const typingKind = eventKind({
  type: "typing",
  payload: TypingPayload,
  changesRules: false,
  events: { start: event("start"), stop: event("stop") },
  wireForm: (past, read) => {
    // All of its people: before the first message of a conversation none of them may be known.
    const peopleOf = (body: EventBody) => {
      const { sender, people = [sender] } = read(body.payload)
      return people.map(({ user_id }) => user_id)
    }
    const strangers = strangersToAll(past, (body) => {
      const among = read(body.payload).channel?.id
      return peopleOf(body).map((user) => ({ user, among }))
    })
    const unknownTo = (body: EventBody, { user }: EventReceiver): ReadonlySet<UserId> => {
      const sets = strangers(body)
      return sets.length === 0 ? nobody : new Set(peopleOf(body).filter((_, n) => inSet(sets[n] ?? emptyUserSet, user)))
    }
    return {
      personal: true,
      apart: (body) => strangers(body).reduce(joinSets, emptyUserSet),
      variant: (body, receiver) => {
        const { emptyTopicName, channelTyping } = receiver.rendering
        return `${emptyTopicName} ${channelTyping} ${[...unknownTo(body, receiver)].join()}`
      },
      wire: (body, receiver) => {
        const unknown = unknownTo(body, receiver)
        const payload = read(body.payload)
        const shown = (person: typeof Person.Type) =>
          unknown.has(person.user_id) ? { ...person, email: placeholderAddress(past, { id: person.user_id }) } : person
        const { sender, people } = payload
        const known =
          unknown.size === 0
            ? payload
            : { ...payload, sender: shown(sender), ...(people === undefined ? {} : { people: people.map(shown) }) }
        const event = wireTyping(known, receiver.rendering)
        return event === null ? noEvents : oneEvent(event)
      },
    }
  },
})
