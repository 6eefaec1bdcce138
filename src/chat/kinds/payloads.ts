/**
 * The payloads that log rows carry, by type and op; the names of both are those of the wire. A payload holds all that
 * a projection needs to move over its row; what clients see of it is made in event-types.ts.
 */
import * as Schema from "effect/Schema"
import { idSchemas } from "../../ids.ts"
import type { Json } from "../../json.ts"
import { realmSettingNames } from "../realm/realm-settings.ts"
import {
  ChannelChange,
  ChannelRecord,
  DefaultGroupRecord,
  FolderRecord,
  GroupRecord,
  InheritedSettings,
  SubscriptionSettings,
  subscriptionProperties,
  UserRecord,
} from "../realm/records.ts"
import { userSettingNames } from "../realm/user-settings.ts"
import { GroupSetting, roleNumbers } from "../realm/values.ts"

const Person = Schema.Struct({ id: idSchemas.user, email: Schema.String, full_name: Schema.String })

export const MessagePayload = Schema.Struct({
  sender: Schema.Struct({
    id: idSchemas.user,
    email: Schema.String,
    full_name: Schema.String,
    avatar_version: Schema.Number,
  }),
  client: Schema.String,
  read_by_sender: Schema.Boolean,
  /** Of a channel message. */
  channel: Schema.optional(Schema.Struct({ id: idSchemas.channel, name: Schema.String, topic: Schema.String })),
  /** Of a direct message: its participants and their conversation, which the commit fills in. */
  people: Schema.optional(Schema.Array(Person)),
  conversation_id: Schema.optional(Schema.Number),
})
export type MessagePayload = typeof MessagePayload.Type

export const StreamPayload = Schema.Union([
  Schema.Struct({ op: Schema.Literal("create"), channel: ChannelRecord, subscriber_count: Schema.Number }),
  /** `name`: the one it had before the row. */
  Schema.Struct({
    op: Schema.Literal("update"),
    channel_id: idSchemas.channel,
    name: Schema.String,
    set: ChannelChange,
    /** It is archived, and out of sight of clients who do not know archived channels. */
    is_archived: Schema.optional(Schema.Literal(true)),
  }),
  /** The first message of a channel, which the commit fills in. */
  Schema.Struct({
    op: Schema.Literal("update"),
    channel_id: idSchemas.channel,
    name: Schema.String,
    property: Schema.Literal("first_message_id"),
    value: Schema.NullOr(idSchemas.message),
  }),
  /** The whole record as it is from here on; subscriptions stay. */
  Schema.Struct({
    op: Schema.Literals(["archive", "unarchive"]),
    channel: ChannelRecord,
    subscriber_count: Schema.Number,
  }),
  /** To users who can no longer see these channels; the channels themselves stay. */
  Schema.Struct({
    op: Schema.Literal("delete"),
    channel_ids: Schema.Array(idSchemas.channel),
    /** Those of them that some clients do not know any more. */
    archived_ids: Schema.optional(Schema.Array(idSchemas.channel)),
  }),
])
export type StreamPayload = typeof StreamPayload.Type

export const SubscriptionPayload = Schema.Union([
  Schema.Struct({
    op: Schema.Literal("add"),
    channel: ChannelRecord,
    /** Each new subscriber with their own settings. */
    added: Schema.Array(
      Schema.Struct({
        user_id: idSchemas.user,
        settings: SubscriptionSettings,
        /** The user's settings that the subscription inherits from; absent: as of a new account. */
        inherits: Schema.optional(InheritedSettings),
      }),
    ),
    /** They were subscribed all the time: only clients who do not know archived channels lost sight of it. */
    returned: Schema.optional(Schema.Literal(true)),
  }),
  /** A user's own setting. */
  Schema.Struct({
    op: Schema.Literal("update"),
    user_id: idSchemas.user,
    channel_id: idSchemas.channel,
    property: Schema.Literals(subscriptionProperties),
    value: Schema.Union([Schema.String, Schema.Boolean]),
    /** Clients who do not know archived channels learn it with the subscription, when the channel comes back. */
    is_archived: Schema.optional(Schema.Literal(true)),
  }),
  Schema.Struct({
    op: Schema.Literal("remove"),
    channel_id: idSchemas.channel,
    name: Schema.String,
    user_ids: Schema.Array(idSchemas.user),
  }),
  Schema.Struct({
    op: Schema.Literals(["peer_add", "peer_remove"]),
    channel_id: idSchemas.channel,
    /** `all`: the channel's subscribers at the row's position, which are not stored again. */
    user_ids: Schema.Union([Schema.Array(idSchemas.user), Schema.Literal("all")]),
    /** The channel is archived, or comes back: see `returned`. */
    is_archived: Schema.optional(Schema.Literal(true)),
    returned: Schema.optional(Schema.Literal(true)),
  }),
])
export type SubscriptionPayload = typeof SubscriptionPayload.Type

const update = { op: Schema.Literal("update"), user_id: idSchemas.user }

/**
 * The last three tell of another address, or picture, of an account that has not changed, because the user shows the
 * real address to more people or to fewer: the projection has nothing to learn from them.
 */
