import t from "tap"
import type { SectionView } from "../../../src/chat/kinds/section-view.ts"
import type { UserRecord } from "../../../src/chat/realm/records.ts"
import { isTorn } from "../../../src/chat/sync/register.ts"
import type { LogRow } from "../../../src/events/event.ts"
import { Ring } from "../../../src/events/ring.ts"
import { UserId } from "../../../src/ids.ts"
import {
  all,
  channel,
  containedTypes,
  isSplit,
  makeRealm,
  now,
  only,
  people,
  row,
  sectionsFor,
  words,
} from "../../kit/hand-made-realm.ts"

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

t.test("every key that a strict client needs is there", async (t) => {
  const state = sectionsFor(people.hamlet, all)
  const required = words(`alert_words custom_profile_fields muted_users muted_topics presences realm_emoji
    subscriptions unsubscribed never_subscribed unread_msgs starred_messages streams user_status user_topics
    realm_users realm_non_active_users cross_realm_bots user_id email full_name is_admin is_owner is_guest
    presence_last_update_id server_timestamp drafts scheduled_messages reminders saved_snippets navigation_views
    channel_folders realm_linkifiers realm_filters realm_playgrounds realm_domains realm_user_groups user_settings
    realm_user_settings_defaults realm_bots realm_default_streams recent_private_conversations max_message_id`)
  for (const key of [...required, ...realmKeys]) t.ok(Object.hasOwn(state, key), key)
  t.equal(state["server_timestamp"], now / 1000)
})

t.test("a client gets exactly the sections that it names", async (t) => {
  const keys = (...sections: ReadonlyArray<string>) => Object.keys(sectionsFor(people.hamlet, only(...sections))).sort()
  t.strictSame(keys(), [])
  t.strictSame(keys("no_such_type"), [])
  t.strictSame(keys("stream"), ["streams"])
  t.strictSame(keys("subscription"), ["never_subscribed", "subscriptions", "unsubscribed"])
  t.strictSame(keys("message"), ["max_message_id"])
  t.strictSame(keys("update_message_flags"), [])
  t.strictSame(keys("message", "update_message_flags"), ["max_message_id", "unread_msgs"])
  t.strictSame(keys("muted_topics"), ["muted_topics"])
  t.strictSame(keys("user_topic"), ["user_topics"])
  t.strictSame(keys("muted_topics", "user_topic"), ["user_topics"])
  t.strictSame(keys("presence"), ["presence_last_update_id", "presences", "server_timestamp"])
  t.strictSame(keys("realm"), [...realmKeys].sort())
})

t.test("the types of rows that the sections of a reply contain", async (t) => {
  const contained = (view: SectionView) => [...containedTypes(view)].sort()
  const everything = words(`channel_folder default_stream_groups default_streams realm realm_bot realm_user stream
    subscription user_group user_settings`)
  t.strictSame(contained(all), everything)
  t.strictSame(contained(only("message", "drafts")), [])
  t.strictSame(contained(only("realm", "realm_bot", "realm_user_groups")), ["realm", "realm_bot", "user_group"])
  t.strictSame(contained(only("realm_user")), ["realm", "realm_user"])
  t.strictSame(contained(only("stream")), ["stream", "subscription"])
  t.notOk(isSplit(all, "stream"))
  t.notOk(isSplit(only("stream", "subscription"), "subscription"))
  t.ok(isSplit(only("stream"), "subscription"))
  t.ok(isSplit(only("subscription"), "stream"))
  t.notOk(isSplit(only("realm_user"), "stream"))
  t.notOk(isSplit(only("subscription"), "message"))
  t.ok(isSplit(only("realm"), "realm"), "one's rights to create channels stand elsewhere")
  const older = (...sections: ReadonlyArray<string>) => ({ ...only(...sections), userSettingsObject: false })
  t.strictSame(contained(older("update_display_settings")), ["user_settings"])
  t.ok(isSplit(older("update_display_settings"), "user_settings"), "half of the older copies")
  t.notOk(isSplit(older("user_settings"), "user_settings"), "who has all settings needs no copies")
  t.strictSame(contained(only("update_display_settings")), [], "newer clients get none")
})

t.test("a register is tried again only if a row for this client changes more than its sections contain", async (t) => {
  const torn = (rows: ReadonlyArray<LogRow>, view: SectionView, types: ReadonlyArray<string> | null = null) => {
    const ring = new Ring(1_000_000)
    for (const each of rows) ring.push(each)
    return isTorn(
      { realm: makeRealm(), ring, feed: { position: 30 } },
      { user: UserId(2) },
      types,
      (type) => isSplit(view, type),
      28,
    )
  }
  const half = only("subscription")
  t.ok(torn([row(29, "message", [2]), row(30, "subscription", [2])], half))
  t.notOk(
    torn([row(29, "message", [2]), row(30, "message", [2])], half),
    "messages change no section of the projection",
  )
  t.notOk(torn([row(29, "message", [2]), row(30, "subscription", [3])], half), "another user's row")
  t.notOk(torn([row(29, "stream", [2]), row(30, "stream", [2])], only("subscription", "stream")), "both sections")
  t.notOk(torn([row(29, "stream", [2]), row(30, "stream", [2])], half, ["message"]), "a type the queue never gets")
  t.ok(torn([row(30, "message", [2])], half), "a row that is no longer at hand")
})

t.test("default channels and profile field types", async (t) => {
  const realm = makeRealm()
  realm.setChannel(channel(8, "porch", { is_default: true }))
  realm.setChannel(channel(9, "cellar", { is_default: true, is_archived: true }))
  const of = (user: UserRecord | null) => sectionsFor(user, only("default_streams"), realm)["realm_default_streams"]
  t.strictSame(of(people.hamlet), [8])
  t.strictSame(of(people.polonius), [], "guests are put nowhere")
  t.strictSame(of(null), [])
  const types = sectionsFor(people.hamlet, only("custom_profile_fields"))["custom_profile_field_types"]
  const names = words("SHORT_TEXT LONG_TEXT SELECT DATE URL USER EXTERNAL_ACCOUNT PRONOUNS")
  t.strictSame(Object.keys(Object(types)), names)
  t.match(types, Object.fromEntries(names.map((name, n) => [name, { id: n + 1, name: /./ }])))
})
