/**
 * Rows about messages of a channel that their receivers cannot read any more. Their look on the wire is in message-moves.
 */
import * as Schema from "effect/Schema"
import { rowKind } from "./event-kind.ts"
import { NamedMessages } from "./named-messages.ts"

export const DeleteMessagePayload = Schema.Struct({ messages: NamedMessages, topic: Schema.String })
export type DeleteMessagePayload = typeof DeleteMessagePayload.Type

/** The commit fills in which messages they are. A row takes as many ids as messages. */
export const deleteMessageRows = rowKind({
  type: "delete_message",
  payload: DeleteMessagePayload,
  changesRules: false,
  filledIn: ["messages"],
})
