/**
 * I13: state and events make the state, for each kind of event, from a member's, an administrator's, an owner's and a
 * guest's view, for several kinds of clients; at rest, while others write without pause, and with a kill between register and the
 * first poll.
 */
import t from "tap"
import { setUpUser } from "../src/chat/realm-setup.ts"
import { roles } from "../src/chat/values.ts"
import { ServerProcess } from "./kill/server-process.ts"
import { type Person, personOf, request } from "./kit/client.ts"
import { Faults, faulty } from "./kit/faulty-database.ts"
import { clientsOfOneCapability, kindsOfClients, settles, settlesUnderLoad, type View } from "./kit/settles.ts"
import { type ChannelSetup, type Name, type TestServer, withServer } from "./kit/with-server.ts"
import { adminUrl, createFolder, createPostgresDatabase, until } from "./test-database.ts"

const channels: ReadonlyArray<ChannelSetup> = [
  { name: "lobby", users: ["hamlet", "cordelia", "othello", "polonius"] },
  { name: "hall", users: ["desdemona"], isWebPublic: true },
  { name: "den", users: ["cordelia", "othello", "shiva"], isPrivate: true },
  { name: "welcome", users: ["shiva"], isDefault: true },
]
const watching: ReadonlyArray<Name> = ["hamlet", "iago", "polonius", "desdemona"]

const viewsOf = (server: TestServer, kinds = kindsOfClients, names = watching): ReadonlyArray<View> =>
  names.flatMap((name) =>
    kinds.map(([label, fields]) => ({
      label: `${name} as ${label}`,
      person: server.as(name),
      port: server.port,
      user: server.idOf(name),
      fields,
    })),
  )

interface Action {
  readonly what: string
  readonly act: (server: TestServer) => Promise<unknown>
}

const subscribe = (server: TestServer, by: Name, names: ReadonlyArray<string>, who: ReadonlyArray<Name>, fields = {}) =>
  server.as(by).must.post("/users/me/subscriptions", {
    subscriptions: names.map((name) => ({ name, description: `About ${name}` })),
    principals: who.map(server.idOf),
    ...fields,
  })
const setRole = (server: TestServer, who: Name, role: number, by: Name = "desdemona") =>
  server.as(by).must.patch(`/users/${server.idOf(who)}`, { role })
const leave = (server: TestServer, who: Name, names: ReadonlyArray<string>) =>
  server.as(who).must.delete("/users/me/subscriptions", { subscriptions: names })

