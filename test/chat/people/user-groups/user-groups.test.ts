/**
 * User groups: making, changing and deactivating them, their members and subgroups, every refusal, and the consequences
 * for channels, permissions, and users who are deactivated and reactivated.
 */
import t, { type Test } from "tap"
import { systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { GroupId } from "../../../../src/ids.ts"
import { agreesWithTables, sameAfresh } from "../../../kit/afresh.ts"
import { type Answer, type Fields, type Person, personOf } from "../../../kit/client.ts"
import type { ReadEvent } from "../../../kit/reader.ts"
import { pluck, recordsIn } from "../../../kit/records.ts"
import { refuses } from "../../../kit/refusals.ts"
import { Settling, type View } from "../../../kit/settles.ts"
import { inTurn } from "../../../kit/share.ts"
import { type ChannelSetup, type Name, names, type TestServer, withServer } from "../../../kit/with-server.ts"

const system = {
  internet: systemGroups["role:internet"],
  everyone: systemGroups["role:everyone"],
  members: systemGroups["role:members"],
  fullMembers: systemGroups["role:fullmembers"],
  moderators: systemGroups["role:moderators"],
  administrators: systemGroups["role:administrators"],
  owners: systemGroups["role:owners"],
  nobody: systemGroups["role:nobody"],
} as const

const ids = (server: TestServer, ...who: ReadonlyArray<Name>) => who.map(server.idOf).sort((a, b) => a - b)
const only = (server: TestServer, ...who: ReadonlyArray<Name>) => ({
  direct_members: ids(server, ...who),
  direct_subgroups: [],
})

const create = async (
  server: TestServer,
  by: Name,
  name: string,
  members: ReadonlyArray<Name> = [],
  fields: Fields = {},
): Promise<GroupId> => {
  const body = { name, description: `About ${name}`, members: ids(server, ...members), ...fields }
  return GroupId(Number((await server.as(by).must.post("/user_groups/create", body))["group_id"]))
}
const put = (server: TestServer, by: Name, group: GroupId, fields: Fields) =>
  server.as(by).post(`/user_groups/${group}/members`, fields)
const update = (server: TestServer, by: Name, group: GroupId, fields: Fields) =>
  server.as(by).patch(`/user_groups/${group}`, fields)
const deactivate = (server: TestServer, by: Name, group: GroupId) =>
  server.as(by).post(`/user_groups/${group}/deactivate`)
const groupNow = async (server: TestServer, group: GroupId): Promise<Fields> => {
  const { user_groups } = await server.as("polonius").must.get("/user_groups", { include_deactivated_groups: true })
  const found = recordsIn(user_groups).find(({ id }) => id === group)
  if (found === undefined) throw new Error(`there is no group ${group}`)
  return found
}
const fine = (t: Test, answer: Answer, what: string) => t.match(answer, { status: 200 }, what)
const no = (msg: string | RegExp, code = "BAD_REQUEST") => ({ status: 400, body: { result: "error", code, msg } })
const insufficient = no("Insufficient permission")

const bare = (events: ReadonlyArray<ReadEvent>) => events.map(({ id: _, ...event }) => event)

t.test("making a group", (t) =>
  withServer(t, {}, async (server) => {
    const readers = await Promise.all(
      (["polonius", "iago"] as const).map((name) =>
        server.queue(name, { event_types: ["user_group"], fetch_event_types: [] }),
      ),
    )
    const direct = await server.queue("cordelia", { event_types: ["message"], apply_markdown: false })
    const inner = await create(server, "hamlet", "inner", ["othello"])
    const group = await create(server, "hamlet", "  Kings and Queens ", ["cordelia", "hamlet", "cordelia"], {
      subgroups: [inner, system.moderators],
      can_mention_group: system.members,
      can_join_group: { direct_members: [], direct_subgroups: [system.fullMembers] },
      can_remove_members_group: { direct_members: [], direct_subgroups: [] },
    })
    const record = {
      id: group,
      name: "Kings and Queens",
      description: "About   Kings and Queens ",
      members: ids(server, "hamlet", "cordelia"),
      direct_subgroup_ids: [system.moderators, inner],
      is_system_group: false,
      deactivated: false,
      creator_id: server.idOf("hamlet"),
      can_add_members_group: only(server, "hamlet"),
      can_manage_group: only(server, "hamlet"),
      can_remove_members_group: system.nobody,
      can_join_group: system.fullMembers,
      can_leave_group: system.everyone,
      can_mention_group: system.members,
    }
    const { date_created, ...now } = await groupNow(server, group)
    t.same(now, record)
    t.equal(date_created, Math.floor(server.clock.now() / 1000))
    for (const reader of readers) {
      const events = bare(await reader.rest())
      t.match(events, [
        { op: "add", group: { id: inner } },
        { op: "add", group: { ...record, date_created } },
      ])
      t.equal(events.length, 2)
    }
    const told = await direct.rest()
    const hamlet = `@_**hamlet|${server.idOf("hamlet")}**`
    t.match(told, [
      {
        message: {
          content: `${hamlet} added you to the group @_*Kings and Queens*.`,
          sender_full_name: "Notification Bot",
        },
      },
    ])
    t.equal(told.length, 1)
    await sameAfresh(t, server, "made")

    await t.test("refused", async (t) => {
      const valid = { name: "new", description: "", members: [] }
      await deactivate(server, "hamlet", await create(server, "hamlet", "gone"))
      await server.as("iago").must.delete(`/users/${server.idOf("shiva")}`)
      const gone = 8 + 3
      for (const reader of readers) await reader.rest()
      await refuses(
        t,
        [
          { when: "no name", fields: { ...valid, name: " " }, msg: "User group name can't be empty!" },
          {
            when: "a long one",
            fields: { ...valid, name: "x".repeat(101) },
            msg: "User group name cannot exceed 100 characters.",
          },
          ...["@x", "role:x", "user:x", "stream:x", "channel:x", "Role:x"].map((name) => ({
            when: name,
            fields: { ...valid, name },
            msg: `User group name cannot start with '${name.toLowerCase().replace("x", "")}'.`,
          })),
          {
            when: "a name in use",
            fields: { ...valid, name: "KINGS and queens" },
            msg: "User group 'KINGS and queens' already exists.",
          },
          {
            when: "that of a deactivated group",
            fields: { ...valid, name: "Gone" },
            msg: "User group 'Gone' already exists.",
          },
          {
            when: "a name that nobody sees",
            fields: { ...valid, name: "\u200D" },
            msg: "User group name can't be empty!",
          },
          {
            when: "a line break",
            fields: { ...valid, name: "a\nb" },
            msg: "Invalid character in user group name, at position 2.",
          },
          { when: "an unknown member", fields: { ...valid, members: [4711] }, msg: "Invalid user ID: 4711" },
          {
            when: "who has left",
            fields: { ...valid, members: ids(server, "shiva") },
            msg: `Invalid user ID: ${server.idOf("shiva")}`,
          },
          { when: "an unknown subgroup", fields: { ...valid, subgroups: [4711] }, msg: "Invalid user group ID: 4711" },
          {
            when: "a deactivated subgroup",
            fields: { ...valid, subgroups: [gone] },
            msg: "User group is deactivated.",
          },
          {
            when: "a deactivated holder",
            fields: { ...valid, can_join_group: gone },
            msg: "User group is deactivated.",
          },
          { when: "an unknown holder", fields: { ...valid, can_join_group: 4711 }, msg: "Invalid user group" },
          {
            when: "everyone manages",
            fields: { ...valid, can_manage_group: system.everyone },
            msg: "'can_manage_group' setting cannot be set to 'role:everyone' group.",
          },
          {
            when: "owners mention",
            fields: { ...valid, can_mention_group: system.owners },
            msg: "'can_mention_group' setting cannot be set to 'role:owners' group.",
          },
          {
            when: "the internet mentions",
            fields: { ...valid, can_mention_group: { direct_members: [], direct_subgroups: [system.internet, inner] } },
            msg: "'can_mention_group' setting cannot be set to 'role:internet' group.",
          },
          {
            when: "no members",
            fields: { name: "new", description: "" },
            code: "REQUEST_VARIABLE_MISSING",
            msg: "Missing 'members' argument",
          },
        ],
        (fields) => server.as("hamlet").post("/user_groups/create", fields),
      )
      t.match(
        await server.as("polonius").post("/user_groups/create", valid),
        no("Must be an organization member", "UNAUTHORIZED_PRINCIPAL"),
      )
      await server.actions.changeRealm({ can_create_groups: system.administrators })
      t.match(await server.as("hamlet").post("/user_groups/create", valid), insufficient)
      fine(t, await server.as("iago").post("/user_groups/create", valid), "who may")
      t.match(pluck((await readers[0]?.rest()) ?? [], "group"), [{ name: "new" }], "nobody heard of any other")
    })
  }),
)

t.test("changing a group", inTurn(2, "changing a group"), (t) =>
  withServer(t, {}, async (server) => {
    const group = await create(server, "hamlet", "circle", ["cordelia"])
    const other = await create(server, "othello", "other")
    const reader = await server.queue("polonius", { event_types: ["user_group"], fetch_event_types: [] })
    const updated = (data: Fields) => ({ type: "user_group", op: "update", group_id: group, data })

    fine(t, await update(server, "hamlet", group, { name: "Circle", description: "round" }), "the case of its own name")
    fine(
      t,
      await update(server, "desdemona", group, { can_manage_group: { new: other, old: only(server, "hamlet") } }),
      "by who manages all",
    )
    t.same(bare(await reader.rest()), [
      updated({ name: "Circle", description: "round" }),
      updated({ can_manage_group: other }),
    ])
    t.match(await update(server, "hamlet", group, { name: "x" }), insufficient, "no longer")
    fine(t, await put(server, "othello", other, { add: ids(server, "hamlet", "polonius") }), "members of what manages")
    await reader.rest()
    fine(
      t,
      await update(server, "hamlet", group, { name: "Circle", description: "round", can_manage_group: { new: other } }),
      "nothing new",
    )
    fine(t, await update(server, "hamlet", group, { deactivated: true }), "which does nothing")
    fine(t, await update(server, "hamlet", group, { deactivated: false }), "nor does this")
    t.same(await reader.rest(), [])
    t.match(
      await update(server, "polonius", group, { name: "x" }),
      insufficient,
      "a guest manages nothing, whatever group they are in",
    )
    t.match(await groupNow(server, group), {
      name: "Circle",
      description: "round",
      can_manage_group: other,
      deactivated: false,
    })

    const refusals = [
      { when: "nothing", fields: {}, msg: "No new data supplied" },
      { when: "a name in use", fields: { name: "OTHER", description: "x" }, msg: "User group 'OTHER' already exists." },
      { when: "a system group's", fields: { name: "role:members" }, msg: "User group name cannot start with 'role:'." },
      {
        when: "it was otherwise",
        fields: { description: "x", can_manage_group: { new: system.owners, old: only(server, "hamlet") } },
        code: "EXPECTATION_MISMATCH",
        msg: "'old' value does not match the expected value.",
        also: { field_name: "old" },
      },
      { when: "a bare value", fields: { can_manage_group: system.owners }, msg: "can_manage_group is not a dict" },
      {
        when: "who is not there",
        fields: { can_join_group: { new: { direct_members: [4711], direct_subgroups: [] } } },
        msg: "Invalid user ID: 4711",
      },
      {
        when: "one part of two",
        fields: { description: "x", can_join_group: { new: 4711 } },
        msg: "Invalid user group",
      },
    ]
    await refuses(t, refusals, (fields) => update(server, "hamlet", group, fields))
    t.match(await update(server, "hamlet", GroupId(4711), { name: "x" }), no("Invalid user group"))
    for (const by of ["desdemona", "iago"] as const)
      t.match(await update(server, by, system.moderators, { description: "x" }), insufficient, `${by}: a system group`)
    t.same(await reader.rest(), [])
    await sameAfresh(t, server, "changed")
  }),
)

t.test("members and subgroups", inTurn(2, "members and subgroups"), (t) =>
  withServer(t, {}, async (server) => {
    const group = await create(server, "hamlet", "outer", ["hamlet"], { can_join_group: system.members })
    const middle = await create(server, "hamlet", "middle", ["cordelia"])
    const inner = await create(server, "othello", "inner", ["polonius"])
    const reader = await server.queue("polonius", { event_types: ["user_group"], fetch_event_types: [] })
    const of = async (path: string, fields: Fields = {}) => {
      const { result: _, msg: __, ...body } = await server.as("polonius").must.get(`/user_groups/${path}`, fields)
      return Object.values(body)[0]
    }
    fine(
      t,
      await put(server, "hamlet", group, {
        add: ids(server, "shiva"),
        delete: ids(server, "hamlet"),
        add_subgroups: [middle],
      }),
      "all at once",
    )
    fine(t, await server.as("hamlet").post(`/user_groups/${middle}/subgroups`, { add: [inner, inner] }), "another way")
    const told = (op: string, group_id: number, fields: Fields) => ({ type: "user_group", op, group_id, ...fields })
    t.same(bare(await reader.rest()), [
      told("add_members", group, { user_ids: ids(server, "shiva") }),
      told("remove_members", group, { user_ids: ids(server, "hamlet") }),
      told("add_subgroups", group, { direct_subgroup_ids: [middle] }),
      told("add_subgroups", middle, { direct_subgroup_ids: [inner] }),
    ])
    t.same(await of(`${group}/members`), ids(server, "shiva", "cordelia", "polonius"))
    t.same(await of(`${group}/members`, { direct_member_only: true }), ids(server, "shiva"))
    t.same(await of(`${group}/subgroups`), [middle, inner])
    t.same(await of(`${group}/subgroups`, { direct_subgroup_only: true }), [middle])
    t.equal(await of(`${group}/members/${server.idOf("polonius")}`), true)
    t.equal(await of(`${group}/members/${server.idOf("polonius")}`, { direct_member_only: true }), false)
    t.equal(await of(`${group}/members/${server.idOf("hamlet")}`), false)
    t.same(await of(`${system.moderators}/members`), ids(server, "desdemona", "iago", "shiva"))
    t.same(await of(`${system.moderators}/members`, { direct_member_only: true }), ids(server, "shiva"))
    t.same(await of(`${system.nobody}/members`), [])
    t.match(await server.as("hamlet").get(`/user_groups/4711/members`), no("Invalid user group"))
    t.match(await server.as("hamlet").get(`/user_groups/${group}/members/4711`), no("No such user"))

    const id = server.idOf
    await refuses(
      t,
      [
        { when: "nothing", fields: {}, msg: /^Nothing to do/ },
        { when: "nothing of anything", fields: { add: [], delete_subgroups: [] }, msg: /^Nothing to do/ },
        { when: "unknown", fields: { add: [id("iago"), 4711] }, msg: "Invalid user ID: 4711" },
        { when: "unknown, out", fields: { delete: [4711] }, msg: "Invalid user ID: 4711" },
        {
          when: "in it",
          fields: { add: [id("iago"), id("shiva")] },
          msg: `User ${id("shiva")} is already a member of this group`,
        },
        {
          when: "not in it",
          fields: { add: [id("iago")], delete: [id("cordelia")] },
          msg: `There is no member '${id("cordelia")}' in this user group`,
        },
        {
          when: "an unknown part",
          fields: { add: [id("iago")], add_subgroups: [4711] },
          msg: "Invalid user group ID: 4711",
        },
        { when: "an unknown part, out", fields: { delete_subgroups: [4711] }, msg: "Invalid user group ID: 4711" },
        {
          when: "a part already",
          fields: { add_subgroups: [middle] },
          msg: `User group ${middle} is already a subgroup of this group`,
        },
        {
          when: "no direct part",
          fields: { delete_subgroups: [inner] },
          msg: `There is no subgroup '${inner}' in this user group`,
        },
        { when: "itself", fields: { add_subgroups: [group] }, msg: "A user group cannot be a subgroup of itself" },
      ],
      (fields) => put(server, "hamlet", group, fields),
    )
    const cycle = no(`User group ${group} cannot be a subgroup of this group, which is a part of it already`)
    t.match(await server.as("othello").post(`/user_groups/${inner}/subgroups`, { add: [group] }), cycle)
    t.match(await server.as("iago").post(`/user_groups/${system.owners}/members`, { add: [id("iago")] }), insufficient)
    t.match(
      await server.as("hamlet").post(`/user_groups/4711/members`, { add: [id("iago")] }),
      no("Invalid user group"),
    )
    t.same(await reader.rest(), [], "nobody hears of any of it")

    await t.test("adding and removing oneself and others", async (t) => {
      fine(t, await put(server, "othello", group, { add: ids(server, "othello") }), "joins")
      t.match(await put(server, "othello", group, { add: ids(server, "iago") }), insufficient)
      t.match(await put(server, "othello", group, { delete: ids(server, "shiva") }), insufficient)
      t.match(await put(server, "othello", group, { add_subgroups: [inner] }), insufficient)
      t.match(
        await put(server, "polonius", group, { add: ids(server, "polonius") }),
        insufficient,
        "guests do not join",
      )
      fine(t, await put(server, "othello", group, { delete: ids(server, "othello") }), "leaves")
      fine(t, await put(server, "polonius", inner, { delete: ids(server, "polonius") }), "guests do leave")
      t.match(await put(server, "cordelia", middle, { add: ids(server, "cordelia", "iago") }), insufficient)
      await server.as("hamlet").must.patch(`/user_groups/${group}`, {
        can_add_members_group: { new: middle },
        can_leave_group: { new: only(server, "iago") },
      })
      fine(
        t,
        await put(server, "cordelia", group, { add: ids(server, "othello", "cordelia"), add_subgroups: [inner] }),
        "by a group",
      )
      t.match(await put(server, "cordelia", group, { delete: ids(server, "cordelia") }), insufficient)
      fine(t, await put(server, "hamlet", group, { delete_subgroups: [inner, middle] }), "out again")
      t.same(await of(`${group}/subgroups`), [])
    })
    await sameAfresh(t, server, "members")
    await server.restart()
    await sameAfresh(t, server, "after a restart")
  }),
)

t.test("direct messages to added members", inTurn(2, "direct messages to added members"), (t) =>
  withServer(t, {}, async (server) => {
    const group = await create(server, "hamlet", "circle", ["hamlet"], { can_join_group: system.members })
    const told = async (name: Name) => {
      const { messages } = await server.as(name).must.get("/messages", {
        narrow: [["is", "dm"]],
        anchor: "newest",
        num_before: 9,
        num_after: 0,
        apply_markdown: false,
      })
      return pluck(messages, "content")
    }
    fine(t, await put(server, "hamlet", group, { add: ids(server, "cordelia", "polonius") }), "others")
    fine(t, await put(server, "othello", group, { add: ids(server, "othello") }), "oneself")
    fine(t, await put(server, "hamlet", group, { delete: ids(server, "cordelia") }), "out")
    const sentence = `@_**hamlet|${server.idOf("hamlet")}** added you to the group @_*circle*.`
    for (const name of ["cordelia", "polonius"] as const) t.same(await told(name), [sentence], name)
    for (const name of ["hamlet", "othello", "iago"] as const) t.same(await told(name), [], name)
  }),
)

const channels: ReadonlyArray<ChannelSetup> = [
  { name: "lobby", users: ["hamlet"] },
  { name: "den", users: ["cordelia"], isPrivate: true },
  { name: "crypt", users: ["cordelia"], isPrivate: true },
]
const channelId = (server: TestServer, name: string) => Number(server.realm.realm.findChannelByName(name)?.id)
/** Gives a permission of a channel; the one who does may read it. */
const give = (server: TestServer, channel: string, permission: string, value: unknown) =>
  server.as("cordelia").must.patch(`/streams/${channelId(server, channel)}`, { [permission]: { new: value } })
/** Cordelia administers the private channels, which nobody has made. */
const enthrone = async (server: TestServer) => {
  const value = { new: only(server, "cordelia") }
  for (const name of ["den", "crypt"])
    await server
      .as("desdemona")
      .must.patch(`/streams/${channelId(server, name)}`, { can_administer_channel_group: value })
}

t.test("deactivating and reactivating a group", inTurn(2, "deactivating and reactivating a group"), (t) =>
  withServer(t, { channels }, async (server) => {
    await enthrone(server)
    const group = await create(server, "hamlet", "circle", ["othello"])
    const outer = await create(server, "hamlet", "outer")
    await put(server, "hamlet", outer, { add_subgroups: [group] })
    await update(server, "hamlet", outer, { can_join_group: { new: group }, can_leave_group: { new: group } })
    await update(server, "hamlet", group, { can_mention_group: { new: group } })
    await give(server, "den", "can_subscribe_group", {
      direct_members: [],
      direct_subgroups: [group, system.moderators],
    })
    await give(server, "crypt", "can_send_message_group", group)
    await server.actions.changeRealm({
      can_create_groups: { direct_members: ids(server, "hamlet"), direct_subgroups: [group] },
    })

    const inUse = async (by: Name) => {
      const answer = await deactivate(server, by, group)
      t.match(answer, no("Cannot deactivate user group in use.", "CANNOT_DEACTIVATE_GROUP_IN_USE"))
      return answer.body["objections"]
    }
    const part = { type: "subgroup", supergroup_ids: [outer] }
    const ofChannel = (name: string, ...settings: ReadonlyArray<string>) => ({
      type: "channel",
      channel_id: channelId(server, name),
      settings,
    })
    const ofGroup = { type: "user_group", group_id: outer, settings: ["can_join_group", "can_leave_group"] }
    const ofRealm = { type: "realm", settings: ["can_create_groups"] }
    const [den, crypt] = [ofChannel("den", "can_subscribe_group"), ofChannel("crypt", "can_send_message_group")]
    t.same(await inUse("desdemona"), [part, den, crypt, ofGroup, ofRealm])
    t.same(await inUse("hamlet"), [part, ofGroup, ofRealm], "not what one may not know of")
    t.match(await deactivate(server, "othello", group), insufficient)
    await server.actions.changeRealm({ can_create_groups: system.members })
    await put(server, "hamlet", outer, { delete_subgroups: [group] })
    await update(server, "hamlet", outer, { can_join_group: { new: 8 }, can_leave_group: { new: 2 } })
    t.same(await inUse("hamlet"), [], "in use all the same")
    await give(server, "den", "can_subscribe_group", system.nobody)
    await give(server, "crypt", "can_send_message_group", system.everyone)

    const types = { event_types: ["user_group"], fetch_event_types: ["realm_user_groups"] }
    const plain = await server.queue("polonius", types)
    const able = await server.queue("polonius", { ...types, client_capabilities: { include_deactivated_groups: true } })
    const events = async () => [bare(await plain.rest()), bare(await able.rest())]
    const updated = (data: Fields) => ({ type: "user_group", op: "update", group_id: group, data })
    fine(t, await deactivate(server, "hamlet", group), "nothing else but itself uses it")
    t.same(await events(), [[{ type: "user_group", op: "remove", group_id: group }], [updated({ deactivated: true })]])
    t.match(await deactivate(server, "hamlet", group), no("User group is deactivated."))
    const { user_groups } = await server.as("polonius").must.get("/user_groups")
    t.notOk(pluck(user_groups, "id").includes(group))
    t.match(await groupNow(server, group), { deactivated: true, members: ids(server, "othello") })

    await t.test("a deactivated group", async (t) => {
      const gone = no("User group is deactivated.")
      t.match(await put(server, "hamlet", group, { add: ids(server, "cordelia") }), gone)
      t.match(await put(server, "hamlet", group, { delete: ids(server, "othello") }), gone)
      t.match(await put(server, "hamlet", outer, { add_subgroups: [group] }), gone)
      t.match(await update(server, "hamlet", outer, { can_join_group: { new: group } }), gone)
      t.match(
        await update(server, "hamlet", group, { can_manage_group: { new: group } }),
        gone,
        "its own permissions neither",
      )
      t.match(
        await server.as("hamlet").post("/user_groups/create", { name: "CIRCLE", description: "", members: [] }),
        no(/already exists/),
      )
      fine(t, await update(server, "hamlet", group, { description: "asleep" }), "what it is called may change")
      t.same(await events(), [[], [updated({ description: "asleep" })]])
      await sameAfresh(t, server, "deactivated")
    })

    fine(t, await update(server, "hamlet", group, { deactivated: false, name: "round" }), "back, under another name")
    const [seen, changed] = await events()
    t.match(seen, [
      { op: "add", group: { id: group, name: "circle", members: ids(server, "othello") } },
      updated({ name: "round" }),
    ])
    t.same(changed, [updated({ deactivated: false }), updated({ name: "round" })])
    fine(t, await put(server, "hamlet", outer, { add_subgroups: [group] }), "of use again")
    await sameAfresh(t, server, "reactivated")
  }),
)

t.test(
  "the channels that members see by a group come and go with it",
  inTurn(2, "the channels that members see by a group come and go with it"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      await enthrone(server)
      const inner = await create(server, "iago", "inner", ["othello"])
      const group = await create(server, "iago", "circle", ["hamlet", "polonius"])
      await give(server, "den", "can_subscribe_group", group)
      const types = { event_types: ["stream", "subscription"], fetch_event_types: [] }
      const readers = new Map<Name, Awaited<ReturnType<TestServer["queue"]>>>()
      for (const name of names) readers.set(name, await server.queue(name, types))
      const den = channelId(server, "den")
      const show = [
        { type: "stream", op: "create", streams: [{ stream_id: den }] },
        { type: "subscription", op: "peer_add", stream_ids: [den], user_ids: ids(server, "cordelia") },
      ]
      const hide = [{ type: "stream", op: "delete", stream_ids: [den] }]
      const sees = async (what: string, expected: Readonly<Partial<Record<Name, ReadonlyArray<object>>>>) => {
        for (const [name, reader] of readers) {
          const events = await reader.rest()
          t.match(events, expected[name] ?? [], `${what}: ${name}`)
          t.equal(events.length, (expected[name] ?? []).length, `${what}: ${name}, nothing else`)
        }
        await sameAfresh(t, server, what)
      }
      fine(t, await put(server, "iago", group, { add: ids(server, "othello", "desdemona") }), "more people")
      await sees("a new member; administrators see it anyhow", { othello: show })
      fine(
        t,
        await put(server, "iago", group, { delete: ids(server, "othello"), add_subgroups: [inner] }),
        "in another way",
      )
      await sees("out and in by a subgroup in one command", {})
      fine(t, await put(server, "iago", inner, { delete: ids(server, "othello") }), "out of the subgroup")
      await sees("of a subgroup", { othello: hide })
      fine(t, await put(server, "iago", inner, { add_subgroups: [system.members] }), "everybody")
      await sees("roles through two groups", { othello: show, shiva: show })
      t.match(
        await server.as("polonius").get(`/streams/${den}`),
        { status: 400 },
        "a guest is in the group, and sees nothing",
      )
      fine(t, await put(server, "iago", group, { delete_subgroups: [inner] }), "a part out")
      await sees("a subgroup that goes", { othello: hide, shiva: hide })

      await t.test("a group is reactivated above a deactivated subgroup", async (t) => {
        const mayAdminister: ReadonlyArray<Name> = ["desdemona", "iago", "cordelia"]
        // Outside of use the two are one above the other; only then the upper one comes back, and into use.
        fine(
          t,
          await put(server, "iago", inner, { delete_subgroups: [system.members], add: ids(server, "othello") }),
          "only othello",
        )
        const outer = await create(server, "iago", "outer", [], { subgroups: [inner] })
        fine(t, await deactivate(server, "iago", outer), "the upper")
        fine(t, await deactivate(server, "iago", inner), "then the lower")
        fine(t, await update(server, "iago", outer, { deactivated: false }), "the upper one again")
        await give(server, "crypt", "can_subscribe_group", outer)
        for (const [name, reader] of readers)
          t.same(pluck(await reader.rest(), "op"), mayAdminister.includes(name) ? ["update"] : [], `${name}: empty`)
        fine(t, await update(server, "iago", inner, { deactivated: false }), "the lower one again")
        const crypt = { stream_ids: [channelId(server, "crypt")] }
        await sees("back", { othello: [{ op: "create" }, { op: "peer_add", ...crypt }] })
      })
    }),
)

