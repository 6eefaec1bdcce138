import t from "tap"
import type { UserRecord } from "../../../../src/chat/ground/realm/records.ts"
import { defaultUserSettings } from "../../../../src/chat/ground/realm/user-settings.ts"
import { column, makeRealm, only, people, record, sectionsFor } from "../../../kit/hand-made-realm.ts"

t.test("the lists of active and other users, and the requester's own keys", async (t) => {
  const state = sectionsFor(people.iago, only("realm_user"))
  t.strictSame(column(state["realm_users"], "user_id"), [1, 2, 3, 4, 6])
  t.strictSame(column(state["realm_non_active_users"], "user_id"), [5])
  t.match(state["cross_realm_bots"], [{ full_name: "Notification Bot", is_bot: true, is_system_bot: true }])
  const hamlet = record(state["realm_users"], "user_id", 2)
  t.strictSame(hamlet["profile_data"], {})
  t.equal(hamlet["date_joined"], "2026-01-01T00:00:00.000000+00:00")
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

t.test("an email address is only in the lists of those who may see it", async (t) => {
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

t.test("a visitor sees users without email addresses, and web-public channels only", async (t) => {
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
