/**
 * The settings of a user: their types and defaults. They are stored with the account as one JSON value of those that
 * differ from the defaults, so a new setting needs no migration. Of all users with equal settings these are one object, up to a
 * thousand different ones.
 * Lists of choices that cannot be changed are added on the wire.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import type { Json, JsonObject } from "../../../json.ts"

const oneToThree = [1, 2, 3] as const
const oneToFour = [1, 2, 3, 4] as const

/** How each set of emoji is called. */
const emojiSets = { google: "Google", "google-blob": "Google blobs", twitter: "Twitter", text: "Plain text" } as const

/** The values of each setting that has few: of the stored setting, of the parameter and of what clients read. */
export const settingChoices = {
  web_mark_read_on_scroll_policy: oneToThree,
  web_channel_default_view: oneToFour,
  /** 1 as on the device, 2 dark, 3 light. */
  color_scheme: oneToThree,
  web_home_view: ["recent_topics", "inbox", "all_messages"],
  emojiset: ["google", "google-blob", "twitter", "text"],
  demote_inactive_streams: oneToThree,
  user_list_style: oneToThree,
  web_animate_image_previews: ["always", "on_hover", "never"],
  web_stream_unreads_count_display_policy: oneToThree,
  desktop_icon_count_display: oneToFour,
  realm_name_in_email_notifications_policy: oneToThree,
  /** 1 participation, 2 sending, 3 starting a topic, 4 never. */
  automatically_follow_topics_policy: oneToFour,
  automatically_unmute_topics_in_muted_streams_policy: oneToFour,
  resolved_topic_notice_auto_read_policy: ["always", "except_followed", "never"],
  /** Those who see the real address: 1 everyone, 2 members, 3 administrators, 4 nobody, 5 moderators. */
  email_address_visibility: [1, 2, 3, 4, 5],
} as const
export type SettingWithChoices = keyof typeof settingChoices

/** The sounds that clients play, by their names. */
export const notificationSounds: ReadonlyArray<string> = ["zulip"]

export const choicesSchema = <Name extends SettingWithChoices>(name: Name) => Schema.Literals(settingChoices[name])

const userSettingFields = {
  twenty_four_hour_time: Schema.Boolean,
  web_mark_read_on_scroll_policy: choicesSchema("web_mark_read_on_scroll_policy"),
  web_channel_default_view: choicesSchema("web_channel_default_view"),
  starred_message_counts: Schema.Boolean,
  receives_typing_notifications: Schema.Boolean,
  web_suggest_update_timezone: Schema.Boolean,
  fluid_layout_width: Schema.Boolean,
  high_contrast_mode: Schema.Boolean,
  web_font_size_px: Schema.Finite,
  web_line_height_percent: Schema.Finite,
  color_scheme: choicesSchema("color_scheme"),
  translate_emoticons: Schema.Boolean,
  display_emoji_reaction_users: Schema.Boolean,
  default_language: Schema.String,
  web_home_view: choicesSchema("web_home_view"),
  web_escape_navigates_to_home_view: Schema.Boolean,
  left_side_userlist: Schema.Boolean,
  emojiset: choicesSchema("emojiset"),
  demote_inactive_streams: choicesSchema("demote_inactive_streams"),
  user_list_style: choicesSchema("user_list_style"),
  web_animate_image_previews: choicesSchema("web_animate_image_previews"),
  web_stream_unreads_count_display_policy: choicesSchema("web_stream_unreads_count_display_policy"),
  hide_ai_features: Schema.Boolean,
  web_left_sidebar_show_channel_folders: Schema.Boolean,
  web_left_sidebar_unreads_count_summary: Schema.Boolean,
  enter_sends: Schema.Boolean,
  enable_drafts_synchronization: Schema.Boolean,
  enable_stream_desktop_notifications: Schema.Boolean,
  enable_stream_email_notifications: Schema.Boolean,
  enable_stream_push_notifications: Schema.Boolean,
  enable_stream_audible_notifications: Schema.Boolean,
  enable_followed_topic_desktop_notifications: Schema.Boolean,
  enable_followed_topic_email_notifications: Schema.Boolean,
  enable_followed_topic_push_notifications: Schema.Boolean,
  enable_followed_topic_audible_notifications: Schema.Boolean,
  enable_followed_topic_wildcard_mentions_notify: Schema.Boolean,
  notification_sound: Schema.String,
  enable_desktop_notifications: Schema.Boolean,
  enable_sounds: Schema.Boolean,
  email_notifications_batching_period_seconds: Schema.Finite,
  enable_offline_email_notifications: Schema.Boolean,
  enable_offline_push_notifications: Schema.Boolean,
  enable_online_push_notifications: Schema.Boolean,
  enable_digest_emails: Schema.Boolean,
  enable_marketing_emails: Schema.Boolean,
  enable_login_emails: Schema.Boolean,
  message_content_in_email_notifications: Schema.Boolean,
  pm_content_in_desktop_notifications: Schema.Boolean,
  wildcard_mentions_notify: Schema.Boolean,
  desktop_icon_count_display: choicesSchema("desktop_icon_count_display"),
  realm_name_in_email_notifications_policy: choicesSchema("realm_name_in_email_notifications_policy"),
  automatically_follow_topics_policy: choicesSchema("automatically_follow_topics_policy"),
  automatically_unmute_topics_in_muted_streams_policy: choicesSchema(
    "automatically_unmute_topics_in_muted_streams_policy",
  ),
  automatically_follow_topics_where_mentioned: Schema.Boolean,
  resolved_topic_notice_auto_read_policy: choicesSchema("resolved_topic_notice_auto_read_policy"),
  presence_enabled: Schema.Boolean,
  send_private_typing_notifications: Schema.Boolean,
  send_stream_typing_notifications: Schema.Boolean,
  send_read_receipts: Schema.Boolean,
  allow_private_data_export: Schema.Boolean,
  email_address_visibility: choicesSchema("email_address_visibility"),
  web_navigate_to_sent_message: Schema.Boolean,
}

