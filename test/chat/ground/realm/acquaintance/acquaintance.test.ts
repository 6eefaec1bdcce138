/** Limited guests: whom they know, what they read of others, and how they are told of who comes and goes. */
import * as Effect from "effect/Effect"
import t, { type Test } from "tap"
import { mayKnow } from "../../../../../src/chat/ground/realm/acquaintance/acquaintance.ts"
import { roles, systemGroups } from "../../../../../src/chat/ground/realm/domain-values.ts"
import type { UserRecord } from "../../../../../src/chat/ground/realm/records.ts"
import { setUpUser } from "../../../../../src/chat/server/setup/realm-setup.ts"
import { sameAfresh } from "../../../../kit/afresh.ts"
import type { Fields } from "../../../../kit/client.ts"
import { pluck, recordsIn } from "../../../../kit/records.ts"
import { kindsOfClients, Settling, type View } from "../../../../kit/settles.ts"
import { inTurn } from "../../../../kit/share.ts"
import { until } from "../../../../kit/test-database.ts"
import { type ChannelSetup, type Name, names, type TestServer, withServer } from "../../../../kit/with-server.ts"
import { make, own, types } from "../../../organization/profile-fields/profile-scene.ts"
import { pass } from "../../../personal/scheduled/scheduled-scene.ts"

const channels: ReadonlyArray<ChannelSetup> = [
  { name: "lobby", users: ["hamlet", "polonius"] },
  { name: "court", users: ["cordelia", "othello"] },
  { name: "den", users: ["polonius", "shiva"], isPrivate: true },
  { name: "square", users: ["othello"], isWebPublic: true },
  { name: "welcome", users: ["polonius"], isDefault: true },
]

const limit = (server: TestServer, group: keyof typeof systemGroups = "role:members") =>
  server.as("iago").must.patch("/realm", { can_access_all_users_group: { new: systemGroups[group] } })
const join = (server: TestServer, by: Name, channel: string, ...who: ReadonlyArray<Name>) =>
  server.as(by).must.post("/users/me/subscriptions", {
    subscriptions: [{ name: channel }],
    ...(who.length === 0 ? {} : { principals: who.map(server.idOf) }),
  })
const leave = (server: TestServer, by: Name, channel: string, ...who: ReadonlyArray<Name>) =>
  server.as(by).must.delete("/users/me/subscriptions", {
    subscriptions: [channel],
    ...(who.length === 0 ? {} : { principals: who.map(server.idOf) }),
  })
const direct = async (server: TestServer, by: Name, ...to: ReadonlyArray<Name>): Promise<number> =>
  Number(
    (await server.as(by).must.post("/messages", { type: "direct", to: to.map(server.idOf), content: "to you" }))["id"],
  )

/** The names of the people in the guest's list, without bots. */
const knownIn = (list: unknown): ReadonlyArray<unknown> =>
  recordsIn(list)
    .filter(({ is_bot, full_name }) => is_bot === false && full_name !== "Unknown user")
    .map(({ full_name }) => full_name)
    .sort()

const able = { client_capabilities: { user_list_incomplete: true } }

const viewsOf = (server: TestServer): ReadonlyArray<View> =>
  (["polonius", "hamlet", "iago"] as const).flatMap((name) =>
    kindsOfClients.map(([label, fields]) => ({
      label: `${name} as ${label}`,
      person: server.as(name),
      port: server.port,
      user: server.idOf(name),
      fields,
    })),
  )

interface Deed {
  readonly what: string
  readonly act: (server: TestServer) => Promise<unknown>
  /** Whom the guest knows afterwards, beside themselves. */
  readonly knows: ReadonlyArray<string>
}

