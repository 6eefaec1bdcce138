import t from "tap"
import type { SectionView } from "../../../../src/chat/ground/kinds/section-view.ts"
import type { UserRecord } from "../../../../src/chat/ground/realm/records.ts"
import { isTorn } from "../../../../src/chat/server/sync/register.ts"
import type { LogRow } from "../../../../src/events/event.ts"
import { RowRing } from "../../../../src/events/past/row-ring.ts"
import { UserId } from "../../../../src/ids.ts"
import {
  all,
  channel,
  containedTypes,
  isSplit,
  makeRealm,
  now,
  only,
  people,
  row,
  sectionsFor,
  words,
} from "../../../kit/hand-made-realm.ts"
import { realmKeys } from "../../../kit/realm-keys.ts"
import { rowsOfRooms } from "../../../kit/walk-rows-of-features.ts"

t.test("every key that a strict client needs is there", async (t) => {
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

t.test("a client gets exactly the sections that it names", async (t) => {
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

t.test("the types of rows that the sections of a reply contain", async (t) => {
  const contained = (view: SectionView) => [...containedTypes(view)].sort()
  const everything = [
    ...words(`alert_words channel_folder default_stream_groups default_streams muted_users realm realm_bot realm_emoji
    realm_linkifiers realm_user restart stream subscription user_group user_settings user_status`),
    ...rowsOfRooms.flatMap((each) => each.contained),
  ].sort()
  t.strictSame(contained(all), everything)
  t.strictSame(contained(only("message", "drafts")), [])
  t.strictSame(contained(only("realm", "realm_bot", "realm_user_groups")), [
    "realm",
    "realm_bot",
    "restart",
    "user_group",
  ])
  t.strictSame(contained(only("realm_user")), ["custom_profile_fields", "realm", "realm_user"])
  t.strictSame(contained(only("stream")), ["stream", "subscription"])
  t.notOk(isSplit(all, "stream"))
  t.notOk(isSplit(only("stream", "subscription"), "subscription"))
  t.ok(isSplit(only("stream"), "subscription"))
  t.ok(isSplit(only("subscription"), "stream"))
  t.notOk(isSplit(only("realm_user"), "stream"))
  t.notOk(isSplit(only("subscription"), "message"))
  t.ok(isSplit(only("realm"), "realm"), "one's rights to create channels stand elsewhere")
  const older = (...sections: ReadonlyArray<string>) => ({ ...only(...sections), userSettingsObject: false })
  t.strictSame(contained(older("update_display_settings")), ["update_display_settings", "user_settings"])
  t.ok(isSplit(older("update_display_settings"), "user_settings"), "half of the older copies")
  t.notOk(isSplit(older("user_settings"), "user_settings"), "who has all settings needs no copies")
  t.ok(isSplit(only("user_settings", "drafts"), "user_settings"), "drafts go with their setting")
  t.strictSame(contained(only("update_display_settings")), [], "newer clients get none")
})

t.test("a register is tried again only if a row for this client changes more than its sections contain", async (t) => {
  const torn = (rows: ReadonlyArray<LogRow>, view: SectionView, types: ReadonlyArray<string> | null = null) => {
    const ring = new RowRing(1_000_000)
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
  t.match(types, { SHORT_TEXT: { name: "Text (short)" } })
})