/** In this order: each begins where the one before has ended. */
const actions: ReadonlyArray<Action> = [
  { what: "the first message of a channel", act: (server) => server.as("cordelia").send("lobby", "one") },
  { what: "a message in a channel", act: (server) => server.as("hamlet").send("lobby", "two") },
  {
    what: "direct messages",
    act: async (server) => {
      const to = (["hamlet", "polonius", "iago"] as const).map(server.idOf)
      for (let n = 0; n < 2; n++)
        await server.as("cordelia").must.post("/messages", { type: "direct", to, content: "three" })
    },
  },
  {
    what: "typing, which changes nothing",
    act: async (server) => {
      const to = watching.map(server.idOf)
      for (const op of ["start", "stop"]) {
        await server.as("cordelia").must.post("/typing", { op, to })
        const stream_id = server.realm.realm.findChannelByName("lobby")?.id
        await server.as("cordelia").must.post("/typing", { op, type: "stream", stream_id, topic: "t" })
      }
    },
  },
  {
    what: "a new bot of nobody's",
    act: (server) =>
      server.run(
        setUpUser(server.realmId, {
          email: "bot@test.example",
          fullName: "Bot",
          role: roles.member,
          isBot: true,
          passwordHash: null,
        }),
      ),
  },
  {
    what: "a member who becomes an administrator and an owner",
    act: async (server) => {
      await setRole(server, "hamlet", 200)
      await setRole(server, "hamlet", 100)
    },
  },
  { what: "an owner who becomes a guest", act: (server) => setRole(server, "hamlet", 600) },
  { what: "a guest who becomes a member", act: (server) => setRole(server, "hamlet", 400) },
  {
    what: "others whose roles change",
    act: async (server) => {
      await setRole(server, "polonius", 300)
      await setRole(server, "othello", 600, "iago")
      await setRole(server, "iago", 400)
    },
  },
  {
    what: "roles that are as before",
    act: async (server) => {
      await setRole(server, "polonius", 600)
      await setRole(server, "othello", 400)
      await setRole(server, "iago", 200)
    },
  },
  {
    what: "settings of the organization",
    act: async (server) => {
      await server.actions.changeRealm({ enable_spectator_access: true, topics_policy: "disable_empty_topic" })
      await server.actions.changeRealm({ name: "Elsinore", description: "A *castle*", password_auth_enabled: false })
    },
  },
  {
    what: "permissions that groups hold",
    act: (server) => {
      const can_add_subscribers_group = { direct_members: [server.idOf("hamlet")], direct_subgroups: [6] }
      return server.actions.changeRealm({ can_add_subscribers_group, direct_message_permission_group: 3 })
    },
  },
  {
    what: "settings of the organization that are as before",
    act: (server) =>
      server.actions.changeRealm({
        enable_spectator_access: false,
        topics_policy: "allow_empty_topic",
        password_auth_enabled: true,
        can_add_subscribers_group: 3,
        direct_message_permission_group: 2,
      }),
  },
  {
    what: "settings of one's own",
    act: async (server) => {
      for (const name of watching) {
        await server.actions.changeUserSetting(name, "twenty_four_hour_time", true)
        await server.actions.changeUserSetting(name, "emojiset", "text")
        await server.actions.changeUserSetting(name, "default_language", "da")
        await server.actions.changeUserSetting(name, "enable_sounds", false)
      }
    },
  },
  {
    what: "addresses that are hidden, from some and from all",
    act: async (server) => {
      await server.actions.changeUserSetting("hamlet", "email_address_visibility", 3)
      await server.actions.changeUserSetting("cordelia", "email_address_visibility", 2)
      await server.actions.changeUserSetting("polonius", "email_address_visibility", 4)
    },
  },
  {
    what: "addresses that come into sight with a role, and go with it",
    act: async (server) => {
      await setRole(server, "othello", 200)
      await setRole(server, "othello", 600)
      await setRole(server, "iago", 400)
    },
  },
  {
    what: "addresses that are shown again",
    act: async (server) => {
      await setRole(server, "iago", 200)
      await setRole(server, "othello", 400)
      await server.actions.changeUserSetting("hamlet", "email_address_visibility", 5)
      await server.actions.changeUserSetting("hamlet", "email_address_visibility", 1)
      await server.actions.changeUserSetting("cordelia", "email_address_visibility", 1)
      await server.actions.changeUserSetting("polonius", "email_address_visibility", 2)
    },
  },
  { what: "subscribing oneself", act: (server) => subscribe(server, "hamlet", ["hall"], ["hamlet"]) },
  { what: "subscribing to what one has", act: (server) => subscribe(server, "hamlet", ["hall", "lobby"], ["hamlet"]) },
  {
    what: "being subscribed to a private channel and to a public one",
    act: (server) => subscribe(server, "cordelia", ["den", "welcome"], ["hamlet", "iago", "polonius", "shiva"]),
  },
  {
    what: "new channels, with and without oneself",
    act: async (server) => {
      await subscribe(server, "hamlet", ["new", "newer"], ["hamlet", "cordelia", "polonius"])
      await subscribe(server, "iago", ["newest"], ["shiva"])
      await subscribe(server, "cordelia", ["cave", "vault"], ["cordelia", "hamlet", "polonius"], { invite_only: true })
      await subscribe(server, "cordelia", ["cellar"], ["cordelia"], {
        invite_only: true,
        history_public_to_subscribers: true,
      })
    },
  },
  {
    what: "leaving public and private channels",
    act: async (server) => {
      for (const name of watching) await leave(server, name, ["den", "welcome"])
      await leave(server, "hamlet", ["lobby", "cave"])
      await leave(server, "polonius", ["lobby"])
      await leave(server, "othello", ["lobby", "den"])
    },
  },
  {
    what: "coming back, in another colour too",
    act: async (server) => {
      await subscribe(server, "cordelia", ["den", "lobby", "cave"], ["hamlet", "polonius", "othello"])
      await server.as("iago").must.post("/users/me/subscriptions", {
        subscriptions: [{ name: "welcome", color: "#abcdef" }],
      })
    },
  },
  {
    what: "a new user, in the default channels",
    act: (server) =>
      server.as("iago").must.post("/users", { email: "new@test.example", password: "secret1", full_name: "New" }),
  },
  {
    what: "a user who is deactivated",
    act: async (server) => {
      await server.as("desdemona").must.delete(`/users/${server.idOf("shiva")}`)
    },
  },
  {
    what: "a user who comes back",
    act: (server) => server.as("desdemona").must.post(`/users/${server.idOf("shiva")}/reactivate`),
  },
]

const everyKind = [
  "message",
  "typing/start",
  "typing/stop",
  "stream/create",
  "stream/update",
  "stream/delete",
  "subscription/add",
  "subscription/remove",
  "subscription/peer_add",
  "subscription/peer_remove",
  "realm_user/add",
  "realm_user/update",
  "realm_bot/add",
  "realm_bot/delete",
  "user_group/add_members",
  "user_group/remove_members",
  "user_settings/update",
  "realm/update",
  "realm/update_dict",
  "default_streams",
]

t.test("I13: each action settles", (t) =>
  withServer(t, { channels }, async (server) => {
    const seen = new Set<string>()
    const single = viewsOf(server, clientsOfOneCapability, ["hamlet", "polonius", "desdemona"])
    const views = [...viewsOf(server), ...single]
    for (const { what, act } of actions)
      for (const kind of await settles(t, views, what, () => act(server))) seen.add(kind)
    t.same([...seen].sort(), [...everyKind].sort(), "every kind of event has come")
  }),
)

