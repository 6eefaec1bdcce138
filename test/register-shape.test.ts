/** The state that register answers, on a realm made by hand: which keys, who sees what, and what each option changes. */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import t from "tap"
import { Realm } from "../src/chat/realm.ts"
import { readRealmSettings } from "../src/chat/realm-settings.ts"
import { type ChannelRecord, channelPermissions, type UserRecord } from "../src/chat/records.ts"
import { ownOrigin, wireServerSettings } from "../src/chat/server-settings.ts"
import { type QueueDescription, queueSpec } from "../src/chat/sync/queue-spec.ts"
import { realmSection } from "../src/chat/sync/realm-section.ts"
import { isTorn } from "../src/chat/sync/register.ts"
import { readRequest, registerParams } from "../src/chat/sync/register-params.ts"
import { containedTypes, isSplit, type SectionView, takeSections } from "../src/chat/sync/sections.ts"
import { wireMember } from "../src/chat/users-read.ts"
import { type Role, roles, systemGroups } from "../src/chat/values.ts"
import { type ConfigShape, defaultLimits } from "../src/config.ts"
import { type LogRow, lastIdOf } from "../src/events/event.ts"
import { isContained } from "../src/events/queue.ts"
import { Ring } from "../src/events/ring.ts"
import { ChannelId, Position, QueueId, RealmId, UserId, WireId } from "../src/ids.ts"
import type { Json, JsonObject } from "../src/json.ts"
import { decodeParams } from "../src/params.ts"

const now = Date.parse("2026-03-01T12:00:00Z")
const joined = Date.parse("2026-01-01T00:00:00Z")
const origin = "https://chat.example.org"

const config: ConfigShape = {
  mode: "production",
  host: "127.0.0.1",
  port: 9991,
  dataFolder: "/nowhere",
  database: { kind: "pglite", folder: "/nowhere" },
  secret: "secret",
  externalUrl: origin,
  origins: [],
  rateLimit: false,
  limits: { ...defaultLimits, maxTopicLength: 50, typingStartedWaitMilliseconds: 11_000 },
}

const person = (id: number, name: string, role: Role, bot: Partial<UserRecord> = {}): UserRecord => ({
  id,
  email: `${name.toLowerCase()}@example.org`,
  full_name: name,
  role,
  is_bot: false,
  bot_type: null,
  bot_owner_id: null,
  timezone: "",
  avatar_version: 1,
  key_version: 1,
  joined_at: joined,
  ...bot,
})

const channel = (id: number, name: string, fields: Partial<ChannelRecord> = {}): ChannelRecord => ({
  id,
  name,
  description: `about ${name}`,
  rendered_description: `<p>about ${name}</p>`,
  creator_id: 1,
  created_at: joined,
  is_private: false,
  is_web_public: false,
  history_shared: true,
  is_archived: false,
  is_default: false,
  topics_policy: "inherit",
  retention_days: null,
  permissions: {
    can_add_subscribers_group: systemGroups["role:nobody"],
    can_administer_channel_group: { direct_members: [1], direct_subgroups: [] },
    can_delete_any_message_group: systemGroups["role:nobody"],
    can_delete_own_message_group: systemGroups["role:nobody"],
    can_move_messages_out_of_channel_group: systemGroups["role:nobody"],
    can_move_messages_within_channel_group: systemGroups["role:nobody"],
    can_remove_subscribers_group: systemGroups["role:administrators"],
    can_resolve_topics_group: systemGroups["role:nobody"],
    can_send_message_group: systemGroups["role:everyone"],
    can_subscribe_group: systemGroups["role:nobody"],
  },
  first_message_id: null,
  ...fields,
})

const people = {
  iago: person(1, "Iago", roles.owner),
  hamlet: person(2, "Hamlet", roles.member),
  polonius: person(3, "Polonius", roles.guest),
  echo: person(4, "Echo", roles.member, { is_bot: true, bot_type: 1, bot_owner_id: 1 }),
  yorick: person(5, "Yorick", roles.member),
}

