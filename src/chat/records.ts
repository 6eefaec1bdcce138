/**
 * What the projection knows of people, channels and subscriptions, and the payloads that log rows about them carry.
 * A payload holds all that a projection needs to move over its row; what clients see of it is made in event-types.ts.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Json, JsonObject } from "../json.ts"
import { realmSettingNames } from "./realm-settings.ts"
import { storedUserSettings, UserSettingsField, userSettingNames } from "./user-settings.ts"
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
  /** The password signs in no more until another one is set; the API key does. */
  must_reset_password: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  settings: UserSettingsField,
})
export type UserRecord = typeof UserRecord.Type

/** The record as payloads carry it. */
export const storedUser = (user: UserRecord): JsonObject => ({ ...user, settings: storedUserSettings(user.settings) })

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

/** Those of a user's own settings that stand for the notification settings of a subscription that are not set. */
export const InheritedSettings = Schema.Struct({
  enable_stream_desktop_notifications: Schema.Boolean,
  enable_stream_audible_notifications: Schema.Boolean,
  enable_stream_push_notifications: Schema.Boolean,
  enable_stream_email_notifications: Schema.Boolean,
  wildcard_mentions_notify: Schema.Boolean,
})
export type InheritedSettings = typeof InheritedSettings.Type

export const SubscriptionPayload = Schema.Union([
  Schema.Struct({
    op: Schema.Literal("add"),
    channel: ChannelRecord,
    /** Each new subscriber with their own settings. */
    added: Schema.Array(
      Schema.Struct({
        user_id: Schema.Number,
        settings: SubscriptionSettings,
        /** The user's settings that the subscription inherits from; absent: as of a new account. */
        inherits: Schema.optional(InheritedSettings),
      }),
    ),
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
    /** `all`: the channel's subscribers at the row's position, which are not stored again. */
    user_ids: Schema.Union([Schema.Array(Schema.Number), Schema.Literal("all")]),
  }),
])
export type SubscriptionPayload = typeof SubscriptionPayload.Type

const update = { op: Schema.Literal("update"), user_id: Schema.Number }

/**
 * The last three tell of another address, or picture, of an account that has not changed, because the user shows the
 * real address to more people or to fewer: the projection has nothing to learn from them.
 */
export const RealmUserPayload = Schema.Union([
  Schema.Struct({ op: Schema.Literal("add"), user: UserRecord }),
  Schema.Struct({ ...update, is_active: Schema.Literal(false) }),
  /** Their role is the one they had; they are in these channels again. */
  Schema.Struct({ ...update, is_active: Schema.Literal(true), channel_ids: Schema.Array(Schema.Number) }),
  Schema.Struct({
    ...update,
    role: Schema.Literals(roleNumbers),
    /** What they see now is too much to tell in rows: their queues are gone. */
    ends_queues: Schema.optional(Schema.Literal(true)),
  }),
  Schema.Struct({ ...update, new_email: Schema.String }),
  /** `email` is the one address that stands for the user to all: pictures are made from it. */
  Schema.Struct({ ...update, avatar_version: Schema.Number, email: Schema.String }),
  Schema.Struct({ ...update, delivery_email: Schema.NullOr(Schema.String) }),
])
export type RealmUserPayload = typeof RealmUserPayload.Type

const JsonValue: Schema.Codec<Json> = Schema.Json

export const RealmPayload = Schema.Union([
  Schema.Struct({
    op: Schema.Literal("update"),
    key: Schema.Literals(realmSettingNames),
    value: JsonValue,
    /** Beside `password_auth_enabled`: whether there is the developers' way to sign in too, for clients read all ways. */
    development: Schema.optional(Schema.Boolean),
    /** Beside `description`: its HTML, as it was when it was written. */
    rendered: Schema.optional(Schema.String),
  }),
  Schema.Struct({ op: Schema.Literal("deactivated"), realm_id: Schema.Number }),
  Schema.Struct({ op: Schema.Literal("reactivated") }),
])
export type RealmPayload = typeof RealmPayload.Type

export const AccountStatePayload = Schema.Struct({ user_id: Schema.Number, must_reset: Schema.Boolean })
export type AccountStatePayload = typeof AccountStatePayload.Type

export const UserSettingsPayload = Schema.Struct({
  user_id: Schema.Number,
  property: Schema.Literals(userSettingNames),
  value: JsonValue,
})
export type UserSettingsPayload = typeof UserSettingsPayload.Type

/** From here on keys of this version count, and no older ones. */
export const ApiKeyPayload = Schema.Struct({ user_id: Schema.Number, key_version: Schema.Number })
export type ApiKeyPayload = typeof ApiKeyPayload.Type

/** Of a system group the projection has nothing to learn: its members follow from roles. */
export const UserGroupPayload = Schema.Struct({
  op: Schema.Literals(["add_members", "remove_members"]),
  group_id: Schema.Number,
  user_ids: Schema.Array(Schema.Number),
})
export type UserGroupPayload = typeof UserGroupPayload.Type

/** To the bot's owner and the administrators; all else of it is in its user record. */
export const RealmBotPayload = Schema.Struct({ op: Schema.Literals(["add", "delete"]), user_id: Schema.Number })
export type RealmBotPayload = typeof RealmBotPayload.Type

export const readMessage = Schema.decodeUnknownSync(MessagePayload)
export const readStream = Schema.decodeUnknownSync(StreamPayload)
export const readSubscription = Schema.decodeUnknownSync(SubscriptionPayload)
export const readRealmUser = Schema.decodeUnknownSync(RealmUserPayload)
/** All channels that new people are put into from here on. */
export const DefaultStreamsPayload = Schema.Struct({ channel_ids: Schema.Array(Schema.Number) })
export type DefaultStreamsPayload = typeof DefaultStreamsPayload.Type

export const readDefaultStreams = Schema.decodeUnknownSync(DefaultStreamsPayload)
export const readRealm = Schema.decodeUnknownSync(RealmPayload)
export const readAccountState = Schema.decodeUnknownSync(AccountStatePayload)
export const readUserSettings = Schema.decodeUnknownSync(UserSettingsPayload)
export const readApiKey = Schema.decodeUnknownSync(ApiKeyPayload)
export const readUserGroup = Schema.decodeUnknownSync(UserGroupPayload)
export const readRealmBot = Schema.decodeUnknownSync(RealmBotPayload)
