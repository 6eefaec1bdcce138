/**
 * Changing a role: permissions, the events to everybody, and the events about channels that the user sees newly or no
 * longer. And reactivating a user.
 */
import t from "tap"
import { roles } from "../../../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../../../src/chat/server/setup/realm-setup.ts"
import { sameAfresh } from "../../../../kit/afresh.ts"
import { type Fields, personOf } from "../../../../kit/client.ts"
import { pluck, recordsIn } from "../../../../kit/records.ts"
import { inTurn } from "../../../../kit/share.ts"
import { type Name, names, type TestServer, withServer } from "../../../../kit/with-server.ts"

const channelId = (server: TestServer, name: string) => server.realm.realm.findChannelByName(name)?.id
const groups = { everyone: 2, members: 3, fullMembers: 4, moderators: 5, administrators: 6, owners: 7 }
const change = (server: TestServer, by: Name, of: Name, role: unknown) =>
  server.as(by).patch(`/users/${server.idOf(of)}`, { role })

t.test("permissions to change a role", (t) =>
  withServer(t, {}, async (server) => {
    const watching = await server.queue("polonius")
    const refusedWith = (code: string, msg: string) => ({ status: 400, body: { result: "error", code, msg } })
    const noAdministrator = refusedWith("UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
    const noOwner = refusedWith("UNAUTHORIZED_PRINCIPAL", "Must be an organization owner")
    for (const by of ["shiva", "hamlet", "polonius"] as const) {
      t.match(await change(server, by, "cordelia", 300), noAdministrator, by)
      t.match(await change(server, by, by, 600), noAdministrator, `${by}, their own`)
    }
    t.match(await change(server, "iago", "desdemona", 400), noOwner, "an administrator does not touch owners")
    t.match(await change(server, "iago", "cordelia", 100), noOwner, "nor makes any")
    t.match(await change(server, "iago", "iago", 100), noOwner, "of themselves neither")
    const last = "The owner permission cannot be removed from the only organization owner."
    t.match(await change(server, "desdemona", "desdemona", 200), refusedWith("BAD_REQUEST", last))
    for (const role of [0, 150, 500, 700, -100])
      t.match(await change(server, "desdemona", "hamlet", role), refusedWith("BAD_REQUEST", "Invalid role"), `${role}`)
    t.match(
      await change(server, "desdemona", "hamlet", "moderator"),
      refusedWith("BAD_REQUEST", "role is not an integer"),
    )
    const nobody = await server.as("desdemona").patch("/users/4711", { role: 300 })
    t.match(nobody, refusedWith("BAD_REQUEST", "No such user"))
    t.match(await server.as("desdemona").patch(`/users/${server.idOf("hamlet")}`), { status: 200 }, "nothing is asked")
    t.match(await change(server, "iago", "hamlet", 400), { status: 200 }, "they have that role")
    t.same(await watching.rest(), [], "nobody hears of any of it")

    t.match(await change(server, "desdemona", "iago", 100), { status: 200 })
    t.match(await change(server, "iago", "desdemona", 400), { status: 200 }, "one of two owners may step down")
    t.match(await change(server, "iago", "iago", 200), refusedWith("BAD_REQUEST", last))
    await server.as("iago").must.post("/users", { email: "x@test.example", password: "long enough", full_name: "X" })
    t.match(await change(server, "desdemona", "hamlet", 300), noAdministrator, "their new role counts at once")
    await sameAfresh(t, server, "owners")
  }),
)

t.test(
  "a bot with the role of owner does not count: the last person who is an owner stays",
  inTurn(2, "bots that are owners"),
  (t) =>
    withServer(t, {}, async (server) => {
      const bot = { email: "bot@test.example", fullName: "Bot", role: roles.member, isBot: true, passwordHash: null }
      const id = await server.run(setUpUser(server.realmId, bot))
      const own = server.as("desdemona")
      await own.must.patch(`/users/${id}`, { role: 100 })
      t.match(await change(server, "desdemona", "desdemona", 400), { status: 400, body: { code: "BAD_REQUEST" } })
      t.match(await own.delete(`/users/${server.idOf("desdemona")}`), { status: 400, body: { code: "BAD_REQUEST" } })
      t.match(await own.patch(`/users/${id}`, { role: 400 }), { status: 200 }, "nor is it the last one itself")
    }),
)

t.test("the events that everybody gets about a role", (t) =>
  withServer(t, {}, async (server) => {
    const hamlet = server.idOf("hamlet")
    const by: ReadonlyArray<Name> = ["desdemona", "cordelia", "polonius"]
    const steps: ReadonlyArray<readonly [role: number, left: ReadonlyArray<number>, joined: ReadonlyArray<number>]> = [
      [300, [groups.members, groups.fullMembers], [groups.moderators]],
      [200, [groups.moderators], [groups.administrators]],
      [100, [groups.administrators], [groups.owners]],
      [600, [groups.owners], [groups.everyone]],
      [400, [groups.everyone], [groups.members, groups.fullMembers]],
    ]
    const readers = await Promise.all(
      by.map((name) => server.queue(name, { event_types: ["realm_user", "user_group"], fetch_event_types: [] })),
    )
    const member = (op: string) => (group_id: number) => ({ type: "user_group", op, group_id, user_ids: [hamlet] })
    for (const [role, left, joined] of steps) {
      t.match(await change(server, "desdemona", "hamlet", role), { status: 200 })
      const expected = [
        { type: "realm_user", op: "update", person: { user_id: hamlet, role } },
        ...left.map(member("remove_members")),
        ...joined.map(member("add_members")),
      ]
      for (const [n, reader] of readers.entries()) {
        const events = await reader.rest()
        t.same(
          events.map(({ id: _, ...event }) => event),
          expected,
          `${by[n]}, ${role}`,
        )
      }
      const own = await server.as("hamlet").must.get("/users/me")
      t.match(own, { role, is_owner: role === 100, is_admin: role <= 200, is_guest: role === 600 })
    }
    await sameAfresh(t, server, "up and down")
    await server.restart()
    t.match(await server.as("hamlet").must.get("/users/me"), { role: 400 })
  }),
)

const channels = [
  { name: "in", users: ["hamlet", "cordelia"] },
  { name: "open", users: ["cordelia", "othello"] },
  { name: "empty", users: [] },
  { name: "web", users: ["cordelia"], isWebPublic: true },
  { name: "secret", users: ["hamlet", "cordelia"], isPrivate: true },
  { name: "closed", users: ["cordelia"], isPrivate: true },
] as const

t.test("a role shows and hides channels", (t) =>
  withServer(t, { channels }, async (server) => {
    const types = { event_types: ["stream", "subscription"] }
    const own = await server.queue("hamlet", types)
    const other = await server.queue("othello", types)
    const ids = (...wanted: ReadonlyArray<string>) => wanted.map((name) => channelId(server, name))
    const shows = (name: string, ...users: ReadonlyArray<Name>) => [
      { type: "stream", op: "create", streams: [{ name, stream_id: channelId(server, name) }] },
      ...(users.length === 0
        ? []
        : [{ type: "subscription", op: "peer_add", stream_ids: ids(name), user_ids: users.map(server.idOf) }]),
    ]
    const hides = (...wanted: ReadonlyArray<string>) => ({ type: "stream", op: "delete", stream_ids: ids(...wanted) })
    const becomes = async (role: number, expected: ReadonlyArray<unknown>, label: string) => {
      t.match(await change(server, "desdemona", "hamlet", role), { status: 200 })
      const events = await own.rest()
      t.match(events, expected, label)
      t.equal(events.length, expected.length, `${label}: nothing else`)
      const seen = await server.as("hamlet").must.get("/streams", { include_all: true })
      return pluck(seen["streams"], "name")
    }
    t.same(
      await becomes(600, [hides("open", "empty")], "a guest keeps what they are in, and what is public to the web"),
      ["in", "secret", "web"],
    )
    t.match(
      await server
        .as("hamlet")
        .get("/messages", { narrow: [["channel", "open"]], anchor: 0, num_before: 0, num_after: 1 }),
      {
        body: { code: "BAD_NARROW" },
      },
    )
    const all = [...shows("open", "cordelia", "othello"), ...shows("empty")]
    t.same(await becomes(400, all, "a member sees what is public"), ["empty", "in", "open", "secret", "web"])
    t.equal((await becomes(200, shows("closed", "cordelia"), "an administrator sees all")).length, 6)
    t.equal((await becomes(300, [hides("closed")], "a moderator does not")).length, 5)
    t.equal((await becomes(100, shows("closed", "cordelia"), "an owner does")).length, 6)
    await becomes(600, [hides("open", "empty", "closed")], "from the top to the bottom")
    await becomes(200, [...all, ...shows("closed", "cordelia")], "and back")
    t.same(await other.rest(), [], "others hear nothing of it")
    t.match(own.events[0], { streams: ids("open", "empty").map((stream_id) => ({ stream_id })) })
    await sameAfresh(t, server, "sight")
  }),
)

t.test("too many events about one change end the user's queues instead", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["polonius"] }] }, async (server) => {
    await server.rows(
      `insert into channel (realm_id, id, name, name_folded, created_at, permissions)
       select realm_id, id + n, 'channel ' || n, 'channel ' || n, created_at, permissions from channel, generate_series(1, 501) as n`,
    )
    await server.restart()
    const reader = await server.queue("polonius")
    const stored = await server.queue("polonius")
    const other = await server.queue("hamlet", { event_types: ["realm_user"] })
    const waiting = server.as("polonius").get("/events", { queue_id: reader.queueId, last_event_id: reader.lastId })
    t.match(await change(server, "desdemona", "polonius", 400), { status: 200 })
    const gone = { status: 400, body: { code: "BAD_EVENT_QUEUE_ID" } }
    // The row of the new role stands before the row that ends the queues.
    t.match(await waiting, { status: 200, body: { events: [{ type: "realm_user", person: { role: 400 } }] } })
    const ask = () => server.as("polonius").get("/events", { queue_id: stored.queueId, last_event_id: stored.lastId })
    t.match(await ask(), gone)
    t.match(await other.rest(), [{ op: "update", person: { role: 400 } }], "others are told as always")
    await server.restart()
    t.match(await ask(), gone, "after a restart too")
    const again = await server.queue("polonius", { fetch_event_types: ["stream"] })
    t.equal(pluck(again.state["streams"], "stream_id").length, 502)
    t.match(await change(server, "desdemona", "polonius", 600), { status: 200 })
    const [hidden] = (await again.rest()).filter(({ type }) => type === "stream")
    t.match(hidden, { op: "delete" }, "what goes is one event, however many")
    t.equal(pluck(hidden?.["streams"], "stream_id").length, 501)
  }),
)

