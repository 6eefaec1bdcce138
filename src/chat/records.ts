/**
 * What the projection knows of people, channels and subscriptions, and the payloads that log rows about them carry.
 * A payload holds all that a projection needs to move over its row; what clients see of it is made in event-types.ts.
 */
import * as Schema from "effect/Schema"
import { GroupSetting, roleNumbers } from "./values.ts"

export const UserRecord = Schema.Struct({
  id: Schema.Number,
  email: Schema.String,
  full_name: Schema.String,
  role: Schema.Literals(roleNumbers),
  is_bot: Schema.Boolean,
  bot_type: Schema.NullOr(Schema.Number),
  bot_owner_id: Schema.NullOr(Schema.Number),
  timezone: Schema.String,
  avatar_version: Schema.Number,
  key_version: Schema.Number,
  /** Milliseconds since the Unix epoch. */
  joined_at: Schema.Number,
})
export type UserRecord = typeof UserRecord.Type

/** Every group setting of a channel, by its name on the wire (contract 3.1.2). */
export const channelPermissions = [
  "can_add_subscribers_group",
  "can_administer_channel_group",
  "can_delete_any_message_group",
  "can_delete_own_message_group",
  "can_move_messages_out_of_channel_group",
  "can_move_messages_within_channel_group",
  "can_remove_subscribers_group",
  "can_resolve_topics_group",
  "can_send_message_group",
  "can_subscribe_group",
] as const
export type ChannelPermission = (typeof channelPermissions)[number]

export const topicsPolicies = ["inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"] as const

export const ChannelRecord = Schema.Struct({
  id: Schema.Number,
  name: Schema.String,
  description: Schema.String,
  rendered_description: Schema.String,
  creator_id: Schema.NullOr(Schema.Number),
  /** Milliseconds since the Unix epoch. */
  created_at: Schema.Number,
  is_private: Schema.Boolean,
  is_web_public: Schema.Boolean,
  history_shared: Schema.Boolean,
  is_archived: Schema.Boolean,
  is_default: Schema.Boolean,
  topics_policy: Schema.Literals(topicsPolicies),
  retention_days: Schema.NullOr(Schema.Number),
  permissions: Schema.Record(Schema.Literals(channelPermissions), GroupSetting),
  first_message_id: Schema.NullOr(Schema.Number),
})
export type ChannelRecord = typeof ChannelRecord.Type

/** A user's own settings for a channel. A notification that is absent from `notify` is inherited. */
export const SubscriptionSettings = Schema.Struct({
  color: Schema.String,
  is_muted: Schema.Boolean,
  pin_to_top: Schema.Boolean,
  notify: Schema.Record(Schema.String, Schema.Boolean),
})
export type SubscriptionSettings = typeof SubscriptionSettings.Type

export const GroupRecord = Schema.Struct({
  id: Schema.Number,
  name: Schema.String,
  description: Schema.String,
  is_system: Schema.Boolean,
  subgroups: Schema.Array(Schema.Number),
})
export type GroupRecord = typeof GroupRecord.Type

const Person = Schema.Struct({ id: Schema.Number, email: Schema.String, full_name: Schema.String })

/** Payloads by type and op; the names of types and ops are those of the wire. */
export const MessagePayload = Schema.Struct({
  sender: Schema.Struct({
    id: Schema.Number,
    email: Schema.String,
    full_name: Schema.String,
    avatar_version: Schema.Number,
  }),
  client: Schema.String,
  read_by_sender: Schema.Boolean,
  /** Of a channel message. */
  channel: Schema.optional(Schema.Struct({ id: Schema.Number, name: Schema.String, topic: Schema.String })),
  /** Of a direct message: its participants and their conversation, which the commit fills in. */
  people: Schema.optional(Schema.Array(Person)),
  conversation_id: Schema.optional(Schema.Number),
})
export type MessagePayload = typeof MessagePayload.Type

export const StreamPayload = Schema.Union([
  Schema.Struct({ op: Schema.Literal("create"), channel: ChannelRecord, subscriber_count: Schema.Number }),
  Schema.Struct({
    op: Schema.Literal("update"),
    channel_id: Schema.Number,
    name: Schema.String,
    property: Schema.Literal("first_message_id"),
    value: Schema.NullOr(Schema.Number),
  }),
  /** To users who can no longer see these channels; the channels themselves stay. */
  Schema.Struct({ op: Schema.Literal("delete"), channel_ids: Schema.Array(Schema.Number) }),
])
export type StreamPayload = typeof StreamPayload.Type

export const SubscriptionPayload = Schema.Union([
  Schema.Struct({
    op: Schema.Literal("add"),
    channel: ChannelRecord,
    /** Each new subscriber with their own settings. */
    added: Schema.Array(Schema.Struct({ user_id: Schema.Number, settings: SubscriptionSettings })),
  }),
  Schema.Struct({
    op: Schema.Literal("remove"),
    channel_id: Schema.Number,
    name: Schema.String,
    user_ids: Schema.Array(Schema.Number),
  }),
  Schema.Struct({
    op: Schema.Literals(["peer_add", "peer_remove"]),
    channel_id: Schema.Number,
    user_ids: Schema.Array(Schema.Number),
  }),
])
export type SubscriptionPayload = typeof SubscriptionPayload.Type

export const RealmUserPayload = Schema.Union([
  Schema.Struct({ op: Schema.Literal("add"), user: UserRecord }),
  Schema.Struct({ op: Schema.Literal("update"), user_id: Schema.Number, is_active: Schema.Boolean }),
])
export type RealmUserPayload = typeof RealmUserPayload.Type

export const readMessage = Schema.decodeUnknownSync(MessagePayload)
export const readStream = Schema.decodeUnknownSync(StreamPayload)
export const readSubscription = Schema.decodeUnknownSync(SubscriptionPayload)
export const readRealmUser = Schema.decodeUnknownSync(RealmUserPayload)
