/** What register answers, by section and key (contract 3.2): each key's type, and which section brings it. */
import * as Schema from "effect/Schema"
import { Channel, DefaultGroup, Folders, NeverSubscribed, Subscription } from "./wire-schemas-channels.ts"
import { Group } from "./wire-schemas-groups.ts"
import { Bot, ownKeys, Person, SpectatedPerson, SpectatedSystemBot, SystemBot } from "./wire-schemas-people.ts"
import { realmKeys } from "./wire-schemas-realm.ts"
import { legacySettings, SettingsDefaults, UserSettings } from "./wire-schemas-settings.ts"
import { Id, Ids, type Keys, NoKeys, Nothing, Seconds, SortedIds } from "./wire-schemas-values.ts"

/** Of every register. */
export const always: Keys = {
  result: Schema.Literal("success"),
  msg: Schema.Literal(""),
  queue_id: Schema.NullOr(Schema.NonEmptyString),
  last_event_id: Schema.Int.check(Schema.isGreaterThanOrEqualTo(-1)),
  zulip_version: Schema.NonEmptyString,
  zulip_merge_base: Schema.NonEmptyString,
  zulip_feature_level: Schema.Literal(417),
  idle_queue_timeout_secs: Id,
}

const fieldTypes = ["SHORT_TEXT", "LONG_TEXT", "SELECT", "DATE", "URL", "USER", "EXTERNAL_ACCOUNT", "PRONOUNS"] as const
const FieldTypes = Schema.Struct(
  Object.fromEntries(
    fieldTypes.map((type, n) => [type, Schema.Struct({ id: Schema.Literal(n + 1), name: Schema.NonEmptyString })]),
  ),
)

const Snippet = Schema.Struct({
  id: Id,
  title: Schema.NonEmptyString,
  content: Schema.NonEmptyString,
  date_created: Seconds,
})

const Unread = Schema.Struct({
  count: Schema.Literal(0),
  pms: Nothing,
  huddles: Nothing,
  streams: Nothing,
  mentions: Nothing,
  old_unreads_missing: Schema.Literal(false),
})

const Recent = Schema.Array(Schema.Struct({ max_message_id: Id, user_ids: SortedIds })).check(
  Schema.isMaxLength(1000),
  Schema.makeFilter(
    (list: ReadonlyArray<{ readonly max_message_id: number }>) =>
      list.every(({ max_message_id }, n) => n === 0 || max_message_id < (list[n - 1]?.max_message_id ?? 0)),
    { expected: "the newest conversation first" },
  ),
)

/** By the event type that asks for it with `fetch_event_types`. */
export const sections: Readonly<Record<string, Keys>> = {
  alert_words: { alert_words: Nothing },
  channel_folders: { channel_folders: Folders },
  custom_profile_fields: { custom_profile_fields: Nothing, custom_profile_field_types: FieldTypes },
  default_stream_groups: { realm_default_stream_groups: Schema.Array(DefaultGroup) },
  default_streams: { realm_default_streams: Ids.check(Schema.isUnique()) },
  drafts: { drafts: Nothing },
  giphy: { giphy_api_key: Schema.String },
  message: { max_message_id: Schema.Union([Id, Schema.Literal(-1)]) },
  muted_topics: { muted_topics: Nothing },
  muted_users: { muted_users: Nothing },
  navigation_views: { navigation_views: Nothing },
  onboarding_steps: { onboarding_steps: Nothing, navigation_tour_video_url: Schema.NullOr(Schema.String) },
  presence: { presences: NoKeys, presence_last_update_id: Schema.Literal(-1), server_timestamp: Schema.Finite },
  push_device: { push_devices: NoKeys },
  realm: realmKeys,
  realm_bot: { realm_bots: Schema.Array(Bot) },
  realm_domains: { realm_domains: Nothing },
  realm_embedded_bots: { realm_embedded_bots: Nothing },
  realm_emoji: { realm_emoji: NoKeys },
  realm_filters: { realm_filters: Nothing },
  realm_incoming_webhook_bots: { realm_incoming_webhook_bots: Nothing },
  realm_linkifiers: { realm_linkifiers: Nothing },
  realm_playgrounds: { realm_playgrounds: Nothing },
  realm_user: {
    realm_users: Schema.Array(Person),
    realm_non_active_users: Schema.Array(Person),
    cross_realm_bots: Schema.Array(SystemBot).check(Schema.isMinLength(1)),
    ...ownKeys,
  },
  realm_user_groups: { realm_user_groups: Schema.Array(Group) },
  realm_user_settings_defaults: { realm_user_settings_defaults: SettingsDefaults },
  recent_private_conversations: { recent_private_conversations: Recent },
  reminders: { reminders: Nothing },
  saved_snippets: { saved_snippets: Schema.Array(Snippet) },
  scheduled_messages: { scheduled_messages: Nothing },
  starred_messages: { starred_messages: Nothing },
  stop_words: { stop_words: Schema.Array(Schema.String) },
  stream: { streams: Schema.Array(Channel) },
  subscription: {
    subscriptions: Schema.Array(Subscription),
    unsubscribed: Schema.Array(Subscription),
    never_subscribed: Schema.Array(NeverSubscribed),
  },
  user_settings: { user_settings: UserSettings },
  user_status: { user_status: NoKeys },
  user_topic: { user_topics: Nothing },
  video_calls: { has_zoom_token: Schema.Boolean },
}

/** Of two sections together. */
export const unread: Keys = { unread_msgs: Unread }

/** Only for clients without the capability `user_settings_object`. */
export const legacySections: Readonly<Record<string, Keys>> = legacySettings

/** Every key that any register may carry. */
export const registerKeys: Keys = Object.assign(
  { ignored_parameters_unsupported: Schema.Array(Schema.NonEmptyString).check(Schema.isMinLength(1)) },
  always,
  unread,
  ...Object.values(legacySections),
  ...Object.values(sections),
)

/** What looks otherwise to a visitor without an account. */
export const visitorKeys: Keys = {
  last_event_id: Schema.Literal(-1),
  realm_users: Schema.Array(SpectatedPerson),
  realm_non_active_users: Schema.Array(SpectatedPerson),
  cross_realm_bots: Schema.Array(SpectatedSystemBot).check(Schema.isMinLength(1)),
}