/** Yorick has been deactivated at row 20. Hamlet has left `attic` (public) and `crypt` (private). */
const makeRealm = (): Realm => {
  const settings = readRealmSettings({ name: "Elsinore", description: "A castle & more" })
  const realm = new Realm(RealmId(1), "chat.example.org", "e1", settings, 30)
  for (const user of Object.values(people)) {
    realm.setUser(user)
    const closed = user === people.yorick ? 20 : null
    realm.roles.add(UserId(user.id), user.role, { opened: user.id, closed })
  }
  const channels = [
    channel(1, "lobby"),
    channel(2, "court", { is_private: true, history_shared: false }),
    channel(3, "square", { is_web_public: true }),
    channel(4, "attic"),
    channel(5, "crypt", { is_private: true }),
    channel(6, "ruin", { is_archived: true }),
    channel(7, "harbour"),
  ]
  for (const each of channels) realm.setChannel(each)
  const spans: ReadonlyArray<[channel: number, user: number, opened: number, closed: number | null]> = [
    [1, 1, 10, null],
    [1, 2, 10, null],
    [1, 3, 11, null],
    [1, 4, 11, null],
    [1, 5, 10, 20],
    [2, 1, 12, null],
    [2, 2, 12, null],
    [4, 2, 13, 15],
    [5, 1, 14, null],
    [5, 2, 14, 16],
    [6, 2, 14, null],
  ]
  for (const [channelId, user, opened, closed] of spans) {
    realm.subscriptions.add(ChannelId(channelId), UserId(user), { opened, closed })
    realm.subscriptions.setSettings(UserId(user), ChannelId(channelId), {
      color: "#76ce90",
      is_muted: channelId === 2,
      pin_to_top: false,
      notify: { push_notifications: true },
    })
  }
  return realm
}

const all: SectionView = {
  fetch: null,
  gravatar: false,
  archivedChannels: false,
  notificationNull: false,
  includeSubscribers: false,
}
const only = (...sections: ReadonlyArray<string>): SectionView => ({ ...all, fetch: new Set(sections) })

const sectionsFor = (user: UserRecord, view: SectionView, realm = makeRealm()): JsonObject =>
  takeSections(realm, config, user, view, now)

const asRecords = Schema.decodeUnknownSync(Schema.Array(Schema.Record(Schema.String, Schema.Unknown)))
const column = (rows: Json | undefined, key: string) => asRecords(rows).map((row) => row[key])
const record = (rows: Json | undefined, key: string, value: Json) => {
  const found = asRecords(rows).find((row) => row[key] === value)
  if (found === undefined) throw new Error(`no ${key} ${value}`)
  return found
}
const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

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
  const section = realmSection(makeRealm(), config, origin)
  t.strictSame(Object.keys(section).sort(), [...realmKeys].sort())
  t.strictSame(
    Object.entries(section).filter(([, value]) => value === undefined),
    [],
  )
})

t.test("the realm section tells what the server does", async (t) => {
  const section = realmSection(makeRealm(), config, origin)
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
  const development = realmSection(makeRealm(), { ...config, mode: "development" }, origin)
  t.ok(Object.hasOwn(Object(development["realm_authentication_methods"]), "Dev"))

  const strict = readRealmSettings({
    topics_policy: "disable_empty_topic",
    waiting_period_days: 3,
    can_create_public_channel_group: systemGroups["role:moderators"],
    can_add_subscribers_group: { direct_members: [2], direct_subgroups: [5] },
  })
  t.match(realmSection(new Realm(RealmId(1), "h", "e", strict, 0), config, origin), {
    realm_topics_policy: "disable_empty_topic",
    realm_mandatory_topics: true,
    realm_waiting_period_threshold: 3,
    realm_can_create_public_channel_group: systemGroups["role:moderators"],
    realm_create_public_stream_policy: 4,
    realm_can_add_subscribers_group: { direct_members: [2], direct_subgroups: [5] },
    realm_date_created: 0,
  })
})