const deeds: ReadonlyArray<Deed> = [
  {
    what: "somebody who is not in the channel writes there and reacts",
    act: async (server) => {
      const id = await server.as("cordelia").send("lobby", "from outside")
      await server.as("othello").must.post(`/messages/${id}/reactions`, { emoji_name: "octopus" })
    },
    knows: ["hamlet", "shiva"],
  },
  {
    what: "a stranger changes all that is seen of them",
    act: async (server) => {
      await server.as("cordelia").must.post("/users/me/status", { status_text: "away with the fairies" })
      await server.as("cordelia").must.patch("/settings", { email_address_visibility: 4, timezone: "Asia/Tokyo" })
      await server.as("desdemona").must.patch(`/users/${server.idOf("othello")}`, { role: 300 })
    },
    knows: ["hamlet", "shiva"],
  },
  {
    what: "they come into a channel of the guest's, with their status",
    act: (server) => join(server, "cordelia", "lobby"),
    knows: ["cordelia", "hamlet", "shiva"],
  },
  {
    what: "a known one changes what is seen of them",
    act: async (server) => {
      await server.as("cordelia").must.patch("/settings", { email_address_visibility: 1 })
      await server.as("cordelia").must.post("/users/me/status", { status_text: "here" })
    },
    knows: ["cordelia", "hamlet", "shiva"],
  },
  {
    what: "they come into a second one and leave the first",
    act: async (server) => {
      await join(server, "shiva", "den", "cordelia")
      await leave(server, "cordelia", "lobby")
    },
    knows: ["cordelia", "hamlet", "shiva"],
  },
  {
    what: "they leave the second one",
    act: (server) => leave(server, "cordelia", "den"),
    knows: ["hamlet", "shiva"],
  },
  {
    what: "a stranger writes to the guest, comes into a channel and leaves it: they stay known",
    act: async (server) => {
      await direct(server, "othello", "polonius")
      await join(server, "othello", "lobby")
      await leave(server, "othello", "lobby")
    },
    knows: ["hamlet", "othello", "shiva"],
  },
  {
    what: "a conversation of several",
    act: (server) => direct(server, "iago", "polonius", "hamlet", "cordelia"),
    knows: ["cordelia", "hamlet", "iago", "othello", "shiva"],
  },
  {
    what: "a known one is deactivated",
    act: (server) => server.as("desdemona").must.delete(`/users/${server.idOf("shiva")}`),
    knows: ["cordelia", "hamlet", "iago", "othello"],
  },
  {
    what: "they come back",
    act: (server) => server.as("desdemona").must.post(`/users/${server.idOf("shiva")}/reactivate`),
    knows: ["cordelia", "hamlet", "iago", "othello", "shiva"],
  },
  {
    what: "somebody known by a conversation is deactivated, and comes back",
    act: async (server) => {
      await server.as("desdemona").must.delete(`/users/${server.idOf("othello")}`)
      await server.as("desdemona").must.post(`/users/${server.idOf("othello")}/reactivate`)
    },
    knows: ["cordelia", "hamlet", "iago", "othello", "shiva"],
  },
  {
    what: "new accounts, in a channel of the guest's and in none",
    act: async (server) => {
      const made = (name: string) => ({ email: `${name}@test.example`, password: "long enough", full_name: name })
      await server.as("iago").must.post("/users", made("horatio"))
      const account = { email: "yorick@test.example", fullName: "yorick", role: roles.member, isBot: false }
      await server.run(setUpUser(server.realmId, { ...account, passwordHash: null, channels: [] }))
    },
    knows: ["cordelia", "hamlet", "horatio", "iago", "othello", "shiva"],
  },
  {
    what: "a new bot, whom everybody knows",
    act: (server) => {
      const bot = { email: "bot@test.example", fullName: "Bot", role: roles.member, isBot: true, passwordHash: null }
      return server.run(setUpUser(server.realmId, bot))
    },
    knows: ["cordelia", "hamlet", "horatio", "iago", "othello", "shiva"],
  },
  {
    what: "the guest is brought into a channel",
    act: async (server) => {
      await join(server, "desdemona", "court")
      await join(server, "desdemona", "court", "polonius")
    },
    knows: ["cordelia", "desdemona", "hamlet", "horatio", "iago", "othello", "shiva"],
  },
  {
    what: "the guest is removed from it, and leaves another one",
    act: async (server) => {
      await leave(server, "desdemona", "court", "polonius")
      await leave(server, "polonius", "welcome")
    },
    knows: ["cordelia", "hamlet", "iago", "othello", "shiva"],
  },
  {
    what: "somebody goes from one of the guest's channels to another in one request, and there and back",
    act: async (server) => {
      await server.as("desdemona").must.patch("/users/me/subscriptions", { add: [{ name: "lobby" }] })
      await join(server, "desdemona", "annex", "polonius")
      await server
        .as("desdemona")
        .must.patch("/users/me/subscriptions", { add: [{ name: "annex" }], delete: ["lobby"] })
      await server.as("desdemona").must.patch("/users/me/subscriptions", { delete: ["annex"] })
      await server
        .as("desdemona")
        .must.patch("/users/me/subscriptions", { add: [{ name: "annex" }], delete: ["annex"] })
    },
    knows: ["cordelia", "hamlet", "iago", "othello", "shiva"],
  },
  {
    what: "a new channel with the guest and a stranger, who types in it and leaves it",
    act: async (server) => {
      const subscribers = (["desdemona", "polonius"] as const).map(server.idOf)
      const { id } = await server.as("desdemona").must.post("/channels/create", { name: "attic", subscribers })
      await leave(server, "desdemona", "attic")
      const typing = { op: "start", type: "stream", stream_id: id, topic: "t" }
      await server.as("desdemona").must.post("/typing", typing)
      await server.as("desdemona").must.post("/typing", { ...typing, op: "stop" })
    },
    knows: ["cordelia", "hamlet", "iago", "othello", "shiva"],
  },
  {
    what: "a stranger types to the guest, then a message that they scheduled is sent",
    act: async (server) => {
      const to = [server.idOf("polonius")]
      await server.as("desdemona").must.post("/typing", { op: "start", to })
      await server.as("desdemona").must.post("/typing", { op: "stop", to })
      const scheduled_delivery_timestamp = Math.floor(server.clock.now() / 1000) + 60
      const later = { type: "direct", to, content: "later", scheduled_delivery_timestamp }
      await server.as("desdemona").must.post("/scheduled_messages", later)
      await pass(server, 61_000)
      await until("it is sent", 10_000, async () => {
        const { messages } = await server.as("desdemona").must.get("/messages", newest)
        return recordsIn(messages).some(({ content }) => String(content).includes("later"))
      })
    },
    knows: ["cordelia", "desdemona", "hamlet", "iago", "othello", "shiva"],
  },
]

