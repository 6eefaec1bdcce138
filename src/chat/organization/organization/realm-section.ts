/**
 * The `realm` section of register: the organization's settings and the server's limits. Features that do not exist yet
 * are off, so that no client offers them; turn a feature on here when it is built.
 */
import type { ConfigShape, Limits } from "../../../config/config.ts"
import type { JsonObject } from "../../../json.ts"
import { SharedPiece } from "../../../json-pieces.ts"
import { takesImages } from "../../ground/images/process/uploaded-images.ts"
import { mostMebibytes } from "../../ground/images/require-one-image.ts"
import { thumbnailFormats } from "../../ground/images/thumbnail-formats.ts"
import type { Section, SectionMembers } from "../../ground/kinds/section.ts"
import { cachedFor, membersOf } from "../../ground/kinds/section-text.ts"
import { shownSetting } from "../../ground/permissions/permission-values.ts"
import {
  legacyRealmPolicies,
  realmPermissions,
  supportedPermissions,
} from "../../ground/permissions/permission-wire-forms.ts"
import { offlineSeconds, pingSeconds } from "../../ground/presences/presences.ts"
import { externalAccounts } from "../../ground/profiles/external-accounts.ts"
import { emptyTopicDisplayName, unixSeconds } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { giphyRatings, noChannel, videoCallProviders } from "../../ground/realm/realm-settings.ts"
import { mayUsePasswords } from "../../ground/sign-in/password-sign-in.ts"
import { authenticationMethods } from "./realm-event.ts"
import { realmPicture, realmPictures } from "./realm-picture.ts"
import { realmKeys } from "./realm-schema.ts"
import { generationOf } from "./restart-event.ts"

/** `mostImage`: MiB of an image; with 0 clients offer no upload. */
const limitFields = (limits: Limits, mostImage: number): JsonObject => ({
  max_stream_name_length: limits.maxChannelNameLength,
  max_stream_description_length: limits.maxChannelDescriptionLength,
  max_topic_length: limits.maxTopicLength,
  max_message_length: limits.maxMessageLength,
  max_channel_folder_name_length: 60,
  max_channel_folder_description_length: 1024,
  max_reminder_note_length: 1000,
  max_bulk_new_subscription_messages: 100,
  max_file_upload_size_mib: limits.maxFileUploadSizeMib,
  max_avatar_file_size_mib: mostImage,
  max_icon_file_size_mib: mostImage,
  max_logo_file_size_mib: mostImage,
  password_min_length: 6,
  password_max_length: 100,
  password_min_guesses: 0,
})

const serverFields = (realm: Realm, config: ConfigShape, origin: string): JsonObject => ({
  // Longer than the server holds a poll, so that no client gives up on one.
  event_queue_longpoll_timeout_seconds: 90,
  server_presence_ping_interval_seconds: pingSeconds,
  server_presence_offline_threshold_seconds: offlineSeconds,
  server_typing_started_expiry_period_milliseconds: config.limits.typingStartedExpiryMilliseconds,
  server_typing_started_wait_period_milliseconds: config.limits.typingStartedWaitMilliseconds,
  server_typing_stopped_wait_period_milliseconds: config.limits.typingStoppedWaitMilliseconds,
  server_generation: generationOf(realm),
  server_emoji_data_url: `${origin}/static/emoji.json`,
  server_thumbnail_formats: thumbnailFormats,
  server_inline_image_preview: config.imagePreviews,
  server_inline_url_embed_preview: config.pagePreviews,
  server_avatar_changes_disabled: !takesImages(config),
  server_name_changes_disabled: false,
  server_needs_upgrade: false,
  server_web_public_streams_enabled: config.webPublicChannels,
  server_jitsi_server_url: null,
  server_can_summarize_topics: false,
  server_min_deactivated_realm_deletion_days: null,
  server_max_deactivated_realm_deletion_days: null,
  server_supported_permission_settings: supportedPermissions,
  giphy_rating_options: giphyRatings,
  development_environment: config.mode === "development",
  settings_send_digest_emails: false,
  upgrade_text_for_wide_organization_logo: "",
  zulip_plan_is_not_limited: true,
})

const identityFields = (realm: Realm, origin: string): JsonObject => ({
  realm_name: realm.settings.name,
  realm_description: realm.settings.description,
  realm_url: origin,
  realm_uri: origin,
  realm_bot_domain: realm.host,
  realm_date_created: unixSeconds(realm.createdAt),
  realm_org_type: realm.settings.org_type,
  realm_plan_type: 1,
  realm_default_language: realm.settings.default_language,
  realm_is_zephyr_mirror_realm: false,
  realm_billing: { has_pending_sponsorship_request: false },
  realm_want_advertise_in_communities_directory: realm.settings.want_advertise_in_communities_directory,
})

const pictureFields = (realm: Realm): JsonObject =>
  Object.fromEntries(
    realmPictures
      .flatMap((name) => Object.entries(realmPicture(realm, name, realm.settings[name])))
      .map(([key, value]) => [`realm_${key}`, value]),
  )