const Settings = Schema.Struct(userSettingFields)
export type UserSettings = typeof Settings.Type
export type UserSetting = keyof UserSettings

const isSetting = (name: string): name is UserSetting => Object.hasOwn(userSettingFields, name)
export const userSettingNames: ReadonlyArray<UserSetting> = Object.keys(userSettingFields).filter(isSetting)

/** What each setting is where nothing is stored. What the server does not do yet (mail about messages, push) is off. */
export const defaultUserSettings: UserSettings = {
  twenty_four_hour_time: false,
  web_mark_read_on_scroll_policy: 1,
  web_channel_default_view: 1,
  starred_message_counts: true,
  receives_typing_notifications: true,
  web_suggest_update_timezone: false,
  fluid_layout_width: false,
  high_contrast_mode: false,
  web_font_size_px: 16,
  web_line_height_percent: 140,
  color_scheme: 1,
  translate_emoticons: false,
  display_emoji_reaction_users: true,
  default_language: "en",
  web_home_view: "inbox",
  web_escape_navigates_to_home_view: true,
  left_side_userlist: false,
  emojiset: "google",
  demote_inactive_streams: 1,
  user_list_style: 2,
  web_animate_image_previews: "on_hover",
  web_stream_unreads_count_display_policy: 2,
  hide_ai_features: true,
  web_left_sidebar_show_channel_folders: true,
  web_left_sidebar_unreads_count_summary: true,
  enter_sends: true,
  enable_drafts_synchronization: true,
  enable_stream_desktop_notifications: false,
  enable_stream_email_notifications: false,
  enable_stream_push_notifications: false,
  enable_stream_audible_notifications: false,
  enable_followed_topic_desktop_notifications: true,
  enable_followed_topic_email_notifications: false,
  enable_followed_topic_push_notifications: false,
  enable_followed_topic_audible_notifications: true,
  enable_followed_topic_wildcard_mentions_notify: true,
  notification_sound: "zulip",
  enable_desktop_notifications: true,
  enable_sounds: true,
  email_notifications_batching_period_seconds: 120,
  enable_offline_email_notifications: false,
  enable_offline_push_notifications: false,
  enable_online_push_notifications: false,
  enable_digest_emails: false,
  enable_marketing_emails: false,
  enable_login_emails: false,
  message_content_in_email_notifications: false,
  pm_content_in_desktop_notifications: true,
  wildcard_mentions_notify: true,
  desktop_icon_count_display: 1,
  realm_name_in_email_notifications_policy: 1,
  automatically_follow_topics_policy: 4,
  automatically_unmute_topics_in_muted_streams_policy: 4,
  automatically_follow_topics_where_mentioned: false,
  resolved_topic_notice_auto_read_policy: "except_followed",
  presence_enabled: true,
  send_private_typing_notifications: true,
  send_stream_typing_notifications: true,
  send_read_receipts: true,
  allow_private_data_export: false,
  email_address_visibility: 1,
  web_navigate_to_sent_message: true,
}

/**
 * What a new account begins with where it is not the default: by default nothing follows by itself, and so it stays for accounts
 * of older programs, because no event would tell their clients of another default.
 */
