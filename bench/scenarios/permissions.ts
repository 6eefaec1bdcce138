/**
 * The cost of checking the permission to send: requireChannelToPost on a realm in memory, with nested groups. Needs no
 * server, because the check never waits.
 */

import * as Result from "effect/Result"
import { newChannel } from "../../src/chat/channels/channels/new-channel.ts"
import { type GroupSetting, roles } from "../../src/chat/ground/realm/domain-values.ts"
import { Realm } from "../../src/chat/ground/realm/realm.ts"
import { readRealmSettings } from "../../src/chat/ground/realm/realm-settings.ts"
import type { GroupRecord } from "../../src/chat/ground/realm/records.ts"
import { defaultUserSettings } from "../../src/chat/ground/realm/user-settings.ts"
import { requireChannelToPost } from "../../src/chat/sending/messages/destination.ts"
import { median } from "../../src/command-line/bench/statistics.ts"
import { ChannelId, GroupId, RealmId, UserId } from "../../src/ids.ts"
import { emptyParts } from "../../test/kit/catalog.ts"
import type { Row, Scenario } from "../scenario.ts"

const channels = 1000
const groups = 1000
/** The first id after those of the system groups. */
const firstGroup = 9
/** The id of the n-th group that is not a system group, n from 0. */
const groupId = (n: number): GroupId => GroupId(firstGroup + n)
const subscribersPerChannel = 100

interface Nesting {
  readonly label: string
  /** The groups that the n-th one contains directly, n from 0. */
  readonly subgroups: (n: number) => ReadonlyArray<GroupId>
  /** The group that may post in the n-th channel. */
  readonly mayPost: (n: number) => GroupSetting
}

const within = (numbers: ReadonlyArray<number>) => numbers.filter((n) => n < groups).map(groupId)
const tree = (n: number) => within([2 * n + 1, 2 * n + 2])
const chain = (n: number) => within([n + 1])

const nestings: ReadonlyArray<Nesting> = [
  { label: "a group of its own, 10 levels", subgroups: tree, mayPost: (n) => groupId(n % groups) },
  { label: "the whole tree of groups", subgroups: tree, mayPost: () => groupId(0) },
  { label: "a chain of 1,000 groups", subgroups: chain, mayPost: () => groupId(0) },
  {
    label: "people and groups by name",
    subgroups: tree,
    mayPost: (n) => ({
      direct_members: [UserId(1 + n), UserId(2 + n), UserId(3 + n)],
      direct_subgroups: [groupId(n % 500), groupId(500 + (n % 500))],
    }),
  },
]

const groupOf = (n: number, people: number, subgroups: ReadonlyArray<GroupId>): GroupRecord => ({
  id: groupId(n),
  name: `group ${n}`,
  description: "",
  is_system: false,
  deactivated: false,
  creator_id: UserId(1),
  created_at: 0,
  members: Array.from({ length: Math.ceil(people / groups) }, (_, k) => UserId(1 + n + k * groups)).filter(
    (id) => id <= people,
  ),
  subgroups,
  permissions: {},
})

const makeRealm = (people: number, { subgroups, mayPost }: Nesting): Realm => {
  const settings = readRealmSettings({ name: "Bench" })
  const realm = new Realm({
    id: RealmId(1),
    host: "bench.example",
    epoch: "bench",
    settings,
    position: 1,
    createdAt: 0,
    now: () => 0,
    moves: new Map(),
    parts: emptyParts(),
  })
  for (let n = 1; n <= people; n++) {
    const id = UserId(n)
    realm.setUser({
      id,
      email: `reader${id}@bench.example`,
      full_name: `Reader ${id}`,
      role: roles.member,
      is_bot: false,
      bot_type: null,
      bot_owner_id: null,
      timezone: "",
      avatar_version: 1,
      avatar: null,
      key_version: 1,
      joined_at: 0,
      must_reset_password: false,
      settings: defaultUserSettings,
    })
    realm.roles.add(id, roles.member, { opened: 1, closed: null })
  }
  for (let n = 0; n < groups; n++) realm.groups.set(groupOf(n, people, subgroups(n)))
  for (let n = 0; n < channels; n++) {
    // Every other channel is private, so that the sender must be subscribed.
    const fields = {
      description: "",
      isPrivate: n % 2 === 1,
      isWebPublic: false,
      historyShared: true,
      isDefault: false,
    }
    const channel = newChannel(ChannelId(n + 1), { name: `channel ${n}`, ...fields }, null, 0)
    realm.setChannel({ ...channel, permissions: { ...channel.permissions, can_send_message_group: mayPost(n) } })
    const holders = [...realm.groups.closureOfSetting(mayPost(n)).members].slice(0, subscribersPerChannel)
    realm.subscriptions.addAll(channel.id, holders.map(UserId), { opened: 1, closed: null })
  }
  return realm
}

