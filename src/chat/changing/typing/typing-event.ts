/** The typing event, which is never stored: its payload, and its two forms on the wire. */
import * as Schema from "effect/Schema"
import type { Rendering } from "../../../events/encode.ts"
import { idSchemas } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { none, one } from "../../ground/kinds/event-shape.ts"
import { showTopic } from "../../ground/realm/values.ts"
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
const wireTyping = (payload: TypingPayload, rendering: Rendering): JsonObject | null => {
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
  look: (_past, read) => ({
    personal: false,
    variant: (_body, { emptyTopicName, channelTyping }) => `${emptyTopicName} ${channelTyping}`,
    wire: (body, rendering) => {
      const event = wireTyping(read(body.payload), rendering)
      return event === null ? none : one(event)
    },
  }),
})