const newest = { anchor: "newest", num_before: 50, num_after: 0 }

t.test("state and events make the state", (t) =>
  withServer(t, { channels }, async (server) => {
    await limit(server)
    // What a guest comes to know of somebody has what these have in profile fields.
    const id = await make(server, { name: "Phone", field_type: types.short })
    for (const name of names) await server.as(name).must.patch(own, { data: [{ id, value: `of ${name}` }] })
    const settling = new Settling(t, viewsOf(server), (when) => sameAfresh(t, server, when))
    for (const { what, act, knows } of deeds) {
      await settling.after(what, () => act(server))
      const all = await server.as("polonius").must.post("/register", able)
      t.strictSame(knownIn(all["realm_users"]), [...knows, "polonius"].toSorted(), what)
      const { realm } = server.realm
      const guest = realm.users.get(server.idOf("polonius")) ?? null
      const isKnown = (user: UserRecord) => realm.isActive(user.id) && !user.is_bot && mayKnow(realm, guest, user)
      t.strictSame(
        [...realm.users.values()]
          .filter(isKnown)
          .map(({ full_name }) => full_name)
          .sort(),
        [...knows, "polonius"].toSorted(),
        `${what}: one by one`,
      )
    }
    for (const kind of ["realm_user/add", "realm_user/remove", "user_status", "typing/start"])
      t.ok(settling.seen.has(kind), kind)
  }),
)