t.test("reactivated users", (t) =>
  withServer(t, { channels: [...channels, { name: "left", users: ["hamlet", "othello"] }] }, async (server) => {
    const hamlet = server.idOf("hamlet")
    const reactivate = (by: Name, id: number = hamlet) => server.as(by).post(`/users/${id}/reactivate`)
    const former = server.as("hamlet")
    await former.must.delete("/users/me/subscriptions", { subscriptions: ["left"] })
    await server.as("cordelia").send("in", "before")
    await server.as("cordelia").send("secret", "before")
    const before = await former.must.get("/users/me/subscriptions")
    const queue = await server.queue("hamlet")
    const types = { event_types: ["realm_user", "user_group", "subscription"], fetch_event_types: [] }
    const peer = await server.queue("cordelia", types)
    const stranger = await server.queue("polonius", types)
    t.match(await reactivate("iago"), { status: 200 }, "who never left is left in peace")
    await server.as("iago").must.delete(`/users/${hamlet}`)
    const leaves = await stranger.rest()
    const groupsOf = (op: string) =>
      [groups.members, groups.fullMembers].map((group_id) => ({ type: "user_group", op, group_id, user_ids: [hamlet] }))
    const left = { type: "realm_user", op: "update", person: { user_id: hamlet, is_active: false } }
    t.match(leaves, [left, ...groupsOf("remove_members")])
    t.equal(leaves.length, 3)
    await peer.rest()
    await server.as("cordelia").send("in", "meanwhile")

    await t.test("permissions to reactivate", async (t) => {
      for (const by of ["shiva", "cordelia", "polonius"] as const)
        t.match(await reactivate(by), {
          status: 400,
          body: { code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization administrator" },
        })
      t.match(await reactivate("iago", 4711), { status: 400, body: { msg: "No such user" } })
      t.same(await stranger.rest(), [])
    })

    await t.test("a role that is given to a deactivated user holds after reactivation", async (t) => {
      t.match(await change(server, "desdemona", "hamlet", 300), { status: 200 })
      const events = await stranger.rest()
      t.match(events, [{ type: "realm_user", op: "update", person: { user_id: hamlet, role: 300 } }])
      t.equal(events.length, 1, "the absent are in no group")
      t.match(await former.get("/users/me"), { status: 401 })
      await sameAfresh(t, server, "a role without its user")
      t.match(await change(server, "desdemona", "hamlet", 400), { status: 200 })
      await stranger.rest()
      await peer.rest()
    })

    await t.test("reactivation restores subscriptions, and everybody is told", async (t) => {
      t.match(await reactivate("iago"), { status: 200 })
      const back = { type: "realm_user", op: "update", person: { user_id: hamlet, is_active: true } }
      const expected = [back, ...groupsOf("add_members")]
      const heard = await peer.rest()
      t.match(heard, expected)
      const peers = heard.slice(expected.length)
      for (const event of peers) t.match(event, { type: "subscription", op: "peer_add", user_ids: [hamlet] })
      const told = recordsIn(peers).flatMap(({ stream_ids }) => (Array.isArray(stream_ids) ? stream_ids : []))
      t.same(new Set(told), new Set(["in", "secret"].map((name) => channelId(server, name))))
      t.equal(told.length, 2)
      const strangers = await stranger.rest()
      t.match(strangers, expected)
      t.equal(strangers.length, 3, "nothing of channels that they may not know of")
      t.same(await former.must.get("/users/me/subscriptions"), before, "settings and colours too")
      t.match(await former.must.get("/users/me"), { role: 400, is_active: true })
      t.match(await reactivate("iago"), { status: 200 }, "again: nothing more happens")
      t.same(await peer.rest(), [])
      await sameAfresh(t, server, "back")
    })

    await t.test(
      "the old queue of a reactivated user has ended; they hold messages from before and get new ones",
      async (t) => {
        const gone = { status: 400, body: { code: "BAD_EVENT_QUEUE_ID" } }
        const ask = () => former.get("/events", { queue_id: queue.queueId, last_event_id: queue.lastId })
        t.match(await ask(), gone, "their queue from before lacks what passed meanwhile")
        const fresh = await server.queue("hamlet", { event_types: ["message"] })
        const id = await server.as("cordelia").send("secret", "welcome")
        t.match(await fresh.rest(), [{ type: "message", message: { id } }])
        const held: Fields = { narrow: [["channel", "in"]], anchor: "newest", num_before: 10, num_after: 0 }
        const { messages } = await former.must.get("/messages", held)
        t.match(messages, [{ flags: ["read"] }, { flags: ["read", "historical"] }])
        await server.restart()
        const again = personOf(server.origin, former.account)
        t.same(await again.must.get("/users/me/subscriptions"), before, "after a restart too")
      },
    )

    await t.test("only an owner reactivates an owner; a second deactivation works like the first", async (t) => {
      t.match(await change(server, "desdemona", "othello", 100), { status: 200 })
      await server.as("desdemona").must.delete(`/users/${server.idOf("othello")}`)
      t.match(await reactivate("iago", server.idOf("othello")), { body: { msg: "Must be an organization owner" } })
      t.match(await reactivate("desdemona", server.idOf("othello")), { status: 200 })
      await server.as("iago").must.delete(`/users/${hamlet}`)
      t.match(await reactivate("iago"), { status: 200 })
      const { subscriptions } = await server.as("hamlet").must.get("/users/me/subscriptions")
      t.same(pluck(subscriptions, "name"), pluck(before["subscriptions"], "name"))
      await sameAfresh(t, server, "twice")
      t.equal(
        names.every((name) => server.realm.realm.isActive(server.idOf(name))),
        true,
      )
    })
  }),
)