t.test("members who are deactivated and reactivated", inTurn(2, "members who are deactivated and reactivated"), (t) =>
  withServer(t, { channels }, async (server) => {
    await enthrone(server)
    const hamlet = server.idOf("hamlet")
    const group = await create(server, "hamlet", "circle", ["hamlet", "othello"])
    const asleep = await create(server, "hamlet", "asleep", ["hamlet"])
    fine(t, await deactivate(server, "hamlet", asleep), "one is out of use")
    await give(server, "den", "can_send_message_group", only(server, "hamlet", "cordelia"))
    await give(server, "den", "can_subscribe_group", only(server, "hamlet"))
    await server.actions.changeRealm({
      can_create_groups: { direct_members: [hamlet], direct_subgroups: [system.moderators] },
    })
    const before = {
      circle: await groupNow(server, group),
      settings: (await server.as("iago").must.post("/register", { fetch_event_types: ["realm"] }))[
        "realm_can_create_groups"
      ],
      den: (await server.as("cordelia").must.get(`/streams/${channelId(server, "den")}`))["stream"],
    }
    const types = {
      event_types: ["realm_user", "user_group", "realm", "stream", "subscription"],
      fetch_event_types: [],
    }
    const everything = { client_capabilities: { include_deactivated_groups: true, archived_channels: true } }
    const [cordelia, guest, able] = [
      await server.queue("cordelia", types),
      await server.queue("polonius", types),
      await server.queue("polonius", { ...types, ...everything }),
    ]
    const memberships = (op: string, ...groups: ReadonlyArray<number>) =>
      groups.map((group_id) => ({ type: "user_group", op, group_id, user_ids: [hamlet] }))
    const own = ["can_add_members_group", "can_manage_group", "can_remove_members_group"]
    const all = (value: unknown) => Object.fromEntries(own.map((name) => [name, value]))
    const shown = (there: boolean) => {
      const setting = (present: unknown, absent: unknown) => (there ? present : absent)
      const op = there ? "add_members" : "remove_members"
      const person = { type: "realm_user", op: "update", person: { user_id: hamlet, is_active: there } }
      const roles = memberships(op, system.members, system.fullMembers)
      const realm = {
        type: "realm",
        op: "update_dict",
        data: {
          can_create_groups: setting(
            { direct_members: [hamlet], direct_subgroups: [system.moderators] },
            system.moderators,
          ),
        },
      }
      const ofGroup = (id: number) => ({
        type: "user_group",
        op: "update",
        group_id: id,
        data: all(setting(only(server, "hamlet"), system.nobody)),
      })
      const peer = { type: "subscription", op: there ? "peer_add" : "peer_remove", user_ids: [hamlet] }
      const channel = (property: string, value: unknown) => ({ type: "stream", op: "update", property, value })
      const ofDen = [
        channel("can_send_message_group", there ? only(server, "hamlet", "cordelia") : only(server, "cordelia")),
        channel("stream_post_policy", 1),
        channel("is_announcement_only", false),
        channel("can_subscribe_group", setting(only(server, "hamlet"), system.nobody)),
      ]
      return {
        guest: [person, ...roles, ...memberships(op, group), realm, ofGroup(group)],
        able: [person, ...roles, ...memberships(op, group, asleep), realm, ofGroup(group), ofGroup(asleep)],
        cordelia: [person, ...roles, ...memberships(op, group), peer, realm, ...ofDen, ofGroup(group)],
      }
    }
    const hear = async (t: Test, there: boolean) => {
      const expected = shown(there)
      for (const [name, reader] of Object.entries({ cordelia, guest, able })) {
        const events = await reader.rest()
        const want = Object.entries(expected).find(([key]) => key === name)?.[1] ?? []
        t.match(events, want, `${name}, ${there}`)
        t.equal(events.length, want.length, `${name}, ${there}: nothing else`)
      }
    }
    const former = server.as("hamlet")
    await server.as("iago").must.delete(`/users/${hamlet}`)
    await hear(t, false)
    t.match(await groupNow(server, group), { members: ids(server, "othello"), ...all(system.nobody) })
    t.match(
      await put(server, "desdemona", group, { delete: [hamlet] }),
      no(`There is no member '${hamlet}' in this user group`),
    )
    t.match(await put(server, "desdemona", group, { add: [hamlet] }), no(`Invalid user ID: ${hamlet}`))
    const members = await server.as("iago").must.get(`/user_groups/${group}/members/${hamlet}`)
    t.match(members, { is_user_group_member: false })
    fine(
      t,
      await update(server, "desdemona", group, { can_join_group: { new: system.nobody, old: system.nobody } }),
      "as it is",
    )
    t.same(await guest.rest(), [], "which changes nothing")
    await sameAfresh(t, server, "away")
    await server.restart()
    await server.as("iago").must.post(`/users/${hamlet}/reactivate`)
    for (const [reader, name] of [
      [cordelia, "cordelia"],
      [guest, "polonius"],
      [able, "polonius"],
    ] as const) {
      const resumed = server.resume(name, reader)
      await resumed.rest()
      reader.events.splice(0, reader.events.length, ...resumed.events)
    }
    const back = (reader: typeof guest) =>
      reader.events.slice(-shown(true)[reader === able ? "able" : reader === guest ? "guest" : "cordelia"].length)
    for (const [reader, name] of [
      [cordelia, "cordelia"],
      [guest, "guest"],
      [able, "able"],
    ] as const)
      t.match(back(reader), shown(true)[name], `${name} hears the reverse`)
    t.same(await groupNow(server, group), before.circle)
    t.same((await server.as("cordelia").must.get(`/streams/${channelId(server, "den")}`))["stream"], before.den)
    const again = await server.as("iago").must.post("/register", { fetch_event_types: ["realm"] })
    t.same(again["realm_can_create_groups"], before.settings)
    const person: Person = personOf(server.origin, former.account)
    t.equal((await person.patch(`/user_groups/${group}`, { description: "mine" })).status, 200, "they manage it again")
    await sameAfresh(t, server, "back")
  }),
)

