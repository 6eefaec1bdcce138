/**
 * The Schemas of the section `realm` of register, key by key, and those that its events share with it. The values are
 * made in realm-section.ts.
 */
import * as Schema from "effect/Schema"
import type { WireKeys } from "../../../api/endpoint.ts"
import { giphyNumbers, organizationTypes, videoCallProviders, weekdays } from "../../ground/realm/realm-settings.ts"
import { Count, Holders, Id, PictureUrl, Seconds, Url } from "../../ground/wire/wire-values.ts"

const flag = Schema.Boolean
const text = Schema.String
const name = Schema.NonEmptyString
/** A limit; null: there is none. */
const orNone = Schema.NullOr(Count)
/** The id of the channel that a setting names; -1: none. */
export const NamedChannel = Schema.Union([Id, Schema.Literal(-1)])
/** Days that messages are kept; -1: for ever. */
export const Retention = Schema.Union([Id, Schema.Literal(-1)])
export const TopicsPolicy = Schema.Literals(["allow_empty_topic", "disable_empty_topic"])

/** The pictures of the organization: made by the server (G), by default (D), or uploaded. */
export const realmPictureKeys = {
  icon: { icon_url: PictureUrl, icon_source: Schema.Literals(["G", "U"]) },
  logo: { logo_url: PictureUrl, logo_source: Schema.Literals(["D", "U"]) },
  night_logo: { night_logo_url: PictureUrl, night_logo_source: Schema.Literals(["D", "U"]) },
}

const Choice = Schema.Struct({
  require_system_group: flag,
  allow_internet_group: flag,
  allow_nobody_group: flag,
  allow_everyone_group: flag,
  default_group_name: name,
  default_for_system_groups: Schema.NullOr(name),
  allowed_system_groups: Schema.Array(name),
})
const Choices = Schema.Record(Schema.String, Choice)

const server = {
  max_stream_name_length: Id,
  max_stream_description_length: Id,
  max_topic_length: Id,
  max_message_length: Id,
  max_channel_folder_name_length: Id,
  max_channel_folder_description_length: Id,
  max_reminder_note_length: Id,
  max_bulk_new_subscription_messages: Count,
  max_file_upload_size_mib: Count,
  max_avatar_file_size_mib: Count,
  max_icon_file_size_mib: Count,
  max_logo_file_size_mib: Count,
  password_min_length: Id,
  password_max_length: Id,
  password_min_guesses: Count,
  event_queue_longpoll_timeout_seconds: Id,
  server_presence_ping_interval_seconds: Id,
  server_presence_offline_threshold_seconds: Id,
  server_typing_started_expiry_period_milliseconds: Id,
  server_typing_stopped_wait_period_milliseconds: Id,
  server_typing_started_wait_period_milliseconds: Id,
  server_generation: Count,
  server_emoji_data_url: Url,
  server_thumbnail_formats: Schema.Array(
    Schema.Struct({ name, max_width: Id, max_height: Id, format: name, animated: flag }),
  ),
  server_inline_image_preview: flag,
  server_inline_url_embed_preview: flag,
  server_avatar_changes_disabled: flag,
  server_name_changes_disabled: flag,
  server_needs_upgrade: flag,
  server_web_public_streams_enabled: flag,
  server_jitsi_server_url: Schema.NullOr(Url),
  server_can_summarize_topics: flag,
  server_min_deactivated_realm_deletion_days: orNone,
  server_max_deactivated_realm_deletion_days: orNone,
  server_supported_permission_settings: Schema.Struct({ realm: Choices, stream: Choices, group: Choices }),
  jitsi_server_url: Schema.NullOr(Url),
  giphy_rating_options: Schema.Record(Schema.String, Schema.Struct({ id: Count, name })),
  development_environment: flag,
  settings_send_digest_emails: flag,
  upgrade_text_for_wide_organization_logo: text,
  zulip_plan_is_not_limited: flag,
}

/** The ways to sign in, each enabled and available or not. */
export const AuthenticationMethods = Schema.Struct({
  Email: Schema.Struct({ enabled: flag, available: flag }),
  LDAP: Schema.optionalKey(Schema.Struct({ enabled: flag, available: flag })),
  Dev: Schema.optionalKey(Schema.Struct({ enabled: flag, available: flag })),
})

