/** What the sections of register say of groups, bots, settings and addresses, and that kept texts never outlive a change. */
import t from "tap"
import type { Realm } from "../../../src/chat/realm/realm.ts"
import type { UserRecord } from "../../../src/chat/realm/records.ts"
import { withRules } from "../../../src/chat/realm/rules.ts"
import { defaultUserSettings, userSettingNames, userSettingsOf } from "../../../src/chat/realm/user-settings.ts"
import { systemGroups as groupIds, roles } from "../../../src/chat/realm/values.ts"
import { directMembers } from "../../../src/chat/user-groups/groups.ts"
import type { LogRow } from "../../../src/events/event.ts"
import { UserId } from "../../../src/ids.ts"
import type { JsonObject } from "../../../src/json.ts"
import {
  channel,
  column,
  joined,
  makeRealm,
  now,
  only,
  people,
  person,
  record,
  row,
  sectionsFor,
  words,
} from "./register-realm.ts"

const day = 24 * 3600 * 1000
const membersOf = (realm: Realm, at: number) => {
  const then = withRules(realm, { now: () => at })
  return Object.fromEntries([...realm.groups.values()].map((group) => [group.name, directMembers(then, group)]))
}

t.test("the system groups have the active people of their role, each in order", async (t) => {
  const realm = makeRealm()
  t.strictSame(membersOf(realm, now), {
    "role:internet": [],
    "role:everyone": [3],
    "role:members": [2, 4, 6],
    "role:fullmembers": [2, 4, 6],
    "role:moderators": [],
    "role:administrators": [],
    "role:owners": [1],
    "role:nobody": [],
  })
  const groups = sectionsFor(people.hamlet, only("realm_user_groups"), realm)["realm_user_groups"]
  t.strictSame(column(groups, "id"), [1, 2, 3, 4, 5, 6, 7, 8])
  t.strictSame(record(groups, "id", groupIds["role:members"]), {
    id: 3,
    name: "role:members",
    description: "about role:members",
    members: [2, 4, 6],
    direct_subgroup_ids: [4],
    is_system_group: true,
    deactivated: false,
    creator_id: null,
    date_created: null,
    can_add_members_group: 8,
    can_join_group: 8,
    can_leave_group: 8,
    can_manage_group: 8,
    can_mention_group: 8,
    can_remove_members_group: 8,
  })
})

t.test("where there is a waiting period, time alone makes full members", async (t) => {
  const realm = makeRealm()
  realm.apply(row(31, "realm", [], { op: "update", key: "waiting_period_days", value: 3, development: false }))
  t.strictSame(membersOf(realm, joined + 3 * day - 1)["role:fullmembers"], [])
  t.strictSame(membersOf(realm, joined + 3 * day)["role:fullmembers"], [2, 4, 6])
  t.strictSame(membersOf(realm, joined)["role:members"], [2, 4, 6])
})

t.test("administrators run all bots, others their own", async (t) => {
  const bots = (user: UserRecord | null) => sectionsFor(user, only("realm_bot"))["realm_bots"]
  t.match(bots(people.iago), [
    {
      user_id: 4,
      full_name: "Echo",
      email: "echo@example.org",
      bot_type: 1,
      is_active: true,
      api_key: /^[0-9A-Za-z]{32}$/,
      owner_id: 1,
      default_sending_stream: null,
      default_events_register_stream: null,
      default_all_public_streams: false,
      services: [],
    },
  ])
  for (const user of [people.hamlet, people.polonius, people.echo, null]) t.strictSame(bots(user), [])
  const owner = { ...people.hamlet, id: people.iago.id }
  t.equal(column(bots(owner), "user_id").length, 1, "a member's own")
})

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