export const RealmUserPayload = Schema.Union([
  Schema.Struct({ op: Schema.Literal("add"), user: UserRecord }),
  Schema.Struct({ ...update, is_active: Schema.Literal(false) }),
  /** Their role is the one they had; they are in these channels again. */
  Schema.Struct({ ...update, is_active: Schema.Literal(true), channel_ids: Schema.Array(idSchemas.channel) }),
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

const AccountStatePayload = Schema.Struct({ user_id: idSchemas.user, must_reset: Schema.Boolean })

const UserSettingsPayload = Schema.Struct({
  user_id: idSchemas.user,
  property: Schema.Literals(userSettingNames),
  value: JsonValue,
})

/** From here on keys of this version count, and no older ones. */
const ApiKeyPayload = Schema.Struct({ user_id: idSchemas.user, key_version: Schema.Number })

const group = { group_id: idSchemas.group }

/** Of a system group's members the projection has nothing to learn: they follow from roles. */
export const UserGroupPayload = Schema.Union([
  Schema.Struct({ op: Schema.Literal("add"), group: GroupRecord }),
  Schema.Struct({
    op: Schema.Literal("update"),
    ...group,
    set: Schema.Struct({
      name: Schema.optional(Schema.String),
      description: Schema.optional(Schema.String),
      permissions: Schema.optional(Schema.Record(Schema.String, GroupSetting)),
    }),
    /** It stays out of sight of clients who do not know deactivated groups. */
    is_deactivated: Schema.optional(Schema.Literal(true)),
  }),
  /** The group as it is from here on. */
  Schema.Struct({ op: Schema.Literals(["deactivate", "reactivate"]), group: GroupRecord }),
  Schema.Struct({
    op: Schema.Literals(["add_members", "remove_members"]),
    ...group,
    user_ids: Schema.Array(idSchemas.user),
    /** They are members still, or again: they went or came back to the organization. */
    stays: Schema.optional(Schema.Literal(true)),
    is_deactivated: Schema.optional(Schema.Literal(true)),
  }),
  Schema.Struct({
    op: Schema.Literals(["add_subgroups", "remove_subgroups"]),
    ...group,
    subgroup_ids: Schema.Array(idSchemas.group),
  }),
])
export type UserGroupPayload = typeof UserGroupPayload.Type

export const ChannelFolderPayload = Schema.Union([
  Schema.Struct({ op: Schema.Literal("add"), folder: FolderRecord }),
  Schema.Struct({
    op: Schema.Literal("update"),
    folder_id: idSchemas.folder,
    set: Schema.Struct({
      name: Schema.optional(Schema.String),
      description: Schema.optional(Schema.String),
      rendered_description: Schema.optional(Schema.String),
      is_archived: Schema.optional(Schema.Boolean),
    }),
  }),
  /** All folders in their new order. */
  Schema.Struct({ op: Schema.Literal("reorder"), order: Schema.Array(idSchemas.folder) }),
])
export type ChannelFolderPayload = typeof ChannelFolderPayload.Type

/** These users see more now, or less, than rows can tell: their queues are gone. */
const QueueEndPayload = Schema.Struct({ user_ids: Schema.Array(idSchemas.user) })

/** To the bot's owner and the administrators; all else of it is in its user record. */
const RealmBotPayload = Schema.Struct({ op: Schema.Literals(["add", "delete"]), user_id: idSchemas.user })

/** Told to somebody who is now to know what has long been so: nothing has changed. */
const told = { told: Schema.optional(Schema.Literal(true)) }

/** All channels that new people are put into from here on. */
const DefaultStreamsPayload = Schema.Struct({ channel_ids: Schema.Array(idSchemas.channel), ...told })

const DefaultStreamGroupsPayload = Schema.Struct({ groups: Schema.Array(DefaultGroupRecord), ...told })

export const readMessage = Schema.decodeUnknownSync(MessagePayload)
export const readStream = Schema.decodeUnknownSync(StreamPayload)
export const readSubscription = Schema.decodeUnknownSync(SubscriptionPayload)
export const readRealmUser = Schema.decodeUnknownSync(RealmUserPayload)
export const readDefaultStreams = Schema.decodeUnknownSync(DefaultStreamsPayload)
export const readRealm = Schema.decodeUnknownSync(RealmPayload)
export const readAccountState = Schema.decodeUnknownSync(AccountStatePayload)
export const readUserSettings = Schema.decodeUnknownSync(UserSettingsPayload)
export const readApiKey = Schema.decodeUnknownSync(ApiKeyPayload)
export const readUserGroup = Schema.decodeUnknownSync(UserGroupPayload)
export const readRealmBot = Schema.decodeUnknownSync(RealmBotPayload)
export const readDefaultStreamGroups = Schema.decodeUnknownSync(DefaultStreamGroupsPayload)
export const readChannelFolder = Schema.decodeUnknownSync(ChannelFolderPayload)
export const readQueueEnd = Schema.decodeUnknownSync(QueueEndPayload)
