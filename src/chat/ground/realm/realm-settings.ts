/**
 * The settings of an organization whose features exist, with their defaults. They are stored as one JSON value with the
 * realm; an absent key has its default, so a new setting needs no migration.
 */
import * as Schema from "effect/Schema"
import type { Json } from "../../../json.ts"
import { GroupSetting, systemGroups } from "./domain-values.ts"
import { realmChoices, realmPermissionNames } from "./permission-choices.ts"
import { newUserSettings, type UserSettings, userSettingsOf } from "./user-settings.ts"

/** The value of a setting that names no channel. */
export const noChannel = -1

/** Characters of the text that Welcome Bot sends for an organization. */
export const longestWelcomeText = 8000

const permissionFields = {
  can_access_all_users_group: GroupSetting,
  can_add_custom_emoji_group: GroupSetting,
  can_add_subscribers_group: GroupSetting,
  can_create_bots_group: GroupSetting,
  can_create_groups: GroupSetting,
  can_create_private_channel_group: GroupSetting,
  can_create_public_channel_group: GroupSetting,
  can_create_web_public_channel_group: GroupSetting,
  can_create_write_only_bots_group: GroupSetting,
  can_delete_any_message_group: GroupSetting,
  can_delete_own_message_group: GroupSetting,
  can_invite_users_group: GroupSetting,
  can_manage_all_groups: GroupSetting,
  can_manage_billing_group: GroupSetting,
  can_mention_many_users_group: GroupSetting,
  can_move_messages_between_channels_group: GroupSetting,
  can_move_messages_between_topics_group: GroupSetting,
  can_resolve_topics_group: GroupSetting,
  can_set_delete_message_policy_group: GroupSetting,
  can_set_topics_policy_group: GroupSetting,
  can_summarize_topics_group: GroupSetting,
  create_multiuse_invite_group: GroupSetting,
  direct_message_initiator_group: GroupSetting,
  direct_message_permission_group: GroupSetting,
}

const permissionDefaults = Object.fromEntries(
  realmPermissionNames.map((name) => [name, systemGroups[realmChoices[name].default]]),
)

export const historyPolicies = ["all", "moves", "none"] as const
export type HistoryPolicy = (typeof historyPolicies)[number]

const JsonValue: Schema.Codec<Json> = Schema.Json

/** What an organization is, as clients know it: 0 not said, 10 a business, ... 1000 something else. */
export const organizationTypes = [0, 10, 20, 30, 35, 40, 50, 60, 70, 80, 90, 100, 1000] as const

/** The days of a week, from Monday. */
export const weekdays = [0, 1, 2, 3, 4, 5, 6] as const

/** By their numbers. Of others a server would need an account. */
export const videoCallProviders = { none: 0, jitsi: 1 } as const

/** By the words of the API, with their numbers: up to which rating clients offer animated pictures of GIPHY; 0: they offer none. */
export const giphyRatings = {
  disabled: { id: 0, name: "GIPHY integration disabled" },
  y: { id: 1, name: "Allow GIFs rated Y (Very young audience)" },
  g: { id: 2, name: "Allow GIFs rated G (General audience)" },
  pg: { id: 3, name: "Allow GIFs rated PG (Parental guidance)" },
  "pg-13": { id: 4, name: "Allow GIFs rated PG-13 (Parental guidance - under 13)" },
  r: { id: 5, name: "Allow GIFs rated R (Restricted)" },
} as const
export const giphyNumbers: ReadonlyArray<number> = Object.values(giphyRatings).map(({ id }) => id)

