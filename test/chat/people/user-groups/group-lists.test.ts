import t from "tap"
import { systemGroups as groupIds } from "../../../../src/chat/ground/realm/domain-values.ts"
import type { Realm } from "../../../../src/chat/ground/realm/realm.ts"
import { withChangedRules } from "../../../../src/chat/ground/realm/realm-rules.ts"
import { readRealmSettings } from "../../../../src/chat/ground/realm/realm-settings.ts"
import { directMembers } from "../../../../src/chat/people/user-groups/group-lists.ts"
import { column, joined, makeRealm, now, only, people, record, row, sectionsFor } from "../../../kit/hand-made-realm.ts"

const day = 24 * 3600 * 1000

const membersOf = (realm: Realm, at: number) => {
  const then = withChangedRules(realm, { settings: { ...realm.settings, full_members_at: at } })
  return Object.fromEntries([...realm.groups.values()].map((group) => [group.name, directMembers(then, group)]))
}

t.test("the members of system groups are the active users of their role, sorted", async (t) => {
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

t.test("with a waiting period, members are full ones when they are counted after it", async (t) => {
  const realm = makeRealm()
  realm.apply(row(31, "realm", [], { op: "update", key: "waiting_period_days", value: 3, development: false }))
  t.strictSame(membersOf(realm, joined + 3 * day - 1)["role:fullmembers"], [])
  t.strictSame(membersOf(realm, joined + 3 * day)["role:fullmembers"], [2, 4, 6])
  t.strictSame(membersOf(realm, joined)["role:members"], [2, 4, 6])
})

t.test("a register after the row that counts full members lists them", async (t) => {
  const realm = makeRealm(readRealmSettings({ name: "Elsinore", waiting_period_days: 3 }), () => joined + 9 * day)
  const fullMembers = () => {
    const groups = sectionsFor(people.hamlet, only("realm_user_groups"), realm)["realm_user_groups"]
    return record(groups, "id", groupIds["role:fullmembers"])["members"]
  }
  t.strictSame(fullMembers(), [], "whatever the time is")
  const count = (position: number, value: number) =>
    realm.apply(row(position, "realm", [], { op: "update", key: "full_members_at", value, development: false }))
  count(31, joined + 3 * day - 1)
  t.strictSame(fullMembers(), [])
  count(32, joined + 3 * day)
  t.strictSame(fullMembers(), [2, 4, 6])
})