t.test("more members than one commit takes", inTurn(2, "large groups"), (t) =>
  withServer(t, {}, async (server) => {
    const many = 1203
    await server.rows(
      `insert into account (realm_id, id, email, email_folded, full_name, joined_at)
       select 1, 100 + n, 'n' || n || '@test.example', 'n' || n || '@test.example', 'Person ' || n, 0 from generate_series(1, $1::integer) as n`,
      [many],
    )
    await server.rows(
      `insert into role_span (realm_id, user_id, role, opened)
       select 1, 100 + n, 400, 0 from generate_series(1, $1::integer) as n`,
      [many],
    )
    await server.restart()
    const people = Array.from({ length: many }, (_, n) => 101 + n)
    const reader = await server.queue("polonius", { event_types: ["user_group", "message"], fetch_event_types: [] })
    const group = await create(server, "hamlet", "crowd", [], { members: people })
    const made = await reader.rest()
    t.equal(made[0]?.["op"], "add")
    t.same((await groupNow(server, group))["members"], people, "answered when all are in")
    t.match(await put(server, "hamlet", group, { delete: [...people, 4711] }), no("Invalid user ID: 4711"))
    t.same((await groupNow(server, group))["members"], people, "refused in one of them, nobody goes")
    fine(t, await put(server, "hamlet", group, { delete: people.slice(1), add: ids(server, "cordelia") }), "out")
    t.same((await groupNow(server, group))["members"], [...ids(server, "cordelia"), people[0] ?? 0])
    const gone = (await reader.rest()).filter(({ op }) => op === "remove_members")
    t.equal(gone.flatMap(({ user_ids }) => (Array.isArray(user_ids) ? user_ids : [])).length, many - 1)
    t.same(await server.rows("select id from unfinished_work"), [])
    await sameAfresh(t, server, "many")
  }),
)

