import t from "tap"
import type { SectionView } from "../../../../src/chat/ground/kinds/section-view.ts"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import type { UserRecord } from "../../../../src/chat/ground/realm/records.ts"
import { userSettingsOf } from "../../../../src/chat/ground/realm/user-settings.ts"
import { ChannelId, UserId } from "../../../../src/ids.ts"
import { column, makeRealm, only, people, person, record, sectionsFor } from "../../../kit/hand-made-realm.ts"

t.test("each channel is in one of three lists: subscribed, formerly subscribed, never subscribed", async (t) => {
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

t.test("a subscription has the user's settings, with null only for clients that can read it", async (t) => {
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

t.test(
  "lists of subscribers have all active ones, or some of a big channel's if the client asks for that",
  async (t) => {
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
  },
)

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
