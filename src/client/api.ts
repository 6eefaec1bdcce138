/**
 * Made by `npm run docs` from the OpenAPI document of this program (src/openapi/client-types.ts): the parameters, the
 * reply and the error codes of each endpoint, and every event. Not to be edited.
 */
export type CodeOfAll = "BAD_REQUEST" | "RATE_LIMIT_HIT" | "REQUEST_TOO_LARGE" | "INTERNAL_SERVER_ERROR" | "SERVICE_UNAVAILABLE" | "UPGRADE_UNDER_WAY"
export type CodeOfSigned = "NONEXISTENT_SUBDOMAIN" | "UNAUTHORIZED"

export type TopicsPolicy = "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only"
export type DefaultStreamGroup = {
  id: number
  name: string
  description: string
  streams: readonly number[]
}
export type Draft = {
  id: number
  type: "" | "private" | "stream"
  to: readonly number[]
  topic: string
  content: string
  timestamp: number
}
export type NavigationView = {
  fragment: string
  is_pinned: boolean
  name: string | null
}
export type GroupSetting = {
  direct_members: readonly number[]
  direct_subgroups: readonly number[]
}
export type Bot2 = {
  user_id: number
  default_sending_stream: string | null
  default_events_register_stream: string | null
  default_all_public_streams: boolean
  services: readonly ({ base_url: string; interface: 1 | 2; token: string })[]
}
export type Emoji = {
  id: string
  name: string
  source_url: string
  still_url: string | null
  deactivated: boolean
  author_id: number | null
}
export type AuthenticationMethods = {
  Email: { enabled: boolean; available: boolean }
  LDAP?: { enabled: boolean; available: boolean }
  Dev?: { enabled: boolean; available: boolean }
}
export type OrgType = 0 | 10 | 20 | 30 | 35 | 40 | 50 | 60 | 70 | 80 | 90 | 100 | 1000
export type Reminder = {
  reminder_id: number
  type: "private"
  to: readonly number[]
  content: string
  rendered_content: string
  scheduled_delivery_timestamp: number
  failed: boolean
  reminder_target_message_id: number
}
export type SavedSnippet = {
  id: number
  title: string
  content: string
  date_created: number
}
export type ScheduledMessage = {
  scheduled_message_id: number
  type: "private" | "stream"
  to: number | readonly number[]
  content: string
  rendered_content: string
  topic?: string
  scheduled_delivery_timestamp: number
  failed: boolean
}
export type Recipient = { type: "channel"; channel_id: number; topic: string } | { type: "direct"; user_ids: readonly number[] }
export type Draft2 = {
  type: "" | "private" | "stream"
  to: readonly number[]
  topic: string
  content: string
  timestamp?: number
}
export type CanCreateGroups = {
  new: GroupSetting2
  old?: GroupSetting2
}
export type GroupSetting2 = number | GroupSetting
export type Presences = {} | { [key: string]: Presence } | { [key: string]: { aggregated: { client: "website"; status: "active" | "idle"; timestamp: number }; website: ClientPresence } }
export type Website = {
  status: "active" | "idle" | "offline"
  timestamp: number
}
export type User = User2 | User3
export type User2 = {
  user_id: number
  email: string
  delivery_email: string | null
  full_name: string
  date_joined: string
  is_owner: boolean
  is_admin: boolean
  is_guest: boolean
  role: 100 | 200 | 300 | 400 | 600
  timezone: string
  avatar_url: string | "/static/images/unknown-user-avatar.png" | null
  avatar_version: number
  is_bot: false
  bot_type: null
  is_active: boolean
  profile_data?: { [key: string]: { value: string; rendered_value?: string } }
}
export type User3 = {
  user_id: number
  email: string
  delivery_email: string
  full_name: string
  date_joined: string
  is_owner: boolean
  is_admin: boolean
  is_guest: boolean
  role: 100 | 200 | 300 | 400 | 600
  timezone: string
  avatar_url: string | "/static/images/unknown-user-avatar.png" | null
  avatar_version: number
  is_bot: true
  bot_type: 1 | 2 | 3 | 4
  bot_owner_id: number | null
  is_active: boolean
  is_system_bot?: true
}
export type DefaultLanguage = "en" | "ar" | "be" | "bg" | "bn" | "ca" | "cs" | "cy" | "da" | "de" | "el" | "en-gb" | "eo" | "es" | "fa" | "fi" | "fr" | "gl" | "gu" | "he" | "hi" | "hr" | "hu" | "id" | "it" | "ja" | "kk" | "ko" | "lt" | "lv" | "ml" | "mn" | "nb-no" | "nl" | "pl" | "pt" | "pt-br" | "ro" | "ru" | "si" | "sk" | "sl" | "sr" | "sv" | "ta" | "th" | "tl" | "tr" | "uk" | "vi" | "zh-hans" | "zh-hant"
export type AuthenticationMethods2 = {
  password: boolean
  email: boolean
  dev: boolean
  ldap: boolean
  remoteuser: false
  github: false
  gitlab: false
  google: false
  azuread: false
  apple: false
  saml: false
  "openid connect": false
}
export type RealmUser = RealmUser2 | RealmUser3
export type RealmUser2 = {
  user_id: number
  email: string
  delivery_email: string | null
  full_name: string
  date_joined: string
  is_owner: boolean
  is_admin: boolean
  is_guest: boolean
  role: 100 | 200 | 300 | 400 | 600
  timezone: string
  avatar_url: string | "/static/images/unknown-user-avatar.png" | null
  avatar_version: number
  is_bot: false
  bot_type: null
  profile_data: { [key: string]: { value: string; rendered_value?: string } }
}
export type RealmUser3 = {
  user_id: number
  email: string
  delivery_email: string
  full_name: string
  date_joined: string
  is_owner: boolean
  is_admin: boolean
  is_guest: boolean
  role: 100 | 200 | 300 | 400 | 600
  timezone: string
  avatar_url: string | "/static/images/unknown-user-avatar.png" | null
  avatar_version: number
  is_bot: true
  bot_type: 1 | 2 | 3 | 4
  bot_owner_id: number | null
}
export type CustomProfileFieldTypes = {
  SHORT_TEXT: { id: 1; name: string }
  LONG_TEXT: { id: 2; name: string }
  SELECT: { id: 3; name: string }
  DATE: { id: 4; name: string }
  URL: { id: 5; name: string }
  USER: { id: 6; name: string }
  EXTERNAL_ACCOUNT: { id: 7; name: string }
  PRONOUNS: { id: 8; name: string }
}
export type ServerSupportedPermissionSettings = {
  realm: { [key: string]: Group }
  stream: { [key: string]: Group }
  group: { [key: string]: Group }
}
export type Group = {
  require_system_group: boolean
  allow_internet_group: boolean
  allow_nobody_group: boolean
  allow_everyone_group: boolean
  default_group_name: string
  default_for_system_groups: string | null
  allowed_system_groups: readonly string[]
}
export type RealmUser4 = RealmUser5 | RealmUser6
export type RealmUser5 = {
  user_id: number
  email: string
  delivery_email: null
  full_name: string
  date_joined: string
  is_owner: boolean
  is_admin: boolean
  is_guest: boolean
  role: 100 | 200 | 300 | 400 | 600
  avatar_url: string
  avatar_version: number
  is_bot: false
  bot_type: null
  profile_data: { [key: string]: { value: string; rendered_value?: string } }
}
export type RealmUser6 = {
  user_id: number
  email: string
  delivery_email: null
  full_name: string
  date_joined: string
  is_owner: boolean
  is_admin: boolean
  is_guest: boolean
  role: 100 | 200 | 300 | 400 | 600
  avatar_url: string
  avatar_version: number
  is_bot: true
  bot_type: 1 | 2 | 3 | 4
  bot_owner_id: number | null
}
export type AlertWordsEvent = {
  id: number
  type: "alert_words"
  alert_words: readonly string[]
}
export type Attachment = {
  id: number
  name: string
  path_id: string
  size: number
  create_time: number
  messages: readonly ({ id: number; date_sent: number })[]
}
export type AttachmentAddEvent = {
  id: number
  type: "attachment"
  op: "add"
  attachment: Attachment
  upload_space_used: number
}
export type AttachmentRemoveEvent = {
  id: number
  type: "attachment"
  op: "remove"
  attachment: { id: number }
  upload_space_used: number
}
export type AttachmentUpdateEvent = {
  id: number
  type: "attachment"
  op: "update"
  attachment: Attachment
  upload_space_used: number
}
export type Bot = {
  user_id: number
  full_name: string
  email: string
  bot_type: 1 | 2 | 3 | 4
  is_active: boolean
  api_key: string
  owner_id: number | null
  avatar_url: string | "/static/images/unknown-user-avatar.png" | null
  default_sending_stream: string | null
  default_events_register_stream: string | null
  default_all_public_streams: boolean
  services: readonly ({ base_url: string; interface: 1 | 2; token: string })[]
}
export type Channel = {
  stream_id: number
  name: string
  description: string
  rendered_description: string
  date_created: number
  creator_id: number | null
  invite_only: boolean
  is_web_public: boolean
  history_public_to_subscribers: boolean
  is_archived: boolean
  is_recently_active: boolean
  first_message_id: number | null
  message_retention_days: number | -1 | null
  topics_policy: TopicsPolicy
  folder_id: number | null
  subscriber_count: number
  stream_weekly_traffic: number | null
  stream_post_policy: 1 | 2 | 3 | 4
  is_announcement_only: boolean
  can_add_subscribers_group: PermissionHolders
  can_administer_channel_group: PermissionHolders
  can_delete_any_message_group: PermissionHolders
  can_delete_own_message_group: PermissionHolders
  can_move_messages_out_of_channel_group: PermissionHolders
  can_move_messages_within_channel_group: PermissionHolders
  can_remove_subscribers_group: PermissionHolders
  can_resolve_topics_group: PermissionHolders
  can_send_message_group: PermissionHolders
  can_subscribe_group: PermissionHolders
}
export type ChannelFolder = {
  id: number
  name: string
  description: string
  rendered_description: string
  order: number
  date_created: number
  creator_id: number | null
  is_archived: boolean
}
export type ChannelFolderAddEvent = {
  id: number
  type: "channel_folder"
  op: "add"
  channel_folder: ChannelFolder
}
export type ChannelFolderReorderEvent = {
  id: number
  type: "channel_folder"
  op: "reorder"
  order: readonly number[]
}
export type ChannelFolderUpdateEvent = {
  id: number
  type: "channel_folder"
  op: "update"
  channel_folder_id: number
  data: { name: string } | { name?: string; description: string; rendered_description: string; is_archived?: boolean } | { name?: string; is_archived: boolean }
}
export type ClientPresence = {
  client: "website"
  status: "active" | "idle"
  timestamp: number
  pushable: false
}
export type CustomProfileField = {
  id: number
  type: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8
  order: number
  name: string
  hint: string
  field_data: string
  display_in_profile_summary?: true
  required: boolean
  editable_by_user: boolean
  use_for_user_matching: boolean
}
export type CustomProfileFieldsEvent = {
  id: number
  type: "custom_profile_fields"
  fields: readonly CustomProfileField[]
}
export type DefaultStreamGroupsEvent = {
  id: number
  type: "default_stream_groups"
  default_stream_groups: readonly DefaultStreamGroup[]
}
export type DefaultStreamsEvent = {
  id: number
  type: "default_streams"
  default_streams: readonly number[]
}
export type DeleteMessageEvent = { id: number; type: "delete_message"; message_type: "stream"; stream_id: number; topic: string; message_ids: readonly number[] } | { id: number; type: "delete_message"; message_type: "stream"; stream_id: number; topic: string; message_id: number } | { id: number; type: "delete_message"; message_type: "private"; message_ids: readonly number[] } | { id: number; type: "delete_message"; message_type: "private"; message_id: number }
export type DraftsAddEvent = {
  id: number
  type: "drafts"
  op: "add"
  drafts: readonly Draft[]
}
export type DraftsRemoveEvent = {
  id: number
  type: "drafts"
  op: "remove"
  draft_id: number
}
export type DraftsUpdateEvent = {
  id: number
  type: "drafts"
  op: "update"
  draft: Draft
}
export type EditRecord = {
  user_id: number | null
  timestamp: number
  prev_content?: string
  prev_rendered_content?: string
  prev_topic?: string
  topic?: string
  prev_stream?: number
  stream?: number
}
export type Event = MessageEvent | UpdateMessageFlagsAddEvent | UpdateMessageFlagsRemoveEvent | AttachmentAddEvent | AttachmentUpdateEvent | AttachmentRemoveEvent | ReactionAddEvent | ReactionRemoveEvent | SubmessageEvent | UpdateMessageEvent | DeleteMessageEvent | TypingStartEvent | TypingStopEvent | TypingEditMessageStartEvent | TypingEditMessageStopEvent | SavedSnippetsAddEvent | SavedSnippetsUpdateEvent | SavedSnippetsRemoveEvent | DraftsAddEvent | DraftsUpdateEvent | DraftsRemoveEvent | ScheduledMessagesAddEvent | ScheduledMessagesUpdateEvent | ScheduledMessagesRemoveEvent | RemindersAddEvent | RemindersUpdateEvent | RemindersRemoveEvent | AlertWordsEvent | MutedTopicsEvent | UserTopicEvent | MutedUsersEvent | NavigationViewAddEvent | NavigationViewUpdateEvent | NavigationViewRemoveEvent | OnboardingStepsEvent | ChannelFolderAddEvent | ChannelFolderUpdateEvent | ChannelFolderReorderEvent | StreamCreateEvent | StreamUpdateEvent | StreamDeleteEvent | DefaultStreamsEvent | DefaultStreamGroupsEvent | SubscriptionAddEvent | SubscriptionRemoveEvent | SubscriptionUpdateEvent | SubscriptionPeerAddEvent | SubscriptionPeerRemoveEvent | UserGroupAddEvent | UserGroupUpdateEvent | UserGroupRemoveEvent | UserGroupAddMembersEvent | UserGroupRemoveMembersEvent | UserGroupAddSubgroupsEvent | UserGroupRemoveSubgroupsEvent | PresenceEvent | RealmUserAddEvent | RealmUserUpdateEvent | RealmUserRemoveEvent | UserSettingsUpdateEvent | UpdateDisplaySettingsEvent | UpdateGlobalNotificationsEvent | RealmUserSettingsDefaultsUpdateEvent | RealmExportConsentEvent | UserStatusEvent | InvitesChangedEvent | RealmBotAddEvent | RealmBotUpdateEvent | RealmBotDeleteEvent | CustomProfileFieldsEvent | RealmDomainsAddEvent | RealmDomainsChangeEvent | RealmDomainsRemoveEvent | RealmEmojiUpdateEvent | RealmLinkifiersEvent | RealmPlaygroundsEvent | RealmUpdateEvent | RealmUpdateDictEvent | RealmDeactivatedEvent | RestartEvent | RealmExportEvent | HeartbeatEvent
export type HeartbeatEvent = {
  id: number
  type: "heartbeat"
}
export type InvitesChangedEvent = {
  id: number
  type: "invites_changed"
}
export type ListedChannel = {
  stream_id: number
  name: string
  description: string
  rendered_description: string
  date_created: number
  creator_id: number | null
  invite_only: boolean
  is_web_public: boolean
  history_public_to_subscribers: boolean
  is_archived: boolean
  is_recently_active: boolean
  first_message_id: number | null
  message_retention_days: number | -1 | null
  topics_policy: TopicsPolicy
  folder_id: number | null
  subscriber_count: number
  stream_weekly_traffic: number | null
  stream_post_policy: 1 | 2 | 3 | 4
  is_announcement_only: boolean
  can_add_subscribers_group: PermissionHolders
  can_administer_channel_group: PermissionHolders
  can_delete_any_message_group: PermissionHolders
  can_delete_own_message_group: PermissionHolders
  can_move_messages_out_of_channel_group: PermissionHolders
  can_move_messages_within_channel_group: PermissionHolders
  can_remove_subscribers_group: PermissionHolders
  can_resolve_topics_group: PermissionHolders
  can_send_message_group: PermissionHolders
  can_subscribe_group: PermissionHolders
  is_default?: boolean
}
export type Message = { id: number; content: string; content_type: "text/html" | "text/x-markdown"; timestamp: number; client: string; sender_id: number; sender_email: string; sender_full_name: string; sender_realm_str: string; avatar_url: string | "/static/images/unknown-user-avatar.png" | null; is_me_message: boolean; recipient_id: number; topic_links: readonly ({ text: string; url: string })[]; submessages: readonly Submessage[]; type: "stream"; stream_id: number; display_recipient: string; subject: string; flags: readonly ("read" | "starred" | "collapsed" | "mentioned" | "stream_wildcard_mentioned" | "topic_wildcard_mentioned" | "has_alert_word" | "historical" | "group_mentioned" | "wildcard_mentioned")[]; reactions: readonly Reaction[]; last_edit_timestamp?: number; last_moved_timestamp?: number; edit_history?: readonly EditRecord[]; match_content?: string; match_subject?: string } | { id: number; content: string; content_type: "text/html" | "text/x-markdown"; timestamp: number; client: string; sender_id: number; sender_email: string; sender_full_name: string; sender_realm_str: string; avatar_url: string | "/static/images/unknown-user-avatar.png" | null; is_me_message: boolean; recipient_id: number; topic_links: readonly ({ text: string; url: string })[]; submessages: readonly Submessage[]; type: "private"; display_recipient: readonly ({ id: number; email: string; full_name: string; is_mirror_dummy: boolean })[]; subject: ""; flags: readonly ("read" | "starred" | "collapsed" | "mentioned" | "stream_wildcard_mentioned" | "topic_wildcard_mentioned" | "has_alert_word" | "historical" | "group_mentioned" | "wildcard_mentioned")[]; reactions: readonly Reaction[]; last_edit_timestamp?: number; last_moved_timestamp?: number; edit_history?: readonly EditRecord[]; match_content?: string; match_subject?: string }
export type MessageEvent = {
  id: number
  type: "message"
  message: SentMessage
  flags: readonly ("read" | "starred" | "collapsed" | "mentioned" | "stream_wildcard_mentioned" | "topic_wildcard_mentioned" | "has_alert_word" | "historical" | "group_mentioned" | "wildcard_mentioned")[]
  local_message_id?: string
  local_id?: string
}
export type MutedTopicsEvent = {
  id: number
  type: "muted_topics"
  muted_topics: readonly (readonly [string, string, number])[]
}
export type MutedUsersEvent = {
  id: number
  type: "muted_users"
  muted_users: readonly ({ id: number; timestamp: number })[]
}
export type NavigationViewAddEvent = {
  id: number
  type: "navigation_view"
  op: "add"
  navigation_view: NavigationView
}
export type NavigationViewRemoveEvent = {
  id: number
  type: "navigation_view"
  op: "remove"
  fragment: string
}
export type NavigationViewUpdateEvent = {
  id: number
  type: "navigation_view"
  op: "update"
  fragment: string
  data: { is_pinned?: boolean; name?: string }
}
export type NeverSubscribed = {
  stream_id: number
  name: string
  description: string
  rendered_description: string
  date_created: number
  creator_id: number | null
  invite_only: boolean
  is_web_public: boolean
  history_public_to_subscribers: boolean
  is_archived: boolean
  is_recently_active: boolean
  first_message_id: number | null
  message_retention_days: number | -1 | null
  topics_policy: TopicsPolicy
  folder_id: number | null
  subscriber_count: number
  stream_weekly_traffic: number | null
  stream_post_policy: 1 | 2 | 3 | 4
  is_announcement_only: boolean
  can_add_subscribers_group: PermissionHolders
  can_administer_channel_group: PermissionHolders
  can_delete_any_message_group: PermissionHolders
  can_delete_own_message_group: PermissionHolders
  can_move_messages_out_of_channel_group: PermissionHolders
  can_move_messages_within_channel_group: PermissionHolders
  can_remove_subscribers_group: PermissionHolders
  can_resolve_topics_group: PermissionHolders
  can_send_message_group: PermissionHolders
  can_subscribe_group: PermissionHolders
  subscribers?: readonly number[]
  partial_subscribers?: readonly number[]
}
export type NewSubscription = {
  stream_id: number
  name: string
  description: string
  rendered_description: string
  date_created: number
  creator_id: number | null
  invite_only: boolean
  is_web_public: boolean
  history_public_to_subscribers: boolean
  is_archived: boolean
  is_recently_active: boolean
  first_message_id: number | null
  message_retention_days: number | -1 | null
  topics_policy: TopicsPolicy
  folder_id: number | null
  subscriber_count: number
  stream_weekly_traffic: number | null
  stream_post_policy: 1 | 2 | 3 | 4
  is_announcement_only: boolean
  can_add_subscribers_group: PermissionHolders
  can_administer_channel_group: PermissionHolders
  can_delete_any_message_group: PermissionHolders
  can_delete_own_message_group: PermissionHolders
  can_move_messages_out_of_channel_group: PermissionHolders
  can_move_messages_within_channel_group: PermissionHolders
  can_remove_subscribers_group: PermissionHolders
  can_resolve_topics_group: PermissionHolders
  can_send_message_group: PermissionHolders
  can_subscribe_group: PermissionHolders
  color: string
  is_muted: boolean
  in_home_view: boolean
  pin_to_top: boolean
  desktop_notifications: boolean | null
  audible_notifications: boolean | null
  push_notifications: boolean | null
  email_notifications: boolean | null
  wildcard_mentions_notify: boolean | null
  subscribers: readonly number[]
}
export type OnboardingStepsEvent = {
  id: number
  type: "onboarding_steps"
  onboarding_steps: readonly ({ type: "one_time_notice"; name: "visibility_policy_banner" | "intro_inbox_view_modal" | "intro_recent_view_modal" | "first_stream_created_banner" | "jump_to_conversation_banner" | "non_interleaved_view_messages_fading" | "interleaved_view_messages_fading" | "intro_resolve_topic" })[]
}
export type PermissionHolders = number | GroupSetting
export type Presence = {
  active_timestamp: number
  idle_timestamp: number
}
export type PresenceEvent = { id: number; type: "presence"; user_id: number; server_timestamp: number; presence: { website: ClientPresence }; email: string } | { id: number; type: "presence"; user_id: number; server_timestamp: number; presence: { website: ClientPresence } } | { id: number; type: "presence"; presences: { [key: string]: Presence } }
export type Reaction = {
  emoji_name: string
  emoji_code: string
  reaction_type: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji"
  user_id: number
}
export type ReactionAddEvent = {
  id: number
  type: "reaction"
  op: "add"
  message_id: number
  emoji_name: string
  emoji_code: string
  reaction_type: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji"
  user_id: number
  user: { user_id: number; email: string; full_name: string }
}
export type ReactionRemoveEvent = {
  id: number
  type: "reaction"
  op: "remove"
  message_id: number
  emoji_name: string
  emoji_code: string
  reaction_type: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji"
  user_id: number
  user: { user_id: number; email: string; full_name: string }
}
export type RealmBotAddEvent = {
  id: number
  type: "realm_bot"
  op: "add"
  bot: Bot2
}
export type RealmBotDeleteEvent = {
  id: number
  type: "realm_bot"
  op: "delete"
  bot: { user_id: number }
}
export type RealmBotUpdateEvent = {
  id: number
  type: "realm_bot"
  op: "update"
  bot: Bot2
}
export type RealmDeactivatedEvent = {
  id: number
  type: "realm"
  op: "deactivated"
  realm_id: number
}
export type RealmDomainsAddEvent = {
  id: number
  type: "realm_domains"
  op: "add"
  realm_domain: { domain: string; allow_subdomains: boolean }
}
export type RealmDomainsChangeEvent = {
  id: number
  type: "realm_domains"
  op: "change"
  realm_domain: { domain: string; allow_subdomains: boolean }
}
export type RealmDomainsRemoveEvent = {
  id: number
  type: "realm_domains"
  op: "remove"
  domain: string
}
export type RealmEmojiUpdateEvent = {
  id: number
  type: "realm_emoji"
  op: "update"
  realm_emoji: { [key: string]: Emoji }
}
export type RealmExport = {
  id: number
  acting_user_id: number
  export_time: number
  deleted_timestamp: number | null
  failed_timestamp: number | null
  export_url: string | null
  pending: boolean
  export_type: 1 | 2
}
export type RealmExportConsentEvent = {
  id: number
  type: "realm_export_consent"
  user_id: number
  consented: boolean
}
export type RealmExportEvent = {
  id: number
  type: "realm_export"
  exports: readonly RealmExport[]
}
export type RealmLinkifiersEvent = {
  id: number
  type: "realm_linkifiers"
  realm_linkifiers: readonly ({ id: number; pattern: string; url_template: string })[]
}
export type RealmPlaygroundsEvent = {
  id: number
  type: "realm_playgrounds"
  realm_playgrounds: readonly ({ id: number; name: string; pygments_language: string; url_template: string })[]
}
export type RealmUpdateDictEvent = { id: number; type: "realm"; op: "update_dict"; property: "default"; data: { can_access_all_users_group?: PermissionHolders; can_add_custom_emoji_group?: PermissionHolders; can_add_subscribers_group?: PermissionHolders; can_create_bots_group?: PermissionHolders; can_create_groups?: PermissionHolders; can_create_private_channel_group?: PermissionHolders; can_create_public_channel_group?: PermissionHolders; can_create_web_public_channel_group?: PermissionHolders; can_create_write_only_bots_group?: PermissionHolders; can_delete_any_message_group?: PermissionHolders; can_delete_own_message_group?: PermissionHolders; can_invite_users_group?: PermissionHolders; can_manage_all_groups?: PermissionHolders; can_manage_billing_group?: PermissionHolders; can_mention_many_users_group?: PermissionHolders; can_move_messages_between_channels_group?: PermissionHolders; can_move_messages_between_topics_group?: PermissionHolders; can_resolve_topics_group?: PermissionHolders; can_set_delete_message_policy_group?: PermissionHolders; can_set_topics_policy_group?: PermissionHolders; can_summarize_topics_group?: PermissionHolders; create_multiuse_invite_group?: PermissionHolders; direct_message_initiator_group?: PermissionHolders; direct_message_permission_group?: PermissionHolders; authentication_methods?: AuthenticationMethods; topics_policy?: "allow_empty_topic" | "disable_empty_topic"; mandatory_topics?: boolean; allow_message_editing?: boolean; message_content_edit_limit_seconds?: number | null; message_edit_history_visibility_policy?: "all" | "moves" | "none"; allow_edit_history?: boolean; move_messages_within_stream_limit_seconds?: number | null; move_messages_between_streams_limit_seconds?: number | null; description?: string; rendered_description?: string } } | { id: number; type: "realm"; op: "update_dict"; property: "icon"; data: { icon_url: string; icon_source: "G" | "U" } } | { id: number; type: "realm"; op: "update_dict"; property: "logo"; data: { logo_url: string; logo_source: "D" | "U" } } | { id: number; type: "realm"; op: "update_dict"; property: "night_logo"; data: { night_logo_url: string; night_logo_source: "D" | "U" } }
export type RealmUpdateEvent = { id: number; type: "realm"; op: "update"; property: "name_changes_disabled"; value: boolean } | { id: number; type: "realm"; op: "update"; property: "require_unique_names"; value: boolean } | { id: number; type: "realm"; op: "update"; property: "enable_spectator_access"; value: boolean } | { id: number; type: "realm"; op: "update"; property: "default_code_block_language"; value: string } | { id: number; type: "realm"; op: "update"; property: "inline_image_preview"; value: boolean } | { id: number; type: "realm"; op: "update"; property: "inline_url_embed_preview"; value: boolean } | { id: number; type: "realm"; op: "update"; property: "waiting_period_threshold"; value: number } | { id: number; type: "realm"; op: "update"; property: "name"; value: string } | { id: number; type: "realm"; op: "update"; property: "emails_restricted_to_domains"; value: boolean } | { id: number; type: "realm"; op: "update"; property: "new_stream_announcements_stream_id"; value: number | -1 } | { id: number; type: "realm"; op: "update"; property: "signup_announcements_stream_id"; value: number | -1 } | { id: number; type: "realm"; op: "update"; property: "moderation_request_channel_id"; value: number | -1 } | { id: number; type: "realm"; op: "update"; property: "message_retention_days"; value: number | -1 } | { id: number; type: "realm"; op: "update"; property: "message_content_delete_limit_seconds"; value: number | null } | { id: number; type: "realm"; op: "update"; property: "enable_read_receipts"; value: boolean } | { id: number; type: "realm"; op: "update"; property: "email_changes_disabled"; value: boolean } | { id: number; type: "realm"; op: "update"; property: "welcome_message_custom_text"; value: string } | { id: number; type: "realm"; op: "update"; property: "avatar_changes_disabled"; value: boolean } | { id: number; type: "realm"; op: "update"; property: "default_language"; value: string } | { id: number; type: "realm"; op: "update"; property: "org_type"; value: OrgType } | { id: number; type: "realm"; op: "update"; property: "presence_disabled"; value: boolean } | { id: number; type: "realm"; op: "update"; property: "disallow_disposable_email_addresses"; value: boolean } | { id: number; type: "realm"; op: "update"; property: "send_welcome_emails"; value: boolean } | { id: number; type: "realm"; op: "update"; property: "video_chat_provider"; value: 0 | 1 } | { id: number; type: "realm"; op: "update"; property: "jitsi_server_url"; value: string | null } | { id: number; type: "realm"; op: "update"; property: "giphy_rating"; value: 0 | 1 | 2 | 3 | 4 | 5 } | { id: number; type: "realm"; op: "update"; property: "enable_guest_user_indicator"; value: boolean } | { id: number; type: "realm"; op: "update"; property: "enable_guest_user_dm_warning"; value: boolean } | { id: number; type: "realm"; op: "update"; property: "want_advertise_in_communities_directory"; value: boolean } | { id: number; type: "realm"; op: "update"; property: "digest_emails_enabled"; value: boolean } | { id: number; type: "realm"; op: "update"; property: "digest_weekday"; value: 0 | 1 | 2 | 3 | 4 | 5 | 6 } | { id: number; type: "realm"; op: "update"; property: "message_content_allowed_in_email_notifications"; value: boolean } | { id: number; type: "realm"; op: "update"; property: "require_e2ee_push_notifications"; value: boolean } | { id: number; type: "realm"; op: "update"; property: "create_public_stream_policy"; value: 1 | 2 | 3 | 4 | 5 | 6 | 7 } | { id: number; type: "realm"; op: "update"; property: "create_private_stream_policy"; value: 1 | 2 | 3 | 4 | 5 | 6 | 7 } | { id: number; type: "realm"; op: "update"; property: "create_web_public_stream_policy"; value: 1 | 2 | 3 | 4 | 5 | 6 | 7 } | { id: number; type: "realm"; op: "update"; property: "user_group_edit_policy"; value: 1 | 2 | 3 | 4 | 5 | 6 | 7 } | { id: number; type: "realm"; op: "update"; property: "wildcard_mention_policy"; value: 1 | 2 | 3 | 4 | 5 | 6 | 7 }
export type RealmUserAddEvent = {
  id: number
  type: "realm_user"
  op: "add"
  person: { user_id: number; email: string; delivery_email: string | null; full_name: string; date_joined: string; is_owner: boolean; is_admin: boolean; is_guest: boolean; role: 100 | 200 | 300 | 400 | 600; timezone: string; avatar_url: string | "/static/images/unknown-user-avatar.png" | null; avatar_version: number; is_bot: false; bot_type: null; is_active: true; profile_data: { [key: string]: { value: string; rendered_value?: string } } } | { user_id: number; email: string; delivery_email: string; full_name: string; date_joined: string; is_owner: boolean; is_admin: boolean; is_guest: boolean; role: 100 | 200 | 300 | 400 | 600; timezone: string; avatar_url: string | "/static/images/unknown-user-avatar.png" | null; avatar_version: number; is_bot: true; bot_type: 1 | 2 | 3 | 4; bot_owner_id: number | null; is_active: true }
}
export type RealmUserRemoveEvent = {
  id: number
  type: "realm_user"
  op: "remove"
  person: { user_id: number; full_name: "Unknown user" }
}
export type RealmUserSettingsDefaultsUpdateEvent = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "twenty_four_hour_time"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_mark_read_on_scroll_policy"; value: 1 | 2 | 3 } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_channel_default_view"; value: 1 | 2 | 3 | 4 } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "starred_message_counts"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "receives_typing_notifications"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_suggest_update_timezone"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "fluid_layout_width"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "high_contrast_mode"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_font_size_px"; value: number } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_line_height_percent"; value: number } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "color_scheme"; value: 1 | 2 | 3 } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "translate_emoticons"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "display_emoji_reaction_users"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "default_language"; value: string } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_home_view"; value: "recent_topics" | "inbox" | "all_messages" } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_escape_navigates_to_home_view"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "left_side_userlist"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "emojiset"; value: "google" | "google-blob" | "twitter" | "text" } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "demote_inactive_streams"; value: 1 | 2 | 3 } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "user_list_style"; value: 1 | 2 | 3 } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_animate_image_previews"; value: "always" | "on_hover" | "never" } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_stream_unreads_count_display_policy"; value: 1 | 2 | 3 } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "hide_ai_features"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_left_sidebar_show_channel_folders"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_left_sidebar_unreads_count_summary"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "timezone"; value: string } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enter_sends"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_drafts_synchronization"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_stream_desktop_notifications"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_stream_email_notifications"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_stream_push_notifications"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_stream_audible_notifications"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_followed_topic_desktop_notifications"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_followed_topic_email_notifications"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_followed_topic_push_notifications"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_followed_topic_audible_notifications"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_followed_topic_wildcard_mentions_notify"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "notification_sound"; value: string } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_desktop_notifications"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_sounds"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "email_notifications_batching_period_seconds"; value: number } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_offline_email_notifications"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_offline_push_notifications"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_online_push_notifications"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_digest_emails"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_marketing_emails"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_login_emails"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "message_content_in_email_notifications"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "pm_content_in_desktop_notifications"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "wildcard_mentions_notify"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "desktop_icon_count_display"; value: 1 | 2 | 3 | 4 } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "realm_name_in_email_notifications_policy"; value: 1 | 2 | 3 } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "automatically_follow_topics_policy"; value: 1 | 2 | 3 | 4 } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "automatically_unmute_topics_in_muted_streams_policy"; value: 1 | 2 | 3 | 4 } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "automatically_follow_topics_where_mentioned"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "resolved_topic_notice_auto_read_policy"; value: "always" | "except_followed" | "never" } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "presence_enabled"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "available_notification_sounds"; value: readonly string[] } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "emojiset_choices"; value: readonly ({ key: string; text: string })[] } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "send_private_typing_notifications"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "send_stream_typing_notifications"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "send_read_receipts"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "allow_private_data_export"; value: boolean } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "email_address_visibility"; value: 1 | 2 | 3 | 4 | 5 } | { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_navigate_to_sent_message"; value: boolean }
export type RealmUserUpdateEvent = {
  id: number
  type: "realm_user"
  op: "update"
  person: { user_id: number; is_active: boolean } | { user_id: number; role: 100 | 200 | 300 | 400 | 600 } | { user_id: number; new_email: string } | { user_id: number; delivery_email: string | null } | { user_id: number; avatar_source: "G" | "U"; avatar_url: string; avatar_url_medium: string; avatar_version: number } | { user_id: number; email: string; timezone: string } | { user_id: number; full_name: string } | { user_id: number; bot_owner_id: number } | { user_id: number; custom_profile_field: { id: number; value: null } } | { user_id: number; custom_profile_field: { id: number; value: string; rendered_value?: string } }
}
export type RemindersAddEvent = {
  id: number
  type: "reminders"
  op: "add"
  reminders: readonly Reminder[]
}
export type RemindersRemoveEvent = {
  id: number
  type: "reminders"
  op: "remove"
  reminder_id: number
}
export type RemindersUpdateEvent = {
  id: number
  type: "reminders"
  op: "update"
  reminder: Reminder
}
export type RestartEvent = {
  id: number
  type: "restart"
  zulip_version: string
  zulip_merge_base: string
  zulip_feature_level: number
  server_generation: number
}
export type SavedSnippetsAddEvent = {
  id: number
  type: "saved_snippets"
  op: "add"
  saved_snippet: SavedSnippet
}
export type SavedSnippetsRemoveEvent = {
  id: number
  type: "saved_snippets"
  op: "remove"
  saved_snippet_id: number
}
export type SavedSnippetsUpdateEvent = {
  id: number
  type: "saved_snippets"
  op: "update"
  saved_snippet: SavedSnippet
}
export type ScheduledMessagesAddEvent = {
  id: number
  type: "scheduled_messages"
  op: "add"
  scheduled_messages: readonly ScheduledMessage[]
}
export type ScheduledMessagesRemoveEvent = {
  id: number
  type: "scheduled_messages"
  op: "remove"
  scheduled_message_id: number
}
export type ScheduledMessagesUpdateEvent = {
  id: number
  type: "scheduled_messages"
  op: "update"
  scheduled_message: ScheduledMessage
}
export type SentMessage = { id: number; content: string; content_type: "text/html" | "text/x-markdown"; timestamp: number; client: string; sender_id: number; sender_email: string; sender_full_name: string; sender_realm_str: string; avatar_url: string | "/static/images/unknown-user-avatar.png" | null; is_me_message: boolean; recipient_id: number; topic_links: readonly ({ text: string; url: string })[]; submessages: readonly Submessage[]; type: "stream"; stream_id: number; display_recipient: string; subject: string; reactions: readonly never[] } | { id: number; content: string; content_type: "text/html" | "text/x-markdown"; timestamp: number; client: string; sender_id: number; sender_email: string; sender_full_name: string; sender_realm_str: string; avatar_url: string | "/static/images/unknown-user-avatar.png" | null; is_me_message: boolean; recipient_id: number; topic_links: readonly ({ text: string; url: string })[]; submessages: readonly Submessage[]; type: "private"; display_recipient: readonly ({ id: number; email: string; full_name: string; is_mirror_dummy: boolean })[]; subject: ""; reactions: readonly never[] }
export type SpectatedSystemBot = {
  user_id: number
  email: string
  delivery_email: null
  full_name: string
  date_joined: string
  is_owner: boolean
  is_admin: boolean
  is_guest: boolean
  role: 100 | 200 | 300 | 400 | 600
  avatar_url: string
  avatar_version: number
  is_bot: true
  bot_type: 1 | 2 | 3 | 4
  bot_owner_id: null
  is_system_bot: true
}
export type StreamCreateEvent = {
  id: number
  type: "stream"
  op: "create"
  streams: readonly Channel[]
}
export type StreamDeleteEvent = {
  id: number
  type: "stream"
  op: "delete"
  streams: readonly ({ stream_id: number })[]
  stream_ids: readonly number[]
}
export type StreamUpdateEvent = { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "can_add_subscribers_group"; value: PermissionHolders } | { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "can_administer_channel_group"; value: PermissionHolders } | { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "can_delete_any_message_group"; value: PermissionHolders } | { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "can_delete_own_message_group"; value: PermissionHolders } | { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "can_move_messages_out_of_channel_group"; value: PermissionHolders } | { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "can_move_messages_within_channel_group"; value: PermissionHolders } | { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "can_remove_subscribers_group"; value: PermissionHolders } | { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "can_resolve_topics_group"; value: PermissionHolders } | { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "can_send_message_group"; value: PermissionHolders } | { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "can_subscribe_group"; value: PermissionHolders } | { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "name"; value: string } | { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "message_retention_days"; value: number | -1 | null } | { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "topics_policy"; value: TopicsPolicy } | { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "folder_id"; value: number | null } | { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "is_archived"; value: boolean } | { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "is_recently_active"; value: boolean } | { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "first_message_id"; value: number | null } | { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "stream_weekly_traffic"; value: number | null } | { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "stream_post_policy"; value: 1 | 2 | 3 | 4 } | { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "is_announcement_only"; value: boolean } | { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "description"; value: string; rendered_description: string } | { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "invite_only"; value: boolean; is_web_public: boolean; history_public_to_subscribers: boolean }
export type Submessage = {
  id: number
  message_id: number
  sender_id: number
  msg_type: "widget"
  content: string
}
export type SubmessageEvent = {
  id: number
  type: "submessage"
  message_id: number
  submessage_id: number
  sender_id: number
  msg_type: "widget"
  content: string
}
export type Subscription = {
  stream_id: number
  name: string
  description: string
  rendered_description: string
  date_created: number
  creator_id: number | null
  invite_only: boolean
  is_web_public: boolean
  history_public_to_subscribers: boolean
  is_archived: boolean
  is_recently_active: boolean
  first_message_id: number | null
  message_retention_days: number | -1 | null
  topics_policy: TopicsPolicy
  folder_id: number | null
  subscriber_count: number
  stream_weekly_traffic: number | null
  stream_post_policy: 1 | 2 | 3 | 4
  is_announcement_only: boolean
  can_add_subscribers_group: PermissionHolders
  can_administer_channel_group: PermissionHolders
  can_delete_any_message_group: PermissionHolders
  can_delete_own_message_group: PermissionHolders
  can_move_messages_out_of_channel_group: PermissionHolders
  can_move_messages_within_channel_group: PermissionHolders
  can_remove_subscribers_group: PermissionHolders
  can_resolve_topics_group: PermissionHolders
  can_send_message_group: PermissionHolders
  can_subscribe_group: PermissionHolders
  color: string
  is_muted: boolean
  in_home_view: boolean
  pin_to_top: boolean
  desktop_notifications: boolean | null
  audible_notifications: boolean | null
  push_notifications: boolean | null
  email_notifications: boolean | null
  wildcard_mentions_notify: boolean | null
  subscribers?: readonly number[]
  partial_subscribers?: readonly number[]
}
export type SubscriptionAddEvent = {
  id: number
  type: "subscription"
  op: "add"
  subscriptions: readonly NewSubscription[]
}
export type SubscriptionPeerAddEvent = {
  id: number
  type: "subscription"
  op: "peer_add"
  stream_ids: readonly number[]
  user_ids: readonly number[]
}
export type SubscriptionPeerRemoveEvent = {
  id: number
  type: "subscription"
  op: "peer_remove"
  stream_ids: readonly number[]
  user_ids: readonly number[]
}
export type SubscriptionRemoveEvent = {
  id: number
  type: "subscription"
  op: "remove"
  subscriptions: readonly ({ stream_id: number; name: string })[]
}
export type SubscriptionUpdateEvent = { id: number; type: "subscription"; op: "update"; stream_id: number; property: "color"; value: string } | { id: number; type: "subscription"; op: "update"; stream_id: number; property: "is_muted"; value: boolean } | { id: number; type: "subscription"; op: "update"; stream_id: number; property: "in_home_view"; value: boolean } | { id: number; type: "subscription"; op: "update"; stream_id: number; property: "pin_to_top"; value: boolean } | { id: number; type: "subscription"; op: "update"; stream_id: number; property: "desktop_notifications"; value: boolean } | { id: number; type: "subscription"; op: "update"; stream_id: number; property: "audible_notifications"; value: boolean } | { id: number; type: "subscription"; op: "update"; stream_id: number; property: "push_notifications"; value: boolean } | { id: number; type: "subscription"; op: "update"; stream_id: number; property: "email_notifications"; value: boolean } | { id: number; type: "subscription"; op: "update"; stream_id: number; property: "wildcard_mentions_notify"; value: boolean }
export type SystemBot = {
  user_id: number
  email: string
  delivery_email: string
  full_name: string
  date_joined: string
  is_owner: boolean
  is_admin: boolean
  is_guest: boolean
  role: 100 | 200 | 300 | 400 | 600
  timezone: string
  avatar_url: string | "/static/images/unknown-user-avatar.png" | null
  avatar_version: number
  is_bot: true
  bot_type: 1 | 2 | 3 | 4
  bot_owner_id: null
  is_system_bot: true
}
export type Topic = {
  name: string
  max_id: number
}
export type TypingEditMessageStartEvent = {
  id: number
  type: "typing_edit_message"
  op: "start"
  sender_id: number
  message_id: number
  recipient: Recipient
}
export type TypingEditMessageStopEvent = {
  id: number
  type: "typing_edit_message"
  op: "stop"
  sender_id: number
  message_id: number
  recipient: Recipient
}
export type TypingStartEvent = { id: number; type: "typing"; op: "start"; sender: { user_id: number; email: string }; message_type: "direct"; recipients: readonly ({ user_id: number; email: string })[] } | { id: number; type: "typing"; op: "start"; sender: { user_id: number; email: string }; message_type: "stream"; stream_id: number; topic: string }
export type TypingStopEvent = { id: number; type: "typing"; op: "stop"; sender: { user_id: number; email: string }; message_type: "direct"; recipients: readonly ({ user_id: number; email: string })[] } | { id: number; type: "typing"; op: "stop"; sender: { user_id: number; email: string }; message_type: "stream"; stream_id: number; topic: string }
export type UnreadMessages = {
  count: number
  pms: readonly ({ other_user_id: number; sender_id: number; unread_message_ids: readonly number[] })[]
  huddles: readonly ({ user_ids_string: string; unread_message_ids: readonly number[] })[]
  streams: readonly ({ stream_id: number; topic: string; unread_message_ids: readonly number[] })[]
  mentions: readonly number[]
  old_unreads_missing: boolean
}
export type UpdateDisplaySettingsEvent = { id: number; type: "update_display_settings"; setting_name: "twenty_four_hour_time"; setting: boolean; user: string } | { id: number; type: "update_display_settings"; setting_name: "color_scheme"; setting: 1 | 2 | 3; user: string } | { id: number; type: "update_display_settings"; setting_name: "default_language"; setting: string; user: string; language_name: string } | { id: number; type: "update_display_settings"; setting_name: "web_home_view"; setting: "recent_topics" | "inbox" | "all_messages"; user: string } | { id: number; type: "update_display_settings"; setting_name: "demote_inactive_streams"; setting: 1 | 2 | 3; user: string } | { id: number; type: "update_display_settings"; setting_name: "emojiset"; setting: "google" | "google-blob" | "twitter" | "text"; user: string } | { id: number; type: "update_display_settings"; setting_name: "enable_drafts_synchronization"; setting: boolean; user: string } | { id: number; type: "update_display_settings"; setting_name: "enter_sends"; setting: boolean; user: string } | { id: number; type: "update_display_settings"; setting_name: "fluid_layout_width"; setting: boolean; user: string } | { id: number; type: "update_display_settings"; setting_name: "high_contrast_mode"; setting: boolean; user: string } | { id: number; type: "update_display_settings"; setting_name: "left_side_userlist"; setting: boolean; user: string } | { id: number; type: "update_display_settings"; setting_name: "starred_message_counts"; setting: boolean; user: string } | { id: number; type: "update_display_settings"; setting_name: "translate_emoticons"; setting: boolean; user: string } | { id: number; type: "update_display_settings"; setting_name: "timezone"; setting: string; user: string } | { id: number; type: "update_display_settings"; setting_name: "emojiset_choices"; setting: readonly ({ key: string; text: string })[]; user: string }
export type UpdateGlobalNotificationsEvent = { id: number; type: "update_global_notifications"; notification_name: "desktop_icon_count_display"; setting: 1 | 2 | 3 | 4; user: string } | { id: number; type: "update_global_notifications"; notification_name: "email_notifications_batching_period_seconds"; setting: number; user: string } | { id: number; type: "update_global_notifications"; notification_name: "enable_desktop_notifications"; setting: boolean; user: string } | { id: number; type: "update_global_notifications"; notification_name: "enable_digest_emails"; setting: boolean; user: string } | { id: number; type: "update_global_notifications"; notification_name: "enable_login_emails"; setting: boolean; user: string } | { id: number; type: "update_global_notifications"; notification_name: "enable_marketing_emails"; setting: boolean; user: string } | { id: number; type: "update_global_notifications"; notification_name: "enable_offline_email_notifications"; setting: boolean; user: string } | { id: number; type: "update_global_notifications"; notification_name: "enable_offline_push_notifications"; setting: boolean; user: string } | { id: number; type: "update_global_notifications"; notification_name: "enable_online_push_notifications"; setting: boolean; user: string } | { id: number; type: "update_global_notifications"; notification_name: "enable_sounds"; setting: boolean; user: string } | { id: number; type: "update_global_notifications"; notification_name: "enable_stream_audible_notifications"; setting: boolean; user: string } | { id: number; type: "update_global_notifications"; notification_name: "enable_stream_desktop_notifications"; setting: boolean; user: string } | { id: number; type: "update_global_notifications"; notification_name: "enable_stream_email_notifications"; setting: boolean; user: string } | { id: number; type: "update_global_notifications"; notification_name: "enable_stream_push_notifications"; setting: boolean; user: string } | { id: number; type: "update_global_notifications"; notification_name: "message_content_in_email_notifications"; setting: boolean; user: string } | { id: number; type: "update_global_notifications"; notification_name: "notification_sound"; setting: string; user: string } | { id: number; type: "update_global_notifications"; notification_name: "pm_content_in_desktop_notifications"; setting: boolean; user: string } | { id: number; type: "update_global_notifications"; notification_name: "presence_enabled"; setting: boolean; user: string } | { id: number; type: "update_global_notifications"; notification_name: "wildcard_mentions_notify"; setting: boolean; user: string } | { id: number; type: "update_global_notifications"; notification_name: "available_notification_sounds"; setting: readonly string[]; user: string }
export type UpdateMessageEvent = {
  id: number
  type: "update_message"
  user_id: number | null
  rendering_only: boolean
  edit_timestamp: number
  message_id: number
  message_ids: readonly number[]
  flags: readonly ("read" | "starred" | "collapsed" | "mentioned" | "stream_wildcard_mentioned" | "topic_wildcard_mentioned" | "has_alert_word" | "historical" | "group_mentioned" | "wildcard_mentioned")[]
  stream_id?: number
  stream_name?: string
  orig_content?: string
  orig_rendered_content?: string
  content?: string
  rendered_content?: string
  is_me_message?: boolean
  propagate_mode?: "change_one" | "change_later" | "change_all"
  orig_subject?: string
  subject?: string
  topic_links?: readonly ({ text: string; url: string })[]
  new_stream_id?: number
}
export type UpdateMessageFlagsAddEvent = {
  id: number
  type: "update_message_flags"
  op: "add"
  operation: "add" | "remove"
  flag: "read" | "starred" | "collapsed"
  messages: readonly number[]
  all: boolean
}
export type UpdateMessageFlagsRemoveEvent = {
  id: number
  type: "update_message_flags"
  op: "remove"
  operation: "add" | "remove"
  flag: "read" | "starred" | "collapsed"
  messages: readonly number[]
  all: boolean
  message_details?: { [key: string]: { type: "stream"; stream_id: number; topic: string; unmuted_stream_msg?: true; mentioned?: true } | { type: "private"; user_ids: readonly number[]; mentioned?: true } }
}
export type UserGroup = {
  id: number
  name: string
  description: string
  members: readonly number[]
  direct_subgroup_ids: readonly number[]
  is_system_group: boolean
  deactivated: boolean
  creator_id: number | null
  date_created: number | null
  can_add_members_group: PermissionHolders
  can_join_group: PermissionHolders
  can_leave_group: PermissionHolders
  can_manage_group: PermissionHolders
  can_mention_group: PermissionHolders
  can_remove_members_group: PermissionHolders
}
export type UserGroupAddEvent = {
  id: number
  type: "user_group"
  op: "add"
  group: { id: number; name: string; description: string; members: readonly number[]; direct_subgroup_ids: readonly number[]; is_system_group: boolean; deactivated: false; creator_id: number | null; date_created: number | null; can_add_members_group: PermissionHolders; can_join_group: PermissionHolders; can_leave_group: PermissionHolders; can_manage_group: PermissionHolders; can_mention_group: PermissionHolders; can_remove_members_group: PermissionHolders }
}
export type UserGroupAddMembersEvent = {
  id: number
  type: "user_group"
  op: "add_members"
  group_id: number
  user_ids: readonly number[]
}
export type UserGroupAddSubgroupsEvent = {
  id: number
  type: "user_group"
  op: "add_subgroups"
  group_id: number
  direct_subgroup_ids: readonly number[]
}
export type UserGroupRemoveEvent = {
  id: number
  type: "user_group"
  op: "remove"
  group_id: number
}
export type UserGroupRemoveMembersEvent = {
  id: number
  type: "user_group"
  op: "remove_members"
  group_id: number
  user_ids: readonly number[]
}
export type UserGroupRemoveSubgroupsEvent = {
  id: number
  type: "user_group"
  op: "remove_subgroups"
  group_id: number
  direct_subgroup_ids: readonly number[]
}
export type UserGroupUpdateEvent = {
  id: number
  type: "user_group"
  op: "update"
  group_id: number
  data: { name?: string; description?: string; deactivated?: boolean; can_add_members_group?: PermissionHolders; can_join_group?: PermissionHolders; can_leave_group?: PermissionHolders; can_manage_group?: PermissionHolders; can_mention_group?: PermissionHolders; can_remove_members_group?: PermissionHolders }
}
export type UserSettings = {
  twenty_four_hour_time: boolean
  web_mark_read_on_scroll_policy: 1 | 2 | 3
  web_channel_default_view: 1 | 2 | 3 | 4
  starred_message_counts: boolean
  receives_typing_notifications: boolean
  web_suggest_update_timezone: boolean
  fluid_layout_width: boolean
  high_contrast_mode: boolean
  web_font_size_px: number
  web_line_height_percent: number
  color_scheme: 1 | 2 | 3
  translate_emoticons: boolean
  display_emoji_reaction_users: boolean
  default_language: string
  web_home_view: "recent_topics" | "inbox" | "all_messages"
  web_escape_navigates_to_home_view: boolean
  left_side_userlist: boolean
  emojiset: "google" | "google-blob" | "twitter" | "text"
  demote_inactive_streams: 1 | 2 | 3
  user_list_style: 1 | 2 | 3
  web_animate_image_previews: "always" | "on_hover" | "never"
  web_stream_unreads_count_display_policy: 1 | 2 | 3
  hide_ai_features: boolean
  web_left_sidebar_show_channel_folders: boolean
  web_left_sidebar_unreads_count_summary: boolean
  timezone: string
  enter_sends: boolean
  enable_drafts_synchronization: boolean
  enable_stream_desktop_notifications: boolean
  enable_stream_email_notifications: boolean
  enable_stream_push_notifications: boolean
  enable_stream_audible_notifications: boolean
  enable_followed_topic_desktop_notifications: boolean
  enable_followed_topic_email_notifications: boolean
  enable_followed_topic_push_notifications: boolean
  enable_followed_topic_audible_notifications: boolean
  enable_followed_topic_wildcard_mentions_notify: boolean
  notification_sound: string
  enable_desktop_notifications: boolean
  enable_sounds: boolean
  email_notifications_batching_period_seconds: number
  enable_offline_email_notifications: boolean
  enable_offline_push_notifications: boolean
  enable_online_push_notifications: boolean
  enable_digest_emails: boolean
  enable_marketing_emails: boolean
  enable_login_emails: boolean
  message_content_in_email_notifications: boolean
  pm_content_in_desktop_notifications: boolean
  wildcard_mentions_notify: boolean
  desktop_icon_count_display: 1 | 2 | 3 | 4
  realm_name_in_email_notifications_policy: 1 | 2 | 3
  automatically_follow_topics_policy: 1 | 2 | 3 | 4
  automatically_unmute_topics_in_muted_streams_policy: 1 | 2 | 3 | 4
  automatically_follow_topics_where_mentioned: boolean
  resolved_topic_notice_auto_read_policy: "always" | "except_followed" | "never"
  presence_enabled: boolean
  available_notification_sounds: readonly string[]
  emojiset_choices: readonly ({ key: string; text: string })[]
  send_private_typing_notifications: boolean
  send_stream_typing_notifications: boolean
  send_read_receipts: boolean
  allow_private_data_export: boolean
  email_address_visibility: 1 | 2 | 3 | 4 | 5
  web_navigate_to_sent_message: boolean
}
export type UserSettingsUpdateEvent = { id: number; type: "user_settings"; op: "update"; property: "twenty_four_hour_time"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "web_mark_read_on_scroll_policy"; value: 1 | 2 | 3 } | { id: number; type: "user_settings"; op: "update"; property: "web_channel_default_view"; value: 1 | 2 | 3 | 4 } | { id: number; type: "user_settings"; op: "update"; property: "starred_message_counts"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "receives_typing_notifications"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "web_suggest_update_timezone"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "fluid_layout_width"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "high_contrast_mode"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "web_font_size_px"; value: number } | { id: number; type: "user_settings"; op: "update"; property: "web_line_height_percent"; value: number } | { id: number; type: "user_settings"; op: "update"; property: "color_scheme"; value: 1 | 2 | 3 } | { id: number; type: "user_settings"; op: "update"; property: "translate_emoticons"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "display_emoji_reaction_users"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "default_language"; value: string; language_name: string } | { id: number; type: "user_settings"; op: "update"; property: "web_home_view"; value: "recent_topics" | "inbox" | "all_messages" } | { id: number; type: "user_settings"; op: "update"; property: "web_escape_navigates_to_home_view"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "left_side_userlist"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "emojiset"; value: "google" | "google-blob" | "twitter" | "text" } | { id: number; type: "user_settings"; op: "update"; property: "demote_inactive_streams"; value: 1 | 2 | 3 } | { id: number; type: "user_settings"; op: "update"; property: "user_list_style"; value: 1 | 2 | 3 } | { id: number; type: "user_settings"; op: "update"; property: "web_animate_image_previews"; value: "always" | "on_hover" | "never" } | { id: number; type: "user_settings"; op: "update"; property: "web_stream_unreads_count_display_policy"; value: 1 | 2 | 3 } | { id: number; type: "user_settings"; op: "update"; property: "hide_ai_features"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "web_left_sidebar_show_channel_folders"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "web_left_sidebar_unreads_count_summary"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "timezone"; value: string } | { id: number; type: "user_settings"; op: "update"; property: "enter_sends"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "enable_drafts_synchronization"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "enable_stream_desktop_notifications"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "enable_stream_email_notifications"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "enable_stream_push_notifications"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "enable_stream_audible_notifications"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "enable_followed_topic_desktop_notifications"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "enable_followed_topic_email_notifications"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "enable_followed_topic_push_notifications"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "enable_followed_topic_audible_notifications"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "enable_followed_topic_wildcard_mentions_notify"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "notification_sound"; value: string } | { id: number; type: "user_settings"; op: "update"; property: "enable_desktop_notifications"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "enable_sounds"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "email_notifications_batching_period_seconds"; value: number } | { id: number; type: "user_settings"; op: "update"; property: "enable_offline_email_notifications"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "enable_offline_push_notifications"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "enable_online_push_notifications"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "enable_digest_emails"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "enable_marketing_emails"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "enable_login_emails"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "message_content_in_email_notifications"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "pm_content_in_desktop_notifications"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "wildcard_mentions_notify"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "desktop_icon_count_display"; value: 1 | 2 | 3 | 4 } | { id: number; type: "user_settings"; op: "update"; property: "realm_name_in_email_notifications_policy"; value: 1 | 2 | 3 } | { id: number; type: "user_settings"; op: "update"; property: "automatically_follow_topics_policy"; value: 1 | 2 | 3 | 4 } | { id: number; type: "user_settings"; op: "update"; property: "automatically_unmute_topics_in_muted_streams_policy"; value: 1 | 2 | 3 | 4 } | { id: number; type: "user_settings"; op: "update"; property: "automatically_follow_topics_where_mentioned"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "resolved_topic_notice_auto_read_policy"; value: "always" | "except_followed" | "never" } | { id: number; type: "user_settings"; op: "update"; property: "presence_enabled"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "available_notification_sounds"; value: readonly string[] } | { id: number; type: "user_settings"; op: "update"; property: "emojiset_choices"; value: readonly ({ key: string; text: string })[] } | { id: number; type: "user_settings"; op: "update"; property: "send_private_typing_notifications"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "send_stream_typing_notifications"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "send_read_receipts"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "allow_private_data_export"; value: boolean } | { id: number; type: "user_settings"; op: "update"; property: "email_address_visibility"; value: 1 | 2 | 3 | 4 | 5 } | { id: number; type: "user_settings"; op: "update"; property: "web_navigate_to_sent_message"; value: boolean }
export type UserStatus = { away?: true; status_text?: string } | { away?: true; status_text?: string; emoji_name: string; emoji_code: string; reaction_type: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji" }
export type UserStatusEvent = { id: number; type: "user_status"; user_id: number; away?: boolean; status_text?: string } | { id: number; type: "user_status"; user_id: number; away?: boolean; status_text?: string; emoji_name: string; emoji_code: string; reaction_type: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji" } | { id: number; type: "user_status"; user_id: number; away?: boolean; status_text?: string; emoji_name: ""; emoji_code: ""; reaction_type: "unicode_emoji" }
export type UserTopicEvent = {
  id: number
  type: "user_topic"
  stream_id: number
  topic_name: string
  last_updated: number
  visibility_policy: 0 | 1 | 2 | 3
}

export interface Operations {
  /** Exchanges a name, mostly an email address, and a password for the account's API key. */
  "POST /fetch_api_key": {
    params: { username: string; password: string }
    reply: { ignored_parameters_unsupported?: readonly string[]; api_key: string; email: string; user_id: number }
    error: CodeOfAll | "AUTHENTICATION_FAILED" | "NONEXISTENT_SUBDOMAIN" | "PASSWORD_AUTH_DISABLED" | "PASSWORD_RESET_REQUIRED" | "REALM_DEACTIVATED" | "REQUEST_VARIABLE_MISSING" | "USER_DEACTIVATED"
  }
  /** In development mode only: an account's API key without its password. */
  "POST /dev_fetch_api_key": {
    params: { username: string }
    reply: { ignored_parameters_unsupported?: readonly string[]; api_key: string; email: string; user_id: number }
    error: CodeOfAll | "AUTHENTICATION_FAILED" | "NONEXISTENT_SUBDOMAIN" | "REALM_DEACTIVATED" | "REQUEST_VARIABLE_MISSING" | "USER_DEACTIVATED"
  }
  /** In development mode only: the accounts for which dev_fetch_api_key hands out a key. */
  "GET /dev_list_users": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; direct_admins: readonly ({ email: string; realm_url: string })[]; direct_users: readonly ({ email: string; realm_url: string })[] }
    error: CodeOfAll | "NONEXISTENT_SUBDOMAIN"
  }
  /** Makes a new API key; the old one is no longer valid. */
  "POST /users/me/api_key/regenerate": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; api_key: string }
    error: CodeOfAll | CodeOfSigned
  }
  /** Sends a message to a channel or to people. */
  "POST /messages": {
    params: { type: "direct" | "channel" | "stream" | "private"; to: string | number | readonly (string | number)[]; content: string; topic?: string; queue_id?: string; local_id?: string; read_by_sender?: boolean; widget_content?: { widget_type: "zform"; extra_data: { type: "choices"; heading: string; choices: readonly ({ short_name: string; long_name: string; reply: string; type?: string })[] } } }
    reply: { ignored_parameters_unsupported?: readonly string[]; id: number; automatic_new_visibility_policy?: 2 | 3 }
    error: CodeOfAll | CodeOfSigned | "REQUEST_CONFUSING_VAR" | "REQUEST_VARIABLE_MISSING" | "STREAM_DOES_NOT_EXIST"
  }
  /** Messages around an anchor, or with given ids, that match a narrow. */
  "GET /messages": {
    params: { anchor?: string; anchor_date?: string; use_first_unread_anchor?: boolean; include_anchor?: boolean; num_before?: number; num_after?: number; message_ids?: readonly number[]; narrow?: readonly ({ operator: string; operand: string | number | readonly number[]; negated?: boolean | null } | readonly string[])[]; apply_markdown?: boolean; client_gravatar?: boolean; allow_empty_topic_name?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[]; messages: readonly Message[]; found_anchor: boolean; found_oldest: boolean; found_newest: boolean; history_limited: false; anchor: number | null }
    error: CodeOfAll | CodeOfSigned | "BAD_NARROW" | "REQUEST_VARIABLE_MISSING"
  }
  /** Renders a message without sending it. */
  "POST /messages/render": {
    params: { content: string }
    reply: { ignored_parameters_unsupported?: readonly string[]; rendered: string }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Takes what another service tells by its web hook, and sends it as a message. */
  "POST /external/{integration}": {
    params: { integration: string; stream?: string; topic?: string; only_events?: readonly string[]; exclude_events?: readonly string[]; description?: string; desc?: string; name?: string }
    reply: { ignored_parameters_unsupported?: readonly string[]; id?: number; ignored_event?: string; ignored_reason?: string; ok?: true }
    error: CodeOfAll | CodeOfSigned | "INVALID_API_KEY" | "INVALID_JSON" | "REALM_DEACTIVATED" | "STREAM_DOES_NOT_EXIST" | "USER_DEACTIVATED"
  }
  /** Which of some messages match a narrow. */
  "GET /messages/matches_narrow": {
    params: { msg_ids: readonly number[]; narrow: readonly ({ operator: string; operand: string | number | readonly number[]; negated?: boolean | null } | readonly string[])[] }
    reply: { ignored_parameters_unsupported?: readonly string[]; messages: { [key: string]: { match_content: string; match_subject: string } } }
    error: CodeOfAll | CodeOfSigned | "BAD_NARROW" | "REQUEST_VARIABLE_MISSING"
  }
  /** One message, and what its sender typed. */
  "GET /messages/{message_id}": {
    params: { message_id: number; apply_markdown?: boolean; allow_empty_topic_name?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[]; message: Message; raw_content: string }
    error: CodeOfAll | CodeOfSigned
  }
  /** Edits a message, or moves it or its whole topic to another topic or channel. */
  "PATCH /messages/{message_id}": {
    params: { message_id: number; content?: string; topic?: string; propagate_mode?: "change_one" | "change_later" | "change_all"; send_notification_to_old_thread?: boolean; send_notification_to_new_thread?: boolean; stream_id?: number; prev_content_sha256?: string }
    reply: { ignored_parameters_unsupported?: readonly string[]; detached_uploads: readonly Attachment[] }
    error: CodeOfAll | CodeOfSigned | "EXPECTATION_MISMATCH" | "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED" | "REQUEST_CONFUSING_VAR" | "STREAM_WILDCARD_MENTION_NOT_ALLOWED" | "TOPIC_WILDCARD_MENTION_NOT_ALLOWED"
  }
  /** Deletes a message. */
  "DELETE /messages/{message_id}": {
    params: { message_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** The topics of a channel, those with the newest messages first. */
  "GET /users/me/{stream_id}/topics": {
    params: { stream_id: number; allow_empty_topic_name?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[]; topics: readonly Topic[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Adds a personal flag to messages, or removes it. */
  "POST /messages/flags": {
    params: { messages: readonly number[]; op: string; flag: string }
    reply: { ignored_parameters_unsupported?: readonly string[]; messages: readonly number[]; ignored_because_not_subscribed_channels: readonly number[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Adds a personal flag to the messages around an anchor that match a narrow, or removes it. */
  "POST /messages/flags/narrow": {
    params: { anchor: string; include_anchor?: boolean; num_before: number; num_after: number; narrow?: readonly ({ operator: string; operand: string | number | readonly number[]; negated?: boolean | null } | readonly string[])[]; op: string; flag: string }
    reply: { ignored_parameters_unsupported?: readonly string[]; processed_count: number; updated_count: number; first_processed_id: number | null; last_processed_id: number | null; found_oldest: boolean; found_newest: boolean; ignored_because_not_subscribed_channels: readonly number[] }
    error: CodeOfAll | CodeOfSigned | "BAD_NARROW" | "REQUEST_VARIABLE_MISSING"
  }
  /** Marks all of the requester's messages as read. */
  "POST /mark_all_as_read": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; complete: true }
    error: CodeOfAll | CodeOfSigned
  }
  /** Marks the requester's messages in a channel as read. */
  "POST /mark_stream_as_read": {
    params: { stream_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Marks the requester's messages in a topic as read. */
  "POST /mark_topic_as_read": {
    params: { stream_id: number; topic_name: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Uploads a file: the one file of a form, in a field of any name. */
  "POST /user_uploads": {
    params: { file: Blob }
    reply: { ignored_parameters_unsupported?: readonly string[]; uri: string; url: string; filename: string }
    error: CodeOfAll | CodeOfSigned
  }
  /** The requester's uploaded files, oldest first, and how much space all files of the organization take. */
  "GET /attachments": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; attachments: readonly Attachment[]; upload_space_used: number }
    error: CodeOfAll | CodeOfSigned
  }
  /** Deletes one of the requester's uploaded files. Messages that link it stay. */
  "DELETE /attachments/{attachment_id}": {
    params: { attachment_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** An address at which an uploaded file can be fetched without a signature for a minute. */
  "GET /user_uploads/{realm_id_str}/{shard}/{token}/{filename}": {
    params: { realm_id_str: string; shard: string; token: string; filename: string }
    reply: { ignored_parameters_unsupported?: readonly string[]; url: string }
    error: CodeOfAll | CodeOfSigned
  }
  /** Reacts to a message with an emoji. */
  "POST /messages/{message_id}/reactions": {
    params: { message_id: number; emoji_name: string; emoji_code?: string; reaction_type?: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REACTION_ALREADY_EXISTS" | "REQUEST_VARIABLE_MISSING"
  }
  /** Takes a reaction to a message back. */
  "DELETE /messages/{message_id}/reactions": {
    params: { message_id: number; emoji_name?: string; emoji_code?: string; reaction_type?: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REACTION_DOES_NOT_EXIST"
  }
  /** Takes part in a poll or a to-do list. */
  "POST /submessage": {
    params: { message_id: number; content: string; msg_type: "widget" }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** All versions of a message. */
  "GET /messages/{message_id}/history": {
    params: { message_id: number; allow_empty_topic_name?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[]; message_history: readonly ({ user_id: number | null; timestamp: number; prev_content?: string; prev_rendered_content?: string; prev_topic?: string; topic: string; prev_stream?: number; stream?: number; content: string; rendered_content: string; content_html_diff?: string })[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Who has read a message. */
  "GET /messages/{message_id}/read_receipts": {
    params: { message_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[]; user_ids: readonly (number | "Infinity" | "-Infinity" | "NaN")[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Reports a message to the organization's moderators. */
  "POST /messages/{message_id}/report": {
    params: { message_id: number; report_type: "spam" | "harassment" | "inappropriate" | "norms" | "other"; description?: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Deletes the messages of a topic. */
  "POST /streams/{stream_id}/delete_topic": {
    params: { stream_id: number; topic_name: string }
    reply: { ignored_parameters_unsupported?: readonly string[]; complete: true }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Tells the others in a conversation that the requester has started or stopped typing. */
  "POST /typing": {
    params: { type?: "direct" | "stream" | "channel"; op: "start" | "stop"; to?: readonly number[]; stream_id?: number; topic?: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Tells those who hold a message that its sender has started or stopped typing a new content of it. */
  "POST /messages/{message_id}/typing": {
    params: { message_id: number; op: "start" | "stop" }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Tells those who hold a message that its sender has started or stopped typing a new content of it. */
  "POST /message_edit_typing": {
    params: { message_id: number; op: "start" | "stop" }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** The requester's saved snippets, oldest first. */
  "GET /saved_snippets": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; saved_snippets: readonly SavedSnippet[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Saves a snippet. */
  "POST /saved_snippets": {
    params: { title: string; content: string }
    reply: { ignored_parameters_unsupported?: readonly string[]; saved_snippet_id: number }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Removes a saved snippet. */
  "DELETE /saved_snippets/{saved_snippet_id}": {
    params: { saved_snippet_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Changes a saved snippet's title or content. */
  "PATCH /saved_snippets/{saved_snippet_id}": {
    params: { saved_snippet_id: number; title?: string; content?: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** The requester's drafts, the one edited longest ago first. */
  "GET /drafts": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; count: number; drafts: readonly Draft[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Keeps drafts, all of them or none. */
  "POST /drafts": {
    params: { drafts: readonly Draft2[] }
    reply: { ignored_parameters_unsupported?: readonly string[]; ids: readonly number[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Removes a draft. */
  "DELETE /drafts/{draft_id}": {
    params: { draft_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Replaces a draft. */
  "PATCH /drafts/{draft_id}": {
    params: { draft_id: number; draft: Draft2 }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** The requester's scheduled messages, the earliest first. */
  "GET /scheduled_messages": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; scheduled_messages: readonly ScheduledMessage[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Has a message sent later. */
  "POST /scheduled_messages": {
    params: { type: "direct" | "channel" | "stream" | "private"; to: number | readonly number[]; content: string; topic?: string; scheduled_delivery_timestamp: number; read_by_sender?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[]; scheduled_message_id: number }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING" | "STREAM_DOES_NOT_EXIST"
  }
  /** Changes a message that is to be sent later. */
  "PATCH /scheduled_messages/{scheduled_message_id}": {
    params: { scheduled_message_id: number; type?: "direct" | "channel" | "stream" | "private"; to?: number | readonly number[]; content?: string; topic?: string; scheduled_delivery_timestamp?: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "STREAM_DOES_NOT_EXIST"
  }
  /** Removes a message that is to be sent later. */
  "DELETE /scheduled_messages/{scheduled_message_id}": {
    params: { scheduled_message_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** The requester's reminders, the earliest first. */
  "GET /reminders": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; reminders: readonly Reminder[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Has the requester reminded of a message. */
  "POST /reminders": {
    params: { message_id: number; scheduled_delivery_timestamp: number; note?: string }
    reply: { ignored_parameters_unsupported?: readonly string[]; reminder_id: number }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Removes a reminder. */
  "DELETE /reminders/{reminder_id}": {
    params: { reminder_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** The requester's alert words. */
  "GET /users/me/alert_words": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; alert_words: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Adds alert words. Words that differ from one of them only in case are left out. */
  "POST /users/me/alert_words": {
    params: { alert_words: readonly string[] }
    reply: { ignored_parameters_unsupported?: readonly string[]; alert_words: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Removes alert words, whatever their case. Those that the requester does not have are ignored. */
  "DELETE /users/me/alert_words": {
    params: { alert_words: readonly string[] }
    reply: { ignored_parameters_unsupported?: readonly string[]; alert_words: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Mutes, unmutes or follows a topic, or takes that back. */
  "POST /user_topics": {
    params: { stream_id: number; topic: string; visibility_policy: 0 | 1 | 2 | 3 }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Mutes a topic, or takes that back; an older form of POST /user_topics. */
  "PATCH /users/me/subscriptions/muted_topics": {
    params: { stream_id?: number; stream?: string; topic: string; op: "add" | "remove" }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Mutes a user, and marks their messages as read. */
  "POST /users/me/muted_users/{muted_user_id}": {
    params: { muted_user_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Takes the muting of a user back. */
  "DELETE /users/me/muted_users/{muted_user_id}": {
    params: { muted_user_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Registers an Apple device of the requester for pushes. */
  "POST /users/me/apns_device_token": {
    params: { token: string; appid: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Ends the registration of an Apple device of the requester. */
  "DELETE /users/me/apns_device_token": {
    params: { token: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Registers an Android device of the requester for pushes. */
  "POST /users/me/android_gcm_reg_id": {
    params: { token: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Ends the registration of an Android device of the requester. */
  "DELETE /users/me/android_gcm_reg_id": {
    params: { token: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** The views in the requester's navigation, oldest first. */
  "GET /navigation_views": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; navigation_views: readonly NavigationView[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Keeps a view in the requester's navigation. */
  "POST /navigation_views": {
    params: { fragment: string; is_pinned: boolean; name?: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Pins a view in the requester's navigation, or names it otherwise. */
  "PATCH /navigation_views/{fragment}": {
    params: { fragment: string; is_pinned?: boolean; name?: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Takes a view out of the requester's navigation. */
  "DELETE /navigation_views/{fragment}": {
    params: { fragment: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Says that the requester has been told of something that clients tell once. */
  "POST /users/me/onboarding_steps": {
    params: { onboarding_step: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** The channel folders, in their order. */
  "GET /channel_folders": {
    params: { include_archived?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[]; channel_folders: readonly ChannelFolder[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Changes the order of the channel folders. */
  "PATCH /channel_folders": {
    params: { order: readonly number[] }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING" | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Makes a channel folder, the last in order. */
  "POST /channel_folders/create": {
    params: { name: string; description?: string }
    reply: { ignored_parameters_unsupported?: readonly string[]; channel_folder_id: number }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING" | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Renames, describes, archives or restores a channel folder. */
  "PATCH /channel_folders/{channel_folder_id}": {
    params: { channel_folder_id: number; name?: string; description?: string; is_archived?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Lists the channels that the requester may know of; to a visitor, those that are open to the web. */
  "GET /streams": {
    params: { include_public?: boolean; include_web_public?: boolean; include_subscribed?: boolean; include_all?: boolean; include_default?: boolean; include_owner_subscribed?: boolean; include_can_access_content?: boolean; exclude_archived?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[]; streams: readonly ListedChannel[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_CONFUSING_VAR"
  }
  /** The id of a channel, by its name. */
  "GET /get_stream_id": {
    params: { stream: string }
    reply: { ignored_parameters_unsupported?: readonly string[]; stream_id: number }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** One channel, archived or not. */
  "GET /streams/{stream_id}": {
    params: { stream_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[]; stream: Channel }
    error: CodeOfAll | CodeOfSigned
  }
  /** Changes a channel, or unarchives it. */
  "PATCH /streams/{stream_id}": {
    params: { stream_id: number; new_name?: string; description?: string; is_private?: boolean; is_web_public?: boolean; history_public_to_subscribers?: boolean; is_default_stream?: boolean; is_archived?: boolean; message_retention_days?: number | string; folder_id?: number | null; topics_policy?: TopicsPolicy; can_add_subscribers_group?: CanCreateGroups; can_administer_channel_group?: CanCreateGroups; can_delete_any_message_group?: CanCreateGroups; can_delete_own_message_group?: CanCreateGroups; can_move_messages_out_of_channel_group?: CanCreateGroups; can_move_messages_within_channel_group?: CanCreateGroups; can_remove_subscribers_group?: CanCreateGroups; can_resolve_topics_group?: CanCreateGroups; can_send_message_group?: CanCreateGroups; can_subscribe_group?: CanCreateGroups }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "CHANNEL_ALREADY_EXISTS" | "EXPECTATION_MISMATCH" | "REQUEST_VARIABLE_INVALID" | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Archives a channel; its messages and subscriptions stay. */
  "DELETE /streams/{stream_id}": {
    params: { stream_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Who is subscribed to a channel. */
  "GET /streams/{stream_id}/members": {
    params: { stream_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[]; subscribers: readonly number[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Whether a user is subscribed to a channel. */
  "GET /users/{user_id}/subscriptions/{stream_id}": {
    params: { user_id: number; stream_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[]; is_subscribed: boolean }
    error: CodeOfAll | CodeOfSigned
  }
  /** A channel's email address; always refused, because this server receives no mail. */
  "GET /streams/{stream_id}/email_address": {
    params: { stream_id: number; sender_id?: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Makes a channel a default channel: new users are subscribed to it. */
  "POST /default_streams": {
    params: { stream_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING" | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Removes a channel from the default channels. */
  "DELETE /default_streams": {
    params: { stream_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING" | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Makes a default channel group, to which new users can be subscribed together. */
  "POST /default_stream_groups/create": {
    params: { group_name: string; description: string; stream_ids?: readonly number[]; stream_names?: readonly string[] }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING" | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Changes the name or the description of a default channel group. */
  "PATCH /default_stream_groups/{group_id}": {
    params: { group_id: number; new_group_name?: string; new_description?: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Removes a default channel group; the channels stay. */
  "DELETE /default_stream_groups/{group_id}": {
    params: { group_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Adds channels to a default channel group, or removes them from it. */
  "PATCH /default_stream_groups/{group_id}/streams": {
    params: { group_id: number; op: "add" | "remove"; stream_ids?: readonly number[]; stream_names?: readonly string[] }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING" | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Lists the requester's channels with their own settings. */
  "GET /users/me/subscriptions": {
    params: { include_subscribers?: boolean | "partial" }
    reply: { ignored_parameters_unsupported?: readonly string[]; subscriptions: readonly Subscription[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Subscribes the requester or others to channels, making those that do not exist. */
  "POST /users/me/subscriptions": {
    params: { subscriptions: readonly ({ name: string; description?: string; color?: string })[]; principals?: readonly number[] | readonly string[]; authorization_errors_fatal?: boolean; announce?: boolean; send_new_subscription_messages?: boolean; invite_only?: boolean; is_web_public?: boolean; is_default_stream?: boolean; history_public_to_subscribers?: boolean; message_retention_days?: number | string; folder_id?: number; topics_policy?: TopicsPolicy; can_add_subscribers_group?: GroupSetting2; can_administer_channel_group?: GroupSetting2; can_delete_any_message_group?: GroupSetting2; can_delete_own_message_group?: GroupSetting2; can_move_messages_out_of_channel_group?: GroupSetting2; can_move_messages_within_channel_group?: GroupSetting2; can_remove_subscribers_group?: GroupSetting2; can_resolve_topics_group?: GroupSetting2; can_send_message_group?: GroupSetting2; can_subscribe_group?: GroupSetting2 }
    reply: { ignored_parameters_unsupported?: readonly string[]; subscribed: { [key: string]: readonly string[] }; already_subscribed: { [key: string]: readonly string[] }; unauthorized?: readonly string[]; new_subscription_messages_sent?: boolean }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_INVALID" | "REQUEST_VARIABLE_MISSING" | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Unsubscribes the requester or others from channels. */
  "DELETE /users/me/subscriptions": {
    params: { subscriptions: readonly string[]; principals?: readonly number[] | readonly string[] }
    reply: { ignored_parameters_unsupported?: readonly string[]; removed: readonly string[]; not_removed: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING" | "STREAM_DOES_NOT_EXIST"
  }
  /** Subscribes the requester to channels, then unsubscribes them from others. */
  "PATCH /users/me/subscriptions": {
    params: { add?: readonly ({ name: string; description?: string; color?: string })[]; delete?: readonly string[] }
    reply: { ignored_parameters_unsupported?: readonly string[]; subscribed: { [key: string]: readonly string[] }; already_subscribed: { [key: string]: readonly string[] }; removed: readonly string[]; not_removed: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "STREAM_DOES_NOT_EXIST"
  }
  /** The channels that a user is subscribed to, as far as the requester may know of them. */
  "GET /users/{user_id}/channels": {
    params: { user_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[]; subscribed_channel_ids: readonly number[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Changes the requester's own settings for channels. */
  "POST /users/me/subscriptions/properties": {
    params: { subscription_data: readonly ({ stream_id: number; property: string; value: unknown })[] }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Changes one of the requester's own settings for a channel. */
  "PATCH /users/me/subscriptions/{stream_id}": {
    params: { stream_id: number; property: string; value: unknown }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Makes a channel with its first subscribers. */
  "POST /channels/create": {
    params: { name: string; description?: string; subscribers: readonly number[]; announce?: boolean; send_new_subscription_messages?: boolean; invite_only?: boolean; is_web_public?: boolean; is_default_stream?: boolean; history_public_to_subscribers?: boolean; message_retention_days?: number | string; folder_id?: number; topics_policy?: TopicsPolicy; can_add_subscribers_group?: GroupSetting2; can_administer_channel_group?: GroupSetting2; can_delete_any_message_group?: GroupSetting2; can_delete_own_message_group?: GroupSetting2; can_move_messages_out_of_channel_group?: GroupSetting2; can_move_messages_within_channel_group?: GroupSetting2; can_remove_subscribers_group?: GroupSetting2; can_resolve_topics_group?: GroupSetting2; can_send_message_group?: GroupSetting2; can_subscribe_group?: GroupSetting2 }
    reply: { ignored_parameters_unsupported?: readonly string[]; id: number }
    error: CodeOfAll | CodeOfSigned | "CHANNEL_ALREADY_EXISTS" | "REQUEST_VARIABLE_INVALID" | "REQUEST_VARIABLE_MISSING" | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Lists the user groups. */
  "GET /user_groups": {
    params: { include_deactivated_groups?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[]; user_groups: readonly UserGroup[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Makes a user group. */
  "POST /user_groups/create": {
    params: { name: string; description: string; members: readonly number[]; subgroups?: readonly number[]; can_add_members_group?: GroupSetting2; can_join_group?: GroupSetting2; can_leave_group?: GroupSetting2; can_manage_group?: GroupSetting2; can_mention_group?: GroupSetting2; can_remove_members_group?: GroupSetting2 }
    reply: { ignored_parameters_unsupported?: readonly string[]; group_id: number }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING" | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Changes a user group, or reactivates it. */
  "PATCH /user_groups/{user_group_id}": {
    params: { user_group_id: number; name?: string; description?: string; deactivated?: boolean; can_add_members_group?: CanCreateGroups; can_join_group?: CanCreateGroups; can_leave_group?: CanCreateGroups; can_manage_group?: CanCreateGroups; can_mention_group?: CanCreateGroups; can_remove_members_group?: CanCreateGroups }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "EXPECTATION_MISMATCH"
  }
  /** Deactivates a user group. */
  "POST /user_groups/{user_group_id}/deactivate": {
    params: { user_group_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "CANNOT_DEACTIVATE_GROUP_IN_USE"
  }
  /** The members of a user group, and of its subgroups. */
  "GET /user_groups/{user_group_id}/members": {
    params: { user_group_id: number; direct_member_only?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[]; members: readonly number[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Adds members and subgroups to a user group, and removes some. */
  "POST /user_groups/{user_group_id}/members": {
    params: { user_group_id: number; add?: readonly number[]; delete?: readonly number[]; add_subgroups?: readonly number[]; delete_subgroups?: readonly number[] }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Whether a user is a member of a user group, or of one of its subgroups. */
  "GET /user_groups/{user_group_id}/members/{user_id}": {
    params: { user_group_id: number; user_id: number; direct_member_only?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[]; is_user_group_member: boolean }
    error: CodeOfAll | CodeOfSigned
  }
  /** The subgroups of a user group, direct or indirect ones. */
  "GET /user_groups/{user_group_id}/subgroups": {
    params: { user_group_id: number; direct_subgroup_only?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[]; subgroups: readonly number[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Adds subgroups to a user group, and removes some. */
  "POST /user_groups/{user_group_id}/subgroups": {
    params: { user_group_id: number; add?: readonly number[]; delete?: readonly number[] }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Changes what the requester has in profile fields; an empty value is none. */
  "PATCH /users/me/profile_data": {
    params: { data: readonly ({ id: number; value?: string | readonly number[] | null })[] }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Takes away what the requester has in some profile fields. */
  "DELETE /users/me/profile_data": {
    params: { data: readonly number[] }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Tells that the requester is there, and answers who else is. */
  "POST /users/me/presence": {
    params: { status: string; ping_only?: boolean; new_user_input?: boolean; slim_presence?: boolean; last_update_id?: number; history_limit_days?: number }
    reply: { ignored_parameters_unsupported?: readonly string[] } | { ignored_parameters_unsupported?: readonly string[]; presences: Presences; presence_last_update_id: number; server_timestamp: number }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Who was there in the last two weeks. */
  "GET /realm/presence": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; presences: { [key: string]: { aggregated: { client: "website"; status: "active" | "idle"; timestamp: number }; website: ClientPresence } }; server_timestamp: number }
    error: CodeOfAll | CodeOfSigned
  }
  /** When a user was last there, and whether they are. */
  "GET /users/{user_id_or_email}/presence": {
    params: { user_id_or_email: string }
    reply: { ignored_parameters_unsupported?: readonly string[]; presence: { aggregated: Website; website: Website } }
    error: CodeOfAll | CodeOfSigned
  }
  /** Everybody in the organization, bots and deactivated people too. */
  "GET /users": {
    params: { client_gravatar?: boolean; include_custom_profile_fields?: boolean; user_ids?: readonly number[] }
    reply: { ignored_parameters_unsupported?: readonly string[]; members: readonly User[] | readonly ({ user_id: number; email: string; delivery_email: null; full_name: string; date_joined: string; is_owner: boolean; is_admin: boolean; is_guest: boolean; role: 100 | 200 | 300 | 400 | 600; avatar_url: string; avatar_version: number; is_bot: false; bot_type: null; is_active: boolean } | { user_id: number; email: string; delivery_email: null; full_name: string; date_joined: string; is_owner: boolean; is_admin: boolean; is_guest: boolean; role: 100 | 200 | 300 | 400 | 600; avatar_url: string; avatar_version: number; is_bot: true; bot_type: 1 | 2 | 3 | 4; bot_owner_id: number | null; is_active: boolean })[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Makes a user, without asking them to confirm their address. */
  "POST /users": {
    params: { email: string; password: string; full_name: string }
    reply: { ignored_parameters_unsupported?: readonly string[]; user_id: number }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** The requester. */
  "GET /users/me": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; user_id: number; email: string; delivery_email: string; full_name: string; date_joined: string; is_owner: boolean; is_admin: boolean; is_guest: boolean; role: 100 | 200 | 300 | 400 | 600; timezone: string; avatar_url: string | "/static/images/unknown-user-avatar.png" | null; avatar_version: number; is_bot: false; is_active: true; max_message_id: number | -1; profile_data: { [key: string]: { value: string; rendered_value?: string } } } | { ignored_parameters_unsupported?: readonly string[]; user_id: number; email: string; delivery_email: string; full_name: string; date_joined: string; is_owner: boolean; is_admin: boolean; is_guest: boolean; role: 100 | 200 | 300 | 400 | 600; timezone: string; avatar_url: string | "/static/images/unknown-user-avatar.png" | null; avatar_version: number; is_bot: true; bot_type: 1 | 2 | 3 | 4; bot_owner_id: number | null; is_active: true; max_message_id: number | -1 }
    error: CodeOfAll | CodeOfSigned
  }
  /** Deactivates the requester's own account. */
  "DELETE /users/me": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "CANNOT_DEACTIVATE_LAST_USER"
  }
  /** Changes settings of the requester's own. */
  "PATCH /settings": {
    params: { twenty_four_hour_time?: boolean; web_mark_read_on_scroll_policy?: 1 | 2 | 3; web_channel_default_view?: 1 | 2 | 3 | 4; starred_message_counts?: boolean; receives_typing_notifications?: boolean; web_suggest_update_timezone?: boolean; fluid_layout_width?: boolean; high_contrast_mode?: boolean; web_font_size_px?: number; web_line_height_percent?: number; color_scheme?: 1 | 2 | 3; translate_emoticons?: boolean; display_emoji_reaction_users?: boolean; default_language?: DefaultLanguage; web_home_view?: "recent_topics" | "inbox" | "all_messages" | "recent"; web_escape_navigates_to_home_view?: boolean; left_side_userlist?: boolean; emojiset?: "google" | "google-blob" | "twitter" | "text"; demote_inactive_streams?: 1 | 2 | 3; user_list_style?: 1 | 2 | 3; web_animate_image_previews?: "always" | "on_hover" | "never"; web_stream_unreads_count_display_policy?: 1 | 2 | 3; hide_ai_features?: boolean; web_left_sidebar_show_channel_folders?: boolean; web_left_sidebar_unreads_count_summary?: boolean; enter_sends?: boolean; enable_drafts_synchronization?: boolean; enable_stream_desktop_notifications?: boolean; enable_stream_email_notifications?: boolean; enable_stream_push_notifications?: boolean; enable_stream_audible_notifications?: boolean; enable_followed_topic_desktop_notifications?: boolean; enable_followed_topic_email_notifications?: boolean; enable_followed_topic_push_notifications?: boolean; enable_followed_topic_audible_notifications?: boolean; enable_followed_topic_wildcard_mentions_notify?: boolean; notification_sound?: "zulip" | "none"; enable_desktop_notifications?: boolean; enable_sounds?: boolean; email_notifications_batching_period_seconds?: number; enable_offline_email_notifications?: boolean; enable_offline_push_notifications?: boolean; enable_online_push_notifications?: boolean; enable_digest_emails?: boolean; enable_marketing_emails?: boolean; enable_login_emails?: boolean; message_content_in_email_notifications?: boolean; pm_content_in_desktop_notifications?: boolean; wildcard_mentions_notify?: boolean; desktop_icon_count_display?: 1 | 2 | 3 | 4; realm_name_in_email_notifications_policy?: 1 | 2 | 3; automatically_follow_topics_policy?: 1 | 2 | 3 | 4; automatically_unmute_topics_in_muted_streams_policy?: 1 | 2 | 3 | 4; automatically_follow_topics_where_mentioned?: boolean; resolved_topic_notice_auto_read_policy?: "always" | "except_followed" | "never"; presence_enabled?: boolean; send_private_typing_notifications?: boolean; send_stream_typing_notifications?: boolean; send_read_receipts?: boolean; allow_private_data_export?: boolean; email_address_visibility?: 1 | 2 | 3 | 4 | 5; web_navigate_to_sent_message?: boolean; timezone?: string; full_name?: string; email?: string; old_password?: string; new_password?: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Changes what the requester's clients look like. Older clients call it; PATCH /settings takes the same. */
  "PATCH /settings/display": {
    params: { twenty_four_hour_time?: boolean; starred_message_counts?: boolean; fluid_layout_width?: boolean; high_contrast_mode?: boolean; color_scheme?: 1 | 2 | 3; translate_emoticons?: boolean; default_language?: DefaultLanguage; web_home_view?: "recent_topics" | "inbox" | "all_messages" | "recent"; left_side_userlist?: boolean; emojiset?: "google" | "google-blob" | "twitter" | "text"; demote_inactive_streams?: 1 | 2 | 3; enter_sends?: boolean; enable_drafts_synchronization?: boolean; timezone?: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Changes what the requester is notified of. Older clients call it; PATCH /settings takes the same. */
  "PATCH /settings/notifications": {
    params: { enable_stream_desktop_notifications?: boolean; enable_stream_email_notifications?: boolean; enable_stream_push_notifications?: boolean; enable_stream_audible_notifications?: boolean; notification_sound?: "zulip" | "none"; enable_desktop_notifications?: boolean; enable_sounds?: boolean; email_notifications_batching_period_seconds?: number; enable_offline_email_notifications?: boolean; enable_offline_push_notifications?: boolean; enable_online_push_notifications?: boolean; enable_digest_emails?: boolean; enable_marketing_emails?: boolean; enable_login_emails?: boolean; message_content_in_email_notifications?: boolean; pm_content_in_desktop_notifications?: boolean; wildcard_mentions_notify?: boolean; desktop_icon_count_display?: 1 | 2 | 3 | 4; presence_enabled?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Changes the settings with which new accounts begin. */
  "PATCH /realm/user_settings_defaults": {
    params: { twenty_four_hour_time?: boolean; web_mark_read_on_scroll_policy?: 1 | 2 | 3; web_channel_default_view?: 1 | 2 | 3 | 4; starred_message_counts?: boolean; receives_typing_notifications?: boolean; web_suggest_update_timezone?: boolean; fluid_layout_width?: boolean; high_contrast_mode?: boolean; web_font_size_px?: number; web_line_height_percent?: number; color_scheme?: 1 | 2 | 3; translate_emoticons?: boolean; display_emoji_reaction_users?: boolean; web_home_view?: "recent_topics" | "inbox" | "all_messages" | "recent"; web_escape_navigates_to_home_view?: boolean; left_side_userlist?: boolean; emojiset?: "google" | "google-blob" | "twitter" | "text"; demote_inactive_streams?: 1 | 2 | 3; user_list_style?: 1 | 2 | 3; web_animate_image_previews?: "always" | "on_hover" | "never"; web_stream_unreads_count_display_policy?: 1 | 2 | 3; hide_ai_features?: boolean; web_left_sidebar_show_channel_folders?: boolean; web_left_sidebar_unreads_count_summary?: boolean; enter_sends?: boolean; enable_drafts_synchronization?: boolean; enable_stream_desktop_notifications?: boolean; enable_stream_email_notifications?: boolean; enable_stream_push_notifications?: boolean; enable_stream_audible_notifications?: boolean; enable_followed_topic_desktop_notifications?: boolean; enable_followed_topic_email_notifications?: boolean; enable_followed_topic_push_notifications?: boolean; enable_followed_topic_audible_notifications?: boolean; enable_followed_topic_wildcard_mentions_notify?: boolean; notification_sound?: "zulip" | "none"; enable_desktop_notifications?: boolean; enable_sounds?: boolean; email_notifications_batching_period_seconds?: number; enable_offline_email_notifications?: boolean; enable_offline_push_notifications?: boolean; enable_online_push_notifications?: boolean; enable_digest_emails?: boolean; enable_marketing_emails?: boolean; enable_login_emails?: boolean; message_content_in_email_notifications?: boolean; pm_content_in_desktop_notifications?: boolean; wildcard_mentions_notify?: boolean; desktop_icon_count_display?: 1 | 2 | 3 | 4; realm_name_in_email_notifications_policy?: 1 | 2 | 3; automatically_follow_topics_policy?: 1 | 2 | 3 | 4; automatically_unmute_topics_in_muted_streams_policy?: 1 | 2 | 3 | 4; automatically_follow_topics_where_mentioned?: boolean; resolved_topic_notice_auto_read_policy?: "always" | "except_followed" | "never"; presence_enabled?: boolean; send_private_typing_notifications?: boolean; send_stream_typing_notifications?: boolean; send_read_receipts?: boolean; email_address_visibility?: 1 | 2 | 3 | 4 | 5; web_navigate_to_sent_message?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** A user by id, a deactivated one and a bot of the program too. Or: A user by an address that the requester may know, or by the placeholder that anybody has. */
  "GET /users/{user_id}": {
    params: { user_id: number | string; client_gravatar?: boolean; include_custom_profile_fields?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[]; user: User }
    error: CodeOfAll | CodeOfSigned
  }
  /** Changes a user's name, role, address and profile fields. Or: The same, of a user by an address that the requester may know, or by the placeholder that anybody has. */
  "PATCH /users/{user_id}": {
    params: { user_id: number | string; role?: number; full_name?: string; profile_data?: readonly ({ id: number; value?: string | readonly number[] | null })[]; new_email?: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Deactivates a user. */
  "DELETE /users/{user_id}": {
    params: { user_id: number; deactivation_notification_comment?: string; actions?: { delete_profile?: boolean; delete_public_channel_messages?: boolean; delete_private_channel_messages?: boolean; delete_direct_messages?: boolean } }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Takes a deactivated user back. */
  "POST /users/{user_id}/reactivate": {
    params: { user_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Does a command of the requester about themselves: `/ping`, `/dark`, `/light`, `/fluid-width`, `/fixed-width`. */
  "POST /zcommand": {
    params: { command: string }
    reply: { msg: string; ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Gives the requester another picture. */
  "POST /users/me/avatar": {
    params: { file: Blob }
    reply: { ignored_parameters_unsupported?: readonly string[]; avatar_url: string }
    error: CodeOfAll | CodeOfSigned
  }
  /** Takes the requester's picture away: they are shown as before they had one. */
  "DELETE /users/me/avatar": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; avatar_url: string }
    error: CodeOfAll | CodeOfSigned
  }
  /** Changes what the requester says of themselves. */
  "POST /users/me/status": {
    params: { status_text?: string; emoji_name?: string; emoji_code?: string; reaction_type?: string; away?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Changes what is said of a user, by an administrator. */
  "POST /users/{user_id}/status": {
    params: { user_id: number; status_text?: string; emoji_name?: string; emoji_code?: string; reaction_type?: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** What a user says of themselves, a deactivated one too. */
  "GET /users/{user_id}/status": {
    params: { user_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[]; status: UserStatus }
    error: CodeOfAll | CodeOfSigned
  }
  /** Invites people to the organization by mail. */
  "POST /invites": {
    params: { invitee_emails: string; stream_ids: readonly number[]; invite_expires_in_minutes?: number | null; notify_referrer_on_join?: boolean; invite_as?: 100 | 200 | 300 | 400 | 600; group_ids?: readonly number[]; include_realm_default_subscriptions?: boolean; welcome_message_custom_text?: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "INVITATION_FAILED" | "REQUEST_VARIABLE_MISSING" | "UNAUTHORIZED_PRINCIPAL"
  }
  /** The open invitations: for administrators all, but for links that give what they could not give; for others their own. */
  "GET /invites": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; invites: readonly ({ id: number; invited_by_user_id: number; invited: number; expiry_date: number | null; invited_as: 100 | 200 | 300 | 400 | 600; notify_referrer_on_join: boolean; email: string; is_multiuse: false } | { id: number; invited_by_user_id: number; invited: number; expiry_date: number | null; invited_as: 100 | 200 | 300 | 400 | 600; notify_referrer_on_join: boolean; link_url: string; is_multiuse: true })[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Revokes an invitation. */
  "DELETE /invites/{invite_id}": {
    params: { invite_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Sends an invitation again. */
  "POST /invites/{invite_id}/resend": {
    params: { invite_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "INVITATION_FAILED" | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Makes a link by which many people may join the organization. */
  "POST /invites/multiuse": {
    params: { stream_ids?: readonly number[]; invite_expires_in_minutes?: number | null; invite_as?: 100 | 200 | 300 | 400 | 600; group_ids?: readonly number[]; include_realm_default_subscriptions?: boolean; welcome_message_custom_text?: string }
    reply: { ignored_parameters_unsupported?: readonly string[]; invite_link: string }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Revokes a link by which people may join the organization. */
  "DELETE /invites/multiuse/{invite_id}": {
    params: { invite_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Sends the requester a text as Welcome Bot would send it to new accounts. */
  "POST /realm/test_welcome_bot_custom_message": {
    params: { welcome_message_custom_text: string }
    reply: { ignored_parameters_unsupported?: readonly string[]; message_id: number }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING" | "UNAUTHORIZED_PRINCIPAL"
  }
  /** The requester's own active bots, with their keys. */
  "GET /bots": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; bots: readonly ({ user_id: number; full_name: string; email: string; bot_type: 1 | 2 | 3 | 4; is_active: boolean; api_key: string; owner_id: number | null; avatar_url: string | "/static/images/unknown-user-avatar.png" | null; default_sending_stream: string | null; default_events_register_stream: string | null; default_all_public_streams: boolean; services: readonly ({ base_url: string; interface: 1 | 2; token: string })[]; username: string })[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Makes a bot that the requester owns, with the address `{short_name}-bot` at the organization's host. */
  "POST /bots": {
    params: { file?: Blob; full_name: string; short_name: string; bot_type?: number; default_sending_stream?: string; default_events_register_stream?: string; default_all_public_streams?: boolean; config_data?: { [key: string]: string }; payload_url?: string; interface_type?: number }
    reply: { ignored_parameters_unsupported?: readonly string[]; user_id: number; api_key: string; avatar_url: string | "/static/images/unknown-user-avatar.png" | null; default_sending_stream: string | null; default_events_register_stream: string | null; default_all_public_streams: boolean }
    error: CodeOfAll | CodeOfSigned | "REQUEST_CONFUSING_VAR" | "REQUEST_VARIABLE_MISSING"
  }
  /** Changes a bot: name, role, owner, picture, defaults, and the address that an outgoing webhook calls. */
  "PATCH /bots/{bot_id}": {
    params: { bot_id: number; file?: Blob; full_name?: string; role?: number; bot_owner_id?: number; default_sending_stream?: string; default_events_register_stream?: string; default_all_public_streams?: boolean; config_data?: { [key: string]: string }; service_payload_url?: string; service_interface?: number }
    reply: { ignored_parameters_unsupported?: readonly string[]; full_name: string; avatar_url: string | "/static/images/unknown-user-avatar.png" | null; service_interface: 1 | 2 | null; service_payload_url: string | null; config_data: { [key: string]: string }; default_sending_stream: string | null; default_events_register_stream: string | null; default_all_public_streams: boolean; bot_owner?: string }
    error: CodeOfAll | CodeOfSigned | "REQUEST_CONFUSING_VAR" | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Deactivates a bot. */
  "DELETE /bots/{bot_id}": {
    params: { bot_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** The API key of a bot. */
  "GET /bots/{bot_id}/api_key": {
    params: { bot_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[]; api_key: string }
    error: CodeOfAll | CodeOfSigned
  }
  /** Makes a new API key for a bot; the old one is no longer valid. */
  "POST /bots/{bot_id}/api_key/regenerate": {
    params: { bot_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[]; api_key: string }
    error: CodeOfAll | CodeOfSigned
  }
  /** What the requester has stored, all of it or under some keys. */
  "GET /bot_storage": {
    params: { keys?: readonly string[] }
    reply: { ignored_parameters_unsupported?: readonly string[]; storage: { [key: string]: string } }
    error: CodeOfAll | CodeOfSigned
  }
  /** Stores texts under keys for the requester, all or none. Other keys stay. */
  "PUT /bot_storage": {
    params: { storage: { [key: string]: string } }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING"
  }
  /** Forgets what the requester has stored, all of it or under some keys. */
  "DELETE /bot_storage": {
    params: { keys?: readonly string[] }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** The organization's own profile fields, in the order in which they are shown. */
  "GET /realm/profile_fields": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; custom_fields: readonly CustomProfileField[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Changes the order in which profile fields are shown. */
  "PATCH /realm/profile_fields": {
    params: { order: readonly number[] }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING" | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Makes a profile field, the last in order. */
  "POST /realm/profile_fields": {
    params: { field_type: number; name?: string; hint?: string; field_data?: { [key: string]: unknown }; display_in_profile_summary?: boolean; required?: boolean; editable_by_user?: boolean; use_for_user_matching?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[]; id: number }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING" | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Changes a profile field. With a choice that is taken away go the values that name it. */
  "PATCH /realm/profile_fields/{field_id}": {
    params: { field_id: number; name?: string; hint?: string; field_data?: { [key: string]: unknown }; display_in_profile_summary?: boolean; required?: boolean; editable_by_user?: boolean; use_for_user_matching?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Removes a profile field with all of its values. */
  "DELETE /realm/profile_fields/{field_id}": {
    params: { field_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** The domains to which the addresses of new accounts may be restricted. */
  "GET /realm/domains": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; domains: readonly ({ domain: string; allow_subdomains: boolean })[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Adds a domain of addresses that new accounts may have. */
  "POST /realm/domains": {
    params: { domain: string; allow_subdomains?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[]; new_domain: readonly [number, string] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING" | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Says whether addresses of subdomains count, too. */
  "PATCH /realm/domains/{domain}": {
    params: { domain: string; allow_subdomains?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Removes a domain. */
  "DELETE /realm/domains/{domain}": {
    params: { domain: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** The organization's custom emoji, those out of use included. */
  "GET /realm/emoji": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; emoji: { [key: string]: Emoji } }
    error: CodeOfAll | CodeOfSigned
  }
  /** Adds a custom emoji. */
  "POST /realm/emoji/{emoji_name}": {
    params: { emoji_name: string; file: Blob }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Takes a custom emoji out of use. */
  "DELETE /realm/emoji/{emoji_name}": {
    params: { emoji_name: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** The organization's linkifiers, in the order in which they are looked for. */
  "GET /realm/linkifiers": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; linkifiers: readonly ({ id: number; pattern: string; url_template: string })[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Changes the order in which linkifiers are looked for. */
  "PATCH /realm/linkifiers": {
    params: { ordered_linkifier_ids: readonly number[] }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING" | "UNAUTHORIZED_PRINCIPAL"
  }
  /** The organization's linkifiers for old clients, without those that they would not understand. */
  "GET /realm/filters": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; filters: readonly (readonly [string, string, number])[] }
    error: CodeOfAll | CodeOfSigned
  }
  /** Makes a linkifier, the last in order. */
  "POST /realm/filters": {
    params: { pattern: string; url_template: string }
    reply: { ignored_parameters_unsupported?: readonly string[]; id: number }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING" | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Changes a linkifier. */
  "PATCH /realm/filters/{filter_id}": {
    params: { filter_id: number; pattern: string; url_template: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING" | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Removes a linkifier. */
  "DELETE /realm/filters/{filter_id}": {
    params: { filter_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Makes a playground: a place elsewhere where clients open code of a language. */
  "POST /realm/playgrounds": {
    params: { name: string; pygments_language: string; url_template: string }
    reply: { ignored_parameters_unsupported?: readonly string[]; id: number }
    error: CodeOfAll | CodeOfSigned | "REQUEST_VARIABLE_MISSING" | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Removes a playground. */
  "DELETE /realm/playgrounds/{playground_id}": {
    params: { playground_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** The server's version and ways to sign in, and the organization that is served at this host. */
  "GET /server_settings": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; zulip_version: string; zulip_merge_base: string; zulip_feature_level: 417; authentication_methods: AuthenticationMethods2; external_authentication_methods: readonly never[]; push_notifications_enabled: boolean; is_incompatible: boolean; email_auth_enabled: boolean; require_email_format_usernames: boolean; realm_url: string; realm_uri: string; realm_name: string; realm_icon: string; realm_description: string; realm_web_public_access_enabled: boolean } | { ignored_parameters_unsupported?: readonly string[]; zulip_version: string; zulip_merge_base: string; zulip_feature_level: 417; authentication_methods: AuthenticationMethods2; external_authentication_methods: readonly never[]; push_notifications_enabled: boolean; is_incompatible: boolean; email_auth_enabled: boolean; require_email_format_usernames: boolean }
    error: CodeOfAll
  }
  /** Changes settings of the organization. */
  "PATCH /realm": {
    params: { name?: string; description?: string; waiting_period_threshold?: number; topics_policy?: "allow_empty_topic" | "disable_empty_topic"; mandatory_topics?: boolean; name_changes_disabled?: boolean; require_unique_names?: boolean; enable_spectator_access?: boolean; avatar_changes_disabled?: boolean; default_code_block_language?: string; inline_image_preview?: boolean; inline_url_embed_preview?: boolean; emails_restricted_to_domains?: boolean; new_stream_announcements_stream_id?: number; signup_announcements_stream_id?: number; moderation_request_channel_id?: number; message_retention_days?: number | string; authentication_methods?: { Email?: boolean | { enabled: boolean }; LDAP?: boolean | { enabled: boolean }; Dev?: boolean | { enabled: boolean } }; welcome_message_custom_text?: string; move_messages_within_stream_limit_seconds?: number | string; move_messages_between_streams_limit_seconds?: number | string; email_changes_disabled?: boolean; allow_message_editing?: boolean; message_content_edit_limit_seconds?: number | string; message_content_delete_limit_seconds?: number | string; message_edit_history_visibility_policy?: "all" | "moves" | "none"; allow_edit_history?: boolean; enable_read_receipts?: boolean; org_type?: OrgType; default_language?: DefaultLanguage; presence_disabled?: boolean; disallow_disposable_email_addresses?: boolean; send_welcome_emails?: boolean; video_chat_provider?: 0 | 1; jitsi_server_url?: string; giphy_rating?: 0 | 1 | 2 | 3 | 4 | 5; enable_guest_user_indicator?: boolean; enable_guest_user_dm_warning?: boolean; want_advertise_in_communities_directory?: boolean; digest_emails_enabled?: boolean; digest_weekday?: 0 | 1 | 2 | 3 | 4 | 5 | 6; message_content_allowed_in_email_notifications?: boolean; require_e2ee_push_notifications?: boolean; can_access_all_users_group?: CanCreateGroups; can_add_custom_emoji_group?: CanCreateGroups; can_add_subscribers_group?: CanCreateGroups; can_create_bots_group?: CanCreateGroups; can_create_groups?: CanCreateGroups; can_create_private_channel_group?: CanCreateGroups; can_create_public_channel_group?: CanCreateGroups; can_create_web_public_channel_group?: CanCreateGroups; can_create_write_only_bots_group?: CanCreateGroups; can_delete_any_message_group?: CanCreateGroups; can_delete_own_message_group?: CanCreateGroups; can_invite_users_group?: CanCreateGroups; can_manage_all_groups?: CanCreateGroups; can_manage_billing_group?: CanCreateGroups; can_mention_many_users_group?: CanCreateGroups; can_move_messages_between_channels_group?: CanCreateGroups; can_move_messages_between_topics_group?: CanCreateGroups; can_resolve_topics_group?: CanCreateGroups; can_set_delete_message_policy_group?: CanCreateGroups; can_set_topics_policy_group?: CanCreateGroups; can_summarize_topics_group?: CanCreateGroups; create_multiuse_invite_group?: CanCreateGroups; direct_message_initiator_group?: CanCreateGroups; direct_message_permission_group?: CanCreateGroups; invite_required?: unknown; zulip_update_announcements_stream_id?: unknown }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "EXPECTATION_MISMATCH" | "REQUEST_CONFUSING_VAR" | "REQUEST_VARIABLE_INVALID" | "SYSTEM_GROUP_REQUIRED" | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Ends the organization: nobody can sign in any more. */
  "POST /realm/deactivate": {
    params: { deletion_delay_days?: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Gives the organization another icon. */
  "POST /realm/icon": {
    params: { file: Blob }
    reply: { ignored_parameters_unsupported?: readonly string[]; icon_url: string }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Takes the organization's icon away: it has a pattern again. */
  "DELETE /realm/icon": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; icon_url: string }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Gives the organization another logo, for light or for dark themes. */
  "POST /realm/logo": {
    params: { file: Blob; night?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Takes a logo of the organization away. */
  "DELETE /realm/logo": {
    params: { night?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Has an export of the organization made; an event tells when it is there. */
  "POST /export/realm": {
    params: { export_type?: 1 | 2 }
    reply: { ignored_parameters_unsupported?: readonly string[]; id: number }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** The exports of the organization, in the order in which they were wanted. */
  "GET /export/realm": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; exports: readonly RealmExport[] }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Deletes the file of an export. */
  "DELETE /export/realm/{export_id}": {
    params: { export_id: number }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Who allows the export of what is private to them. */
  "GET /export/realm/consents": {
    params: {}
    reply: { ignored_parameters_unsupported?: readonly string[]; export_consents: readonly ({ user_id: number; consented: boolean; email_address_visibility: 1 | 2 | 3 | 4 | 5 })[] }
    error: CodeOfAll | CodeOfSigned | "UNAUTHORIZED_PRINCIPAL"
  }
  /** Opens an event queue, and answers the state that its events continue. */
  "POST /register": {
    params: { apply_markdown?: boolean; client_gravatar?: boolean; include_subscribers?: boolean | "partial"; slim_presence?: boolean; presence_history_limit_days?: number; event_types?: readonly string[]; fetch_event_types?: readonly string[]; all_public_streams?: boolean; narrow?: readonly (readonly string[])[]; client_capabilities?: { [key: string]: boolean }; idle_queue_timeout?: number | "mobile" }
    reply: { ignored_parameters_unsupported?: readonly string[]; giphy_api_key?: string; push_devices?: {}; realm_embedded_bots?: readonly never[]; realm_incoming_webhook_bots?: readonly never[]; has_zoom_token?: boolean; max_message_id?: number | -1; recent_private_conversations?: readonly ({ max_message_id: number; user_ids: readonly number[] })[]; stop_words?: readonly string[]; unread_msgs?: UnreadMessages; starred_messages?: readonly number[]; saved_snippets?: readonly SavedSnippet[]; drafts?: readonly Draft[]; scheduled_messages?: readonly ScheduledMessage[]; reminders?: readonly Reminder[]; alert_words?: readonly string[]; muted_topics?: readonly (readonly [string, string, number])[]; user_topics?: readonly ({ stream_id: number; topic_name: string; last_updated: number; visibility_policy: 1 | 2 | 3 })[]; muted_users?: readonly ({ id: number; timestamp: number })[]; navigation_views?: readonly NavigationView[]; onboarding_steps?: readonly ({ type: "one_time_notice"; name: "visibility_policy_banner" | "intro_inbox_view_modal" | "intro_recent_view_modal" | "first_stream_created_banner" | "jump_to_conversation_banner" | "non_interleaved_view_messages_fading" | "interleaved_view_messages_fading" | "intro_resolve_topic" })[]; navigation_tour_video_url?: string | null; channel_folders?: readonly ChannelFolder[]; realm_default_streams?: readonly number[]; realm_default_stream_groups?: readonly DefaultStreamGroup[]; streams?: readonly Channel[]; subscriptions?: readonly Subscription[]; unsubscribed?: readonly Subscription[]; never_subscribed?: readonly NeverSubscribed[]; realm_user_groups?: readonly UserGroup[]; presences?: Presences; presence_last_update_id?: number; server_timestamp?: number; user_settings?: UserSettings; twenty_four_hour_time?: boolean; color_scheme?: 1 | 2 | 3; default_language?: string; web_home_view?: "recent_topics" | "inbox" | "all_messages"; demote_inactive_streams?: 1 | 2 | 3; emojiset?: "google" | "google-blob" | "twitter" | "text"; enable_drafts_synchronization?: boolean; enter_sends?: boolean; fluid_layout_width?: boolean; high_contrast_mode?: boolean; left_side_userlist?: boolean; starred_message_counts?: boolean; translate_emoticons?: boolean; timezone?: string; emojiset_choices?: readonly ({ key: string; text: string })[]; desktop_icon_count_display?: 1 | 2 | 3 | 4; email_notifications_batching_period_seconds?: number; enable_desktop_notifications?: boolean; enable_digest_emails?: boolean; enable_login_emails?: boolean; enable_marketing_emails?: boolean; enable_offline_email_notifications?: boolean; enable_offline_push_notifications?: boolean; enable_online_push_notifications?: boolean; enable_sounds?: boolean; enable_stream_audible_notifications?: boolean; enable_stream_desktop_notifications?: boolean; enable_stream_email_notifications?: boolean; enable_stream_push_notifications?: boolean; message_content_in_email_notifications?: boolean; notification_sound?: string; pm_content_in_desktop_notifications?: boolean; presence_enabled?: boolean; wildcard_mentions_notify?: boolean; available_notification_sounds?: readonly string[]; realm_user_settings_defaults?: UserSettings; realm_users?: readonly RealmUser[]; realm_non_active_users?: readonly RealmUser[]; cross_realm_bots?: readonly SystemBot[]; user_id?: number; email?: string; delivery_email?: string; full_name?: string; avatar_source?: "G" | "U"; avatar_url?: string; avatar_url_medium?: string; is_admin?: boolean; is_owner?: boolean; is_moderator?: boolean; is_guest?: boolean; can_create_streams?: boolean; can_create_public_streams?: boolean; can_create_private_streams?: boolean; can_create_web_public_streams?: boolean; can_invite_others_to_realm?: boolean; user_status?: { [key: string]: UserStatus }; realm_bots?: readonly Bot[]; custom_profile_fields?: readonly CustomProfileField[]; custom_profile_field_types?: CustomProfileFieldTypes; realm_domains?: readonly ({ domain: string; allow_subdomains: boolean })[]; realm_emoji?: { [key: string]: Emoji }; realm_linkifiers?: readonly ({ id: number; pattern: string; url_template: string })[]; realm_filters?: readonly never[]; realm_playgrounds?: readonly ({ id: number; name: string; pygments_language: string; url_template: string })[]; max_stream_name_length?: number; max_stream_description_length?: number; max_topic_length?: number; max_message_length?: number; max_channel_folder_name_length?: number; max_channel_folder_description_length?: number; max_reminder_note_length?: number; max_bulk_new_subscription_messages?: number; max_file_upload_size_mib?: number; max_avatar_file_size_mib?: number; max_icon_file_size_mib?: number; max_logo_file_size_mib?: number; password_min_length?: number; password_max_length?: number; password_min_guesses?: number; event_queue_longpoll_timeout_seconds?: number; server_presence_ping_interval_seconds?: number; server_presence_offline_threshold_seconds?: number; server_typing_started_expiry_period_milliseconds?: number; server_typing_stopped_wait_period_milliseconds?: number; server_typing_started_wait_period_milliseconds?: number; server_generation?: number; server_emoji_data_url?: string; server_thumbnail_formats?: readonly ({ name: string; max_width: number; max_height: number; format: string; animated: boolean })[]; server_inline_image_preview?: boolean; server_inline_url_embed_preview?: boolean; server_avatar_changes_disabled?: boolean; server_name_changes_disabled?: boolean; server_needs_upgrade?: boolean; server_web_public_streams_enabled?: boolean; server_jitsi_server_url?: string | null; server_can_summarize_topics?: boolean; server_min_deactivated_realm_deletion_days?: number | null; server_max_deactivated_realm_deletion_days?: number | null; server_supported_permission_settings?: ServerSupportedPermissionSettings; jitsi_server_url?: string | null; giphy_rating_options?: { [key: string]: { id: number; name: string } }; development_environment?: boolean; settings_send_digest_emails?: boolean; upgrade_text_for_wide_organization_logo?: string; zulip_plan_is_not_limited?: boolean; realm_org_type?: OrgType; realm_presence_disabled?: boolean; realm_disallow_disposable_email_addresses?: boolean; realm_send_welcome_emails?: boolean; realm_video_chat_provider?: 0 | 1; realm_jitsi_server_url?: string | null; realm_giphy_rating?: 0 | 1 | 2 | 3 | 4 | 5; realm_enable_guest_user_indicator?: boolean; realm_enable_guest_user_dm_warning?: boolean; realm_want_advertise_in_communities_directory?: boolean; realm_digest_emails_enabled?: boolean; realm_digest_weekday?: 0 | 1 | 2 | 3 | 4 | 5 | 6; realm_message_content_allowed_in_email_notifications?: boolean; realm_require_e2ee_push_notifications?: boolean; realm_name?: string; realm_description?: string; realm_url?: string; realm_uri?: string; realm_icon_url?: string; realm_icon_source?: "G" | "U"; realm_logo_url?: string; realm_logo_source?: "D" | "U"; realm_night_logo_url?: string; realm_night_logo_source?: "D" | "U"; realm_bot_domain?: string; realm_date_created?: number; realm_plan_type?: number; realm_default_language?: string; realm_default_code_block_language?: string; realm_allow_message_editing?: boolean; realm_message_content_edit_limit_seconds?: number | null; realm_message_content_delete_limit_seconds?: number | null; realm_move_messages_within_stream_limit_seconds?: number | null; realm_move_messages_between_streams_limit_seconds?: number | null; realm_allow_edit_history?: boolean; realm_message_edit_history_visibility_policy?: "all" | "moves" | "none"; realm_enable_read_receipts?: boolean; realm_mandatory_topics?: boolean; realm_topics_policy?: "allow_empty_topic" | "disable_empty_topic"; realm_empty_topic_display_name?: string; realm_wildcard_mention_policy?: 1 | 2 | 3 | 4 | 5 | 6 | 7; realm_waiting_period_threshold?: number; realm_message_retention_days?: number | -1; realm_invite_required?: boolean; realm_emails_restricted_to_domains?: boolean; realm_name_changes_disabled?: boolean; realm_email_changes_disabled?: boolean; realm_avatar_changes_disabled?: boolean; realm_require_unique_names?: boolean; realm_inline_image_preview?: boolean; realm_inline_url_embed_preview?: boolean; realm_enable_spectator_access?: boolean; realm_available_video_chat_providers?: { [key: string]: { id: number; name: string } }; realm_authentication_methods?: AuthenticationMethods; realm_email_auth_enabled?: boolean; realm_password_auth_enabled?: boolean; realm_push_notifications_enabled?: boolean; realm_push_notifications_enabled_end_timestamp?: number | null; realm_upload_quota_mib?: number | null; realm_default_external_accounts?: { [key: string]: { name: string; text: string; hint: string; url_pattern: string } }; realm_new_stream_announcements_stream_id?: number | -1; realm_signup_announcements_stream_id?: number | -1; realm_zulip_update_announcements_stream_id?: number | -1; realm_moderation_request_channel_id?: number | -1; realm_welcome_message_custom_text?: string; realm_billing?: { has_pending_sponsorship_request: boolean }; realm_is_zephyr_mirror_realm?: boolean; realm_create_public_stream_policy?: number; realm_create_private_stream_policy?: number; realm_create_web_public_stream_policy?: number; realm_user_group_edit_policy?: number; realm_can_access_all_users_group?: PermissionHolders; realm_can_add_custom_emoji_group?: PermissionHolders; realm_can_add_subscribers_group?: PermissionHolders; realm_can_create_bots_group?: PermissionHolders; realm_can_create_groups?: PermissionHolders; realm_can_create_private_channel_group?: PermissionHolders; realm_can_create_public_channel_group?: PermissionHolders; realm_can_create_web_public_channel_group?: PermissionHolders; realm_can_create_write_only_bots_group?: PermissionHolders; realm_can_delete_any_message_group?: PermissionHolders; realm_can_delete_own_message_group?: PermissionHolders; realm_can_invite_users_group?: PermissionHolders; realm_can_manage_all_groups?: PermissionHolders; realm_can_manage_billing_group?: PermissionHolders; realm_can_mention_many_users_group?: PermissionHolders; realm_can_move_messages_between_channels_group?: PermissionHolders; realm_can_move_messages_between_topics_group?: PermissionHolders; realm_can_resolve_topics_group?: PermissionHolders; realm_can_set_delete_message_policy_group?: PermissionHolders; realm_can_set_topics_policy_group?: PermissionHolders; realm_can_summarize_topics_group?: PermissionHolders; realm_create_multiuse_invite_group?: PermissionHolders; realm_direct_message_initiator_group?: PermissionHolders; realm_direct_message_permission_group?: PermissionHolders; zulip_version: string; zulip_merge_base: string; zulip_feature_level: 417; queue_id: string; last_event_id: number; idle_queue_timeout_secs: number } | { ignored_parameters_unsupported?: readonly string[]; giphy_api_key?: string; push_devices?: {}; realm_embedded_bots?: readonly never[]; realm_incoming_webhook_bots?: readonly never[]; has_zoom_token?: boolean; max_message_id?: number | -1; recent_private_conversations?: readonly ({ max_message_id: number; user_ids: readonly number[] })[]; stop_words?: readonly string[]; unread_msgs?: UnreadMessages; starred_messages?: readonly number[]; saved_snippets?: readonly SavedSnippet[]; drafts?: readonly Draft[]; scheduled_messages?: readonly ScheduledMessage[]; reminders?: readonly Reminder[]; alert_words?: readonly string[]; muted_topics?: readonly (readonly [string, string, number])[]; user_topics?: readonly ({ stream_id: number; topic_name: string; last_updated: number; visibility_policy: 1 | 2 | 3 })[]; muted_users?: readonly ({ id: number; timestamp: number })[]; navigation_views?: readonly NavigationView[]; onboarding_steps?: readonly ({ type: "one_time_notice"; name: "visibility_policy_banner" | "intro_inbox_view_modal" | "intro_recent_view_modal" | "first_stream_created_banner" | "jump_to_conversation_banner" | "non_interleaved_view_messages_fading" | "interleaved_view_messages_fading" | "intro_resolve_topic" })[]; navigation_tour_video_url?: string | null; channel_folders?: readonly ChannelFolder[]; realm_default_streams?: readonly number[]; realm_default_stream_groups?: readonly DefaultStreamGroup[]; streams?: readonly Channel[]; subscriptions?: readonly Subscription[]; unsubscribed?: readonly Subscription[]; never_subscribed?: readonly NeverSubscribed[]; realm_user_groups?: readonly UserGroup[]; presences?: {}; presence_last_update_id?: -1; server_timestamp?: number; user_settings?: UserSettings; twenty_four_hour_time?: boolean; color_scheme?: 1 | 2 | 3; default_language?: string; web_home_view?: "recent_topics" | "inbox" | "all_messages"; demote_inactive_streams?: 1 | 2 | 3; emojiset?: "google" | "google-blob" | "twitter" | "text"; enable_drafts_synchronization?: boolean; enter_sends?: boolean; fluid_layout_width?: boolean; high_contrast_mode?: boolean; left_side_userlist?: boolean; starred_message_counts?: boolean; translate_emoticons?: boolean; timezone?: string; emojiset_choices?: readonly ({ key: string; text: string })[]; desktop_icon_count_display?: 1 | 2 | 3 | 4; email_notifications_batching_period_seconds?: number; enable_desktop_notifications?: boolean; enable_digest_emails?: boolean; enable_login_emails?: boolean; enable_marketing_emails?: boolean; enable_offline_email_notifications?: boolean; enable_offline_push_notifications?: boolean; enable_online_push_notifications?: boolean; enable_sounds?: boolean; enable_stream_audible_notifications?: boolean; enable_stream_desktop_notifications?: boolean; enable_stream_email_notifications?: boolean; enable_stream_push_notifications?: boolean; message_content_in_email_notifications?: boolean; notification_sound?: string; pm_content_in_desktop_notifications?: boolean; presence_enabled?: boolean; wildcard_mentions_notify?: boolean; available_notification_sounds?: readonly string[]; realm_user_settings_defaults?: UserSettings; realm_users?: readonly RealmUser4[]; realm_non_active_users?: readonly RealmUser4[]; cross_realm_bots?: readonly SpectatedSystemBot[]; user_id?: number; email?: string; delivery_email?: string; full_name?: string; avatar_source?: "G" | "U"; avatar_url?: string; avatar_url_medium?: string; is_admin?: boolean; is_owner?: boolean; is_moderator?: boolean; is_guest?: boolean; can_create_streams?: boolean; can_create_public_streams?: boolean; can_create_private_streams?: boolean; can_create_web_public_streams?: boolean; can_invite_others_to_realm?: boolean; user_status?: {}; realm_bots?: readonly Bot[]; custom_profile_fields?: readonly CustomProfileField[]; custom_profile_field_types?: CustomProfileFieldTypes; realm_domains?: readonly ({ domain: string; allow_subdomains: boolean })[]; realm_emoji?: { [key: string]: Emoji }; realm_linkifiers?: readonly ({ id: number; pattern: string; url_template: string })[]; realm_filters?: readonly never[]; realm_playgrounds?: readonly ({ id: number; name: string; pygments_language: string; url_template: string })[]; max_stream_name_length?: number; max_stream_description_length?: number; max_topic_length?: number; max_message_length?: number; max_channel_folder_name_length?: number; max_channel_folder_description_length?: number; max_reminder_note_length?: number; max_bulk_new_subscription_messages?: number; max_file_upload_size_mib?: number; max_avatar_file_size_mib?: number; max_icon_file_size_mib?: number; max_logo_file_size_mib?: number; password_min_length?: number; password_max_length?: number; password_min_guesses?: number; event_queue_longpoll_timeout_seconds?: number; server_presence_ping_interval_seconds?: number; server_presence_offline_threshold_seconds?: number; server_typing_started_expiry_period_milliseconds?: number; server_typing_stopped_wait_period_milliseconds?: number; server_typing_started_wait_period_milliseconds?: number; server_generation?: number; server_emoji_data_url?: string; server_thumbnail_formats?: readonly ({ name: string; max_width: number; max_height: number; format: string; animated: boolean })[]; server_inline_image_preview?: boolean; server_inline_url_embed_preview?: boolean; server_avatar_changes_disabled?: boolean; server_name_changes_disabled?: boolean; server_needs_upgrade?: boolean; server_web_public_streams_enabled?: boolean; server_jitsi_server_url?: string | null; server_can_summarize_topics?: boolean; server_min_deactivated_realm_deletion_days?: number | null; server_max_deactivated_realm_deletion_days?: number | null; server_supported_permission_settings?: ServerSupportedPermissionSettings; jitsi_server_url?: string | null; giphy_rating_options?: { [key: string]: { id: number; name: string } }; development_environment?: boolean; settings_send_digest_emails?: boolean; upgrade_text_for_wide_organization_logo?: string; zulip_plan_is_not_limited?: boolean; realm_org_type?: OrgType; realm_presence_disabled?: boolean; realm_disallow_disposable_email_addresses?: boolean; realm_send_welcome_emails?: boolean; realm_video_chat_provider?: 0 | 1; realm_jitsi_server_url?: string | null; realm_giphy_rating?: 0 | 1 | 2 | 3 | 4 | 5; realm_enable_guest_user_indicator?: boolean; realm_enable_guest_user_dm_warning?: boolean; realm_want_advertise_in_communities_directory?: boolean; realm_digest_emails_enabled?: boolean; realm_digest_weekday?: 0 | 1 | 2 | 3 | 4 | 5 | 6; realm_message_content_allowed_in_email_notifications?: boolean; realm_require_e2ee_push_notifications?: boolean; realm_name?: string; realm_description?: string; realm_url?: string; realm_uri?: string; realm_icon_url?: string; realm_icon_source?: "G" | "U"; realm_logo_url?: string; realm_logo_source?: "D" | "U"; realm_night_logo_url?: string; realm_night_logo_source?: "D" | "U"; realm_bot_domain?: string; realm_date_created?: number; realm_plan_type?: number; realm_default_language?: string; realm_default_code_block_language?: string; realm_allow_message_editing?: boolean; realm_message_content_edit_limit_seconds?: number | null; realm_message_content_delete_limit_seconds?: number | null; realm_move_messages_within_stream_limit_seconds?: number | null; realm_move_messages_between_streams_limit_seconds?: number | null; realm_allow_edit_history?: boolean; realm_message_edit_history_visibility_policy?: "all" | "moves" | "none"; realm_enable_read_receipts?: boolean; realm_mandatory_topics?: boolean; realm_topics_policy?: "allow_empty_topic" | "disable_empty_topic"; realm_empty_topic_display_name?: string; realm_wildcard_mention_policy?: 1 | 2 | 3 | 4 | 5 | 6 | 7; realm_waiting_period_threshold?: number; realm_message_retention_days?: number | -1; realm_invite_required?: boolean; realm_emails_restricted_to_domains?: boolean; realm_name_changes_disabled?: boolean; realm_email_changes_disabled?: boolean; realm_avatar_changes_disabled?: boolean; realm_require_unique_names?: boolean; realm_inline_image_preview?: boolean; realm_inline_url_embed_preview?: boolean; realm_enable_spectator_access?: boolean; realm_available_video_chat_providers?: { [key: string]: { id: number; name: string } }; realm_authentication_methods?: AuthenticationMethods; realm_email_auth_enabled?: boolean; realm_password_auth_enabled?: boolean; realm_push_notifications_enabled?: boolean; realm_push_notifications_enabled_end_timestamp?: number | null; realm_upload_quota_mib?: number | null; realm_default_external_accounts?: { [key: string]: { name: string; text: string; hint: string; url_pattern: string } }; realm_new_stream_announcements_stream_id?: number | -1; realm_signup_announcements_stream_id?: number | -1; realm_zulip_update_announcements_stream_id?: number | -1; realm_moderation_request_channel_id?: number | -1; realm_welcome_message_custom_text?: string; realm_billing?: { has_pending_sponsorship_request: boolean }; realm_is_zephyr_mirror_realm?: boolean; realm_create_public_stream_policy?: number; realm_create_private_stream_policy?: number; realm_create_web_public_stream_policy?: number; realm_user_group_edit_policy?: number; realm_can_access_all_users_group?: PermissionHolders; realm_can_add_custom_emoji_group?: PermissionHolders; realm_can_add_subscribers_group?: PermissionHolders; realm_can_create_bots_group?: PermissionHolders; realm_can_create_groups?: PermissionHolders; realm_can_create_private_channel_group?: PermissionHolders; realm_can_create_public_channel_group?: PermissionHolders; realm_can_create_web_public_channel_group?: PermissionHolders; realm_can_create_write_only_bots_group?: PermissionHolders; realm_can_delete_any_message_group?: PermissionHolders; realm_can_delete_own_message_group?: PermissionHolders; realm_can_invite_users_group?: PermissionHolders; realm_can_manage_all_groups?: PermissionHolders; realm_can_manage_billing_group?: PermissionHolders; realm_can_mention_many_users_group?: PermissionHolders; realm_can_move_messages_between_channels_group?: PermissionHolders; realm_can_move_messages_between_topics_group?: PermissionHolders; realm_can_resolve_topics_group?: PermissionHolders; realm_can_set_delete_message_policy_group?: PermissionHolders; realm_can_set_topics_policy_group?: PermissionHolders; realm_can_summarize_topics_group?: PermissionHolders; realm_create_multiuse_invite_group?: PermissionHolders; realm_direct_message_initiator_group?: PermissionHolders; realm_direct_message_permission_group?: PermissionHolders; zulip_version: string; zulip_merge_base: string; zulip_feature_level: 417; queue_id: null; last_event_id: -1; idle_queue_timeout_secs: number }
    error: CodeOfAll | CodeOfSigned | "REQUEST_CONFUSING_VAR"
  }
  /** Waits for the events of a queue after last_event_id, which acknowledges those up to it. */
  "GET /events": {
    params: { queue_id?: string; last_event_id?: number; dont_block?: boolean }
    reply: { ignored_parameters_unsupported?: readonly string[]; events: readonly Event[] }
    error: CodeOfAll | CodeOfSigned | "BAD_EVENT_QUEUE_ID"
  }
  /** Deletes a queue; a waiting poll of it is answered at once. */
  "DELETE /events": {
    params: { queue_id: string }
    reply: { ignored_parameters_unsupported?: readonly string[] }
    error: CodeOfAll | CodeOfSigned | "BAD_EVENT_QUEUE_ID" | "REQUEST_VARIABLE_MISSING"
  }
}

/** Parameters whose strings are JSON texts, by operation: a bare `5` would be a number there. */
export const jsonTexts: Readonly<Record<string, string>> = {
  "POST /messages": "to",
  "PATCH /streams/{stream_id}": "message_retention_days",
  "GET /users/me/subscriptions": "include_subscribers",
  "POST /users/me/subscriptions": "message_retention_days",
  "PATCH /users/me/subscriptions/{stream_id}": "value",
  "POST /channels/create": "message_retention_days",
  "PATCH /settings": "default_language web_home_view emojiset web_animate_image_previews notification_sound resolved_topic_notice_auto_read_policy",
  "PATCH /settings/display": "default_language web_home_view emojiset",
  "PATCH /settings/notifications": "notification_sound",
  "PATCH /realm/user_settings_defaults": "web_home_view emojiset web_animate_image_previews notification_sound resolved_topic_notice_auto_read_policy",
  "POST /bots": "payload_url",
  "PATCH /bots/{bot_id}": "service_payload_url",
  "PATCH /realm": "topics_policy default_code_block_language message_retention_days move_messages_within_stream_limit_seconds move_messages_between_streams_limit_seconds message_content_edit_limit_seconds message_content_delete_limit_seconds message_edit_history_visibility_policy default_language jitsi_server_url invite_required zulip_update_announcements_stream_id",
  "POST /register": "include_subscribers idle_queue_timeout",
}
