/** The typing event: what its payload holds, and how the two kinds of it look on the wire (contract 2.2). */
import * as Schema from "effect/Schema"
import type { Rendering } from "../../events/encode.ts"
import type { JsonObject } from "../../json.ts"
import { showTopic } from "../realm/values.ts"

const Person = Schema.Struct({ user_id: Schema.Number, email: Schema.String })

const TypingPayload = Schema.Struct({
  op: Schema.Literals(["start", "stop"]),
  sender: Person,
  /** Of a conversation between people: all of them, the sender too. */
  people: Schema.optional(Schema.Array(Person)),
  channel: Schema.optional(Schema.Struct({ id: Schema.Number, topic: Schema.String })),
})
export type TypingPayload = typeof TypingPayload.Type
export const readTyping = Schema.decodeUnknownSync(TypingPayload)

/** Null for a client that has not asked for typing in channels. */
export const wireTyping = (payload: TypingPayload, rendering: Rendering): JsonObject | null => {
  const { op, sender, channel, people } = payload
  const common = { type: "typing", op, sender }
  if (channel === undefined) return { ...common, message_type: "direct", recipients: people ?? [] }
  if (!rendering.channelTyping) return null
  return {
    ...common,
    message_type: "stream",
    stream_id: channel.id,
    topic: showTopic(channel.topic, rendering.emptyTopicName),
  }
}
