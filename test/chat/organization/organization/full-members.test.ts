/** Members become full members by time: at the moment, with the events of what they see from then on. */
import t from "tap"
import { systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { agreesWithTables, sameAfresh } from "../../../kit/afresh.ts"
import { channelId } from "../../../kit/channel-scene.ts"
import { settles } from "../../../kit/settles.ts"
import { until } from "../../../kit/test-database.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"

const day = 24 * 3600_000
const fullMembers = systemGroups["role:fullmembers"]

const membersOf = async (server: TestServer, who: Name = "iago"): Promise<unknown> =>
  (await server.as(who).must.get(`/user_groups/${fullMembers}/members`, { direct_member_only: true }))["members"]

const counted = (server: TestServer, at: number) =>
  until("full members are counted", 10_000, () => server.realm.realm.settings.full_members_at >= at)

t.test("when the waiting period is over, clients learn what they come to see", (t) =>
  withServer(t, { channels: [{ name: "den", users: ["shiva"], isPrivate: true }] }, async (server) => {
    await server.rows(
      "update channel set permissions = permissions || jsonb_build_object('can_subscribe_group', $1::integer) where id = $2",
      [fullMembers, channelId(server, "den")],
    )
    await server.restart()
    await server.as("desdemona").must.patch("/realm", { waiting_period_threshold: 3 })
    const joined = server.realm.realm.findUserByEmail("hamlet@test.example")?.joined_at ?? 0
    const due = joined + 3 * day
    server.clock.advance(due - server.clock.now() - 1)
    t.same(await membersOf(server), [], "a moment before")
    const reader = await server.queue("hamlet")
    const check = agreesWithTables(t, server)
    const kinds = await settles(
      t,
      viewsOf(server),
      "time",
      async () => {
        server.clock.advance(1)
        await counted(server, due)
      },
      check,
    )
    for (const kind of ["user_group/add_members", "stream/create", "subscription/peer_add"]) t.ok(kinds.has(kind), kind)
    t.match(await reader.rest(), [
      { type: "user_group", op: "add_members", group_id: fullMembers },
      { type: "stream", op: "create", streams: [{ name: "den" }] },
      { type: "subscription", op: "peer_add" },
    ])
    const members = ["hamlet", "cordelia", "othello"] as const
    t.same(
      await membersOf(server),
      members.map(server.idOf).sort((a, b) => a - b),
    )
    const head = server.realm.realm.position
    server.clock.advance(10 * day)
    await server.as("iago").must.patch("/realm", { description: "later" })
    t.equal(server.realm.realm.position, head + 1, "once: only what was asked for has come since")
  }),
)

t.test("a server that was down counts who became full members meanwhile; who is not a member counts later", (t) =>
  withServer(t, {}, async (server) => {
    await server.as("desdemona").must.patch("/realm", { waiting_period_threshold: 3 })
    await server.as("desdemona").must.delete(`/users/${server.idOf("cordelia")}`)
    const before = await membersOf(server)
    t.same(before, [])
    await server.restart(() => server.clock.advance(5 * day))
    await server.as("iago").must.get("/users/me")
    server.clock.advance(10_000)
    const joined = server.realm.realm.findUserByEmail("hamlet@test.example")?.joined_at ?? 0
    await counted(server, joined + 3 * day)
    t.same(
      await membersOf(server),
      [server.idOf("hamlet"), server.idOf("othello")].sort((a, b) => a - b),
    )
    await server.as("desdemona").must.post(`/users/${server.idOf("cordelia")}/reactivate`)
    t.ok(
      JSON.stringify(await membersOf(server)).includes(String(server.idOf("cordelia"))),
      "with the others of her time",
    )
    await sameAfresh(t, server, "after the count")
  }),
)

t.test("another period counts those whose time has come, too, whatever the job has done", (t) =>
  withServer(t, {}, async (server) => {
    await server.as("desdemona").must.patch("/realm", { waiting_period_threshold: 30 })
    server.clock.advance(4 * day)
    const reader = await server.queue("iago", { event_types: ["user_group"] })
    await server.as("desdemona").must.patch("/realm", { waiting_period_threshold: 3 })
    t.match(await reader.rest(), [{ op: "add_members", group_id: fullMembers }])
    await server.as("desdemona").must.patch("/realm", { waiting_period_threshold: 5 })
    t.match(await reader.rest(), [{ op: "remove_members", group_id: fullMembers }])
    const joined = server.realm.realm.findUserByEmail("hamlet@test.example")?.joined_at ?? 0
    t.ok(server.realm.realm.settings.full_members_at < joined + 5 * day)
    server.clock.advance(day)
    await counted(server, joined + 5 * day)
    t.equal(server.realm.realm.settings.full_members_at, joined + 5 * day, "not to the time of the count")
    t.same(
      await membersOf(server),
      (["hamlet", "cordelia", "othello"] as const).map(server.idOf).sort((a, b) => a - b),
    )
  }),
)
