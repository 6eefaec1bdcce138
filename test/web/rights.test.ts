/** What the page offers, by the groups that permissions name. */
import t from "tap"
import type { Api } from "../../src/client/index.ts"
import type { PageState } from "../../src/web/state/model.ts"
import { reduce } from "../../src/web/state/reduce/reduce.ts"
import {
  isAmong,
  mayAddMember,
  mayAddSubscribers,
  mayAdminister,
  mayCreateGroups,
  mayManageGroup,
  mayPost,
  mayRemoveMember,
  mayRemoveSubscribers,
} from "../../src/web/state/rights.ts"
import { madeState, selfId } from "./kit.ts"
import { channel, holding, group as madeGroup } from "./people.ts"

const self = { direct_members: [selfId], direct_subgroups: [] }

const group = (id: number, change: Partial<Api.UserGroup> = {}): Api.UserGroup => madeGroup(id, `group ${id}`, change)

const withGroups = (...groups: ReadonlyArray<Api.UserGroup>): PageState =>
  madeState({ groups: new Map(groups.map((each) => [each.id, each])) })

t.test("a group holds its members and those of the groups in it", async (t) => {
  const state = withGroups(
    group(1, { direct_subgroup_ids: [2] }),
    group(2, { members: [selfId], direct_subgroup_ids: [1] }),
    group(3),
  )
  t.equal(isAmong(state, selfId, 1), true)
  t.equal(isAmong(state, 99, 1), false, "groups that stand in each other end")
  t.equal(isAmong(state, selfId, 3), false)
  t.equal(isAmong(state, selfId, { direct_members: [], direct_subgroups: [3, 1] }), true)
  t.equal(isAmong(state, selfId, 77), false)
  const out = reduce(
    state,
    { id: 1, type: "user_group", op: "remove_subgroups", group_id: 1, direct_subgroup_ids: [2] },
    0,
  )
  t.equal(isAmong(out, selfId, 1), false)
  const back = reduce(out, { id: 2, type: "user_group", op: "add_subgroups", group_id: 1, direct_subgroup_ids: [2] }, 0)
  t.equal(isAmong(back, selfId, 1), true)
})

t.test("of a channel: by its own permissions, by the organization's, by the role", async (t) => {
  const plain = madeState()
  const ways = [
    [mayPost, { post: self }],
    [mayAdminister, { administer: self }],
    [mayAddSubscribers, { addSubscribers: self }],
    [mayAddSubscribers, { administer: self }],
    [mayRemoveSubscribers, { removeSubscribers: self }],
    [mayRemoveSubscribers, { administer: self }],
  ] as const
  const guest: PageState = { ...plain, self: { ...plain.self, isGuest: true } }
  const admin: PageState = { ...plain, self: { ...plain.self, isAdmin: true } }
  for (const [may, permissions] of ways) {
    t.equal(may(plain, channel(1, "general")), false)
    t.equal(may(plain, channel(1, "general", holding(permissions))), true)
    t.equal(
      may(guest, channel(1, "general", holding(permissions))),
      may === mayPost,
      "guests hold only what everybody may",
    )
    t.equal(may(admin, channel(1, "general")), may !== mayPost)
  }
  const open: PageState = { ...plain, permissions: { ...plain.permissions, addSubscribers: self } }
  t.equal(mayAddSubscribers(open, channel(1, "general")), true)
})

t.test("of a group", async (t) => {
  const plain = madeState()
  t.equal(mayManageGroup(plain, group(1)), false)
  t.equal(mayManageGroup(plain, group(1, { can_manage_group: self })), true)
  t.equal(mayManageGroup(plain, group(1, { can_manage_group: self, is_system_group: true })), false)
  t.equal(mayAddMember(plain, group(1, { can_join_group: self }), selfId), true)
  t.equal(mayAddMember(plain, group(1, { can_join_group: self }), 99), false)
  t.equal(mayAddMember(plain, group(1, { can_add_members_group: self }), 99), true)
  t.equal(mayRemoveMember(plain, group(1, { can_leave_group: self }), selfId), true)
  t.equal(mayRemoveMember(plain, group(1, { can_leave_group: self }), 99), false)
  t.equal(mayRemoveMember(plain, group(1, { can_remove_members_group: self }), 99), true)
  t.equal(mayCreateGroups(plain), false)
  const let_ = reduce(
    plain,
    { id: 1, type: "realm", op: "update_dict", property: "default", data: { can_create_groups: self } },
    0,
  )
  t.equal(mayCreateGroups(let_), true)
})

t.test("a new role and new permissions are known at once", async (t) => {
  const person = { email: "", avatarUrl: null, isBot: false, ownerId: null, isActive: true, timezone: "", fields: {} }
  const state = madeState({
    people: new Map([[selfId, { ...person, id: selfId, name: "Iago", role: 400 }]]),
    channels: new Map([[1, channel(1, "general")]]),
  })
  const role = (of: 100 | 200 | 300 | 400 | 600) =>
    reduce(state, { id: 1, type: "realm_user", op: "update", person: { user_id: selfId, role: of } }, 0).self
  t.match(role(100), { isOwner: true, isAdmin: true, isGuest: false })
  t.match(role(200), { isOwner: false, isAdmin: true, isGuest: false })
  t.match(role(600), { isOwner: false, isAdmin: false, isGuest: true })
  const changed = reduce(
    state,
    {
      id: 2,
      type: "stream",
      op: "update",
      stream_id: 1,
      name: "general",
      property: "can_send_message_group",
      value: self,
    },
    0,
  )
  const known = changed.channels.get(1)
  t.ok(known)
  t.equal(known !== undefined && mayPost(changed, known), true)
})
