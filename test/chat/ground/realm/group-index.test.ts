/**
 * The index of groups gives the same members as a plain walk over the records, after random changes; and a change drops
 * only the closures of the groups that contain the changed one.
 */

import * as Result from "effect/Result"
import t from "tap"
import {
  type GroupSetting,
  type SystemGroupName,
  systemGroupName,
  systemGroups,
} from "../../../../src/chat/ground/realm/domain-values.ts"
import { type GroupClosure, GroupIndex } from "../../../../src/chat/ground/realm/group-index.ts"
import { Realm } from "../../../../src/chat/ground/realm/realm.ts"
import { withChangedRules } from "../../../../src/chat/ground/realm/realm-rules.ts"
import { readRealmSettings } from "../../../../src/chat/ground/realm/realm-settings.ts"
import type { GroupRecord } from "../../../../src/chat/ground/realm/records.ts"
import { requireSubgroups } from "../../../../src/chat/people/user-groups/user-group-items.ts"
import { GroupId, RealmId, UserId } from "../../../../src/ids.ts"
import { Random } from "../../../events/model/random.ts"
import { emptyParts } from "../../../kit/catalog.ts"
import { isFull, seed } from "../../../kit/share.ts"

const byNumber = (a: number, b: number) => a - b
const sorted = <Id extends number>(ids: Iterable<Id>) => [...ids].sort(byNumber)

const group = (id: number, fields: Partial<GroupRecord> = {}): GroupRecord => ({
  id: GroupId(id),
  name: `group ${id}`,
  description: "",
  is_system: id <= 8,
  deactivated: false,
  creator_id: null,
  created_at: null,
  members: [],
  subgroups: [],
  permissions: {},
  ...fields,
})

const { "role:everyone": everyone, "role:members": members, "role:owners": owners } = systemGroups
const system = [
  group(everyone, { subgroups: [members] }),
  group(members, { subgroups: [owners] }),
  group(owners),
  group(systemGroups["role:nobody"]),
]

type Records = Map<GroupId, GroupRecord>

/** Walks, as simply as it can be said. */
const reached = (records: Records, ids: Iterable<GroupId>): ReadonlySet<GroupId> => {
  const found = new Set<GroupId>()
  const visit = (id: GroupId): void => {
    const record = records.get(id)
    if (record === undefined || record.deactivated) return
    found.add(id)
    record.subgroups.forEach(visit)
  }
  for (const id of ids) visit(id)
  return found
}
const isIn = (records: Records, outer: GroupId, inner: GroupId): boolean =>
  outer === inner || (records.get(outer)?.subgroups ?? []).some((each) => isIn(records, each, inner))

const expected = (records: Records, setting: GroupSetting) => {
  const value = typeof setting === "number" ? { direct_members: [], direct_subgroups: [setting] } : setting
  const groups = [...reached(records, value.direct_subgroups)]
  const people = groups.flatMap((id) => records.get(id)?.members ?? [])
  return {
    members: sorted(new Set([...value.direct_members, ...people])),
    systems: groups
      .map(systemGroupName)
      .filter((name) => name !== undefined)
      .sort(),
  }
}
const plain = ({ members, systems }: GroupClosure) => ({ members: [...members], systems: [...systems].sort() })

const describe = (index: GroupIndex, records: Records, settings: ReadonlyArray<GroupSetting>) => ({
  size: index.size,
  groups: sorted(records.keys()).map((id) => ({
    record: index.get(id),
    parents: sorted(index.parents(id)),
    ancestors: sorted(index.ancestors(id)),
    descendants: sorted(index.descendants(id)),
    closure: plain(index.closureOf(id)),
  })),
  settings: settings.map((setting) => plain(index.closureOfSetting(setting))),
})
const described = (records: Records, settings: ReadonlyArray<GroupSetting>): ReturnType<typeof describe> => ({
  size: records.size,
  groups: sorted(records.keys()).map((id) => ({
    record: records.get(id),
    parents: sorted([...records.values()].filter(({ subgroups }) => subgroups.includes(id)).map((each) => each.id)),
    ancestors: sorted([...records.keys()].filter((each) => isIn(records, each, id))),
    descendants: sorted(reached(records, [id])),
    closure: expected(records, id),
  })),
  settings: settings.map((setting) => expected(records, setting)),
})