interface Send {
  readonly user: UserId
  readonly channel: ChannelId
}

/** Sends by subscribers who may post, and by users who may not. */
const sendsOf = (realm: Realm, mayPost: Nesting["mayPost"], count: number) => {
  const allowed: Array<Send> = []
  const refused: Array<Send> = []
  for (let i = 0; i < count; i++) {
    const n = (i * 31) % channels
    const channel = ChannelId(n + 1)
    const subscribers = realm.subscribers(channel)
    allowed.push({ channel, user: UserId(subscribers[i % subscribers.length] ?? 0) })
    const { members } = realm.groups.closureOfSetting(mayPost(n))
    const other = UserId(1 + ((i * 7919) % realm.users.size))
    if (!members.includes(other)) refused.push({ channel, user: other })
  }
  return { allowed, refused }
}

/** Microseconds per send, NaN if there are none; and how many were permitted. */
const timed = (realm: Realm, sends: ReadonlyArray<Send>) => {
  let allowed = 0
  const began = performance.now()
  for (const { user, channel } of sends) {
    const sender = realm.users.get(user)
    if (sender !== undefined && Result.isSuccess(requireChannelToPost(realm, sender, channel))) allowed++
  }
  return {
    microseconds: sends.length === 0 ? Number.NaN : (1000 * (performance.now() - began)) / sends.length,
    allowed,
  }
}

/** Changes the deepest group, so that the next check must compute the members of all groups that contain it. */
const change = (realm: Realm): void => {
  const deepest = realm.groups.get(groupId(groups - 1))
  if (deepest !== undefined) realm.groups.set({ ...deepest, members: [...deepest.members] })
}

const sends = 100_000
const changes = 100

const measure = (realm: Realm, { mayPost }: Nesting, rounds: number): Row["figures"] => {
  const { allowed, refused } = sendsOf(realm, mayPost, sends)
  timed(realm, allowed)
  const repeated = (some: ReadonlyArray<Send>) => Array.from({ length: rounds }, () => timed(realm, some))
  const through = repeated(allowed)
  if (through.some((each) => each.allowed < allowed.length))
    throw new Error("a send was refused that must be permitted")
  // Only sends to the last channel, whose permission the deepest group holds.
  const last = allowed.filter(({ channel }) => channel === channels).slice(0, 1)
  const anew = Array.from({ length: changes }, () => {
    change(realm)
    return timed(realm, last).microseconds
  })
  return {
    "us/send": median(through.map(({ microseconds }) => microseconds)),
    "us/send, refused": median(repeated(refused).map(({ microseconds }) => microseconds)),
    "us, the first after a change": median(anew),
  }
}

export const permissions: Scenario = {
  name: "permissions",
  about: "what a send pays for its permission to post, with N users, 1,000 channels and 1,000 groups within groups",
  targets: { "us/send": { most: 5 } },
  run: async (settings) => {
    const rows: Array<Row> = []
    for (const people of settings.sizes ?? [10_000]) {
      for (const nesting of nestings) {
        settings.progress(`${people} users, ${nesting.label}`)
        const label = `${people} users, ${nesting.label}`
        rows.push({ label, figures: measure(makeRealm(people, nesting), nesting, settings.rounds), remarks: [] })
      }
    }
    return rows
  },
}