const messageFields = (realm: Realm, { limits }: ConfigShape): JsonObject => ({
  realm_default_code_block_language: realm.settings.default_code_block_language,
  realm_allow_message_editing: realm.settings.allow_message_editing,
  realm_message_content_edit_limit_seconds: realm.settings.message_content_edit_limit_seconds,
  realm_message_content_delete_limit_seconds: realm.settings.message_content_delete_limit_seconds,
  realm_move_messages_within_stream_limit_seconds: realm.settings.move_messages_within_stream_limit_seconds,
  realm_move_messages_between_streams_limit_seconds: realm.settings.move_messages_between_streams_limit_seconds,
  realm_allow_edit_history: realm.settings.message_edit_history_visibility_policy !== "none",
  realm_message_edit_history_visibility_policy: realm.settings.message_edit_history_visibility_policy,
  realm_enable_read_receipts: realm.settings.enable_read_receipts,
  realm_topics_policy: realm.settings.topics_policy,
  realm_mandatory_topics: realm.settings.topics_policy === "disable_empty_topic",
  realm_empty_topic_display_name: emptyTopicDisplayName,
  realm_message_retention_days: realm.settings.message_retention_days,
  realm_inline_image_preview: realm.settings.inline_image_preview,
  realm_inline_url_embed_preview: realm.settings.inline_url_embed_preview,
  realm_upload_quota_mib: limits.realmUploadQuotaMib,
  realm_giphy_rating: realm.settings.giphy_rating,
  realm_video_chat_provider: realm.settings.video_chat_provider,
  realm_available_video_chat_providers: {
    disabled: { id: videoCallProviders.none, name: "None" },
    jitsi_meet: { id: videoCallProviders.jitsi, name: "Jitsi Meet" },
  },
  jitsi_server_url: realm.settings.jitsi_server_url,
  realm_jitsi_server_url: realm.settings.jitsi_server_url,
  realm_new_stream_announcements_stream_id: realm.settings.new_stream_announcements_stream_id,
  realm_signup_announcements_stream_id: realm.settings.signup_announcements_stream_id,
  realm_zulip_update_announcements_stream_id: noChannel,
  realm_moderation_request_channel_id: realm.settings.moderation_request_channel_id,
})

const defaultExternalAccounts: JsonObject = Object.fromEntries(
  Object.entries(externalAccounts).map(([word, account]) => [word, { ...account }]),
)

const peopleFields = (realm: Realm, config: ConfigShape): JsonObject => ({
  realm_presence_disabled: realm.settings.presence_disabled,
  realm_waiting_period_threshold: realm.settings.waiting_period_days,
  realm_invite_required: true,
  realm_emails_restricted_to_domains: realm.settings.emails_restricted_to_domains,
  realm_disallow_disposable_email_addresses: realm.settings.disallow_disposable_email_addresses,
  realm_name_changes_disabled: realm.settings.name_changes_disabled,
  realm_email_changes_disabled: realm.settings.email_changes_disabled,
  realm_avatar_changes_disabled: realm.settings.avatar_changes_disabled,
  realm_require_unique_names: realm.settings.require_unique_names,
  realm_enable_spectator_access: realm.settings.enable_spectator_access,
  realm_enable_guest_user_indicator: realm.settings.enable_guest_user_indicator,
  realm_enable_guest_user_dm_warning: realm.settings.enable_guest_user_dm_warning,
  realm_default_external_accounts: defaultExternalAccounts,
  realm_authentication_methods: authenticationMethods(realm.settings, config),
  realm_email_auth_enabled: realm.settings.password_auth_enabled,
  realm_password_auth_enabled: mayUsePasswords(realm.settings, config),
  realm_welcome_message_custom_text: realm.settings.welcome_message_custom_text,
})

const notificationFields = (realm: Realm): JsonObject => ({
  realm_digest_emails_enabled: realm.settings.digest_emails_enabled,
  realm_digest_weekday: realm.settings.digest_weekday,
  realm_send_welcome_emails: realm.settings.send_welcome_emails,
  realm_message_content_allowed_in_email_notifications: realm.settings.message_content_allowed_in_email_notifications,
  realm_push_notifications_enabled: false,
  realm_push_notifications_enabled_end_timestamp: null,
  realm_require_e2ee_push_notifications: realm.settings.require_e2ee_push_notifications,
})

/** All fields of the section. `origin`: the address that clients use, without a trailing slash. */
export const realmFields = (realm: Realm, config: ConfigShape, origin: string): JsonObject => ({
  ...limitFields(config.limits, takesImages(config) ? mostMebibytes(config.limits.imageFileBytes) : 0),
  ...serverFields(realm, config, origin),
  ...identityFields(realm, origin),
  ...pictureFields(realm),
  ...messageFields(realm, config),
  ...peopleFields(realm, config),
  ...notificationFields(realm),
  ...legacyRealmPolicies(realm.settings),
  ...realmPermissions(realm.settings, (setting) => shownSetting(setting, realm.isActive)),
})

/**
 * The cached text of the section, for the 4 newest of the addresses that clients reach the server by. Rows about users
 * change it, because permissions do not show deactivated users.
 */
const cachedRealmSection = cachedFor<SectionMembers>(["realm", "realm_user", "restart"], 4)

export const realmSection: Section = {
  name: "realm",
  keys: realmKeys,
  take: ({ realm, config, origin }) =>
    cachedRealmSection(realm, origin, () => [
      [new SharedPiece(Buffer.from(membersOf(realmFields(realm, config, origin)).join(",")))],
    ]),
}