const realmSettingFields = {
  name: Schema.String,
  description: Schema.String,
  topics_policy: Schema.Literals(["allow_empty_topic", "disable_empty_topic"]),
  /** The language of code blocks that name none, as an administrator wrote it; empty: they have none. */
  default_code_block_language: Schema.String,
  /** Whether pictures that messages link are shown, and what linked pages say of themselves: where the server allows it. */
  inline_image_preview: Schema.Boolean,
  inline_url_embed_preview: Schema.Boolean,
  /** Days until a member counts as a full member. */
  waiting_period_days: Schema.Finite,
  /**
   * Milliseconds since the Unix epoch up to which they are counted: a row moves it on, so that everybody is told of who becomes a
   * full member, and knows it from that row on. No client is shown it.
   */
  full_members_at: Schema.Finite,
  ...permissionFields,
  /** Whether only administrators give people other names. */
  name_changes_disabled: Schema.Boolean,
  /** Whether nobody takes a name that somebody else has. */
  require_unique_names: Schema.Boolean,
  /** Whether visitors without an account may read what is public. */
  enable_spectator_access: Schema.Boolean,
  /** The ways to sign in: by a password kept here, and by the server's directory, where it has one. */
  password_auth_enabled: Schema.Boolean,
  ldap_auth_enabled: Schema.Boolean,
  /** Whether new accounts need an address of one of the organization's domains. */
  emails_restricted_to_domains: Schema.Boolean,
  /** Ids of channels; -1: none. */
  new_stream_announcements_stream_id: Schema.Finite,
  signup_announcements_stream_id: Schema.Finite,
  moderation_request_channel_id: Schema.Finite,
  allow_message_editing: Schema.Boolean,
  /** Until when after their send contents may be edited, and messages deleted, in seconds; null: at any time. */
  message_content_edit_limit_seconds: Schema.NullOr(Schema.Finite),
  message_content_delete_limit_seconds: Schema.NullOr(Schema.Finite),
  /** The policy that says what everybody sees of earlier contents and places of messages. */
  message_edit_history_visibility_policy: Schema.Literals(historyPolicies),
  enable_read_receipts: Schema.Boolean,
  /** Whether only administrators may give themselves another address. */
  email_changes_disabled: Schema.Boolean,
  /** Until when after their send messages may be moved, in seconds; null: at any time. */
  move_messages_within_stream_limit_seconds: Schema.NullOr(Schema.Finite),
  move_messages_between_streams_limit_seconds: Schema.NullOr(Schema.Finite),
  /** For channels without a retention of their own; -1: for ever. */
  message_retention_days: Schema.Finite,
  /** What Welcome Bot sends to new accounts behind its own words; empty: nothing. */
  welcome_message_custom_text: Schema.String,
  /**
   * The program that last served the organization, and how often that has changed: clients that stay connected over an upgrade
   * learn of it from a row. No client is shown the first.
   */
  program: Schema.String,
  server_generation: Schema.Finite,
  /** Whether only administrators change their pictures. */
  avatar_changes_disabled: Schema.Boolean,
  /** The tokens of uploaded pictures of the organization, parts of their files' names; empty: there is none. */
  icon: Schema.String,
  logo: Schema.String,
  night_logo: Schema.String,
  /** What the organization is: clients suggest by it. */
  org_type: Schema.Literals(organizationTypes),
  /** Whether nobody is shown who is there. */
  presence_disabled: Schema.Boolean,
  /** Whether nobody comes by an address of a service that lends such to anybody. */
  disallow_disposable_email_addresses: Schema.Boolean,
  /** Whether new people are mailed how they sign in, once. */
  send_welcome_emails: Schema.Boolean,
  /** Who makes video calls (`videoCallProviders`), and the address of a Jitsi server; null: there is none. */
  video_chat_provider: Schema.Literals(Object.values(videoCallProviders)),
  jitsi_server_url: Schema.NullOr(Schema.String),
  giphy_rating: Schema.Finite,
  /** Whether clients mark guests, and warn of what is sent to them. */
  enable_guest_user_indicator: Schema.Boolean,
  enable_guest_user_dm_warning: Schema.Boolean,
  /** Whether the organization wants to be named where communities are listed. */
  want_advertise_in_communities_directory: Schema.Boolean,
  /** Of mails about messages, and of push. */
  digest_emails_enabled: Schema.Boolean,
  digest_weekday: Schema.Literals(weekdays),
  message_content_allowed_in_email_notifications: Schema.Boolean,
  require_e2ee_push_notifications: Schema.Boolean,
  /** The code of the language that new accounts begin with. */
  default_language: Schema.String,
  /** The settings that new accounts begin with where the organization has others than the server. Rows of their own change it. */
  user_defaults: Schema.Record(Schema.String, JsonValue),
}