const unknown = (server: TestServer, who: Name) => ({
  user_id: server.idOf(who),
  full_name: "Unknown user",
  email: `user${server.idOf(who)}@test.example`,
  delivery_email: null,
  role: 400,
  is_bot: false,
  timezone: "",
  avatar_url: "/static/images/unknown-user-avatar.png",
})

const among = (list: unknown, id: number): Fields => recordsIn(list).find(({ user_id }) => user_id === id) ?? {}

t.test(
  "what a limited guest reads of people whom they do not know",
  inTurn(2, "what a limited guest reads of people whom they do not know"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      const polonius = server.as("polonius")
      const iago = server.idOf("iago")
      t.match(
        await polonius.must.get(`/users/${iago}`),
        { user: { full_name: "iago" } },
        "at first they know everybody",
      )
      await limit(server)
      await server.as("iago").must.post("/users/me/status", { status_text: "watching" })
      await server.as("hamlet").must.post("/users/me/status", { status_text: "waiting" })
      await server.as("desdemona").must.delete(`/users/${server.idOf("cordelia")}`)
      await t.test("register", async (t) => {
        const all = await polonius.must.post("/register")
        t.match(among(all["realm_users"], iago), unknown(server, "iago"))
        t.match(among(all["realm_users"], server.idOf("cordelia")), unknown(server, "cordelia"), "deactivated or not")
        t.match(among(all["realm_users"], server.idOf("hamlet")), { full_name: "hamlet", email: "hamlet@test.example" })
        t.same(all["realm_non_active_users"], [])
        t.strictSame(all["user_status"], { [server.idOf("hamlet")]: { status_text: "waiting" } })
        const few = await polonius.must.post("/register", able)
        t.strictSame(knownIn(few["realm_users"]), ["hamlet", "polonius", "shiva"])
        t.strictSame(pluck(few["realm_users"], "full_name").includes("Unknown user"), false)
      })
      await t.test("lists of users, and each of them", async (t) => {
        t.strictSame(knownIn((await polonius.must.get("/users"))["members"]), ["hamlet", "polonius", "shiva"])
        const some = await polonius.must.get("/users", { user_ids: [iago, server.idOf("hamlet"), 4711] })
        t.strictSame(pluck(some["members"], "full_name"), ["hamlet"])
        t.equal(
          recordsIn((await server.as("hamlet").must.get("/users"))["members"]).length,
          names.length,
          "others read all",
        )
      })
      await t.test("messages, and events about them", async (t) => {
        const reader = await server.queue("polonius")
        const byHamlet = await server.as("hamlet").send("lobby", "hello")
        const byIago = await server.as("iago").send("lobby", "hello from @**othello**")
        await server.as("iago").must.post(`/messages/${byHamlet}/reactions`, { emoji_name: "octopus" })
        const shown = recordsIn((await polonius.must.get("/messages", newest))["messages"])
        const { full_name, email, avatar_url } = unknown(server, "iago")
        const wanted = { sender_id: iago, sender_full_name: full_name, sender_email: email, avatar_url }
        t.match(shown.at(-1), { id: byIago, ...wanted })
        t.match(shown.at(-2), { id: byHamlet, sender_full_name: "hamlet", sender_email: "hamlet@test.example" })
        t.match((await polonius.must.get(`/messages/${byIago}`))["message"], wanted)
        const events = await reader.rest()
        t.match(
          events.filter(({ type }) => type === "message"),
          [{ message: { sender_full_name: "hamlet" } }, { message: { id: byIago, ...wanted } }],
        )
        t.match(
          events.filter(({ type }) => type === "reaction"),
          [{ user_id: iago, user: { user_id: iago, full_name, email } }],
        )
        const hamlets = recordsIn((await server.as("hamlet").must.get("/messages", newest))["messages"])
        t.match(hamlets.at(-1), { sender_full_name: "iago", sender_email: "iago@test.example" })
      })
      await t.test("typing", async (t) => {
        const reader = await server.queue("polonius", { client_capabilities: { stream_typing_notifications: true } })
        const others = await server.queue("hamlet", { client_capabilities: { stream_typing_notifications: true } })
        const stream_id = server.realm.realm.findChannelByName("lobby")?.id
        await server.as("iago").must.post("/typing", { op: "start", type: "stream", stream_id, topic: "t" })
        await server.as("iago").must.post("/typing", { op: "start", to: [server.idOf("polonius")] })
        const { email } = unknown(server, "iago")
        t.match(await reader.rest(), [
          { type: "typing", sender: { user_id: iago, email }, stream_id },
          { type: "typing", sender: { user_id: iago, email }, message_type: "direct" },
        ])
        t.match(await others.rest(), [{ type: "typing", sender: { email: "iago@test.example" } }])
      })
      await t.test("what they name", async (t) => {
        const { rendered } = await polonius.must.post("/messages/render", { content: "@**iago** @**hamlet**" })
        t.match(
          rendered,
          /@<strong>iago<\/strong> .*user-mention.*@hamlet/,
          "a mention of somebody unknown is only text",
        )
        const content = "x"
        for (const to of [[iago], ["iago@test.example"], [`user${iago}@test.example`]])
          t.match(await polonius.post("/messages", { type: "direct", to, content }), { status: 400 })
        const { messages } = await polonius.must.get("/messages", {
          ...newest,
          narrow: [["sender", "hamlet@test.example"]],
        })
        t.match(recordsIn(messages).at(-1), { sender_full_name: "hamlet" }, "whom they know is found")
      })
      await t.test("what they have in profile fields", async (t) => {
        const data = async (field_type: number, value: unknown) => {
          const id = await make(server, { name: `field ${field_type}`, field_type })
          return polonius.patch(own, { data: [{ id, value }] })
        }
        const hamlet = server.idOf("hamlet")
        t.match(await data(types.long, `@_**|${iago}** @**iago** @_**|${hamlet}** #**court**`), { status: 200 })
        const mine = JSON.stringify((await polonius.must.get("/users/me"))["profile_data"])
        t.match(mine, /user-mention[^>]*>hamlet</, "whom they know is named")
        t.notMatch(mine, /user-mention[^>]*>@?iago</, "nobody else")
        t.notMatch(mine, /data-stream-id/, "nor a channel of which they do not know")
        t.match(await data(types.people, [iago]), { status: 400, body: { msg: `Invalid user ID: ${iago}` } })
      })
      await t.test("the picture", async (t) => {
        const answer = await fetch(`${server.origin}/static/images/unknown-user-avatar.png`)
        t.equal(answer.headers.get("content-type"), "image/png")
        t.equal((await answer.arrayBuffer()).byteLength > 500, true)
      })
    }),
)

