/** Default channels and default channel groups: who changes them, and when a channel leaves them. */
import t from "tap"
import type { Fields } from "../../../kit/client.ts"
import type { Reader } from "../../../kit/reader.ts"
import { pluck } from "../../../kit/records.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"

const admins = { code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization administrator" }
const channels = [
  { name: "lobby", users: ["hamlet"] },
  { name: "court", users: ["hamlet"] },
  { name: "square", users: [], isWebPublic: true },
  { name: "crypt", users: ["cordelia"], isPrivate: true },
  { name: "welcome", users: [], isDefault: true },
] as const

const idOf = (server: TestServer, name: string): number => {
  const channel = server.realm.realm.findChannelByName(name)
  if (channel === undefined) throw new Error(`there is no channel ${name}`)
  return channel.id
}

/** A register's key, kept up to date by the events that carry all of it. */
const follow = async (queue: Reader, key: string, type: string): Promise<unknown> => {
  const newest = (await queue.rest()).findLast((event) => event.type === type)
  return newest === undefined ? queue.state[key] : newest[type]
}
const register = async (server: TestServer, key: string): Promise<unknown> => (await server.queue("hamlet")).state[key]

t.test("default channels", (t) =>
  withServer(t, { channels }, async (server) => {
    const id = (name: string) => idOf(server, name)
    const add = (fields: Fields) => server.as("iago").post("/default_streams", fields)
    const remove = (fields: Fields) => server.as("iago").delete("/default_streams", fields)
    const [member, guest] = [await server.queue("hamlet"), await server.queue("polonius")]

    await t.test("refusals", async (t) => {
      await server.as("iago").must.delete(`/streams/${id("court")}`)
      const refusals: ReadonlyArray<Refusal> = [
        {
          when: "a private channel",
          fields: { stream_id: id("crypt") },
          msg: "Private channels cannot be made default.",
        },
        {
          when: "an archived one",
          fields: { stream_id: id("court") },
          msg: "Archived channels cannot be made default.",
        },
        { when: "an unknown one", fields: { stream_id: 4711 }, msg: "Invalid channel ID" },
      ]
      await refuses(t, refusals, add)
      await refuses(t, refusals.slice(2), remove)
      for (const name of ["polonius", "hamlet", "shiva"] as const) {
        const lines = [{ when: name, fields: { stream_id: id("lobby") }, ...admins }]
        await refuses(t, lines, (fields) => server.as(name).post("/default_streams", fields))
        await refuses(t, lines, (fields) => server.as(name).delete("/default_streams", fields))
      }
    })

    await t.test("are added and removed; members get the whole list, guests no event", async (t) => {
      await server.as("iago").must.post("/default_streams", { stream_id: id("square") })
      await server.as("iago").must.post("/default_streams", { stream_id: id("lobby") })
      await server.as("iago").must.delete("/default_streams", { stream_id: id("welcome") })
      const before = server.realm.realm.position
      await server.as("iago").must.post("/default_streams", { stream_id: id("lobby") })
      await server.as("iago").must.delete("/default_streams", { stream_id: id("crypt") })
      t.equal(server.realm.realm.position, before, "what is so already tells nothing")
      const all = [id("lobby"), id("square")]
      t.same(await register(server, "realm_default_streams"), all)
      t.same(await follow(member, "realm_default_streams", "default_streams"), all)
      t.notOk((await guest.rest()).some(({ type }) => type === "default_streams"))
    })

    await t.test("a channel that is archived or made private leaves them", async (t) => {
      await server.as("iago").must.delete(`/streams/${id("square")}`)
      t.same(await register(server, "realm_default_streams"), [id("lobby")])
      await server.as("iago").must.patch(`/streams/${id("lobby")}`, { is_private: true, is_default_stream: false })
      t.same(await register(server, "realm_default_streams"), [])
      t.same(await follow(member, "realm_default_streams", "default_streams"), [])
      t.same(await server.rows("select name from channel where is_default"), [])
      await server.restart()
      t.same(await register(server, "realm_default_streams"), [])
    })
  }),
)

t.test("default channel groups", (t) =>
  withServer(t, { channels }, async (server) => {
    const id = (name: string) => idOf(server, name)
    const iago = server.as("iago")
    const create = (fields: Fields) => iago.post("/default_stream_groups/create", { description: "", ...fields })
    const [member, guest] = [await server.queue("hamlet"), await server.queue("polonius")]
    const key = "realm_default_stream_groups"

    await t.test("are made of channels, given by name or id", async (t) => {
      t.match(await create({ group_name: " Play ", description: "For\nfun", stream_names: ["Lobby"] }), { status: 200 })
      t.match(await create({ group_name: "Work", stream_ids: [id("court"), id("court")] }), { status: 200 })
      t.match(await create({ group_name: "Empty" }), { status: 200 })
      t.same(await register(server, key), [
        { id: 1, name: "Play", description: "For fun", streams: [id("lobby")] },
        { id: 2, name: "Work", description: "", streams: [id("court")] },
        { id: 3, name: "Empty", description: "", streams: [] },
      ])
    })

    await t.test("refusals", async (t) => {
      const named = (group_name: string) => ({ group_name })
      const of = (...stream_names: ReadonlyArray<string>) => ({ group_name: "New", stream_names })
      await refuses(
        t,
        [
          { when: "a name that is taken", fields: named("PLAY"), msg: "Default channel group 'PLAY' already exists" },
          { when: "no name", fields: named(" "), msg: "Default channel group name can't be empty." },
          { when: "a bad name", fields: named("a\u0007"), msg: /^Invalid character in default channel group name/ },
          { when: "a long name", fields: named("n".repeat(61)), msg: /too long/ },
          { when: "a default channel", fields: of("welcome"), msg: /^'welcome' is a default channel/ },
          { when: "a private one", fields: of("crypt"), msg: "Private channels cannot be made default." },
          { when: "an unknown one", fields: of("lobby", "nowhere"), msg: "Invalid channel name 'nowhere'" },
          { when: "an unknown id", fields: { ...named("New"), stream_ids: [4711] }, msg: "Invalid channel ID" },
        ],
        create,
      )
      const [play, streams] = ["/default_stream_groups/1", "/default_stream_groups/1/streams"]
      const adding = (...stream_names: ReadonlyArray<string>) => ({ op: "add", stream_names })
      await refuses(
        t,
        [
          { when: "another op", fields: { ...adding("court"), op: "set" }, msg: "Invalid op" },
          { when: "what is in it", fields: adding("court", "lobby"), msg: /^Channel 'lobby' is already in/ },
          { when: "what is not", fields: { op: "remove", stream_names: ["court"] }, msg: /^Channel 'court' is not in/ },
          { when: "a default channel", fields: adding("welcome"), msg: /^'welcome' is a default channel/ },
        ],
        (fields) => iago.patch(streams, fields),
      )
      await refuses(
        t,
        [
          { when: "nothing new", fields: {}, msg: /^You must pass/ },
          { when: "another's name", fields: { new_group_name: "work" }, msg: /already exists/ },
        ],
        (fields) => iago.patch(play, fields),
      )
      const none = { fields: { new_group_name: "x", op: "add" }, msg: /^Default channel group with id '9' does not/ }
      for (const method of ["patch", "delete"] as const)
        await refuses(t, [{ when: `${method} of none`, ...none }], (fields) =>
          iago[method]("/default_stream_groups/9", fields),
        )
      for (const name of ["polonius", "hamlet", "shiva"] as const) {
        const person = server.as(name)
        const lines = [
          { when: name, fields: { new_group_name: "x", group_name: "x", description: "", op: "add" }, ...admins },
        ]
        await refuses(t, lines, (fields) => person.post("/default_stream_groups/create", fields))
        await refuses(t, lines, (fields) => person.patch(play, fields))
        await refuses(t, lines, (fields) => person.patch(streams, fields))
        await refuses(t, lines, (fields) => person.delete(play, fields))
      }
    })

    await t.test("are changed and removed; members get the whole list, guests no event", async (t) => {
      await iago.must.patch("/default_stream_groups/1", { new_group_name: "PLAY", new_description: "More" })
      await iago.must.patch("/default_stream_groups/1/streams", { op: "add", stream_names: ["court", "square"] })
      await iago.must.patch("/default_stream_groups/1/streams", { op: "remove", stream_names: ["lobby"] })
      await iago.must.delete("/default_stream_groups/3")
      const before = server.realm.realm.position
      await iago.must.patch("/default_stream_groups/1", { new_group_name: "PLAY" })
      t.equal(server.realm.realm.position, before, "the name it has tells nothing")
      t.match(await register(server, key), [
        { name: "PLAY", description: "More", streams: [id("court"), id("square")] },
        { name: "Work" },
      ])
      t.same(await follow(member, key, "default_stream_groups"), await register(server, key))
      t.notOk((await guest.rest()).some(({ type }) => type === "default_stream_groups"))
    })

    await t.test("a channel that is archived or made private leaves them", async (t) => {
      await iago.must.delete(`/streams/${id("square")}`)
      await server.as("desdemona").must.post("/users/me/subscriptions", { subscriptions: [{ name: "court" }] })
      await server.as("desdemona").must.patch(`/streams/${id("court")}`, { is_private: true })
      const groups = await register(server, key)
      t.same(pluck(groups, "streams"), [[], []])
      t.same(await follow(member, key, "default_stream_groups"), groups)
      await server.restart()
      t.same(await register(server, key), groups)
    })
  }),
)
