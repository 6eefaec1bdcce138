/** Messages as clients read them, to the letter (contract 3.1.1). How they are made: wire-message.ts. */
import * as Schema from "effect/Schema"
import { Address, Id, NoItems, Seconds, Url } from "../wire/wire-values.ts"

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
  /** null: the client makes it of the address. */
  avatar_url: Schema.NullOr(Url),
  is_me_message: Schema.Boolean,
  recipient_id: Id,
  topic_links: NoItems,
  reactions: NoItems,
  submessages: NoItems,
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

/** What stands beside a message that was asked for. */
const found = {
  flags: Flags,
  match_content: Schema.optionalKey(Schema.String),
  match_subject: Schema.optionalKey(Schema.String),
}

/** In the message event, which has the flags beside it. */
export const SentMessage = Schema.Union([Schema.Struct(ofChannel), Schema.Struct(direct)])

/** In GET /messages. */
export const Message = Schema.Union([Schema.Struct({ ...ofChannel, ...found }), Schema.Struct({ ...direct, ...found })])
