/**
 * Rows about messages that were changed after they were sent: edited, rendered anew, or moved to another topic or
 * channel. Their wire form is in message-moves.
 */
import * as Schema from "effect/Schema"
import { idSchemas } from "../../../ids.ts"
import { rowKind } from "./event-kind.ts"
import { NamedMessages } from "./named-messages.ts"

/**
 * The sets of users that decide the flags of one message for everybody: multiranges (realm/id-ranges.ts), each absent
 * where it is empty.
 */
export const FlagSets = Schema.Struct({
  /** For all others it is read. */
  unread: Schema.optionalKey(Schema.String),
  starred: Schema.optionalKey(Schema.String),
  collapsed: Schema.optionalKey(Schema.String),
  /** By name or by a group. */
  mentioned: Schema.optionalKey(Schema.String),
  topic: Schema.optionalKey(Schema.String),
  alerted: Schema.optionalKey(Schema.String),
  /** They received it, though they may not be in its channel any more. */
  received: Schema.optionalKey(Schema.String),
  /** It mentions everybody who received it in this channel: when it was sent, or at `everybody_at`. */
  everybody_in: Schema.optionalKey(idSchemas.channel),
  everybody_at: Schema.optionalKey(Schema.Number),
  /** And these. */
  everybody_also: Schema.optionalKey(Schema.String),
  /** It mentions everybody in its conversation. */
  everybody: Schema.optionalKey(Schema.Literal(true)),
  /** Since when it is in its channel; absent for a direct message. */
  since: Schema.optionalKey(Schema.Number),
})
export type FlagSets = typeof FlagSets.Type

const TopicLink = Schema.Struct({ text: Schema.String, url: Schema.String })

export const UpdateMessagePayload = Schema.Struct({
  /** The user who changed them; null: the program rendered the content anew. */
  user_id: Schema.NullOr(idSchemas.user),
  message_id: idSchemas.message,
  messages: NamedMessages,
  flags: FlagSets,
  /**
   * Flags of further messages, for receivers who do not hold `message_id`; one without flags is left out. Where history is not
   * shared the first entry is the message that came last: every present subscriber who holds any of them holds it. Absent where
   * there are no such receivers, and in older rows.
   */
  others: Schema.optionalKey(Schema.Array(Schema.Struct({ message_id: idSchemas.message, flags: FlagSets }))),
  /** The channel in which the messages were. */
  channel: Schema.optionalKey(Schema.Struct({ id: idSchemas.channel, name: Schema.String })),
  /** The content that a message has now, and the one before. A deletion empties all four. */
  content: Schema.optionalKey(
    Schema.Struct({
      raw: Schema.String,
      rendered: Schema.String,
      orig_raw: Schema.String,
      orig_rendered: Schema.String,
    }),
  ),
  /** The topic before a move. */
  topic: Schema.optionalKey(Schema.String),
  moved: Schema.optionalKey(
    Schema.Struct({
      propagate_mode: Schema.Literals(["change_one", "change_later", "change_all"]),
      topic: Schema.String,
      topic_links: Schema.Array(TopicLink),
      /** Absent where they stay in their channel. */
      channel_id: Schema.optionalKey(idSchemas.channel),
      /** For those who must not hear where they were. Absent in older rows, too, which only those hear who may. */
      channel_name: Schema.optionalKey(Schema.String),
    }),
  ),
})
export type UpdateMessagePayload = typeof UpdateMessagePayload.Type

/** In place of a topic that a receiver must not hear of: no topic can be called so, it would be the one without a name. */
export const untoldTopic = "(no topic)"

/** The SQL functions that write the rows fill in which messages they are, and the flags. */
export const updateMessageRows = rowKind({
  type: "update_message",
  payload: UpdateMessagePayload,
  changesRules: false,
  filledIn: ["message_id", "messages", "flags"],
  redact: (payload) =>
    "content" in payload
      ? { ...payload, content: { raw: "", rendered: "", orig_raw: "", orig_rendered: "" } }
      : payload,
})