const ofNewAccounts = {
  automatically_follow_topics_policy: 3,
  automatically_unmute_topics_in_muted_streams_policy: 2,
  automatically_follow_topics_where_mentioned: true,
} as const

export const newUserSettings: UserSettings = { ...defaultUserSettings, ...ofNewAccounts }

/** What older programs called values: their rows in the log still have these. */
const olderValues: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  web_home_view: { recent: "recent_topics", all: "all_messages" },
}

/** A setting's value by its present name. */
export const presentValue = (name: string, value: Json): Json => {
  const older = Object.hasOwn(olderValues, name) ? olderValues[name] : undefined
  return older !== undefined && typeof value === "string" && Object.hasOwn(older, value)
    ? (older[value] ?? value)
    : value
}

const decode = Schema.decodeUnknownSync(Settings)
const isSettings = Schema.is(Settings)

const storedOfNew: ReadonlyMap<string, unknown> = new Map(Object.entries(ofNewAccounts))

/** Those of whoever has changed nothing; told by the few that are stored, because an organization has many. */
const isOfNew = (stored: object): boolean => {
  const names = Object.entries(stored)
  return names.length === storedOfNew.size && names.every(([name, value]) => storedOfNew.get(name) === value)
}

/** The stored settings of an account, completed by the defaults; a shared object where many have the same. */
export const userSettingsOf = (stored: object): UserSettings => {
  if (Object.keys(stored).length === 0) return defaultUserSettings
  if (isOfNew(stored)) return newUserSettings
  const present = Object.entries(stored).map(([name, value]) => [name, presentValue(name, value)])
  return shared.of(decode({ ...defaultUserSettings, ...Object.fromEntries(present) }))
}

/** Only the settings that differ from the defaults, as they are stored and as rows carry them. */
const storedUserSettings = (settings: UserSettings): JsonObject => {
  const stored: Record<string, Json> = {}
  for (const name of userSettingNames) if (settings[name] !== defaultUserSettings[name]) stored[name] = settings[name]
  return stored
}

const textOf = (settings: UserSettings): string => JSON.stringify(storedUserSettings(settings))

/** Those that most accounts have, by their texts. */
const lasting: ReadonlyMap<string, UserSettings> = new Map(
  [defaultUserSettings, newUserSettings].map((settings) => [textOf(settings), settings]),
)
/** All that were ever shared are known to be settings. */
const settingsSet = new WeakSet<object>(lasting.values())

const mostShared = 1000

/**
 * One object for equal settings: an organization may begin all its accounts with others than the server does, and whoever
 * changes something mostly changes what others have changed. They are found by the text of what differs from the defaults.
 */
class SharedSettings {
  readonly #byText = new Map<string, UserSettings>()

  /** An equal one that was given before, or this one. */
  of(settings: UserSettings): UserSettings {
    const text = textOf(settings)
    const found = lasting.get(text) ?? this.#byText.get(text) ?? settings
    if (lasting.has(text)) return found
    // The one that was wanted last is the last to go. Whoever has one keeps it.
    this.#byText.delete(text)
    const [oldest] = this.#byText.keys()
    if (oldest !== undefined && this.#byText.size >= mostShared) this.#byText.delete(oldest)
    this.#byText.set(text, found)
    settingsSet.add(found)
    return found
  }
}

const shared = new SharedSettings()

/** The settings with one of them replaced. */
export const withUserSetting = (settings: UserSettings, name: UserSetting, value: Json): UserSettings =>
  userSettingsOf({ ...settings, [name]: value })

const Stored = Schema.declare((value: unknown): value is object => typeof value === "object" && value !== null)
const Shared = Schema.declare(
  (value: unknown): value is UserSettings => (Predicate.isObject(value) && settingsSet.has(value)) || isSettings(value),
)

/** The settings as a field of a user's record: only those that differ are encoded; older rows do not have the field. */
export const UserSettingsField = Stored.pipe(
  Schema.decodeTo(
    Shared,
    SchemaTransformation.transform({
      decode: userSettingsOf,
      encode: (settings): object => storedUserSettings(settings),
    }),
  ),
  Schema.withDecodingDefaultKey(Effect.succeed({})),
)

/** The settings as clients read them. `timezone` is stored with the account, not with the settings. */
export const wireUserSettings = (settings: UserSettings, timezone: string): JsonObject => ({
  ...settings,
  timezone,
  available_notification_sounds: notificationSounds,
  emojiset_choices: settingChoices.emojiset.map((key) => ({ key, text: emojiSets[key] })),
})