/** Two clients that send, come and go without pause. What fails because the server is away is tried again. */
const disturbance = (othello: Person, cordelia: Person, others: ReadonlyArray<number>) => {
  const subscribeTo = (person: Person, names: ReadonlyArray<string>, principals: ReadonlyArray<number>) =>
    person.must.post("/users/me/subscriptions", { subscriptions: names.map((name) => ({ name })), principals })
  const leave = (person: Person, names: ReadonlyArray<string>) =>
    person.must.delete("/users/me/subscriptions", { subscriptions: names })
  return async (running: () => boolean): Promise<void> => {
    const repeat = async (round: (n: number) => Promise<unknown>) => {
      for (let n = 0; running(); n++) await round(n).catch(() => new Promise((resolve) => setImmediate(resolve)))
    }
    await Promise.all([
      repeat(async (n) => {
        await subscribeTo(othello, ["noise", `noise of othello ${n % 5}`], others)
        await othello.send("noise", `noise ${n}`)
        await leave(othello, [`noise of othello ${n % 5}`])
      }),
      repeat(async (n) => {
        await subscribeTo(cordelia, [`noise of cordelia ${n % 5}`], others)
        await cordelia.must.post("/messages", { type: "direct", to: others, content: `noise ${n}` })
        await leave(cordelia, [`noise of cordelia ${n % 5}`])
      }),
    ])
  }
}

const busy = new Set([
  "a message in a channel",
  "typing, which changes nothing",
  "being subscribed to a private channel and to a public one",
  "new channels, with and without oneself",
  "a new user, in the default channels",
  "a user who is deactivated",
  "a user who comes back",
  "others whose roles change",
  "roles that are as before",
  "settings of the organization",
  "settings of the organization that are as before",
  "settings of one's own",
  "addresses that are hidden, from some and from all",
])

/** Clients of which no row changes both what their register carries and what it does not, and the others. */
const whole = kindsOfClients.filter(([, { fetch_event_types }]) => fetch_event_types === undefined)
const split = kindsOfClients.filter(([, { fetch_event_types }]) => fetch_event_types !== undefined)

t.test("I13: each kind of event settles while others write without pause", async (t) => {
  const faults = new Faults()
  await withServer(t, { channels, ...(await faulty(t, faults)) }, async (server) => {
    const everybody = [...watching, "othello", "cordelia"] as const
    const disturb = disturbance(server.as("othello"), server.as("cordelia"), everybody.map(server.idOf))
    const { feed } = server.realm
    let isNoisy = false
    let overtakes = 0
    let overtaken = 0
    // What register reads from the database is older than the projection by the time it is there.
    faults.linger = async (sql, [row]) => {
      if (!isNoisy || !sql.includes("max_message_id") || overtakes-- <= 0) return
      await until("others have written", 10_000, () => !isNoisy || feed.position > Number(row?.["head"]) + 3)
      if (isNoisy) overtaken++
    }
    const noise = async (running: () => boolean) => {
      isNoisy = true
      await disturb(() => {
        isNoisy = running()
        return isNoisy
      })
    }
    for (const { what, act } of actions.filter(({ what }) => busy.has(what))) {
      overtakes = Number.POSITIVE_INFINITY
      await settlesUnderLoad(t, viewsOf(server, whole), what, () => act(server), noise)
    }
    t.ok(overtaken > 50, `${overtaken} registers were overtaken`)
    // Such a register begins again, a few times.
    overtakes = 5
    const send = () => server.as("hamlet").send("lobby", "one more")
    await settlesUnderLoad(t, viewsOf(server, split), "a register that begins again", send, noise)
  })
})

t.test("I13: it settles over a kill between register and the first poll", async (t) => {
  const faults: Array<string> = []
  const url = adminUrl === undefined ? null : await createPostgresDatabase(t, adminUrl)
  const process = await ServerProcess.create({
    folder: await createFolder(t),
    url,
    onFault: (fault) => faults.push(fault),
  })
  t.teardown(() => process.kill())
  process.start()
  await process.ready()
  const personAt = async (name: string) => {
    const username = `${name}@demo.example`
    const { body } = await request(process.origin, "POST", "/dev_fetch_api_key", { username })
    return {
      person: personOf(process.origin, { email: username, key: String(body["api_key"]) }),
      user: Number(body["user_id"]),
    }
  }
  const [owner, moderator] = await Promise.all([personAt("owner"), personAt("moderator")])
  const people = await Promise.all(["member", "admin", "guest"].map(personAt))
  const views = people.flatMap(({ person, user }) =>
    kindsOfClients
      .slice(0, 3)
      .map(([label, fields]) => ({ label: `${user} as ${label}`, person, port: process.port, user, fields })),
  )
  const all = [owner, moderator, ...people].map(({ user }) => user)
  const killAndStart = async () => {
    await process.kill()
    process.start()
    await process.ready()
  }
  await settlesUnderLoad(
    t,
    views,
    "killed",
    () => owner.person.send("general", "before the kill"),
    disturbance(owner.person, moderator.person, all),
    killAndStart,
  )
  t.same(faults, [])
})
