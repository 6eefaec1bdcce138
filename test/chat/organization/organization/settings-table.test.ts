/**
 * Where the server reads each setting of PATCH /realm and PATCH /settings: a file below `src/chat`, or why none does. A setting
 * without a row fails, and so does a row whose file does not read it, or that says nobody reads what a file does.
 */
import t from "tap"
import { endpoints } from "../../../../src/chat/features.ts"
import { unbuiltSettings } from "../../../../src/chat/organization/organization/unbuilt-settings.ts"
import { readSources } from "../../../sources/read-sources.ts"
import { scanSource } from "../../../sources/source-scanner.ts"

/** Only clients do something by it. */
const client = "client"
/** The server will read it when it mails and pushes what somebody has missed. */
const waits = "waits for notifications"
/** Any value but the present one is refused. */
const refused = "refused"

const permissions = "ground/permissions/permissions.ts"
const inherited = "ground/realm/subscription-settings.ts"

const ofRealm: Readonly<Record<string, string>> = {
  name: "organization/organization/server-settings.ts",
  description: "organization/organization/server-settings.ts",
  waiting_period_threshold: "ground/realm/realm-rules.ts",
  topics_policy: "sending/messages/destination.ts",
  mandatory_topics: "sending/messages/destination.ts",
  name_changes_disabled: "people/profile-data/full-names.ts",
  require_unique_names: "people/profile-data/full-names.ts",
  enable_spectator_access: "ground/requester/requester.ts",
  avatar_changes_disabled: "people/avatars/avatars.ts",
  default_code_block_language: "text/markdown/find-names.ts",
  inline_image_preview: "text/markdown/render-message.ts",
  inline_url_embed_preview: "text/markdown/render-message.ts",
  emails_restricted_to_domains: "ground/realm/email-domains.ts",
  new_stream_announcements_stream_id: "channels/channels/channel-notices.ts",
  signup_announcements_stream_id: "people/users/welcome-messages.ts",
  moderation_request_channel_id: "changing/message-reports/require-reportable.ts",
  zulip_update_announcements_stream_id: refused,
  message_retention_days: "changing/message-expiry/retention-terms.ts",
  authentication_methods: "ground/sign-in/password-sign-in.ts",
  welcome_message_custom_text: "people/users/welcome-messages.ts",
  move_messages_within_stream_limit_seconds: "changing/message-moves/move-rules.ts",
  move_messages_between_streams_limit_seconds: "changing/message-moves/move-rules.ts",
  email_changes_disabled: "people/users/new-address.ts",
  allow_message_editing: "changing/message-edits/edit-content.ts",
  message_content_edit_limit_seconds: "changing/message-edits/edit-content.ts",
  message_content_delete_limit_seconds: "changing/message-deletions/delete-message.ts",
  message_edit_history_visibility_policy: "changing/message-edits/message-history.ts",
  allow_edit_history: "changing/message-edits/message-history.ts",
  enable_read_receipts: "changing/message-edits/read-receipts.ts",
  org_type: client,
  default_language: "people/users/new-user.ts",
  presence_disabled: "people/presence/presence-book.ts",
  disallow_disposable_email_addresses: "ground/realm/email-domains.ts",
  invite_required: refused,
  send_welcome_emails: "people/users/new-user.ts",
  video_chat_provider: client,
  jitsi_server_url: client,
  giphy_rating: client,
  enable_guest_user_indicator: client,
  enable_guest_user_dm_warning: client,
  want_advertise_in_communities_directory: client,
  digest_emails_enabled: waits,
  digest_weekday: waits,
  message_content_allowed_in_email_notifications: waits,
  require_e2ee_push_notifications: waits,
  can_access_all_users_group: "ground/realm/acquaintance/acquaintance.ts",
  can_add_custom_emoji_group: "organization/realm-emoji/realm-emoji.ts",
  can_add_subscribers_group: permissions,
  can_create_bots_group: "people/bots/find-bot.ts",
  can_create_groups: permissions,
  can_create_private_channel_group: permissions,
  can_create_public_channel_group: permissions,
  can_create_web_public_channel_group: permissions,
  can_create_write_only_bots_group: "people/bots/find-bot.ts",
  can_delete_any_message_group: permissions,
  can_delete_own_message_group: permissions,
  can_invite_users_group: permissions,
  can_manage_all_groups: permissions,
  can_manage_billing_group: client,
  can_mention_many_users_group: "sending/messages/mark-candidates.ts",
  can_move_messages_between_channels_group: permissions,
  can_move_messages_between_topics_group: permissions,
  can_resolve_topics_group: permissions,
  can_set_delete_message_policy_group: "channels/channels/new-channel.ts",
  can_set_topics_policy_group: "channels/channels/new-channel.ts",
  can_summarize_topics_group: client,
  create_multiuse_invite_group: permissions,
  direct_message_initiator_group: "sending/messages/destination.ts",
  direct_message_permission_group: "sending/messages/destination.ts",
}

const words = (text: string) => text.trim().split(/\s+/)
const each = (reader: string, names: string) => Object.fromEntries(words(names).map((name) => [name, reader]))