const userCount = 12
const users = Array.from({ length: userCount }, (_, n) => UserId(n + 1))
const nowhere = GroupId(0)

/** A change of one group: none makes a cycle, as none that is committed does. */
const change = (random: Random, records: Records): GroupRecord => {
  const own = [...records.keys()].filter((id) => id > 8)
  const known = records.get(random.chance(0.25) ? nowhere : random.pick(own.length === 0 ? [nowhere] : own))
  if (known === undefined) {
    const id = 9 + own.length
    return group(id, { members: random.some(users, 0.2), subgroups: random.some(sorted(records.keys()), 0.15) })
  }
  const fit = sorted(records.keys()).filter((id) => !isIn(records, id, known.id))
  if (random.chance(0.4)) return { ...known, members: random.some(users, 0.3) }
  if (random.chance(0.6)) return { ...known, subgroups: random.some(fit, 0.2) }
  return { ...known, deactivated: !known.deactivated }
}

t.test("the index gives the same members as a walk over the records", async (t) => {
  t.comment(`seed ${seed}`)
  const random = new Random(seed)
  for (let round = 0; round < (isFull ? 20 : 4); round++) {
    const records: Records = new Map(system.map((each) => [each.id, each]))
    const index = new GroupIndex(system)
    // Kept as records keep theirs, so that what is remembered of them grows old.
    const settings: Array<GroupSetting> = [owners]
    for (let step = 0; step < 30; step++) {
      const ids = sorted(records.keys())
      settings.push({ direct_members: random.some(users, 0.2), direct_subgroups: random.some(ids, 0.2) })
      const [first, second] = [change(random, records), change(random, records)]
      const after: Records = new Map(records).set(first.id, first)
      const both = isIn(after, second.id, first.id) || second.subgroups.some((each) => isIn(after, each, second.id))
      const changes = both ? [first] : [first, second]
      for (const each of changes) after.set(each.id, each)
      t.same(
        describe(index.with(...changes), after, settings),
        described(after, settings),
        `${round}, ${step}: it would be`,
      )
      t.same(describe(index, records, settings), described(records, settings), `${round}, ${step}: it is`)
      index.set(first)
      records.set(first.id, first)
      t.same(describe(index, records, settings), described(records, settings), `${round}, ${step}: it is now`)
      if (!t.passing()) return
    }
    t.same(describe(new GroupIndex(records.values()), records, settings), described(records, settings), "made at once")
  }
})

t.test("the holders of a permission", async (t) => {
  const [outer, inner] = [GroupId(9), GroupId(10)]
  const index = new GroupIndex([
    ...system,
    group(outer, { members: [UserId(1), UserId(2)], subgroups: [inner, members] }),
    group(inner, { members: [UserId(3)] }),
  ])
  const roleOf = (name: SystemGroupName): boolean => name === "role:owners"
  const holds = (setting: GroupSetting, user: number, isOf = roleOf) => index.includes(setting, UserId(user), isOf)
  t.same(
    [1, 3, 4].map((user) => holds(outer, user, () => false)),
    [true, true, false],
  )
  t.ok(holds(outer, 4), "by a role that is part of a part")
  t.notOk(holds(inner, 4))
  t.ok(holds({ direct_members: [UserId(4)], direct_subgroups: [] }, 4, () => false))
  t.notOk(holds(systemGroups["role:nobody"], 1))
  t.notOk(holds(GroupId(4711), 1), "an unknown group is empty")
})

/**
 * 1,000 groups, each but the first ten in one of those before it, in chains of up to 100; ten of 10,000 people in each.
 */
