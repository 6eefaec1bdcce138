/** Channels, subscriptions, messages and typing on the wire, and the events about them (contract 3.1.1-3.1.3, 5.1). */
import * as Schema from "effect/Schema"
import {
  Address,
  Colour,
  Count,
  GroupSetting,
  Id,
  Ids,
  Nothing,
  Seconds,
  SortedIds,
  Url,
} from "./wire-schemas-values.ts"

const channel = {
  stream_id: Id,
  name: Schema.NonEmptyString,
  description: Schema.String,
  rendered_description: Schema.String,
  date_created: Seconds,
  creator_id: Schema.NullOr(Id),
  invite_only: Schema.Boolean,
  is_web_public: Schema.Boolean,
  history_public_to_subscribers: Schema.Boolean,
  is_archived: Schema.Boolean,
  is_recently_active: Schema.Boolean,
  first_message_id: Schema.NullOr(Id),
  message_retention_days: Schema.NullOr(Schema.Union([Id, Schema.Literal(-1)])),
  topics_policy: Schema.Literals(["inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"]),
  folder_id: Schema.NullOr(Id),
  subscriber_count: Count,
  stream_weekly_traffic: Schema.NullOr(Count),
  stream_post_policy: Schema.Literals([1, 2, 3, 4]),
  is_announcement_only: Schema.Boolean,
  can_add_subscribers_group: GroupSetting,
  can_administer_channel_group: GroupSetting,
  can_delete_any_message_group: GroupSetting,
  can_delete_own_message_group: GroupSetting,
  can_move_messages_out_of_channel_group: GroupSetting,
  can_move_messages_within_channel_group: GroupSetting,
  can_remove_subscribers_group: GroupSetting,
  can_resolve_topics_group: GroupSetting,
  can_send_message_group: GroupSetting,
  can_subscribe_group: GroupSetting,
}
export const Channel = Schema.Struct(channel)
/** In GET /streams. */
export const StreamRecord = Schema.Struct({ ...channel, is_default: Schema.optionalKey(Schema.Boolean) })

const subscribers = {
  subscribers: Schema.optionalKey(SortedIds),
  partial_subscribers: Schema.optionalKey(SortedIds),
}
/** One that the requester has never subscribed to. */
export const NeverSubscribed = Schema.Struct({ ...channel, ...subscribers })

/** Null: inherited. */
const Notify = Schema.NullOr(Schema.Boolean)
const subscription = {
  ...channel,
  color: Colour,
  is_muted: Schema.Boolean,
  in_home_view: Schema.Boolean,
  pin_to_top: Schema.Boolean,
  desktop_notifications: Notify,
  audible_notifications: Notify,
  push_notifications: Notify,
  email_notifications: Notify,
  wildcard_mentions_notify: Notify,
}
const muted = Schema.makeFilter(
  ({ is_muted, in_home_view }: { readonly is_muted: boolean; readonly in_home_view: boolean }) =>
    is_muted !== in_home_view,
  { expected: "in_home_view to be the opposite of is_muted" },
)
export const Subscription = Schema.Struct({ ...subscription, ...subscribers }).check(muted)

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

const streamEvent = { id: Count, type: Schema.Literal("stream") }
const subscriptionEvent = { id: Count, type: Schema.Literal("subscription") }
const peers = <const Op extends string>(op: Op) =>
  Schema.Struct({
    ...subscriptionEvent,
    op: Schema.Literal(op),
    stream_ids: Ids.check(Schema.isMinLength(1)),
    user_ids: Ids.check(Schema.isMinLength(1)),
  })

export const channelEvents = {
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
  "stream/create": Schema.Struct({
    ...streamEvent,
    op: Schema.Literal("create"),
    streams: Schema.Array(Channel).check(Schema.isMinLength(1)),
  }),
  "stream/update": Schema.Struct({
    ...streamEvent,
    op: Schema.Literal("update"),
    stream_id: Id,
    name: Schema.NonEmptyString,
    property: Schema.Literal("first_message_id"),
    value: Schema.NullOr(Id),
  }),
  "stream/delete": Schema.Struct({
    ...streamEvent,
    op: Schema.Literal("delete"),
    streams: Schema.Array(Schema.Struct({ stream_id: Id })).check(Schema.isMinLength(1)),
    stream_ids: Ids,
  }).check(
    Schema.makeFilter(({ streams, stream_ids }) => streams.every(({ stream_id }, n) => stream_id === stream_ids[n]), {
      expected: "both lists to name the same channels",
    }),
  ),
  "subscription/add": Schema.Struct({
    ...subscriptionEvent,
    op: Schema.Literal("add"),
    subscriptions: Schema.Array(Schema.Struct({ ...subscription, subscribers: SortedIds }).check(muted)),
  }),
  "subscription/remove": Schema.Struct({
    ...subscriptionEvent,
    op: Schema.Literal("remove"),
    subscriptions: Schema.Array(Schema.Struct({ stream_id: Id, name: Schema.NonEmptyString })),
  }),
  default_streams: Schema.Struct({
    id: Count,
    type: Schema.Literal("default_streams"),
    default_streams: Ids.check(Schema.isUnique()),
  }),
  "subscription/peer_add": peers("peer_add"),
  "subscription/peer_remove": peers("peer_remove"),
}