const ofPeople: Readonly<Record<string, string>> = {
  ...each(
    client,
    `twenty_four_hour_time web_mark_read_on_scroll_policy web_channel_default_view starred_message_counts
    web_suggest_update_timezone high_contrast_mode web_font_size_px web_line_height_percent
    translate_emoticons display_emoji_reaction_users default_language web_home_view web_escape_navigates_to_home_view
    left_side_userlist emojiset demote_inactive_streams user_list_style web_animate_image_previews
    web_stream_unreads_count_display_policy hide_ai_features web_left_sidebar_show_channel_folders
    web_left_sidebar_unreads_count_summary enter_sends notification_sound enable_desktop_notifications enable_sounds
    pm_content_in_desktop_notifications desktop_icon_count_display web_navigate_to_sent_message
    enable_followed_topic_desktop_notifications enable_followed_topic_audible_notifications`,
  ),
  ...each(
    waits,
    `enable_followed_topic_email_notifications enable_followed_topic_push_notifications
    enable_followed_topic_wildcard_mentions_notify email_notifications_batching_period_seconds
    enable_offline_email_notifications enable_offline_push_notifications enable_online_push_notifications enable_digest_emails
    enable_marketing_emails enable_login_emails message_content_in_email_notifications
    realm_name_in_email_notifications_policy`,
  ),
  ...each("people/users/zcommand.ts", "color_scheme fluid_layout_width"),
  ...each(
    inherited,
    `enable_stream_desktop_notifications enable_stream_email_notifications enable_stream_push_notifications
    enable_stream_audible_notifications wildcard_mentions_notify`,
  ),
  ...each(
    "sending/messages/automatic-topic-policies.ts",
    `automatically_follow_topics_policy automatically_unmute_topics_in_muted_streams_policy
    automatically_follow_topics_where_mentioned`,
  ),
  ...each(
    "changing/typing/typing.ts",
    "receives_typing_notifications send_private_typing_notifications send_stream_typing_notifications",
  ),
  enable_drafts_synchronization: "personal/drafts/drafts.ts",
  resolved_topic_notice_auto_read_policy: "changing/message-moves/move-notices.ts",
  presence_enabled: "people/presence/presence-book.ts",
  send_read_receipts: "changing/message-edits/read-receipts.ts",
  allow_private_data_export: "organization/realm-exports/export-scope.ts",
  email_address_visibility: "ground/realm/email-addresses.ts",
  timezone: client,
  full_name: "people/profile-data/full-names.ts",
  email: "people/users/new-address.ts",
  old_password: "people/users/settings.ts",
  new_password: "people/users/settings.ts",
}

/** What a setting is called where it is stored and read, where that is not the parameter's name. */
const storedNames: Readonly<Record<string, RegExp>> = {
  name: /\bsettings\.name\b/,
  description: /\bsettings\.description\b/,
  waiting_period_threshold: /\bwaiting_period_days\b/,
  mandatory_topics: /\bsettings\.topics_policy\b/,
  authentication_methods: /\bpassword_auth_enabled\b/,
  allow_edit_history: /\bmessage_edit_history_visibility_policy\b/,
  default_language: /\bfirstUserSettings\b/,
}
/** Names that other things have, too: that nobody reads such a setting cannot be seen by its name. */
const commonNames: ReadonlySet<string> = new Set(["timezone", "default_language", "message_retention_days"])

/** What keeps and shows every setting alike. */
const keeping =
  /\/organization\/organization\/|\/(?:realm-settings|permission-choices|user-settings|permission-wire-forms|settings-params|settings-schema)\.ts$/

const root = "src/chat/"
const texts = new Map(
  readSources()
    .filter(({ path }) => path.startsWith(root) && path.endsWith(".ts"))
    .map(({ path, text }) => {
      const { code, strings } = scanSource(text)
      return [path, `${code}\n${strings.join("\n")}`] as const
    }),
)

const readsIt = (path: string, name: string): boolean =>
  (storedNames[name] ?? new RegExp(`\\b${name}\\b`)).test(texts.get(path) ?? "")

const paramsOf = (route: string): ReadonlyArray<string> => {
  const found = endpoints.find(({ method, path }) => `${method} ${path}` === route)
  return Object.values(found?.params ?? {}).map(({ name }) => name)
}

for (const [route, table] of [
  ["PATCH /realm", ofRealm],
  ["PATCH /settings", ofPeople],
] as const)
  t.test(`${route}: each setting is read where the table says`, async (t) => {
    t.strictSame(paramsOf(route).toSorted(), Object.keys(table).toSorted(), "each has a row")
    for (const [name, reader] of Object.entries(table)) {
      if (reader.endsWith(".ts")) {
        t.ok(readsIt(`${root}${reader}`, name), `${name} is read by ${reader}`)
        continue
      }
      t.equal(reader === refused, route === "PATCH /realm" && unbuiltSettings.some((each) => each === name), name)
      if (commonNames.has(name)) continue
      const readers = [...texts.keys()].filter((path) => !keeping.test(path) && readsIt(path, name))
      t.strictSame(readers, [], `nobody reads ${name}: ${reader}`)
    }
  })
