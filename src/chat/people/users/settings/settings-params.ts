/** The parameters of a user's settings, for PATCH /settings and for what an organization has new accounts begin with. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { boolean, integer, jsonOrText, mapped, oneOf, type Param } from "../../../../api/params.ts"
import { string } from "../../../../api/shapes.ts"
import {
  notificationSounds,
  type SettingWithChoices,
  settingChoices,
  type UserSetting,
  type UserSettings,
} from "../../../ground/realm/user-settings.ts"
import { languageParam } from "./languages.ts"

const longestWord = 100
const word = (name: UserSetting) => jsonOrText(name, string, { max: longestWord })

export type SettingParam = Param<string | number | boolean>

const chosen = (name: SettingWithChoices): SettingParam => {
  const choices: ReadonlyArray<string | number> = settingChoices[name]
  return oneOf(choices.every(Predicate.isNumber) ? integer(name) : word(name), choices)
}

/** `recent` is how servers of level 454 write `recent_topics`: it is taken here, too, and told as this level has it. */
const homeViews: ReadonlyArray<string> = [...settingChoices.web_home_view, "recent"]
const homeView: SettingParam = mapped(oneOf(word("web_home_view"), homeViews), (view) =>
  Result.succeed(view === "recent" ? "recent_topics" : view),
)

/** Seconds that messages wait to be told of together in one mail: a week at most. */
const longestBatching = 604_800

/** The parameters of settings that are not true or false. */
const others = {
  web_mark_read_on_scroll_policy: chosen("web_mark_read_on_scroll_policy"),
  web_channel_default_view: chosen("web_channel_default_view"),
  web_font_size_px: integer("web_font_size_px", { min: 8, max: 64 }),
  web_line_height_percent: integer("web_line_height_percent", { min: 50, max: 500 }),
  color_scheme: chosen("color_scheme"),
  default_language: languageParam,
  web_home_view: homeView,
  emojiset: chosen("emojiset"),
  demote_inactive_streams: chosen("demote_inactive_streams"),
  user_list_style: chosen("user_list_style"),
  web_animate_image_previews: chosen("web_animate_image_previews"),
  web_stream_unreads_count_display_policy: chosen("web_stream_unreads_count_display_policy"),
  notification_sound: oneOf(word("notification_sound"), [...notificationSounds, "none"]),
  email_notifications_batching_period_seconds: integer("email_notifications_batching_period_seconds", {
    min: 1,
    max: longestBatching,
  }),
  desktop_icon_count_display: chosen("desktop_icon_count_display"),
  realm_name_in_email_notifications_policy: chosen("realm_name_in_email_notifications_policy"),
  automatically_follow_topics_policy: chosen("automatically_follow_topics_policy"),
  automatically_unmute_topics_in_muted_streams_policy: chosen("automatically_unmute_topics_in_muted_streams_policy"),
  resolved_topic_notice_auto_read_policy: chosen("resolved_topic_notice_auto_read_policy"),
  email_address_visibility: chosen("email_address_visibility"),
} satisfies {
  readonly [Name in UserSetting as UserSettings[Name] extends boolean ? never : Name]: SettingParam
}

const isOther = (name: string): name is keyof typeof others => Object.hasOwn(others, name)
export const settingParam = (name: UserSetting): SettingParam => (isOther(name) ? others[name] : boolean(name))
