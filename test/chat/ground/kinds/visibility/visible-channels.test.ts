/** One row about many channels goes, channel by channel, to exactly those who would get a row about each. */
import t from "tap"
import { peerInAll } from "../../../../../src/chat/channels/subscriptions/subscription-steps.ts"
import { queueEndKind } from "../../../../../src/chat/ground/kinds/queue-end-row.ts"
import type { ChannelsByViewers } from "../../../../../src/chat/ground/kinds/visibility/channels-by-viewers.ts"
import { VisibleChannels } from "../../../../../src/chat/ground/kinds/visibility/visible-channels.ts"
import { channelAudience } from "../../../../../src/chat/ground/permissions/channel-visibility.ts"
import { groupChannelsByViewers } from "../../../../../src/chat/ground/permissions/group-channels-by-viewers.ts"
import { type GroupSetting, roles, systemGroups } from "../../../../../src/chat/ground/realm/domain-values.ts"
import { type Rules, withChangedRules } from "../../../../../src/chat/ground/realm/realm-rules.ts"
import type { ChannelRecord } from "../../../../../src/chat/ground/realm/records.ts"
import { noCapabilities } from "../../../../../src/events/client-capabilities.ts"
import { isReceiver, rowAudience } from "../../../../../src/events/event.ts"
import { ChannelId, GroupId, UserId } from "../../../../../src/ids.ts"
import { channel, makeRealm, people, person } from "../../../../kit/hand-made-realm.ts"

const privacies = [
  { is_private: true },
  { is_private: true, history_shared: false },
  {},
  { is_web_public: true },
] as const

/** Who holds a permission to see a private channel, in all ways in which one can be given. */
const settings: ReadonlyArray<GroupSetting> = [
  systemGroups["role:nobody"],
  systemGroups["role:moderators"],
  systemGroups["role:members"],
  GroupId(20),
  { direct_members: [UserId(2), UserId(3)], direct_subgroups: [] },
  { direct_members: [UserId(8)], direct_subgroups: [GroupId(20)] },
]

const subscribers = [[], [2], [3, 7], [2, 6, 8]] as const

/** What is told of channels that few people are needed for. */
const told = (rules: Rules, channels: ReadonlyArray<ChannelRecord>): ChannelsByViewers => {
  const places = groupChannelsByViewers(rules, channels)
  if (places === null) throw new Error("too many ids")
  return places
}

const watch = {
  id: GroupId(20),
  name: "watch",
  description: "",
  is_system: false,
  deactivated: false,
  creator_id: null,
  created_at: null,
  members: [UserId(6)],
  subgroups: [],
  permissions: {},
}

const makeScene = () => {
  const realm = makeRealm()
  for (const user of [person(7, "Laertes", roles.moderator), person(8, "Osric", roles.member)]) {
    realm.setUser(user)
    realm.roles.add(user.id, user.role, { opened: 1, closed: null })
  }
  // Osric has been an administrator until row 25.
  realm.roles.close(UserId(8), 2)
  realm.roles.add(UserId(8), roles.administrator, { opened: 2, closed: null })
  realm.roles.close(UserId(8), 25)
  realm.roles.add(UserId(8), roles.member, { opened: 25, closed: null })
  realm.groups.set(watch)
  const channels: Array<ChannelRecord> = []
  const { permissions } = channel(1, "as always")
  for (const privacy of privacies)
    for (const is_archived of [false, true])
      for (const [n, can_administer_channel_group] of settings.entries())
        for (const users of subscribers) {
          const id = 100 + channels.length
          const can_subscribe_group = settings[(n + users.length) % settings.length] ?? systemGroups["role:nobody"]
          const held = { permissions: { ...permissions, can_administer_channel_group, can_subscribe_group } }
          const made = channel(id, `channel ${id}`, { ...privacy, ...held, is_archived })
          realm.setChannel(made)
          channels.push(made)
          for (const user of users) realm.subscriptions.add(made.id, UserId(user), { opened: 10, closed: null })
          // Hamlet has been in some that he left at row 26.
          if (users.length === 0) realm.subscriptions.add(made.id, UserId(2), { opened: 10, closed: 26 })
        }
  return { realm, channels }
}

