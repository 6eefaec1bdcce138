/** The state that register answers, on a realm made by hand: which keys, who sees what, and what each option changes. */
import * as Schema from "effect/Schema"
import t from "tap"
import type { SectionView } from "../../../src/chat/kinds/section-view.ts"
import { realmFields } from "../../../src/chat/organization/realm-section.ts"
import { wireServerSettings } from "../../../src/chat/organization/server-settings.ts"
import { readRealmSettings } from "../../../src/chat/realm/realm-settings.ts"
import { channelPermissions, type UserRecord } from "../../../src/chat/realm/records.ts"
import { roles, systemGroups } from "../../../src/chat/realm/values.ts"
import { isTorn } from "../../../src/chat/sync/register.ts"
import { wireMember } from "../../../src/chat/users/users-read.ts"
import type { LogRow } from "../../../src/events/event.ts"
import { Ring } from "../../../src/events/ring.ts"
import { ChannelId, UserId } from "../../../src/ids.ts"
import {
  all,
  column,
  config,
  containedTypes,
  isSplit,
  joined,
  makeRealm,
  now,
  only,
  origin,
  people,
  person,
  record,
  row,
  sectionsFor,
  words,
} from "./register-realm.ts"

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

t.test("permissions that groups can hold are described, each of them", async (t) => {
  const section = realmFields(makeRealm(), config, origin)
  const kinds = Schema.decodeUnknownSync(
    Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown))),
  )(section["server_supported_permission_settings"])
  t.strictSame(Object.keys(kinds).sort(), ["group", "realm", "stream"])
  t.strictSame(Object.keys(kinds["stream"] ?? {}).sort(), [...channelPermissions].sort())
  const realmSettings = Object.keys(kinds["realm"] ?? {}).map((name) => `realm_${name}`)
  t.strictSame(
    realmSettings.sort(),
    realmKeys.filter((key) => key.endsWith("_group") || /^realm_can_\w+_groups$/.test(key)).sort(),
  )
  const description = words(`allow_everyone_group allow_internet_group allow_nobody_group allowed_system_groups
    default_for_system_groups default_group_name require_system_group`)
  for (const [kind, settings] of Object.entries(kinds)) {
    for (const [name, setting] of Object.entries(settings)) {
      t.strictSame(Object.keys(setting).sort(), description, `${kind} ${name}`)
    }
  }
})