/** Settings that are sent each alone, as they are stored. */
export const furtherRealmKeys = {
  org_type: Schema.Literals(organizationTypes),
  presence_disabled: flag,
  disallow_disposable_email_addresses: flag,
  send_welcome_emails: flag,
  video_chat_provider: Schema.Literals(Object.values(videoCallProviders)),
  jitsi_server_url: Schema.NullOr(Url),
  giphy_rating: Schema.Literals(giphyNumbers),
  enable_guest_user_indicator: flag,
  enable_guest_user_dm_warning: flag,
  want_advertise_in_communities_directory: flag,
  digest_emails_enabled: flag,
  digest_weekday: Schema.Literals(weekdays),
  message_content_allowed_in_email_notifications: flag,
  require_e2ee_push_notifications: flag,
}

const realm = {
  ...furtherRealmKeys,
  name,
  description: text,
  url: Url,
  uri: Url,
  ...realmPictureKeys.icon,
  ...realmPictureKeys.logo,
  ...realmPictureKeys.night_logo,
  bot_domain: name,
  date_created: Seconds,
  plan_type: Id,
  default_language: name,
  default_code_block_language: text,
  allow_message_editing: flag,
  message_content_edit_limit_seconds: orNone,
  message_content_delete_limit_seconds: orNone,
  move_messages_within_stream_limit_seconds: orNone,
  move_messages_between_streams_limit_seconds: orNone,
  allow_edit_history: flag,
  message_edit_history_visibility_policy: Schema.Literals(["all", "moves", "none"]),
  enable_read_receipts: flag,
  mandatory_topics: flag,
  topics_policy: TopicsPolicy,
  empty_topic_display_name: name,
  wildcard_mention_policy: Schema.Literals([1, 2, 3, 4, 5, 6, 7]),
  waiting_period_threshold: Count,
  message_retention_days: Retention,
  invite_required: flag,
  emails_restricted_to_domains: flag,
  name_changes_disabled: flag,
  email_changes_disabled: flag,
  avatar_changes_disabled: flag,
  require_unique_names: flag,
  inline_image_preview: flag,
  inline_url_embed_preview: flag,
  enable_spectator_access: flag,
  available_video_chat_providers: Schema.Record(Schema.String, Schema.Struct({ id: Count, name })),
  authentication_methods: AuthenticationMethods,
  email_auth_enabled: flag,
  password_auth_enabled: flag,
  push_notifications_enabled: flag,
  push_notifications_enabled_end_timestamp: Schema.NullOr(Seconds),
  upload_quota_mib: Schema.NullOr(Count),
  default_external_accounts: Schema.Record(
    Schema.String,
    Schema.Struct({ name, text: name, hint: text, url_pattern: name }),
  ),
  new_stream_announcements_stream_id: NamedChannel,
  signup_announcements_stream_id: NamedChannel,
  zulip_update_announcements_stream_id: NamedChannel,
  moderation_request_channel_id: NamedChannel,
  welcome_message_custom_text: text,
  billing: Schema.Struct({ has_pending_sponsorship_request: flag }),
  is_zephyr_mirror_realm: flag,
  create_public_stream_policy: Id,
  create_private_stream_policy: Id,
  create_web_public_stream_policy: Id,
  user_group_edit_policy: Id,
}

export const realmPermissionFields = {
  can_access_all_users_group: Holders,
  can_add_custom_emoji_group: Holders,
  can_add_subscribers_group: Holders,
  can_create_bots_group: Holders,
  can_create_groups: Holders,
  can_create_private_channel_group: Holders,
  can_create_public_channel_group: Holders,
  can_create_web_public_channel_group: Holders,
  can_create_write_only_bots_group: Holders,
  can_delete_any_message_group: Holders,
  can_delete_own_message_group: Holders,
  can_invite_users_group: Holders,
  can_manage_all_groups: Holders,
  can_manage_billing_group: Holders,
  can_mention_many_users_group: Holders,
  can_move_messages_between_channels_group: Holders,
  can_move_messages_between_topics_group: Holders,
  can_resolve_topics_group: Holders,
  can_set_delete_message_policy_group: Holders,
  can_set_topics_policy_group: Holders,
  can_summarize_topics_group: Holders,
  create_multiuse_invite_group: Holders,
  direct_message_initiator_group: Holders,
  direct_message_permission_group: Holders,
}

const asKeys = (fields: WireKeys): WireKeys =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [`realm_${key}`, value]))

export const realmKeys: WireKeys = { ...server, ...asKeys(realm), ...asKeys(realmPermissionFields) }