const RealmSettings = Schema.Struct(realmSettingFields)
export type RealmSettings = typeof RealmSettings.Type
export type RealmSetting = keyof RealmSettings

const isSetting = (name: string): name is RealmSetting => Object.hasOwn(realmSettingFields, name)
export const realmSettingNames: ReadonlyArray<RealmSetting> = Object.keys(realmSettingFields).filter(isSetting)

const week = 7 * 24 * 3600

const defaults = {
  name: "",
  description: "",
  topics_policy: "allow_empty_topic",
  default_code_block_language: "",
  inline_image_preview: true,
  inline_url_embed_preview: true,
  waiting_period_days: 0,
  full_members_at: 0,
  ...permissionDefaults,
  name_changes_disabled: false,
  require_unique_names: false,
  enable_spectator_access: false,
  password_auth_enabled: true,
  ldap_auth_enabled: true,
  emails_restricted_to_domains: false,
  new_stream_announcements_stream_id: noChannel,
  signup_announcements_stream_id: noChannel,
  moderation_request_channel_id: noChannel,
  allow_message_editing: true,
  message_content_edit_limit_seconds: 600,
  message_content_delete_limit_seconds: 600,
  message_edit_history_visibility_policy: "all",
  enable_read_receipts: true,
  email_changes_disabled: false,
  move_messages_within_stream_limit_seconds: week,
  move_messages_between_streams_limit_seconds: week,
  message_retention_days: -1,
  welcome_message_custom_text: "",
  program: "",
  server_generation: 0,
  avatar_changes_disabled: false,
  icon: "",
  logo: "",
  night_logo: "",
  org_type: 0,
  presence_disabled: false,
  disallow_disposable_email_addresses: false,
  send_welcome_emails: false,
  video_chat_provider: videoCallProviders.none,
  jitsi_server_url: null,
  giphy_rating: giphyRatings.disabled.id,
  enable_guest_user_indicator: true,
  enable_guest_user_dm_warning: true,
  want_advertise_in_communities_directory: false,
  digest_emails_enabled: false,
  // Tuesday.
  digest_weekday: 1,
  message_content_allowed_in_email_notifications: false,
  require_e2ee_push_notifications: false,
  default_language: "en",
  user_defaults: {},
}

const decode = Schema.decodeUnknownSync(RealmSettings)

/** The stored settings of a realm, completed by the defaults. */
export const readRealmSettings = (stored: object): RealmSettings => decode({ ...defaults, ...stored })

/** The settings with one of them replaced. */
export const withRealmSetting = (settings: RealmSettings, name: RealmSetting, value: Json): RealmSettings =>
  decode({ ...settings, [name]: value })

/** What was read of them: every register asks, and an organization's settings are another object after each change. */
const firstSettings = new WeakMap<object, UserSettings>()

/** The settings with which an account begins. */
export const firstUserSettings = (
  settings: Pick<RealmSettings, "user_defaults" | "default_language">,
): UserSettings => {
  const known = firstSettings.get(settings)
  if (known !== undefined) return known
  const { user_defaults, default_language } = settings
  // A consent is given by whoever it is of, never by a default, not even by one that an older program has stored.
  const own = { default_language, allow_private_data_export: false }
  const read = userSettingsOf({ ...newUserSettings, ...user_defaults, ...own })
  firstSettings.set(settings, read)
  return read
}
