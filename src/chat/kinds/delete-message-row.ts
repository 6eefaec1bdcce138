/**
 * Rows about messages that their receivers cannot read any more: deleted, or moved away from them. Their look on the wire is in message-moves.
 */
import * as Schema from "effect/Schema"
import { rowKind } from "./event-kind.ts"
import { NamedMessages } from "./named-messages.ts"

export const DeleteMessagePayload = Schema.Struct({
  messages: NamedMessages,
  /** Empty for direct messages. */
  topic: Schema.String,
  /** They are deleted: what is in memory of their content goes before the row is delivered. */
  is_deletion: Schema.optionalKey(Schema.Literal(true)),
})
export type DeleteMessagePayload = typeof DeleteMessagePayload.Type

/** The commit fills in which messages they are. A row takes as many ids as messages. */
export const deleteMessageRows = rowKind({
  type: "delete_message",
  payload: DeleteMessagePayload,
  changesRules: false,
  filledIn: ["messages"],
})