t.test(
  "I13: state and events make the state, in everybody's view",
  inTurn(2, "I13: state and events make the state, in everybody's view"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      await enthrone(server)
      const kinds: ReadonlyArray<readonly [string, Fields]> = [
        ["plain", {}],
        [
          "able",
          {
            client_capabilities: { include_deactivated_groups: true, archived_channels: true },
            include_subscribers: true,
          },
        ],
      ]
      const views: ReadonlyArray<View> = names
        .filter((name) => name !== "othello")
        .flatMap((name) =>
          kinds.map(([kind, fields]) => ({
            label: `${name}, ${kind}`,
            person: server.as(name),
            port: server.port,
            user: server.idOf(name),
            fields,
          })),
        )
      const settling = new Settling(t, views, agreesWithTables(t, server))
      const [first, second] = [GroupId(9), GroupId(10)]
      const steps: ReadonlyArray<readonly [string, () => Promise<unknown>]> = [
        [
          "two groups",
          async () => {
            await create(server, "othello", "first", ["hamlet", "othello"])
            await create(server, "othello", "second", ["shiva"], { subgroups: [first] })
          },
        ],
        [
          "a permission of a channel",
          () =>
            give(server, "den", "can_administer_channel_group", {
              direct_members: ids(server, "cordelia", "othello"),
              direct_subgroups: [second],
            }),
        ],
        [
          "members",
          () => put(server, "othello", first, { add: ids(server, "polonius"), delete: ids(server, "hamlet") }),
        ],
        [
          "subgroups",
          () => put(server, "othello", second, { add_subgroups: [system.members], delete_subgroups: [first] }),
        ],
        [
          "what they are called, and who may",
          () =>
            update(server, "othello", first, {
              name: "1",
              can_mention_group: { new: second },
              can_join_group: { new: only(server, "hamlet", "polonius") },
            }),
        ],
        ["out of use", () => deactivate(server, "othello", first)],
        ["changed out of use", () => update(server, "othello", first, { description: "asleep" })],
        ["somebody goes", () => server.as("desdemona").must.delete(`/users/${server.idOf("othello")}`)],
        ["into use", () => update(server, "desdemona", first, { deactivated: false, description: "awake" })],
        ["somebody comes back", () => server.as("desdemona").must.post(`/users/${server.idOf("othello")}/reactivate`)],
        [
          "who is in a group becomes a guest",
          () => server.as("desdemona").must.patch(`/users/${server.idOf("othello")}`, { role: 600 }),
        ],
      ]
      for (const [what, act] of steps) await settling.after(what, act)
      for (const op of [
        "add",
        "remove",
        "update",
        "add_members",
        "remove_members",
        "add_subgroups",
        "remove_subgroups",
      ])
        t.ok(settling.seen.has(`user_group/${op}`), op)
      await sameAfresh(t, server, "settled")
    }),
)
