/**
 * The message event. The SQL function that sends writes its row, from a payload made in send.ts or notices.ts. The row
 * holds no content, which is stored once, in the table of messages.
 */
import * as Schema from "effect/Schema"
import type { EchoOf, Receiver } from "../../../events/encode.ts"
import type { EventBody } from "../../../events/event.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { asRow, one, perRow } from "../../ground/kinds/event-shape.ts"
import { plainEvent } from "../../ground/wire/wire-values.ts"
import { flagsFor, readMarks } from "./marks.ts"
import { Flags, SentMessage } from "./message-schema.ts"
import { formOf, MessagePayload, wireMessage } from "./wire-message.ts"

/** Only the queue that the message was sent through gets `local_message_id` and `local_id`. */
const MessageEvent = plainEvent("message", {
  message: SentMessage,
  flags: Flags,
  local_message_id: Schema.optionalKey(Schema.String),
  local_id: Schema.optionalKey(Schema.String),
}).check(Schema.makeFilter((event) => event.local_id === event.local_message_id, { expected: "one local id, twice" }))

export const messageKind = eventKind({
  type: "message",
  payload: MessagePayload,
  changesRules: false,
  filledIn: ["conversation_id"],
  emptied: ({ widget: _widget, ...payload }) => payload,
  events: { "": MessageEvent },
  sections: ["message", "recent_private_conversations"],
  look: (past, read) => {
    const marksOf = perRow((body) => readMarks(read(body.payload)))
    const flagsOf = (body: EventBody, receiver: Receiver) => flagsFor(marksOf(body), receiver)
    return {
      personal: true,
      apart: (body) => marksOf(body).apart,
      variant: (body, receiver) => [formOf(receiver.rendering), ...flagsOf(body, receiver)].join(),
      wire: (body, receiver) => {
        const row = asRow(body)
        const content = row.content ?? { raw: "", rendered: "" }
        return one({
          type: "message",
          message: wireMessage(past, row.position, row.at, read(row.payload), content, receiver.rendering),
          flags: flagsOf(row, receiver),
        })
      },
    }
  },
})

/** Adds the local id, under both of its names, to the event of the queue that the message was sent through. */
export const localEcho: EchoOf = (row, event, receiver) => {
  if (row.origin === null || row.type !== "message") return event
  if (messageKind.read(row.payload).sender.id !== receiver.user) return event
  return { local_message_id: row.origin.localId, local_id: row.origin.localId, ...event }
}
