import t from "tap"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { userSettingNames, userSettingsOf } from "../../../../src/chat/ground/realm/user-settings.ts"
import { only, person, sectionsFor, words } from "../../../kit/hand-made-realm.ts"

const display =
  words(`twenty_four_hour_time color_scheme default_language web_home_view demote_inactive_streams emojiset
  enable_drafts_synchronization enter_sends fluid_layout_width high_contrast_mode left_side_userlist
  starred_message_counts translate_emoticons timezone emojiset_choices`)

const notification = words(`desktop_icon_count_display email_notifications_batching_period_seconds
  enable_desktop_notifications enable_digest_emails enable_login_emails enable_marketing_emails
  enable_offline_email_notifications enable_offline_push_notifications enable_online_push_notifications enable_sounds
  enable_stream_audible_notifications enable_stream_desktop_notifications enable_stream_email_notifications
  enable_stream_push_notifications message_content_in_email_notifications notification_sound
  pm_content_in_desktop_notifications presence_enabled wildcard_mentions_notify available_notification_sounds`)

t.test("the settings, and their older copies for older clients", async (t) => {
  const night = person(2, "Hamlet", roles.member, { timezone: "Europe/Copenhagen" })
  const user = { ...night, settings: userSettingsOf({ color_scheme: 2, enable_sounds: false }) }
  const fixed = ["timezone", "available_notification_sounds", "emojiset_choices"]
  const section = sectionsFor(user, only("user_settings"))
  t.strictSame(Object.keys(section), ["user_settings"])
  const settings: unknown = section["user_settings"]
  t.strictSame(Object.keys(Object(settings)).sort(), [...userSettingNames, ...fixed].sort())
  t.match(settings, { color_scheme: 2, enable_sounds: false, timezone: "Europe/Copenhagen", emojiset: "google" })

  const older = (...sections: ReadonlyArray<string>) =>
    sectionsFor(user, { ...only(...sections), userSettingsObject: false })
  t.strictSame(Object.keys(older("update_display_settings")).sort(), [...display].sort())
  t.strictSame(Object.keys(older("update_global_notifications")).sort(), [...notification].sort())
  t.strictSame(
    Object.keys(older("update_display_settings", "update_global_notifications", "user_settings")).sort(),
    [...display, ...notification, "user_settings"].sort(),
  )
  t.match(older("update_display_settings"), { color_scheme: 2, timezone: "Europe/Copenhagen" })
  t.match(older("update_global_notifications"), { enable_sounds: false, presence_enabled: true })
  t.strictSame(sectionsFor(user, only("update_display_settings", "update_global_notifications")), {})

  const defaults = sectionsFor(user, only("realm_user_settings_defaults"))["realm_user_settings_defaults"]
  t.match(defaults, { color_scheme: 1, enable_sounds: true })
})