t.test(
  "the setting, and who is a guest, end the queues of those whom it concerns",
  inTurn(2, "limits of guests end queues"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      const ends = async (t: Test, act: () => Promise<unknown>, ended: ReadonlyArray<Name>) => {
        const readers = await Promise.all(
          (["polonius", "hamlet", "othello"] as const).map(async (name) => ({
            name,
            reader: await server.queue(name),
          })),
        )
        await act()
        for (const { name, reader } of readers) {
          const fields = { queue_id: reader.queueId, last_event_id: reader.lastId, dont_block: true }
          const { body } = await server.as(name).get("/events", fields)
          t.equal(body["code"] === "BAD_EVENT_QUEUE_ID", ended.includes(name), name)
        }
        await sameAfresh(t, server, "after the change")
      }
      const setRole = (role: number) => () =>
        server.as("desdemona").must.patch(`/users/${server.idOf("othello")}`, { role })
      await direct(server, "othello", "iago")
      await ends(t, setRole(roles.guest), [])
      t.match(await server.as("othello").must.get(`/users/${server.idOf("desdemona")}`), {}, "not limited yet")
      await ends(t, setRole(roles.member), [])
      await ends(t, () => limit(server), ["polonius"])
      await ends(t, setRole(roles.guest), ["othello"])
      const all = await server.as("othello").must.post("/register", able)
      t.strictSame(
        knownIn(all["realm_users"]),
        ["cordelia", "iago", "othello"],
        "by a channel, and by an old conversation",
      )
      await direct(server, "othello", "iago", "cordelia")
      await sameAfresh(t, server, "a further conversation")
      await server.restart()
      t.match(await server.as("othello").get(`/users/${server.idOf("iago")}`), { status: 200 })
      t.match(await server.as("othello").get(`/users/${server.idOf("desdemona")}`), { status: 400 })
      await ends(t, () => limit(server, "role:everyone"), ["polonius", "othello"])
      t.match(await server.as("othello").get(`/users/${server.idOf("desdemona")}`), { status: 200 })
      const refused = (new_: unknown) =>
        server.as("iago").patch("/realm", { can_access_all_users_group: { new: new_ } })
      t.match(await refused(systemGroups["role:owners"]), { status: 400 })
      t.match(await refused({ direct_members: [1], direct_subgroups: [] }), { body: { code: "SYSTEM_GROUP_REQUIRED" } })
    }),
)