t.test("each receiver hears of the channels that they see at the row, and of no other", async (t) => {
  const { realm, channels } = makeScene()
  const rules = withChangedRules(realm, {})
  const payload = told(rules, channels)
  t.equal(payload.places.flatMap(({ channel_ids }) => channel_ids).length, channels.length, "each is in one place")
  t.ok(payload.places.length < channels.length / 3, `${payload.places.length} places`)
  t.ok(payload.knowers.length <= 2 * settings.length, "a list of people is written once")
  const everybody = [...Object.values(people), ...[7, 8, 4711].map((id) => ({ id: UserId(id) }))]
  const counts = new Set<number>()
  for (const position of [24, 25, 26, 30]) {
    const seen = new VisibleChannels(realm, payload, position)
    t.equal(seen.size, channels.length)
    const keys = new Map<string, string>()
    for (const { id: user } of everybody)
      for (const archivedChannels of [false, true]) {
        const rendering = { ...noCapabilities, archivedChannels, rendered: true, gravatar: false, slimPresence: false }
        const receiver = { user, rendering, viaPublicStreams: false }
        const expected = channels
          .filter(
            (each) =>
              (archivedChannels || !each.is_archived) &&
              isReceiver(rowAudience(channelAudience(rules, each)), position, user, realm),
          )
          .map(({ id }) => id)
        const found = seen.of(receiver)
        t.same(found, expected, `user ${user} at ${position}${archivedChannels ? ", archived ones too" : ""}`)
        counts.add(found.length)
        const [key, text] = [seen.key(receiver), found.join()]
        t.equal(keys.get(key) ?? text, text, "whoever shares bytes with others sees the same channels")
        keys.set(key, text)
      }
    t.equal(new Set(keys.values()).size, keys.size, "whoever sees the same channels shares the bytes")
  }
  t.ok(counts.has(0) && counts.has(channels.length) && counts.size > 6, `none, some or all: ${[...counts]}`)
})

t.test("no channels are no places", async (t) => {
  t.same(groupChannelsByViewers(withChangedRules(makeRealm(), {}), []), { places: [], knowers: [] })
})

t.test("a channel that is not in the row is never named, whoever is in it", async (t) => {
  const { realm, channels } = makeScene()
  const some = channels.filter((_, n) => n % 7 === 0)
  const seen = new VisibleChannels(realm, told(withChangedRules(realm, {}), some), 30)
  const rendering = { ...noCapabilities, archivedChannels: true, rendered: true, gravatar: false, slimPresence: false }
  const found = seen.of({ user: people.iago.id, rendering, viaPublicStreams: false })
  t.same(
    found,
    some.map(({ id }) => id),
    "an owner sees all of these",
  )
  t.notOk(found.includes(ChannelId(1)))
})

/** Two hundred private channels, each administered by one member and all of some groups, of which one has `count` members. */
const administered = (count: number, groups: ReadonlyArray<GroupId>) => {
  const realm = makeRealm()
  for (let id = 100; id < 300 + count; id++) {
    realm.setUser(person(id, `user ${id}`, roles.member))
    realm.roles.add(UserId(id), roles.member, { opened: 1, closed: null })
  }
  realm.groups.set({ ...watch, members: Array.from({ length: count }, (_, n) => UserId(300 + n)) })
  const { permissions } = channel(1, "as always")
  const channels = Array.from({ length: 200 }, (_, n) => {
    const can_administer_channel_group = { direct_members: [UserId(100 + n)], direct_subgroups: groups }
    const held = { permissions: { ...permissions, can_administer_channel_group } }
    return channel(100 + n, `channel ${n}`, { is_private: true, ...held })
  })
  return { rules: withChangedRules(realm, {}), channels }
}

t.test("equal lists of people stand in a row once, however the permissions are written", async (t) => {
  const { rules, channels } = administered(10_000, [systemGroups["role:members"]])
  const { places, knowers } = told(rules, channels)
  t.same(
    places.map(({ channel_ids, known_by }) => [channel_ids.length, known_by]),
    [[channels.length, [0]]],
  )
  t.equal(knowers[0]?.length, [...rules.users.values()].filter(({ role }) => role <= roles.member).length - 1, "active")
  const alike = administered(100, [watch.id])
  const others = alike.channels.map((each) => {
    const can_subscribe_group = each.permissions.can_administer_channel_group
    return { ...each, permissions: { ...each.permissions, can_subscribe_group } }
  })
  t.equal(told(alike.rules, others).knowers.length, 200, "by two permissions, too")
})

t.test("lists that differ are told while they are short; else a row would have millions of ids", async (t) => {
  const few = administered(200, [watch.id])
  const { knowers, places } = told(few.rules, few.channels)
  t.equal(knowers.flat().length, 200 * 201)
  t.equal(places.length, 200)
  const many = administered(10_000, [watch.id])
  t.equal(groupChannelsByViewers(many.rules, many.channels), null)
  const [row, ...rest] = peerInAll("peer_remove", many.rules, many.channels, UserId(100))
  t.match(row, { type: "queue_end", table: "apply_queue_end_v1" })
  t.same(rest, [])
  const { user_ids } = queueEndKind.read(JSON.parse(JSON.stringify(row?.payload)))
  t.equal(user_ids.length, [...many.rules.users.keys()].filter(many.rules.isActive).length - 1, "all others")
  t.notOk(user_ids.includes(UserId(100)))
})
