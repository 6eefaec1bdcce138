/** The exact shape of user settings on the wire: all settings, the older copies, and the event. */
import * as Schema from "effect/Schema"
import type { WireKeys, WireSchema } from "../../../../api/endpoint.ts"
import { choicesSchema } from "../../../ground/realm/user-settings.ts"
import { Address, Id, opEvent, plainEvent } from "../../../ground/wire/wire-values.ts"

const flag = Schema.Boolean
const Sounds = Schema.Array(Schema.String).check(Schema.isMinLength(1))
const EmojiSets = Schema.Array(Schema.Struct({ key: Schema.NonEmptyString, text: Schema.NonEmptyString }))

/** Each setting as clients read it. */
export const userSettings = {
  twenty_four_hour_time: flag,
  web_mark_read_on_scroll_policy: choicesSchema("web_mark_read_on_scroll_policy"),
  web_channel_default_view: choicesSchema("web_channel_default_view"),
  starred_message_counts: flag,
  receives_typing_notifications: flag,
  web_suggest_update_timezone: flag,
  fluid_layout_width: flag,
  high_contrast_mode: flag,
  web_font_size_px: Id,
  web_line_height_percent: Id,
  color_scheme: choicesSchema("color_scheme"),
  translate_emoticons: flag,
  display_emoji_reaction_users: flag,
  default_language: Schema.NonEmptyString,
  web_home_view: choicesSchema("web_home_view"),
  web_escape_navigates_to_home_view: flag,
  left_side_userlist: flag,
  emojiset: choicesSchema("emojiset"),
  demote_inactive_streams: choicesSchema("demote_inactive_streams"),
  user_list_style: choicesSchema("user_list_style"),
  web_animate_image_previews: choicesSchema("web_animate_image_previews"),
  web_stream_unreads_count_display_policy: choicesSchema("web_stream_unreads_count_display_policy"),
  hide_ai_features: flag,
  web_left_sidebar_show_channel_folders: flag,
  web_left_sidebar_unreads_count_summary: flag,
  timezone: Schema.String,
  enter_sends: flag,
  enable_drafts_synchronization: flag,
  enable_stream_desktop_notifications: flag,
  enable_stream_email_notifications: flag,
  enable_stream_push_notifications: flag,
  enable_stream_audible_notifications: flag,
  enable_followed_topic_desktop_notifications: flag,
  enable_followed_topic_email_notifications: flag,
  enable_followed_topic_push_notifications: flag,
  enable_followed_topic_audible_notifications: flag,
  enable_followed_topic_wildcard_mentions_notify: flag,
  notification_sound: Schema.NonEmptyString,
  enable_desktop_notifications: flag,
  enable_sounds: flag,
  email_notifications_batching_period_seconds: Id,
  enable_offline_email_notifications: flag,
  enable_offline_push_notifications: flag,
  enable_online_push_notifications: flag,
  enable_digest_emails: flag,
  enable_marketing_emails: flag,
  enable_login_emails: flag,
  message_content_in_email_notifications: flag,
  pm_content_in_desktop_notifications: flag,
  wildcard_mentions_notify: flag,
  desktop_icon_count_display: choicesSchema("desktop_icon_count_display"),
  realm_name_in_email_notifications_policy: choicesSchema("realm_name_in_email_notifications_policy"),
  automatically_follow_topics_policy: choicesSchema("automatically_follow_topics_policy"),
  automatically_unmute_topics_in_muted_streams_policy: choicesSchema(
    "automatically_unmute_topics_in_muted_streams_policy",
  ),
  automatically_follow_topics_where_mentioned: flag,
  resolved_topic_notice_auto_read_policy: choicesSchema("resolved_topic_notice_auto_read_policy"),
  presence_enabled: flag,
  available_notification_sounds: Sounds,
  emojiset_choices: EmojiSets,
  send_private_typing_notifications: flag,
  send_stream_typing_notifications: flag,
  send_read_receipts: flag,
  allow_private_data_export: flag,
  email_address_visibility: choicesSchema("email_address_visibility"),
  web_navigate_to_sent_message: flag,
}
export const UserSettings = Schema.Struct(userSettings).annotate({ identifier: "UserSettings" })

const pick = (names: ReadonlyArray<keyof typeof userSettings>): WireKeys =>
  Object.fromEntries(names.map((name) => [name, userSettings[name]]))

/** Display settings, which register copies to its top level for older clients. */
export const displaySettings = pick([
  "twenty_four_hour_time",
  "color_scheme",
  "default_language",
  "web_home_view",
  "demote_inactive_streams",
  "emojiset",
  "enable_drafts_synchronization",
  "enter_sends",
  "fluid_layout_width",
  "high_contrast_mode",
  "left_side_userlist",
  "starred_message_counts",
  "translate_emoticons",
  "timezone",
  "emojiset_choices",
])

/** Notification settings, copied likewise. */
export const notificationSettings = pick([
  "desktop_icon_count_display",
  "email_notifications_batching_period_seconds",
  "enable_desktop_notifications",
  "enable_digest_emails",
  "enable_login_emails",
  "enable_marketing_emails",
  "enable_offline_email_notifications",
  "enable_offline_push_notifications",
  "enable_online_push_notifications",
  "enable_sounds",
  "enable_stream_audible_notifications",
  "enable_stream_desktop_notifications",
  "enable_stream_email_notifications",
  "enable_stream_push_notifications",
  "message_content_in_email_notifications",
  "notification_sound",
  "pm_content_in_desktop_notifications",
  "presence_enabled",
  "wildcard_mentions_notify",
  "available_notification_sounds",
])

/** One Schema for each setting, so that a value of another setting's type does not pass. */
const change = (property: string, value: WireSchema) => {
  const further: WireKeys = property === "default_language" ? { language_name: Schema.NonEmptyString } : {}
  return opEvent("user_settings", "update", { property: Schema.Literal(property), value, ...further })
}

export const userSettingsEvents: WireKeys = {
  update: Schema.Union(Object.entries<WireSchema>(userSettings).map(([property, value]) => change(property, value))),
}

/** The event of an older form: one Schema for each setting. `key` has the setting's name. */
export const olderSettingEvent = (
  type: string,
  key: "setting_name" | "notification_name",
  keys: WireKeys,
): WireKeys => ({
  "": Schema.Union(
    Object.entries<WireSchema>(keys).map(([name, setting]) => {
      const further: WireKeys = name === "default_language" ? { language_name: Schema.NonEmptyString } : {}
      return plainEvent(type, { [key]: Schema.Literal(name), setting, user: Address, ...further })
    }),
  ),
})