t.test(
  "a first message that is sent again is one, and shows its sender once",
  inTurn(2, "a first message that is sent again is one, and shows its sender once"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      await limit(server)
      const reader = await server.queue("polonius", able)
      const own = await server.queue("iago")
      const message = {
        type: "direct",
        to: [server.idOf("polonius")],
        content: "x",
        queue_id: own.queueId,
        local_id: "1",
      }
      const sent = await Promise.all([1, 2, 3].map(() => server.as("iago").must.post("/messages", message)))
      t.equal(new Set(sent.map(({ id }) => id)).size, 1)
      t.match(
        (await reader.rest()).map(({ type }) => type),
        ["realm_user", "message"],
      )
      const another = await server.as("iago").post("/messages", { ...message, content: "y" })
      t.match(another, { status: 400, body: { msg: /local_id/ } })
      await server
        .as("desdemona")
        .must.patch("/realm", { direct_message_initiator_group: { new: systemGroups["role:nobody"] } })
      const begun = await server
        .as("desdemona")
        .post("/messages", { type: "direct", to: [server.idOf("polonius")], content: "x" })
      t.match(begun, { status: 400, body: { msg: /initiate/ } })
      t.same(
        (await reader.rest()).filter(({ type }) => type === "realm_user"),
        [],
        "nobody is shown by what is refused",
      )
    }),
)

t.test("too many to tell end the guest's queues", inTurn(2, "too many acquaintances"), (t) =>
  withServer(t, { channels }, async (server) => {
    await limit(server)
    const people = Array.from({ length: 501 }, (_, n) => n)
    await server.run(
      Effect.forEach(people, (n) =>
        setUpUser(server.realmId, {
          email: `crowd${n}@test.example`,
          fullName: `crowd ${n}`,
          role: roles.member,
          isBot: false,
          passwordHash: null,
          channels: [],
        }),
      ),
    )
    const principals = [...server.realm.realm.users.keys()].filter((id) => id > names.length)
    await server.as("iago").must.post("/users/me/subscriptions", { subscriptions: [{ name: "crowd" }], principals })
    const reader = await server.queue("polonius")
    await join(server, "iago", "crowd", "polonius")
    const fields = { queue_id: reader.queueId, last_event_id: reader.lastId, dont_block: true }
    t.match(await server.as("polonius").get("/events", fields), { body: { code: "BAD_EVENT_QUEUE_ID" } })
    t.equal(knownIn((await server.as("polonius").must.post("/register"))["realm_users"]).length, 504)
  }),
)
