/** Messages and typing on the wire, and the events about them (contract 3.1.1, 5.1). */
import * as Schema from "effect/Schema"
import { Address, Count, Id, Nothing, Seconds, Url } from "./wire-schemas-values.ts"

const Flags = Schema.Array(
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
  avatar_url: Schema.NullOr(Url),
  is_me_message: Schema.Boolean,
  recipient_id: Id,
  topic_links: Nothing,
  reactions: Nothing,
  submessages: Nothing,
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
    (people: ReadonlyArray<{ readonly id: number }>) => {
      return new Set(people.map(({ id }) => id)).size === people.length
    },
    { expected: "everybody once" },
  ),
)
const direct = { ...message, type: Schema.Literal("private"), display_recipient: People, subject: Schema.Literal("") }
const found = {
  flags: Flags,
  match_content: Schema.optionalKey(Schema.String),
  match_subject: Schema.optionalKey(Schema.String),
}

/** In GET /messages. */
export const Message = Schema.Union([Schema.Struct({ ...ofChannel, ...found }), Schema.Struct({ ...direct, ...found })])

const TypingPerson = Schema.Struct({ user_id: Id, email: Address })
const typing = (op: "start" | "stop") => {
  const common = { id: Count, type: Schema.Literal("typing"), op: Schema.Literal(op), sender: TypingPerson }
  return Schema.Union([
    Schema.Struct({
      ...common,
      message_type: Schema.Literal("direct"),
      recipients: Schema.Array(TypingPerson).check(Schema.isMinLength(1)),
    }),
    Schema.Struct({ ...common, message_type: Schema.Literal("stream"), stream_id: Id, topic: Schema.String }),
  ])
}

export const messageEvents = {
  // Of a channel that one has left.
  "update_message_flags/add": Schema.Struct({
    id: Count,
    type: Schema.Literal("update_message_flags"),
    op: Schema.Literal("add"),
    operation: Schema.Literal("add"),
    flag: Schema.Literal("read"),
    messages: Schema.Array(Id),
    all: Schema.Boolean,
  }),
  message: Schema.Struct({
    id: Count,
    type: Schema.Literal("message"),
    message: Schema.Union([Schema.Struct(ofChannel), Schema.Struct(direct)]),
    flags: Flags,
    local_message_id: Schema.optionalKey(Schema.String),
    local_id: Schema.optionalKey(Schema.String),
  }).check(
    Schema.makeFilter((event) => event.local_id === event.local_message_id, { expected: "one local id, twice" }),
  ),
  "typing/start": typing("start"),
  "typing/stop": typing("stop"),
}
