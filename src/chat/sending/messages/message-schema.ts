/** The exact shape of messages on the wire. wire-message.ts makes them. */
import * as Schema from "effect/Schema"
import { AvatarUrl } from "../../ground/wire/wire-person.ts"
import { Address, Id, NoItems, Seconds, Url } from "../../ground/wire/wire-values.ts"
import { widgetMessageType } from "./widgets.ts"

export const Flags = Schema.Array(
  Schema.Literals([
    "read",
    "starred",
    "collapsed",
    "mentioned",
    "stream_wildcard_mentioned",
    "topic_wildcard_mentioned",
    "has_alert_word",
    "historical",
    "group_mentioned",
    "wildcard_mentioned",
  ]),
).check(Schema.isUnique())

export const Reaction = Schema.Struct({
  emoji_name: Schema.NonEmptyString,
  emoji_code: Schema.NonEmptyString,
  reaction_type: Schema.Literals(["unicode_emoji", "realm_emoji", "zulip_extra_emoji"]),
  user_id: Id,
}).annotate({ identifier: "Reaction" })

/** `content`: JSON, of the shapes that widgets have. */
const Submessage = Schema.Struct({
  id: Id,
  message_id: Id,
  sender_id: Id,
  msg_type: Schema.Literal(widgetMessageType),
  content: Schema.NonEmptyString,
}).annotate({ identifier: "Submessage" })

const message = {
  id: Id,
  content: Schema.String,
  content_type: Schema.Literals(["text/html", "text/x-markdown"]),
  timestamp: Seconds,
  client: Schema.NonEmptyString,
  sender_id: Id,
  sender_email: Address,
  sender_full_name: Schema.NonEmptyString,
  sender_realm_str: Schema.String,
  /** null: the client computes the URL from the address. */
  avatar_url: AvatarUrl,
  is_me_message: Schema.Boolean,
  recipient_id: Id,
  topic_links: Schema.Array(Schema.Struct({ text: Schema.NonEmptyString, url: Url })),
  submessages: Schema.Array(Submessage),
}

const ofChannel = {
  ...message,
  type: Schema.Literal("stream"),
  stream_id: Id,
  display_recipient: Schema.NonEmptyString,
  subject: Schema.String,
}

const People = Schema.Array(
  Schema.Struct({ id: Id, email: Address, full_name: Schema.NonEmptyString, is_mirror_dummy: Schema.Boolean }),
).check(
  Schema.isMinLength(1),
  Schema.makeFilter(
    (people: ReadonlyArray<{ readonly id: number }>) => new Set(people.map(({ id }) => id)).size === people.length,
    { expected: "everybody once" },
  ),
)
const direct = { ...message, type: Schema.Literal("private"), display_recipient: People, subject: Schema.Literal("") }

/** A change of a message: what it replaced. A move names both places. */
export const EditRecord = Schema.Struct({
  user_id: Schema.NullOr(Id),
  timestamp: Seconds,
  prev_content: Schema.optionalKey(Schema.String),
  prev_rendered_content: Schema.optionalKey(Schema.String),
  prev_topic: Schema.optionalKey(Schema.String),
  topic: Schema.optionalKey(Schema.String),
  prev_stream: Schema.optionalKey(Id),
  stream: Schema.optionalKey(Id),
}).annotate({ identifier: "EditRecord" })

/** Fields that only requested messages have, not those in events. */
const found = {
  flags: Flags,
  /** Those with the same emoji stand together. */
  reactions: Schema.Array(Reaction),
  last_edit_timestamp: Schema.optionalKey(Seconds),
  last_moved_timestamp: Schema.optionalKey(Seconds),
  /** The newest first; absent where there is none that the organization shows. */
  edit_history: Schema.optionalKey(Schema.Array(EditRecord).check(Schema.isMinLength(1))),
  match_content: Schema.optionalKey(Schema.String),
  match_subject: Schema.optionalKey(Schema.String),
}

/** The message in an event, which carries the flags itself. */
export const SentMessage = Schema.Union([
  Schema.Struct({ ...ofChannel, reactions: NoItems }),
  Schema.Struct({ ...direct, reactions: NoItems }),
]).annotate({ identifier: "SentMessage" })

/** A message in the answer of GET /messages. */
export const Message = Schema.Union([
  Schema.Struct({ ...ofChannel, ...found }),
  Schema.Struct({ ...direct, ...found }),
]).annotate({ identifier: "Message" })