t.test("settings, and their older copies for older clients", async (t) => {
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

t.test("subscriptions inherit their user's settings for clients that cannot take null", async (t) => {
  const settings = userSettingsOf({ enable_stream_desktop_notifications: true, wildcard_mentions_notify: false })
  const user = { ...people.hamlet, settings }
  const lobby = (notificationNull: boolean) =>
    record(sectionsFor(user, { ...only("subscription"), notificationNull })["subscriptions"], "name", "lobby")
  t.match(lobby(false), {
    desktop_notifications: true,
    audible_notifications: false,
    push_notifications: true,
    email_notifications: false,
    wildcard_mentions_notify: false,
  })
  t.match(lobby(true), { desktop_notifications: null, push_notifications: true, wildcard_mentions_notify: null })
})

t.test("default channels and profile field types", async (t) => {
  const realm = makeRealm()
  realm.setChannel(channel(8, "porch", { is_default: true }))
  realm.setChannel(channel(9, "cellar", { is_default: true, is_archived: true }))
  const of = (user: UserRecord | null) => sectionsFor(user, only("default_streams"), realm)["realm_default_streams"]
  t.strictSame(of(people.hamlet), [8])
  t.strictSame(of(people.polonius), [], "guests are put nowhere")
  t.strictSame(of(null), [])
  const types = sectionsFor(people.hamlet, only("custom_profile_fields"))["custom_profile_field_types"]
  const names = words("SHORT_TEXT LONG_TEXT SELECT DATE URL USER EXTERNAL_ACCOUNT PRONOUNS")
  t.strictSame(Object.keys(Object(types)), names)
  t.match(types, Object.fromEntries(names.map((name, n) => [name, { id: n + 1, name: /./ }])))
})

t.test("an address is in the lists of those only who may see it", async (t) => {
  const realm = makeRealm()
  const seen = (viewer: UserRecord | null) => {
    const ophelia = record(sectionsFor(viewer, only("realm_user"), realm)["realm_users"], "user_id", 6)
    return [ophelia["email"], ophelia["delivery_email"]]
  }
  const [hidden, real] = ["user6@chat.example.org", "ophelia@example.org"]
  // Twice each, in turn: kept texts must not be another viewer's.
  for (let round = 0; round < 2; round++) {
    t.strictSame(seen(people.iago), [hidden, real])
    t.strictSame(seen(people.hamlet), [hidden, null])
    t.strictSame(seen(people.polonius), [hidden, null])
    t.strictSame(seen(people.ophelia), [hidden, real])
    t.strictSame(seen(null), [hidden, null])
  }
  const own = sectionsFor(people.ophelia, only("realm_user"), realm)
  t.match(own, { email: hidden, delivery_email: real })
})

t.test("a visitor sees people without addresses, and web-public channels only", async (t) => {
  const state = sectionsFor(null, { ...only("realm_user", "stream", "subscription", "user_settings"), gravatar: false })
  t.strictSame(column(state["realm_users"], "user_id"), [1, 2, 3, 4, 6])
  t.strictSame(column(state["realm_users"], "delivery_email"), [null, null, null, null, null])
  const hamlet = record(state["realm_users"], "user_id", 2)
  t.match(hamlet, { email: "user2@chat.example.org", date_joined: "2026-01-01", avatar_url: /^https:/ })
  t.notOk(Object.hasOwn(hamlet, "timezone"))
  t.strictSame(column(state["streams"], "name"), ["square"])
  t.strictSame(column(state["subscriptions"], "name"), ["square"])
  t.strictSame([state["unsubscribed"], state["never_subscribed"]], [[], []])
  t.match(state, { is_admin: false, is_owner: false, is_guest: false, can_create_streams: false })
  for (const key of ["user_id", "email", "delivery_email", "full_name"]) t.notOk(Object.hasOwn(state, key), key)
  t.match(state["user_settings"], {
    timezone: "",
    email_address_visibility: defaultUserSettings.email_address_visibility,
  })
})

t.test("what is kept is made again after every row that changes it", async (t) => {
  const realm = makeRealm()
  const everything = only(..."realm realm_user realm_user_groups stream subscription realm_bot".split(" "))
  const fresh = (viewer: UserRecord) => sectionsFor(viewer, { ...everything, includeSubscribers: true }, realm)
  const viewers = () => [1, 2, 3].map((id) => realm.users.get(UserId(id))).filter((user) => user !== undefined)
  const rows: ReadonlyArray<readonly [string, LogRow, (state: JsonObject) => unknown, unknown]> = [
    [
      "a new name",
      row(31, "realm", [], { op: "update", key: "name", value: "Helsingør", development: false }),
      (state) => state["realm_name"],
      "Helsingør",
    ],
    [
      "a role",
      row(32, "realm_user", [], { op: "update", user_id: 2, role: roles.moderator }),
      (state) => record(state["realm_users"], "user_id", 2)["role"],
      roles.moderator,
    ],
    [
      "its groups",
      row(33, "user_group", [], { op: "add_members", group_id: 5, user_ids: [2] }),
      (state) => record(state["realm_user_groups"], "id", 5)["members"],
      [2],
    ],
    [
      "a hidden address",
      row(34, "user_settings", [], { user_id: 2, property: "email_address_visibility", value: 4 }),
      (state) => record(state["realm_users"], "user_id", 2)["email"],
      "user2@chat.example.org",
    ],
    [
      "somebody who leaves",
      row(35, "realm_user", [], { op: "update", user_id: 4, is_active: false }),
      (state) => [
        column(state["realm_non_active_users"], "user_id"),
        record(state["subscriptions"], "stream_id", 1)["subscribers"],
        record(state["streams"], "stream_id", 1)["subscriber_count"],
      ],
      [[4, 5], [1, 2, 3], 3],
    ],
    [
      "a channel's first message",
      row(36, "stream", [], { op: "update", channel_id: 1, name: "lobby", property: "first_message_id", value: 99 }),
      (state) => record(state["streams"], "stream_id", 1)["first_message_id"],
      99,
    ],
    [
      "somebody new",
      row(37, "realm_user", [], {
        op: "add",
        user: { ...person(7, "Rosencrantz", roles.member), settings: {} },
      }),
      (state) => [column(state["realm_users"], "user_id"), record(state["realm_user_groups"], "id", 3)["members"]],
      [
        [1, 2, 3, 6, 7],
        [6, 7],
      ],
    ],
  ]
  for (const viewer of viewers()) fresh(viewer)
  for (const [name, change, read, expected] of rows) {
    realm.apply(change)
    for (const viewer of viewers())
      t.strictSame(read(fresh(viewer)), expected, `${name}, as ${viewer.full_name} sees it`)
  }
})
