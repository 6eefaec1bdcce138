/**
 * The requester's own settings: the section `user_settings`, its older copies for clients without the capability
 * `user_settings_object`, and the defaults of a new account (contract 3.2, 3.2.4).
 */
import type { JsonObject } from "../../json.ts"
import { emptySection, type Section } from "../kinds/section.ts"
import { membersOf } from "../kinds/section-text.ts"
import { type SectionView, wants } from "../kinds/section-view.ts"
import type { UserRecord } from "../realm/records.ts"
import { defaultUserSettings, wireUserSettings } from "../realm/user-settings.ts"

/** Older copies of a user's settings, at the top level of the answer. */
export const olderSettings = ["update_display_settings", "update_global_notifications"] as const

const olderKeys: Readonly<Record<(typeof olderSettings)[number], ReadonlyArray<string>>> = {
  update_display_settings: [
    "twenty_four_hour_time",
    "color_scheme",
    "default_language",
    "web_home_view",
    "demote_inactive_streams",
    "emojiset",
    "emojiset_choices",
    "enable_drafts_synchronization",
    "enter_sends",
    "fluid_layout_width",
    "high_contrast_mode",
    "left_side_userlist",
    "starred_message_counts",
    "timezone",
    "translate_emoticons",
  ],
  update_global_notifications: [
    "available_notification_sounds",
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
  ],
}

/** A visitor has those of a new account. */
const settingsOf = (user: UserRecord | null): JsonObject =>
  user === null ? wireUserSettings(defaultUserSettings, "") : wireUserSettings(user.settings, user.timezone)

const olderFor = (view: SectionView) =>
  view.userSettingsObject ? [] : olderSettings.filter((section) => wants(view, section))

/** `user_settings` and its older copies, as far as they are asked for. */
export const settingsSection: Section = {
  name: "user_settings",
  isWanted: (view) => wants(view, "user_settings") || olderFor(view).length > 0,
  take: ({ user }, view) => {
    const settings = settingsOf(user)
    const copied = new Set(olderFor(view).flatMap((section) => olderKeys[section]))
    return membersOf({
      ...Object.fromEntries(Object.entries(settings).filter(([name]) => copied.has(name))),
      ...(wants(view, "user_settings") ? { user_settings: settings } : {}),
    })
  },
}

/** What a new account begins with; nobody can change it yet. */
export const settingsDefaultsSection = emptySection("realm_user_settings_defaults", {
  realm_user_settings_defaults: wireUserSettings(defaultUserSettings, ""),
})
