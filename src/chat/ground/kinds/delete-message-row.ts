/**
 * Rows about messages that their receivers cannot read any more: deleted, or moved away from them. Their wire form is in
 * message-moves.
 */
import * as Schema from "effect/Schema"
import { rowKind } from "./event-kind.ts"
import { NamedMessages } from "./named-messages.ts"

export const DeleteMessagePayload = Schema.Struct({
  messages: NamedMessages,
  /** Empty for direct messages. */
  topic: Schema.String,
  /**
   * For messages that are about to come to their receivers by a move, and were changed before: whoever knows an older form of
   * one forgets it, and asks for it anew. This is the topic to which they come.
   */
  to_topic: Schema.optionalKey(Schema.String),
  /**
   * For a deletion: the positions of all rows that had some of the messages' content, which the commit takes from them.
   * Each process does so with the rows in its memory before it delivers this one.
   */
  emptied: Schema.optionalKey(Schema.Array(Schema.Number)),
})
export type DeleteMessagePayload = typeof DeleteMessagePayload.Type

/** The commit fills in which messages they are. A row takes as many ids as messages. */
export const deleteMessageRows = rowKind({
  type: "delete_message",
  payload: DeleteMessagePayload,
  changesRules: false,
  filledIn: ["messages"],
  erasedPositions: ({ emptied = [] }) => emptied,
})
