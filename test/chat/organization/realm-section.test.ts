import t from "tap"
import { realmFields } from "../../../src/chat/organization/realm-section.ts"
import { readRealmSettings } from "../../../src/chat/realm/realm-settings.ts"
import { systemGroups } from "../../../src/chat/realm/values.ts"
import { config, joined, makeRealm, origin, words } from "../../kit/hand-made-realm.ts"

const realmKeys = words(`
  max_stream_name_length max_stream_description_length max_topic_length max_message_length
  max_channel_folder_name_length max_channel_folder_description_length max_reminder_note_length
  max_bulk_new_subscription_messages max_file_upload_size_mib max_avatar_file_size_mib max_icon_file_size_mib
  max_logo_file_size_mib password_min_length password_max_length password_min_guesses
  event_queue_longpoll_timeout_seconds server_presence_ping_interval_seconds
  server_presence_offline_threshold_seconds server_typing_started_expiry_period_milliseconds
  server_typing_stopped_wait_period_milliseconds server_typing_started_wait_period_milliseconds server_generation
  server_emoji_data_url server_thumbnail_formats server_inline_image_preview server_inline_url_embed_preview
  server_avatar_changes_disabled server_name_changes_disabled server_needs_upgrade
  server_web_public_streams_enabled server_jitsi_server_url server_can_summarize_topics
  server_min_deactivated_realm_deletion_days server_max_deactivated_realm_deletion_days
  server_supported_permission_settings jitsi_server_url giphy_rating_options development_environment
  settings_send_digest_emails upgrade_text_for_wide_organization_logo zulip_plan_is_not_limited
  realm_name realm_description realm_url realm_uri realm_icon_url realm_icon_source realm_logo_url
  realm_logo_source realm_night_logo_url realm_night_logo_source realm_bot_domain realm_date_created
  realm_org_type realm_plan_type realm_default_language realm_default_code_block_language
  realm_allow_message_editing realm_message_content_edit_limit_seconds
  realm_message_content_delete_limit_seconds realm_move_messages_within_stream_limit_seconds
  realm_move_messages_between_streams_limit_seconds realm_allow_edit_history
  realm_message_edit_history_visibility_policy realm_enable_read_receipts realm_presence_disabled
  realm_mandatory_topics realm_topics_policy realm_empty_topic_display_name realm_wildcard_mention_policy
  realm_waiting_period_threshold realm_message_retention_days realm_invite_required
  realm_emails_restricted_to_domains realm_disallow_disposable_email_addresses realm_name_changes_disabled
  realm_email_changes_disabled realm_avatar_changes_disabled realm_require_unique_names
  realm_inline_image_preview realm_inline_url_embed_preview realm_digest_emails_enabled realm_digest_weekday
  realm_send_welcome_emails realm_message_content_allowed_in_email_notifications realm_enable_spectator_access
  realm_want_advertise_in_communities_directory realm_video_chat_provider realm_available_video_chat_providers
  realm_jitsi_server_url realm_giphy_rating realm_authentication_methods realm_email_auth_enabled
  realm_password_auth_enabled realm_push_notifications_enabled realm_push_notifications_enabled_end_timestamp
  realm_upload_quota_mib realm_enable_guest_user_indicator realm_enable_guest_user_dm_warning
  realm_default_external_accounts realm_new_stream_announcements_stream_id
  realm_signup_announcements_stream_id realm_zulip_update_announcements_stream_id
  realm_moderation_request_channel_id realm_require_e2ee_push_notifications realm_welcome_message_custom_text
  realm_billing realm_is_zephyr_mirror_realm realm_create_public_stream_policy
  realm_create_private_stream_policy realm_create_web_public_stream_policy realm_user_group_edit_policy
  realm_can_access_all_users_group realm_can_add_custom_emoji_group realm_can_add_subscribers_group
  realm_can_create_bots_group realm_can_create_public_channel_group realm_can_create_private_channel_group
  realm_can_create_web_public_channel_group realm_can_create_write_only_bots_group
  realm_can_delete_any_message_group realm_can_delete_own_message_group realm_can_invite_users_group
  realm_can_manage_billing_group realm_can_mention_many_users_group
  realm_can_move_messages_between_channels_group realm_can_move_messages_between_topics_group
  realm_can_resolve_topics_group realm_can_set_delete_message_policy_group
  realm_can_set_topics_policy_group realm_can_summarize_topics_group realm_create_multiuse_invite_group
  realm_direct_message_initiator_group realm_direct_message_permission_group
  realm_can_create_groups realm_can_manage_all_groups`)

t.test("the realm section has every key of the contract and no other", async (t) => {
  const section = realmFields(makeRealm(), config, origin)
  t.strictSame(Object.keys(section).sort(), [...realmKeys].sort())
  t.strictSame(
    Object.entries(section).filter(([, value]) => value === undefined),
    [],
  )
})

t.test("the realm section tells what the server does", async (t) => {
  const section = realmFields(makeRealm(), config, origin)
  t.match(section, {
    realm_name: "Elsinore",
    realm_description: "A castle & more",
    realm_url: origin,
    realm_uri: origin,
    max_topic_length: 50,
    server_typing_started_wait_period_milliseconds: 11_000,
    event_queue_longpoll_timeout_seconds: 90,
    realm_date_created: joined / 1000,
    realm_empty_topic_display_name: "general chat",
    realm_mandatory_topics: false,
    realm_presence_disabled: true,
    max_file_upload_size_mib: 0,
    development_environment: false,
    realm_can_create_public_channel_group: systemGroups["role:members"],
    realm_can_access_all_users_group: systemGroups["role:everyone"],
    realm_can_invite_users_group: systemGroups["role:nobody"],
    realm_create_public_stream_policy: 1,
  })
  t.notOk(Object.hasOwn(Object(section["realm_authentication_methods"]), "Dev"))
  const development = realmFields(makeRealm(), { ...config, mode: "development" }, origin)
  t.ok(Object.hasOwn(Object(development["realm_authentication_methods"]), "Dev"))

  const strict = readRealmSettings({
    topics_policy: "disable_empty_topic",
    waiting_period_days: 3,
    can_create_public_channel_group: systemGroups["role:moderators"],
    can_add_subscribers_group: { direct_members: [2], direct_subgroups: [5] },
  })
  t.match(realmFields(makeRealm(strict), config, origin), {
    realm_topics_policy: "disable_empty_topic",
    realm_mandatory_topics: true,
    realm_waiting_period_threshold: 3,
    realm_can_create_public_channel_group: systemGroups["role:moderators"],
    realm_create_public_stream_policy: 4,
    realm_can_add_subscribers_group: { direct_members: [2], direct_subgroups: [5] },
    realm_date_created: joined / 1000,
  })
  const open = readRealmSettings({ enable_spectator_access: true, password_auth_enabled: false })
  t.match(realmFields(makeRealm(open), config, origin), {
    realm_enable_spectator_access: true,
    realm_authentication_methods: { Email: { enabled: false, available: true } },
    realm_email_auth_enabled: false,
    realm_password_auth_enabled: false,
  })
  t.match(section, {
    realm_enable_spectator_access: false,
    realm_authentication_methods: { Email: { enabled: true, available: true } },
    realm_email_auth_enabled: true,
    realm_password_auth_enabled: true,
  })
})