const large = Array.from({ length: 1000 }, (_, n) => {
  const id = 9 + n
  return group(id, {
    members: Array.from({ length: 10 }, (_, m) => UserId(n * 10 + m + 1)),
    subgroups: n + 10 < 1000 ? [GroupId(id + 10)] : [],
  })
})

t.test("a change keeps the closures that it does not affect", async (t) => {
  const index = new GroupIndex([...system, ...large])
  const all = large.map(({ id }) => id)
  const settings: ReadonlyArray<Exclude<GroupSetting, number>> = all.map((id) => ({
    direct_members: [UserId(id)],
    direct_subgroups: id % 2 === 0 ? [id] : [],
  }))
  const closures = (of: GroupIndex) => all.map((id) => of.closureOf(id))
  const ofSettings = () => settings.map((setting) => index.closureOfSetting(setting))
  const changed = <A>(before: ReadonlyArray<A>, after: ReadonlyArray<A>) =>
    after.filter((each, n) => each !== before[n]).length

  const [before, settingsBefore] = [closures(index), ofSettings()]
  const records: Records = new Map(large.map((each) => [each.id, each]))
  t.equal(before[0]?.members.length, 1000)
  t.same(
    all.map((id) => plain(index.closureOf(id))),
    all.map((id) => expected(records, id)),
    "large groups too",
  )
  t.equal(
    changed(before, closures(index)) + changed(settingsBefore, ofSettings()),
    0,
    "asked again nothing is made again",
  )

  const joined = (id: GroupId, user: UserId): GroupRecord => {
    const known = index.get(id) ?? group(id)
    return { ...known, members: sorted([...known.members, user]) }
  }
  const leaf = GroupId(9 + 995)
  const newcomer = UserId(77_777)
  const above = index.ancestors(leaf)
  t.equal(above.size, 100)
  const hypothetical = index.with(joined(leaf, newcomer))
  t.equal(changed(before, closures(hypothetical)), above.size, "a record that might be: what contains it is made anew")
  t.equal(changed(before, closures(index)), 0, "and nothing of what is")

  index.set(joined(leaf, newcomer))
  t.equal(changed(before, closures(index)), above.size, "a member of a leaf")
  const parts = settings.filter(({ direct_subgroups: [id] }) => id !== undefined && above.has(id))
  t.equal(changed(settingsBefore, ofSettings()), parts.length, "permissions that come to the leaf, and no others")
  t.ok(parts.length > 0)

  const top = closures(index)
  index.set(joined(GroupId(9), newcomer))
  t.equal(changed(top, closures(index)), 1, "a member of what nothing contains")
})

t.test("groups may be nested deeper than the call stack", async (t) => {
  const depth = 50_000
  const chain = Array.from({ length: depth }, (_, n) =>
    group(9 + n, { members: [UserId(n + 1)], subgroups: n + 1 < depth ? [GroupId(10 + n)] : [] }),
  )
  const index = new GroupIndex(chain)
  t.equal(index.closureOf(GroupId(9)).members.length, depth)
  t.equal(index.ancestors(GroupId(8 + depth)).size, depth)
})

t.test("the number of subgroups of all groups together is limited", async (t) => {
  const children = Array.from({ length: 100 }, (_, n) => GroupId(9 + n))
  const leaves = children.map((id) => group(id))
  const parents = (count: number) => Array.from({ length: count }, (_, n) => group(200 + n, { subgroups: children }))
  const asked = (count: number, ids: ReadonlyArray<GroupId>) => {
    const settings = readRealmSettings({})
    const realm = new Realm({
      id: RealmId(1),
      host: "h",
      epoch: "e",
      settings,
      position: 0,
      createdAt: 0,
      now: () => 0,
      moves: new Map(),
      parts: emptyParts(),
    })
    return requireSubgroups(withChangedRules(realm, { groups: new GroupIndex([...leaves, ...parents(count)]) }), ids)
  }
  t.ok(Result.isSuccess(asked(199, children)))
  t.match(asked(200, [GroupId(9)]), Result.fail({ msg: /at most 20000 subgroups/ }))
})
