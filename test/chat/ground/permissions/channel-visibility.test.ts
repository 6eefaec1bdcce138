/**
 * The rows about who sees which channels, in a large organization: the audience of a private channel compared with the
 * permission asked for every user; and the bound on how much is compared.
 */

import t from "tap"
import { newChannel } from "../../../../src/chat/channels/channels/new-channel.ts"
import { channelAudience, visibilityChangeRows } from "../../../../src/chat/ground/permissions/channel-visibility.ts"
import { isAdministrator, mayKnowOf } from "../../../../src/chat/ground/permissions/permissions.ts"
import { type GroupSetting, type Role, roles, systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { Realm } from "../../../../src/chat/ground/realm/realm.ts"
import { withChangedRules } from "../../../../src/chat/ground/realm/realm-rules.ts"
import { readRealmSettings } from "../../../../src/chat/ground/realm/realm-settings.ts"
import type { ChannelRecord, GroupRecord } from "../../../../src/chat/ground/realm/records.ts"
import { defaultUserSettings } from "../../../../src/chat/ground/realm/user-settings.ts"
import { ChannelId, GroupId, RealmId, UserId } from "../../../../src/ids.ts"
import { emptyParts } from "../../../kit/catalog.ts"

const day = 24 * 3600 * 1000
const everyRole = [roles.owner, roles.administrator, roles.moderator, roles.member, roles.guest]

const makeRealm = (people: number): Realm => {
  const realm = new Realm({
    id: RealmId(1),
    host: "sight.example",
    epoch: "sight",
    settings: readRealmSettings({ name: "Sight", waiting_period_days: 10, full_members_at: 20 * day }),
    position: 1,
    createdAt: 0,
    now: () => 20 * day,
    moves: new Map(),
    parts: emptyParts(),
  })
  for (let n = 1; n <= people; n++) {
    const id = UserId(n)
    const role: Role = everyRole[id % everyRole.length] ?? roles.member
    realm.setUser({
      id,
      email: `u${id}@sight.example`,
      full_name: `User ${id}`,
      role,
      is_bot: false,
      bot_type: null,
      bot_owner_id: null,
      timezone: "",
      avatar_version: 1,
      avatar: null,
      key_version: 1,
      joined_at: id % 2 === 0 ? 0 : 19 * day,
      must_reset_password: false,
      settings: defaultUserSettings,
    })
    // Every seventh is deactivated.
    realm.roles.add(id, role, { opened: 1, closed: id % 7 === 0 ? 1 : null })
  }
  return realm
}

const group = (id: number, members: ReadonlyArray<UserId>, subgroups: ReadonlyArray<GroupId> = []): GroupRecord => ({
  id: GroupId(id),
  name: `group ${id}`,
  description: "",
  is_system: id < 9,
  deactivated: false,
  creator_id: null,
  created_at: null,
  members,
  subgroups,
  permissions: {},
})

const privateChannel = (realm: Realm, id: number, permissions: Partial<ChannelRecord["permissions"]>) => {
  const fields = { name: `channel ${id}`, description: "", isWebPublic: false, historyShared: true, isDefault: false }
  const channel = newChannel(ChannelId(id), { ...fields, isPrivate: true }, null, 0)
  realm.setChannel({ ...channel, permissions: { ...channel.permissions, ...permissions } })
  return { ...channel, permissions: { ...channel.permissions, ...permissions } }
}

const users = (from: number, through: number) => Array.from({ length: through - from + 1 }, (_, n) => UserId(from + n))

t.test("a private channel's audience lists exactly the users who see it by a group", async (t) => {
  const realm = makeRealm(100)
  for (const id of Object.values(systemGroups)) realm.groups.set(group(id, []))
  const [outer, inner] = [GroupId(9), GroupId(10)]
  realm.groups.set(group(outer, users(1, 20), [inner]))
  realm.groups.set(group(inner, users(50, 60)))
  const holders: ReadonlyArray<GroupSetting> = [
    systemGroups["role:nobody"],
    systemGroups["role:members"],
    systemGroups["role:fullmembers"],
    systemGroups["role:moderators"],
    outer,
    inner,
    { direct_members: [UserId(3), UserId(7), UserId(8), UserId(99)], direct_subgroups: [inner] },
    { direct_members: [UserId(2)], direct_subgroups: [systemGroups["role:moderators"]] },
  ]
  const turn = withChangedRules(realm, {})
  let id = 0
  for (const can_subscribe_group of holders) {
    for (const can_administer_channel_group of holders) {
      const channel = privateChannel(realm, ++id, { can_subscribe_group, can_administer_channel_group })
      const subscribers = users(id, id + 2)
      realm.subscriptions.addAll(channel.id, subscribers, { opened: 1, closed: null })
      const expected = [...realm.users.values()]
        .filter((user) => realm.isActive(user.id) && !isAdministrator(user))
        .filter((user) => !subscribers.includes(user.id) && mayKnowOf(realm, user, channel))
        .map((user) => user.id)
      for (const rules of [realm, turn, turn]) {
        const { also = [] } = channelAudience(rules, channel)
        if (!Array.isArray(also)) throw new Error("a list of ids")
        t.same(
          also.map(Number).sort((a, b) => a - b),
          expected,
        )
      }
    }
  }
})

t.test("beyond 12,000 pairs of user and channel nothing is compared: the queues of these users end", async (t) => {
  const realm = makeRealm(600)
  const holders = GroupId(9)
  const opened = Array.from({ length: 200 }, (_, n) => privateChannel(realm, n + 1, { can_subscribe_group: holders }))
  realm.groups.set(group(holders, []))
  const rowsFor = (people: ReadonlyArray<UserId>, channels: ReadonlyArray<ChannelRecord>) => {
    const after = withChangedRules(realm, { groups: realm.groups.with(group(holders, people)) })
    const among = people.map((id) => realm.users.get(id)).filter((user) => user !== undefined)
    return visibilityChangeRows(realm, after, channels, among)
  }
  const types = (rows: ReturnType<typeof rowsFor>) => [...new Set(rows.map(({ type }) => type))]
  t.same(types(rowsFor(users(1, 60), opened)), ["stream", "subscription"])
  const [end, ...others] = rowsFor(users(1, 61), opened)
  t.match(end, { type: "queue_end", payload: { user_ids: users(1, 61) } })
  t.same(others, [])
  t.same(types(rowsFor(users(1, 600), opened.slice(0, 1))), ["stream", "subscription"], "one channel is always told")
})