t.test("permissions that groups can hold are described, each of them", async (t) => {
  const section = realmSection(makeRealm(), config, origin)
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

t.test("everything a strict client needs is there, but for what has no events yet", async (t) => {
  const state = sectionsFor(people.hamlet, all)
  const required = words(`alert_words custom_profile_fields muted_users muted_topics presences realm_emoji
    subscriptions unsubscribed never_subscribed unread_msgs starred_messages streams user_status user_topics
    realm_users realm_non_active_users cross_realm_bots user_id email full_name is_admin is_owner is_guest
    presence_last_update_id server_timestamp drafts scheduled_messages reminders saved_snippets navigation_views
    channel_folders realm_linkifiers realm_filters realm_playgrounds realm_domains`)
  for (const key of [...required, ...realmKeys]) t.ok(Object.hasOwn(state, key), key)
  for (const key of ["realm_user_groups", "user_settings", "recent_private_conversations", "max_message_id"])
    t.notOk(Object.hasOwn(state, key), key)
  t.equal(state["server_timestamp"], now / 1000)
})

t.test("a client gets the sections it names and no others", async (t) => {
  const keys = (...sections: ReadonlyArray<string>) => Object.keys(sectionsFor(people.hamlet, only(...sections))).sort()
  t.strictSame(keys(), [])
  t.strictSame(keys("no_such_type"), [])
  t.strictSame(keys("stream"), ["streams"])
  t.strictSame(keys("subscription"), ["never_subscribed", "subscriptions", "unsubscribed"])
  t.strictSame(keys("message"), [])
  t.strictSame(keys("update_message_flags"), [])
  t.strictSame(keys("message", "update_message_flags"), ["unread_msgs"])
  t.strictSame(keys("muted_topics"), ["muted_topics"])
  t.strictSame(keys("user_topic"), ["user_topics"])
  t.strictSame(keys("muted_topics", "user_topic"), ["user_topics"])
  t.strictSame(keys("presence"), ["presence_last_update_id", "presences", "server_timestamp"])
  t.strictSame(keys("realm"), [...realmKeys].sort())
})

t.test("people: the active, the others, and oneself", async (t) => {
  const state = sectionsFor(people.iago, only("realm_user"))
  t.strictSame(column(state["realm_users"], "user_id"), [1, 2, 3, 4])
  t.strictSame(column(state["realm_non_active_users"], "user_id"), [5])
  t.strictSame(state["cross_realm_bots"], [])
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

t.test("avatars are left to clients that hash addresses themselves", async (t) => {
  const hashed = sectionsFor(people.hamlet, only("realm_user"))
  t.match(hashed["avatar_url"], /^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?/)
  t.match(hashed["avatar_url_medium"], /&s=500$/)
  const bare = sectionsFor(people.hamlet, { ...only("realm_user"), gravatar: true })
  t.equal(bare["avatar_url"], null)
  t.equal(bare["avatar_url_medium"], null)
  t.strictSame(new Set(column(bare["realm_users"], "avatar_url")), new Set([null]))
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
  for (let id = 6; id <= 300; id++) {
    realm.setUser(person(id, `Extra${id}`, roles.member))
    realm.roles.add(UserId(id), roles.member, { opened: id, closed: null })
    realm.subscriptions.add(ChannelId(1), UserId(id), { opened: 400, closed: null })
  }
  const partial = sectionsFor(people.hamlet, { ...withSubscribers, includeSubscribers: "partial" }, realm)
  const lobby = record(partial["subscriptions"], "name", "lobby")
  t.strictSame(lobby["partial_subscribers"], [2, 4])
  t.equal(lobby["subscriber_count"], 299)
  t.notOk(Object.hasOwn(lobby, "subscribers"))
  t.strictSame(record(partial["subscriptions"], "name", "court")["subscribers"], [1, 2])
})

t.test("sections and the types of rows that change them", async (t) => {
  t.strictSame(containedTypes(all), ["realm_user", "stream", "subscription"])
  t.strictSame(containedTypes(only("message", "realm")), [])
  t.strictSame(containedTypes(only("realm_user")), ["realm_user"])
  t.strictSame(containedTypes(only("stream")), ["stream", "subscription"])
  t.notOk(isSplit(all, "stream"))
  t.notOk(isSplit(only("stream", "subscription"), "subscription"))
  t.ok(isSplit(only("stream"), "subscription"))
  t.ok(isSplit(only("subscription"), "stream"))
  t.notOk(isSplit(only("realm_user"), "stream"))
  t.notOk(isSplit(only("subscription"), "message"))
})

const row = (position: number, type: string, users: ReadonlyArray<number>): LogRow => ({
  position: Position(position),
  type,
  payload: {},
  audience: { kind: "users", users: users.map((id) => UserId(id)) },
  width: 1,
  origin: null,
  at: now,
  content: null,
  bytes: 100,
})

t.test("a register begins again only over rows that are news to this client beyond its sections", async (t) => {
  const torn = (rows: ReadonlyArray<LogRow>, view: SectionView, types: ReadonlyArray<string> | null = null) => {
    const ring = new Ring(1_000_000)
    for (const each of rows) ring.push(each)
    return isTorn({ realm: makeRealm(), ring, feed: { position: 30 } }, { user: UserId(2) }, { types, view }, 28)
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

const decode = (source: Readonly<Record<string, string>>) =>
  Result.flatMap(decodeParams(registerParams, new Map(Object.entries(source))), (params) =>
    readRequest(params, defaultLimits),
  )
const accepted = (source: Readonly<Record<string, string>>) => {
  const request = decode(source)
  if (Result.isFailure(request)) throw new Error(request.failure.msg)
  return request.success
}
const refusal = (source: Readonly<Record<string, string>>) =>
  Option.getOrUndefined(Option.map(Result.getFailure(decode(source)), ({ code, msg }) => `${code} ${msg}`))

t.test("what a register asks for by default", async (t) => {
  const request = accepted({})
  t.equal(request.types, null)
  t.strictSame(request.view, { ...all, gravatar: true })
  t.strictSame(request.narrow, [])
  t.equal(request.idleSeconds, defaultLimits.queueIdleSeconds)
  t.equal(request.allPublicStreams, false)
  t.equal(request.rendering.rendered, false)
})

t.test("the options of a register", async (t) => {
  t.strictSame(accepted({ event_types: '["message","message","x"]' }).types, ["message", "x"])
  t.strictSame(accepted({ event_types: '["message"]' }).view.fetch, new Set(["message"]))
  t.strictSame(accepted({ event_types: '["message"]', fetch_event_types: '["realm"]' }).view.fetch, new Set(["realm"]))
  t.strictSame(accepted({ fetch_event_types: "[]" }).types, null)
  t.equal(accepted({ include_subscribers: "partial" }).view.includeSubscribers, "partial")
  t.equal(accepted({ include_subscribers: '"partial"' }).view.includeSubscribers, "partial")
  t.equal(accepted({ include_subscribers: "true" }).view.includeSubscribers, true)
  t.match(accepted({ client_capabilities: '{"archived_channels":true,"empty_topic_name":false,"later":true}' }), {
    view: { archivedChannels: true, notificationNull: false },
    rendering: { archivedChannels: true, emptyTopicName: false, channelTyping: false },
  })
  t.equal(accepted({ idle_queue_timeout: "60" }).idleSeconds, 60)
  t.equal(accepted({ queue_lifespan_secs: "604800" }).idleSeconds, 604_800)
  t.equal(accepted({ idle_queue_timeout: "mobile" }).idleSeconds, defaultLimits.queueIdleMaxSeconds)
  t.strictSame(accepted({ narrow: '[["stream","lobby"],["is","dm"]]' }).narrow, [
    ["stream", "lobby"],
    ["is", "dm"],
  ])
})

t.test("what a register refuses", async (t) => {
  const refused: ReadonlyArray<[source: Readonly<Record<string, string>>, failure: string]> = [
    [{ narrow: '[["near","5"]]' }, "BAD_REQUEST Operator near not supported."],
    [{ narrow: '[["is","odd"]]' }, "BAD_REQUEST Operator is not supported."],
    [{ narrow: '[["stream"]]' }, "BAD_REQUEST narrow[0] is not length 2"],
    [{ narrow: '[["stream","a","b"]]' }, "BAD_REQUEST narrow[0] is not length 2"],
    [{ narrow: '[{"operator":"stream"}]' }, "BAD_REQUEST narrow[0] is not a list"],
    [{ narrow: '[["stream",5]]' }, "BAD_REQUEST narrow[0][1] is not a string"],
    [{ client_capabilities: "[]" }, "BAD_REQUEST client_capabilities is not a dict"],
    [{ client_capabilities: '{"a":1}' }, 'BAD_REQUEST client_capabilities["a"] is not a boolean'],
    [{ idle_queue_timeout: "0" }, "BAD_REQUEST idle_queue_timeout is too small"],
    [{ idle_queue_timeout: "604801" }, "BAD_REQUEST idle_queue_timeout is too large"],
    [{ idle_queue_timeout: "soon" }, "BAD_REQUEST idle_queue_timeout is not an integer"],
    [
      { idle_queue_timeout: "5", queue_lifespan_secs: "5" },
      "REQUEST_CONFUSING_VAR Can't decide between 'idle_queue_timeout' and 'queue_lifespan_secs' arguments",
    ],
    [{ include_subscribers: "some" }, "BAD_REQUEST include_subscribers is not a boolean"],
    [{ event_types: '"message"' }, "BAD_REQUEST event_types is not a list"],
    [{ presence_history_limit_days: "-1" }, "BAD_REQUEST presence_history_limit_days is too small"],
  ]
  for (const [source, failure] of refused) t.equal(refusal(source), failure, JSON.stringify(source))
})

t.test("a queue made from a stored description skips what its state contains", async (t) => {
  const request = accepted({ fetch_event_types: '["subscription","stream"]', narrow: '[["is","dm"]]' })
  const description: QueueDescription = {
    event_types: request.types,
    narrow: request.narrow,
    all_public_streams: false,
    rendering: request.rendering,
    state: { saw: 28, width: 2, took: 30, types: containedTypes(request.view) },
  }
  const stored: JsonObject = JSON.parse(JSON.stringify(description))
  const id = QueueId("e1-x")
  const spec = queueSpec({ id, user: UserId(2), description: stored, acked: WireId(-1), idleMilliseconds: 1 })
  t.equal(spec.start, lastIdOf(28, 2))
  t.ok(isContained(spec.contained, row(29, "stream", [2])))
  t.ok(isContained(spec.contained, row(30, "subscription", [2])))
  t.notOk(isContained(spec.contained, row(28, "subscription", [2])))
  t.notOk(isContained(spec.contained, row(31, "subscription", [2])))
  t.notOk(isContained(spec.contained, row(30, "realm_user", [2])))
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

t.test("the address that the server knows by itself", async (t) => {
  t.equal(ownOrigin(config), origin)
  t.equal(ownOrigin({ ...config, externalUrl: null }), "http://127.0.0.1:9991")
  t.equal(ownOrigin({ ...config, externalUrl: null, host: "::1" }), "http://[::1]:9991")
})

t.test("a listed person says whether they are active", async (t) => {
  const realm = makeRealm()
  const plain = { gravatar: true, profileData: false }
  t.match(wireMember(realm, people.hamlet, plain), { user_id: 2, is_active: true, avatar_url: null })
  t.equal(wireMember(realm, people.yorick, plain)["is_active"], false)
  t.notOk(Object.hasOwn(wireMember(realm, people.hamlet, plain), "profile_data"))
  const full = { gravatar: false, profileData: true }
  t.strictSame(wireMember(realm, people.hamlet, full)["profile_data"], {})
  t.notOk(Object.hasOwn(wireMember(realm, people.echo, full), "profile_data"))
})