t.test("everything a strict client needs is there", async (t) => {
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

t.test("a client gets the sections it names and no others", async (t) => {
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

t.test("people: the active, the others, and oneself", async (t) => {
  const state = sectionsFor(people.iago, only("realm_user"))
  t.strictSame(column(state["realm_users"], "user_id"), [1, 2, 3, 4, 6])
  t.strictSame(column(state["realm_non_active_users"], "user_id"), [5])
  t.match(state["cross_realm_bots"], [{ full_name: "Notification Bot", is_bot: true, is_system_bot: true }])
  const hamlet = record(state["realm_users"], "user_id", 2)
  t.strictSame(hamlet["profile_data"], {})
  t.equal(hamlet["date_joined"], "2026-01-01T00:00:00+00:00")
  t.notOk(Object.hasOwn(hamlet, "is_active"))
  t.notOk(Object.hasOwn(hamlet, "bot_owner_id"))
  const echo = record(state["realm_users"], "user_id", 4)
  t.equal(echo["bot_owner_id"], 1)
  t.notOk(Object.hasOwn(echo, "profile_data"))
  t.match(state, {
    user_id: 1,
    email: "iago@example.org",
    delivery_email: "iago@example.org",
    avatar_source: "G",
    is_admin: true,
    is_owner: true,
    is_moderator: true,
    is_guest: false,
    can_create_streams: true,
    can_create_public_streams: true,
    can_create_private_streams: true,
    can_create_web_public_streams: false,
  })
  t.match(sectionsFor(people.polonius, only("realm_user")), {
    user_id: 3,
    is_guest: true,
    is_admin: false,
    can_create_streams: false,
    can_create_private_streams: false,
  })
})

t.test("pictures of others are left to clients that hash addresses; one's own is always a URL", async (t) => {
  const hashed = sectionsFor(people.hamlet, only("realm_user"))
  t.match(hashed["avatar_url"], /^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?/)
  t.match(hashed["avatar_url_medium"], /&s=500$/)
  const bare = sectionsFor(people.hamlet, { ...only("realm_user"), gravatar: true })
  t.equal(bare["avatar_url"], hashed["avatar_url"])
  t.equal(bare["avatar_url_medium"], hashed["avatar_url_medium"])
  t.equal(record(bare["realm_users"], "user_id", 1)["avatar_url"], null)
  t.match(record(bare["realm_users"], "user_id", 6)["avatar_url"], /^https:/, "a hidden address is for nobody to hash")
})

t.test("a channel stands in one of three lists, by what the user was and may know", async (t) => {
  const lists = (user: UserRecord, view = only("subscription", "stream")) => {
    const state = sectionsFor(user, view)
    const names = (key: string) => column(state[key], "name")
    return [names("subscriptions"), names("unsubscribed"), names("never_subscribed"), names("streams")]
  }
  t.strictSame(lists(people.hamlet), [
    ["lobby", "court"],
    ["attic"],
    ["square", "harbour"],
    ["lobby", "court", "square", "attic", "harbour"],
  ])
  t.strictSame(lists(people.iago), [
    ["lobby", "court", "crypt"],
    [],
    ["square", "attic", "harbour"],
    ["lobby", "court", "square", "attic", "crypt", "harbour"],
  ])
  t.strictSame(lists(people.polonius), [["lobby"], [], ["square"], ["lobby", "square"]])
  t.strictSame(lists(people.hamlet, { ...only("subscription", "stream"), archivedChannels: true }), [
    ["lobby", "court", "ruin"],
    ["attic"],
    ["square", "harbour"],
    ["lobby", "court", "square", "attic", "ruin", "harbour"],
  ])
})

t.test("a subscription carries the user's settings, in the form the client takes", async (t) => {
  const lobby = (view: SectionView) => record(sectionsFor(people.hamlet, view)["subscriptions"], "name", "lobby")
  const older = lobby(only("subscription"))
  t.match(older, {
    stream_id: 1,
    color: "#76ce90",
    is_muted: false,
    in_home_view: true,
    pin_to_top: false,
    push_notifications: true,
    desktop_notifications: false,
    wildcard_mentions_notify: true,
    subscriber_count: 4,
  })
  t.notOk(Object.hasOwn(older, "subscribers"))
  const newer = lobby({ ...only("subscription"), notificationNull: true })
  t.match(newer, { push_notifications: true, desktop_notifications: null, wildcard_mentions_notify: null })
})

t.test("subscriber lists hold the active subscribers, and some of those of a big channel if asked so", async (t) => {
  const withSubscribers = { ...only("subscription"), includeSubscribers: true }
  const state = sectionsFor(people.hamlet, withSubscribers)
  t.strictSame(record(state["subscriptions"], "name", "lobby")["subscribers"], [1, 2, 3, 4])
  t.strictSame(record(state["unsubscribed"], "name", "attic")["subscribers"], [])
  t.strictSame(record(state["never_subscribed"], "name", "harbour")["subscribers"], [])

  const realm = makeRealm()
  for (let id = 7; id <= 300; id++) {
    realm.setUser(person(id, `Extra${id}`, roles.member))
    realm.roles.add(UserId(id), roles.member, { opened: id, closed: null })
    realm.subscriptions.add(ChannelId(1), UserId(id), { opened: 400, closed: null })
  }
  const partial = sectionsFor(people.hamlet, { ...withSubscribers, includeSubscribers: "partial" }, realm)
  const lobby = record(partial["subscriptions"], "name", "lobby")
  t.strictSame(lobby["partial_subscribers"], [2, 4])
  t.equal(lobby["subscriber_count"], 298)
  t.notOk(Object.hasOwn(lobby, "subscribers"))
  t.strictSame(record(partial["subscriptions"], "name", "court")["subscribers"], [1, 2])
})

t.test("sections and the types of rows that change them", async (t) => {
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

t.test("a register begins again only over rows that are news to this client beyond its sections", async (t) => {
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

t.test("server settings, with and without an organization", async (t) => {
  const served = wireServerSettings(makeRealm(), config, origin)
  t.match(served, {
    zulip_version: "11.0-dev",
    zulip_merge_base: "11.0-dev",
    zulip_feature_level: 417,
    authentication_methods: { password: true, dev: false },
    external_authentication_methods: [],
    email_auth_enabled: true,
    require_email_format_usernames: true,
    realm_url: origin,
    realm_uri: origin,
    realm_name: "Elsinore",
    realm_icon: /^https:/,
    realm_description: "<p>A castle &amp; more</p>",
    realm_web_public_access_enabled: false,
  })
  const unserved = wireServerSettings(null, { ...config, mode: "development" }, origin)
  t.match(unserved, { authentication_methods: { dev: true }, zulip_version: "11.0-dev" })
  t.strictSame(
    Object.keys(unserved).filter((key) => key.startsWith("realm_")),
    [],
  )
})

t.test("a listed person says whether they are active", async (t) => {
  const realm = makeRealm()
  const plain = { gravatar: true, profileData: false }
  t.match(wireMember(realm, people.hamlet, people.hamlet, plain), { user_id: 2, is_active: true, avatar_url: null })
  t.equal(wireMember(realm, people.yorick, people.hamlet, plain)["is_active"], false)
  t.notOk(Object.hasOwn(wireMember(realm, people.hamlet, people.hamlet, plain), "profile_data"))
  const full = { gravatar: false, profileData: true }
  t.strictSame(wireMember(realm, people.hamlet, people.hamlet, full)["profile_data"], {})
  t.notOk(Object.hasOwn(wireMember(realm, people.echo, people.hamlet, full), "profile_data"))
})
