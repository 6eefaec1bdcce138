/** The event that somebody types a new content of a message; never stored. */
import * as Schema from "effect/Schema"
import { idSchemas } from "../../../ids.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { oneEvent } from "../../ground/kinds/event-kind-helpers.ts"
import { showTopic } from "../../ground/realm/domain-values.ts"
import { Id, opEvent, SortedIds } from "../../ground/wire/wire-values.ts"

export const EditTypingPayload = Schema.Struct({
  op: Schema.Literals(["start", "stop"]),
  sender_id: idSchemas.user,
  message_id: idSchemas.message,
  /**
   * The place of the message: a channel's topic, and the position since which it is in the channel, of which those hold it who were
   * there; or the people, ascending.
   */
  place: Schema.Union([
    Schema.Struct({ channel: idSchemas.channel, topic: Schema.String, since: Schema.Number }),
    Schema.Struct({ people: Schema.Array(idSchemas.user) }),
  ]),
})
export type EditTypingPayload = typeof EditTypingPayload.Type

const event = (op: EditTypingPayload["op"]) =>
  opEvent("typing_edit_message", op, {
    sender_id: Id,
    message_id: Id,
    recipient: Schema.Union([
      Schema.Struct({ type: Schema.Literal("channel"), channel_id: Id, topic: Schema.String }),
      Schema.Struct({ type: Schema.Literal("direct"), user_ids: SortedIds }),
    ]),
  })

export const editTypingKind = eventKind({
  type: "typing_edit_message",
  payload: EditTypingPayload,
  changesRules: false,
  events: { start: event("start"), stop: event("stop") },
  wireForm: (_past, read) => ({
    personal: false,
    variant: (_body, { emptyTopicName }) => String(emptyTopicName),
    wire: (body, { emptyTopicName }) => {
      const { op, sender_id, message_id, place } = read(body.payload)
      const recipient =
        "people" in place
          ? { type: "direct", user_ids: place.people }
          : { type: "channel", channel_id: place.channel, topic: showTopic(place.topic, emptyTopicName) }
      return oneEvent({ type: "typing_edit_message", op, sender_id, message_id, recipient })
    },
  }),
})
